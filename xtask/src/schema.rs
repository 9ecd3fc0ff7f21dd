//! `cargo xtask schema`: the JSON Schema of the experiment file, kept in the tree so that editors can
//! complete without the program.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

/// The schema below the workspace's root.
const SCHEMA_PATH: &str = "experiments/experiment.schema.json";

/// Writes the schema below `root` and says where.
///
/// # Errors
/// When the program that prints it cannot be built, or the file cannot be written.
pub fn write(root: &Path) -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut print = Command::new(cargo);
    print.args(["run", "--quiet", "--package", "experiment", "--example", "schema"]).current_dir(root);
    let printed = print.stderr(std::process::Stdio::inherit()).output().context("running cargo")?;
    if !printed.status.success() {
        bail!("the schema cannot be printed");
    }
    let path = root.join(SCHEMA_PATH);
    std::fs::write(&path, printed.stdout).with_context(|| format!("writing {}", path.display()))?;
    Ok(path)
}

//! `cargo xtask schema`: the parts of the tree that are written from declarations. The JSON Schema of the
//! experiment file, kept so that editors can complete without the program, and the table of a drive's
//! properties.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

/// The schema below the workspace's root.
const SCHEMA_PATH: &str = "experiments/experiment.schema.json";
/// The page with the table of a drive's properties, and the lines around the table.
const PROPERTIES_PATH: &str = "catalogue/README.md";
const PROPERTIES_BEGIN: &str =
    "<!-- Written by `cargo xtask schema` from crates/device/src/property.rs. -->\n";
const PROPERTIES_END: &str = "<!-- End of the table. -->\n";

/// Writes both below `root` and says where.
///
/// # Errors
/// When a program that prints one cannot be built, or a file cannot be written.
pub fn write(root: &Path) -> anyhow::Result<[PathBuf; 2]> {
    let [schema, properties] = [SCHEMA_PATH, PROPERTIES_PATH].map(|path| root.join(path));
    let store = |path: &Path, text: String| {
        std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))
    };
    store(&schema, printed(root, "experiment", "schema")?)?;
    let page = std::fs::read_to_string(&properties)?;
    let parts = page.split_once(PROPERTIES_BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(PROPERTIES_END)?;
        Some((before, after))
    });
    let Some((before, after)) = parts else { bail!("{PROPERTIES_PATH} has no place for the table") };
    let table = printed(root, "device", "properties")?;
    store(&properties, format!("{before}{PROPERTIES_BEGIN}{table}{PROPERTIES_END}{after}"))?;
    Ok([schema, properties])
}

/// The output of an example of a package.
fn printed(root: &Path, package: &str, example: &str) -> anyhow::Result<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut print = Command::new(cargo);
    print.args(["run", "--quiet", "--package", package, "--example", example]).current_dir(root);
    let printed = print.stderr(std::process::Stdio::inherit()).output().context("running cargo")?;
    if !printed.status.success() {
        bail!("the example `{example}` of `{package}` does not print");
    }
    String::from_utf8(printed.stdout).context("what it prints is no text")
}

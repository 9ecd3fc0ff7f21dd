//! The JSON Schema of the experiment file, kept in the tree so that editors can complete without the program.

use std::path::{Path, PathBuf};

/// Where the schema lies below the workspace's root.
pub const SCHEMA_PATH: &str = "experiments/experiment.schema.json";

/// The schema's text as it should stand in the tree.
///
/// # Errors
/// When the schema cannot be written as JSON, which would be a fault of its types.
pub fn text() -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(&experiment::json_schema())? + "\n")
}

/// Writes the schema below `root` and says where.
///
/// # Errors
/// When the file cannot be written.
pub fn write(root: &Path) -> anyhow::Result<PathBuf> {
    let path = root.join(SCHEMA_PATH);
    std::fs::write(&path, text()?)?;
    Ok(path)
}

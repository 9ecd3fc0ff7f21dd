//! `drivetrain schema`: the JSON Schema of the experiment file, for editors.

use crate::console::Console;
use crate::exit::Exit;

/// Prints the schema.
pub(crate) fn schema(console: &Console) -> anyhow::Result<Exit> {
    console.document(&experiment::json_schema());
    Ok(Exit::Done)
}

//! The JSON Schema of the experiment file, from the declarations of its tables and words.

#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::file::Experiment;
use crate::keys::schema::Definitions;
use crate::keys::table::{TableSchema, table_schema};

/// The JSON Schema (draft 2020-12) of the experiment file, for editors that complete and check while one
/// writes.
pub fn json_schema() -> Value {
    let mut definitions = Definitions::default();
    let mut schema = table_schema::<Experiment>(&mut definitions, TableSchema::default());
    schema["title"] = "drivetrain experiment".into();
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["$defs"] = Value::Object(definitions.into_map());
    schema
}

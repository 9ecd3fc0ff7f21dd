//! The JSON Schema of the experiment file, from the types and their doc comments.

use crate::file::Experiment;

/// The JSON Schema (draft 2020-12) of the experiment file, for editors that complete and check while one writes.
pub fn json_schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Experiment);
    schema.insert("title".to_owned(), "drivetrain experiment".into());
    schema.into()
}

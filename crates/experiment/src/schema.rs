//! The JSON Schema of the experiment file, from the declarations of its tables and words.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use crate::file::Experiment;
use crate::table::{TableSchema, table_schema};

/// The JSON Schema (draft 2020-12) of the experiment file, for editors that complete and check while one
/// writes.
pub fn json_schema() -> Value {
    let mut definitions = Definitions::default();
    let mut schema = table_schema::<Experiment>(&mut definitions, TableSchema::default());
    schema["title"] = "drivetrain experiment".into();
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["$defs"] = Value::Object(definitions.0);
    schema
}

/// Schemas that others refer to by name, in the order in which they are first met.
#[derive(Default)]
pub(crate) struct Definitions(Map<String, Value>);

impl Definitions {
    /// A reference to the schema of this name, which `describe` makes when it is first met.
    pub(crate) fn refer(&mut self, name: &str, describe: impl FnOnce(&mut Definitions) -> Value) -> Value {
        if !self.0.contains_key(name) {
            self.0.insert(name.to_owned(), Value::Null);
            let schema = describe(self);
            self.0.insert(name.to_owned(), schema);
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }
}

/// A schema with a doc comment, as it is written, for its description: each paragraph in one line.
pub(crate) fn described(mut schema: Value, doc: &str) -> Value {
    let paragraphs = doc.split("\n\n").map(|paragraph| {
        let lines: Vec<&str> = paragraph.lines().map(str::trim).collect();
        lines.join(" ")
    });
    schema["description"] = paragraphs.collect::<Vec<String>>().join("\n\n").into();
    schema
}

/// A number as people write it: without a fraction where it has none.
pub(crate) fn number(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 1e15 { json!(number as i64) } else { json!(number) }
}

//! Parts of a JSON Schema: definitions by name, descriptions, numbers.

use serde_json::{Map, Value, json};

/// Schemas that others refer to by name, in the order in which they are first met.
#[derive(Default)]
pub(crate) struct Definitions(Map<String, Value>);

impl Definitions {
    /// All of them, by name.
    pub(crate) fn into_map(self) -> Map<String, Value> {
        self.0
    }

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

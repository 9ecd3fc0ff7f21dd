//! The JSON Schema of the experiment file, from the types and their doc comments.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use serde_json::Value;

use crate::file::Experiment;

/// The JSON Schema (draft 2020-12) of the experiment file, for editors that complete and check while one
/// writes.
pub fn json_schema() -> Value {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Experiment>();
    RecursiveTransform(without_null).transform(&mut schema);
    schema.insert("title".to_owned(), "drivetrain experiment".into());
    schema.into()
}

/// TOML has no null: a key that may be left out is left out.
fn without_null(schema: &mut schemars::Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(variants)) = object.get_mut("anyOf") {
        variants.retain(|variant| variant.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = variants.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            object.extend(only);
        }
    }
}

//! Keys that are listed beside their types are the keys of the JSON Schema, which come from the types.

use serde_json::Value;

use super::{EXPERIMENT_KEYS, STORAGE_KEYS};
use crate::schema::json_schema;
use crate::workload::{BLOCK_KEYS, FIND_KEYS};

fn properties(schema: &Value) -> Vec<&str> {
    schema["properties"].as_object().unwrap().keys().map(String::as_str).collect()
}

fn same_keys(mut left: Vec<&str>, mut right: Vec<&str>) {
    left.sort_unstable();
    right.sort_unstable();
    left.dedup();
    assert_eq!(left, right);
}

#[test]
fn the_parser_knows_the_keys_of_the_types() {
    let schema = json_schema();
    let of = |name: &str| properties(&schema["$defs"][name]);
    same_keys(properties(&schema), EXPERIMENT_KEYS.to_vec());
    same_keys(of("Find"), FIND_KEYS.to_vec());
    let storage = schema["$defs"]["Storage"]["anyOf"].as_array().unwrap();
    same_keys(storage.iter().flat_map(properties).collect(), STORAGE_KEYS.to_vec());
    let workload = schema["$defs"]["Workload"]["oneOf"].as_array().unwrap();
    let of_kind = |kind: &str| {
        let matches = |variant: &&Value| variant["properties"]["kind"]["const"] == kind;
        properties(workload.iter().find(matches).unwrap())
    };
    same_keys(of_kind("block"), BLOCK_KEYS.to_vec());
}

#[test]
fn every_property_of_the_schema_is_described() {
    fn undescribed(schema: &Value, path: &str, found: &mut Vec<String>) {
        match schema {
            Value::Object(map) => {
                for (key, value) in map {
                    let path = format!("{path}/{key}");
                    // A variant of one key is described as a whole.
                    let one_key = value.as_object().is_some_and(|keys| keys.len() == 1);
                    if key == "properties" && !(one_key && map.contains_key("description")) {
                        let described =
                            |value: &Value| value.get("description").or(value.get("const")).is_some();
                        let names = value.as_object().unwrap().iter().filter(|(_, value)| !described(value));
                        found.extend(names.map(|(name, _)| format!("{path}/{name}")));
                    }
                    undescribed(value, &path, found);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| undescribed(item, path, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    undescribed(&json_schema(), "", &mut found);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn the_schema_in_the_tree_is_the_schema_of_the_types() {
    let kept = include_str!("../../../../experiments/experiment.schema.json");
    assert!(kept == format!("{:#}\n", json_schema()), "run `cargo xtask schema` and commit the file");
}

#[test]
fn the_schema_allows_no_null() {
    let text = json_schema().to_string();
    assert!(!text.contains(r#","null"]"#) && !text.contains(r#""type":"null""#), "{text}");
}

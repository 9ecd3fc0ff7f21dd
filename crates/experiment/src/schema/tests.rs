//! The schema and the reader agree: each accepts the other's texts, because one declaration makes both.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toml::de::{DeTable, DeValue};

use super::json_schema;
use crate::check::check;
use crate::file::{Experiment, read_experiment, to_toml};
use crate::keys::form::Form;
use crate::keys::reader::{Node, Reader};

#[test]
fn the_schema_in_the_tree_is_the_schema_of_the_types() {
    let kept = include_str!("../../../../experiments/experiment.schema.json");
    assert!(kept == format!("{:#}\n", json_schema()), "run `cargo xtask schema` and commit the file");
}

/// Characters that texts are made of: plain ones, and those that TOML escapes.
const CHARACTERS: [char; 12] = ['a', 'Z', '0', ' ', '.', '-', '"', '\'', '\\', '#', 'é', '데'];

/// Values that a schema allows, by chance.
struct Author<'s, R> {
    definitions: &'s Value,
    rng: R,
}

impl<R: Rng> Author<'_, R> {
    /// A whole number, often one of the ends.
    fn whole(&mut self, least: u64, most: u64) -> u64 {
        match self.rng.next_u64() % 8 {
            0 => least,
            1 => most,
            _ => least + self.rng.next_u64() % (most - least).saturating_add(1).max(1),
        }
    }

    fn text(&mut self, fewest: u64) -> String {
        let length = self.whole(fewest, 12);
        (0..length).map(|_| CHARACTERS[self.whole(0, 11) as usize]).collect()
    }

    fn value(&mut self, schema: &Value) -> Value {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.trim_start_matches("#/$defs/");
            return match name {
                "Size" => format!("{}KiB", self.whole(0, 1 << 40)).into(),
                "Span" => format!("{}ms", self.whole(0, 1 << 40)).into(),
                "Share" => format!("{}%", self.whole(0, 100)).into(),
                "Percent" => format!("{}%", self.whole(1, 1000)).into(),
                _ => self.value(&self.definitions[name]),
            };
        }
        if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
            let choice = self.whole(0, choices.len() as u64 - 1) as usize;
            return self.value(&choices[choice]);
        }
        match schema["type"].as_str() {
            _ if schema.get("const").is_some() => schema["const"].clone(),
            Some("object") => Value::Object(self.table(schema)),
            Some("array") => self.list(schema),
            Some("integer") => {
                let most = schema["maximum"].as_u64().unwrap_or(u64::from(u32::MAX));
                self.whole(schema["minimum"].as_u64().unwrap(), most).into()
            }
            Some("number") => {
                let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
                let (least, most) = least.zip(most).unwrap_or((-1e9, 1e9));
                (least + (most - least) * (self.whole(0, 1 << 50) as f64 / (1_u64 << 50) as f64)).into()
            }
            Some("boolean") => (self.whole(0, 1) == 1).into(),
            _ => match schema["pattern"].as_str() {
                Some("^[0-9]+$") => self.rng.next_u64().to_string().into(),
                Some(_) => format!("b{}", self.whole(0, 1 << 40)).into(),
                None => self.text(schema["minLength"].as_u64().unwrap_or(0)).into(),
            },
        }
    }

    fn table(&mut self, schema: &Value) -> Map<String, Value> {
        let Some(properties) = schema["properties"].as_object() else {
            let keys = self.whole(0, 3);
            return (0..keys).map(|_| (self.text(0), self.text(0).into())).collect();
        };
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let mut table = Map::new();
        for (key, schema) in properties {
            if required.contains(&key.as_str().into()) || self.whole(0, 1) == 1 {
                table.insert(key.clone(), self.value(schema));
            }
        }
        table
    }

    fn list(&mut self, schema: &Value) -> Value {
        let fewest = schema["minItems"].as_u64().unwrap_or(0);
        let length = self.whole(fewest, schema["maxItems"].as_u64().unwrap_or(4).min(4));
        let mut elements: Vec<Value> = (0..length).map(|_| self.value(&schema["items"])).collect();
        if schema["uniqueItems"] == true {
            for index in (0..elements.len()).rev() {
                if elements[..index].contains(&elements[index]) {
                    elements.remove(index);
                }
            }
        }
        elements.into()
    }
}

/// True if a schema allows a value, as far as words, keys, types and bounds go.
fn allows(schema: &Value, definitions: &Value, value: &Value) -> bool {
    let of = |schema: &Value, value: &Value| allows(schema, definitions, value);
    if let Some(name) = schema["$ref"].as_str() {
        return of(&definitions[name.trim_start_matches("#/$defs/")], value);
    }
    if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        return choices.iter().any(|choice| of(choice, value));
    }
    let within = |number: f64, least: &str, most: &str| {
        schema[least].as_f64().is_none_or(|least| number >= least)
            && schema[most].as_f64().is_none_or(|most| number <= most)
    };
    match (schema["type"].as_str(), value) {
        _ if schema.get("const").is_some() => schema["const"] == *value,
        (Some("object"), Value::Object(keys)) => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let property =
                |key: &str| schema["properties"].get(key).unwrap_or(&schema["additionalProperties"]);
            keys.iter().all(|(key, value)| property(key).is_object() && of(property(key), value))
                && required.iter().all(|key| keys.contains_key(key.as_str().unwrap_or_default()))
        }
        (Some("array"), Value::Array(elements)) => {
            within(elements.len() as f64, "minItems", "maxItems")
                && elements.iter().all(|element| of(&schema["items"], element))
        }
        (Some("integer" | "number"), Value::Number(number)) => {
            (schema["type"] == "number" || number.is_u64())
                && within(number.as_f64().unwrap(), "minimum", "maximum")
        }
        (Some("string"), Value::String(text)) => within(text.len() as f64, "minLength", "maxLength"),
        (Some("boolean"), Value::Bool(_)) => true,
        _ => false,
    }
}

/// Reads a text and checks it, whatever its meaning; faults of structure fail the test.
fn read(text: &str) -> Experiment {
    let (document, errors) = DeTable::parse_recoverable(text);
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let document = DeValue::Table(document.into_inner());
    let mut reader = Reader::default();
    let experiment = read_experiment(&mut reader, &Node::root(&document)).unwrap();
    assert!(reader.faults.is_empty(), "{:?}\n{text}", reader.faults);
    check(&experiment, &reader, crate::checker::Reading::Asked);
    experiment
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_the_schema_allows_is_read_and_written_back(rng in Just(()).prop_perturb(|(), rng| rng)) {
        let schema = json_schema();
        let mut author = Author { definitions: &schema["$defs"], rng };
        let experiment = read(&toml::to_string(&author.value(&schema)).unwrap());
        prop_assert_eq!(&read(&to_toml(&experiment)), &experiment);
        let written = experiment.write().to_json();
        prop_assert!(allows(&schema, &schema["$defs"], &written), "{written:#}");
    }
}

#[test]
fn the_test_knows_what_the_schema_does_not_allow() {
    let schema = json_schema();
    let allowed = |definition: &str, value: Value| {
        allows(&json!({ "$ref": format!("#/$defs/{definition}") }), &schema["$defs"], &value)
    };
    assert!(allowed("Think", json!({ "time": "1ms", "after": 2 })));
    for wrong in [
        json!({}),
        json!({ "time": 1 }),
        json!({ "time": "1ms", "after": 0 }),
        json!({ "time": "1ms", "x": 1 }),
    ] {
        assert!(!allowed("Think", wrong));
    }
    assert!(allowed("Pattern", json!({ "zipf": 1.5 })) && allowed("Pattern", json!("uniform")));
    assert!(!allowed("Pattern", json!("zipf")) && !allowed("Pattern", json!({ "zipf": 1.5, "pareto": 0.2 })));
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

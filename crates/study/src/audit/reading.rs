//! A study's file, read with all its faults at once.

use std::collections::BTreeMap;

use toml::de::DeValue;
use tomlfile::{Diagnostics, Fault, Keys, Node, Reader};

use super::references::{self, Reference, Target, Values};
use super::{BedFacts, Material, Printed, Rating, Statement, quantity};

/// Keys of the file that the audit does not read.
const OTHER_KEYS: [&str; 4] = ["test", "metric", "confound", "derived"];
/// Ratings as a file writes them.
const RATINGS: [(&str, Rating); 7] = [
    ("right", Rating::Holds),
    ("holds", Rating::Holds),
    ("wrong", Rating::Wrong),
    ("inconsistent", Rating::Inconsistent),
    ("loose", Rating::Loose),
    ("not-alike", Rating::NotAlike),
    ("unsupported", Rating::Unsupported),
];

/// Reads a file.
///
/// # Errors
/// Every fault of it, in its order.
pub(super) fn read(text: &str, name: &str) -> Result<Material, Diagnostics> {
    tomlfile::read(text, name, |reader, root| {
        let mut file = File { text, ids: BTreeMap::new(), values: Values::new(), references: Vec::new() };
        let material = file.material(reader, root);
        reader.faults.extend(references::faults(text, &file.references, &file.values));
        Some(material)
    })
}

struct File<'t> {
    text: &'t str,
    /// Ids by study, with the line of each.
    ids: BTreeMap<(String, String), usize>,
    /// The numbers that claims can refer to.
    values: Values,
    references: Vec<Reference>,
}

impl File<'_> {
    fn material(&mut self, reader: &mut Reader, root: &Node<'_>) -> Material {
        let mut keys = Keys::of(reader, root, "file");
        let study = keys.optional("study", Reader::text).unwrap_or_default();
        let mut material = Material::default();
        for key in ["number", "result"] {
            for_each(&mut keys, key, |reader, node| {
                material.numbers.extend(self.number(reader, node, &study));
            });
        }
        for key in ["statement", "claim"] {
            for_each(&mut keys, key, |reader, node| {
                material.statements.extend(self.statement(reader, node, &study));
            });
        }
        for key in ["bed", "testbed"] {
            for_each(&mut keys, key, |reader, node| material.beds.extend(bed(reader, node, &study)));
        }
        keys.ignore(&OTHER_KEYS);
        keys.close();
        if material == Material::default() && reader.faults.is_empty() {
            let help = "give [[number]] tables with metric and value, and test, system, unit, conditions, kind and id where known";
            reader.faults.push(Fault {
                span: 0..0,
                message: "it holds nothing to audit".to_owned(),
                label: String::new(),
                help: Some(help.to_owned()),
            });
        }
        material
    }

    /// The id, or the line where there is none; two of one study must differ.
    fn id(&mut self, keys: &mut Keys<'_, '_>, table: &Node<'_>, study: &str) -> String {
        let start = table.span.start.min(self.text.len());
        let line = self.text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1;
        let id = keys.optional("id", |reader, node| {
            let id = reader.text(node).unwrap_or_default();
            if let Some(first) = self.ids.insert((study.to_owned(), id.clone()), line) {
                let message = format!("the id `{id}` is that of line {first} as well");
                let help = Some("give each number and statement its own id, or none".to_owned());
                reader.fault(node, message, "used here again", help);
            }
            Some(id)
        });
        id.unwrap_or_else(|| format!("line {line}"))
    }

    fn number(&mut self, reader: &mut Reader, node: &Node<'_>, study: &str) -> Option<Printed> {
        let mut keys = Keys::of(reader, node, "number");
        let study = own_study(&mut keys, study);
        let id = self.id(&mut keys, node, &study);
        let metric = required_text(&mut keys, "metric", "metric = \"p99 latency\"");
        let mut unit = optional_text(&mut keys, "unit");
        let value = keys.required("value", "value = 1.61", |reader, node| value(reader, node, &mut unit));
        let mut text = |key| optional_text(&mut keys, key);
        let (test, system, conditions) = (text("test"), text("system"), text("conditions"));
        let (kind, note) = (text("kind"), text("note"));
        let numbers = self.ratio(&mut keys, &study);
        keys.ignore(&["confidence", "source"]);
        keys.close();
        self.values.insert((study.clone(), id.clone()), value.unwrap_or(f64::NAN));
        Some(Printed {
            id,
            study,
            test,
            system,
            metric: metric?,
            value: value?,
            unit,
            conditions,
            kind,
            note,
            numbers,
        })
    }

    fn statement(&mut self, reader: &mut Reader, node: &Node<'_>, study: &str) -> Option<Statement> {
        let mut keys = Keys::of(reader, node, "statement");
        let study = own_study(&mut keys, study);
        let id = self.id(&mut keys, node, &study);
        let text = required_text(&mut keys, "text", "text = \"p99 is 4x lower\"");
        let mut unit = optional_text(&mut keys, "unit");
        let figure = if node.at("printed").is_some() { "printed" } else { "value" };
        let printed = keys.optional(figure, |reader, node| value(reader, node, &mut unit));
        keys.ignore(&["printed", "value"]);
        let formula = keys.optional("formula", |reader, node| {
            let formula = reader.text(node)?;
            let to = Target::Formula(formula.clone(), node.span.clone());
            self.references.push(Reference { study: study.clone(), to });
            Some(formula)
        });
        let rating = keys.optional("verdict", |reader, node| reader.choice(node, &RATINGS));
        let mut other = |key| optional_text(&mut keys, key);
        let (test, system, metric) = (other("test"), other("system"), other("metric"));
        let (conditions, note) = (other("conditions"), other("note"));
        let numbers = self.ratio(&mut keys, &study);
        keys.close();
        Some(Statement {
            id,
            study,
            text: text?,
            test,
            system,
            metric,
            conditions,
            numbers,
            printed,
            formula,
            unit,
            note,
            rating,
        })
    }

    /// The two ids that a claim compares; empty without the key.
    fn ratio(&mut self, keys: &mut Keys<'_, '_>, study: &str) -> Vec<String> {
        let named = keys.optional("numbers", |reader, node| {
            let id = |reader: &mut Reader, node: &Node<'_>| Some((reader.text(node)?, node.span.clone()));
            let ids = reader.list(node, "[\"N1\", \"N2\"]", id).unwrap_or_default();
            if ids.len() != 2 {
                let help = "name the number that the claim speaks of, then the one that it is compared with";
                reader.fault(node, "`numbers` must name two ids".to_owned(), "", Some(help.to_owned()));
            }
            Some(ids)
        });
        let named = named.unwrap_or_default();
        let ids = named.iter().map(|(id, _)| id.clone()).collect();
        self.references.push(Reference { study: study.to_owned(), to: Target::Ratio(named) });
        ids
    }
}

/// Reads the tables of a key: `[[key]]` each.
fn for_each(keys: &mut Keys<'_, '_>, key: &'static str, mut read: impl FnMut(&mut Reader, &Node<'_>)) {
    keys.optional(key, |reader, node| {
        let (label, help) = match node.value {
            DeValue::Array(_) => {
                return reader.list(node, &format!("[[{key}]]"), |reader, element| {
                    read(reader, element);
                    Some(())
                });
            }
            DeValue::Table(_) => {
                ("one table", format!("write [[{key}]] with two brackets: there can be many"))
            }
            _ => ("", format!("write [[{key}]] and its keys below")),
        };
        reader.fault(node, format!("`{key}` must be a list of tables"), label, Some(help));
        None
    });
}

fn optional_text(keys: &mut Keys<'_, '_>, key: &'static str) -> String {
    keys.optional(key, Reader::text).unwrap_or_default()
}

fn required_text(keys: &mut Keys<'_, '_>, key: &'static str, example: &'static str) -> Option<String> {
    keys.required(key, example, |reader, node| {
        let text = reader.text(node)?;
        if text.trim().is_empty() {
            let help = Some(format!("write for example {example}"));
            reader.fault(node, format!("`{key}` is empty"), "", help);
        }
        Some(text)
    })
}

/// The study of a number or statement: its own, else that of the file.
fn own_study(keys: &mut Keys<'_, '_>, study: &str) -> String {
    let own = optional_text(keys, "study");
    if own.is_empty() { study.to_owned() } else { own }
}

/// A number, or text with a magnitude or a unit such as `"1.84 M"` and `"73 min"`.
fn value(reader: &mut Reader, node: &Node<'_>, unit: &mut String) -> Option<f64> {
    if !matches!(node.value, DeValue::String(_)) {
        return reader.number(node);
    }
    let text = reader.text(node)?;
    let Some((value, written)) = quantity::written(&text) else {
        let help = Some("write 1.61, \"1.84 M\" or \"73 min\"".to_owned());
        reader.fault(node, format!("`value` cannot be `{text}`"), "not a number", help);
        return None;
    };
    if !written.is_empty() {
        if *unit != written && !quantity::is_known(&written) {
            let message = format!("`{written}` is not a known unit or magnitude");
            let help = format!(
                "write `value = {value}` and `unit = \"{written}\"`, or a known one: \"1.84 M\", \"73 min\""
            );
            reader.fault(node, message, "", Some(help));
        }
        *unit = if unit.is_empty() || *unit == written { written } else { format!("{written} {unit}") };
    }
    Some(value)
}

/// A bed, which may have facts of any name.
fn bed(reader: &mut Reader, node: &Node<'_>, study: &str) -> Option<(String, String, BedFacts)> {
    if !node.value.is_table() {
        reader.table(node, "bed", &[]);
    }
    let text_of = |value: &DeValue<'_>| match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(all) => {
            all.iter().filter_map(|one| one.get_ref().as_str()).collect::<Vec<_>>().join(", ")
        }
        DeValue::Table(_) => String::new(),
    };
    let table = node.value.as_table()?;
    let key = |name: &str| table.get(name).map(|value| text_of(value.get_ref()));
    let facts = table.get("facts").and_then(|facts| facts.get_ref().as_table()).unwrap_or(table);
    let facts =
        facts.iter().map(|(key, value)| (key.get_ref().to_string(), text_of(value.get_ref()))).collect();
    let study = key("study").unwrap_or_else(|| study.to_owned());
    Some((study, key("id").or_else(|| key("name")).unwrap_or_default(), facts))
}

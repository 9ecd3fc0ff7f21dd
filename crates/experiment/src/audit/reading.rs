//! A study's file, read with all its faults at once.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::{BedFacts, Material, Printed, Statement, quantity};
use crate::reader::{Fields, Node, Reader};
use crate::structure::root;
use tomlfile::nearest;
use tomlfile::syntax_fault;
use tomlfile::{Diagnostics, Fault};

const FILE_KEYS: [&str; 11] = [
    "study",
    "number",
    "result",
    "statement",
    "claim",
    "bed",
    "testbed",
    "test",
    "metric",
    "confound",
    "derived",
];
/// Keys of `[[number]]`; others are a study's own notes, as long as they are not slips of these.
const NUMBER_KEYS: [&str; 11] =
    ["id", "study", "test", "system", "metric", "value", "unit", "conditions", "kind", "note", "numbers"];
const STATEMENT_KEYS: [&str; 14] = [
    "id",
    "study",
    "text",
    "test",
    "system",
    "metric",
    "conditions",
    "numbers",
    "printed",
    "value",
    "unit",
    "formula",
    "note",
    "verdict",
];
const VERDICTS: [(&str, &str); 7] = [
    ("right", "holds"),
    ("holds", "holds"),
    ("wrong", "wrong"),
    ("inconsistent", "inconsistent"),
    ("loose", "loose"),
    ("not-alike", "not-alike"),
    ("unsupported", "unsupported"),
];

/// Reads a file.
///
/// # Errors
/// Every fault of it, in its order.
pub(super) fn read(text: &str, name: &str) -> Result<Material, Diagnostics> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(Diagnostics::new(name, text, errors.iter().map(syntax_fault).collect()));
    }
    let document = DeValue::Table(document.into_inner());
    let mut file = File { text, reader: Reader::default(), ids: BTreeMap::new() };
    let material = file.material(&root(&document));
    let faults = std::mem::take(&mut file.reader.faults);
    if faults.is_empty() { Ok(material) } else { Err(Diagnostics::new(name, text, faults)) }
}

struct File<'t> {
    text: &'t str,
    reader: Reader,
    /// Ids by study, with the line of each.
    ids: BTreeMap<(String, String), usize>,
}

impl File<'_> {
    fn material(&mut self, root: &Node<'_>) -> Material {
        let fields = self.lenient(root, "file", &FILE_KEYS);
        let study = self.text(&fields, "study");
        let mut material = Material::default();
        for key in ["number", "result"] {
            for node in self.tables(&fields, key) {
                material.numbers.extend(self.number(&node, &study));
            }
        }
        for key in ["statement", "claim"] {
            for node in self.tables(&fields, key) {
                material.statements.extend(self.statement(&node, &study));
            }
        }
        for key in ["bed", "testbed"] {
            for node in self.tables(&fields, key) {
                material.beds.push(bed(&node, &study));
            }
        }
        if material.numbers.is_empty()
            && material.statements.is_empty()
            && material.beds.is_empty()
            && self.reader.faults.is_empty()
        {
            let help = "give [[number]] tables with metric and value, and test, system, unit, conditions, kind and id where known";
            self.reader.faults.push(Fault {
                span: 0..0,
                message: "it holds nothing to audit".to_owned(),
                label: String::new(),
                help: Some(help.to_owned()),
            });
        }
        material
    }

    /// The tables of a key: `[[key]]` each.
    fn tables<'d>(&mut self, fields: &Fields<'d>, key: &str) -> Vec<Node<'d>> {
        let Some(node) = fields.get(key) else { return Vec::new() };
        match node.value {
            DeValue::Array(_) => {
                let mut all = Vec::new();
                self.reader.list(&node, &format!("[[{key}]]"), |_, element| {
                    all.push(element.clone());
                    Some(())
                });
                all
            }
            DeValue::Table(_) => {
                let help = Some(format!("write [[{key}]] with two brackets: there can be many"));
                self.reader.fault(&node, format!("`{key}` must be a list of tables"), "one table", help);
                Vec::new()
            }
            _ => {
                let help = Some(format!("write [[{key}]] and its keys below"));
                self.reader.fault(&node, format!("`{key}` must be a list of tables"), "", help);
                Vec::new()
            }
        }
    }

    /// The keys of a table that may have others of its own, as long as they are no slips of the known ones.
    fn lenient<'d>(&mut self, node: &Node<'d>, what: &'static str, known: &[&'static str]) -> Fields<'d> {
        let table = node.value.as_table();
        if table.is_none() {
            let help = Some(format!("write the keys of the {what} in a table"));
            self.reader.fault(node, format!("a {what} must be a table"), "", help);
        }
        let fields = self.reader.open_table(node, what, table);
        for (key, _) in table.into_iter().flatten() {
            let written: &str = key.get_ref().as_ref();
            if known.contains(&written) {
                continue;
            }
            if let Some(meant) = nearest(written, known.iter().copied()) {
                self.reader.faults.push(Fault {
                    span: key.span(),
                    message: format!("unknown key `{written}`"),
                    label: format!("not a key of this {what}"),
                    help: Some(format!("did you mean `{meant}`?")),
                });
                if fields.get(meant).is_none() {
                    self.reader.broken.insert(fields.path_of(meant));
                }
            }
        }
        fields
    }

    fn text(&mut self, fields: &Fields<'_>, key: &str) -> String {
        fields.get(key).and_then(|node| self.reader.text(&node)).unwrap_or_default()
    }

    fn required_text(&mut self, fields: &Fields<'_>, key: &str, example: &str) -> Option<String> {
        if fields.get(key).is_none() && self.reader.broken.contains(&fields.path_of(key)) {
            return None; // A slip of it has been told.
        }
        let node = self.reader.required(fields, key, example)?;
        let text = self.reader.text(&node)?;
        if text.trim().is_empty() {
            self.reader.fault(
                &node,
                format!("`{key}` is empty"),
                "",
                Some(format!("write for example {example}")),
            );
        }
        Some(text)
    }

    fn study(&mut self, fields: &Fields<'_>, study: &str) -> String {
        let own = self.text(fields, "study");
        if own.is_empty() { study.to_owned() } else { own }
    }

    /// The id, or the line where there is none; two of one study must differ.
    fn id(&mut self, fields: &Fields<'_>, study: &str) -> String {
        let start = fields.span().start.min(self.text.len());
        let line = self.text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1;
        let Some(node) = fields.get("id") else { return format!("line {line}") };
        let id = self.reader.text(&node).unwrap_or_default();
        if let Some(first) = self.ids.insert((study.to_owned(), id.clone()), line) {
            let help = Some("give each number and statement its own id, or none".to_owned());
            self.reader.fault(
                &node,
                format!("the id `{id}` is that of line {first} as well"),
                "used here again",
                help,
            );
        }
        id
    }

    fn ids_named(&mut self, fields: &Fields<'_>) -> Vec<String> {
        let Some(node) = fields.get("numbers") else { return Vec::new() };
        let ids = self.reader.list(&node, "[\"N1\", \"N2\"]", Reader::text).unwrap_or_default();
        if ids.len() != 2 {
            let help = Some(
                "name the number that the claim speaks of, then the one that it is compared with".to_owned(),
            );
            self.reader.fault(&node, "`numbers` must name two ids".to_owned(), "", help);
        }
        ids
    }

    fn number(&mut self, node: &Node<'_>, study: &str) -> Option<Printed> {
        let fields = self.lenient(node, "number", &NUMBER_KEYS);
        let study = self.study(&fields, study);
        let id = self.id(&fields, &study);
        let metric = self.required_text(&fields, "metric", "metric = \"p99 latency\"");
        let mut unit = self.text(&fields, "unit");
        let value = match (fields.get("value"), self.reader.broken.contains(&fields.path_of("value"))) {
            (None, true) => None,
            _ => self
                .reader
                .required(&fields, "value", "value = 1.61")
                .and_then(|node| self.value(&node, &mut unit)),
        };
        let (test, system, conditions) =
            (self.text(&fields, "test"), self.text(&fields, "system"), self.text(&fields, "conditions"));
        let (kind, note, numbers) =
            (self.text(&fields, "kind"), self.text(&fields, "note"), self.ids_named(&fields));
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

    /// A number, or text with a magnitude or a unit such as `"1.84 M"` and `"73 min"`.
    fn value(&mut self, node: &Node<'_>, unit: &mut String) -> Option<f64> {
        if !matches!(node.value, DeValue::String(_)) {
            return self.reader.number(node);
        }
        let text = self.reader.text(node)?;
        let Some((value, written)) = quantity::written(&text) else {
            let help = Some("write 1.61, \"1.84 M\" or \"73 min\"".to_owned());
            self.reader.fault(node, format!("`value` cannot be `{text}`"), "not a number", help);
            return None;
        };
        if !written.is_empty() {
            *unit = if unit.is_empty() || *unit == written { written } else { format!("{written} {unit}") };
        }
        Some(value)
    }

    fn statement(&mut self, node: &Node<'_>, study: &str) -> Option<Statement> {
        let fields = self.reader.table(node, "statement", &STATEMENT_KEYS);
        let study = self.study(&fields, study);
        let id = self.id(&fields, &study);
        let text = self.required_text(&fields, "text", "text = \"p99 is 4x lower\"");
        let mut unit = self.text(&fields, "unit");
        let figure = fields.get("printed").or_else(|| fields.get("value"));
        let printed = figure.and_then(|node| self.value(&node, &mut unit));
        let formula = fields.get("formula").and_then(|node| self.reader.text(&node));
        let verdict = fields.get("verdict").and_then(|node| self.reader.choice(&node, &VERDICTS));
        let (test, system, metric) =
            (self.text(&fields, "test"), self.text(&fields, "system"), self.text(&fields, "metric"));
        let (conditions, note, numbers) =
            (self.text(&fields, "conditions"), self.text(&fields, "note"), self.ids_named(&fields));
        let verdict = verdict.map(str::to_owned);
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
            verdict,
        })
    }
}

fn bed(node: &Node<'_>, study: &str) -> (String, String, BedFacts) {
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
    let Some(table) = node.value.as_table() else { return Default::default() };
    let key = |name: &str| table.get(name).map(|value| text_of(value.get_ref()));
    let facts = table.get("facts").and_then(|facts| facts.get_ref().as_table()).unwrap_or(table);
    let facts =
        facts.iter().map(|(key, value)| (key.get_ref().to_string(), text_of(value.get_ref()))).collect();
    (
        key("study").unwrap_or_else(|| study.to_owned()),
        key("id").or_else(|| key("name")).unwrap_or_default(),
        facts,
    )
}

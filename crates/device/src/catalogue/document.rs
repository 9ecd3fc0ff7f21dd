//! From TOML text to quantities: tables, keys, units and provenance, each with its place.

use std::ops::Range;

use toml::de::DeValue;
use tomlfile::{Fault, Fields, Lines, Node, Reader, filled, last_key};

use super::quantities::{Quantity, QuantityKind, TABLES, Unit, quantities};
use super::{Fact, map};

/// The table of the map, which has keys of its own.
const MAP: &str = "map";
/// The source of a number whose file names none.
const NO_SOURCE: &str = "not stated";

/// A drive file as read: its quantities, not yet their combined meaning.
#[derive(Debug)]
pub(super) struct Document {
    lines: Lines,
    reader: Reader,
    /// In the order of the file.
    pub(super) given: Vec<Given>,
    /// The table `[map]`.
    pub(super) map: Option<map::Given>,
    /// Quantities that a fault was probably about: that they are missing is a consequence.
    broken: Vec<&'static str>,
}

/// One quantity as the file gives it.
#[derive(Debug)]
pub(super) struct Given {
    quantity: &'static Quantity,
    value: Value,
    written: String,
    unit: &'static str,
    source: String,
    guess: bool,
    is_identified: bool,
    interval: Option<(String, String)>,
    span: Range<usize>,
}

#[derive(Debug)]
enum Value {
    /// In the unit of the quantity's kind.
    Number(f64),
    Flag(bool),
    Text,
}

impl Given {
    /// Its name, by table and key without the unit.
    pub(super) fn key(&self) -> &'static str {
        self.quantity.name
    }

    /// The value in one spelling, in the unit of its kind. A factor between units is not exact, so that nine
    /// digits count.
    pub(super) fn canonical(&self) -> String {
        match self.value {
            Value::Number(number) => format!("{number:.8e}"),
            Value::Flag(flag) => flag.to_string(),
            Value::Text => self.written.clone(),
        }
    }

    pub(super) fn fact(&self) -> Fact {
        Fact {
            key: self.quantity.name.to_owned(),
            value: self.written.clone(),
            unit: self.unit.to_owned(),
            source: self.source.clone(),
            guess: self.guess,
            is_identified: self.is_identified,
            interval: self.interval.clone(),
        }
    }
}

impl Document {
    fn find(&self, name: &str) -> Option<&Given> {
        self.given.iter().find(|given| given.quantity.name == name)
    }

    /// A number in the unit of its kind (nanoseconds, bytes, per second).
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        match self.find(name)?.value {
            Value::Number(number) => Some(number),
            Value::Flag(_) | Value::Text => None,
        }
    }

    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        match self.find(name)?.value {
            Value::Flag(flag) => Some(flag),
            Value::Number(_) | Value::Text => None,
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.find(name).map(|given| given.written.as_str())
    }

    /// A number as its file has it, with its unit.
    pub(super) fn written(&self, name: &str) -> String {
        self.find(name).map(|given| format!("{} {}", given.written, given.unit)).unwrap_or_default()
    }

    /// A fault at the quantity of that name: its own place, else that of its table's first one, else the
    /// text's beginning.
    pub(super) fn fault_at(&mut self, name: &str, problem: impl Into<String>, allowed: impl Into<String>) {
        let table = name.split_once('.').map_or(name, |(table, _)| table);
        let near = |given: &&Given| given.quantity.table() == table;
        let given = self.find(name).or_else(|| self.given.iter().find(near));
        let span = given.map_or(0..0, |given| given.span.clone());
        self.fault(span, problem, allowed);
    }

    /// A fault at the quantity of that name, unless another fault explains that it is not there.
    pub(super) fn missing(&mut self, name: &str, problem: impl Into<String>, allowed: impl Into<String>) {
        if !self.is_explained(name) {
            self.fault_at(name, problem, allowed);
        }
    }

    /// True if a fault was probably about the quantity: about its value, its key or its table.
    fn is_explained(&self, name: &str) -> bool {
        let is_broken = |quantity: &Quantity| {
            let table = quantity.table();
            let spelt = |key: &String| self.reader.broken.contains(&format!("{table}.{key}"));
            self.reader.broken.contains(table) || quantity.spellings().iter().any(spelt)
        };
        self.broken.contains(&name) || quantities().filter(|quantity| quantity.name == name).any(is_broken)
    }

    /// Every fault so far.
    pub(super) fn faults(&self) -> &[Fault] {
        &self.reader.faults
    }

    /// Every fault.
    pub(super) fn into_faults(self) -> Vec<Fault> {
        self.reader.faults
    }

    fn fault(&mut self, span: Range<usize>, problem: impl Into<String>, allowed: impl Into<String>) {
        let (message, help) = (problem.into(), Some(allowed.into()));
        self.reader.faults.push(Fault { span, message, label: String::new(), help });
    }

    /// The keys of a table. Keys of other tables and keys without their units are told as such.
    fn table<'d>(&mut self, node: &Node<'d>, what: &'static str, known: &[&str]) -> Fields<'d> {
        let Document { reader, broken, .. } = self;
        reader.table_beside(node, what, known, |key| {
            let is_it = |quantity: &&Quantity| quantity.table() == node.path && quantity.key() == key;
            if let Some(quantity) = quantities().find(is_it) {
                broken.push(quantity.name);
                return Some(format!("it does not name its unit: write {}", quantity.spellings().join(", ")));
            }
            let owner =
                quantities().find(|quantity| quantity.spellings().iter().any(|known| known == key))?;
            broken.push(owner.name);
            Some(format!("it belongs below [{}]", owner.table()))
        })
    }

    fn add(&mut self, given: Given) {
        if let Some(earlier) = self.find(given.quantity.name) {
            let first = self.lines.line_of(earlier.span.start);
            let problem = format!("`{}` is given twice, first in line {first}", given.quantity.name);
            return self.fault(given.span, problem, "give it once, in one unit");
        }
        self.given.push(given);
    }
}

/// Reads the text; [`super::assemble`] combines it.
pub(super) fn read(text: &str) -> Result<Document, Vec<Fault>> {
    let root = tomlfile::document(text)?;
    let (lines, reader) = (Lines::of(text), Reader::default());
    let mut document = Document { lines, reader, given: Vec::new(), map: None, broken: Vec::new() };
    let tables = document.table(&Node::root(&root), "drive", &[&TABLES[..], &[MAP]].concat());
    let mut entries = Vec::new();
    for (name, table) in tables.entries() {
        if name == MAP {
            document.map = map::read(&mut document.reader, &table);
        } else if TABLES.contains(&name) {
            let of_table = quantities().filter(|quantity| quantity.table() == name);
            let spelt = |quantity: &'static Quantity| {
                quantity.spelt().into_iter().map(move |(key, unit)| (key, quantity, unit))
            };
            let spelt: Vec<_> = of_table.flat_map(spelt).collect();
            let keys: Vec<&str> = spelt.iter().map(|(key, ..)| key.as_str()).collect();
            let fields = document.table(&table, "table", &keys);
            entries.extend(
                spelt.iter().filter_map(|(key, quantity, unit)| Some((fields.get(key)?, *quantity, *unit))),
            );
        }
    }
    // Tables come sorted by name; people see the order of the file.
    entries.sort_by_key(|(node, ..)| node.span.start);
    for (node, quantity, unit) in entries {
        match given(&mut document.reader, &node, quantity, unit) {
            Some(given) => document.add(given),
            None => document.broken.push(quantity.name),
        }
    }
    Ok(document)
}

/// A number with where it comes from.
struct Sourced {
    value: (Value, String),
    source: Option<String>,
    guess: bool,
    is_identified: bool,
    low: Option<(Value, String)>,
    high: Option<(Value, String)>,
}

/// Reads a quantity: its value, or a table of value and provenance.
fn given(
    reader: &mut Reader,
    node: &Node<'_>,
    quantity: &'static Quantity,
    unit: Option<Unit>,
) -> Option<Given> {
    let read = |reader: &mut Reader, node: &Node<'_>| amount(reader, node, quantity.kind, unit);
    let (span, shown) = (node.span.clone(), unit.map_or("", |(_, shown, _)| shown));
    if !node.value.is_table() {
        let (value, written) = read(reader, node)?;
        let (source, guess) = (NO_SOURCE.to_owned(), !quantity.kind.is_words());
        let (is_identified, interval) = (true, None);
        return Some(Given {
            quantity,
            value,
            written,
            unit: shown,
            source,
            guess,
            is_identified,
            interval,
            span,
        });
    }
    let said = tomlfile::keys!(reader, node, "number", Sourced {
        value: required("98_000", read),
        source: optional(Reader::text),
        guess: or_default(Reader::boolean),
        is_identified as identified: or(true, Reader::boolean),
        low: optional(read),
        high: optional(read),
    })?;
    let interval = interval(reader, node, quantity.name, &said)?;
    let ((value, written), is_identified) = (said.value, said.is_identified);
    let guess = said.guess || said.source.is_none();
    let source = said.source.unwrap_or_else(|| NO_SOURCE.to_owned());
    Some(Given { quantity, value, written, unit: shown, source, guess, is_identified, interval, span })
}

/// The interval of a number: both ends or none, and the number between them. `None` after a fault.
fn interval(
    reader: &mut Reader,
    node: &Node<'_>,
    name: &str,
    said: &Sourced,
) -> Option<Option<(String, String)>> {
    let one = match (node.at("low"), node.at("high")) {
        (None, None) => return Some(None),
        (Some(_), Some(_)) => None,
        (one, other) => one.or(other),
    };
    if let Some(one) = one {
        let help = Some("give both `low` and `high`".to_owned());
        reader.fault(&one, "an interval has two ends".to_owned(), "", help);
        return None;
    }
    let ((low, low_written), (high, high_written)) = (said.low.as_ref()?, said.high.as_ref()?);
    if let (Value::Number(low), Value::Number(number), Value::Number(high)) = (low, &said.value.0, high)
        && (low..=high).contains(&number)
    {
        return Some(Some((low_written.clone(), high_written.clone())));
    }
    let help = Some("give numbers, low <= value <= high".to_owned());
    reader.fault(node, format!("`{name}` lies outside of its interval"), "", help);
    None
}

/// A value of the right kind, in the kind's unit, and as written. Only rates and bandwidths may be infinite:
/// that is "no limit".
fn amount(
    reader: &mut Reader,
    node: &Node<'_>,
    kind: QuantityKind,
    unit: Option<Unit>,
) -> Option<(Value, String)> {
    let number = match kind {
        QuantityKind::Lines if node.value.is_array() => {
            return lines(reader, node).map(|text| (Value::Text, text));
        }
        QuantityKind::Text | QuantityKind::Lines => {
            return filled("\"a text\"")(reader, node).map(|text| (Value::Text, text.trim().to_owned()));
        }
        QuantityKind::Flag => {
            return reader.boolean(node).map(|flag| (Value::Flag(flag), flag.to_string()));
        }
        QuantityKind::Count => f64::from(reader.whole(node, 0, u32::MAX)?),
        QuantityKind::Rate | QuantityKind::Bandwidth if is_limitless(node.value) => f64::INFINITY,
        _ => reader.number(node)?,
    };
    let written = match node.value {
        DeValue::Float(float) => float.as_str().to_owned(),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix()).ok()?.to_string(),
        _ => return None,
    };
    if number < 0.0 {
        let help = Some("write a number of 0 or more".to_owned());
        reader.fault(node, format!("{} cannot be {written}", last_key(&node.path)), "out of range", help);
        return None;
    }
    let factor = unit.map_or(1.0, |(_, _, factor)| factor);
    Some((Value::Number(number * factor), written))
}

/// A list of lines as one text.
fn lines(reader: &mut Reader, node: &Node<'_>) -> Option<String> {
    let lines = reader.list(node, "[\"a line\"]", filled("\"a line\""))?;
    if lines.is_empty() {
        let help = Some("write a line for example, or leave it out".to_owned());
        reader.fault(node, format!("{} has no line", last_key(&node.path)), "", help);
        return None;
    }
    Some(lines.join("\n"))
}

fn is_limitless(value: &DeValue<'_>) -> bool {
    matches!(value, DeValue::Float(float) if float.as_str().parse() == Ok(f64::INFINITY))
}

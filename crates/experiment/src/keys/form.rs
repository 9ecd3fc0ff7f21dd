//! The form of a type in the file: how its values are read, written and described to editors.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toml::de::DeValue;

use crate::keys::reader::{Node, Reader, last_key};
use crate::keys::schema::{Definitions, number};
use crate::keys::written::Written;
use crate::units::{Percent, Share, Size, Span};

/// A type that the file has values of.
pub(crate) trait Form: Sized {
    /// Reads a value and reports every fault in it.
    fn read(reader: &mut Reader, node: &Node<'_>, limits: &Limits) -> Option<Self>;

    /// The value as the file has it.
    fn write(&self) -> Written;

    /// The JSON Schema of the values within the limits.
    fn schema(definitions: &mut Definitions, limits: &Limits) -> Value;

    /// Stands in for a value that could not be read; its path is broken, so nothing is checked against it.
    fn stand_in() -> Self;
}

/// The limits of a key's values: of numbers, of the elements of lists, of text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// A value that would be right, as the file has it.
    pub(crate) example: &'static str,
    /// The least and the greatest number, both included.
    pub(crate) numbers: (f64, f64),
    /// The fewest and the most elements of a list or characters of a text.
    pub(crate) lengths: (usize, usize),
    /// True if no element of a list may occur twice.
    pub(crate) is_distinct: bool,
    /// The header of each table of a list of tables: `[[bed]]`.
    pub(crate) header: Option<&'static str>,
    /// The regular expression of a text, for editors alone.
    pub(crate) pattern: Option<&'static str>,
}

/// Limits that nothing is beyond.
pub(crate) const UNLIMITED: Limits = Limits {
    example: "",
    numbers: (f64::NEG_INFINITY, f64::INFINITY),
    lengths: (0, usize::MAX),
    is_distinct: false,
    header: None,
    pattern: None,
};

impl Limits {
    /// The bounds of a whole number of 32 bits.
    fn whole(&self) -> (u32, u32) {
        (self.numbers.0 as u32, self.numbers.1 as u32)
    }

    /// Adds the bounds of lengths to a schema, by the names that its type has for them.
    fn add_lengths(&self, schema: &mut Value, [fewest, most]: [&str; 2]) {
        if self.lengths.0 > 0 {
            schema[fewest] = self.lengths.0.into();
        }
        if self.lengths.1 < usize::MAX {
            schema[most] = self.lengths.1.into();
        }
    }
}

impl Form for String {
    fn read(reader: &mut Reader, node: &Node<'_>, _: &Limits) -> Option<String> {
        reader.text(node)
    }

    fn write(&self) -> Written {
        self.as_str().into()
    }

    fn schema(_: &mut Definitions, limits: &Limits) -> Value {
        let mut schema = json!({ "type": "string" });
        limits.add_lengths(&mut schema, ["minLength", "maxLength"]);
        if let Some(pattern) = limits.pattern {
            schema["pattern"] = pattern.into();
        }
        schema
    }

    fn stand_in() -> String {
        String::new()
    }
}

impl Form for bool {
    fn read(reader: &mut Reader, node: &Node<'_>, _: &Limits) -> Option<bool> {
        reader.boolean(node)
    }

    fn write(&self) -> Written {
        (*self).into()
    }

    fn schema(_: &mut Definitions, _: &Limits) -> Value {
        json!({ "type": "boolean" })
    }

    fn stand_in() -> bool {
        false
    }
}

impl Form for u32 {
    fn read(reader: &mut Reader, node: &Node<'_>, limits: &Limits) -> Option<u32> {
        let (least, most) = limits.whole();
        reader.whole(node, least, most)
    }

    fn write(&self) -> Written {
        (*self).into()
    }

    fn schema(_: &mut Definitions, limits: &Limits) -> Value {
        let (least, most) = limits.whole();
        let mut schema = json!({ "type": "integer", "format": "uint32", "minimum": least });
        if most < u32::MAX {
            schema["maximum"] = most.into();
        }
        schema
    }

    fn stand_in() -> u32 {
        1
    }
}

/// The first and the last of several, from 1.
impl Form for [u32; 2] {
    fn read(reader: &mut Reader, node: &Node<'_>, limits: &Limits) -> Option<[u32; 2]> {
        let ends = <[u32; 2]>::try_from(Vec::read(reader, node, limits)?).ok();
        if ends.is_none() {
            let message = "several files are named by the first and the last".to_owned();
            reader.fault(node, message, "", Some(format!("write for example {}", limits.example)));
        }
        ends
    }

    fn write(&self) -> Written {
        self.as_slice().into()
    }

    fn schema(definitions: &mut Definitions, limits: &Limits) -> Value {
        Vec::<u32>::schema(definitions, &Limits { lengths: (2, 2), ..*limits })
    }

    fn stand_in() -> [u32; 2] {
        [1, 1]
    }
}

/// Seeds have 64 bits, TOML integers 63: a larger seed is written as text.
impl Form for u64 {
    fn read(reader: &mut Reader, node: &Node<'_>, _: &Limits) -> Option<u64> {
        let Some(text) = node.value.as_str() else { return reader.whole(node, 0_u64, u64::MAX) };
        let seed = text.parse().ok();
        if seed.is_none() {
            let help = "write a number, in quotation marks only when it is above 9223372036854775807";
            reader.fault(node, format!("`{text}` is not a seed"), "", Some(help.to_owned()));
        }
        seed
    }

    fn write(&self) -> Written {
        i64::try_from(*self).map_or_else(|_| self.to_string().into(), Written::from)
    }

    fn schema(_: &mut Definitions, _: &Limits) -> Value {
        json!({ "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string", "pattern": "^[0-9]+$" }] })
    }

    fn stand_in() -> u64 {
        0
    }
}

impl Form for f64 {
    fn read(reader: &mut Reader, node: &Node<'_>, limits: &Limits) -> Option<f64> {
        let number = reader.number(node)?;
        let (least, most) = limits.numbers;
        if !(least..=most).contains(&number) {
            let message = format!("{} cannot be {number}", last_key(&node.path));
            let help = format!("write a number between {least} and {most}");
            reader.complain(node, message, "out of range", Some(help));
        }
        Some(number)
    }

    fn write(&self) -> Written {
        (*self).into()
    }

    fn schema(_: &mut Definitions, limits: &Limits) -> Value {
        let mut schema = json!({ "type": "number", "format": "double" });
        if limits.numbers != UNLIMITED.numbers {
            schema["minimum"] = number(limits.numbers.0);
            schema["maximum"] = number(limits.numbers.1);
        }
        schema
    }

    fn stand_in() -> f64 {
        0.0
    }
}

impl<T: Form> Form for Option<T> {
    fn read(reader: &mut Reader, node: &Node<'_>, limits: &Limits) -> Option<Option<T>> {
        T::read(reader, node, limits).map(Some)
    }

    fn write(&self) -> Written {
        self.as_ref().map_or(Value::Null.into(), Form::write)
    }

    fn schema(definitions: &mut Definitions, limits: &Limits) -> Value {
        T::schema(definitions, limits)
    }

    fn stand_in() -> Option<T> {
        None
    }
}

impl<T: Form> Form for Vec<T> {
    fn read(reader: &mut Reader, node: &Node<'_>, limits: &Limits) -> Option<Vec<T>> {
        if let Some(header) = limits.header
            && !reader.has_double_brackets(node, header)
        {
            return None;
        }
        let mut nodes = Vec::new();
        let elements = reader.list(node, limits.header.unwrap_or(limits.example), |reader, element| {
            nodes.push(element.clone());
            Some(T::read(reader, element, limits))
        })?;
        reader.length(node, elements.len(), limits);
        if limits.header.is_some() {
            // The other tables are read and checked all the same.
            return Some(elements.into_iter().map(|table| table.unwrap_or_else(T::stand_in)).collect());
        }
        if limits.is_distinct {
            let written: Vec<Option<Written>> =
                elements.iter().map(|element| element.as_ref().map(Form::write)).collect();
            reader.distinct(&nodes, &written, last_key(&node.path));
        }
        elements.into_iter().collect()
    }

    fn write(&self) -> Written {
        Written::List(self.iter().map(Form::write).collect())
    }

    fn schema(definitions: &mut Definitions, limits: &Limits) -> Value {
        let elements = Limits { lengths: UNLIMITED.lengths, ..*limits };
        let mut schema = json!({ "type": "array", "items": T::schema(definitions, &elements) });
        limits.add_lengths(&mut schema, ["minItems", "maxItems"]);
        if limits.is_distinct {
            schema["uniqueItems"] = true.into();
        }
        schema
    }

    fn stand_in() -> Vec<T> {
        Vec::new()
    }
}

impl Reader {
    /// True for a list of tables; a single table is a fault.
    fn has_double_brackets(&mut self, node: &Node<'_>, header: &str) -> bool {
        if node.value.is_table() {
            let single = header.trim_start_matches('[').trim_end_matches(']');
            let message = format!("{} must be a list of tables", last_key(&node.path));
            let help = format!("write {header} with two brackets: there may be several");
            self.fault(node, message, format!("[{single}] is one table"), Some(help));
        }
        !node.value.is_table()
    }

    /// Reports a list of too few or too many elements.
    fn length(&mut self, node: &Node<'_>, elements: usize, limits: &Limits) {
        let key = last_key(&node.path);
        let name = key.trim_matches('`');
        if elements > limits.lengths.1 {
            let help = format!("write {} at most", limits.lengths.1);
            self.complain(node, format!("{key} has {elements} elements"), "too many", Some(help));
        } else if elements < limits.lengths.0 {
            let (message, help) = match limits.header {
                Some(header) => (format!("{key} is empty"), format!("write one {header} at least")),
                None if limits.is_distinct => (
                    format!("{key} has no level"),
                    format!("write for example `{name} = {}`", limits.example),
                ),
                None => (format!("{key} is empty"), format!("write for example {}", limits.example)),
            };
            self.complain(node, message, if limits.header.is_some() { "" } else { "empty" }, Some(help));
        }
    }

    /// Reports levels that are named twice.
    fn distinct(&mut self, nodes: &[Node<'_>], levels: &[Option<Written>], key: String) {
        for (index, (node, read)) in nodes.iter().zip(levels).enumerate() {
            if let Some(level) = read.as_ref().filter(|_| levels[..index].contains(read)) {
                let shown = match level.to_json() {
                    Value::String(text) => text,
                    number => number.as_f64().unwrap_or_default().to_string(),
                };
                let help = "name every level once; `design.repeats` says how often each is run";
                let message = format!("{key} names {shown} twice");
                self.complain(node, message, "named here again", Some(help.to_owned()));
            }
        }
    }
}

/// A table of any keys, each with a text.
impl Form for BTreeMap<String, String> {
    fn read(reader: &mut Reader, node: &Node<'_>, _: &Limits) -> Option<BTreeMap<String, String>> {
        if !node.value.is_table() {
            reader.table(node, "set-up", &[]);
        }
        let fields = reader.open_table(node, "set-up", node.value.as_table());
        let entries: Vec<(&str, Node<'_>)> = fields.entries().collect();
        let written = |(key, value): &(&str, Node<'_>)| Some(((*key).to_owned(), reader.text(value)?));
        Some(entries.iter().filter_map(written).collect())
    }

    fn write(&self) -> Written {
        Written::Table(self.iter().map(|(key, text)| (key.clone(), text.write())).collect())
    }

    fn schema(_: &mut Definitions, _: &Limits) -> Value {
        json!({ "type": "object", "additionalProperties": { "type": "string" } })
    }

    fn stand_in() -> BTreeMap<String, String> {
        BTreeMap::new()
    }
}

/// Gives a type that is written as text with a unit its form.
macro_rules! text_with_unit {
    ($(#[doc = $about:literal] $type:ident: $read:expr, $none:expr, $pattern:literal, $examples:expr;)+) => {$(
        impl Form for $type {
            fn read(reader: &mut Reader, node: &Node<'_>, _: &Limits) -> Option<$type> {
                $read(reader, node)
            }

            fn write(&self) -> Written {
                self.to_string().into()
            }

            fn schema(definitions: &mut Definitions, _: &Limits) -> Value {
                definitions.refer(stringify!($type), |_| {
                    json!({
                        "type": "string",
                        "pattern": $pattern,
                        "description": $about.trim_start(),
                        "examples": $examples,
                    })
                })
            }

            fn stand_in() -> $type {
                $none
            }
        }
    )+};
}

text_with_unit! {
    /// A number of bytes with its unit. KiB is 1024 bytes, kB is 1000.
    Size: Reader::size, Size(0), r"^[0-9]+(\.[0-9]+)? *(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB)$", ["32MiB", "960GB"];
    /// A length of time with its unit.
    Span: Reader::span, Span::default(), r"^[0-9]+(\.[0-9]+)? *(ns|us|ms|s|min|h|d)$", ["5s", "250ms", "2min"];
    /// A percentage between 0% and 100%.
    Share: Reader::share, Share(0.0), r"^[0-9]+(\.[0-9]+)? *%$", ["70%", "3%"];
    /// A percentage above 0% and up to 1000%.
    Percent: Reader::percent, Percent(1.0), r"^[0-9]+(\.[0-9]+)? *%$", ["10%", "120%"];
}

impl Reader {
    fn size(&mut self, node: &Node<'_>) -> Option<Size> {
        self.measured(node, "a size with its unit", ["MiB", "MB"])
    }

    fn span(&mut self, node: &Node<'_>) -> Option<Span> {
        self.measured(node, "a time with its unit", ["s", "min"])
    }

    fn percent(&mut self, node: &Node<'_>) -> Option<Percent> {
        self.measured(node, "a percentage", ["%", ""])
    }

    fn share(&mut self, node: &Node<'_>) -> Option<Share> {
        if let DeValue::Float(number) = node.value
            && let Ok(part) = number.as_str().parse::<f64>()
            && part > 0.0
            && part < 1.0
        {
            let message = format!("{} must be a percentage", last_key(&node.path));
            let help = Some(format!("write \"{}\"", Share(part)));
            self.fault(node, message, "a bare number has no unit", help);
            return None;
        }
        self.measured(node, "a percentage", ["%", ""])
    }
}

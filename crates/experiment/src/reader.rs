//! Reading values out of a TOML document with their places, collecting every fault instead of stopping at the
//! first.
//!
//! A value that cannot be read is replaced by a stand-in and its path is remembered as *broken*, so that
//! later checks neither stop the reading nor complain about a consequence.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;

use toml::de::{DeTable, DeValue};

use crate::units::UnitError;
use crate::words::short;
use tomlfile::Fault;
use tomlfile::{listed, nearest};

/// A value of the document: where it is in the tree and in the text.
#[derive(Clone, Debug)]
pub(crate) struct Node<'d> {
    /// The dotted path from the root, array elements by index: `bed.0.name`.
    pub(crate) path: String,
    pub(crate) span: Range<usize>,
    pub(crate) value: &'d DeValue<'d>,
}

/// The keys of one table.
#[derive(Debug)]
pub(crate) struct Fields<'d> {
    path: String,
    span: Range<usize>,
    /// What the table describes, for messages: "bed".
    what: &'static str,
    /// `None` when the value was no table, which has been reported.
    table: Option<&'d DeTable<'d>>,
    /// Known keys that a misspelt key was taken for: they are not reported as missing.
    misspelt: BTreeSet<&'static str>,
}

/// What was read so far: faults, places of all values, and paths that could not be read.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    pub(crate) faults: Vec<Fault>,
    pub(crate) spans: BTreeMap<String, Range<usize>>,
    pub(crate) broken: BTreeSet<String>,
}

impl<'d> Fields<'d> {
    /// The value of a key, if the table has it.
    pub(crate) fn get(&self, key: &str) -> Option<Node<'d>> {
        let value = self.table?.get(key)?;
        Some(Node { path: join(&self.path, key), span: value.span(), value: value.get_ref() })
    }

    /// The path of a key of this table.
    pub(crate) fn path_of(&self, key: &str) -> String {
        join(&self.path, key)
    }

    /// Where the table is: its header or its braces.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Every key with its value, sorted by key.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'d str, Node<'d>)> {
        let path = self.path.clone();
        self.table.into_iter().flatten().map(move |(key, value)| {
            let node = Node { path: join(&path, key.get_ref()), span: value.span(), value: value.get_ref() };
            (key.get_ref().as_ref(), node)
        })
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// How a value is called in "found ...".
fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

impl Reader {
    /// Reports a fault at a place and marks the path as broken.
    pub(crate) fn fault(
        &mut self,
        node: &Node<'_>,
        message: String,
        label: impl Into<String>,
        help: Option<String>,
    ) {
        self.broken.insert(node.path.clone());
        self.faults.push(Fault { span: node.span.clone(), message, label: label.into(), help });
    }

    fn wrong_type(&mut self, node: &Node<'_>, expected: &str, help: Option<String>) {
        let key = last_key(&node.path);
        let found = kind_of(node.value);
        self.fault(node, format!("{key} must be {expected}"), format!("found {found}"), help);
    }

    /// The keys of a table value; keys that are not `known` are reported.
    pub(crate) fn table<'d>(
        &mut self,
        node: &Node<'d>,
        what: &'static str,
        known: &[&'static str],
    ) -> Fields<'d> {
        self.spans.insert(node.path.clone(), node.span.clone());
        let table = node.value.as_table();
        if table.is_none() {
            let help = format!(
                "write the keys of the {what} in a table: [header] and a key per line, or {{ key = value }}"
            );
            self.wrong_type(node, "a table", Some(help));
        }
        let mut fields = self.open_table(node, what, table);
        for (key, _) in table.into_iter().flatten() {
            if !known.contains(&key.get_ref().as_ref()) {
                self.unknown_key(&mut fields, key.get_ref(), key.span(), known);
            }
        }
        fields
    }

    /// The keys of a table that may have any keys.
    pub(crate) fn open_table<'d>(
        &mut self,
        node: &Node<'d>,
        what: &'static str,
        table: Option<&'d DeTable<'d>>,
    ) -> Fields<'d> {
        Fields { path: node.path.clone(), span: node.span.clone(), what, table, misspelt: BTreeSet::new() }
    }

    fn unknown_key(
        &mut self,
        fields: &mut Fields<'_>,
        key: &str,
        span: Range<usize>,
        known: &[&'static str],
    ) {
        let absent = |name: &&&str| fields.table.is_some_and(|table| !table.contains_key(**name));
        let meant = nearest(key, known.iter().filter(absent).copied());
        let help = match meant.and_then(|meant| known.iter().find(|name| **name == meant)) {
            Some(meant) => {
                fields.misspelt.insert(meant);
                self.broken.insert(fields.path_of(meant));
                format!("did you mean `{meant}`?")
            }
            None if ["password", "passwd"].contains(&key) => {
                "no password is written here: put it into the environment variable PGPASSWORD or MYSQL_PWD"
                    .to_owned()
            }
            None => format!("known keys are {}", listed(known.iter().copied())),
        };
        self.faults.push(Fault {
            span,
            message: format!("unknown key `{}`", short(key)),
            label: format!("not a key of this {}", fields.what),
            help: Some(help),
        });
    }

    /// The value of a key that must be there; `example` is a line that would be right.
    pub(crate) fn required<'d>(&mut self, fields: &Fields<'d>, key: &str, example: &str) -> Option<Node<'d>> {
        let node = fields.get(key);
        if node.is_none() {
            self.broken.insert(fields.path_of(key));
            if fields.table.is_some() && !fields.misspelt.contains(key) {
                self.faults.push(Fault {
                    span: fields.span(),
                    message: format!("`{key}` is missing from this {}", fields.what),
                    label: String::new(),
                    help: Some(format!("add `{example}`")),
                });
            }
        }
        node
    }

    /// Text.
    pub(crate) fn text(&mut self, node: &Node<'_>) -> Option<String> {
        self.spans.insert(node.path.clone(), node.span.clone());
        let text = node.value.as_str().map(str::to_owned);
        if text.is_none() {
            self.wrong_type(node, "text", Some("put it between quotation marks".to_owned()));
        }
        text.filter(|text| self.is_plain(node, text))
    }

    /// Whether a text is one line that any terminal shows as it is; a description may have several.
    fn is_plain(&mut self, node: &Node<'_>, text: &str) -> bool {
        let has_lines = last_key(&node.path) == "`description`";
        let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let is_wrong =
            |c: char| turns(c) || (c.is_control() && !(has_lines && matches!(c, '\n' | '\t' | '\r')));
        let Some(wrong) = text.chars().find(|c| is_wrong(*c)) else { return true };
        let message =
            format!("{} holds the control character {}", last_key(&node.path), wrong.escape_unicode());
        let help = match has_lines {
            true => "leave it out".to_owned(),
            false => "leave it out: text is written in one line, without control characters".to_owned(),
        };
        self.fault(node, message, "", Some(help));
        false
    }

    /// Text with a unit. `examples` turn a bare number into what may have been meant.
    pub(crate) fn measured<T: FromStr<Err = UnitError>>(
        &mut self,
        node: &Node<'_>,
        expected: &str,
        examples: [&str; 2],
    ) -> Option<T> {
        self.spans.insert(node.path.clone(), node.span.clone());
        let bare = match node.value {
            DeValue::String(text) => match text.parse::<T>() {
                Ok(value) => return Some(value),
                Err(UnitError { message, help }) => {
                    self.fault(node, message, String::new(), Some(help));
                    return None;
                }
            },
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            _ => {
                self.wrong_type(node, expected, Some(format!("write for example \"1{}\"", examples[0])));
                return None;
            }
        };
        let written: Vec<String> =
            examples.iter().filter(|unit| !unit.is_empty()).map(|unit| format!("\"{bare}{unit}\"")).collect();
        let key = last_key(&node.path);
        let help = format!("write the unit with the number, for example {}", written.join(" or "));
        self.fault(node, format!("{key} must be {expected}"), "a bare number has no unit", Some(help));
        None
    }

    /// A whole number between bounds, both included.
    pub(crate) fn whole<T: TryFrom<u64> + Copy + Display + Into<u64>>(
        &mut self,
        node: &Node<'_>,
        least: T,
        most: T,
    ) -> Option<T> {
        self.spans.insert(node.path.clone(), node.span.clone());
        let DeValue::Integer(number) = node.value else {
            self.wrong_type(
                node,
                "a whole number",
                Some(format!("write a whole number between {least} and {most}")),
            );
            return None;
        };
        let value = u64::from_str_radix(number.as_str(), number.radix()).ok();
        let within = value.filter(|value| (least.into()..=most.into()).contains(value));
        match within.and_then(|value| T::try_from(value).ok()) {
            Some(value) => Some(value),
            None => {
                let help = format!("write a whole number between {least} and {most}");
                self.fault(
                    node,
                    format!("{} cannot be {number}", last_key(&node.path)),
                    "out of range",
                    Some(help),
                );
                None
            }
        }
    }

    /// A finite number, with or without a fraction.
    pub(crate) fn number(&mut self, node: &Node<'_>) -> Option<f64> {
        self.spans.insert(node.path.clone(), node.span.clone());
        let parsed = match node.value {
            DeValue::Integer(number) => {
                i64::from_str_radix(number.as_str(), number.radix()).ok().map(|value| value as f64)
            }
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        let finite = parsed.filter(|value: &f64| value.is_finite());
        if finite.is_none() {
            self.wrong_type(node, "a finite number", Some("write for example 1.5".to_owned()));
        }
        finite
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&mut self, node: &Node<'_>) -> Option<bool> {
        self.spans.insert(node.path.clone(), node.span.clone());
        let value = node.value.as_bool();
        if value.is_none() {
            self.wrong_type(
                node,
                "true or false",
                Some("write true or false without quotation marks".to_owned()),
            );
        }
        value
    }

    /// One word of a fixed set.
    pub(crate) fn choice<T: Copy>(&mut self, node: &Node<'_>, words: &[(&'static str, T)]) -> Option<T> {
        let written = self.text(node)?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == written) {
            return Some(*value);
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let help = match nearest(&written, known.iter().copied()) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => format!("known values are {}", listed(known)),
        };
        let key = last_key(&node.path);
        self.fault(node, format!("{key} cannot be `{}`", short(&written)), "not a known value", Some(help));
        None
    }

    /// The elements of a list, each read by `read`; `None` when the value is no list or any element is at
    /// fault.
    pub(crate) fn list<'d, T>(
        &mut self,
        node: &Node<'d>,
        example: &str,
        mut read: impl FnMut(&mut Reader, &Node<'d>) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.spans.insert(node.path.clone(), node.span.clone());
        let Some(array) = node.value.as_array() else {
            self.wrong_type(node, "a list", Some(format!("write for example {example}")));
            return None;
        };
        let elements: Vec<Option<T>> = array
            .iter()
            .enumerate()
            .map(|(index, value)| {
                let path = format!("{}.{index}", node.path);
                read(self, &Node { path, span: value.span(), value: value.get_ref() })
            })
            .collect();
        elements.into_iter().collect()
    }
}

/// The last key of a path, for messages: `` `memory` `` of `database.memory`, `` an element of `depth` `` of
/// `workload.0.depth.2`.
fn last_key(path: &str) -> String {
    let mut keys = path.rsplit('.');
    let last = keys.next().unwrap_or_default();
    if last.bytes().all(|b| b.is_ascii_digit()) {
        format!("an element of `{}`", keys.next().unwrap_or_default())
    } else {
        format!("`{last}`")
    }
}

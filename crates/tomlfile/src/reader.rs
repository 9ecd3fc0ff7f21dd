//! Reading values out of a TOML document with their places, collecting every fault instead of stopping at the
//! first.
//!
//! A value that cannot be read is replaced by a default and its path is remembered as *broken*, so that later
//! checks neither stop the reading nor complain about a consequence.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Diagnostics, Fault};
use crate::suggest::{listed, nearest, short};
use crate::syntax::syntax_fault;

/// A value of the document: where it is in the tree and in the text.
#[derive(Clone, Debug)]
pub struct Node<'d> {
    /// The dotted path from the root, array elements by index: `bed.0.name`.
    pub path: String,
    /// The bytes of the value.
    pub span: Range<usize>,
    /// The value.
    pub value: &'d DeValue<'d>,
}

/// The keys of one table.
#[derive(Debug)]
pub struct Fields<'d> {
    path: String,
    span: Range<usize>,
    /// The table's subject, for messages: "bed".
    what: &'static str,
    /// `None` when the value was no table, which has been reported.
    table: Option<&'d DeTable<'d>>,
    /// Known keys that a misspelt key was taken for: they are not reported as missing.
    misspelt: BTreeSet<String>,
}

/// The state of the reading: faults, places of all values, and unreadable paths.
#[derive(Debug, Default)]
pub struct Reader {
    /// Every fault, in the order in which it was found.
    pub faults: Vec<Fault>,
    /// The place of every value that was read, by its path.
    pub spans: BTreeMap<String, Range<usize>>,
    /// Paths that could not be read.
    pub broken: BTreeSet<String>,
}

/// The document of a TOML text.
///
/// # Errors
/// Every fault of the TOML text itself.
pub fn document(text: &str) -> Result<DeValue<'_>, Vec<Fault>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(errors.iter().map(syntax_fault).collect());
    }
    Ok(DeValue::Table(document.into_inner()))
}

/// Reads a file: what `read` makes of its root. `file` is its name, for messages.
///
/// # Errors
/// Every fault that was found: of the TOML text itself, else those that `read` reported.
pub fn read<T>(
    text: &str,
    file: &str,
    read: impl FnOnce(&mut Reader, &Node<'_>) -> Option<T>,
) -> Result<T, Diagnostics> {
    let faults = |faults| Diagnostics::new(file, text, faults);
    let document = document(text).map_err(faults)?;
    let mut reader = Reader::default();
    match read(&mut reader, &Node::root(&document)) {
        Some(found) if reader.faults.is_empty() => Ok(found),
        _ => Err(faults(reader.faults)),
    }
}

impl<'d> Node<'d> {
    /// The value of a key, when this is a table that has it.
    pub fn at(&self, key: &str) -> Option<Node<'d>> {
        let value = self.value.as_table()?.get(key)?;
        Some(Node { path: join(&self.path, key), span: value.span(), value: value.get_ref() })
    }

    /// The elements, when this is a list.
    pub fn elements(&self) -> Vec<Node<'d>> {
        let element = |(index, value): (usize, &'d toml::Spanned<DeValue<'d>>)| Node {
            path: format!("{}.{index}", self.path),
            span: value.span(),
            value: value.get_ref(),
        };
        self.value.as_array().into_iter().flat_map(|array| array.iter()).enumerate().map(element).collect()
    }

    /// The document's root, placed at the first character of the text.
    pub fn root(document: &'d DeValue<'d>) -> Node<'d> {
        Node { path: String::new(), span: 0..0, value: document }
    }
}

impl<'d> Fields<'d> {
    /// The value of a key, if the table has it.
    pub fn get(&self, key: &str) -> Option<Node<'d>> {
        let value = self.table?.get(key)?;
        Some(Node { path: join(&self.path, key), span: value.span(), value: value.get_ref() })
    }

    /// The path of a key of this table.
    pub fn path_of(&self, key: &str) -> String {
        join(&self.path, key)
    }

    /// The place of the table: its header or its braces.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Every key with its value, sorted by key.
    pub fn entries(&self) -> impl Iterator<Item = (&'d str, Node<'d>)> {
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

/// The name of a value's kind, after "found".
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
    /// True if a value at, above or below `path` could not be read.
    pub fn is_broken(&self, path: &str) -> bool {
        let above = path.match_indices('.').map(|(end, _)| &path[..end]);
        let is_at_or_above = above.chain(["", path]).any(|above| self.broken.contains(above));
        let below = if path.is_empty() { String::new() } else { format!("{path}.") };
        let first_below = self.broken.range(below.clone()..).next();
        is_at_or_above || first_below.is_some_and(|first| first.starts_with(&below))
    }

    /// Reports a fault at a place and marks the path as broken.
    pub fn fault(
        &mut self,
        node: &Node<'_>,
        message: String,
        label: impl Into<String>,
        help: Option<String>,
    ) {
        self.broken.insert(node.path.clone());
        self.complain(node, message, label, help);
    }

    /// Reports a fault of a value that could be read.
    pub fn complain(
        &mut self,
        node: &Node<'_>,
        message: String,
        label: impl Into<String>,
        help: Option<String>,
    ) {
        self.faults.push(Fault { span: node.span.clone(), message, label: label.into(), help });
    }

    /// Reports a value of another type than the one that is `expected`.
    pub fn wrong_type(&mut self, node: &Node<'_>, expected: &str, help: Option<String>) {
        let key = last_key(&node.path);
        let found = kind_of(node.value);
        self.fault(node, format!("{key} must be {expected}"), format!("found {found}"), help);
    }

    /// The keys of a table value; keys that are not `known` are reported.
    pub fn table<'d>(&mut self, node: &Node<'d>, what: &'static str, known: &[&str]) -> Fields<'d> {
        self.table_beside(node, what, known, |_| None)
    }

    /// As [`Reader::table`], where `explain` gives the help for an unknown key that has a meaning elsewhere.
    pub fn table_beside<'d>(
        &mut self,
        node: &Node<'d>,
        what: &'static str,
        known: &[&str],
        mut explain: impl FnMut(&str) -> Option<String>,
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
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                let help = explain(name).unwrap_or_else(|| self.meant(&mut fields, name, known));
                self.faults.push(Fault {
                    span: key.span(),
                    message: format!("unknown key `{}`", short(name)),
                    label: format!("not a key of this {what}"),
                    help: Some(help),
                });
            }
        }
        fields
    }

    /// The keys of a table that may have any keys.
    pub fn open_table<'d>(
        &mut self,
        node: &Node<'d>,
        what: &'static str,
        table: Option<&'d DeTable<'d>>,
    ) -> Fields<'d> {
        Fields { path: node.path.clone(), span: node.span.clone(), what, table, misspelt: BTreeSet::new() }
    }

    /// The help for an unknown key: the known one that was probably meant, which is then not missing.
    fn meant(&mut self, fields: &mut Fields<'_>, key: &str, known: &[&str]) -> String {
        let absent = |name: &&&str| fields.table.is_some_and(|table| !table.contains_key(**name));
        match nearest(key, known.iter().filter(absent).copied()) {
            Some(meant) => {
                fields.misspelt.insert(meant.to_owned());
                self.broken.insert(fields.path_of(meant));
                format!("did you mean `{meant}`?")
            }
            // A key that is there already can be meant as well: by a setting that is to change it.
            None if let Some(meant) = nearest(key, known.iter().copied()) => {
                format!("did you mean `{meant}`?")
            }
            None if ["password", "passwd"].contains(&key) => {
                "no password is written here: put it into the environment variable that the engine's own clients read"
                    .to_owned()
            }
            None => format!("known keys are {}", listed(known.iter().copied())),
        }
    }

    /// The value of a key that must be there; `example` is a line that would be right.
    pub fn required<'d>(&mut self, fields: &Fields<'d>, key: &str, example: &str) -> Option<Node<'d>> {
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
    pub fn text(&mut self, node: &Node<'_>) -> Option<String> {
        self.spans.insert(node.path.clone(), node.span.clone());
        let text = node.value.as_str().map(str::to_owned);
        if text.is_none() {
            self.wrong_type(node, "text", Some("put it between quotation marks".to_owned()));
        }
        text.filter(|text| self.is_plain(node, text))
    }

    /// True for a single line of printable text; a description may have several lines.
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

    /// A whole number between bounds, both included.
    pub fn whole<T: TryFrom<u64> + Copy + Display + Into<u64>>(
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
                self.out_of_range(node, number, ("a whole number", &least, &most));
                None
            }
        }
    }

    /// A finite number, with or without a fraction.
    pub fn number(&mut self, node: &Node<'_>) -> Option<f64> {
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

    /// A finite number between bounds, both included.
    pub fn number_within(&mut self, node: &Node<'_>, least: f64, most: f64) -> Option<f64> {
        let number = self.number(node)?;
        if (least..=most).contains(&number) {
            return Some(number);
        }
        self.out_of_range(node, &number, ("a number", &least, &most));
        None
    }

    fn out_of_range(
        &mut self,
        node: &Node<'_>,
        found: &dyn Display,
        (what, least, most): (&str, &dyn Display, &dyn Display),
    ) {
        let help = format!("write {what} between {least} and {most}");
        self.fault(node, format!("{} cannot be {found}", last_key(&node.path)), "out of range", Some(help));
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, node: &Node<'_>) -> Option<bool> {
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
    pub fn choice<T: Copy>(&mut self, node: &Node<'_>, words: &[(&'static str, T)]) -> Option<T> {
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
    pub fn list<'d, T>(
        &mut self,
        node: &Node<'d>,
        example: &str,
        mut read: impl FnMut(&mut Reader, &Node<'d>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let elements = self.elements(node, example)?;
        let read: Vec<Option<T>> = elements.iter().map(|element| read(self, element)).collect();
        read.into_iter().collect()
    }

    /// The elements of a list; `None` when the value is no list.
    pub fn elements<'d>(&mut self, node: &Node<'d>, example: &str) -> Option<Vec<Node<'d>>> {
        self.spans.insert(node.path.clone(), node.span.clone());
        if !node.value.is_array() {
            self.wrong_type(node, "a list", Some(format!("write for example {example}")));
            return None;
        }
        Some(node.elements())
    }
}

/// The last key of a path, for messages: `` `memory` `` of `database.memory`, `` an element of `depth` `` of
/// `workload.0.depth.2`.
pub fn last_key(path: &str) -> String {
    let mut keys = path.rsplit('.');
    let last = keys.next().unwrap_or_default();
    if last.bytes().all(|b| b.is_ascii_digit()) {
        format!("an element of `{}`", keys.next().unwrap_or_default())
    } else {
        format!("`{last}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_broken_at_above_and_below_a_broken_value() {
        let told = |broken: &str, asked: &str| {
            let broken = [broken, "bed-x", "bed.10"].map(str::to_owned).into();
            Reader { broken, ..Reader::default() }.is_broken(asked)
        };
        for asked in ["", "bed", "bed.1", "bed.1.name", "bed.1.name.of", "bed-x", "bed.10"] {
            assert!(told("bed.1.name", asked), "{asked}");
        }
        for asked in ["be", "bed.1.size", "bed.2", "bed.100", "name", "bed-"] {
            assert!(!told("bed.1.name", asked), "{asked}");
        }
        assert!(told("", "anything"));
        assert!(!Reader::default().is_broken(""));
    }
}

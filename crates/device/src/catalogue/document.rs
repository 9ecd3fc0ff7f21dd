//! From TOML text to quantities: tables, keys, units and provenance, each with its line.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeValue};

use tomlfile::{Fault, Lines, nearest};

use super::quantities::{Quantity, QuantityKind, TABLES, Unit, quantities};
use super::{Fact, map};

/// The table of the map, which has keys of its own.
const MAP: &str = "map";
/// The source of a number whose file names none.
const NO_SOURCE: &str = "not stated";

/// The fault of a text that would show itself as something else, and its remedy.
pub(super) const NO_LINE: &str = "holds a control character, such as a line break";
pub(super) const ONE_LINE: &str = "write it in one line, without control characters";

/// A drive file as read: its quantities, not yet their combined meaning.
#[derive(Debug)]
pub(super) struct Document {
    lines: Lines,
    /// In the order of the file.
    pub(super) given: Vec<Given>,
    /// The table `[map]`.
    pub(super) map: Option<map::Given>,
    pub(super) faults: Vec<Fault>,
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
        if !self.broken.contains(&name) {
            self.fault_at(name, problem, allowed);
        }
    }

    fn fault(&mut self, span: Range<usize>, problem: impl Into<String>, allowed: impl Into<String>) {
        let (message, help) = (problem.into(), Some(allowed.into()));
        self.faults.push(Fault { span, message, label: String::new(), help });
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
    let lines = Lines::of(text);
    let mut document =
        Document { lines, given: Vec::new(), map: None, faults: Vec::new(), broken: Vec::new() };
    let mut entries: Vec<(&'static str, &Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)> = Vec::new();
    for (table, contents) in root.as_table().into_iter().flatten() {
        let name = table.get_ref().as_ref();
        if let (MAP, Some(keys)) = (name, contents.get_ref().as_table()) {
            document.map = map::read(table.span(), keys.iter(), &mut document.faults);
            continue;
        }
        let known = TABLES.into_iter().find(|known| *known == name);
        match (known, contents.get_ref().as_table()) {
            (Some(known), Some(keys)) => entries.extend(keys.iter().map(|(key, value)| (known, key, value))),
            (known, _) => unknown_table(&mut document, name, table.span(), known.is_some()),
        }
    }
    // Tables come sorted by name; people see the order of the file.
    entries.sort_by_key(|(_, key, _)| key.span().start);
    for (table, key, value) in entries {
        if let Some(given) = read_entry(&mut document, table, key, value) {
            document.add(given);
        }
    }
    Ok(document)
}

fn unknown_table(document: &mut Document, name: &str, span: Range<usize>, known: bool) {
    let owner = with_spelling(name);
    let meant = if known { Some(name) } else { nearest(name, TABLES) };
    let of_table = |quantity: &&Quantity| Some(quantity.table()) == meant;
    match owner {
        Some(quantity) => document.broken.push(quantity.name),
        None => document.broken.extend(quantities().filter(of_table).map(|quantity| quantity.name)),
    }
    if known {
        let allowed = format!("write [{name}] and its keys below");
        return document.fault(span, format!("`{name}` is a table"), allowed);
    }
    let allowed = match (owner, meant) {
        (Some(quantity), _) => format!("it belongs below [{}]", quantity.table()),
        (None, Some(meant)) => format!("did you mean [{meant}]?"),
        (None, None) => format!("tables are {}", TABLES.map(|table| format!("[{table}]")).join(", ")),
    };
    document.fault(span, format!("unknown table or key `{name}`"), allowed);
}

/// The quantity that a file may give under this key.
fn with_spelling(key: &str) -> Option<&'static Quantity> {
    quantities().find(|quantity| quantity.spellings().iter().any(|spelling| spelling == key))
}

fn read_entry(
    document: &mut Document,
    table: &'static str,
    key: &Spanned<DeString<'_>>,
    value: &Spanned<DeValue<'_>>,
) -> Option<Given> {
    let (key, span) = (key.get_ref().as_ref(), key.span());
    let (quantity, unit) = identify(document, table, key, span.clone())?;
    document.broken.push(quantity.name);
    let mut source = NO_SOURCE.to_owned();
    let mut guess = quantity.kind != QuantityKind::Text;
    let (mut is_identified, mut ends) = (true, [None, None]);
    let mut bare = value;
    if let Some(fields) = value.get_ref().as_table() {
        guess = false;
        let (mut found, before) = (None, document.faults.len());
        for (field, content) in fields {
            match (field.get_ref().as_ref(), content.get_ref()) {
                ("source", DeValue::String(text)) if text.contains(char::is_control) => {
                    document.fault(content.span(), format!("the source of `{key}` {NO_LINE}"), ONE_LINE);
                }
                ("value", _) => found = Some(content),
                ("source", DeValue::String(text)) => source = text.to_string(),
                ("guess", DeValue::Boolean(flag)) => guess = *flag,
                ("identified", DeValue::Boolean(flag)) => is_identified = *flag,
                ("low", _) => ends[0] = Some(content),
                ("high", _) => ends[1] = Some(content),
                (name, _) => {
                    let problem = format!("`{name}` cannot be given so for `{key}`");
                    let allowed = "a number has `value`, `source = \"...\"`, `low` and `high`, `guess = true` or \
                                   `false`, `identified = true` or `false`";
                    document.fault(field.span(), problem, allowed);
                }
            }
        }
        if found.is_none() && document.faults.len() == before {
            document.fault(span.clone(), format!("`{key}` has no `value`"), "add value = ...");
        }
        guess |= source == NO_SOURCE;
        bare = found?;
    }
    match read_value(quantity.kind, unit, bare.get_ref()) {
        Ok((value, written)) => {
            let interval = interval(document, quantity, unit, (&value, &span), ends)?;
            let unit = unit.map_or("", |(_, shown, _)| shown);
            Some(Given { quantity, value, written, unit, source, guess, is_identified, interval, span })
        }
        Err((problem, allowed)) => {
            document.fault(bare.span(), format!("`{key}`: {problem}"), allowed);
            None
        }
    }
}

/// The interval of a number: both ends or none, and the number between them. `None` after a fault.
fn interval(
    document: &mut Document,
    quantity: &Quantity,
    unit: Option<Unit>,
    (value, span): (&Value, &Range<usize>),
    ends: [Option<&Spanned<DeValue<'_>>>; 2],
) -> Option<Option<(String, String)>> {
    let [low, high] = match ends {
        [None, None] => return Some(None),
        [Some(low), Some(high)] => [low, high],
        [Some(one), None] | [None, Some(one)] => {
            document.fault(one.span(), "an interval has two ends", "give both `low` and `high`");
            return None;
        }
    };
    let read = |end: &Spanned<DeValue<'_>>| read_value(quantity.kind, unit, end.get_ref());
    let (Ok((Value::Number(least), low_written)), Ok((Value::Number(most), high_written))) =
        (read(low), read(high))
    else {
        document.fault(
            low.span(),
            format!("`{}` has no such interval", quantity.name),
            "give numbers like its value",
        );
        return None;
    };
    match value {
        Value::Number(number) if (least..=most).contains(number) => Some(Some((low_written, high_written))),
        _ => {
            let problem = format!("`{}` lies outside of its interval", quantity.name);
            document.fault(span.clone(), problem, "give low <= value <= high");
            None
        }
    }
}

/// The quantity of a key, and its unit.
fn identify(
    document: &mut Document,
    table: &str,
    key: &str,
    span: Range<usize>,
) -> Option<(&'static Quantity, Option<Unit>)> {
    let here = || quantities().filter(|quantity| quantity.table() == table);
    for quantity in here() {
        let units = quantity.kind.units();
        if key == quantity.key() {
            if units.is_empty() {
                return Some((quantity, None));
            }
            document.broken.push(quantity.name);
            let problem = format!("`{key}` does not name its unit");
            document.fault(span, problem, format!("write {}", quantity.spellings().join(", ")));
            return None;
        }
        let suffix = key.strip_prefix(quantity.key()).and_then(|rest| rest.strip_prefix('_'));
        if let Some(unit) = units.iter().find(|unit| Some(unit.0) == suffix) {
            return Some((quantity, Some(*unit)));
        }
    }
    let spellings: Vec<String> = here().flat_map(Quantity::spellings).collect();
    let elsewhere = with_spelling(key);
    let meant = nearest(key, spellings.iter().map(String::as_str));
    document.broken.extend(elsewhere.or(meant.and_then(with_spelling)).map(|quantity| quantity.name));
    let allowed = match (elsewhere, meant) {
        (Some(quantity), _) => format!("it belongs below [{}]", quantity.table()),
        (None, Some(meant)) => format!("did you mean `{meant}`?"),
        (None, None) => {
            let keys: Vec<String> = here().map(|quantity| quantity.spellings().swap_remove(0)).collect();
            format!("[{table}] has {}", keys.join(", "))
        }
    };
    document.fault(span, format!("unknown key `{key}` in [{table}]"), allowed);
    None
}

/// A value of the right kind, in the kind's unit, and as written. Errors are (problem, allowed).
fn read_value(
    kind: QuantityKind,
    unit: Option<Unit>,
    value: &DeValue<'_>,
) -> Result<(Value, String), (String, String)> {
    let wrong = |allowed: &str| Err((format!("{} does not fit here", value.type_str()), allowed.to_owned()));
    match (kind, value) {
        (QuantityKind::Text, DeValue::String(text)) if text.trim().contains(char::is_control) => {
            Err((NO_LINE.to_owned(), ONE_LINE.to_owned()))
        }
        (QuantityKind::Text, DeValue::String(text)) if !text.trim().is_empty() => {
            Ok((Value::Text, text.trim().to_owned()))
        }
        (QuantityKind::Text, _) => wrong("give a text that is not empty, in quotes"),
        (QuantityKind::Flag, DeValue::Boolean(flag)) => Ok((Value::Flag(*flag), flag.to_string())),
        (QuantityKind::Flag, _) => wrong("give true or false"),
        (_, DeValue::Integer(integer)) => {
            let parsed = i64::from_str_radix(integer.as_str(), integer.radix()).map_err(|_| {
                (format!("{} is too large", integer.as_str()), "give a number below 2^63".to_owned())
            })?;
            in_range(kind, unit, parsed as f64, parsed.to_string())
        }
        (QuantityKind::Count, _) => wrong("give a whole number without quotes"),
        (_, DeValue::Float(float)) => match float.as_str().parse::<f64>() {
            Ok(parsed) => in_range(kind, unit, parsed, float.as_str().to_owned()),
            Err(_) => wrong("give a number without quotes"),
        },
        _ => wrong("give a number without quotes; its unit is in the key"),
    }
}

/// Refuses impossible values. Only rates and bandwidths may be infinite: that is "no limit".
fn in_range(
    kind: QuantityKind,
    unit: Option<Unit>,
    number: f64,
    written: String,
) -> Result<(Value, String), (String, String)> {
    let factor = unit.map_or(1.0, |(_, _, factor)| factor);
    let limitless = matches!(kind, QuantityKind::Rate | QuantityKind::Bandwidth);
    if number.is_nan() || number < 0.0 || (number.is_infinite() && !limitless) {
        let allowed = if limitless {
            "give a number of 0 or more, or inf for no limit"
        } else {
            "give a number of 0 or more"
        };
        return Err((format!("{written} is no amount"), allowed.to_owned()));
    }
    Ok((Value::Number(number * factor), written))
}

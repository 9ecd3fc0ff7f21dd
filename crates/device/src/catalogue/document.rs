//! From TOML text to quantities: tables, keys, units and provenance, each with its line.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::quantities::{Kind, QUANTITIES, Quantity, TABLES, Unit};
use super::{CatalogueError, Fact, nearest};

/// What the file says where it does not say where a number comes from.
const NO_SOURCE: &str = "not stated";

/// A drive file as read: which quantities it gives, not yet what they mean together.
#[derive(Debug)]
pub(super) struct Document<'a> {
    text: &'a str,
    file: &'a str,
    /// In the order of the file.
    pub(super) given: Vec<Given>,
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
        }
    }
}

impl<'a> Document<'a> {
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

    /// An error at the quantity of that name: its own line, else that of its table's first one, else the
    /// first.
    pub(super) fn error_at(
        &self,
        name: &str,
        problem: impl Into<String>,
        allowed: impl Into<String>,
    ) -> CatalogueError {
        let table = name.split_once('.').map_or(name, |(table, _)| table);
        let near = |given: &&Given| given.quantity.table() == table;
        let given = self.find(name).or_else(|| self.given.iter().find(near));
        self.error(given.map_or(0, |given| given.span.start), problem, allowed)
    }

    fn error(&self, at: usize, problem: impl Into<String>, allowed: impl Into<String>) -> CatalogueError {
        let line =
            1 + self.text.as_bytes()[..at.min(self.text.len())].iter().filter(|&&byte| byte == b'\n').count();
        CatalogueError { file: self.file.to_owned(), line, problem: problem.into(), allowed: allowed.into() }
    }

    fn add(&mut self, given: Given) -> Result<(), CatalogueError> {
        if let Some(earlier) = self.find(given.quantity.name) {
            let first = self.error(earlier.span.start, "", "").line;
            let problem = format!("`{}` is given twice, first in line {first}", given.quantity.name);
            return Err(self.error(given.span.start, problem, "give it once, in one unit"));
        }
        self.given.push(given);
        Ok(())
    }
}

/// Reads the text; what it means together is for [`super::assemble`].
pub(super) fn read<'a>(text: &'a str, file: &'a str) -> Result<Document<'a>, CatalogueError> {
    let mut document = Document { text, file, given: Vec::new() };
    let root = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        document.error(
            at,
            format!("not TOML: {}", error.message()),
            "see the drives of the catalogue for examples",
        )
    })?;
    let mut entries: Vec<(&'static str, &Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)> = Vec::new();
    for (table, contents) in root.get_ref() {
        let name = table.get_ref().as_ref();
        let known = TABLES.into_iter().find(|known| *known == name);
        let (Some(known), Some(keys)) = (known, contents.get_ref().as_table()) else {
            return Err(unknown_table(&document, name, table.span(), known.is_some()));
        };
        entries.extend(keys.iter().map(|(key, value)| (known, key, value)));
    }
    // Tables come sorted by name; the order of the file is what people see.
    entries.sort_by_key(|(_, key, _)| key.span().start);
    for (table, key, value) in entries {
        let given = read_entry(&document, table, key, value)?;
        document.add(given)?;
    }
    Ok(document)
}

fn unknown_table(document: &Document<'_>, name: &str, span: Range<usize>, known: bool) -> CatalogueError {
    if known {
        return document.error(
            span.start,
            format!("`{name}` is a table"),
            format!("write [{name}] and its keys below"),
        );
    }
    let owner =
        QUANTITIES.iter().find(|quantity| quantity.spellings().iter().any(|spelling| spelling == name));
    let allowed = match (owner, nearest(name, TABLES.into_iter())) {
        (Some(quantity), _) => format!("it belongs below [{}]", quantity.table()),
        (None, Some(meant)) => format!("did you mean [{meant}]?"),
        (None, None) => format!("tables are {}", TABLES.map(|table| format!("[{table}]")).join(", ")),
    };
    document.error(span.start, format!("unknown table or key `{name}`"), allowed)
}

fn read_entry(
    document: &Document<'_>,
    table: &'static str,
    key: &Spanned<DeString<'_>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<Given, CatalogueError> {
    let (key, span) = (key.get_ref().as_ref(), key.span());
    let (quantity, unit) = identify(document, table, key, span.start)?;
    let mut source = NO_SOURCE.to_owned();
    let mut guess = quantity.kind != Kind::Text;
    let mut bare = value;
    if let Some(fields) = value.get_ref().as_table() {
        guess = false;
        let mut found = None;
        for (field, content) in fields {
            match (field.get_ref().as_ref(), content.get_ref()) {
                ("value", _) => found = Some(content),
                ("source", DeValue::String(text)) => source = text.to_string(),
                ("guess", DeValue::Boolean(flag)) => guess = *flag,
                (name, _) => {
                    let problem = format!("`{name}` cannot be given so for `{key}`");
                    let allowed = "a number has `value`, `source = \"...\"` and `guess = true` or `false`";
                    return Err(document.error(field.span().start, problem, allowed));
                }
            }
        }
        let Some(content) = found else {
            return Err(document.error(span.start, format!("`{key}` has no `value`"), "add value = ..."));
        };
        guess |= source == NO_SOURCE;
        bare = content;
    }
    let (value, written) =
        read_value(quantity.kind, unit, bare.get_ref()).map_err(|(problem, allowed)| {
            document.error(bare.span().start, format!("`{key}`: {problem}"), allowed)
        })?;
    let unit = unit.map_or("", |(_, shown, _)| shown);
    Ok(Given { quantity, value, written, unit, source, guess, span })
}

/// Which quantity a key means, and in which unit.
fn identify(
    document: &Document<'_>,
    table: &str,
    key: &str,
    at: usize,
) -> Result<(&'static Quantity, Option<Unit>), CatalogueError> {
    let here = || QUANTITIES.iter().filter(|quantity| quantity.table() == table);
    for quantity in here() {
        let units = quantity.kind.units();
        if key == quantity.key() {
            if units.is_empty() {
                return Ok((quantity, None));
            }
            let problem = format!("`{key}` does not name its unit");
            return Err(document.error(at, problem, format!("write {}", quantity.spellings().join(", "))));
        }
        let suffix = key.strip_prefix(quantity.key()).and_then(|rest| rest.strip_prefix('_'));
        if let Some(unit) = units.iter().find(|unit| Some(unit.0) == suffix) {
            return Ok((quantity, Some(*unit)));
        }
    }
    let spellings: Vec<String> = here().flat_map(Quantity::spellings).collect();
    let elsewhere =
        QUANTITIES.iter().find(|quantity| quantity.spellings().iter().any(|spelling| spelling == key));
    let allowed = if let Some(quantity) = elsewhere {
        format!("it belongs below [{}]", quantity.table())
    } else if let Some(meant) = nearest(key, spellings.iter().map(String::as_str)) {
        format!("did you mean `{meant}`?")
    } else {
        let keys: Vec<String> = here().map(|quantity| quantity.spellings().swap_remove(0)).collect();
        format!("[{table}] has {}", keys.join(", "))
    };
    Err(document.error(at, format!("unknown key `{key}` in [{table}]"), allowed))
}

/// A value of the right kind, in the kind's unit, and as written. Errors are (problem, allowed).
fn read_value(
    kind: Kind,
    unit: Option<Unit>,
    value: &DeValue<'_>,
) -> Result<(Value, String), (String, String)> {
    let wrong = |allowed: &str| Err((format!("{} does not fit here", value.type_str()), allowed.to_owned()));
    match (kind, value) {
        (Kind::Text, DeValue::String(text)) if !text.trim().is_empty() => {
            Ok((Value::Text, text.trim().to_owned()))
        }
        (Kind::Text, _) => wrong("give a text that is not empty, in quotes"),
        (Kind::Flag, DeValue::Boolean(flag)) => Ok((Value::Flag(*flag), flag.to_string())),
        (Kind::Flag, _) => wrong("give true or false"),
        (_, DeValue::Integer(integer)) => {
            let parsed = i64::from_str_radix(integer.as_str(), integer.radix()).map_err(|_| {
                (format!("{} is too large", integer.as_str()), "give a number below 2^63".to_owned())
            })?;
            in_range(kind, unit, parsed as f64, parsed.to_string())
        }
        (Kind::Count, _) => wrong("give a whole number without quotes"),
        (_, DeValue::Float(float)) => match float.as_str().parse::<f64>() {
            Ok(parsed) => in_range(kind, unit, parsed, float.as_str().to_owned()),
            Err(_) => wrong("give a number without quotes"),
        },
        _ => wrong("give a number without quotes; its unit is in the key"),
    }
}

/// Refuses what no quantity can be. Only rates and bandwidths may be infinite: that is "no limit".
fn in_range(
    kind: Kind,
    unit: Option<Unit>,
    number: f64,
    written: String,
) -> Result<(Value, String), (String, String)> {
    let factor = unit.map_or(1.0, |(_, _, factor)| factor);
    let limitless = matches!(kind, Kind::Rate | Kind::Bandwidth);
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

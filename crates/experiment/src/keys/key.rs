//! A key of a table: required or optional, with its default and its limits.

use crate::keys::form::{Form, Limits, UNLIMITED};
use crate::keys::reader::{Fields, Reader};
use crate::keys::schema::{Definitions, described};
use crate::keys::table::TableSchema;
use crate::keys::written::Written;

/// A key of a table with values of type `T`.
pub(crate) struct Key<T> {
    name: &'static str,
    /// Its doc comment, as it is written.
    about: &'static str,
    /// Stands for the key where it is left out; `None` when it must be there.
    default: Option<T>,
    /// True if the key is left out when its default is written.
    is_implied: bool,
    limits: Limits,
}

fn key<T>(default: Option<T>, is_implied: bool, example: &'static str) -> Key<T> {
    Key { name: "", about: "", default, is_implied, limits: Limits { example, ..UNLIMITED } }
}

/// A key that must be there; `example` is a value that would be right.
pub(crate) fn required<T>(example: &'static str) -> Key<T> {
    key(None, false, example)
}

/// A key that may be left out, and is always written.
pub(crate) fn or<T>(default: T) -> Key<T> {
    key(Some(default), false, "")
}

/// A key that may be left out, and is left out when its default is written.
pub(crate) fn implied<T>(default: T) -> Key<T> {
    key(Some(default), true, "")
}

/// An optional key without a default.
pub(crate) fn optional<T>() -> Key<Option<T>> {
    implied(None)
}

/// The levels of a workload: one at least, and none twice.
pub(crate) fn levels<T>(example: &'static str) -> Key<Vec<T>> {
    required(example).distinct().filled()
}

/// A list of tables, `header` each, of which there must be one at least.
pub(crate) fn tables<T>(header: &'static str) -> Key<Vec<T>> {
    let mut key = required(header).filled();
    key.limits.header = Some(header);
    key
}

impl<T> Key<T> {
    /// May be left out, and is always written.
    pub(crate) fn or(mut self, default: T) -> Key<T> {
        self.default = Some(default);
        self
    }

    /// May be left out, and is left out when its default is written.
    pub(crate) fn implied(mut self, default: T) -> Key<T> {
        (self.default, self.is_implied) = (Some(default), true);
        self
    }

    /// An example of a value.
    pub(crate) fn like(mut self, example: &'static str) -> Key<T> {
        self.limits.example = example;
        self
    }

    /// Bounds of numbers, both included: of the value or of the elements of a list. A number beyond the upper
    /// one is a slip of the pen rather than a wish.
    pub(crate) fn within(mut self, least: impl Into<f64>, most: impl Into<f64>) -> Key<T> {
        self.limits.numbers = (least.into(), most.into());
        self
    }

    /// One element or character at least.
    pub(crate) fn filled(mut self) -> Key<T> {
        self.limits.lengths.0 = 1;
        self
    }

    /// So many elements at most.
    pub(crate) fn at_most(mut self, elements: usize) -> Key<T> {
        self.limits.lengths.1 = elements;
        self
    }

    /// No element twice.
    pub(crate) fn distinct(mut self) -> Key<T> {
        self.limits.is_distinct = true;
        self
    }

    /// The regular expression of a text, which is checked elsewhere.
    pub(crate) fn matching(mut self, pattern: &'static str) -> Key<T> {
        self.limits.pattern = Some(pattern);
        self
    }

    /// The key under its name, with its doc comment.
    pub(crate) fn named(mut self, name: &'static str, about: &'static str) -> Key<T> {
        (self.name, self.about) = (name, about);
        self
    }
}

/// The limits of a key.
pub(crate) fn limits_of<T>(key: Key<T>) -> Limits {
    key.limits
}

impl<T: Form + PartialEq> Key<T> {
    /// Reads the key of a table, or its default.
    pub(crate) fn read(self, reader: &mut Reader, fields: &Fields<'_>) -> T {
        let node = match (&self.default, self.limits.header) {
            (Some(_), _) => fields.get(self.name),
            (None, Some(header)) => reader.required(fields, self.name, header),
            (None, None) => {
                reader.required(fields, self.name, &format!("{} = {}", self.name, self.limits.example))
            }
        };
        let value = node.and_then(|node| T::read(reader, &node, &self.limits));
        value.unwrap_or_else(|| self.stand_in())
    }

    /// The key's default; for a key that has none, the replacement of a value that could not be read.
    pub(crate) fn stand_in(self) -> T {
        self.default.unwrap_or_else(T::stand_in)
    }

    /// Adds the key with its value, unless that goes without saying.
    pub(crate) fn write(&self, value: &T, written: &mut Vec<(String, Written)>) {
        if !(self.is_implied && self.default.as_ref() == Some(value)) {
            written.push((self.name.to_owned(), value.write()));
        }
    }

    /// Adds the key to the schema of its table.
    pub(crate) fn describe(&self, definitions: &mut Definitions, table: &mut TableSchema) {
        let mut schema = described(T::schema(definitions, &self.limits), self.about);
        match &self.default {
            Some(default) if !self.is_implied => schema["default"] = default.write().to_json(),
            Some(_) => {}
            None => table.required.push(self.name),
        }
        table.properties.insert(self.name.to_owned(), schema);
    }
}

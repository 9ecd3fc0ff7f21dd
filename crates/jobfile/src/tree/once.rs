//! A JSON document in which every key of an object stands once.
//!
//! A parser that keeps the last of two values would take a damaged or edited file for a good one. fio itself
//! writes some keys twice: an option that was given twice, of which it takes the last, and a percentile that
//! was asked for twice, with the same value.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{Node, fault, joined};
use crate::fault::{AS_WRITTEN, FileFault, FilePlace};

/// Objects of fio in which the last of several values counts, as for fio itself.
const OPTIONS: [&str; 2] = ["global options", "job options"];

/// The reason why no value was read.
pub(super) struct Stopped {
    error: serde_json::Error,
    twice: Option<FileFault>,
}

impl Stopped {
    /// The fault of the file; `line` is the one in which the text of the documents begins.
    pub(super) fn told(self, line: usize) -> FileFault {
        self.twice.unwrap_or_else(|| fault(&self.error, line))
    }
}

/// Reads the next value.
pub(super) fn read<'d, R: serde_json::de::Read<'d>>(
    reader: &mut serde_json::Deserializer<R>,
) -> Result<Value, Stopped> {
    let twice = RefCell::new(None);
    let read = Once { path: &Path::Root, twice: &twice }.deserialize(reader);
    read.map_err(|error| Stopped { error, twice: twice.into_inner() })
}

/// The way to a value, from the value back to the document.
enum Path<'p> {
    Root,
    Key(&'p Path<'p>, &'p str),
    Item(&'p Path<'p>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Key(before, key) => f.write_str(&joined(&before.to_string(), key)),
            Path::Item(before, index) => write!(f, "{before}[{index}]"),
        }
    }
}

/// Reads a value at a path.
struct Once<'p> {
    path: &'p Path<'p>,
    /// The first key that stands twice.
    twice: &'p RefCell<Option<FileFault>>,
}

impl Once<'_> {
    fn refuse(&self, key: &str, values: [&Value; 2]) {
        let [first, second] = values.map(|value| Node::root(value).shown());
        let path = Path::Key(self.path, key).to_string();
        let message = format!("stands twice in its object, with {first} and with {second}");
        *self.twice.borrow_mut() = Some(FileFault::at(FilePlace::Path(path), message, AS_WRITTEN));
    }
}

impl<'de> DeserializeSeed<'de> for Once<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let path = Path::Item(self.path, list.len());
            match items.next_element_seed(Once { path: &path, twice: self.twice })? {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let last_counts = matches!(self.path, Path::Key(_, key) if OPTIONS.contains(key));
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let path = Path::Key(self.path, &key);
            let value = entries.next_value_seed(Once { path: &path, twice: self.twice })?;
            if let Some(before) = object.get(&key).filter(|before| **before != value && !last_counts) {
                self.refuse(&key, [before, &value]);
                return Err(A::Error::custom("a key stands twice"));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{document, documents};

    #[test]
    fn a_key_with_two_values_is_refused_with_its_path_and_both() {
        let said = |text: &str| document(text, 1).unwrap_err().in_file("F");
        let told = said(r#"{"jobs": [{"a": 1}, {"read": {"iops": 1000.0, "b": 2, "iops": 5}}]}"#);
        assert!(
            told.starts_with(
                "F: jobs[1].read.iops: stands twice in its object, with `1000.0` and with `5`; "
            ),
            "{told}"
        );
        assert!(said(r#"{"jobs": "x", "jobs": []}"#).contains("F: jobs: stands twice"), "at the top");
        assert!(said(r#"{"a": {}, "a": null}"#).contains("an object and with null"));
        assert!(documents(r#"{"a": 1} {"a": 1, "a": 2}"#, 1).is_err());
    }

    #[test]
    fn what_fio_writes_twice_is_read_as_fio_means_it() {
        let options = document(r#"{"job options": {"bs": "4k", "bs": "8k"}}"#, 1).unwrap();
        assert_eq!(options["job options"]["bs"], "8k", "the last option counts");
        let percentile = document(r#"{"percentile": {"99.9": 7, "99.9": 7}}"#, 1).unwrap();
        assert_eq!(percentile["percentile"]["99.9"], 7);
    }

    #[test]
    fn values_are_read_as_by_the_parser_itself() {
        let text = r#" [null, true, -3, 18446744073709551615, 1.5, -0.0, "a\n\u00e9", {"b": [], "a": {}}] "#;
        assert_eq!(document(text, 1).unwrap(), serde_json::from_str::<serde_json::Value>(text).unwrap());
        assert_eq!(documents("", 1).unwrap().len(), 0);
        assert_eq!(documents("{} \n [1]{}", 1).unwrap().len(), 3);
        assert!(documents("{} x", 1).is_err() && document("{} {}", 1).is_err());
    }
}

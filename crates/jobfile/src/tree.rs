//! JSON documents of other tools, read with the path of every value.

mod once;

use serde_json::Value;

use crate::fault::{FileFault, FilePlace, quoted};

/// Numbers beyond this are no result of any tool.
const LARGEST: f64 = 1e18;

/// A value of a document with its path: `jobs[0].read.iops`.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    value: &'a Value,
    path: String,
}

/// Parses a document.
///
/// # Errors
/// The place at which the text stops to be JSON, and a key that stands twice in an object with different
/// values. `line` is the line in the file in which the text begins.
pub(crate) fn document(text: &str, line: usize) -> Result<Value, FileFault> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = once::read(&mut reader).map_err(|stopped| stopped.told(line))?;
    reader.end().map_err(|error| fault(&error, line))?;
    Ok(value)
}

/// Parses documents that follow one another.
///
/// # Errors
/// As [`document`].
pub(crate) fn documents(text: &str, line: usize) -> Result<Vec<Value>, FileFault> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let mut values = Vec::new();
    // The end is where nothing but blanks follow.
    while reader.end().is_err() {
        values.push(once::read(&mut reader).map_err(|stopped| stopped.told(line))?);
    }
    Ok(values)
}

fn fault(error: &serde_json::Error, line: usize) -> FileFault {
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default().to_owned();
    let (message, help) = match error.is_eof() {
        true => ("the JSON document ends in the middle".to_owned(), "the file is cut; write it again"),
        false => {
            (format!("is no JSON: {said}"), "mend this place; a number that is NaN or infinite is no JSON")
        }
    };
    FileFault::at(FilePlace::Column(line + error.line().max(1) - 1, error.column()), message, help)
}

impl<'a> Node<'a> {
    /// The whole document.
    pub(crate) fn root(value: &'a Value) -> Node<'a> {
        Node { value, path: String::new() }
    }

    /// A fault of this value.
    pub(crate) fn fault(&self, message: impl Into<String>, help: &str) -> FileFault {
        let place = if self.path.is_empty() { FilePlace::Whole } else { FilePlace::Path(self.path.clone()) };
        FileFault::at(place, message, help)
    }

    /// The value of a key, where this is an object that has it and it is not null.
    pub(crate) fn find(&self, key: &str) -> Option<Node<'a>> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        Some(Node { value, path: joined(&self.path, key) })
    }

    /// The value of a key that must be there.
    pub(crate) fn get(&self, key: &str) -> Result<Node<'a>, FileFault> {
        if !self.value.is_object() {
            return Err(self.fault(format!("is {}, not an object", self.kind()), MEND));
        }
        self.find(key).ok_or_else(|| self.fault(format!("has no `{key}`"), MEND))
    }

    /// The elements of a list.
    pub(crate) fn items(&self) -> Result<Vec<Node<'a>>, FileFault> {
        let list = self
            .value
            .as_array()
            .ok_or_else(|| self.fault(format!("is {}, not a list", self.kind()), MEND))?;
        let item = |(index, value)| Node { value, path: format!("{}[{index}]", self.path) };
        Ok(list.iter().enumerate().map(item).collect())
    }

    /// The keys of an object with their values; none of anything else.
    pub(crate) fn entries(&self) -> Vec<(&'a str, Node<'a>)> {
        let entries = self.value.as_object().into_iter().flatten();
        entries.filter_map(|(key, _)| Some((key.as_str(), self.find(key)?))).collect()
    }

    /// A text; a number as it is written.
    pub(crate) fn text(&self) -> Result<String, FileFault> {
        match self.value {
            Value::String(text) => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            _ => Err(self.fault(format!("is {}, not a text", self.kind()), MEND)),
        }
    }

    /// A number that is finite and not negative; also one that is written as a text.
    pub(crate) fn amount(&self) -> Result<f64, FileFault> {
        let number = match self.value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        match number {
            Some(number) if !number.is_finite() => Err(self.fault("is no finite number", MEND)),
            Some(number) if number.is_sign_negative() => {
                Err(self.fault(format!("is {number}, which is less than nothing"), MEND))
            }
            Some(number) if number > LARGEST => {
                Err(self.fault(format!("is {number:e}, which no tool measures"), MEND))
            }
            Some(number) => Ok(number),
            None => Err(self.fault(format!("is {}, not a number", self.shown()), MEND)),
        }
    }

    /// A whole number from 1 to `most`.
    pub(crate) fn count(&self, most: u32) -> Result<u32, FileFault> {
        let number = self.amount()?;
        let is_whole = number.fract() == 0.0 && (1.0..=f64::from(most)).contains(&number);
        is_whole
            .then_some(number as u32)
            .ok_or_else(|| self.fault(format!("is {number}, not a whole number from 1 to {most}"), MEND))
    }

    fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a truth value",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        }
    }

    /// The value in an error: scalars as they are written.
    fn shown(&self) -> String {
        match self.value {
            Value::String(text) => quoted(text),
            Value::Array(_) | Value::Object(_) | Value::Null => self.kind().to_owned(),
            other => quoted(&other.to_string()),
        }
    }
}

/// The path of a value: `jobs[0].read.iops`.
fn joined(path: &str, key: &str) -> String {
    let dot = if path.is_empty() { "" } else { "." };
    format!("{path}{dot}{key}")
}

/// The remedy of a document that has not the form of its tool.
const MEND: &str = "export the result again; an edited or cut file is not imported";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn faults_name_the_path() {
        let value = json!({ "jobs": [{ "iops": -1, "bw": "x", "n": "12", "huge": 1e300, "f": 1.5 }] });
        let job = Node::root(&value).get("jobs").unwrap().items().unwrap()[0].clone();
        let said = |key: &str| job.get(key).and_then(|node| node.amount()).unwrap_err().in_file("a");
        assert!(said("iops").starts_with("a: jobs[0].iops: is -1, which is less than nothing"));
        assert!(said("bw").starts_with("a: jobs[0].bw: is `x`, not a number"));
        assert!(said("huge").contains("no tool measures"));
        let zero = json!({ "number": -0.0, "text": "-0" });
        for (_, node) in Node::root(&zero).entries() {
            assert!(node.amount().unwrap_err().message.contains("is -0, which is less than nothing"));
        }
        assert!(said("none").starts_with("a: jobs[0]: has no `none`"));
        assert_eq!(job.get("n").unwrap().count(99), Ok(12));
        assert!(job.get("f").unwrap().count(99).is_err() && job.get("n").unwrap().count(11).is_err());
        assert!(job.items().unwrap_err().to_string().contains("is an object, not a list"));
    }

    #[test]
    fn a_text_that_is_no_json_is_refused_at_its_place() {
        let cut = document("{\"a\": [1,", 5).unwrap_err();
        assert_eq!(cut.place, FilePlace::Column(5, 9));
        assert!(cut.message.contains("ends in the middle"));
        let nan = document("{\"a\":\n nan}", 1).unwrap_err();
        assert_eq!(nan.place, FilePlace::Column(2, 3));
        assert!(nan.help.contains("NaN"), "{nan}");
        assert!(document(&"[".repeat(100_000), 1).is_err(), "no recursion without end");
        assert_eq!(documents("{} {}", 1).unwrap().len(), 2);
    }
}

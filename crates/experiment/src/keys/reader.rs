//! The reader of experiment files: that of `tomlfile`, and quantities with their units.

use std::ops::{Deref, DerefMut};
use std::str::FromStr;

use toml::de::DeValue;
pub(crate) use tomlfile::{Fields, Node, last_key};

use crate::units::UnitError;

/// Reads the values of an experiment and gathers every fault. Each room adds readers of its own words.
#[derive(Debug, Default)]
pub(crate) struct Reader(tomlfile::Reader);

impl Deref for Reader {
    type Target = tomlfile::Reader;

    fn deref(&self) -> &tomlfile::Reader {
        &self.0
    }
}

impl DerefMut for Reader {
    fn deref_mut(&mut self) -> &mut tomlfile::Reader {
        &mut self.0
    }
}

impl Reader {
    /// As [`tomlfile::Reader::text`].
    pub(crate) fn text(&mut self, node: &Node<'_>) -> Option<String> {
        self.0.text(node)
    }

    /// As [`tomlfile::Reader::number`].
    pub(crate) fn number(&mut self, node: &Node<'_>) -> Option<f64> {
        self.0.number(node)
    }

    /// As [`tomlfile::Reader::boolean`].
    pub(crate) fn boolean(&mut self, node: &Node<'_>) -> Option<bool> {
        self.0.boolean(node)
    }

    /// As [`tomlfile::Reader::list`], each element read by this reader.
    pub(crate) fn list<'d, T>(
        &mut self,
        node: &Node<'d>,
        example: &str,
        mut read: impl FnMut(&mut Reader, &Node<'d>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let elements = self.0.elements(node, example)?;
        let read: Vec<Option<T>> = elements.iter().map(|element| read(self, element)).collect();
        read.into_iter().collect()
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
}

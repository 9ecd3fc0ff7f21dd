//! Values as the file has them.

use serde::{Serialize, Serializer};
use serde_json::Value;

/// A value as the file has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Written {
    /// Text, a number, true or false.
    Plain(Value),
    /// A list.
    List(Vec<Written>),
    /// A table.
    Table(Vec<(String, Written)>),
    /// A table of one key, whose value is on one line.
    Key(&'static str, Box<Written>),
}

impl<T: Into<Value>> From<T> for Written {
    fn from(plain: T) -> Written {
        Written::Plain(plain.into())
    }
}

/// Serialises a type as it is written in the file.
macro_rules! serialized {
    ($Type:ident) => {
        impl serde::Serialize for $Type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::keys::form::Form::write(self).serialize(serializer)
            }
        }
    };
}

pub(crate) use serialized;

impl Written {
    /// The same in JSON, for the schema.
    pub(crate) fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Written::Plain(plain) => plain.serialize(serializer),
            Written::List(elements) => serializer.collect_seq(elements),
            Written::Table(keys) => serializer.collect_map(keys.iter().map(|(key, value)| (key, value))),
            Written::Key(key, value) => serializer.serialize_newtype_variant("", 0, key, value),
        }
    }
}

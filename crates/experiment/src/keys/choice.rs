//! Values of which there is a choice: words, words beside tables of one key, and values of several forms.

use serde_json::{Value, json};
use tomlfile::listed;
use words::Word;

use crate::keys::reader::{Node, Reader};
use crate::keys::schema::described;

/// Gives a type of `words` its form in the file. `read` is by default the common way to read a word.
macro_rules! form_of_words {
    ($Type:ident) => {
        $crate::keys::choice::form_of_words!($Type, $crate::keys::choice::read_word);
    };
    ($Type:ident, $read:expr) => {
        impl $crate::keys::form::Form for $Type {
            fn read(
                reader: &mut $crate::keys::reader::Reader,
                node: &$crate::keys::reader::Node<'_>,
                _: &$crate::keys::form::Limits,
            ) -> Option<$Type> {
                $read(reader, node)
            }

            fn write(&self) -> $crate::keys::written::Written {
                self.name().into()
            }

            fn schema(
                definitions: &mut $crate::keys::schema::Definitions,
                _: &$crate::keys::form::Limits,
            ) -> serde_json::Value {
                definitions.refer(stringify!($Type), |_| $crate::keys::choice::word_schema::<$Type>())
            }

            fn stand_in() -> $Type {
                $Type::ALL[0]
            }
        }
    };
}

/// Words of the file: types of `words` with their forms. `or` names the default, where a type has one.
macro_rules! written_words {
    ($($(#[doc = $about:literal])* pub enum $Type:ident $(or $Default:ident)? { $($words:tt)* })+) => {$(
        words::words! {
            $(#[doc = $about])*
            pub enum $Type { $($words)* }
        }

        $crate::keys::choice::form_of_words!($Type);

        $(impl Default for $Type {
            fn default() -> $Type {
                $Type::$Default
            }
        })?
    )+};
}

/// Words beside tables of one key: `"uniform"` or `{ zipf = 1.1 }`. `$what` is what messages call such a
/// value; each key says its type and, as the keys of a table do, its example and limits.
macro_rules! words_and_keys {
    (
        $(#[doc = $about:literal])*
        $(#[derive($($derive:ident),+)])?
        pub enum $Type:ident $what:literal {
            words { $($(#[doc = $doc:literal])* $Word:ident = $word:literal,)+ }
            keys { $($(#[doc = $key_doc:literal])* $Key:ident($type:ty) = $key:literal: $how:expr,)+ }
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq $($(, $derive)+)?)]
        pub enum $Type {
            $($(#[doc = $doc])* $Word,)+
            $($(#[doc = $key_doc])* $Key($type),)+
        }

        const _: () = {
            use $crate::keys::choice::{described_all, key_schema, word_or_key, word_schema_of};
            use $crate::keys::form::{Form, Limits};
            use $crate::keys::key::{limits_of, required};
            use $crate::keys::written::Written;

            impl Form for $Type {
                fn read(
                    reader: &mut $crate::keys::reader::Reader,
                    node: &$crate::keys::reader::Node<'_>,
                    _: &Limits,
                ) -> Option<$Type> {
                    let keys = [$(($key, limits_of::<$type>($how).example)),+];
                    match word_or_key(reader, node, $what, &[$($word),+], &keys)? {
                        $(($word, None) => Some($Type::$Word),)+
                        $(($key, Some(node)) => {
                            <$type>::read(reader, &node, &limits_of::<$type>($how)).map($Type::$Key)
                        })+
                        _ => None,
                    }
                }

                fn write(&self) -> $crate::keys::written::Written {
                    match self {
                        $($Type::$Word => $word.into(),)+
                        $($Type::$Key(value) => Written::Key($key, Box::new(value.write())),)+
                    }
                }

                fn schema(definitions: &mut $crate::keys::schema::Definitions, _: &Limits) -> serde_json::Value {
                    definitions.refer(stringify!($Type), |definitions| {
                        let words = [$(word_schema_of($word, concat!($($doc, "\n"),*))),+];
                        let keys = [$(key_schema(
                            $key,
                            <$type>::schema(definitions, &limits_of::<$type>($how)),
                            concat!($($key_doc, "\n"),*),
                        )),+];
                        described_all("oneOf", words.into_iter().chain(keys), concat!($($about, "\n"),*))
                    })
                }

                fn stand_in() -> $Type {
                    [$(|| $Type::$Word),+][0]()
                }
            }
        };
    };
}

/// Values of several forms: the first of which its function says that it is there, else the last. A form may
/// say its limits, as the keys of a table do.
macro_rules! forms {
    (@how) => { required("") };
    (@how $how:expr) => { $how };
    (@is $node:ident) => { true };
    (@is $node:ident $is:ident) => { $is($node) };
    (
        $(#[doc = $about:literal])*
        $(#[derive($($derive:ident),+)])?
        pub enum $Type:ident {
            $($(#[doc = $doc:literal])* $Form:ident($type:ty) $(if $is:ident)? $(: $how:expr)?,)+
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq $($(, $derive)+)?)]
        pub enum $Type {
            $($(#[doc = $doc])* $Form($type),)+
        }

        const _: () = {
            use $crate::keys::choice::{described_all, forms};
            use $crate::keys::form::{Form, Limits};
            use $crate::keys::key::{limits_of, required};
            use $crate::keys::reader::{Node, Reader};

            impl Form for $Type {
                fn read(reader: &mut Reader, node: &Node<'_>, _: &Limits) -> Option<$Type> {
                    $(if forms!(@is node $($is)?) {
                        let limits = limits_of::<$type>(forms!(@how $($how)?));
                        return <$type>::read(reader, node, &limits).map($Type::$Form);
                    })+
                    None
                }

                fn write(&self) -> $crate::keys::written::Written {
                    match self {
                        $($Type::$Form(value) => value.write(),)+
                    }
                }

                fn schema(definitions: &mut $crate::keys::schema::Definitions, _: &Limits) -> serde_json::Value {
                    definitions.refer(stringify!($Type), |definitions| {
                        let forms = [$($crate::keys::schema::described(
                            <$type>::schema(definitions, &limits_of::<$type>(forms!(@how $($how)?))),
                            concat!($($doc, "\n"),*),
                        )),+];
                        described_all("anyOf", forms, concat!($($about, "\n"),*))
                    })
                }

                fn stand_in() -> $Type {
                    [$(|| $Type::$Form(Form::stand_in())),+][0]()
                }
            }
        };
    };
}

pub(crate) use {form_of_words, forms, words_and_keys, written_words};

/// Reads one word.
pub(crate) fn read_word<T: Word>(reader: &mut Reader, node: &Node<'_>) -> Option<T> {
    let words: Vec<(&'static str, T)> = T::ALL.iter().map(|word| (word.name(), *word)).collect();
    reader.choice(node, &words)
}

/// Reads a plain word, or the one key of a table; `keys` have examples of their values.
pub(crate) fn word_or_key<'d>(
    reader: &mut Reader,
    node: &Node<'d>,
    what: &'static str,
    words: &[&'static str],
    keys: &[(&'static str, &'static str)],
) -> Option<(&'static str, Option<Node<'d>>)> {
    let names: Vec<&'static str> = keys.iter().map(|(key, _)| *key).collect();
    let line = |(key, example): &(&str, &str)| format!("{{ {key} = {example} }}");
    if !node.value.is_table() {
        let all: Vec<(&'static str, &'static str)> =
            words.iter().chain(&names).map(|word| (*word, *word)).collect();
        let word = reader.choice(node, &all)?;
        let Some(key) = keys.iter().find(|(key, _)| *key == word) else { return Some((word, None)) };
        let help = Some(format!("write {}", line(key)));
        reader.fault(node, format!("`{word}` needs its value"), "", help);
        return None;
    }
    let before = reader.faults.len();
    let fields = reader.table(node, what, &names);
    let mut given = names.iter().filter_map(|key| Some((*key, fields.get(key)?)));
    if let (Some((key, value)), None) = (given.next(), given.next()) {
        return Some((key, Some(value)));
    }
    // An unknown key explains that the right one is not there.
    if reader.faults.len() == before {
        let examples: Vec<String> = keys.iter().map(line).collect();
        let help = format!("write for example {}", examples.join(", "));
        reader.fault(node, format!("a {what} must be one of {}", listed(names)), "", Some(help));
    }
    None
}

/// The schema of a type of words.
pub(crate) fn word_schema<T: Word>() -> Value {
    described_all("oneOf", T::ALL.iter().map(|word| word_schema_of(word.name(), word.about())), T::ABOUT)
}

/// The schema of one word.
pub(crate) fn word_schema_of(word: &str, about: &str) -> Value {
    described(json!({ "type": "string", "const": word }), about)
}

/// The schema of a table of one key.
pub(crate) fn key_schema(key: &str, value: Value, about: &str) -> Value {
    let schema = json!({
        "type": "object",
        "properties": { key: value },
        "required": [key],
        "additionalProperties": false,
    });
    described(schema, about)
}

/// The schema of a choice, `how` it is one.
pub(crate) fn described_all(how: &str, schemas: impl IntoIterator<Item = Value>, about: &str) -> Value {
    described(json!({ how: schemas.into_iter().collect::<Value>() }), about)
}

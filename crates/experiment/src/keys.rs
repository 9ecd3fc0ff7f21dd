//! The keys of a table, each said once: its name, a line that would be right, its reader and what stands in
//! for it.

use crate::reader::{Fields, Node, Reader};
use crate::words::Word;

/// A table of the file with a fixed set of keys.
pub(crate) trait Keyed: Sized {
    /// Every key, in the order in which messages list them.
    const KEYS: &'static [&'static str];

    /// Reads the table and reports every fault in it.
    fn read(reader: &mut Reader, node: &Node<'_>) -> Self;
}

/// Implements [`Keyed`]: the fields of a struct are the keys of its table, so the compiler refuses a key too
/// few or too many.
///
/// `key: required(example, reader) or stand_in` must be there; `key: optional(reader) or default` may be left
/// out, and without `or` is an `Option`. `beside "kind"` names a key that is read elsewhere.
macro_rules! keys {
    (@ $from:ident, $fields:ident, $key:ident, required($example:expr, $read:expr) or $stand_in:expr) => {{
        let example = format!("{} = {}", stringify!($key), $example);
        let node = $from.required(&$fields, stringify!($key), &example);
        node.and_then(|node| $read($from, &node)).unwrap_or_else(|| $stand_in)
    }};
    (@ $from:ident, $fields:ident, $key:ident, optional($read:expr)) => {
        $fields.get(stringify!($key)).and_then(|node| $read($from, &node))
    };
    (@ $from:ident, $fields:ident, $key:ident, optional($read:expr) or $default:expr) => {
        $fields.get(stringify!($key)).and_then(|node| $read($from, &node)).unwrap_or_else(|| $default)
    };
    ($type:ident, $what:literal $(beside $other:literal)? {
        $($key:ident: $how:ident($($given:expr),+) $(or $default:expr)?),+ $(,)?
    }) => {
        impl $crate::keys::Keyed for $type {
            const KEYS: &'static [&'static str] = &[$($other,)? $(stringify!($key)),+];

            fn read(reader: &mut $crate::reader::Reader, node: &$crate::reader::Node<'_>) -> $type {
                let fields = reader.table(node, $what, Self::KEYS);
                $type {
                    $($key: $crate::keys::keys!(@ reader, fields, $key, $how($($given),+) $(or $default)?)),+
                }
            }
        }
    };
}

pub(crate) use keys;

/// Reads a table.
pub(crate) fn table<T: Keyed>(reader: &mut Reader, node: &Node<'_>) -> Option<T> {
    Some(T::read(reader, node))
}

/// Reads a whole number between bounds, both included.
pub(crate) fn whole(least: u32, most: u32) -> impl Fn(&mut Reader, &Node<'_>) -> Option<u32> {
    move |reader: &mut Reader, node: &Node<'_>| reader.whole(node, least, most)
}

/// Reads a list; `example` is one that would be right.
pub(crate) fn list<T>(
    example: &'static str,
    read: impl Fn(&mut Reader, &Node<'_>) -> Option<T>,
) -> impl Fn(&mut Reader, &Node<'_>) -> Option<Vec<T>> {
    move |reader: &mut Reader, node: &Node<'_>| reader.list(node, example, |reader, node| read(reader, node))
}

/// Reads levels that are whole numbers from 1.
pub(crate) fn levels(most: u32) -> impl Fn(&mut Reader, &Node<'_>) -> Option<Vec<u32>> {
    list("[1, 2, 4]", whole(1, most))
}

impl Reader {
    /// One word of those that the file has for this type.
    pub(crate) fn word<T: Word>(&mut self, node: &Node<'_>) -> Option<T> {
        self.choice(node, &T::words())
    }

    /// One word, or what stands for a key that was left out.
    pub(crate) fn optional_word<T: Word + Default>(&mut self, fields: &Fields<'_>, key: &str) -> T {
        fields.get(key).and_then(|node| self.word(&node)).unwrap_or_default()
    }
}

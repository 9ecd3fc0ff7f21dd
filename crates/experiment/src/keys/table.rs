//! A table of the file: one declaration gives the struct, its reader, its writer and its JSON Schema.

use serde_json::{Map, Value, json};

use crate::keys::form::{Form, Limits};
use crate::keys::reader::{Fields, Node, Reader};
use crate::keys::schema::{Definitions, described};
use crate::keys::written::Written;

/// A table with a fixed set of keys.
pub(crate) trait Table: Sized {
    /// The name of the type, by which the schema refers to it.
    const NAME: &'static str;
    /// Its name in messages: "bed".
    const WHAT: &'static str;
    /// Its doc comment, as it is written.
    const ABOUT: &'static str;
    /// Every key, in the order in which messages list them.
    const KEYS: &'static [&'static str];

    /// Reads every key and reports every fault.
    fn read_keys(reader: &mut Reader, fields: &Fields<'_>) -> Self;

    /// Adds every key that does not go without saying.
    fn write_keys(&self, written: &mut Vec<(String, Written)>);

    /// Adds every key to the schema.
    fn describe_keys(definitions: &mut Definitions, table: &mut TableSchema);

    /// A table of which every key is left out.
    fn left_out() -> Self;
}

/// The keys of a table in its JSON Schema.
#[derive(Default)]
pub(crate) struct TableSchema {
    pub(crate) properties: Map<String, Value>,
    pub(crate) required: Vec<&'static str>,
}

/// Declares a table: `key: Type = how;` for each key, where `how` comes from [`crate::keys::key`], and a key
/// of type `Option` without `how` may be left out. `field as key` gives a field another name than its key.
/// Doc comments are the descriptions in the schema.
macro_rules! table {
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $key:ident) => { stringify!($key) };
    (@how) => { optional() };
    (@how $how:expr) => { $how };
    (
        $(#[doc = $about:literal])*
        $(#[derive($($derive:ident),+)])?
        $vis:vis struct $Table:ident $what:literal {
            $($(#[doc = $doc:literal])* $field:ident $(as $key:ident)?: $type:ty $(= $how:expr)?;)+
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq $($(, $derive)+)?)]
        $vis struct $Table {
            $($(#[doc = $doc])* pub $field: $type,)+
        }

        const _: () = {
            #[allow(unused_imports, reason = "no table has keys of every kind")]
            use $crate::keys::key::{Key, implied, levels, optional, or, required, tables};
            use $crate::keys::table::table;

            struct Keys {
                $($field: Key<$type>,)+
            }

            fn keys() -> Keys {
                Keys {
                    $($field: table!(@how $($how)?)
                        .named(table!(@name $field $($key)?), concat!($($doc, "\n"),*)),)+
                }
            }

            impl $crate::keys::table::Table for $Table {
                const NAME: &'static str = stringify!($Table);
                const WHAT: &'static str = $what;
                const ABOUT: &'static str = concat!($($about, "\n"),*);
                const KEYS: &'static [&'static str] = &[$(table!(@name $field $($key)?)),+];

                fn read_keys(
                    reader: &mut $crate::keys::reader::Reader,
                    fields: &$crate::keys::reader::Fields<'_>,
                ) -> $Table {
                    let keys = keys();
                    $Table { $($field: keys.$field.read(reader, fields),)+ }
                }

                fn write_keys(&self, written: &mut Vec<(String, $crate::keys::written::Written)>) {
                    let keys = keys();
                    $(keys.$field.write(&self.$field, written);)+
                }

                fn describe_keys(
                    definitions: &mut $crate::keys::schema::Definitions,
                    table: &mut $crate::keys::table::TableSchema,
                ) {
                    let keys = keys();
                    $(keys.$field.describe(definitions, table);)+
                }

                fn left_out() -> $Table {
                    let keys = keys();
                    $Table { $($field: keys.$field.stand_in(),)+ }
                }
            }

            $crate::keys::written::serialized!($Table);
        };
    };
}

pub(crate) use table;

impl<T: Table> Form for T {
    fn read(reader: &mut Reader, node: &Node<'_>, _: &Limits) -> Option<T> {
        Some(read_table(reader, node, &[]))
    }

    fn write(&self) -> Written {
        let mut written = Vec::new();
        self.write_keys(&mut written);
        Written::Table(written)
    }

    fn schema(definitions: &mut Definitions, _: &Limits) -> Value {
        definitions.refer(T::NAME, |definitions| table_schema::<T>(definitions, TableSchema::default()))
    }

    fn stand_in() -> T {
        T::left_out()
    }
}

/// Reads a table that also has the keys `beside`, which are read elsewhere.
pub(crate) fn read_table<T: Table>(reader: &mut Reader, node: &Node<'_>, beside: &[&'static str]) -> T {
    let fields = reader.table(node, T::WHAT, &[beside, T::KEYS].concat());
    T::read_keys(reader, &fields)
}

/// The schema of a table that also has the keys `beside`.
pub(crate) fn table_schema<T: Table>(definitions: &mut Definitions, beside: TableSchema) -> Value {
    let mut table = beside;
    T::describe_keys(definitions, &mut table);
    let mut schema =
        json!({ "type": "object", "additionalProperties": false, "properties": table.properties });
    if !table.required.is_empty() {
        schema["required"] = table.required.into();
    }
    described(schema, T::ABOUT)
}

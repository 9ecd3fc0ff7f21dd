//! A table whose keys are declared once: the declaration is the struct and its reader.

/// Declares a table: the struct, and its `read`, which reports every fault and gives `None` where a key that
/// must be there cannot be read.
///
/// Each key is a line `field: Type = how;` (`field as key` where the names differ), and `how` is one of
/// - `required(EXAMPLE, READ)`: must be there; EXAMPLE is a value that would be right;
/// - `header(HEADER, READ)`: the same for a table, HEADER as the file has it, such as `"[hosts]"`;
/// - `optional(READ)`: may be left out, for a field of type `Option`;
/// - `or(DEFAULT, READ)` and `or_default(READ)`: may be left out;
/// - `of(READ)`: READ takes the [`Keys`](crate::Keys) of the table, for a value of several keys.
///
/// READ is a function of [`Reader`](crate::Reader) and [`Node`](crate::Node), such as `Reader::text` or
/// [`whole(1, 8)`](crate::whole). `beside [..]` names keys that the table may have and that nobody reads.
#[macro_export]
macro_rules! table {
    (
        $(#[$about:meta])*
        $vis:vis struct $Table:ident $what:literal $(beside $beside:tt)? {
            $(
                $(#[$doc:meta])*
                $field_vis:vis $field:ident $(as $key:ident)?: $type:ty = $how:ident($($rule:expr),+);
            )+
        }
    ) => {
        $(#[$about])*
        $vis struct $Table {
            $($(#[$doc])* $field_vis $field: $type,)+
        }

        impl $Table {
            /// Reads the table and reports every fault.
            $vis fn read(reader: &mut $crate::Reader, node: &$crate::Node<'_>) -> Option<$Table> {
                $crate::keys!(reader, node, $what $(beside $beside)?, $Table {
                    $($field $(as $key)?: $how($($rule),+),)+
                })
            }
        }
    };
}

/// Reads a struct that is declared elsewhere from the keys of a table; each key as in
/// [`table!`](crate::table).
#[macro_export]
macro_rules! keys {
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $key:ident) => { stringify!($key) };
    (@required $keys:ident $name:expr, $example:expr, $read:expr) => {
        $keys.required($name, concat!($name, " = ", $example), $read)
    };
    (@header $keys:ident $name:expr, $header:expr, $read:expr) => { $keys.required($name, $header, $read) };
    (@optional $keys:ident $name:expr, $read:expr) => { Some($keys.optional($name, $read)) };
    (@or $keys:ident $name:expr, $default:expr, $read:expr) => {
        Some($keys.optional($name, $read).unwrap_or_else(|| $default))
    };
    (@or_default $keys:ident $name:expr, $read:expr) => {
        Some($keys.optional($name, $read).unwrap_or_default())
    };
    (@of $keys:ident $name:expr, $read:expr) => { $read(&mut $keys) };
    (
        $reader:expr, $node:expr, $what:literal $(beside $beside:tt)?, $Table:ident {
            $($field:ident $(as $key:ident)?: $how:ident($($rule:expr),+),)+
        }
    ) => {{
        let mut keys = $crate::Keys::of($reader, $node, $what);
        $(let $field = $crate::keys!(@$how keys $crate::keys!(@name $field $($key)?), $($rule),+);)+
        $(keys.ignore(&$beside);)?
        keys.close();
        Some($Table { $($field: $field?,)+ })
    }};
}

#[cfg(test)]
mod tests {
    use crate::{Diagnostics, Keys, Node, Reader, amount, one_of, read, tables, whole};

    crate::table! {
        /// A machine.
        #[derive(Debug, Default, PartialEq)]
        struct Host "host" beside ["note"] {
            cores: u32 = required("8", whole(1, 64));
            name: Option<String> = optional(Reader::text);
            kind: char = or('a', one_of(&[("alpha", 'a'), ("beta", 'b')]));
            load: f64 = or_default(amount(0.0, 1.0));
            drives as drive: Vec<Drive> = header("[[drive]]", tables(Drive::read));
            place: (u32, u32) = of(place);
        }
    }

    crate::table! {
        /// A drive.
        #[derive(Debug, Default, PartialEq)]
        struct Drive "drive" {
            size_gb: u32 = required("960", whole(1, 1000));
        }
    }

    /// A value of two keys.
    fn place(keys: &mut Keys<'_, '_>) -> Option<(u32, u32)> {
        let mut side = |key| keys.optional(key, whole(0, 9)).unwrap_or(1);
        Some((side("x"), side("y")))
    }

    fn host(text: &str) -> Result<Host, Diagnostics> {
        read(text, "host.toml", Host::read)
    }

    fn told(text: &str) -> Vec<String> {
        let faults = host(text).expect_err("it has faults");
        faults.iter().map(|fault| format!("{}: {}", fault.line, fault.message)).collect()
    }

    #[test]
    fn a_declaration_reads_its_keys_and_their_defaults() {
        let least = host("cores = 8\nnote = \"\"\n[[drive]]\nsize_gb = 2").expect("it is good");
        let drives = vec![Drive { size_gb: 2 }];
        assert_eq!(least, Host { cores: 8, kind: 'a', place: (1, 1), drives, ..Host::default() });
        let all = "cores = 8\nname = \"x\"\nkind = \"beta\"\nload = 0.5\ny = 3\ndrive = []";
        let all = host(all).expect("it is good");
        assert_eq!((all.name.as_deref(), all.kind, all.load, all.place), (Some("x"), 'b', 0.5, (1, 3)));
    }

    #[test]
    fn every_fault_is_told_at_once() {
        let text =
            "coers = 8\nname = 1\nkind = \"bta\"\nload = 2\nx = 10\n[[drive]]\nsize_gb = 0\n[[drive]]\n";
        assert_eq!(
            told(text),
            [
                "1: unknown key `coers`",
                "2: `name` must be text",
                "3: `kind` cannot be `bta`",
                "4: `load` cannot be 2",
                "5: `x` cannot be 10",
                "7: `size_gb` cannot be 0",
                "8: `size_gb` is missing from this drive",
            ]
        );
    }

    #[test]
    fn one_table_is_no_list_of_tables() {
        assert_eq!(told("cores = 1\n[drive]\nsize_gb = 1"), ["2: `drive` must be a list of tables"]);
        assert_eq!(told("cores = 1\ndrive = 3"), ["2: `drive` must be a list of tables"]);
    }

    /// The declaration's `read` has the form of every reader of values.
    #[test]
    fn a_table_is_read_as_a_value() {
        fn of<T>(
            read: impl Fn(&mut Reader, &Node<'_>) -> Option<T>,
        ) -> impl Fn(&mut Reader, &Node<'_>) -> Option<T> {
            read
        }
        assert!(read("size_gb = 3", "d.toml", of(Drive::read)).is_ok());
    }
}

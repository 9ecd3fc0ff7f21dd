//! The experiments that are shipped inside the program, started by name.

use crate::suggest::nearest;

/// An experiment that is shipped inside the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name it is started by.
    pub name: &'static str,
    /// Its title, the same as in its text.
    pub title: &'static str,
    /// What it does and how long it takes, in one line.
    pub summary: &'static str,
    /// The file.
    pub text: &'static str,
}

const NAMED: [Named; 3] = [
    Named {
        name: "demo",
        title: "NVMe or SATA for a database short of memory",
        summary: "two modelled drives under order entry, about two minutes, nothing to install",
        text: include_str!("../../../experiments/demo.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-1",
        title: "How much memory does a database need on NVMe? (published test 1)",
        summary: "128 GB or 32 GB of memory on DC1500M drives, 1200 warehouses; see --scale",
        text: include_str!("../../../experiments/kingston-dc1500m/test-1.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-2",
        title: "NVMe or SATA under one database (published test 2)",
        summary: "DC1500M, DC500M and 5200 ECO drives, 32 GB of memory, 1200 warehouses; see --scale",
        text: include_str!("../../../experiments/kingston-dc1500m/test-2.toml"),
    },
];

/// Every experiment that is shipped inside the program.
pub fn named() -> &'static [Named] {
    &NAMED
}

/// The shipped experiment of this name.
pub fn find_named(name: &str) -> Option<&'static Named> {
    NAMED.iter().find(|named| named.name == name)
}

/// The shipped experiment that a misspelt name was most likely meant to be.
pub fn suggest_named(name: &str) -> Option<&'static str> {
    // A study's part alone ("test-2") is enough to know what is meant.
    let part = NAMED.iter().find(|named| named.name.rsplit('/').next() == Some(name));
    part.map(|named| named.name).or_else(|| nearest(name, NAMED.iter().map(|named| named.name)))
}

/// A commented experiment to start from, as `init` writes it.
pub fn template() -> &'static str {
    include_str!("../../../experiments/template.toml")
}

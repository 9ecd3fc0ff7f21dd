//! The experiments that are shipped inside the program, started by name.

mod block;
mod operations;

use std::sync::LazyLock;

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

const NAMED: &[Named] = &[
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
        name: "kingston-dc1500m/test-1-postgresql",
        title: "How much memory does a PostgreSQL database need on NVMe? (published test 1)",
        summary: "test 1 on PostgreSQL: --storage 1a=PATH --storage 1b=PATH --storage 1c=PATH; see --scale",
        text: include_str!("../../../experiments/kingston-dc1500m/test-1-postgresql.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-1-mariadb",
        title: "How much memory does a MariaDB database need on NVMe? (published test 1)",
        summary: "test 1 on MariaDB: --storage 1a=PATH --storage 1b=PATH --storage 1c=PATH; see --scale",
        text: include_str!("../../../experiments/kingston-dc1500m/test-1-mariadb.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-2",
        title: "NVMe or SATA under one database (published test 2)",
        summary: "DC1500M, DC500M and 5200 ECO drives, 32 GB of memory, 1200 warehouses; see --scale",
        text: include_str!("../../../experiments/kingston-dc1500m/test-2.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-2-postgresql",
        title: "NVMe or SATA under one PostgreSQL database (published test 2)",
        summary: "test 2 on PostgreSQL: --storage nvme=PATH --storage dc500m=PATH --storage eco=PATH; see --scale",
        text: include_str!("../../../experiments/kingston-dc1500m/test-2-postgresql.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-2-mariadb",
        title: "NVMe or SATA under one MariaDB database (published test 2)",
        summary: "test 2 on MariaDB: --storage nvme=PATH --storage dc500m=PATH --storage eco=PATH; see --scale",
        text: include_str!("../../../experiments/kingston-dc1500m/test-2-mariadb.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-3",
        title: "NVMe or SATA under a larger database (published test 3)",
        summary: "DC1500M and 5200 ECO drives, 2000 warehouses, up to 128 users, longer steps; see --scale",
        text: include_str!("../../../experiments/kingston-dc1500m/test-3.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-3-postgresql",
        title: "NVMe or SATA under a larger database, on PostgreSQL (published test 3)",
        summary: "test 3 on PostgreSQL: --storage nvme=PATH --storage eco=PATH; see --scale",
        text: include_str!("../../../experiments/kingston-dc1500m/test-3-postgresql.toml"),
    },
    Named {
        name: "kingston-dc1500m/test-3-mariadb",
        title: "NVMe or SATA under a larger database, on MariaDB (published test 3)",
        summary: "test 3 on MariaDB: --storage nvme=PATH --storage eco=PATH; see --scale",
        text: include_str!("../../../experiments/kingston-dc1500m/test-3-mariadb.toml"),
    },
    Named {
        name: "durability/sqlite",
        title: "Does SQLite keep what it acknowledged when the power goes?",
        summary: "twenty power cuts under SQLite at work, about five minutes, nothing to install",
        text: include_str!("../../../experiments/durability/sqlite.toml"),
    },
    Named {
        name: "durability/sqlite-without-sync",
        title: "What does SQLite lose without syncs when the power goes?",
        summary: "the durability test where it has to fail: no syncs, and the power is cut",
        text: include_str!("../../../experiments/durability/sqlite-without-sync.toml"),
    },
    Named {
        name: "durability/postgresql",
        title: "Does PostgreSQL keep what it acknowledged when it is killed?",
        summary: "twenty kills of PostgreSQL at work, here or at --storage server=PATH",
        text: include_str!("../../../experiments/durability/postgresql.toml"),
    },
    Named {
        name: "durability/mariadb",
        title: "Does MariaDB keep what it acknowledged when it is killed?",
        summary: "twenty kills of MariaDB at work, here or at --storage server=PATH",
        text: include_str!("../../../experiments/durability/mariadb.toml"),
    },
    Named {
        name: "durability/postgresql-power",
        title: "Does PostgreSQL keep what it acknowledged when the power goes?",
        summary: "twenty power cuts under PostgreSQL at work on an emulated drive; needs FUSE",
        text: include_str!("../../../experiments/durability/postgresql-power.toml"),
    },
    Named {
        name: "durability/mariadb-power",
        title: "Does MariaDB keep what it acknowledged when the power goes?",
        summary: "twenty power cuts under MariaDB at work on an emulated drive; needs FUSE",
        text: include_str!("../../../experiments/durability/mariadb-power.toml"),
    },
    Named {
        name: "durability/postgresql-lying-drive",
        title: "What does PostgreSQL lose on a drive that lies about its flushes?",
        summary: "the durability test where it has to fail: flushes that keep nothing; needs FUSE",
        text: include_str!("../../../experiments/durability/postgresql-lying-drive.toml"),
    },
    Named {
        name: "durability/postgresql-without-sync",
        title: "What does PostgreSQL lose without syncs when the power goes?",
        summary: "the durability test where it has to fail: a server that never syncs; needs FUSE",
        text: include_str!("../../../experiments/durability/postgresql-without-sync.toml"),
    },
    Named {
        name: "durability/mariadb-without-sync",
        title: "What does MariaDB lose without syncs when the power goes?",
        summary: "the durability test where it has to fail: a server that never syncs; needs FUSE",
        text: include_str!("../../../experiments/durability/mariadb-without-sync.toml"),
    },
    Named {
        name: "predict/postgresql",
        title: "How well is a drive predicted from another one under PostgreSQL?",
        summary: "two emulated drives, two memories, three loads, to judge `drivetrain predict` by; needs FUSE",
        text: include_str!("../../../experiments/predict/postgresql.toml"),
    },
    Named {
        name: "storagereview-skhynix/sql-postgresql",
        title: "Latency of four PostgreSQL databases at a fixed load, NVMe or SATA (published SQL test)",
        summary: "4 databases with 15,000 users each who key and think: --storage nvme=PATH --storage sata=PATH; see --scale",
        text: include_str!("../../../experiments/storagereview-skhynix/sql-postgresql.toml"),
    },
    Named {
        name: "storagereview-skhynix/sql-mariadb",
        title: "Latency of four MariaDB databases at a fixed load, NVMe or SATA (published SQL test)",
        summary: "4 databases with 15,000 users each who key and think: --storage nvme=PATH --storage sata=PATH; see --scale",
        text: include_str!("../../../experiments/storagereview-skhynix/sql-mariadb.toml"),
    },
    Named {
        name: "storagereview-skhynix/sysbench-postgresql",
        title: "Transactions of eight PostgreSQL databases under sysbench, NVMe or SATA (published Sysbench test)",
        summary: "8 databases of 100 tables under sysbench: --storage nvme=PATH --storage sata=PATH; see --scale",
        text: include_str!("../../../experiments/storagereview-skhynix/sysbench-postgresql.toml"),
    },
    Named {
        name: "storagereview-skhynix/sysbench-mariadb",
        title: "Transactions of eight MariaDB databases under sysbench, NVMe or SATA (published Sysbench test)",
        summary: "8 databases of 100 tables under sysbench: --storage nvme=PATH --storage sata=PATH; see --scale",
        text: include_str!("../../../experiments/storagereview-skhynix/sysbench-mariadb.toml"),
    },
];

static ALL: LazyLock<Vec<Named>> =
    LazyLock::new(|| [NAMED, &block::BLOCK[..], &operations::OPERATIONS[..]].concat());

/// Every experiment that is shipped inside the program.
pub fn named() -> &'static [Named] {
    &ALL
}

/// Further names that a study's tests go by.
const ALIASES: [(&str, &str); 2] = [
    ("storagereview-skhynix/sql-4vm", "storagereview-skhynix/sql-postgresql"),
    ("storagereview-skhynix/sysbench-8vm", "storagereview-skhynix/sysbench-postgresql"),
];

/// The shipped experiment of this name.
pub fn find_named(name: &str) -> Option<&'static Named> {
    let meant = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, meant)| meant);
    named().iter().find(|named| named.name == meant)
}

/// The shipped experiment that a misspelt name was most likely meant to be.
pub fn suggest_named(name: &str) -> Option<&'static str> {
    // A study's part alone ("test-2") is enough to know what is meant.
    let part = named().iter().find(|named| named.name.rsplit('/').next() == Some(name));
    part.map(|named| named.name).or_else(|| nearest(name, named().iter().map(|named| named.name)))
}

/// A commented experiment to start from, as `init` writes it.
pub fn template() -> &'static str {
    include_str!("../../../experiments/template.toml")
}

//! The experiments that are shipped inside the program, started by name.

mod families;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use tomlfile::nearest;
use words::{Engine, WorkloadKind};

use crate::file::Experiment;
use crate::parse::parse;
use crate::workload::Workload;

pub use families::{Family, NothingFound, families, search_named};

/// An experiment that is shipped inside the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name it is started by.
    pub name: &'static str,
    /// Its work and its time, in one line.
    pub summary: &'static str,
    /// The file.
    pub text: &'static str,
}

/// The shipped experiments by their names, as they are read.
static READ: LazyLock<BTreeMap<&str, Experiment>> = LazyLock::new(|| {
    let read = |named: &Named| {
        (named.name, parse(named.text, named.name).expect("a test reads every shipped experiment"))
    };
    NAMED.iter().map(read).collect()
});

impl Named {
    fn experiment(&self) -> Option<&'static Experiment> {
        READ.get(self.name)
    }

    /// Its title.
    pub fn title(&self) -> &'static str {
        self.experiment().map_or("", |experiment| &experiment.title)
    }

    /// The engine of its database; `None` without a database.
    pub fn engine(&self) -> Option<Engine> {
        Some(self.experiment()?.database.as_ref()?.engine)
    }

    /// The kinds of its workloads, each once.
    pub fn kinds(&self) -> Vec<WorkloadKind> {
        let workloads = self.experiment().into_iter().flat_map(|experiment| &experiment.workload);
        let mut kinds: Vec<WorkloadKind> = workloads.map(Workload::kind).collect();
        kinds.dedup();
        kinds
    }
}

/// The list: names, which are the paths below `experiments/`, and summaries.
macro_rules! shipped {
    ($($name:literal, $summary:literal;)*) => {
        &[$(Named {
            name: $name,
            summary: $summary,
            text: include_str!(concat!("../../../experiments/", $name, ".toml")),
        }),*]
    };
}

#[rustfmt::skip] // One row each.
const NAMED: &[Named] = shipped! {
    "demo", "two modelled drives under order entry, about two minutes, nothing to install";
    "kingston-dc1500m/test-1", "128 GB or 32 GB of memory on DC1500M drives, 1200 warehouses; see --scale";
    "kingston-dc1500m/test-1-postgresql", "test 1 on PostgreSQL: --storage 1a=PATH --storage 1b=PATH --storage 1c=PATH; see --scale";
    "kingston-dc1500m/test-1-mariadb", "test 1 on MariaDB: --storage 1a=PATH --storage 1b=PATH --storage 1c=PATH; see --scale";
    "kingston-dc1500m/test-2", "DC1500M, DC500M and 5200 ECO drives, 32 GB of memory, 1200 warehouses; see --scale";
    "kingston-dc1500m/test-2-postgresql", "test 2 on PostgreSQL: --storage nvme=PATH --storage dc500m=PATH --storage eco=PATH; see --scale";
    "kingston-dc1500m/test-2-mariadb", "test 2 on MariaDB: --storage nvme=PATH --storage dc500m=PATH --storage eco=PATH; see --scale";
    "kingston-dc1500m/test-3", "DC1500M and 5200 ECO drives, 2000 warehouses, up to 128 users, longer steps; see --scale";
    "kingston-dc1500m/test-3-postgresql", "test 3 on PostgreSQL: --storage nvme=PATH --storage eco=PATH; see --scale";
    "kingston-dc1500m/test-3-mariadb", "test 3 on MariaDB: --storage nvme=PATH --storage eco=PATH; see --scale";
    "durability/sqlite", "twenty power cuts under SQLite at work, about five minutes, nothing to install";
    "durability/sqlite-without-sync", "the durability test where it has to fail: no syncs, and the power is cut";
    "durability/postgresql", "twenty kills of PostgreSQL at work, here or at --storage server=PATH";
    "durability/mariadb", "twenty kills of MariaDB at work, here or at --storage server=PATH";
    "durability/postgresql-power", "twenty power cuts under PostgreSQL at work on an emulated drive; needs FUSE";
    "durability/mariadb-power", "twenty power cuts under MariaDB at work on an emulated drive; needs FUSE";
    "durability/postgresql-lying-drive", "the durability test where it has to fail: flushes that keep nothing; needs FUSE";
    "durability/postgresql-without-sync", "the durability test where it has to fail: a server that never syncs; needs FUSE";
    "durability/mariadb-without-sync", "the durability test where it has to fail: a server that never syncs; needs FUSE";
    "predict/postgresql", "two emulated drives, two memories, three loads, to judge `drivetrain predict` by; needs FUSE";
    "storagereview-skhynix/sql-postgresql", "4 databases with 15,000 users each who key and think: --storage nvme=PATH --storage sata=PATH; see --scale";
    "storagereview-skhynix/sql-mariadb", "4 databases with 15,000 users each who key and think: --storage nvme=PATH --storage sata=PATH; see --scale";
    "storagereview-skhynix/sysbench-postgresql", "8 databases of 100 tables under sysbench: --storage nvme=PATH --storage sata=PATH; see --scale";
    "storagereview-skhynix/sysbench-mariadb", "8 databases of 100 tables under sysbench: --storage nvme=PATH --storage sata=PATH; see --scale";
    "kingston-dc1500m/fio-steady", "4K 75 % reads second by second and 256K sequential on one drive each; see --scale";
    "kingston-dc1500m/hcibench", "70/30 mix, reads and writes over block sizes by six workers, or by six machines with --hosts; see --scale";
    "storagereview-skhynix/four-corners", "the maximum of four corners, then 10 to 120 % of it: latency against throughput; see --scale";
    "storagereview-skhynix/vdi", "boot, login and steady work of desktops, synthetic approximations with sources; see --scale";
    "iodrive-2009/sqlio", "8K random and 256K sequential by depth on an ioDrive and a disk array; see --scale";
    "iodrive-2009/checkpoint-bursts", "page reads inside and between bursts of 10,000 pages every 60 s and every 10 s; see --scale";
    "fleet/scale-out", "1, 2, 4 and 8 load generators at once, to find the knee: --hosts localhost:8 --storage storage=PATH";
    "snia-pts/iops", "shares of reads x block sizes in rounds until steady; PTS-shaped below full size; see --scale";
    "snia-pts/throughput", "sequential 1024 and 128 KiB in rounds until steady; PTS-shaped below full size; see --scale";
    "snia-pts/latency", "one I/O at a time in rounds until steady; PTS-shaped below full size; see --scale";
    "snia-pts/write-saturation", "random 4K writes from the first on, with what was written; PTS-shaped below full size; see --scale";
    "profile/quick", "the loads of `drivetrain profile --quick`: about ten minutes";
    "profile/standard", "the loads of `drivetrain profile`: about an hour";
    "profile/full", "the loads of `drivetrain profile --full`: about six hours, with a map";
    "profile/twin", "a drive and its emulated twin side by side, an hour: `drivetrain profile --twin`";
    "sql-server-streams", "pages, checkpoint bursts, log with its own drive, read-ahead: what the log waits for; see --scale";
    "kingston-dc1500m/test-4", "backup and restore, three cycles, every restore proven; see --scale";
    "kingston-dc1500m/test-4-postgresql", "backup and restore, three cycles, every restore proven: --storage nvme=PATH --storage eco=PATH; see --scale";
    "kingston-dc1500m/test-4-mariadb", "backup and restore, three cycles, every restore proven: --storage nvme=PATH --storage eco=PATH; see --scale";
    "kingston-dc1500m/test-5", "the same victims alone, together, beside backups and with a limit; see --scale";
    "kingston-dc1500m/test-5-postgresql", "the same victims alone, together, beside backups and with a limit: --storage nvme=PATH --storage eco=PATH; see --scale";
    "kingston-dc1500m/test-5-mariadb", "the same victims alone, together, beside backups and with a limit: --storage nvme=PATH --storage eco=PATH; see --scale";
    "kingston-dc1500m/test-5-as-published", "twelve victims, then eight beside four backups, and why that shows no slowdown: --storage nvme=PATH --storage eco=PATH";
    "iodrive-2009/index-scan-vs-lookup", "the same rows by a scan and by an index, 0.01 % to 100 %, on a modelled ioDrive and ten disks; see --scale";
    "iodrive-2009/fragmentation", "cold scans of a table in one piece, in pieces of 1 MiB and of 64 KiB; see --scale";
};

/// Every experiment that is shipped inside the program.
pub fn named() -> &'static [Named] {
    NAMED
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
    // A study's part alone ("test-2") is enough to identify it, and so is the beginning of the study with it.
    let (study, part) = name.rsplit_once('/').unwrap_or(("", name));
    let is_meant =
        |named: &&Named| named.name.rsplit('/').next() == Some(part) && named.name.starts_with(study);
    let part = named().iter().find(is_meant);
    part.map(|named| named.name).or_else(|| nearest(name, named().iter().map(|named| named.name)))
}

/// A commented experiment to start from, as `init` writes it.
pub fn template() -> &'static str {
    include_str!("../../../experiments/template.toml")
}

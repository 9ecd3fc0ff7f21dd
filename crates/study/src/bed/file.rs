//! The file of a bed, read with all of its faults at once.

use device::catalogue::{self, Entry};
use device::datastore::RaidLevel;
use simulate::Hosts;
use tomlfile::{Diagnostics, Keys, Node, Reader, amount, listed, one_of, whole};

/// More hosts, processors or drives than these are a slip of the pen.
const COUNT_MAX: u32 = 4096;
/// The largest amount of a key, in its own unit.
const AMOUNT_MAX: f64 = 1e9;

tomlfile::table! {
    /// A bed as its file has it: what the parameters add is not known yet.
    #[derive(Clone, Debug, PartialEq)]
    pub struct BedFile "bed" {
        pub(super) name: String = required("\"my-bed\"", Reader::text);
        pub(super) title: String = required("\"3 nodes with NVMe\"", Reader::text);
        /// The beginning of the names of its own parameters.
        pub(super) parameters: String = required("\"nvme\"", Reader::text);
        pub(super) hosts: Hosts = header("[hosts]", hosts);
        pub(super) storage: Storage = of(storage);
    }
}

/// One of the tables [datastore] and [array].
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Storage {
    Datastore(DatastoreTable),
    Array(ArrayTable),
}

tomlfile::table! {
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct DatastoreTable "datastore" {
        pub(super) groups_per_host: u32 = required("1", whole(1, COUNT_MAX));
        pub(super) cache: Option<&'static Entry> = optional(drive);
        pub(super) capacity: &'static Entry = required("\"kingston-dc1500m-960g\"", drive);
        pub(super) capacity_drives: u32 = required("2", whole(1, COUNT_MAX));
        pub(super) failures_to_tolerate: u32 = required("1", whole(0, COUNT_MAX));
        pub(super) stripe_width: u32 = required("1", whole(1, COUNT_MAX));
        pub(super) link_gbit_per_s: f64 = required("25", amount(0.0, AMOUNT_MAX));
        pub(super) hop_us: f64 = required("50", amount(0.0, AMOUNT_MAX));
        pub(super) buffer_gb: f64 = required("600", amount(0.0, AMOUNT_MAX));
        pub(super) read_hit_ratio: Option<f64> = optional(amount(0.0, 1.0));
    }
}

tomlfile::table! {
    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct ArrayTable "array" {
        pub(super) level: RaidLevel = required("\"raid10\"", one_of(&LEVELS));
        pub(super) drive: &'static Entry = required("\"kingston-dc1500m-960g\"", drive);
        pub(super) drives: u32 = required("4", whole(1, COUNT_MAX));
        pub(super) stripe_kib: u32 = or(0, whole(0, u32::MAX));
        pub(super) cache_mib: u32 = or(0, whole(0, u32::MAX));
        pub(super) cache_ack_us: u32 = or(0, whole(0, u32::MAX));
        pub(super) controller_us: u32 = or(0, whole(0, u32::MAX));
    }
}

/// Layouts as a file writes them.
const LEVELS: [(&str, RaidLevel); 4] = [
    ("raid0", RaidLevel::Raid0),
    ("raid1", RaidLevel::Raid1),
    ("raid10", RaidLevel::Raid10),
    ("jbod", RaidLevel::Jbod),
];

/// Reads a bed's file; `file` is its name, for messages.
///
/// # Errors
/// All faults of the file: TOML that does not parse, unknown keys, values out of range, unknown drives.
pub fn parse(text: &str, file: &str) -> Result<BedFile, Diagnostics> {
    tomlfile::read(text, file, |reader, root| {
        let bed = BedFile::read(reader, root);
        let is_given = |table: &&str| root.at(table).is_some() || reader.broken.contains(*table);
        if ["datastore", "array"].iter().filter(|table| is_given(table)).count() != 1 {
            let help = "write [datastore] for disk groups over hosts, or [array] for drives of one machine";
            let message = "a bed has either [datastore] or [array]".to_owned();
            reader.fault(root, message, "", Some(help.to_owned()));
        }
        bed
    })
}

fn hosts(reader: &mut Reader, node: &Node<'_>) -> Option<Hosts> {
    tomlfile::keys!(
        reader,
        node,
        "table of hosts",
        Hosts {
            count: required("3", whole(1, COUNT_MAX)),
            cores: required("16", whole(1, COUNT_MAX)),
            threads: required("32", whole(1, COUNT_MAX)),
            memory_gib: required("768", whole(1, 1 << 20)),
        }
    )
}

fn storage(keys: &mut Keys<'_, '_>) -> Option<Storage> {
    let datastore = keys.optional("datastore", DatastoreTable::read).map(Storage::Datastore);
    let array = keys.optional("array", ArrayTable::read).map(Storage::Array);
    datastore.or(array)
}

/// A drive of the catalogue by its name.
fn drive(reader: &mut Reader, node: &Node<'_>) -> Option<&'static Entry> {
    let name = reader.text(node)?;
    let entry = catalogue::find(&name);
    if entry.is_none() {
        let help = match catalogue::suggest(&name) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => format!("the catalogue has {}", listed(catalogue::names())),
        };
        reader.fault(node, format!("no drive is called `{name}`"), "not in the catalogue", Some(help));
    }
    entry
}

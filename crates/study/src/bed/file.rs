//! The file of a bed, read with all of its faults at once.

use device::catalogue::{self, Entry};
use device::datastore::RaidLevel;
use simulate::Hosts;
use tomlfile::{Diagnostics, Keys, Node, Reader, listed};

use crate::keys::{amount, whole};

/// More hosts, processors or drives than these are a slip of the pen.
const COUNT_MAX: u32 = 4096;
/// The largest amount of a key, in its own unit.
const AMOUNT_MAX: f64 = 1e9;

/// A bed as its file has it: what the parameters add is not known yet.
#[derive(Clone, Debug, PartialEq)]
pub struct BedFile {
    pub(super) name: String,
    pub(super) title: String,
    /// The beginning of the names of its own parameters.
    pub(super) parameters: String,
    pub(super) hosts: Hosts,
    pub(super) storage: Storage,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Storage {
    Datastore(DatastoreTable),
    Array(ArrayTable),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct DatastoreTable {
    pub(super) groups_per_host: u32,
    pub(super) cache: Option<&'static Entry>,
    pub(super) capacity: &'static Entry,
    pub(super) capacity_drives: u32,
    pub(super) failures_to_tolerate: u32,
    pub(super) stripe_width: u32,
    pub(super) link_gbit_per_s: f64,
    pub(super) hop_us: f64,
    pub(super) buffer_gb: f64,
    pub(super) read_hit_ratio: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ArrayTable {
    pub(super) level: RaidLevel,
    pub(super) drive: &'static Entry,
    pub(super) drives: u32,
    pub(super) stripe_kib: u32,
    pub(super) cache_mib: u32,
    pub(super) cache_ack_us: u32,
    pub(super) controller_us: u32,
}

/// Reads a bed's file; `file` is its name, for messages.
///
/// # Errors
/// All faults of the file: TOML that does not parse, unknown keys, values out of range, unknown drives.
pub fn parse(text: &str, file: &str) -> Result<BedFile, Diagnostics> {
    tomlfile::read(text, file, bed)
}

fn bed(reader: &mut Reader, root: &Node<'_>) -> Option<BedFile> {
    let mut keys = Keys::of(reader, root, "bed");
    let name = keys.required("name", "name = \"my-bed\"", Reader::text);
    let title = keys.required("title", "title = \"3 nodes with NVMe\"", Reader::text);
    let parameters = keys.required("parameters", "parameters = \"nvme\"", Reader::text);
    let hosts = keys.required("hosts", "[hosts]", hosts);
    let datastore = keys.optional("datastore", |reader, node| Some(datastore(reader, node)));
    let array = keys.optional("array", |reader, node| Some(array(reader, node)));
    keys.close();
    let storage = match (datastore, array) {
        (Some(datastore), None) => Storage::Datastore(datastore?),
        (None, Some(array)) => Storage::Array(array?),
        _ => {
            if !["datastore", "array"].iter().any(|table| reader.broken.contains(*table)) {
                let help =
                    "write [datastore] for disk groups over hosts, or [array] for drives of one machine";
                reader.fault(
                    root,
                    "a bed has either [datastore] or [array]".to_owned(),
                    "",
                    Some(help.to_owned()),
                );
            }
            return None;
        }
    };
    Some(BedFile { name: name?, title: title?, parameters: parameters?, hosts: hosts?, storage })
}

fn hosts(reader: &mut Reader, node: &Node<'_>) -> Option<Hosts> {
    let mut keys = Keys::of(reader, node, "table of hosts");
    let count = keys.required("count", "count = 3", whole(1, COUNT_MAX));
    let cores = keys.required("cores", "cores = 16", whole(1, COUNT_MAX));
    let threads = keys.required("threads", "threads = 32", whole(1, COUNT_MAX));
    let memory_gib = keys.required("memory_gib", "memory_gib = 768", whole(1, 1 << 20));
    keys.close();
    Some(Hosts { count: count?, cores: cores?, threads: threads?, memory_gib: memory_gib? })
}

fn datastore(reader: &mut Reader, node: &Node<'_>) -> Option<DatastoreTable> {
    let mut keys = Keys::of(reader, node, "datastore");
    let groups_per_host = keys.required("groups_per_host", "groups_per_host = 1", whole(1, COUNT_MAX));
    let cache = keys.optional("cache", drive);
    let capacity = keys.required("capacity", "capacity = \"kingston-dc1500m-960g\"", drive);
    let capacity_drives = keys.required("capacity_drives", "capacity_drives = 2", whole(1, COUNT_MAX));
    let failures = keys.required("failures_to_tolerate", "failures_to_tolerate = 1", whole(0, COUNT_MAX));
    let stripe_width = keys.required("stripe_width", "stripe_width = 1", whole(1, COUNT_MAX));
    let link = keys.required("link_gbit_per_s", "link_gbit_per_s = 25", amount(0.0, AMOUNT_MAX));
    let hop_us = keys.required("hop_us", "hop_us = 50", amount(0.0, AMOUNT_MAX));
    let buffer_gb = keys.required("buffer_gb", "buffer_gb = 600", amount(0.0, AMOUNT_MAX));
    let read_hit_ratio = keys.optional("read_hit_ratio", amount(0.0, 1.0));
    keys.close();
    Some(DatastoreTable {
        groups_per_host: groups_per_host?,
        cache,
        capacity: capacity?,
        capacity_drives: capacity_drives?,
        failures_to_tolerate: failures?,
        stripe_width: stripe_width?,
        link_gbit_per_s: link?,
        hop_us: hop_us?,
        buffer_gb: buffer_gb?,
        read_hit_ratio,
    })
}

fn array(reader: &mut Reader, node: &Node<'_>) -> Option<ArrayTable> {
    let levels = [
        ("raid0", RaidLevel::Raid0),
        ("raid1", RaidLevel::Raid1),
        ("raid10", RaidLevel::Raid10),
        ("jbod", RaidLevel::Jbod),
    ];
    let mut keys = Keys::of(reader, node, "array");
    let level = keys.required("level", "level = \"raid10\"", |reader, node| reader.choice(node, &levels));
    let drive = keys.required("drive", "drive = \"kingston-dc1500m-960g\"", drive);
    let drives = keys.required("drives", "drives = 4", whole(1, COUNT_MAX));
    let mut or_zero = |key| keys.optional(key, whole(0, u32::MAX)).unwrap_or(0);
    let (stripe_kib, cache_mib) = (or_zero("stripe_kib"), or_zero("cache_mib"));
    let (cache_ack_us, controller_us) = (or_zero("cache_ack_us"), or_zero("controller_us"));
    keys.close();
    Some(ArrayTable {
        level: level?,
        drive: drive?,
        drives: drives?,
        stripe_kib,
        cache_mib,
        cache_ack_us,
        controller_us,
    })
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

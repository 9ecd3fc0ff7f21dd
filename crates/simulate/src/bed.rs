//! A test bed in numbers: hosts, storage and what the database costs on them, from its file and the
//! parameters.

use device::datastore::{ArraySpec, CacheTier, DatastoreSpec, LinearCost, RaidLevel};
use device::{DriveSpec, catalogue};
use serde::Deserialize;

use crate::parameter::Values;

/// A bed that can be simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Bed {
    /// Name by which experiments refer to it.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// Hosts that run machines.
    pub hosts: Hosts,
    /// What holds the bytes.
    pub store: StoreSpec,
    /// What the database costs on these hosts.
    pub database: DatabaseCosts,
}

/// The hosts of a bed, all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hosts {
    /// How many.
    pub count: u32,
    /// Cores of one.
    pub cores: u32,
    /// Hardware threads of one.
    pub threads: u32,
    /// Memory of one.
    pub memory_gib: u32,
}

/// What holds the bytes of a bed.
#[derive(Clone, Debug, PartialEq)]
pub enum StoreSpec {
    /// Disk groups over hosts.
    Datastore(Box<DatastoreSpec>),
    /// Drives of one machine.
    Array(Box<ArraySpec>),
}

/// Demands of the database and of the machines around it. Times are nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DatabaseCosts {
    /// Processor time of one batch request, local driver included.
    pub cpu_per_batch_ns: f64,
    /// Share of it that the driver takes.
    pub driver_share: f64,
    /// Waiting of a batch for neither processor, storage nor log.
    pub wait_ns: f64,
    /// Waiting that a driver on another machine adds to a batch.
    pub remote_wait_ns: f64,
    /// How much longer the processor takes for each other busy machine on the host.
    pub neighbour_share: f64,
    /// Writes to the data file per batch.
    pub data_writes_per_batch: f64,
    /// Batch requests per new order: 4.6 by HammerDB's count on SQL Server.
    pub batches_per_new_order: f64,
    /// Share of a machine's memory that is buffer pool.
    pub pool_share: f64,
    /// Time of the server for each MiB of a backup.
    pub backup_ns_per_mib: f64,
    /// Time of the server for each MiB of a restore.
    pub restore_ns_per_mib: f64,
}

/// Why a bed cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BedError {
    /// There is no bed of that name.
    #[error("no bed `{name}` in the catalogue{hint}; there are {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// "; did you mean ...?", or empty.
        hint: String,
        /// The names there are.
        known: String,
    },
    /// Its file cannot be read.
    #[error("{file}: {problem}")]
    File {
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
    },
    /// A drive that it names does not exist.
    #[error(
        "bed `{bed}` names the drive `{drive}`, which is not in the catalogue; `drivetrain drives` lists them"
    )]
    Drive {
        /// The bed.
        bed: String,
        /// The drive.
        drive: String,
    },
    /// A quantity that no bed can have.
    #[error("bed `{bed}`: {error}")]
    Impossible {
        /// The bed.
        bed: String,
        /// The quantity and what is allowed.
        error: device::SpecError,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    title: String,
    parameters: String,
    hosts: Hosts,
    datastore: Option<DatastoreTable>,
    array: Option<ArrayTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DatastoreTable {
    groups_per_host: u32,
    cache: Option<String>,
    capacity: String,
    capacity_drives: u32,
    failures_to_tolerate: u32,
    stripe_width: u32,
    link_gbit_per_s: f64,
    hop_us: f64,
    buffer_gb: f64,
    read_hit_ratio: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArrayTable {
    level: String,
    drive: String,
    drives: u32,
    #[serde(default)]
    stripe_kib: u64,
    #[serde(default)]
    cache_mib: u64,
    #[serde(default)]
    cache_ack_us: u64,
    #[serde(default)]
    controller_us: u64,
}

const FILES: [(&str, &str); 7] = [
    ("kingston-nvme.toml", include_str!("../../../catalogue/beds/kingston-nvme.toml")),
    ("kingston-sata.toml", include_str!("../../../catalogue/beds/kingston-sata.toml")),
    ("kingston-sata-dc500m.toml", include_str!("../../../catalogue/beds/kingston-sata-dc500m.toml")),
    ("storagereview-nvme.toml", include_str!("../../../catalogue/beds/storagereview-nvme.toml")),
    ("storagereview-sata.toml", include_str!("../../../catalogue/beds/storagereview-sata.toml")),
    ("iodrive.toml", include_str!("../../../catalogue/beds/iodrive.toml")),
    ("iodrive-disks.toml", include_str!("../../../catalogue/beds/iodrive-disks.toml")),
];

/// Names of the beds of the catalogue.
#[must_use]
pub fn names() -> Vec<&'static str> {
    FILES.iter().map(|(file, _)| file.trim_end_matches(".toml")).collect()
}

/// Largest piece of a virtual disk on one drive (vSAN: 255 GB).
const COMPONENT_BYTES: u64 = 255_000_000_000;
/// Share of a full write buffer that starts destaging.
const DESTAGE_FROM: f64 = 0.3;
/// Longest delay by congestion.
const CONGESTION_NS: u64 = 100_000_000;

impl Bed {
    /// The bed of that name of the catalogue, with these parameters; `drive:NAME` is a host with that one
    /// drive.
    ///
    /// # Errors
    /// An unknown name, with the one probably meant; a quantity out of range.
    pub fn find(name: &str, values: &Values) -> Result<Bed, BedError> {
        if let Some(drive) = name.strip_prefix("drive:") {
            let scope = Scope { bed: name, prefix: "", values };
            let (spec, bytes) = scope.drive(drive)?;
            return Bed::of_drive(drive, &spec, bytes, values);
        }
        let Some((file, text)) = FILES.iter().find(|(file, _)| file.trim_end_matches(".toml") == name) else {
            let near = names()
                .into_iter()
                .max_by(|a, b| strsim::jaro_winkler(name, a).total_cmp(&strsim::jaro_winkler(name, b)));
            let near = near.filter(|near| strsim::jaro_winkler(name, near) > 0.7);
            let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return Err(BedError::Unknown { name: name.to_owned(), hint, known: names().join(", ") });
        };
        Bed::parse(text, file, values)
    }

    /// Reads a bed from its file; `file` is its name, for messages.
    ///
    /// # Errors
    /// TOML that does not parse, an unknown key, an unknown drive, a quantity out of range.
    pub fn parse(text: &str, file: &str, values: &Values) -> Result<Bed, BedError> {
        let fault = |problem: String| BedError::File { file: file.to_owned(), problem };
        let read: File =
            toml::from_str(text).map_err(|error| fault(error.to_string().trim_end().to_owned()))?;
        let scope = Scope { bed: &read.name, prefix: &read.parameters, values };
        let store = match (&read.datastore, &read.array) {
            (Some(table), None) => StoreSpec::Datastore(Box::new(scope.datastore(table, read.hosts)?)),
            (None, Some(table)) => StoreSpec::Array(Box::new(scope.array(table)?)),
            _ => return Err(fault("give either [datastore] or [array]".to_owned())),
        };
        let database = scope.database();
        Ok(Bed { store, database, name: read.name, title: read.title, hosts: read.hosts })
    }

    /// One host like those of the NVMe bed with a single drive: what stands for a bed of which nothing but
    /// the drive is known.
    ///
    /// # Errors
    /// When the numbers make no bed.
    pub fn of_drive(
        name: &str,
        drive: &DriveSpec,
        capacity_bytes: u64,
        values: &Values,
    ) -> Result<Bed, BedError> {
        let mut bed = Bed::find("kingston-nvme", values)?;
        let store = DatastoreSpec::of_drive(drive, capacity_bytes);
        store.validate().map_err(|error| BedError::Impossible { bed: name.to_owned(), error })?;
        bed.store = StoreSpec::Datastore(Box::new(store));
        bed.hosts.count = 1;
        bed.title = format!("one host of {} cores with one {name}", bed.hosts.cores);
        bed.name = name.to_owned();
        Ok(bed)
    }

    /// The same bed with other drives in the place of all of its drives.
    ///
    /// # Errors
    /// When the catalogue has no such drive.
    pub fn with_drive(&self, drive: &str, values: &Values) -> Result<Bed, BedError> {
        let scope = Scope { bed: &self.name, prefix: "", values };
        let (spec, bytes) = scope.drive(drive)?;
        let mut bed = self.clone();
        match &mut bed.store {
            StoreSpec::Datastore(store) => {
                if store.cache_tier != CacheTier::None {
                    store.cache = spec.clone();
                }
                store.capacity = spec;
                store.capacity_bytes = bytes;
            }
            StoreSpec::Array(array) => array.drive = spec,
        }
        Ok(bed)
    }
}

/// What the reading of one bed's file can see.
struct Scope<'a> {
    bed: &'a str,
    prefix: &'a str,
    values: &'a Values,
}

impl Scope<'_> {
    /// A parameter of this bed, or the one that all beds share.
    fn get(&self, name: &str) -> f64 {
        self.values.get(&format!("{}.{name}", self.prefix)).or_else(|| self.values.get(name)).unwrap_or(0.0)
    }

    fn ns(&self, name_us: &str) -> u64 {
        (self.get(name_us) * 1e3) as u64
    }

    fn drive(&self, name: &str) -> Result<(DriveSpec, u64), BedError> {
        let entry = catalogue::find(name)
            .ok_or_else(|| BedError::Drive { bed: self.bed.to_owned(), drive: name.to_owned() })?;
        let mut spec = entry.spec.clone();
        let short = if name.contains("eco") { "eco" } else { name.split('-').nth(1).unwrap_or_default() };
        let of_drive = |quantity: &str| self.values.get(&format!("{short}.{quantity}"));
        if let Some(us) = of_drive("interference_us") {
            spec.interference_ns = (us * 1e3) as u64;
        }
        if let Some(rate) = of_drive("write_4k_per_s") {
            // Larger writes follow: the medium takes the same bytes in the same time.
            spec.write_8k_per_s *= rate / spec.write_4k_per_s;
            spec.write_4k_per_s = rate;
        }
        let of_bed = self.values.get(&format!("{}.link_share", self.prefix));
        if let Some(share) = of_drive("link_share").or(of_bed) {
            spec.read_bandwidth_bytes_per_s *= share;
            spec.write_bandwidth_bytes_per_s *= share;
        }
        Ok((spec, entry.capacity_bytes))
    }

    fn datastore(&self, table: &DatastoreTable, hosts: Hosts) -> Result<DatastoreSpec, BedError> {
        let (capacity, capacity_bytes) = self.drive(&table.capacity)?;
        let (cache, cache_tier) = match (&table.cache, table.read_hit_ratio) {
            (None, _) => (DriveSpec::free(), CacheTier::None),
            (Some(name), None) => (self.drive(name)?.0, CacheTier::WriteBuffer),
            (Some(name), Some(read_hit_ratio)) => (self.drive(name)?.0, CacheTier::Hybrid { read_hit_ratio }),
        };
        // A byte is copied and summed up on either way.
        let byte_ns = self.get("group_ns_per_kib") / 1024.0;
        let group_work = |name| LinearCost { fixed_ns: self.get(name) * 1e3, byte_ns };
        let spec = DatastoreSpec {
            hosts: hosts.count,
            groups_per_host: table.groups_per_host,
            cache,
            cache_tier,
            buffer_bytes: (table.buffer_gb * 1e9) as u64,
            capacity,
            capacity_drives: table.capacity_drives,
            capacity_bytes,
            failures_to_tolerate: table.failures_to_tolerate,
            stripe_width: table.stripe_width,
            component_bytes: COMPONENT_BYTES,
            link_bytes_per_s: table.link_gbit_per_s * 1e9 / 8.0,
            hop_ns: (table.hop_us * 1e3) as u64,
            stack_read_ns: self.ns("stack_read_us"),
            stack_write_ns: self.ns("stack_write_us"),
            group_read: group_work("group_read_us"),
            group_write: group_work("group_write_us"),
            destage_work: self.get("destage_work"),
            destage_batch_bytes: (self.get("destage_batch_kib") * 1024.0) as u64,
            destage_from: DESTAGE_FROM,
            congestion_ns: CONGESTION_NS,
            rebuild_bytes_per_s: 200e6,
        };
        spec.validate().map_err(|error| BedError::Impossible { bed: self.bed.to_owned(), error })?;
        Ok(spec)
    }

    fn array(&self, table: &ArrayTable) -> Result<ArraySpec, BedError> {
        let level = match table.level.as_str() {
            "raid0" => RaidLevel::Raid0,
            "raid1" => RaidLevel::Raid1,
            "raid10" => RaidLevel::Raid10,
            "jbod" => RaidLevel::Jbod,
            other => {
                let problem = format!("no RAID level `{other}`; give raid0, raid1, raid10 or jbod");
                return Err(BedError::File { file: self.bed.to_owned(), problem });
            }
        };
        Ok(ArraySpec {
            level,
            drive: self.drive(&table.drive)?.0,
            drives: table.drives,
            stripe_bytes: table.stripe_kib.max(4) * 1024,
            cache_bytes: table.cache_mib << 20,
            cache_ack_ns: table.cache_ack_us * 1000,
            controller_ns: table.controller_us * 1000,
        })
    }

    fn database(&self) -> DatabaseCosts {
        DatabaseCosts {
            cpu_per_batch_ns: self.get("cpu_per_batch_us") * 1e3,
            driver_share: self.get("driver_share"),
            wait_ns: self.get("wait_us") * 1e3,
            remote_wait_ns: self.get("remote_wait_us") * 1e3,
            neighbour_share: self.get("neighbour_share"),
            data_writes_per_batch: self.get("data_writes_per_batch"),
            batches_per_new_order: 4.6,
            pool_share: self.get("pool_share"),
            backup_ns_per_mib: self.get("backup_cpu_us_per_mib") * 1e3,
            restore_ns_per_mib: self.get("restore_cpu_us_per_mib") * 1e3,
        }
    }
}

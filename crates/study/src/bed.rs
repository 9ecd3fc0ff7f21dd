//! The beds of the catalogue: what their files and the parameters make of each.

mod file;

use std::sync::LazyLock;
use words::say;

use device::catalogue::{self, Entry};
use device::datastore::{ArraySpec, CacheTier, DatastoreSpec, LinearCost};
use device::{DriveSpec, SpecError};
use simulate::{Bed, DatabaseCosts, Hosts, StoreSpec};
use tomlfile::nearest;

use crate::parameter::Values;
use file::{ArrayTable, DatastoreTable, Storage};

pub use file::{BedFile, parse};

/// The reason why there is no such bed.
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
    /// One of its drives does not exist.
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
        error: SpecError,
    },
}

static BEDS: LazyLock<Vec<BedFile>> = LazyLock::new(|| {
    let read = |(file, text): &(&str, &str)| parse(text, file).expect("a test reads every bed's file");
    published::BED_FILES.iter().map(read).collect()
});

/// Largest piece of a virtual disk on one drive (vSAN: 255 GB).
const COMPONENT_BYTES: u64 = 255_000_000_000;
/// Share of a full write buffer that starts destaging.
const DESTAGE_FROM: f64 = 0.3;
/// Longest delay by congestion.
const CONGESTION_NS: u64 = 100_000_000;
/// Bytes that a rebuild moves in a second.
const REBUILD_BYTES_PER_S: f64 = 200e6;
/// Batch requests per new order, by HammerDB's count on SQL Server.
const BATCHES_PER_NEW_ORDER: f64 = 4.6;

/// The bed of that name of the catalogue, with these parameters; `drive:NAME` is a host with that one drive.
///
/// # Errors
/// An unknown name, with the one probably meant; a quantity out of range.
pub fn find(name: &str, values: &Values) -> Result<Bed, BedError> {
    if let Some(drive) = name.strip_prefix("drive:") {
        let entry = catalogue::find(drive)
            .ok_or_else(|| BedError::Drive { bed: name.to_owned(), drive: drive.to_owned() })?;
        return of_drive(drive, &Scope { prefix: "", values }.drive(entry), entry.capacity_bytes, values);
    }
    let Some(file) = BEDS.iter().find(|bed| bed.name == name) else {
        let names = || BEDS.iter().map(|bed| bed.name.as_str());
        let hint = nearest(name, names()).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let known = names().collect::<Vec<_>>().join(", ");
        return Err(BedError::Unknown { name: name.to_owned(), hint, known });
    };
    file.with(values)
}

/// One host like those of the NVMe bed with a single drive: the default for a bed of which only the drive is
/// known.
///
/// # Errors
/// When the numbers make no bed.
pub fn of_drive(
    name: &str,
    drive: &DriveSpec,
    capacity_bytes: u64,
    values: &Values,
) -> Result<Bed, BedError> {
    let mut bed = find("kingston-nvme", values)?;
    let store = DatastoreSpec::of_drive(drive, capacity_bytes);
    store.validate().map_err(|error| BedError::Impossible { bed: name.to_owned(), error })?;
    bed.store = StoreSpec::Datastore(Box::new(store));
    bed.hosts.count = 1;
    bed.title = say!("bed-of-one-drive", cores = bed.hosts.cores, drive = name);
    bed.name = name.to_owned();
    Ok(bed)
}

impl BedFile {
    /// The bed with these parameters.
    ///
    /// # Errors
    /// [`BedError::Impossible`].
    pub fn with(&self, values: &Values) -> Result<Bed, BedError> {
        let scope = Scope { prefix: &self.parameters, values };
        let store = match &self.storage {
            Storage::Datastore(table) => {
                let spec = scope.datastore(table, self.hosts);
                spec.validate().map_err(|error| BedError::Impossible { bed: self.name.clone(), error })?;
                StoreSpec::Datastore(Box::new(spec))
            }
            Storage::Array(table) => StoreSpec::Array(Box::new(scope.array(table))),
        };
        let (name, title) = (self.name.clone(), self.title.clone());
        Ok(Bed { name, title, hosts: self.hosts, store, database: scope.database() })
    }
}

/// The parameters that one bed sees.
struct Scope<'a> {
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

    /// A drive of the catalogue with the parameters that are its own.
    fn drive(&self, entry: &Entry) -> DriveSpec {
        let mut spec = entry.spec.clone();
        let name = &entry.name;
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
        spec
    }

    fn datastore(&self, table: &DatastoreTable, hosts: Hosts) -> DatastoreSpec {
        let (cache, cache_tier) = match (table.cache, table.read_hit_ratio) {
            (None, _) => (DriveSpec::free(), CacheTier::None),
            (Some(entry), None) => (self.drive(entry), CacheTier::WriteBuffer),
            (Some(entry), Some(read_hit_ratio)) => (self.drive(entry), CacheTier::Hybrid { read_hit_ratio }),
        };
        // A byte is copied and summed up on either way.
        let byte_ns = self.get("group_ns_per_kib") / 1024.0;
        let group_work = |name| LinearCost { fixed_ns: self.get(name) * 1e3, byte_ns };
        DatastoreSpec {
            hosts: hosts.count,
            groups_per_host: table.groups_per_host,
            cache,
            cache_tier,
            buffer_bytes: (table.buffer_gb * 1e9) as u64,
            capacity: self.drive(table.capacity),
            capacity_drives: table.capacity_drives,
            capacity_bytes: table.capacity.capacity_bytes,
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
            rebuild_bytes_per_s: REBUILD_BYTES_PER_S,
        }
    }

    fn array(&self, table: &ArrayTable) -> ArraySpec {
        ArraySpec {
            level: table.level,
            drive: self.drive(table.drive),
            drives: table.drives,
            stripe_bytes: u64::from(table.stripe_kib.max(4)) * 1024,
            cache_bytes: u64::from(table.cache_mib) << 20,
            cache_ack_ns: u64::from(table.cache_ack_us) * 1000,
            controller_ns: u64::from(table.controller_us) * 1000,
        }
    }

    fn database(&self) -> DatabaseCosts {
        DatabaseCosts {
            cpu_per_batch_ns: self.get("cpu_per_batch_us") * 1e3,
            driver_share: self.get("driver_share"),
            wait_ns: self.get("wait_us") * 1e3,
            remote_wait_ns: self.get("remote_wait_us") * 1e3,
            neighbour_share: self.get("neighbour_share"),
            data_writes_per_batch: self.get("data_writes_per_batch"),
            batches_per_new_order: BATCHES_PER_NEW_ORDER,
            pool_share: self.get("pool_share"),
            backup_ns_per_mib: self.get("backup_cpu_us_per_mib") * 1e3,
            restore_ns_per_mib: self.get("restore_cpu_us_per_mib") * 1e3,
        }
    }
}

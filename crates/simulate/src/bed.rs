//! A test bed in numbers: hosts, storage and what the database costs on them.

use std::collections::BTreeMap;

use device::catalogue::Entry;
use device::datastore::{ArraySpec, DatastoreSpec};

use crate::load::Load;

/// A bed that can be simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Bed {
    /// Name by which experiments refer to it.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// Hosts that run machines.
    pub hosts: Hosts,
    /// The storage.
    pub store: StoreSpec,
    /// The costs of the database on these hosts.
    pub database: DatabaseCosts,
}

/// The hosts of a bed, all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// Their number.
    pub count: u32,
    /// Cores of one.
    pub cores: u32,
    /// Hardware threads of one.
    pub threads: u32,
    /// Memory of one.
    pub memory_gib: u32,
}

/// The storage of a bed.
#[derive(Clone, Debug, PartialEq)]
pub enum StoreSpec {
    /// Disk groups over hosts.
    Datastore(Box<DatastoreSpec>),
    /// Drives of one machine.
    Array(Box<ArraySpec>),
}

/// Demands of the database and of the machines around it. Times are nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DatabaseCosts {
    /// Processor time of one batch request, local driver included.
    pub cpu_per_batch_ns: f64,
    /// Share of it that the driver takes.
    pub driver_share: f64,
    /// Waiting of a batch for neither processor, storage nor log.
    pub wait_ns: f64,
    /// Waiting that a driver on another machine adds to a batch.
    pub remote_wait_ns: f64,
    /// The increase of processor time for each other busy machine on the host, as a share.
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

/// A bed with the load that its study put on it.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedBed {
    /// The bed.
    pub bed: Bed,
    /// The load, for one machine.
    pub load: Load,
    /// Machines that the study had under load together, where it had several.
    pub machines: Option<u32>,
}

/// A source of beds in numbers, for a simulation of an experiment.
pub trait BedSource {
    /// The bed `simulated` of a catalogue, else the one behind bed `bed` of the test `published`; `None` when
    /// the source knows neither.
    ///
    /// # Errors
    /// The reason why the bed is impossible, in words.
    fn named(
        &self,
        simulated: Option<&str>,
        published: Option<&str>,
        bed: &str,
    ) -> Result<Option<LoadedBed>, String>;

    /// A host with that one drive.
    ///
    /// # Errors
    /// The reason why the bed is impossible, in words.
    fn of_drive(&self, drive: &Entry) -> Result<LoadedBed, String>;

    /// The parameters behind the beds, by name.
    fn parameters(&self) -> BTreeMap<String, String>;
}

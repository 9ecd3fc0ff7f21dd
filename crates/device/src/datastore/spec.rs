//! The numbers of a datastore, and which of them can be.

use crate::check::refuse;
use crate::{DriveSpec, SpecError};

/// Work that takes a fixed time and a time per byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearCost {
    /// Nanoseconds of every operation.
    pub fixed_ns: f64,
    /// Nanoseconds of every byte.
    pub byte_ns: f64,
}

impl LinearCost {
    /// Nanoseconds of an operation of `len` bytes.
    #[must_use]
    pub fn of(self, len: u32) -> f64 {
        self.fixed_ns + self.byte_ns * f64::from(len)
    }
}

/// The purpose of a disk group's cache drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CacheTier {
    /// All-flash: a write buffer; its contents are read from it, everything else from the capacity drives.
    WriteBuffer,
    /// Hybrid: 30 % write buffer, and a read cache that has this share of the reads.
    Hybrid {
        /// Share of reads found in the read cache, 0 to 1.
        read_hit_ratio: f64,
    },
    /// No cache drive: writes go to the capacity drives at once.
    None,
}

/// A datastore in numbers. Times are nanoseconds, sizes bytes, rates per second.
#[derive(Clone, Debug, PartialEq)]
pub struct DatastoreSpec {
    /// Hosts, 1 to 64.
    pub hosts: u32,
    /// Disk groups of each host, 1 to 5.
    pub groups_per_host: u32,
    /// The cache drive of each group.
    pub cache: DriveSpec,
    /// The purpose of the cache drive.
    pub cache_tier: CacheTier,
    /// Bytes of the cache drive that take writes, at most 600 GB of one drive.
    pub buffer_bytes: u64,
    /// The capacity drives.
    pub capacity: DriveSpec,
    /// Capacity drives of each group, 1 to 7.
    pub capacity_drives: u32,
    /// Bytes of one capacity drive.
    pub capacity_bytes: u64,
    /// Failures that data survives: 0, 1 or 2. Every byte is kept once more for each.
    pub failures_to_tolerate: u32,
    /// Capacity drives over which a virtual disk is striped, 1 to 12.
    pub stripe_width: u32,
    /// Largest piece of a virtual disk that lies on one drive.
    pub component_bytes: u64,
    /// Bytes per second of a host's link, each direction.
    pub link_bytes_per_s: f64,
    /// Nanoseconds that reaching another host adds, there and back.
    pub hop_ns: u64,
    /// Nanoseconds of the host's storage stack for a read.
    pub stack_read_ns: u64,
    /// Nanoseconds of the host's storage stack for a write.
    pub stack_write_ns: u64,
    /// Work of a disk group for a read; one at a time.
    pub group_read: LinearCost,
    /// Work of a disk group for a write; one at a time.
    pub group_write: LinearCost,
    /// Work of a disk group for destaging, as a share of the time that the capacity drive takes to write the
    /// same.
    pub destage_work: f64,
    /// Bytes that are destaged in one go: a write that arrives meanwhile waits for as long as the capacity
    /// drive takes for them.
    pub destage_batch_bytes: u64,
    /// Share of the buffer from which it is emptied, 0 to 1.
    pub destage_from: f64,
    /// Longest time for which a write is held back when the buffer is full.
    pub congestion_ns: u64,
    /// Bytes per second at which lost replicas are copied anew.
    pub rebuild_bytes_per_s: f64,
}

/// Most bytes of a cache drive that one disk group writes to.
pub(super) const BUFFER_MAX_BYTES: u64 = 600_000_000_000;

impl DatastoreSpec {
    /// One host with one drive and nothing around it: the drive alone.
    #[must_use]
    pub fn of_drive(drive: &DriveSpec, capacity_bytes: u64) -> DatastoreSpec {
        DatastoreSpec {
            hosts: 1,
            groups_per_host: 1,
            cache: DriveSpec::free(),
            cache_tier: CacheTier::None,
            buffer_bytes: 0,
            capacity: drive.clone(),
            capacity_drives: 1,
            capacity_bytes,
            failures_to_tolerate: 0,
            stripe_width: 1,
            component_bytes: u64::MAX,
            link_bytes_per_s: f64::INFINITY,
            hop_ns: 0,
            stack_read_ns: 0,
            stack_write_ns: 0,
            group_read: LinearCost { fixed_ns: 0.0, byte_ns: 0.0 },
            group_write: LinearCost { fixed_ns: 0.0, byte_ns: 0.0 },
            destage_work: 0.0,
            destage_batch_bytes: 0,
            destage_from: 0.3,
            congestion_ns: 0,
            rebuild_bytes_per_s: 200e6,
        }
    }

    /// Checks that a datastore with these numbers can exist.
    ///
    /// # Errors
    /// The first quantity that is out of range or contradicts another, and what is allowed.
    pub fn validate(&self) -> Result<(), SpecError> {
        let count = |name: &str, value: u32, low: u32, high: u32| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            refuse(name, format!("{value} is out of range"), format!("give {low} to {high}"))
        };
        count("datastore.hosts", self.hosts, 1, 64)?;
        count("datastore.groups_per_host", self.groups_per_host, 1, 5)?;
        count("datastore.capacity_drives", self.capacity_drives, 1, 7)?;
        count("datastore.failures_to_tolerate", self.failures_to_tolerate, 0, 2)?;
        count("datastore.stripe_width", self.stripe_width, 1, 12)?;
        let needed = 2 * self.failures_to_tolerate + 1;
        if self.hosts < needed {
            let problem =
                format!("{} failures cannot be survived on {} hosts", self.failures_to_tolerate, self.hosts);
            return refuse(
                "datastore.failures_to_tolerate",
                problem,
                format!("give at least {needed} hosts"),
            );
        }
        if self.buffer_bytes > BUFFER_MAX_BYTES {
            let problem = format!("a write buffer of {} bytes is not used", self.buffer_bytes);
            return refuse("datastore.buffer", problem, "give at most 600 GB");
        }
        self.validate_amounts()?;
        self.cache.validate()?;
        self.capacity.validate()
    }

    fn validate_amounts(&self) -> Result<(), SpecError> {
        let amount = |name: &str, value: f64, low: f64, high: f64| {
            if value >= low && value <= high {
                return Ok(());
            }
            refuse(name, format!("{value} is out of range"), format!("give {low} to {high}"))
        };
        amount("datastore.link", self.link_bytes_per_s, 1e6, f64::INFINITY)?;
        amount("datastore.destage_from", self.destage_from, 0.0, 0.95)?;
        amount("datastore.destage_work", self.destage_work, 0.0, 10.0)?;
        amount("datastore.rebuild", self.rebuild_bytes_per_s, 1e6, 1e12)?;
        for (name, cost) in
            [("datastore.group_read", self.group_read), ("datastore.group_write", self.group_write)]
        {
            amount(name, cost.fixed_ns, 0.0, 1e9)?;
            amount(name, cost.byte_ns, 0.0, 1e6)?;
        }
        let times = [self.hop_ns, self.stack_read_ns, self.stack_write_ns, self.congestion_ns];
        for time_ns in times {
            amount("datastore times", time_ns as f64, 0.0, 60e9)?;
        }
        if let CacheTier::Hybrid { read_hit_ratio } = self.cache_tier {
            amount("datastore.read_hit_ratio", read_hit_ratio, 0.0, 1.0)?;
        }
        Ok(())
    }
}

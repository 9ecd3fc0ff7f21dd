//! The I/O of a mount: counts, bytes and times, data and log apart.

use measure::Histogram;

use crate::way::{CallersSeen, WAYS, Way, difference};

/// Traffic of one role: the database files, or the log files (`-wal`, `-journal`).
///
/// Reads, writes and syncs are those of the drive. Hits of the page cache are in `hits` only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Io {
    /// Read operations of the drive.
    pub reads: u64,
    /// Bytes they transferred (whole 4 KiB sectors).
    pub read_bytes: u64,
    /// Write operations of the drive. Appends to a log are gathered into one operation until they are synced,
    /// published or 128 KiB long.
    pub writes: u64,
    /// Bytes they transferred (whole 4 KiB sectors).
    pub write_bytes: u64,
    /// Flushes of the drive.
    pub syncs: u64,
    /// Reads by SQLite that the page cache answered without the drive.
    pub hits: u64,
    /// Reads by SQLite that needed the drive.
    pub misses: u64,
    /// Time of each drive read as the caller saw it, ns.
    pub read: Histogram,
    /// Time of each drive write as the caller saw it, ns.
    pub write: Histogram,
    /// Time of each flush as the caller saw it, ns.
    pub sync: Histogram,
    /// Time of each drive read by the model, ns. Empty on real storage.
    pub model_read: Histogram,
    /// Time of each drive write by the model, ns. Empty on real storage.
    pub model_write: Histogram,
    /// Time of each flush by the model, ns. Empty on real storage.
    pub model_sync: Histogram,
    /// Time during which the modelled drive had something to do, ns. Data and log on one drive both show that
    /// drive's. 0 on real storage.
    pub busy_ns: u64,
}

/// Everything counted by a mount since it was attached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// Database files.
    pub data: Io,
    /// `-wal` and `-journal` files.
    pub log: Io,
    /// Operations that ended more than 20 us and more than 5 % after their modelled completion, whatever the
    /// cause.
    pub late: u64,
    /// Of these, how many were late because the real work under them took longer than the modelled drive.
    pub late_by_work: u64,
    /// Time by which late operations missed their modelled completion, ns in all.
    pub late_ns_total: u64,
    /// Operations of a mount that a stall on order held: it is part of their times, and of the model's.
    pub stalled: u64,
    /// Processor time of the threads that answer for a mount, ns: taken from the programs on the same
    /// machine. 0 where the layer works in the callers' own threads (SQLite).
    pub cpu_ns: u64,
    /// Calls from SQLite that failed for a reason below SQLite.
    pub errors: u64,
    /// Memory for the data that unsynced writes replaced, bytes now.
    pub undo_bytes: u64,
    /// The most it ever held, bytes. Bounded by 64 MiB for each file.
    pub undo_peak_bytes: u64,
    /// Sectors made durable ahead of a sync because that bound was reached, as a drive's cache would.
    pub undo_forced_sectors: u64,
    /// The way through a mount while it was used, by kind and size of operations: see [`Way`]. Nothing
    /// where there is no such way (SQLite).
    pub ways: [Way; WAYS],
    /// The time of the threads that used a mount.
    pub callers: CallersSeen,
    /// Caveats about the figures, such as "O_DIRECT refused by the file system".
    pub notes: Vec<String>,
}

/// The plain numbers of [`Io`], which cost nothing to copy: for a series over a long run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoCounts {
    /// Read operations of the drive.
    pub reads: u64,
    /// Bytes they transferred.
    pub read_bytes: u64,
    /// Write operations of the drive.
    pub writes: u64,
    /// Bytes they transferred.
    pub write_bytes: u64,
    /// Flushes of the drive.
    pub syncs: u64,
    /// Reads by SQLite that the page cache answered.
    pub hits: u64,
    /// Reads by SQLite that needed the drive.
    pub misses: u64,
    /// Time during which the modelled drive had something to do, ns.
    pub busy_ns: u64,
}

/// The plain numbers of [`Counters`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Database files.
    pub data: IoCounts,
    /// `-wal` and `-journal` files.
    pub log: IoCounts,
    /// See [`Counters::late`].
    pub late: u64,
    /// See [`Counters::errors`].
    pub errors: u64,
}

impl IoCounts {
    /// The counts since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &IoCounts) -> IoCounts {
        IoCounts {
            reads: self.reads.saturating_sub(earlier.reads),
            read_bytes: self.read_bytes.saturating_sub(earlier.read_bytes),
            writes: self.writes.saturating_sub(earlier.writes),
            write_bytes: self.write_bytes.saturating_sub(earlier.write_bytes),
            syncs: self.syncs.saturating_sub(earlier.syncs),
            hits: self.hits.saturating_sub(earlier.hits),
            misses: self.misses.saturating_sub(earlier.misses),
            busy_ns: self.busy_ns.saturating_sub(earlier.busy_ns),
        }
    }
}

impl Counts {
    /// The counts since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Counts) -> Counts {
        Counts {
            data: self.data.since(&earlier.data),
            log: self.log.since(&earlier.log),
            late: self.late.saturating_sub(earlier.late),
            errors: self.errors.saturating_sub(earlier.errors),
        }
    }
}

impl Io {
    /// The plain numbers.
    #[must_use]
    pub fn counts(&self) -> IoCounts {
        IoCounts {
            reads: self.reads,
            read_bytes: self.read_bytes,
            writes: self.writes,
            write_bytes: self.write_bytes,
            syncs: self.syncs,
            hits: self.hits,
            misses: self.misses,
            busy_ns: self.busy_ns,
        }
    }

    /// The counts since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Io) -> Io {
        let counts = self.counts().since(&earlier.counts());
        Io {
            reads: counts.reads,
            read_bytes: counts.read_bytes,
            writes: counts.writes,
            write_bytes: counts.write_bytes,
            syncs: counts.syncs,
            hits: counts.hits,
            misses: counts.misses,
            busy_ns: counts.busy_ns,
            read: difference(&self.read, &earlier.read),
            write: difference(&self.write, &earlier.write),
            sync: difference(&self.sync, &earlier.sync),
            model_read: difference(&self.model_read, &earlier.model_read),
            model_write: difference(&self.model_write, &earlier.model_write),
            model_sync: difference(&self.model_sync, &earlier.model_sync),
        }
    }

    /// Adds the counts of another mount over the same time. Both may be on one drive: its busy time is that
    /// of the busier one, not the sum.
    fn merge(&mut self, other: &Io) {
        self.reads += other.reads;
        self.read_bytes += other.read_bytes;
        self.writes += other.writes;
        self.write_bytes += other.write_bytes;
        self.syncs += other.syncs;
        self.hits += other.hits;
        self.misses += other.misses;
        self.read.merge(&other.read);
        self.write.merge(&other.write);
        self.sync.merge(&other.sync);
        self.model_read.merge(&other.model_read);
        self.model_write.merge(&other.model_write);
        self.model_sync.merge(&other.model_sync);
        self.busy_ns = self.busy_ns.max(other.busy_ns);
    }

    /// Share of SQLite's reads that the page cache answered, 0 to 1; `None` without reads.
    #[must_use]
    pub fn hit_ratio(&self) -> Option<f64> {
        let reads = self.hits + self.misses;
        (reads > 0).then(|| self.hits as f64 / reads as f64)
    }
}

impl Counters {
    /// The counts since `earlier`, an older copy from the same mount. Amounts that are not sums (memory,
    /// notes) are as now.
    #[must_use]
    pub fn since(&self, earlier: &Counters) -> Counters {
        Counters {
            data: self.data.since(&earlier.data),
            log: self.log.since(&earlier.log),
            late: self.late.saturating_sub(earlier.late),
            late_by_work: self.late_by_work.saturating_sub(earlier.late_by_work),
            late_ns_total: self.late_ns_total.saturating_sub(earlier.late_ns_total),
            stalled: self.stalled.saturating_sub(earlier.stalled),
            cpu_ns: self.cpu_ns.saturating_sub(earlier.cpu_ns),
            ways: std::array::from_fn(|place| self.ways[place].since(&earlier.ways[place])),
            callers: self.callers.since(&earlier.callers),
            errors: self.errors.saturating_sub(earlier.errors),
            undo_bytes: self.undo_bytes,
            undo_peak_bytes: self.undo_peak_bytes,
            undo_forced_sectors: self.undo_forced_sectors.saturating_sub(earlier.undo_forced_sectors),
            notes: self.notes.clone(),
        }
    }
}

impl Counters {
    /// Adds the counts of another mount over the same time, as when a bed has several instances on one drive:
    /// counts and times are summed, the drive's busy time is not.
    pub fn merge(&mut self, other: &Counters) {
        self.data.merge(&other.data);
        self.log.merge(&other.log);
        self.late += other.late;
        self.late_by_work += other.late_by_work;
        self.late_ns_total += other.late_ns_total;
        self.stalled += other.stalled;
        self.cpu_ns += other.cpu_ns;
        self.ways.iter_mut().zip(&other.ways).for_each(|(way, other)| way.merge(other));
        self.callers.merge(&other.callers);
        self.errors += other.errors;
        self.undo_bytes += other.undo_bytes;
        self.undo_peak_bytes += other.undo_peak_bytes;
        self.undo_forced_sectors += other.undo_forced_sectors;
        self.notes.extend(
            other.notes.iter().filter(|note| !self.notes.contains(note)).cloned().collect::<Vec<_>>(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_subtracts_sums_and_keeps_states() {
        let earlier = Counters { late: 2, errors: 1, undo_bytes: 100, ..Counters::default() };
        let mut now = earlier.clone();
        now.late = 5;
        now.undo_bytes = 40;
        now.data.hits = 30;
        now.data.misses = 10;
        let since = now.since(&earlier);
        assert_eq!((since.late, since.errors, since.undo_bytes), (3, 0, 40));
        assert_eq!(since.data.hit_ratio(), Some(0.75));
        assert_eq!(since.log.hit_ratio(), None);
        assert_eq!((since.data.counts().hits, since.data.counts().misses), (30, 10));
    }
}

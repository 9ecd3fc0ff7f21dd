//! The I/O of a mount: counts, bytes and times, data and log apart.

use measure::Histogram;

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
    /// By how much the way through a mount was longer than foreseen while it was used: reads and writes, the
    /// latter for syncs as well. Nothing where there is no such way (SQLite).
    pub way: [Witnessed; 2],
    /// Caveats about the figures, such as "O_DIRECT refused by the file system".
    pub notes: Vec<String>,
}

/// What the witness of a mount saw of the way through the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Witnessed {
    /// Operations of the witness.
    pub count: u64,
    /// Sum of the times by which they took longer than foreseen, ns; negative where they were quicker.
    pub beyond_ns: i64,
}

impl Witnessed {
    /// The mean error of the way, ns; 0 where nothing was seen.
    #[must_use]
    pub fn mean_ns(&self) -> f64 {
        self.beyond_ns as f64 / self.count.max(1) as f64
    }

    fn since(&self, earlier: &Witnessed) -> Witnessed {
        Witnessed {
            count: self.count.saturating_sub(earlier.count),
            beyond_ns: self.beyond_ns - earlier.beyond_ns,
        }
    }
}

/// A kind of operations whose callers waited for something else than the model says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beyond {
    /// Its name: `reads`, `writes` or `syncs`.
    pub kind: &'static str,
    /// Mean time that callers saw, ns.
    pub seen_ns: f64,
    /// Mean time by the model, ns.
    pub model_ns: f64,
}

impl Beyond {
    /// By what part of the model's time callers waited longer; negative where they were answered early.
    #[must_use]
    pub fn by(&self) -> f64 {
        self.seen_ns / self.model_ns - 1.0
    }
}

/// The relative distance of a mean from the model's beyond which it is told.
pub const NEAR: f64 = 0.10;
/// Operations of a kind, and of the witness, below which a mean says nothing.
const COUNT_LEAST: u64 = 20;

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
    /// The mean time that callers saw and that of the model, ns, for reads, writes and syncs of data and log:
    /// measured by the layer, with the way as the witness saw it. `None` for a kind that did not take place
    /// or for which the model takes no time.
    #[must_use]
    pub fn seen(&self) -> [Option<Beyond>; 3] {
        let [read, write] = self.way.map(|way| if way.count < COUNT_LEAST { 0.0 } else { way.mean_ns() });
        let (data, log) = (&self.data, &self.log);
        let of = |kind, seen: [&Histogram; 2], model: [&Histogram; 2], way_ns: f64| {
            let count: u64 = model.iter().map(|times| times.len()).sum();
            let sum = |of: [&Histogram; 2]| of.iter().map(|h| h.mean_ns() * h.len() as f64).sum::<f64>();
            let mean = |of: [&Histogram; 2]| sum(of) / count.max(1) as f64;
            let model_ns = mean(model);
            let is_there = count >= COUNT_LEAST && model_ns > 0.0;
            is_there.then(|| Beyond { kind, seen_ns: (mean(seen) + way_ns).max(0.0), model_ns })
        };
        [
            of("reads", [&data.read, &log.read], [&data.model_read, &log.model_read], read),
            of("writes", [&data.write, &log.write], [&data.model_write, &log.model_write], write),
            of("syncs", [&data.sync, &log.sync], [&data.model_sync, &log.model_sync], write),
        ]
    }

    /// The kinds of operations whose callers saw a mean that is more than a tenth longer or shorter than the
    /// model's.
    #[must_use]
    pub fn beyond_model(&self) -> Vec<Beyond> {
        let seen = self.seen().into_iter().flatten();
        seen.filter(|seen| seen.by().abs() > NEAR).collect()
    }

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
            cpu_ns: self.cpu_ns.saturating_sub(earlier.cpu_ns),
            way: [0, 1].map(|kind| self.way[kind].since(&earlier.way[kind])),
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
        self.cpu_ns += other.cpu_ns;
        for (way, other) in self.way.iter_mut().zip(other.way) {
            way.count += other.count;
            way.beyond_ns += other.beyond_ns;
        }
        self.errors += other.errors;
        self.undo_bytes += other.undo_bytes;
        self.undo_peak_bytes += other.undo_peak_bytes;
        self.undo_forced_sectors += other.undo_forced_sectors;
        self.notes.extend(
            other.notes.iter().filter(|note| !self.notes.contains(note)).cloned().collect::<Vec<_>>(),
        );
    }
}

/// Events of `now` that `earlier` does not have. Both come from one histogram, so they share their buckets
/// and counts only grow.
fn difference(now: &Histogram, earlier: &Histogram) -> Histogram {
    let mut result = Histogram::new();
    let mut old = earlier.recorded().peekable();
    for (value_ns, count) in now.recorded() {
        while old.next_if(|(old_ns, _)| *old_ns < value_ns).is_some() {}
        let before = old.next_if(|(old_ns, _)| *old_ns == value_ns).map_or(0, |(_, count)| count);
        if count > before {
            result.record_n(value_ns, count - before);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_of_histograms_is_what_was_recorded_in_between() {
        let mut histogram = Histogram::new();
        for value in [10, 90_000, 90_000, 5_000_000] {
            histogram.record(value);
        }
        let earlier = histogram.clone();
        let mut expected = Histogram::new();
        for value in [7, 90_000, 123_456_789] {
            histogram.record(value);
            expected.record(value);
        }
        let between = difference(&histogram, &earlier);
        assert_eq!(between.recorded().collect::<Vec<_>>(), expected.recorded().collect::<Vec<_>>());
        assert!(difference(&histogram, &histogram).is_empty());
        assert_eq!(difference(&histogram, &Histogram::new()).len(), 7);
    }

    #[test]
    fn what_callers_saw_includes_the_way_and_is_told_beyond_a_tenth() {
        let mut counters = Counters::default();
        counters.data.read.record_n(100_000, 1000);
        counters.data.model_read.record_n(100_000, 1000);
        counters.data.write.record_n(20_000, 1000);
        counters.data.model_write.record_n(20_000, 1000);
        counters.data.sync.record_n(9_000_000, 5);
        counters.data.model_sync.record_n(1_000, 5);
        assert!(counters.beyond_model().is_empty(), "five syncs say nothing");
        counters.way =
            [Witnessed { count: 100, beyond_ns: 900_000 }, Witnessed { count: 100, beyond_ns: -400_000 }];
        let [early] = counters.beyond_model()[..] else { panic!("{:?}", counters.beyond_model()) };
        assert!(early.kind == "writes" && (early.by() + 0.2).abs() < 0.01, "{early:?}");
        counters.way[0].beyond_ns = 1_200_000;
        assert_eq!(counters.beyond_model().len(), 2);
        let mut both = counters.clone();
        both.merge(&counters);
        assert_eq!((both.way[0].count, both.way[1].mean_ns()), (200, -4000.0));
        assert_eq!(both.since(&counters).way, counters.way);
        counters.way[0].count = 19;
        assert_eq!(counters.beyond_model().len(), 1, "19 looks say nothing");
    }

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

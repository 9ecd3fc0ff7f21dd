//! The counters of a mount. Drive operations are counted under one short lock for each role; cache hits,
//! which are far more frequent, in counters that threads do not share.

use std::cell::Cell;
use std::fmt::Display;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use measure::Histogram;
use parking_lot::Mutex;

use crate::counters::{Counters, Counts, Io};
use crate::drive::Charge;
use crate::way::{CallersSeen, WAYS, Way, way_place};

/// The purpose of a file, which decides its drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Data,
    Log,
}

/// The kind of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IoKind {
    Read,
    Write,
    Sync,
}

/// One finished drive operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    pub(crate) role: Role,
    pub(crate) kind: IoKind,
    pub(crate) bytes: u64,
    /// Time seen, ns.
    pub(crate) actual_ns: u64,
    /// Time by the model, ns; `None` on real storage.
    pub(crate) model_ns: Option<u64>,
    /// Time of the real work under a modelled operation, ns.
    pub(crate) work_ns: u64,
}

/// A call that failed, as the SQLite result code that says so. It has been counted and kept as the first
/// error, if it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failed(pub(crate) i32);

const STRIPES: usize = 16;

/// One thread's share of the hit counters, on a cache line of its own.
#[derive(Default)]
#[repr(align(128))]
struct Stripe {
    hits: [AtomicU64; 2],
    misses: [AtomicU64; 2],
}

#[derive(Default)]
pub(crate) struct Recorder {
    roles: [Mutex<Io>; 2],
    stripes: [Stripe; STRIPES],
    late: AtomicU64,
    late_by_work: AtomicU64,
    late_ns: AtomicU64,
    stalled: AtomicU64,
    errors: AtomicU64,
    first_error: Mutex<Option<String>>,
    notes: Mutex<Vec<String>>,
    undo_bytes: AtomicU64,
    undo_peak_bytes: AtomicU64,
    undo_forced: AtomicU64,
    ways: [Passed; WAYS],
    callers: Mutex<CallersSeen>,
}

/// The operations of one kind and size that passed a mount, and what the witness saw of their way.
#[derive(Default)]
struct Passed {
    operations: AtomicU64,
    foreseen_ns: AtomicU64,
    path_ns: AtomicU64,
    probes: Mutex<Histogram>,
}

impl Recorder {
    /// Counts a drive operation.
    pub(crate) fn done(&self, done: Done) {
        if let Some(model_ns) = done.model_ns {
            self.judge_lateness(Charge::new(model_ns, done.actual_ns), done.work_ns);
        }
        let mut io = self.roles[done.role as usize].lock();
        let io = &mut *io;
        let (count, bytes, seen, model) = match done.kind {
            IoKind::Read => (&mut io.reads, Some(&mut io.read_bytes), &mut io.read, &mut io.model_read),
            IoKind::Write => (&mut io.writes, Some(&mut io.write_bytes), &mut io.write, &mut io.model_write),
            IoKind::Sync => (&mut io.syncs, None, &mut io.sync, &mut io.model_sync),
        };
        *count += 1;
        if let Some(bytes) = bytes {
            *bytes += done.bytes;
        }
        seen.record(done.actual_ns);
        if let Some(model_ns) = done.model_ns {
            model.record(model_ns);
        }
    }

    /// Counts an operation of a mount whose time includes this way, ns, and this part of it that is the path.
    pub(crate) fn pass(&self, kind: IoKind, bytes: u64, (foreseen_ns, path_ns): (u64, u64)) {
        let way = &self.ways[way_place(kind, bytes)];
        way.operations.fetch_add(1, Relaxed);
        way.foreseen_ns.fetch_add(foreseen_ns, Relaxed);
        way.path_ns.fetch_add(path_ns, Relaxed);
    }

    /// Counts an operation that a stall of the drive held.
    pub(crate) fn stalled(&self) {
        self.stalled.fetch_add(1, Relaxed);
    }

    /// Operations of a mount so far, by kind and size.
    pub(crate) fn passed(&self) -> [u64; WAYS] {
        std::array::from_fn(|place| self.ways[place].operations.load(Relaxed))
    }

    /// Keeps a way that the witness took, ns, of the kind and size at this place.
    pub(crate) fn probed(&self, place: usize, way_ns: u64) {
        self.ways[place].probes.lock().record(way_ns);
    }

    /// Adds what callers of a mount did.
    pub(crate) fn called(&self, seen: &CallersSeen) {
        self.callers.lock().merge(seen);
    }

    fn judge_lateness(&self, charge: Charge, work_ns: u64) {
        if charge.late {
            self.late.fetch_add(1, Relaxed);
            self.late_ns.fetch_add(charge.late_by_ns(), Relaxed);
            if Charge::new(charge.model_ns, work_ns).late {
                self.late_by_work.fetch_add(1, Relaxed);
            }
        }
    }

    /// Counts a read by SQLite as answered from memory or not.
    pub(crate) fn looked_up(&self, role: Role, hit: bool) {
        thread_local!(static STRIPE: Cell<usize> = const { Cell::new(usize::MAX) });
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        if STRIPE.get() == usize::MAX {
            STRIPE.set(NEXT.fetch_add(1, Relaxed) % STRIPES);
        }
        let stripe = &self.stripes[STRIPE.get()];
        let counters = if hit { &stripe.hits } else { &stripe.misses };
        counters[role as usize].fetch_add(1, Relaxed);
    }

    /// Counts a failure from below SQLite.
    pub(crate) fn fail(&self, code: i32, what: &str, path: &Path, why: impl Display) -> Failed {
        self.errors.fetch_add(1, Relaxed);
        let mut first = self.first_error.lock();
        if first.is_none() {
            *first = Some(format!("{what} {}: {why}", path.display()));
        }
        Failed(code)
    }

    pub(crate) fn first_error(&self) -> Option<String> {
        self.first_error.lock().clone()
    }

    /// Keeps a remark for the reader of the figures, once.
    pub(crate) fn note(&self, text: String) {
        let mut notes = self.notes.lock();
        if !notes.contains(&text) {
            notes.push(text);
        }
    }

    /// The memory for undo information of one file changed.
    pub(crate) fn undo_changed(&self, before: (u64, u64), after: (u64, u64)) {
        let ((bytes_before, forced_before), (bytes_after, forced_after)) = (before, after);
        self.undo_forced.fetch_add(forced_after - forced_before, Relaxed);
        if bytes_after >= bytes_before {
            let grown = bytes_after - bytes_before;
            let now = self.undo_bytes.fetch_add(grown, Relaxed) + grown;
            self.undo_peak_bytes.fetch_max(now, Relaxed);
        } else {
            self.undo_bytes.fetch_sub(bytes_before - bytes_after, Relaxed);
        }
    }

    /// Hits and misses.
    fn lookups(&self, role: Role) -> (u64, u64) {
        let sum = |of: fn(&Stripe) -> &[AtomicU64; 2]| {
            self.stripes.iter().map(|stripe| of(stripe)[role as usize].load(Relaxed)).sum()
        };
        (sum(|stripe| &stripe.hits), sum(|stripe| &stripe.misses))
    }

    /// The plain numbers. `busy_ns` is the drives' own.
    pub(crate) fn counts(&self) -> Counts {
        let io = |role: Role| {
            let mut counts = self.roles[role as usize].lock().counts();
            (counts.hits, counts.misses) = self.lookups(role);
            counts
        };
        Counts {
            data: io(Role::Data),
            log: io(Role::Log),
            late: self.late.load(Relaxed),
            errors: self.errors.load(Relaxed),
        }
    }

    /// A copy of everything. `busy_ns` is the drives' own, `cpu_ns` the mount's.
    pub(crate) fn counters(&self) -> Counters {
        let io = |role: Role| {
            let mut io = self.roles[role as usize].lock().clone();
            (io.hits, io.misses) = self.lookups(role);
            io
        };
        Counters {
            data: io(Role::Data),
            log: io(Role::Log),
            late: self.late.load(Relaxed),
            late_by_work: self.late_by_work.load(Relaxed),
            late_ns_total: self.late_ns.load(Relaxed),
            stalled: self.stalled.load(Relaxed),
            cpu_ns: 0,
            errors: self.errors.load(Relaxed),
            undo_bytes: self.undo_bytes.load(Relaxed),
            undo_peak_bytes: self.undo_peak_bytes.load(Relaxed),
            undo_forced_sectors: self.undo_forced.load(Relaxed),
            ways: std::array::from_fn(|place| {
                let Passed { operations, foreseen_ns, path_ns, probes } = &self.ways[place];
                Way {
                    operations: operations.load(Relaxed),
                    foreseen_ns: foreseen_ns.load(Relaxed),
                    path_ns: path_ns.load(Relaxed),
                    probes: probes.lock().clone(),
                }
            }),
            callers: *self.callers.lock(),
            notes: self.notes.lock().clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_and_kinds_are_counted_apart() {
        let recorder = Recorder::default();
        let read = Done {
            role: Role::Data,
            kind: IoKind::Read,
            bytes: 4096,
            actual_ns: 100_000,
            model_ns: Some(90_000),
            work_ns: 3_000,
        };
        recorder.done(read);
        recorder.done(Done { actual_ns: 200_000, ..read });
        recorder.done(Done { actual_ns: 200_000, work_ns: 180_000, ..read });
        recorder.done(Done { role: Role::Log, kind: IoKind::Sync, bytes: 0, model_ns: None, ..read });
        recorder.looked_up(Role::Data, false);
        recorder.looked_up(Role::Log, true);
        let counters = recorder.counters();
        assert_eq!((counters.data.reads, counters.data.read_bytes, counters.data.read.len()), (3, 12_288, 3));
        assert_eq!((counters.data.model_read.len(), counters.log.model_sync.len()), (3, 0));
        assert_eq!((counters.log.syncs, counters.log.reads, counters.data.syncs), (1, 0, 0));
        assert_eq!((counters.data.misses, counters.data.hits, counters.log.hits), (1, 0, 1));
        assert_eq!((counters.late, counters.late_by_work, counters.late_ns_total), (2, 1, 220_000));
        let counts = recorder.counts();
        assert_eq!((counts.data, counts.log), (counters.data.counts(), counters.log.counts()));
    }

    #[test]
    fn the_first_error_is_kept_and_all_are_counted() {
        let recorder = Recorder::default();
        assert_eq!(recorder.fail(266, "read", Path::new("/a"), "broken"), Failed(266));
        recorder.fail(778, "write", Path::new("/b"), "broken");
        assert_eq!(recorder.first_error().unwrap(), "read /a: broken");
        assert_eq!(recorder.counters().errors, 2);
    }

    #[test]
    fn undo_memory_is_summed_over_files() {
        let recorder = Recorder::default();
        recorder.undo_changed((0, 0), (4096, 0));
        recorder.undo_changed((0, 0), (8192, 2));
        recorder.undo_changed((8192, 2), (0, 2));
        let counters = recorder.counters();
        assert_eq!(
            (counters.undo_bytes, counters.undo_peak_bytes, counters.undo_forced_sectors),
            (4096, 12_288, 2)
        );
    }
}

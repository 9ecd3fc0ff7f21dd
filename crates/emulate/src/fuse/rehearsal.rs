//! The way through the kernel to a drive that lets its callers wait, rehearsed before anything is charged.
//!
//! A caller loses time before its request is seen here and after it has been answered. With a drive that
//! takes no time both sides stay awake, which is the [`Floor`](crate::Floor); behind a drive both sleep
//! meanwhile, and waking is part of the way. So the drive's own times are waited for, with nothing charged,
//! and what a caller sees beyond them is the way: by kind, size and number of callers. It is taken off every
//! modelled time.
//!
//! A way that is foreseen too long makes a drive faster than its model, which flatters it. So no more is
//! taken off than the run itself shows (`charge::follow`), and of many callers no more than the way of one:
//! what they lose beyond that in a queue for the processors is told by the run (`witness`, `callers`), not
//! taken off.

mod alone;
mod crowd;
mod drive;

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use device::DriveSpec;
use words::{Beyond, Operation, Through};

use super::charge::Charging;
use super::probe::{FILE_BYTES, Probe};
use super::ways::{CALLERS, SIZES, Table, Ways};
use crate::EmulateError;
use crate::floor;
use crate::recorder::IoKind;

/// The longest time waited for by one caller: longer waits have the same path.
const LONGEST_NS: u64 = 200_000;
/// The same for several callers, whose operations queue at the drive: shorter waits than the drive's would
/// let them queue for this machine instead.
const LONGEST_OF_MANY_NS: u64 = 2_000_000;
/// Rounds and operations of one caller: pages of a database, and larger ones.
const ROUNDS: (u64, u64) = (8, 60);
const ROUNDS_OF_LARGE: (u64, u64) = (3, 8);
/// The time for each kind, size and number of callers.
const CROWD_FOR: Duration = Duration::from_millis(6);
/// Callers at once whose rate is the mount's highest, the time of each of their reads, and for how long.
const MOST_CALLERS: u32 = 16;
const MOST_EACH_NS: u64 = 100_000;
const MOST_FOR: Duration = Duration::from_millis(60);
/// The relative distance of a mean from the model's beyond which it is reported.
const NEAR: f64 = 0.10;

/// The three kinds of operations, in the order of all arrays here.
const KINDS: [(IoKind, Operation); 3] =
    [(IoKind::Read, Operation::Read), (IoKind::Write, Operation::Write), (IoKind::Sync, Operation::Sync)];

/// The time that a mount adds to a drive that lets its callers wait, and its highest rate of operations from
/// many callers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rehearsal {
    /// Times waited for, ns; 0 for what this drive does at once.
    asked_ns: Table,
    /// The drive's mean times of pages of a database, without any limit, ns.
    model_ns: [u64; 3],
    /// The way to the mount and back, ns: taken off every modelled time.
    ways: Ways,
    /// The part of the way of one caller that is the usual lateness of the mount, by kind and size, ns.
    usually_late_ns: [[u64; SIZES.len()]; 3],
    /// By how much reads, writes and syncs of 4 KiB of one caller came later than that, on average, ns.
    late_ns: [f64; 3],
    /// See [`alone::Alone::waited_ns`].
    usual_wait_ns: u64,
    /// Operations a second that the mount completes for sixteen callers at once, each of which waits for 100
    /// us.
    most_per_second: f64,
}

impl Rehearsal {
    /// Measures on a mount at `dir` whose operations `charging` answers, and leaves it pausing. About half a
    /// second.
    ///
    /// # Errors
    /// A scratch file cannot be made and used in `dir`.
    pub(super) fn hold(dir: &Path, charging: &Charging, spec: &DriveSpec) -> Result<Rehearsal, EmulateError> {
        let path = floor::Scratch::Files.path(dir);
        charging.pause([0; 3]);
        let measured = lay_out(&path).and_then(|()| measure(&path, charging, spec));
        charging.pause([0; 3]);
        if !measured.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists) {
            let _ = std::fs::remove_file(&path);
        }
        measured.map_err(|source| EmulateError::Floor { path, source })
    }

    /// The times that were waited for by one caller, by kind and size, ns.
    pub(super) fn asked_ns(&self) -> [[u64; SIZES.len()]; 3] {
        self.asked_ns.map(|of_kind| of_kind.map(|of_size| of_size[0]))
    }

    /// The way by kind, size and number of callers.
    pub(super) fn ways(&self) -> Ways {
        self.ways
    }

    /// See the field.
    pub(super) fn usually_late_ns(&self) -> [[u64; SIZES.len()]; 3] {
        self.usually_late_ns
    }

    /// The usual wait of a woken thread for its processor, ns.
    pub(super) fn usual_wait_ns(&self) -> u64 {
        self.usual_wait_ns
    }

    /// The way to the mount and back for one caller and 4 KiB, ns: reads, writes and syncs. It is part of
    /// every modelled time, not added to it.
    #[must_use]
    pub fn ways_ns(&self) -> [u64; 3] {
        self.ways.0.map(|of_kind| of_kind[0][0])
    }

    /// The way for each kind (`read`, `write`, `sync`), size in bytes and number of callers, ns.
    pub fn table(&self) -> impl Iterator<Item = (&'static str, u64, u32, u64)> {
        let words = ["read", "write", "sync"].into_iter().enumerate();
        let sizes = |kind: usize| SIZES.into_iter().enumerate().take(if kind == 2 { 1 } else { SIZES.len() });
        let ways = self.ways;
        words.flat_map(move |(kind, word)| {
            sizes(kind).flat_map(move |(size, bytes)| {
                CALLERS
                    .into_iter()
                    .enumerate()
                    .map(move |(place, callers)| (word, bytes, callers, ways.0[kind][size][place]))
            })
        })
    }

    /// Operations a second that the mount completes for sixteen callers at once: a drive near that is not
    /// shown as it is.
    #[must_use]
    pub fn most_per_second(&self) -> f64 {
        self.most_per_second
    }

    /// The kinds of operations that take more than a tenth longer through this mount than on the drive: one
    /// at a time, on average.
    #[must_use]
    pub fn beyond(&self) -> Vec<Beyond> {
        let model_ns = |kind: usize| self.model_ns[kind] as f64;
        let is_beyond = |kind: &usize| self.late_ns[*kind] > NEAR * model_ns(*kind);
        let told = |kind: usize| Beyond {
            through: Through::Mount,
            operation: KINDS[kind].1,
            model_us: model_ns(kind) / 1e3,
            shown_us: (model_ns(kind) + self.late_ns[kind]) / 1e3,
        };
        (0..3).filter(|kind| model_ns(*kind) > 0.0).filter(is_beyond).map(told).collect()
    }
}

/// A file for all operations. Nothing that has the name is followed or written to.
fn lay_out(path: &Path) -> io::Result<()> {
    File::create_new(path)?.write_all(&vec![floor::FLOOR_BYTE; FILE_BYTES as usize])
}

/// Measures on this file, which exists.
fn measure(path: &Path, charging: &Charging, spec: &DriveSpec) -> io::Result<Rehearsal> {
    let probe = Probe::open(path)?;
    let mut all = Rehearsal {
        asked_ns: Table::default(),
        model_ns: KINDS.map(|(kind, _)| drive::mean_ns(spec, (kind, SIZES[0]), CALLERS[0])),
        ways: Ways::default(),
        usually_late_ns: Default::default(),
        late_ns: [0.0; 3],
        usual_wait_ns: u64::MAX,
        most_per_second: 0.0,
    };
    for (place, (kind, _)) in KINDS.into_iter().enumerate() {
        let sizes = if kind == IoKind::Sync { &SIZES[..1] } else { &SIZES[..] };
        for (size, size_bytes) in sizes.iter().enumerate() {
            let what = (kind, *size_bytes);
            let asked_ns = ask(charging, spec, what, CALLERS[0]);
            all.one_caller((&probe, charging), what, (place, size), asked_ns)?;
            for (number, callers) in CALLERS.into_iter().enumerate().skip(1) {
                let asked_ns = ask(charging, spec, what, callers);
                let seen_ns = crowd::measure(path, what, callers, CROWD_FOR)?.seen.quantile_ns(0.5);
                let of_one_ns = all.ways.0[place][size][0];
                all.asked_ns[place][size][number] = asked_ns;
                all.ways.0[place][size][number] = seen_ns.saturating_sub(asked_ns).min(of_one_ns);
            }
        }
    }
    charging.pause([MOST_EACH_NS; 3]);
    let most = crowd::measure(path, (IoKind::Read, SIZES[0]), MOST_CALLERS, MOST_FOR)?;
    Ok(Rehearsal { most_per_second: most.per_second, ..all })
}

/// Lets operations take the time of the drive with so many callers from now on, and gives that time, ns.
fn ask(charging: &Charging, spec: &DriveSpec, what: (IoKind, u64), callers: u32) -> u64 {
    let longest_ns = if callers == 1 { LONGEST_NS } else { LONGEST_OF_MANY_NS };
    let asked_ns = drive::mean_ns(spec, what, callers).min(longest_ns);
    charging.pause([asked_ns; 3]);
    asked_ns
}

impl Rehearsal {
    /// Measures one caller at a time, at this place of the tables.
    fn one_caller(
        &mut self,
        by: (&Probe, &Charging),
        what: (IoKind, u64),
        (place, size): (usize, usize),
        asked_ns: u64,
    ) -> io::Result<()> {
        let (rounds, operations) = if size == 0 { ROUNDS } else { ROUNDS_OF_LARGE };
        let alone = alone::measure(by, what, rounds, operations)?;
        self.asked_ns[place][size][0] = asked_ns;
        let way_ns = alone.usual_ns.saturating_sub(asked_ns);
        self.ways.0[place][size][0] = way_ns;
        self.usually_late_ns[place][size] = way_ns.saturating_sub(alone.path_ns);
        if size == 0 {
            self.late_ns[place] = alone.mean_ns - alone.usual_ns.max(asked_ns) as f64;
            self.usual_wait_ns = self.usual_wait_ns.min(alone.waited_ns);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rehearsal(asked_ns: [u64; 3], ways_ns: [u64; 3], late_ns: [f64; 3]) -> Rehearsal {
        let table = |of: [u64; 3]| of.map(|ns| [[ns; CALLERS.len()]; SIZES.len()]);
        Rehearsal {
            asked_ns: table(asked_ns),
            model_ns: asked_ns,
            ways: Ways(table(ways_ns)),
            usually_late_ns: Default::default(),
            late_ns,
            usual_wait_ns: 0,
            most_per_second: 40_000.0,
        }
    }

    #[test]
    fn the_usual_way_is_foreseen_and_the_rest_is_told() {
        let of = rehearsal([90_000, 25_000, 0], [14_000, 16_000, 9_000], [2_000.0, 4_000.0, 21_000.0]);
        assert_eq!(of.ways_ns(), [14_000, 16_000, 9_000]);
        let (through, operation) = (Through::Mount, Operation::Write);
        assert_eq!(of.beyond(), [Beyond { through, operation, model_us: 25.0, shown_us: 29.0 }]);
        assert_eq!(of.table().count(), (4 + 4 + 1) * 3);
        // A slow drive was rehearsed with a shorter time, and is told with its own.
        let slow = Rehearsal { model_ns: [3_000_000, 30_000, 0], ..of };
        assert_eq!(slow.beyond(), [Beyond { through, operation, model_us: 30.0, shown_us: 34.0 }]);
        assert!(of.table().all(|(_, bytes, callers, ns)| bytes >= 4096 && callers >= 1 && ns >= 9_000));
    }
}

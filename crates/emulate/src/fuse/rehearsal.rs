//! The way through the kernel to a drive that lets its callers wait, rehearsed before anything is charged.
//!
//! A caller loses time before its request is seen here and after it has been answered. With a drive that
//! takes no time both sides stay awake, which is the [`Floor`](crate::Floor); behind a drive both sleep
//! meanwhile, and waking is part of the way. So the drive's own times are waited for, with nothing charged,
//! and what a caller sees beyond them is the way: its usual length is taken off every modelled time, and what
//! comes on top of that says how far the mount can be trusted.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use device::DriveSpec;

use ground::Clock;

use super::charge::Charging;
use crate::EmulateError;
use crate::floor::{self, Timing};
use crate::vfs::pool::BLOCK;
use crate::vfs::store::with_aligned;

/// The longest time waited for in a rehearsal: longer waits have the same path.
const LONGEST_NS: u64 = 200_000;
/// The longest way that is foreseen, as a multiple of the undisturbed one: more is the doing of other
/// programs, which may be gone the next moment, and a drive that is faster than its model flatters.
const LONGEST_WAY: u64 = 2;
/// Callers at once, and the time of each of their reads: more of them than two processors carry.
const CALLERS: u64 = 16;
const EACH_NS: u64 = 100_000;
/// Their duration.
const CROWD_FOR: Duration = Duration::from_millis(60);
/// Blocks of their file.
const BLOCKS: u64 = 64;
/// The relative distance of a mean from the model's beyond which it is reported.
const NEAR: f64 = 0.10;
/// Share of the layer's own rate from which its queue shows in the times.
const CEILING_SHARE: f64 = 0.6;

/// Names of the three kinds of operations, in the order of all arrays here.
const KINDS: [&str; 3] = ["reads", "writes", "syncs"];

/// The time that a mount adds to a drive that lets its callers wait, one caller at a time, and its highest
/// rate of operations from many callers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rehearsal {
    /// Times waited for: reads, writes and syncs of 4 KiB, ns; 0 for a kind that this drive does at once.
    asked_ns: [u64; 3],
    /// The usual way to the mount and back, ns: taken off every modelled time.
    ways_ns: [u64; 3],
    /// By how much an operation came later than that, on average, ns.
    late_ns: [f64; 3],
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
        let times_ns = [spec.read_latency_ns(BLOCK as u64) as u64, spec.write_ack_ns, spec.flush_ns];
        let asked_ns = times_ns.map(|time_ns| time_ns.min(LONGEST_NS));
        charging.pause(asked_ns);
        let seen = floor::through_files(dir)?;
        charging.pause([EACH_NS; 3]);
        let path = floor::Scratch::Crowd.path(dir);
        let most_per_second = crowd(&path);
        if !most_per_second.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists) {
            let _ = std::fs::remove_file(&path);
        }
        charging.pause([0; 3]);
        let most_per_second = most_per_second.map_err(|source| EmulateError::Floor { path, source })?;
        Ok(Rehearsal::of(asked_ns, [seen.read, seen.write, seen.sync], most_per_second))
    }

    fn of(asked_ns: [u64; 3], seen: [Timing; 3], most_per_second: f64) -> Rehearsal {
        let each = [0, 1, 2];
        let ways_ns = each.map(|kind| {
            let beyond = |seen_ns: u64| seen_ns.saturating_sub(asked_ns[kind]);
            beyond(seen[kind].p50_ns).min(LONGEST_WAY * beyond(seen[kind].quiet_p25_ns))
        });
        let late_ns = each.map(|kind| seen[kind].mean_ns - (asked_ns[kind] + ways_ns[kind]) as f64);
        Rehearsal { asked_ns, ways_ns, late_ns, most_per_second }
    }

    /// The times that were waited for: reads and writes, ns.
    pub(super) fn asked_ns(&self) -> [u64; 2] {
        [self.asked_ns[0], self.asked_ns[1]]
    }

    /// The usual way to the mount and back, ns: reads, writes and syncs. It is part of every modelled time,
    /// not added to it.
    #[must_use]
    pub fn ways_ns(&self) -> [u64; 3] {
        self.ways_ns
    }

    /// Operations a second that the mount completes for sixteen callers at once: a drive near that is not
    /// shown as it is.
    #[must_use]
    pub fn most_per_second(&self) -> f64 {
        self.most_per_second
    }

    /// A sentence about the kinds of operations that take more than a tenth longer through this mount than on
    /// the drive, if any do.
    #[must_use]
    pub fn flags(&self) -> Option<String> {
        let is_beyond = |kind: &usize| self.late_ns[*kind] > NEAR * self.asked_ns[*kind] as f64;
        let part = |kind: usize| {
            let asked_ns = self.asked_ns[kind] as f64;
            let seen_us = (asked_ns + self.late_ns[kind]) / 1e3;
            format!("{} of {:.1} us take {seen_us:.1} us", KINDS[kind], asked_ns / 1e3)
        };
        let parts: Vec<String> =
            (0..3).filter(|kind| self.asked_ns[*kind] > 0).filter(is_beyond).map(part).collect();
        (!parts.is_empty())
            .then(|| format!("through the mount, one at a time, {} on average", parts.join(", ")))
    }

    /// The reason why a load of 4 KiB with `reads` percent of reads, at this rate and mean (us), cannot be
    /// shown within a tenth: a path that is not foreseen, or a rate near the limit of the mount itself.
    #[must_use]
    pub fn flags_at(&self, reads: u8, iops: f64, mean_us: f64) -> Option<String> {
        let share = f64::from(reads) / 1e2;
        let late_us = (share * self.late_ns[0] + (1.0 - share) * self.late_ns[1]) / 1e3;
        if late_us > NEAR * mean_us {
            return Some(format!(
                "the way is {late_us:.1} us longer than foreseen on average, for a mean of {mean_us:.1} us"
            ));
        }
        let most = self.most_per_second;
        (iops > most * CEILING_SHARE)
            .then(|| format!("{iops:.0} operations a second are near the {most:.0} that the mount completes"))
    }
}

/// Operations a second of all callers together.
fn crowd(path: &Path) -> io::Result<f64> {
    // Nothing that has the name is followed or written to.
    File::create_new(path)?.write_all(&vec![floor::FLOOR_BYTE; BLOCK * BLOCKS as usize])?;
    let start = Clock::Wall.stopwatch();
    let counts: Vec<io::Result<u64>> = std::thread::scope(|scope| {
        let callers: Vec<_> =
            (0..CALLERS).map(|first| scope.spawn(move || one_of_many(path, first))).collect();
        let lost = || Err(io::Error::other("a thread of the rehearsal ended by itself"));
        callers.into_iter().map(|caller| caller.join().unwrap_or_else(|_| lost())).collect()
    });
    let elapsed_s = start.seconds();
    Ok(counts.into_iter().sum::<io::Result<u64>>()? as f64 / elapsed_s)
}

fn one_of_many(path: &Path, first: u64) -> io::Result<u64> {
    let mut how = File::options();
    how.read(true);
    let file = how.clone().custom_flags(libc::O_DIRECT).open(path).or_else(|_| how.open(path))?;
    let start = Clock::Wall.stopwatch();
    let mut count = 0;
    with_aligned(0, BLOCK, |_, page| {
        while start.elapsed() < CROWD_FOR {
            file.read_exact_at(page, (first + count) % BLOCKS * BLOCK as u64)?;
            count += 1;
        }
        Ok(count)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(quiet_p25_ns: u64, p50_ns: u64, mean_ns: f64) -> Timing {
        Timing { quiet_p25_ns, p50_ns, mean_ns, ..Timing::NONE }
    }

    #[test]
    fn the_usual_way_is_foreseen_and_the_rest_is_told() {
        let seen = [
            timing(102_000, 104_000, 106_000.0),
            timing(40_000, 41_000, 45_000.0),
            timing(8_000, 9_000, 30_000.0),
        ];
        let rehearsal = Rehearsal::of([90_000, 25_000, 0], seen, 40_000.0);
        assert_eq!(rehearsal.ways_ns(), [14_000, 16_000, 9_000]);
        let text = rehearsal.flags().unwrap();
        assert_eq!(text, "through the mount, one at a time, writes of 25.0 us take 29.0 us on average");
        assert_eq!(rehearsal.flags_at(100, 11_000.0, 90.0), None);
        assert!(rehearsal.flags_at(0, 40_000.0, 25.0).unwrap().contains("4.0 us longer than foreseen"));
        assert!(rehearsal.flags_at(70, 24_001.0, 90.0).unwrap().contains("near the 40000"));
        assert_eq!(rehearsal.flags_at(70, 23_999.0, 90.0), None);
    }

    #[test]
    fn a_way_is_neither_negative_nor_that_of_other_programs() {
        let early = timing(80_000, 80_000, 81_000.0);
        let rehearsal = Rehearsal::of([90_000; 3], [early; 3], 1e5);
        assert_eq!((rehearsal.ways_ns(), rehearsal.flags()), ([0; 3], None));
        let busy = timing(103_000, 500_000, 600_000.0);
        let rehearsal = Rehearsal::of([90_000; 3], [busy; 3], 1e5);
        assert_eq!(rehearsal.ways_ns(), [26_000; 3]);
        assert!(rehearsal.flags().unwrap().contains("reads of 90.0 us take 574.0 us"));
    }
}

//! Many callers at once.

use std::io;
use std::path::Path;
use std::time::Duration;

use ground::Clock;
use measure::Histogram;

use crate::fuse::probe::Probe;
use crate::recorder::IoKind;

/// Operations of each caller, at least: so few take longer on a slow drive than the time that was asked for.
const LEAST: u64 = 3;

/// The rehearsal's times of all callers together.
pub(super) struct Crowd {
    pub(super) seen: Histogram,
    pub(super) per_second: f64,
}

/// Lets so many callers each do one operation after the other for a time.
///
/// # Errors
/// Those of the operations, and no thread can be started.
pub(super) fn measure(
    path: &Path,
    (kind, size_bytes): (IoKind, u64),
    callers: u32,
    time: Duration,
) -> io::Result<Crowd> {
    let start = Clock::Wall.stopwatch();
    let one = |first: u64| -> io::Result<Histogram> {
        let (probe, mut seen) = (Probe::open(path)?, Histogram::new());
        while start.elapsed() < time || seen.len() < LEAST {
            seen.record(probe.go(kind, size_bytes, first + seen.len())?.seen_ns);
        }
        Ok(seen)
    };
    let all: Vec<io::Result<Histogram>> = std::thread::scope(|scope| {
        let start_one =
            |first: u32| std::thread::Builder::new().spawn_scoped(scope, move || one(u64::from(first)));
        let threads: Vec<_> = (0..callers).map(start_one).collect();
        let lost = |_| Err(io::Error::other("a thread of the rehearsal ended by itself"));
        threads.into_iter().map(|thread| thread?.join().unwrap_or_else(lost)).collect()
    });
    let elapsed_s = start.seconds();
    let mut seen = Histogram::new();
    for of_one in all {
        seen.merge(&of_one?);
    }
    Ok(Crowd { per_second: seen.len() as f64 / elapsed_s, seen })
}

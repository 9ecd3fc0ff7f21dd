//! Pauses of a target: garbage collection, heat, or a machine that stood still.
//!
//! All operations that are under way wait for the end of a pause, and at a rate those that are due meanwhile
//! as well. Their latencies lie far beyond those of their load. A pause has its own length and spacing:
//! neither belongs to the service time of a drive.

use std::fmt;

use device::Bucket;

use super::super::load::Load;
use super::limits;

/// Operations that take longer than so many medians of their load wait for a pause,
const MEDIANS: f64 = 20.0;
/// if they take this long at least, ns.
const LEAST_NS: f64 = 10e6;

/// The pauses that the closed loads of a profile met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pauses {
    /// Their number: operations that waited for one, by the depth of their load.
    pub number: f64,
    /// Mean wait for the end of one, ns.
    pub mean_ns: f64,
    /// Longest wait, ns.
    pub longest_ns: f64,
    /// Measured time for each, s.
    pub every_s: f64,
}

impl fmt::Display for Pauses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pauses { number, mean_ns, longest_ns, every_s } = self;
        write!(
            f,
            "about {number:.0} of {:.0} ms in the mean, {:.0} ms at most, one in {every_s:.1} s of load",
            mean_ns / 1e6,
            longest_ns / 1e6
        )
    }
}

/// The pauses in these loads; `None` without any. A limit holds operations back as a pause does, and a flush
/// waits for the writes before it: neither counts.
#[must_use]
pub fn pauses(loads: &[Load], limits: &[Bucket]) -> Option<Pauses> {
    let counts =
        |load: &&Load| load.is_closed() && load.flush_every.is_none() && !limits::holds(limits, load);
    let (mut number, mut waits, mut waited_ns, mut longest_ns, mut all_s) = (0.0, 0.0, 0.0, 0.0_f64, 0.0);
    for load in loads.iter().filter(counts) {
        all_s += load.measured_s;
        for latency in [&load.reads, &load.writes].into_iter().flatten().map(|direction| &direction.latency) {
            let beyond_ns = LEAST_NS.max(MEDIANS * latency.quantile_ns(0.5) as f64);
            for (ns, count) in latency.recorded().filter(|(ns, _)| *ns as f64 >= beyond_ns) {
                number += count as f64 / f64::from(load.depth);
                waits += count as f64;
                waited_ns += ns as f64 * count as f64;
                longest_ns = longest_ns.max(ns as f64);
            }
        }
    }
    (number >= 1.0).then(|| Pauses {
        number,
        mean_ns: waited_ns / waits,
        longest_ns,
        every_s: all_s / number,
    })
}

#[cfg(test)]
mod tests {
    use device::{CollectionBurst, catalogue};

    use super::super::tests::{asked, measured};
    use super::*;

    #[test]
    fn collection_of_a_drive_is_found_with_its_length_and_spacing() {
        let plain = catalogue::find("kingston-dc1500m-960g").expect("in the catalogue").spec.clone();
        let burst = CollectionBurst { every_bytes: 4 << 20, length_ns: 60_000_000 };
        let collecting = device::DriveSpec { collection_burst: Some(burst), ..plain.clone() };
        let loads = |spec| {
            vec![measured(spec, asked(0.0, 4096, 1), 20e3, 3), measured(spec, asked(1.0, 4096, 1), 20e3, 4)]
        };
        assert_eq!(pauses(&loads(&plain), &[]), None);
        let loads = loads(&collecting);
        let found = pauses(&loads, &[]).expect("pauses");
        let writes = loads[0].writes.as_ref().expect("writes").latency.len() as f64;
        let expected = writes * 4096.0 / burst.every_bytes as f64;
        assert!((found.number / expected - 1.0).abs() < 0.2, "{found:?} of {expected}");
        assert!((found.longest_ns / 60e6 - 1.0).abs() < 0.05, "{found:?}");
    }
}

//! The figures of a load under way, once a second, of one process or of a whole fleet.

use serde::{Deserialize, Serialize};

/// A reading of a load under way, for whoever watches. A figure that a load does not have is left out by
/// `..Live::default()`; the names of the fields are those of the feed's JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Live {
    /// New orders, I/Os or other work completed per second since the last time.
    pub rate_per_s: f64,
    /// The unit of the rate: ranks may have work of several kinds.
    pub unit: String,
    /// Of a fleet: the ranks whose rates are in the sum, and those that take part; `None` for a process
    /// alone.
    pub ranks: Option<(u32, u32)>,
    /// Median latency of the last full second, ns, when known.
    pub p50_ns: Option<u64>,
    /// Its 99th percentile, ns.
    pub p99_ns: Option<u64>,
    /// Its 99.9th percentile, ns.
    pub p999_ns: Option<u64>,
    /// Time since the load began, s.
    pub elapsed_s: f64,
}

impl Live {
    /// The sum of the latest readings of the ranks with the unit of the first: a rank beside others'
    /// databases has work of another kind. Percentiles of several hosts cannot be merged from figures: the
    /// worst host's are told.
    #[must_use]
    pub fn of_ranks(latest: &[Option<Live>]) -> Option<Live> {
        let unit = &latest.iter().flatten().next()?.unit;
        let alike = || latest.iter().flatten().filter(|live| live.unit == *unit);
        let worst = |of: fn(&Live) -> Option<u64>| alike().filter_map(of).max();
        let others = latest.iter().flatten().filter(|live| live.unit != *unit).count();
        Some(Live {
            rate_per_s: alike().map(|live| live.rate_per_s).sum(),
            unit: unit.clone(),
            ranks: Some((alike().count() as u32, (latest.len() - others) as u32)),
            p50_ns: worst(|live| live.p50_ns),
            p99_ns: worst(|live| live.p99_ns),
            p999_ns: worst(|live| live.p999_ns),
            elapsed_s: alike().map(|live| live.elapsed_s).fold(0.0, f64::max),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(rate_per_s: f64, unit: &str, p99_ns: u64) -> Option<Live> {
        Some(Live { rate_per_s, unit: unit.to_owned(), p99_ns: Some(p99_ns), ..Live::default() })
    }

    #[test]
    fn the_rate_is_that_of_all_ranks_with_the_same_work() {
        let told = |latest: &[Option<Live>]| {
            let live = Live::of_ranks(latest).unwrap();
            (live.rate_per_s, live.unit, live.ranks, live.p99_ns)
        };
        let all = [live(3.0, "IOPS", 5), live(4.0, "IOPS", 9)];
        assert_eq!(told(&all), (7.0, "IOPS".to_owned(), Some((2, 2)), Some(9)));
        let beside = [live(3.0, "new orders/s", 5), None, live(80.0, "MB/s of copy", 70)];
        assert_eq!(told(&beside), (3.0, "new orders/s".to_owned(), Some((1, 2)), Some(5)), "one is silent");
        assert!(Live::of_ranks(&[None, None]).is_none());
    }
}

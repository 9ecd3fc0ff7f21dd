//! The pace of a load that starts its I/Os by the clock: kept or not.

use std::time::Duration;

use crate::job::Shape;
use crate::outcome::Outcome;

/// The share of due I/Os that may be late in any case.
const LATE_SHARE: f64 = 0.01;
/// I/Os that start later than this part of the measured time, half of them, are held back by more than a
/// hiccup.
const LAG_SHARE: f64 = 0.01;
/// The I/Os that a target which keeps up has outstanding at the end, in times of their mean number.
const OUTSTANDING_TIMES: f64 = 2.0;

/// The largest bursts of a load; all zero for a load without bursts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bursts {
    /// I/Os of a burst.
    pub ios: u32,
    /// From the start of one burst to the start of the next.
    pub every: Duration,
}

impl Bursts {
    /// Those of a job's shape.
    pub fn of(shape: &Shape) -> Bursts {
        match *shape {
            Shape::Bursts { ios, every, .. } => Bursts { ios, every },
            Shape::ClosedLoop { .. } | Shape::OpenLoop { .. } => Bursts::default(),
        }
    }
}

impl Outcome {
    /// I/Os that were due in the measure phase: answered in it, answered after it, never answered, or failed.
    pub fn due(&self) -> u64 {
        self.read.latency.len() + self.write.latency.len() + self.discard.latency.len() + self.failures()
    }

    /// True if the I/Os of an open loop started about when they were due and came back in the phase. A count
    /// of answers alone would also pass a target that works a queue off after the phase.
    pub fn kept_pace(&self, bursts: Bursts) -> bool {
        let late = (self.after_end + self.unfinished + self.failures()) as f64;
        let due = self.due() as f64;
        let elapsed_s = self.elapsed.as_secs_f64().max(1e-9);
        let outstanding = due / elapsed_s * self.service().mean_ns() / 1e9;
        let late_most = (LATE_SHARE * due).max(OUTSTANDING_TIMES * outstanding).max(f64::from(bursts.ios));
        self.ios() > 0 && late <= late_most && self.is_prompt(bursts)
    }

    /// True if I/Os started when they were due: nearly all of a burst before the next one, half of the others
    /// within a hundredth of the phase.
    fn is_prompt(&self, bursts: Bursts) -> bool {
        if self.lag.is_empty() {
            return true;
        }
        let hiccup = self.elapsed.mul_f64(LAG_SHARE).max(Duration::from_millis(1));
        let (quantile, most) = match bursts.every {
            Duration::ZERO => (0.5, hiccup),
            every => (0.99, every.max(hiccup)),
        };
        u128::from(self.lag.quantile_ns(quantile)) <= most.as_nanos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    /// A phase of ten seconds in which 10,000 reads of 100 us were due, each `lag_ns` late, and so many came
    /// back after it.
    fn outcome(lag_ns: u64, after_end: u64) -> Outcome {
        let mut outcome = Outcome { elapsed: Duration::from_secs(10), ..Outcome::empty(0, 1) };
        outcome.lag.record_n(lag_ns, 10_000);
        outcome.read.service.record_n(100_000, 10_000);
        outcome.read.latency.record_n(lag_ns + 100_000, 10_000);
        outcome.read.ios = 10_000 - after_end;
        outcome.after_end = after_end;
        outcome
    }

    #[test]
    fn a_queue_that_is_worked_off_after_the_phase_is_no_kept_pace() {
        let none = Bursts::default();
        assert!(outcome(0, 0).kept_pace(none) && outcome(50_000, 100).kept_pace(none));
        assert!(!outcome(0, 101).kept_pace(none), "more than a hundredth came too late");
        assert!(!outcome(SECOND_NS, 0).kept_pace(none), "all waited for a second");
        let unfinished = Outcome { unfinished: 200, ..outcome(0, 0) };
        assert!(!unfinished.kept_pace(none));
        assert!(!Outcome::empty(0, 1).kept_pace(none), "nothing was done");
        assert_eq!(outcome(0, 5).due(), 10_000);
    }

    #[test]
    fn slow_answers_that_are_outstanding_at_the_end_are_no_queue() {
        let mut slow = outcome(0, 150);
        slow.read.service.record_n(200_000_000, 10_000);
        assert!(slow.kept_pace(Bursts::default()), "100 a second for 100 ms each are 100 at a time");
    }

    #[test]
    fn a_burst_is_kept_when_it_is_over_before_the_next() {
        let bursts = Bursts { ios: 1000, every: Duration::from_secs(1) };
        assert!(outcome(SECOND_NS / 2, 900).kept_pace(bursts));
        assert!(!outcome(SECOND_NS * 3 / 2, 900).kept_pace(bursts), "the bursts run into each other");
        assert!(!outcome(SECOND_NS / 2, 1500).kept_pace(bursts), "more than a burst was left");
    }
}

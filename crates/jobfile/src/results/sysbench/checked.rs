//! Numbers of a summary that must fit each other.

use crate::fault::{AS_WRITTEN, FileFault};
use crate::results::agree::{Counted, is_above, shown};

/// The rates are of a time that sysbench measures beside the total one, some milliseconds shorter or longer;
/// on a busy machine it ends later.
const SLACK_S: (f64, f64) = (0.1, 1.0);
/// Rates and latencies have two decimals.
const STEP: f64 = 0.01;

/// Numbers of a summary with their lines.
#[derive(Debug, Default)]
pub(super) struct Stated {
    /// Line, count and rate.
    pub(super) rates: Vec<(usize, f64, f64)>,
    /// Line, name and value of what cannot exceed the maximum, ms.
    pub(super) below_max: Vec<(usize, &'static str, f64)>,
    pub(super) max: Option<f64>,
}

impl Stated {
    /// Refuses numbers that contradict each other.
    pub(super) fn check(&self, total_s: f64) -> Result<(), FileFault> {
        for (line, count, rate) in &self.rates {
            let counted = Counted { count: *count, time_s: total_s, slack_s: SLACK_S };
            if !counted.fits(*rate, STEP) {
                let (count, rate, total) = (shown(*count), shown(*rate), shown(total_s));
                let message =
                    format!("states {rate} per second, and counts {count} in the total time of {total} s");
                return Err(FileFault::line(*line, message, AS_WRITTEN));
            }
        }
        let Some(max) = self.max else { return Ok(()) };
        for (line, name, value) in &self.below_max {
            if is_above(*value, max, STEP) {
                let message =
                    format!("states a {name} of {} ms, above the max of {}", shown(*value), shown(max));
                return Err(FileFault::line(*line, message, AS_WRITTEN));
            }
        }
        Ok(())
    }
}

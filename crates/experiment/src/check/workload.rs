//! Workloads: levels, times and streams that make sense.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::check::Checker;
use crate::check::is_embedded;
use crate::file::Experiment;
use crate::units::Size;
use crate::workload::{Method, Workload};

/// Series have one-second steps: a shorter measurement has none.
const MEASURE_MIN: Duration = Duration::from_secs(1);

/// The points of a cell have no series of their own; shorter ones would be all start and end.
const POINT_MIN: Duration = Duration::from_millis(50);

/// A longer phase is a slip of the pen.
const PHASE_MAX: Duration = Duration::from_secs(366 * 86_400);

/// Transactions per second between one in a quarter of an hour and more than any server answers.
const RATES: std::ops::RangeInclusive<f64> = 0.001..=1e7;
/// Below this a tool would hardly move.
const RATE_MIN: Size = Size(32 << 10);

impl Checker<'_> {
    pub(crate) fn workloads(&mut self, experiment: &Experiment) {
        let mut seen = BTreeSet::new();
        for (index, workload) in experiment.workload.iter().enumerate() {
            let path = format!("workload.{index}");
            if workload.name().trim().is_empty() {
                self.fault(
                    &format!("{path}.name"),
                    "the name is empty".to_owned(),
                    "",
                    "leave `name` out, or write one",
                );
            } else if !seen.insert(workload.name()) {
                let message = format!("there are two workloads called `{}`", workload.name());
                let help = "tell them apart with `name = \"...\"`";
                self.fault(&format!("{path}.name"), message, "the second one", help);
            }
            self.phases(&path, workload);
            workload.of().check(self, &path, experiment);
        }
    }

    /// Times: long enough to have series, short enough to end.
    pub(crate) fn phases(&mut self, path: &str, workload: &Workload) {
        let (key, doing) = workload.of().measure_key();
        let measure = workload.measure();
        let points = matches!(workload, Workload::Block(block) if block.has_points());
        if measure.0 < if points { POINT_MIN } else { MEASURE_MIN } && workload.of().is_timed() {
            let message = format!("{doing} for {measure} is too short");
            let help = match points {
                true => "write 50 ms at least",
                false => "write one second at least: series have one-second steps",
            };
            self.fault(&format!("{path}.{key}"), message, "", help);
        }
        for (key, span) in [("ramp_up", workload.ramp_up()), (key, measure)] {
            if span.0 > PHASE_MAX {
                let message = format!("{span} is longer than a year");
                self.fault(&format!("{path}.{key}"), message, "", "write a shorter time");
            }
        }
    }

    /// Levels: one at least, none twice.
    pub(crate) fn levels<T: PartialEq + std::fmt::Display>(
        &mut self,
        path: &str,
        levels: &[T],
        example: &str,
    ) {
        let key = path.rsplit('.').next().unwrap_or_default();
        if levels.is_empty() {
            self.fault(
                path,
                format!("`{key}` has no level"),
                "empty",
                format!("write for example `{key} = {example}`"),
            );
        }
        for (index, level) in levels.iter().enumerate() {
            if levels[..index].contains(level) {
                let help = "name every level once; `design.repeats` says how often each is run";
                self.fault(
                    &format!("{path}.{index}"),
                    format!("`{key}` names {level} twice"),
                    "named here again",
                    help,
                );
            }
        }
    }

    pub(crate) fn rate(&mut self, path: &str, rate: f64) {
        if !RATES.contains(&rate) {
            let message = format!("a rate cannot be {rate} transactions per second");
            self.fault(path, message, "", "write 0.001 to 10000000, or leave it out for a closed loop");
        }
    }

    pub(crate) fn method(&mut self, path: &str, method: Method, experiment: &Experiment) {
        if method == Method::Logical && is_embedded(experiment) {
            let message = "SQLite has no tool for a logical backup".to_owned();
            let help = "leave `method` out: its online backup is a physical one";
            self.fault(&format!("{path}.method"), message, "", help);
        }
    }

    pub(crate) fn at_least(&mut self, path: &str, rate: Option<Size>) {
        if let Some(rate) = rate.filter(|rate| *rate < RATE_MIN) {
            let message = format!("{rate} in a second is too little");
            self.fault(path, message, "", format!("write {RATE_MIN} at least"));
        }
    }

    pub(crate) fn own_servers_only(&mut self, path: &str, experiment: &Experiment, done: &str) {
        if experiment.bed.iter().any(|bed| experiment.url_of(bed).is_some()) {
            let message = format!("a server that this program did not start is not {done} by it");
            let help = "leave `url` out: the run then starts servers of its own";
            self.fault(&format!("{path}.kind"), message, "", help);
        }
    }
}

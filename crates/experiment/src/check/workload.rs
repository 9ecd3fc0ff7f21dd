//! Workloads: levels, times and streams that make sense.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::checker::Checker;
use crate::file::Experiment;
use crate::units::Size;
use crate::workload::{FileKind, Method};

/// A longer phase is a slip of the pen.
const PHASE_MAX: Duration = Duration::from_secs(366 * 86_400);

/// Below this a tool would hardly move.
const RATE_MIN: Size = Size(32 << 10);

impl Checker<'_> {
    pub(crate) fn workloads(&mut self, experiment: &Experiment) {
        let mut seen = BTreeSet::new();
        for (index, workload) in experiment.workload.iter().enumerate() {
            let path = format!("workload.{index}");
            if self.is_broken(&format!("{path}.kind")) {
                continue;
            }
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
            self.phases(&path, workload.of());
            workload.of().check(self, &path, experiment);
        }
    }

    /// Times: long enough to have series, short enough to end.
    fn phases(&mut self, path: &str, workload: &dyn FileKind) {
        let (key, doing) = workload.measure_key();
        let measure = workload.measure();
        // A finished run is read however short its phases were.
        let min = workload.measure_min().filter(|_| self.is_asked());
        if let Some((_, help)) = min.filter(|(least, _)| measure.0 < *least) {
            self.fault(&format!("{path}.{key}"), format!("{doing} for {measure} is too short"), "", help);
        }
        for (key, span) in [("ramp_up", workload.ramp_up()), (key, measure)] {
            if span.0 > PHASE_MAX {
                let message = format!("{span} is longer than a year");
                self.fault(&format!("{path}.{key}"), message, "", "write a shorter time");
            }
        }
    }

    pub(crate) fn method(&mut self, path: &str, method: Method, experiment: &Experiment) {
        if method == Method::Logical && experiment.is_embedded() {
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

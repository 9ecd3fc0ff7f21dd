//! Workloads: levels, times and streams that make sense.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::check::Checker;
use crate::check::operations::is_timed;
use crate::file::Experiment;
use crate::workload::Workload;

/// Series have one-second steps: a shorter measurement has none.
const MEASURE_MIN: Duration = Duration::from_secs(1);

/// The points of a cell have no series of their own; shorter ones would be all start and end.
const POINT_MIN: Duration = Duration::from_millis(50);

/// A longer phase is a slip of the pen.
const PHASE_MAX: Duration = Duration::from_secs(366 * 86_400);

impl Checker<'_> {
    pub(super) fn workloads(&mut self, experiment: &Experiment) {
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
            match workload {
                Workload::Tpcc(tpcc) => self.tpcc(&path, tpcc),
                Workload::Sysbench(sysbench) => self.sysbench(&path, sysbench),
                Workload::Durability(durability) => self.durability(&path, durability, experiment),
                Workload::Block(block) => self.block(&path, block),
                Workload::Backup(backup) => self.backup(&path, backup, experiment),
                Workload::Scan(scan) => self.scan(&path, scan, experiment),
                Workload::Neighbour(neighbour) => self.neighbour(&path, neighbour, experiment),
                Workload::Fragmentation(asked) => self.fragmentation(&path, asked, experiment),
            }
        }
    }

    /// Times: long enough to have series, short enough to end.
    fn phases(&mut self, path: &str, workload: &Workload) {
        let (key, doing) = match workload {
            Workload::Durability(_) => ("load_for", "a load"),
            _ => ("measure", "measuring"),
        };
        let measure = workload.measure();
        let points = matches!(workload, Workload::Block(block) if block.has_points());
        if measure.0 < if points { POINT_MIN } else { MEASURE_MIN } && is_timed(workload) {
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
    pub(super) fn levels<T: PartialEq + std::fmt::Display>(
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
}

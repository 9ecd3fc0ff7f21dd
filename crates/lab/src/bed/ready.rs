//! Beds that could not be prepared: their cells are recorded as invalid with the reason, and the others run.

use std::collections::BTreeMap;

use experiment::Experiment;

use crate::error::LabError;
use crate::needs;
use crate::order::CellKey;

/// The reasons why cells cannot run. Usually empty.
#[derive(Debug, Default)]
pub(crate) struct Unready {
    /// By bed, and by the workload that its data was to be loaded, or its files made, for; `None` when the
    /// bed itself is not fit.
    reasons: BTreeMap<(usize, Option<usize>), String>,
    first: Option<LabError>,
}

impl Unready {
    /// Nothing can run on bed number `bed`.
    pub(crate) fn bed(&mut self, bed: usize, error: LabError) {
        self.reasons.entry((bed, None)).or_insert(error.to_string());
        self.first.get_or_insert(error);
    }

    /// On bed number `bed` there is no data, or no room, for workload number `home` and those that work on
    /// the same.
    pub(crate) fn data(&mut self, bed: usize, home: usize, error: LabError) {
        self.same(bed, home, error.to_string());
        self.first.get_or_insert(error);
    }

    /// As [`data`](Self::data), for a bed that shares the storage of one that has failed.
    pub(crate) fn same(&mut self, bed: usize, home: usize, reason: String) {
        self.reasons.entry((bed, Some(home))).or_insert(reason);
    }

    /// The reason why the cell cannot run, if it cannot.
    pub(crate) fn reason(&self, experiment: &Experiment, key: CellKey) -> Option<&str> {
        let has_data = needs::of(&experiment.workload[key.workload]).data().is_some();
        let home = if has_data { needs::home(experiment, key.workload) } else { key.workload };
        let found = [(key.bed, None), (key.bed, Some(home))];
        found.iter().find_map(|at| self.reasons.get(at)).map(String::as_str)
    }

    /// The error that ends the run, when no cell at all could run.
    pub(crate) fn of_all(self, experiment: &Experiment, keys: &[CellKey]) -> Option<LabError> {
        keys.iter().all(|key| self.reason(experiment, *key).is_some()).then_some(self.first).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
schema = 1
title = "Two beds, two workloads"
[[bed]]
name = "a"
storage = { real = "." }
[[bed]]
name = "b"
storage = { real = "." }
[database]
engine = "sqlite"
memory = "16MiB"
[[workload]]
kind = "tpcc"
warehouses = 1
virtual_users = [1]
ramp_up = "0s"
measure = "1s"
[[workload]]
kind = "block"
size = "1MiB"
depth = [1]
ramp_up = "0s"
measure = "1s"
[[workload.stream]]
read = "100%"
block_size = "4KiB"
[design]
treatment = []
"#;

    fn error(text: &str) -> LabError {
        LabError::Storage(text.to_owned())
    }

    #[test]
    fn only_cells_that_need_what_is_missing_are_kept_from_running() {
        let experiment = experiment::parse(TEXT, "x.toml").unwrap();
        let key = |bed, workload| CellKey { bed, workload, level: 0, repeat: 0 };
        let all = [key(0, 0), key(0, 1), key(1, 0), key(1, 1)];
        let mut unready = Unready::default();
        unready.data(0, 0, error("no room"));
        let reasons = |unready: &Unready| all.map(|key| unready.reason(&experiment, key).is_some());
        assert_eq!(reasons(&unready), [true, false, false, false]);
        assert_eq!(unready.reason(&experiment, all[0]), Some("storage: no room"));
        unready.bed(1, error("no drive"));
        assert_eq!(reasons(&unready), [true, false, true, true]);
        assert!(unready.of_all(&experiment, &all).is_none(), "one can run");
        let mut unready = Unready::default();
        unready.bed(0, error("first"));
        unready.bed(1, error("second"));
        assert_eq!(unready.of_all(&experiment, &all).unwrap().to_string(), "storage: first");
        assert!(Unready::default().of_all(&experiment, &[]).is_none());
    }
}

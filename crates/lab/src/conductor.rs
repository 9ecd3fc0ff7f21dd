//! One run in progress, as its cells see it.

use std::path::{Path, PathBuf};
use std::time::Instant;

use experiment::Experiment;
use notebook::RunId;

use crate::order::CellKey;
use crate::workdir::WorkDir;
use crate::{Interrupt, Observer, beds, needs};

/// One run in progress.
pub(crate) struct Conductor<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) seed: u64,
    pub(crate) work: WorkDir,
    pub(crate) drives: Vec<beds::Drives>,
    pub(crate) run: RunId,
    pub(crate) destroy: &'a [block::DestroyOrder],
    pub(crate) record: Option<&'a Path>,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) observer: &'a dyn Observer,
}

impl Conductor<'_> {
    /// The golden copy that the cell starts from.
    pub(crate) fn golden(&self, key: CellKey) -> PathBuf {
        let bed = &self.experiment.bed[key.bed];
        self.work.golden(bed, needs::home(self.experiment, key.workload))
    }
}

/// Time since `start` in seconds.
pub(crate) fn seconds_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64()
}

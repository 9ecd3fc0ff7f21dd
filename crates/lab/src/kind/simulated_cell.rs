//! One simulated cell with all that it is made from.

use experiment::{Experiment, Span};
use simulate::{Load, LoadedBed, Window};

use crate::order::{CellKey, cell_seed};

/// One cell with all that it is made from.
pub(crate) struct SimulatedCell<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) key: CellKey,
    pub(crate) on: &'a LoadedBed,
    /// Of the run.
    pub(crate) seed: u64,
    /// Load generators at once, machines of the bed that bring the workload's load each.
    pub(crate) ranks: u32,
}

impl SimulatedCell<'_> {
    pub(crate) fn cell_seed(&self) -> u64 {
        cell_seed(self.seed, self.key)
    }

    /// The study's load with the memory that the experiment says now.
    pub(crate) fn load(&self) -> Load {
        let bed = &self.experiment.bed[self.key.bed];
        let memory_bytes =
            self.experiment.memory_of(bed).map_or(self.on.load.memory_bytes, |memory| memory.0);
        Load { memory_bytes, ..self.on.load.clone() }
    }
}

/// The window of a load that an experiment asks for.
pub(crate) fn window(ramp_up: Span, measure: Span) -> Window {
    Window::published(ramp_up.0.as_secs(), measure.0.as_secs().max(1))
}

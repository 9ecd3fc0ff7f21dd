//! The messages of a run to its watcher.

use std::time::Duration;

/// One thing that happened. The command line draws them; tests collect them.
#[derive(Clone, Debug)]
pub enum Event {
    /// A run begins or goes on: how many cells are left of how many.
    Started {
        /// Cells still to do.
        left: usize,
        /// Cells of the whole experiment.
        total: usize,
        /// The time for the rest, by the plan.
        expected: Duration,
    },
    /// The data set is being loaded (once; every cell starts from a copy of it).
    Loading {
        /// The data being loaded, for example "4 warehouses".
        what: String,
        /// Share done, 0 to 1.
        share: f64,
    },
    /// Something was done that took a while, for example loading or checking.
    Did {
        /// The action, with its figure.
        what: String,
    },
    /// A cell begins.
    CellStarted {
        /// Number of this cell in the order of the run, from 1.
        number: usize,
        /// Cells of the whole experiment.
        total: usize,
        /// "bed, 4 virtual users, repeat 2".
        what: String,
        /// The time for this cell, by the plan.
        expected: Duration,
    },
    /// A phase of the running cell begins: reset, ramp-up, measure, check.
    Phase {
        /// Its name.
        name: &'static str,
    },
    /// Twice a second while a cell runs.
    Live {
        /// New orders or I/Os completed per second over the last interval.
        rate_per_s: f64,
        /// The unit of the rate.
        unit: &'static str,
        /// Median of the last full second, ns, when known.
        p50_ns: Option<u64>,
        /// Its 99th percentile, ns.
        p99_ns: Option<u64>,
        /// Its 99.9th percentile, ns.
        p999_ns: Option<u64>,
        /// Time since the cell's load began.
        elapsed: Duration,
    },
    /// A cell is in the notebook.
    CellDone {
        /// Number of this cell in the order of the run, from 1.
        number: usize,
        /// Cells of the whole experiment.
        total: usize,
        /// "bed, 4 virtual users, repeat 2".
        what: String,
        /// Its main figure or why it is invalid.
        result: String,
        /// True if the cell counts.
        valid: bool,
    },
    /// Something the user should know although the run goes on.
    Warning {
        /// The sentence.
        text: String,
    },
}

/// Receives events, possibly from several threads.
pub trait Observer: Send + Sync {
    /// Takes one event; must not block for long: the load goes on meanwhile.
    fn event(&self, event: Event);
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&self, _: Event) {}
}

//! The messages of a run to its watcher.

use std::time::Duration;

use device::Traffic;
use serde::Serialize;

pub use fleet::Live;
use words::PhaseName;

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
        name: PhaseName,
    },
    /// Once a second while a cell is under load.
    Live(Live),
    /// Once a second during a cell, from its reset to its check.
    Second(Second),
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

/// The machine in one second of a cell. A reading for whoever watches; results have figures of their own. The
/// names of the fields are those of the feed's JSON.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Second {
    /// The length of the second, s.
    pub seconds: f64,
    /// Idle share of the machine's processors, 0 to 1; waits for I/O count as idle.
    pub cpu_idle: f64,
    /// The drives under the cell: its modelled ones, and where it is on real storage the drives of the host
    /// that were used since it began, by whatever program.
    #[serde(skip)]
    pub drives: Vec<DriveSecond>,
}

/// A drive in one second of a cell.
#[derive(Clone, Debug)]
pub struct DriveSecond {
    /// Its name: that of the catalogue, or the kernel's.
    pub name: String,
    /// True if it carries the log alone.
    pub is_log: bool,
    /// True if it is a model.
    pub is_modelled: bool,
    /// Its operations in the second.
    pub second: Traffic,
    /// Its operations since the cell began.
    pub so_far: Traffic,
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

//! One run in progress, as its cells see it.

use std::path::PathBuf;

use experiment::Experiment;
use ground::Clock;
use host::Sampler;
use notebook::RunId;
use oltp::Asking;

use crate::event::Observer;
use crate::interrupt::Interrupt;
use crate::membership::CellMeeting;
use crate::needs;
use crate::order::{CellKey, cell_seed};
use crate::storage::cell_drives::CellDrives;
use crate::storage::drives;
use crate::storage::workdir::{Claimed, WorkDir};
use crate::watch::meter::SECOND;
use crate::world::World;

/// One run in progress.
pub(crate) struct Conductor<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) seed: u64,
    pub(crate) work: WorkDir,
    /// The folders of the run on its storages.
    pub(crate) claimed: Claimed,
    pub(crate) drives: Vec<drives::Drives>,
    pub(crate) run: RunId,
    pub(crate) world: &'a World,
    /// The counters of the machine second by second.
    pub(crate) sampler: Sampler,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) observer: &'a dyn Observer,
    /// The drives under the running cell, for its seconds.
    pub(crate) cell_drives: CellDrives,
    /// The meetings of the running cell with other ranks.
    pub(crate) meeting: CellMeeting,
}

/// The storages of a run.
pub(crate) struct Places {
    pub(crate) work: WorkDir,
    pub(crate) claimed: Claimed,
    pub(crate) drives: Vec<drives::Drives>,
}

impl<'a> Conductor<'a> {
    /// A run before its first cell.
    pub(crate) fn new(
        (run, experiment, seed): (RunId, &'a Experiment, u64),
        Places { work, claimed, drives }: Places,
        world: &'a World,
        (interrupt, observer): (&'a Interrupt, &'a dyn Observer),
    ) -> Conductor<'a> {
        let (cell_drives, meeting) = (CellDrives::default(), CellMeeting::new(&world.membership));
        let sampler = Sampler::new(world.counters, &world.clock, SECOND);
        Conductor {
            experiment,
            seed,
            work,
            claimed,
            drives,
            run,
            world,
            sampler,
            interrupt,
            observer,
            cell_drives,
            meeting,
        }
    }

    /// The clock of the run.
    pub(crate) fn clock(&self) -> &Clock {
        &self.world.clock
    }

    /// The seed of a cell's random streams on this host: the same for all beds of one workload, level and
    /// repeat, so that they are asked the same.
    pub(crate) fn cell_seed(&self, key: CellKey) -> u64 {
        self.world.membership.seed(cell_seed(self.seed, key))
    }

    /// The manner in which the load of a cell asks: by the processors of its threads.
    pub(crate) fn asking(&self, key: CellKey) -> Asking {
        let processors = self.world.membership.processors(self.ranks_at(key));
        Asking { processors, ..Asking::default() }
    }

    /// The number of ranks that take part in a cell; `None` where all do.
    pub(crate) fn ranks_at(&self, key: CellKey) -> Option<u32> {
        self.world.membership.levels(self.experiment).ranks_at(key)
    }

    /// True if the load of the running cell is to end.
    pub(crate) fn stops(&self) -> bool {
        self.interrupt.requested() || self.meeting.is_off()
    }

    /// The golden copy that the cell starts from.
    pub(crate) fn golden(&self, key: CellKey) -> PathBuf {
        let bed = &self.experiment.bed[key.bed];
        self.work.golden(bed, needs::home(self.experiment, key.workload))
    }
}

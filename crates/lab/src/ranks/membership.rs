//! The membership of a process in a fleet, or none.

use std::collections::BTreeSet;
use std::sync::Arc;

use experiment::{Bed, Experiment};
use fleet::{Alone, Fleet, Meeting, decode, encode};
use notebook::CellRecord;

use crate::LabError;
use crate::levels::Levels;
use crate::ranks::agreed::{At, Next};

/// The membership of a process in a fleet; by default it is alone, and every meeting is over at once.
#[derive(Clone, Debug)]
pub struct Membership(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    fleet: Arc<dyn Fleet>,
    /// The cells that the lead asks for; `None` for all.
    open: Option<BTreeSet<u32>>,
    shared: BTreeSet<String>,
}

impl Default for Membership {
    fn default() -> Membership {
        Membership::of(Arc::new(Alone), None, BTreeSet::new())
    }
}

impl Membership {
    pub(crate) fn of(
        fleet: Arc<dyn Fleet>,
        open: Option<BTreeSet<u32>>,
        shared: BTreeSet<String>,
    ) -> Membership {
        Membership(Arc::new(Inner { fleet, open, shared }))
    }

    pub(crate) fn fleet(&self) -> &dyn Fleet {
        &*self.0.fleet
    }

    pub(crate) fn rank(&self) -> u32 {
        self.0.fleet.rank()
    }

    pub(crate) fn is_alone(&self) -> bool {
        self.0.open.is_none()
    }

    /// The levels of the cells that this process runs.
    pub(crate) fn levels<'a>(&self, experiment: &'a Experiment) -> Levels<'a> {
        if self.is_alone() { Levels::of(experiment) } else { Levels::of_rank(experiment, self.rank()) }
    }

    /// True if the cell at `position` is to be run.
    pub(crate) fn is_asked(&self, position: u32) -> bool {
        self.0.open.as_ref().is_none_or(|open| open.contains(&position))
    }

    /// The part of `total` users, or whatever a level counts, of this rank on `bed`: a part of a bed that all
    /// ranks load together, and everything on a bed of its own. The first, and their number.
    pub(crate) fn deal(&self, bed: &Bed, total: u32) -> (u32, u32) {
        match self.shares(bed) {
            true => fleet::share(total, self.rank(), self.0.fleet.size()),
            false => (0, total),
        }
    }

    /// The number of ranks that load `bed` together.
    pub(crate) fn sharers(&self, bed: &Bed) -> u32 {
        if self.shares(bed) { self.0.fleet.size() } else { 1 }
    }

    /// True if the bed is one that all ranks load together.
    pub(crate) fn shares(&self, bed: &Bed) -> bool {
        self.0.shared.contains(&bed.name)
    }

    /// True if another rank prepares and checks the bed.
    pub(crate) fn is_guest(&self, bed: &Bed) -> bool {
        self.shares(bed) && self.rank() > 0
    }

    /// Equal ranks are asked alike, not the same; the first is asked what a single process is.
    pub(crate) fn seed(&self, seed: u64) -> u64 {
        match self.rank() {
            0 => seed,
            rank => ground::mix(seed ^ u64::from(rank).rotate_left(32)),
        }
    }

    /// Does `work` on a bed that all ranks share: the first rank before the others.
    /// The part, `what` of the bed, is one that not every rank may need.
    pub(crate) fn first_before_others<T>(
        &self,
        bed: &Bed,
        what: usize,
        work: impl FnOnce() -> T,
    ) -> Result<T, LabError> {
        if !self.shares(bed) {
            return Ok(work());
        }
        let is_first = self.rank() == 0;
        let done = if is_first { Ok(work()) } else { Err(work) };
        self.0.fleet.agree(Meeting::Shared, &encode(&(&bed.name, what)))?;
        Ok(done.unwrap_or_else(|work| work()))
    }

    /// Waits until all ranks are at the cell; false if the fleet ends here.
    pub(crate) fn goes_on(&self, position: u32, stops: bool) -> Result<bool, LabError> {
        if self.is_alone() {
            return Ok(!stops);
        }
        let answer = self.0.fleet.agree(Meeting::Cell, &encode(&At { position, stops }))?;
        Ok(decode::<Next>(&answer)? == Next::Go)
    }

    /// Hands a cell, which is in the notebook, to the lead.
    pub(crate) fn hand_in(&self, record: &CellRecord) -> Result<(), LabError> {
        if self.is_alone() {
            return Ok(());
        }
        Ok(self.0.fleet.gather(&encode(record))?)
    }
}

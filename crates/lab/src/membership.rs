//! The membership of a process in a fleet, or none.

mod agreed;
mod kept_by;
mod meeting;
mod scale_out;
mod share;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::thread;

use experiment::{Bed, Experiment};
use fleet::{Alone, Fleet, Meeting, decode, encode};
use notebook::CellRecord;

use crate::error::LabError;
use crate::levels::Levels;

pub use agreed::Terms;
pub(crate) use agreed::{Asked, At, Found, Next, of_rank, run_of, work_dir_of};
pub use kept_by::was_led;
pub(crate) use kept_by::{SCOPE, kept_by};
pub(crate) use meeting::CellMeeting;
pub use scale_out::check_alone;
pub use share::check_shares;
pub(crate) use share::{experiment_of, share_of, shared_beds};

/// The membership of a process in a fleet; by default it is alone, and every meeting is over at once.
#[derive(Clone, Debug)]
pub struct Membership(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    fleet: Arc<dyn Fleet>,
    /// The cells that the lead asks for; `None` for all.
    open: Option<BTreeSet<u32>>,
    shared: BTreeSet<String>,
    /// The ranks on this machine, this one among them, once the lead has told them.
    here: OnceLock<Vec<u32>>,
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
        Membership(Arc::new(Inner { fleet, open, shared, here: OnceLock::new() }))
    }

    /// The ranks on this machine, which the lead tells once.
    pub(crate) fn are_here(&self, ranks: Vec<u32>) {
        // Told twice, they are the same.
        let _ = self.0.here.set(ranks);
    }

    /// The processors for this rank's threads of load beside the first `taking_part` ranks of the fleet, or
    /// all of it; `None` for all processors, where no other rank is on this machine.
    pub(crate) fn processors(&self, taking_part: Option<u32>) -> Option<u32> {
        let takes_part = |rank: &&u32| taking_part.is_none_or(|first| **rank < first);
        let here = self.0.here.get()?.iter().filter(takes_part).count();
        let all = thread::available_parallelism().map_or(1, usize::from);
        (here > 1).then(|| all.div_ceil(here) as u32)
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

    /// True if it is this rank's turn at a look that one of the ranks on `bed`, all or the first
    /// `taking_part`, takes: together they look as often as one process.
    pub(crate) fn is_its_turn(&self, bed: &Bed, taking_part: Option<u32>, look: u64) -> bool {
        let ranks = taking_part.unwrap_or(self.0.fleet.size()).max(1);
        !self.shares(bed) || look % u64::from(ranks) == u64::from(self.rank() % ranks)
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

#[cfg(test)]
mod tests {
    use fleet::{Done, FleetError, Start};

    use super::*;

    /// A rank of four that never meets the others.
    #[derive(Debug)]
    struct Of(u32);

    impl Fleet for Of {
        fn rank(&self) -> u32 {
            self.0
        }

        fn size(&self) -> u32 {
            4
        }

        fn agree(&self, _: Meeting, word: &[u8]) -> Result<Vec<u8>, FleetError> {
            Ok(word.to_vec())
        }

        fn start(&self, _: Option<&str>) -> Result<Start, FleetError> {
            Ok(Start::Now)
        }

        fn done(&self, _: Done) -> Result<(), FleetError> {
            Ok(())
        }

        fn gather(&self, _: &[u8]) -> Result<(), FleetError> {
            Ok(())
        }
    }

    #[test]
    fn ranks_of_one_machine_divide_its_processors_where_they_take_part() {
        let all = thread::available_parallelism().map_or(1, usize::from) as u32;
        let of = |here: &[u32]| {
            let membership = Membership::of(Arc::new(Of(0)), Some(BTreeSet::new()), BTreeSet::new());
            membership.are_here(here.to_vec());
            membership
        };
        assert_eq!(Membership::default().processors(None), None);
        assert_eq!(of(&[0]).processors(None), None, "nobody else is here");
        assert_eq!(of(&[0, 1, 2, 3]).processors(None), Some(all.div_ceil(4)));
        assert_eq!(of(&[0, 1, 2, 3]).processors(Some(2)), Some(all.div_ceil(2)), "two take part");
        assert_eq!(of(&[0, 3]).processors(Some(1)), None);
    }

    #[test]
    fn ranks_on_one_server_look_as_often_as_one_process() {
        let file = "schema = 1\ntitle = \"x\"\n[[bed]]\nname = \"b\"\nstorage = { real = \".\" }\n[[workload]]\nkind = \"block\"\n\
                    size = \"1MiB\"\ndepth = [1]\nramp_up = \"1s\"\nmeasure = \"1s\"\n[[workload.stream]]\nread = \"100%\"\n\
                    block_size = \"4KiB\"\n";
        let experiment = experiment::parse(file, "x.toml").unwrap_or_else(|faults| panic!("{faults}"));
        let bed = &experiment.bed[0];
        let looks = |shared: &[&str]| -> Vec<usize> {
            let shared: BTreeSet<String> = shared.iter().map(|name| (*name).to_owned()).collect();
            let of = |rank| Membership::of(Arc::new(Of(rank)), Some(BTreeSet::new()), shared.clone());
            (1..=8).map(|look| (0..4).filter(|rank| of(*rank).is_its_turn(bed, None, look)).count()).collect()
        };
        assert_eq!(looks(&["b"]), [1; 8]);
        let first = Membership::of(Arc::new(Of(0)), None, std::iter::once("b".to_owned()).collect());
        assert!((1..=8).all(|look| first.is_its_turn(bed, Some(1), look)), "the others wait");
        assert_eq!(looks(&[]), [4; 8], "each looks at a server of its own");
    }
}

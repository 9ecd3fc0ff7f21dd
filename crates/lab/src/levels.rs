//! The levels of a run as its cells count them.

use experiment::{Experiment, Workload};
use notebook::PlannedCell;
use words::LevelName;

use crate::order::CellKey;

/// The levels of a run, as one process counts them or as all ranks of a fleet together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Levels<'a> {
    experiment: &'a Experiment,
    /// Ranks that bring the load of a level each.
    ranks: u32,
    /// The rank whose cells they are; `None` for those of all.
    rank: Option<u32>,
}

impl<'a> Levels<'a> {
    /// The levels that a process counts for itself.
    pub(crate) fn of(experiment: &'a Experiment) -> Levels<'a> {
        Levels { experiment, ranks: 1, rank: None }
    }

    /// The levels of a rank, which takes part where its number is below that of the level.
    pub(crate) fn of_rank(experiment: &'a Experiment, rank: u32) -> Levels<'a> {
        Levels { experiment, ranks: 1, rank: Some(rank) }
    }

    /// The levels that the lead of so many ranks counts: the load of all of them.
    pub(crate) fn of_ranks(experiment: &'a Experiment, ranks: u32) -> Levels<'a> {
        Levels { experiment, ranks, rank: None }
    }

    pub(crate) fn experiment(&self) -> &'a Experiment {
        self.experiment
    }

    /// The levels of a workload in the order of the experiment.
    pub(crate) fn all(&self, workload: &Workload) -> Vec<f64> {
        let times = if self.add_up(workload) { f64::from(self.ranks) } else { 1.0 };
        self.experiment.levels_of(workload).into_iter().map(|level| level * times).collect()
    }

    /// The unit of the levels of a workload.
    pub(crate) fn name(&self, workload: &Workload) -> LevelName {
        self.experiment.level_name_of(workload)
    }

    /// The level of a cell.
    pub(crate) fn level(&self, key: CellKey) -> f64 {
        self.all(&self.experiment.workload[key.workload])[key.level]
    }

    /// The number of ranks that take part in a cell; `None` where all do.
    pub(crate) fn ranks_at(&self, key: CellKey) -> Option<u32> {
        self.experiment.scale_out().get(key.level).copied()
    }

    /// The same levels of another version of the experiment, without regard to the rank.
    pub(crate) fn of_all<'b>(&self, experiment: &'b Experiment) -> Levels<'b> {
        Levels { experiment, ranks: self.ranks, rank: None }
    }

    /// True if the process takes part in a cell of the experiment.
    pub(crate) fn takes_part(&self, key: CellKey) -> bool {
        self.rank.is_none_or(|rank| self.ranks_at(key).is_none_or(|ranks| rank < ranks))
    }

    /// True if the process runs a planned cell: a rank runs those whose level is above its number.
    pub(crate) fn has(&self, cell: &PlannedCell) -> bool {
        let is_of = |rank: u32| cell.level_name != LevelName::Ranks || f64::from(rank) < cell.level;
        self.rank.is_none_or(is_of)
    }

    /// True if each rank brings the level's load to a bed of its own, so that the fleet has the sum. What
    /// ranks share is counted once, and a queue depth stays that of each load generator, as it does with
    /// several workers.
    fn add_up(&self, workload: &Workload) -> bool {
        self.name(workload).is_amount() && !self.experiment.is_dealt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experiment(load: &str, more: &str) -> Experiment {
        let text = format!(
            "schema = 1\ntitle = \"x\"\n[[bed]]\nname = \"a\"\nstorage = {{ real = \".\" }}\n{more}\n[[workload]]\n{load}\n\
             ramp_up = \"1s\"\nmeasure = \"1s\"\n"
        );
        experiment::parse(&text, "x.toml").unwrap_or_else(|faults| panic!("{faults}"))
    }

    const USERS: &str = "kind = \"tpcc\"\nwarehouses = 8\nvirtual_users = [4, 8]";
    const SQLITE: &str = "[database]\nengine = \"sqlite\"\nmemory = \"16MiB\"";

    fn levels(experiment: &Experiment, ranks: u32) -> Vec<f64> {
        Levels::of_ranks(experiment, ranks).all(&experiment.workload[0])
    }

    #[test]
    fn a_fleet_counts_the_load_of_all_its_ranks() {
        let own = experiment(USERS, SQLITE);
        assert_eq!(levels(&own, 3), [12.0, 24.0]);
        assert_eq!(Levels::of(&own).all(&own.workload[0]), [4.0, 8.0]);
        let server = "[database]\nengine = \"postgresql\"\nmemory = \"16MiB\"\nurl = \"postgresql://u@h";
        assert_eq!(levels(&experiment(USERS, &format!("{server}/d\"")), 3), [4.0, 8.0], "dealt to the ranks");
        assert_eq!(levels(&experiment(USERS, &format!("{server}{{rank}}/d\"")), 3), [12.0, 24.0]);
    }

    #[test]
    fn a_depth_is_that_of_each_rank_and_ranks_are_counted_once() {
        let load = |levels: &str| {
            let stream = "\n[[workload.stream]]\nread = \"100%\"\nblock_size = \"4KiB\"";
            let times = "ramp_up = \"1s\"\nmeasure = \"1s\"";
            let text = format!(
                "schema = 1\ntitle = \"x\"\n[[bed]]\nname = \"a\"\nstorage = {{ real = \".\" }}\n[[workload]]\nkind = \"block\"\n\
                 size = \"1MiB\"\n{levels}\n{times}{stream}\n"
            );
            experiment::parse(&text, "x.toml").unwrap_or_else(|faults| panic!("{faults}"))
        };
        assert_eq!(levels(&load("depth = [1, 4]"), 3), [1.0, 4.0]);
        assert_eq!(levels(&load("rate = [1000]"), 3), [3000.0]);
        let mut scaled = load("depth = [4]");
        scaled.fleet = Some(experiment::Fleet { scale_out: vec![1, 2, 4], deal: false });
        assert_eq!(levels(&scaled, 4), [1.0, 2.0, 4.0]);
        assert_eq!(Levels::of(&scaled).name(&scaled.workload[0]), LevelName::Ranks);
    }
}

//! The ranks of a fleet behind the levels of its cells.

use crate::level::LevelUnit;
use crate::loaded_run::Facts;
use crate::number;
use experiment::{Experiment, Workload};
use words::{LevelName, say};

/// The scope of the facts of a fleet.
const SCOPE: &str = "fleet";

/// The ranks of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ranks {
    /// 1 for a run of one process.
    count: u32,
    /// True if they share the load of the file, which is then counted once.
    shares: bool,
    /// True if workers, instances or machines are dealt to them, each with a whole level.
    has_parts: bool,
}

impl Ranks {
    pub(crate) fn of(experiment: Option<&Experiment>, facts: &[(String, Facts)]) -> Ranks {
        let fleet = facts.iter().find(|(scope, _)| scope == SCOPE).map(|(_, facts)| facts);
        let count = fleet.and_then(|facts| facts.get("ranks")?.parse().ok());
        Ranks {
            count: count.unwrap_or(1),
            shares: experiment.is_some_and(Experiment::is_dealt),
            has_parts: experiment.is_some_and(|experiment| experiment.ranks_most().is_some()),
        }
    }

    /// The number of ranks that each bring the whole load, to beds of their own, in every cell.
    pub(crate) fn on_own_beds(self) -> u32 {
        if self.shares { 1 } else { self.count }
    }

    /// The number of ranks, where there are several.
    pub(crate) fn several(self) -> Option<u32> {
        (self.count > 1).then_some(self.count)
    }

    /// A level of `workload`, with what each rank has of it.
    pub(crate) fn level_said(self, (level, name): (f64, &LevelUnit), workload: Option<&Workload>) -> String {
        let load = name.said(level);
        let ranks_f = f64::from(self.count);
        if *name == LevelName::Ranks {
            let own = workload.and_then(|workload| Some((workload, *workload.levels().first()?)));
            let Some((workload, own)) = own else { return load };
            let own = if self.shares { own / ranks_f } else { own };
            return say!("level-on-each", load, each = LevelUnit::Known(workload.level_name()).said(own));
        }
        let Some(ranks) = self.several() else { return load };
        match name {
            LevelUnit::Known(name) if name.is_amount() && level % ranks_f == 0.0 && !self.has_parts => {
                say!("level-of-ranks", load, each = number::level(level / ranks_f), ranks)
            }
            _ => say!("level-on-ranks", load, ranks),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_says_its_total_and_the_part_of_a_rank() {
        let of = |count: u32, level: f64, name: LevelName| {
            Ranks { count, shares: false, has_parts: false }
                .level_said((level, &LevelUnit::Known(name)), None)
        };
        assert_eq!(of(1, 8.0, LevelName::VirtualUsers), "8 virtual users");
        assert_eq!(of(2, 8.0, LevelName::VirtualUsers), "8 virtual users (4 on each of 2 ranks)");
        assert_eq!(of(3, 8.0, LevelName::Threads), "8 threads (on 3 ranks)");
        assert_eq!(of(3, 3000.0, LevelName::Iops), "3,000 IOPS offered (1,000 on each of 3 ranks)");
        assert_eq!(of(3, 2.0, LevelName::Ranks), "2 ranks");
    }
}

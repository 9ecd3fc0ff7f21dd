//! The limiters of the cells, bed by bed and level by level.

use crate::loaded_run::{GroupKey, LoadedRun};
use words::{Limiter, LimiterFigures};

/// The limiters of the valid cells of one bed at one level.
#[derive(Clone, Debug, PartialEq)]
pub struct Limiters {
    /// Name of the workload.
    pub workload: String,
    /// The load of this step.
    pub level: f64,
    /// The unit of levels.
    pub level_name: String,
    /// Name of the bed.
    pub bed: String,
    /// Limiter and number of cells, the most frequent first.
    pub counts: Vec<(String, usize)>,
    /// The figures of the first cell with the most frequent limiter.
    pub figures: Option<LimiterFigures>,
}

impl Limiters {
    /// The most frequent limiter; `not known` when no cell named one.
    pub fn main(&self) -> &str {
        self.counts.first().map_or(Limiter::NotKnown.name(), |(name, _)| name.as_str())
    }

    /// `drive` or, when the cells disagree, `drive 5, CPU 1`.
    pub fn shown(&self) -> String {
        match self.counts.as_slice() {
            [] => "no valid cell".to_owned(),
            [(only, _)] => only.clone(),
            many => many.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", "),
        }
    }

    /// True if the limiter of most cells is the load generator: then the storage was not measured.
    pub fn is_generator(&self) -> bool {
        *self.main() == Limiter::Client
    }

    /// True if most cells kept the requested rate: the bed can do at least that much; the maximum is not
    /// known.
    pub fn is_paced(&self) -> bool {
        *self.main() == Limiter::Pacing
    }
}

/// The meaning of a limiter, in one sentence without its end.
fn meaning(limiter: Limiter) -> &'static str {
    match limiter {
        Limiter::Drive => "most waited for reads or writes of the drive",
        Limiter::LogFlush => "most waited until the log of transactions was on the drive",
        Limiter::Locks => "most waited for each other",
        Limiter::Cpu => "the processors had no time left for the database and its clients",
        Limiter::Client => {
            "the program that makes the load took the processors, so the storage was not measured"
        }
        Limiter::Kernel => "the kernel's way to the storage took the processors",
        Limiter::OtherPrograms => {
            "programs that are no part of the measurement took the processors; measure again when they are quiet"
        }
        Limiter::Pacing => "the rate that was asked for was kept; how much more is possible was not measured",
        Limiter::NoAnswer => "nothing was answered for a tenth of the time or more while requests waited",
        Limiter::FixedWaits => {
            "waits inside the modelled engine that every batch has, whatever the drive, the processors and the number of users"
        }
        Limiter::Network => "most waited for the network between client and server",
        Limiter::NotKnown => "no cell said what bounded it",
    }
}

/// The limiters that occur among `all`, each with its meaning.
pub(crate) fn meanings(all: &[Limiters]) -> Vec<String> {
    let occurs =
        |limiter: &Limiter| all.iter().any(|one| one.counts.iter().any(|(known, _)| known == limiter));
    let known = Limiter::ALL.iter().copied().filter(occurs);
    known.map(|limiter| format!("{limiter}: {}.", meaning(limiter))).collect()
}

/// The limiters of every bed at every level of every workload.
pub(crate) fn of_all(loaded: &LoadedRun) -> Vec<Limiters> {
    let bounded = |place: &GroupKey<'_>| loaded.kind(place.workload).has_limiter;
    loaded.places().filter(bounded).map(|place| of(loaded, &place)).collect()
}

fn of(loaded: &LoadedRun, place: &GroupKey<'_>) -> Limiters {
    let cells = loaded.valid(place);
    let mut counts: Vec<(String, usize)> = Vec::new();
    for measured in &cells {
        let name = measured.cell.limiter.as_deref().unwrap_or(Limiter::NotKnown.name());
        match counts.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name.to_owned(), 1)),
        }
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let main = counts.first().map(|(name, _)| name.clone());
    let figures = cells
        .iter()
        .find(|measured| measured.cell.limiter == main)
        .and_then(|measured| measured.cell.limiter_figures.clone());
    Limiters {
        workload: place.workload.to_owned(),
        level: place.level,
        level_name: loaded.level_name(place.workload).to_owned(),
        bed: place.bed.to_owned(),
        counts,
        figures,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limiter_that_occurs_is_explained_where_it_is_told_and_in_the_guide() {
        let of = |name: &str| Limiters {
            workload: "tpcc".to_owned(),
            level: 1.0,
            level_name: "virtual users".to_owned(),
            bed: "nvme".to_owned(),
            counts: vec![(name.to_owned(), 2)],
            figures: None,
        };
        let told = meanings(&[of("fixed waits"), of("drive")]);
        assert_eq!(told.len(), 2);
        assert!(told[1].starts_with("fixed waits: waits inside the modelled engine"), "{told:?}");
        let guide = include_str!("../../../docs/guide/words.md");
        for name in Limiter::ALL.iter().filter(|name| **name != Limiter::NotKnown) {
            assert!(guide.contains(&format!("| {name} |")), "{name}");
        }
    }
}

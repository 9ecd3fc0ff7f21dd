//! The limiters of the cells, bed by bed and level by level.

use crate::loaded_run::{GroupKey, LoadedRun};
use words::{Limiter, LimiterFigures, Spoken, say, spoken};

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
            [] => say!("limiter-no-valid-cell").to_owned(),
            [(only, _)] => spoken::<Limiter>(only).to_owned(),
            many => many
                .iter()
                .map(|(name, count)| format!("{} {count}", spoken::<Limiter>(name)))
                .collect::<Vec<_>>()
                .join(", "),
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
        Limiter::Drive => say!("limiter-drive"),
        Limiter::LogFlush => say!("limiter-log-flush"),
        Limiter::Locks => say!("limiter-locks"),
        Limiter::Cpu => say!("limiter-cpu"),
        Limiter::Client => say!("limiter-client"),
        Limiter::Kernel => say!("limiter-kernel"),
        Limiter::OtherPrograms => say!("limiter-other-programs"),
        Limiter::Pacing => say!("limiter-pacing"),
        Limiter::NoAnswer => say!("limiter-no-answer"),
        Limiter::FixedWaits => say!("limiter-fixed-waits"),
        Limiter::Network => say!("limiter-network"),
        Limiter::NotKnown => say!("limiter-not-known"),
    }
}

/// The limiters that occur among `all`, each with its meaning.
pub(crate) fn meanings(all: &[Limiters]) -> Vec<String> {
    let occurs =
        |limiter: &Limiter| all.iter().any(|one| one.counts.iter().any(|(known, _)| known == limiter));
    let known = Limiter::ALL.iter().copied().filter(occurs);
    known
        .map(|limiter| say!("limiter-meaning", limiter = limiter.spoken(), meaning = meaning(limiter)))
        .collect()
}

/// The limiters of every bed at every level of every workload.
pub(crate) fn of_all(loaded: &LoadedRun) -> Vec<Limiters> {
    // No other program names one.
    let bounded = |place: &GroupKey<'_>| loaded.kind(place.workload).has_limiter && !loaded.is_imported();
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

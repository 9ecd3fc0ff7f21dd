//! The limiters of the cells, bed by bed and level by level.

use crate::level::LevelUnit;
use crate::loaded_run::{GroupKey, LoadedRun, Measured};
use words::{Limiter, LimiterFigures, Metric, Spoken, say, spoken};

/// The limiters of the valid cells of one bed at one level.
#[derive(Clone, Debug, PartialEq)]
pub struct Limiters {
    /// Name of the workload.
    pub workload: String,
    /// The load of this step.
    pub level: f64,
    /// The unit of levels.
    pub level_name: LevelUnit,
    /// Name of the bed.
    pub bed: String,
    /// Limiter and number of cells, the most frequent first.
    pub counts: Vec<(String, usize)>,
    /// The figures of the first cell with the most frequent limiter.
    pub figures: Option<LimiterFigures>,
    /// Valid cells that were asked to keep a pace and did not.
    pub missed_pace: usize,
    /// True if the cells on average ran well above the rate that they were asked for.
    pub is_above_pace: bool,
}

impl Limiters {
    /// The most frequent limiter; `not known` when no cell named one.
    pub fn main(&self) -> &str {
        self.counts.first().map_or(Limiter::NotKnown.name(), |(name, _)| name.as_str())
    }

    /// `drive` or, when the cells disagree, `drive (5/6), CPU (1/6)`; with what became of a pace that was
    /// missed.
    pub fn shown(&self) -> String {
        let cells = self.cells();
        let share = |name: &str, count: &usize| format!("{} ({count}/{cells})", spoken::<Limiter>(name));
        let limiters = match self.counts.as_slice() {
            [] => return say!("limiter-no-valid-cell").to_owned(),
            [(only, _)] => spoken::<Limiter>(only).to_owned(),
            many => words::list(many.iter().map(|(name, count)| share(name, count))),
        };
        self.with_pace(limiters)
    }

    /// The most frequent limiter in a word, `drive`, where its figures stand beside it; with what became of a
    /// pace that was missed.
    pub(crate) fn in_short(&self) -> String {
        self.with_pace(spoken::<Limiter>(self.main()).to_owned())
    }

    fn cells(&self) -> usize {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    fn with_pace(&self, limiter: String) -> String {
        let cells = self.cells();
        match self.missed_pace {
            0 => limiter,
            missed if missed == cells => say!("limiter-missed-pace", limiter),
            missed => say!("limiter-missed-pace-in", limiter, missed, cells),
        }
    }

    /// True if a cell was asked to keep a pace and did not.
    pub fn is_behind(&self) -> bool {
        self.missed_pace > 0
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

    /// True if the requested rate was kept and not exceeded: the cells tell of that rate.
    pub(crate) fn is_at_pace(&self) -> bool {
        self.is_paced() && !self.is_above_pace
    }
}

/// The metric in which beds are compared under a workload: its throughput, or the 99th percentile of latency
/// where all cells kept a requested rate. Their rates are the same by design, and the latency tells them
/// apart.
pub(crate) fn compared_metric(loaded: &LoadedRun, limiters: &[Limiters], workload: &str) -> Metric {
    let throughput = loaded.kind(workload).throughput;
    let mut here = limiters.iter().filter(|one| one.workload == workload).peekable();
    let is_asked = here.peek().is_some() && here.all(Limiters::is_paced) && can_be_asked(throughput);
    if is_asked { Metric::LATENCY_P99 } else { throughput }
}

/// True for a throughput that an experiment can ask for.
pub(crate) fn can_be_asked(throughput: Metric) -> bool {
    matches!(throughput, Metric::Nopm | Metric::Tps | Metric::Iops)
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
    let bounded = |place: &GroupKey<'_>| loaded.kind(place.workload).has_limiter && loaded.has_limiters();
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
    let missed = |measured: &&&Measured| {
        let limiter = measured.cell.limiter.as_deref().and_then(Limiter::of).unwrap_or(Limiter::NotKnown);
        measured.cell.limiter_figures.as_ref().is_some_and(|figures| figures.missed_pace(limiter))
    };
    let missed_pace = cells.iter().filter(missed).count();
    let figures = cells
        .iter()
        .find(|measured| measured.cell.limiter == main)
        .and_then(|measured| measured.cell.limiter_figures.clone())
        .map(LimiterFigures::told);
    let of_asked = cells.iter().filter_map(|m| m.cell.limiter_figures.as_ref()?.of_asked());
    let of_asked = measure::typical(&of_asked.collect::<Vec<f64>>());
    Limiters {
        workload: place.workload.to_owned(),
        level: place.level,
        level_name: loaded.level_name(place.workload).clone(),
        bed: place.bed.to_owned(),
        counts,
        figures,
        missed_pace,
        is_above_pace: of_asked.is_some_and(|share| share > LimiterFigures::ABOVE_ASKED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUIDE: &str = include_str!("../../../docs/guide/verdicts.md");

    #[test]
    fn every_limiter_that_occurs_is_explained_where_it_is_told_and_in_the_guide() {
        let of = |name: &str| Limiters {
            workload: "tpcc".to_owned(),
            level: 1.0,
            level_name: "virtual users".into(),
            bed: "nvme".to_owned(),
            counts: vec![(name.to_owned(), 2)],
            figures: None,
            missed_pace: 0,
            is_above_pace: false,
        };
        let told = meanings(&[of("fixed waits"), of("drive")]);
        assert_eq!(told.len(), 2);
        assert!(told[1].starts_with("fixed waits: waits inside the modelled engine"), "{told:?}");
        let paced = |missed_pace| Limiters { missed_pace, ..of("drive") };
        assert_eq!(paced(0).shown(), "drive");
        assert_eq!(paced(2).shown(), "drive, missed its pace");
        let counts = [("drive", 5), ("CPU", 1)].map(|(name, count)| (name.to_owned(), count)).to_vec();
        assert_eq!(Limiters { counts, ..of("drive") }.shown(), "drive (5/6), CPU (1/6)");
        assert_eq!(paced(1).in_short(), "drive, missed its pace in 1 of 2 cells");
        for limiter in Limiter::ALL {
            let row = format!("| {} | {} |", limiter.spoken(), meaning(*limiter));
            assert!(GUIDE.contains(&row), "the guide has another meaning, or none: {row}");
        }
    }

    #[test]
    fn the_guide_names_the_figures_behind_every_limiter() {
        // A message of several forms as one line: its last form is that of any number.
        let messages = include_str!("../../../locales/en/limiter.ftl").replace("\n   ", " ");
        let figures = messages.lines().filter_map(|line| line.strip_prefix("figures-")?.split_once(" = "));
        let figures =
            figures.map(|(id, text)| (id, text.rsplit_once("[other] ").map_or(text, |(_, last)| last)));
        let mut checked = 0;
        for (id, text) in figures {
            // The part that every sentence of the message shares: its first part without data.
            let mut parts =
                text.split(['{', '}']).step_by(2).map(|part| part.trim_matches([' ', ',', ';', '%']));
            let Some(part) = parts.find(|part| part.len() >= 8) else { continue };
            checked += 1;
            assert!(GUIDE.contains(&format!("| `{part}")), "figures-{id}: `{part}`");
        }
        let without = ["told", "with-processors"]; // Of older notebooks; words of other messages alone.
        assert_eq!(checked + without.len(), LimiterFigures::NAMES.len());
    }
}

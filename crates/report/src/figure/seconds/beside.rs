//! A rate of users inside the windows of something else, and while nothing else runs.

use measure::Series;
use notebook::Phase;
use words::{Metric, MetricName, PhaseName};

/// Mean rates of whole seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Beside {
    /// Inside the windows.
    pub(crate) during: f64,
    /// Outside of them, and of restores and proofs, which use the same drive.
    pub(crate) otherwise: f64,
    /// The seconds that each of the two rests on.
    pub(crate) seconds: (usize, usize),
}

/// Work that competes with the users like the windows themselves.
const NEVER_QUIET: [PhaseName; 2] = [PhaseName::Restore, PhaseName::Proof];

impl Beside {
    /// The rates of a series of transactions; `None` for another series, or without seconds on both sides.
    pub(crate) fn of(series: &Series, phases: &[Phase]) -> Option<Beside> {
        let windows = windows(series, phases)?.1;
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for (index, value) in series.values.iter().enumerate().filter(|(_, value)| value.is_finite()) {
            let from = series.start_s + index as f64;
            let is_apart = |phase: &Phase| from + 1.0 <= phase.start_s || phase.end_s <= from;
            if windows.iter().any(|window| holds(window, from)) {
                inside.push(*value);
            } else if phases.iter().filter(|phase| disturbs(phase, &windows)).all(is_apart) {
                outside.push(*value);
            }
        }
        let (during, otherwise) = (mean(&inside)?, mean(&outside).filter(|rate| *rate > 0.0)?);
        Some(Beside { during, otherwise, seconds: (inside.len(), outside.len()) })
    }

    /// The share of the rate that is lost; below zero where it grew.
    pub(crate) fn lost(&self) -> f64 {
        1.0 - self.during / self.otherwise
    }
}

/// The windows of backups, or of neighbours where there are no backups, of a series of transactions.
pub(super) fn windows<'a>(series: &Series, phases: &'a [Phase]) -> Option<(PhaseName, Vec<&'a Phase>)> {
    if MetricName::read(&series.metric) != Metric::Tpm {
        return None;
    }
    let of = |kind: PhaseName| -> Vec<&Phase> {
        phases.iter().filter(|phase| phase.name.kind() == Some(kind)).collect()
    };
    let kinds = [PhaseName::Backup, PhaseName::Neighbour];
    kinds.into_iter().map(|kind| (kind, of(kind))).find(|(_, found)| !found.is_empty())
}

/// The mean of a series over the whole seconds of one window.
pub(super) fn mean_in(series: &Series, window: &Phase) -> Option<f64> {
    let seconds = series.values.iter().enumerate();
    let inside =
        seconds.filter(|(index, value)| value.is_finite() && holds(window, series.start_s + *index as f64));
    mean(&inside.map(|(_, value)| *value).collect::<Vec<f64>>())
}

/// True if the second from `from_s` on lies in the window as a whole.
fn holds(window: &Phase, from_s: f64) -> bool {
    window.start_s <= from_s && from_s + 1.0 <= window.end_s
}

fn disturbs(phase: &Phase, windows: &[&Phase]) -> bool {
    windows.contains(&phase) || phase.name.kind().is_some_and(|kind| NEVER_QUIET.contains(&kind))
}

fn mean(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    mean.is_finite().then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_seconds_count_and_those_of_restores_and_proofs_on_neither_side() {
        let phase =
            |name: &str, start_s, end_s| Phase { name: words::StoredPhase::read(name), start_s, end_s };
        let phases = [phase("backup 1", 2.5, 5.0), phase("restore 1", 5.0, 6.0), phase("proof 1", 6.0, 6.5)];
        let series = |metric: &str| {
            Series::new(metric, "1/min", 0.0, vec![100.0, 100.0, 60.0, 50.0, 50.0, 10.0, 20.0, 130.0])
        };
        let found = Beside::of(&series("tpm"), &phases).expect("seconds on both sides");
        assert_eq!(found, Beside { during: 50.0, otherwise: 110.0, seconds: (2, 3) });
        assert!((found.lost() - 60.0 / 110.0).abs() < 1e-12);
        assert_eq!(mean_in(&series("tpm"), &phases[0]), Some(50.0));
        assert_eq!(Beside::of(&series("read_bandwidth"), &phases), None);
        assert_eq!(Beside::of(&series("tpm"), &phases[1..]), None);
    }
}

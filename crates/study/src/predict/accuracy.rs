//! The errors of predicted figures against the measurements of the judging beds.

use super::run::{Predicted, PredictedBed, PredictedFigure, PredictedLevel};

/// The largest error of a figure with which the prediction counts as kept: a share.
const ALLOWED: [(Predicted, f64); 3] =
    [(Predicted::Nopm, 0.10), (Predicted::CommitMean, 0.25), (Predicted::CommitP99, 0.25)];

/// All predictions of one figure that a bed judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Accuracy {
    /// The quantity.
    pub name: Predicted,
    /// The figure's name in tables.
    pub title: &'static str,
    /// Its largest allowed error, as a share.
    pub allowed: f64,
    /// Errors of those that were judged, as shares.
    errors: Vec<f64>,
}

/// The accuracy of each figure that was judged at all.
#[must_use]
pub fn accuracy(beds: &[PredictedBed<'_>]) -> Vec<Accuracy> {
    of_figures(beds.iter().flat_map(|bed| &bed.levels).flat_map(PredictedLevel::figures))
}

fn of_figures(figures: impl Iterator<Item = PredictedFigure>) -> Vec<Accuracy> {
    let mut all: Vec<Accuracy> = Vec::new();
    for figure in figures {
        let PredictedFigure { name, title, .. } = figure;
        let allowed = ALLOWED.iter().find(|(known, _)| *known == name);
        let (Some(error), Some(&(_, allowed))) = (figure.error(), allowed) else { continue };
        match all.iter_mut().find(|accuracy| accuracy.name == name) {
            Some(accuracy) => accuracy.errors.push(error),
            None => all.push(Accuracy { name, title, allowed, errors: vec![error] }),
        }
    }
    all
}

impl Accuracy {
    /// Predictions that were judged.
    #[must_use]
    pub fn judged(&self) -> usize {
        self.errors.len()
    }

    /// Those of them that were within the allowed share of the measurement.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.errors.iter().filter(|error| error.abs() <= self.allowed).count()
    }

    /// The error furthest from zero, as a share.
    #[must_use]
    pub fn worst(&self) -> f64 {
        self.errors.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::Figure;

    #[test]
    fn predictions_are_counted_by_figure_and_only_where_they_were_judged() {
        let figure = |name, value, measured| PredictedFigure {
            name,
            here: None,
            title: "a figure",
            figure: Figure { value, low: value, high: value },
            measured,
        };
        let all = of_figures(
            [
                figure(Predicted::Nopm, 105.0, Some(100.0)),
                figure(Predicted::Nopm, 80.0, Some(100.0)),
                figure(Predicted::Nopm, 1.0, None),
                figure(Predicted::LatencyP99, 2.0, Some(1.0)),
                figure(Predicted::CommitMean, 2.0, Some(1.0)),
            ]
            .into_iter(),
        );
        let told: Vec<_> = all.iter().map(|a| (a.name, a.kept(), a.judged())).collect();
        assert_eq!(told, [(Predicted::Nopm, 1, 2), (Predicted::CommitMean, 0, 1)]);
        assert!((all[0].worst() + 0.2).abs() < 1e-9, "{all:?}");
    }
}

//! The error of a model at the points of a map, each predicted by a fit that did not see it.

use device::ReadMap;

use super::Values;
use crate::number;

/// The median error next to the limit has to be this many times that of the other points to be told.
const TOLD_FROM: f64 = 1.5;
/// The least median error next to the limit of a drive that is told: smaller ones mislead nobody.
const NEAR_TOLD_FROM: f64 = 0.10;

/// Errors by the places of their points, as shares: predicted over measured, minus 1.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    errors: Vec<Option<f64>>,
    columns: usize,
}

impl Judged {
    /// Of one percentile; `None` where no point was predicted.
    pub(super) fn of(measured: &ReadMap, predicted: &ReadMap, of: Values) -> Option<Judged> {
        let error = |(measured, predicted): (&f64, &f64)| {
            let error = predicted / measured - 1.0;
            error.is_finite().then_some(error)
        };
        let errors: Vec<Option<f64>> = of(measured).iter().zip(of(predicted)).map(error).collect();
        let columns = measured.reads_per_s.len();
        errors.iter().any(Option::is_some).then_some(Judged { errors, columns })
    }

    /// The error at a place.
    pub(super) fn at(&self, index: usize) -> Option<f64> {
        self.errors.get(index).copied().flatten()
    }

    /// The number of points.
    pub(super) fn points(&self) -> usize {
        self.errors.iter().flatten().count()
    }

    /// The number of points whose error is at most this share.
    pub(super) fn within(&self, share: f64) -> usize {
        self.errors.iter().flatten().filter(|error| error.abs() <= share).count()
    }

    /// The place of the largest error, and the error.
    pub(super) fn worst(&self) -> Option<(usize, f64)> {
        let known = self.errors.iter().enumerate().filter_map(|(index, error)| Some((index, (*error)?)));
        known.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
    }

    /// The median error and the error that nine in ten points keep.
    pub(super) fn summary(&self) -> [f64; 2] {
        let sizes = sorted(self.errors.iter().flatten());
        [0.5, 0.9].map(|quantile| at_quantile(&sizes, quantile))
    }

    /// The median error of the points whose next higher load was not judged, and of the others, where the
    /// first is much larger, and large enough to mislead.
    pub(super) fn near_the_limit(&self) -> Option<(f64, f64)> {
        let is_last = |index: usize| {
            let right = !(index + 1).is_multiple_of(self.columns) && self.at(index + 1).is_some();
            !(right && self.at(index + self.columns).is_some())
        };
        let (near, elsewhere): (Vec<usize>, Vec<usize>) = (0..self.errors.len())
            .filter(|index| self.at(*index).is_some())
            .partition(|index| is_last(*index));
        let median = |places: &[usize]| {
            let sizes = sorted(places.iter().filter_map(|index| self.errors[*index].as_ref()));
            (!sizes.is_empty()).then(|| at_quantile(&sizes, 0.5))
        };
        let (near, elsewhere) = (median(&near)?, median(&elsewhere)?);
        (near > TOLD_FROM * elsewhere && near > NEAR_TOLD_FROM).then_some((near, elsewhere))
    }
}

fn sorted<'a>(errors: impl Iterator<Item = &'a f64>) -> Vec<f64> {
    let mut sizes: Vec<f64> = errors.map(|error| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    sizes
}

/// The smallest of sorted values that this share of them keeps, as a drive's file states its errors; there
/// is one value at least.
fn at_quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() as f64 * share).ceil() as usize).saturating_sub(1)]
}

/// An error with its sign, percent: `+4.1`, `-20`.
pub(super) fn signed(error: f64) -> String {
    let size = number::level(number::two_digits(100.0 * error.abs()));
    format!("{}{size}", if error < 0.0 { "\u{2212}" } else { "+" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_of_predicted_points_only_and_those_next_to_the_limit_are_told_apart() {
        let nan = f64::NAN;
        let map = |p50_ns: Vec<f64>| ReadMap {
            reads_per_s: vec![0.0, 1.0, 2.0],
            write_bytes_per_s: vec![0.0, 1.0],
            p95_ns: p50_ns.clone(),
            p50_ns,
        };
        let measured = map(vec![100.0, 100.0, 100.0, 100.0, 100.0, nan]);
        let predicted = map(vec![101.0, 101.0, 60.0, 130.0, 150.0, 100.0]);
        let judged = Judged::of(&measured, &predicted, |map| &map.p50_ns).unwrap();
        assert_eq!((judged.points(), judged.within(0.1)), (5, 2));
        let (place, worst) = judged.worst().unwrap();
        assert!(place == 4 && (worst - 0.5).abs() < 1e-9);
        assert_eq!([signed(worst), signed(-0.4)], ["+50", "\u{2212}40"]);
        assert_eq!([[1.0, 2.0, 3.0, 4.0], [0.0; 4]].map(|sorted| at_quantile(&sorted, 0.5)), [2.0, 0.0]);
        let (near, elsewhere) = judged.near_the_limit().unwrap();
        assert!((near - 0.4).abs() < 1e-9 && (elsewhere - 0.01).abs() < 1e-9, "{near} {elsewhere}");
        assert!(Judged::of(&measured, &map(vec![nan; 6]), |map| &map.p50_ns).is_none());
    }
}

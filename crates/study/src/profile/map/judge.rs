//! The error of a fit at points that it did not see: every other point of the map is hidden, like the black
//! squares of a chess board, the drive is fitted to the rest, and the model answers the load of the hidden
//! ones in virtual time. Then the colours change.

use device::ReadMap;

use super::fitted::{errors, middle};
use super::{Cell, Errors, LatencyMap, Percentiles, fit_map, replay};

/// The errors of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Errors of the median latency.
    pub p50: Errors,
    /// Errors of the 95th percentile.
    pub p95: Errors,
    /// Median of the signed errors of the median latency: a model whose form is wrong leans to one side.
    pub p50_lean: f64,
    /// Each predicted point: row, column, prediction, measured.
    pub points: Vec<(usize, usize, Percentiles, Percentiles)>,
}

impl Judgement {
    /// The predictions as a map of the rates of the one that was judged: not a number where no point was
    /// predicted, and where the measurement was cut off.
    #[must_use]
    pub fn predicted(&self, map: &LatencyMap) -> ReadMap {
        let unknown = vec![f64::NAN; map.rows() * map.columns()];
        let mut predicted = ReadMap {
            reads_per_s: map.reads_per_s.clone(),
            write_bytes_per_s: map.write_bytes_per_s.clone(),
            p50_ns: unknown.clone(),
            p95_ns: unknown,
        };
        for (row, column, values, measured) in &self.points {
            let index = row * map.columns() + column;
            if !map.is_at_ceiling(measured.p50_ns) {
                predicted.p50_ns[index] = values.p50_ns;
            }
            if !map.is_at_ceiling(measured.p95_ns) {
                predicted.p95_ns[index] = values.p95_ns;
            }
        }
        predicted
    }
}

/// Judges the fit of a map. `each` is called after each point with the number done and of all; it returns
/// false to stop, and then there is no judgement.
pub fn judge(map: &LatencyMap, each: &mut dyn FnMut(usize, usize) -> bool) -> Option<Judgement> {
    let kept = map.kept_up();
    let counts = |row: usize, column: usize| kept[row * map.columns() + column];
    let all = map.places().filter(|(row, column)| counts(*row, *column)).count();
    let highest = |axis: &[f64]| axis.last().copied().unwrap_or(0.0);
    let highest = (highest(&map.reads_per_s), highest(&map.write_bytes_per_s));
    let mut points = Vec::with_capacity(all);
    for colour in 0..2 {
        let mut seen = map.clone();
        for (row, column) in map.places().filter(|(row, column)| (row + column) % 2 == colour) {
            seen.cells[row * map.columns() + column] = Cell::Hidden;
        }
        let fitted = fit_map(&seen);
        for (row, column) in map.places().filter(|(row, column)| (row + column) % 2 == colour) {
            let Some(measured) = map.known(row, column).filter(|_| counts(row, column)) else { continue };
            let load = (map.reads_per_s[column], map.write_bytes_per_s[row]);
            let seed = (row * map.columns() + column) as u64;
            points.push((row, column, replay(&fitted.spec, load, highest, seed), measured));
            if !each(points.len(), all) {
                return None;
            }
        }
    }
    let error = |of: fn(&Percentiles) -> f64| {
        let known = points.iter().filter(|(_, _, _, measured)| !map.is_at_ceiling(of(measured)));
        known.map(|(_, _, predicted, measured)| of(predicted) / of(measured) - 1.0).collect::<Vec<f64>>()
    };
    let (p50, p95) = (error(|values| values.p50_ns), error(|values| values.p95_ns));
    let p50_lean = middle(&p50);
    Some(Judgement { p50: errors(&p50), p95: errors(&p95), p50_lean, points })
}

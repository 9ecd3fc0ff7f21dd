//! A measured latency map and the drive that it makes.

mod boundary;
mod csv;
mod fit;
mod judge;
mod replay;

use std::fmt;

use device::ReadMap;

use super::fitted::{self, Errors, Fitted};

pub use csv::parse as parse_map;
pub use fit::fit_map;
pub use judge::{Judgement, judge};
pub use replay::{map_of, replay};

/// A measured latency map: read rate across, write bandwidth down.
#[derive(Clone, PartialEq)]
pub struct LatencyMap {
    /// Reads per second, ascending.
    pub reads_per_s: Vec<f64>,
    /// Bytes written per second, ascending.
    pub write_bytes_per_s: Vec<f64>,
    /// A row over the read rates for each write bandwidth.
    cells: Vec<Cell>,
    /// Latency at which the measurement was cut off, ns: such a value means "this or more".
    pub ceiling_ns: Option<f64>,
}

/// One point of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// The target of the load was missed, or nothing was read.
    Empty,
    /// Median and 95th percentile of the reads, ns.
    Known(Percentiles),
    /// A point that a fit may not see.
    Hidden,
}

/// Median and 95th percentile of reads, ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percentiles {
    /// Median.
    pub p50_ns: f64,
    /// 95th percentile.
    pub p95_ns: f64,
}

/// A jump of the median by more than this from one read rate to the next is the knee of a map that shows
/// values beyond it: a queue that doubles the latency within a twentieth of the range is no longer stable.
const KNEE: f64 = 2.0;

/// Its size: hundreds of numbers help nobody.
impl fmt::Debug for LatencyMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LatencyMap").field("rows", &self.rows()).field("columns", &self.columns()).finish()
    }
}

impl LatencyMap {
    /// Number of write bandwidths.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.write_bytes_per_s.len()
    }

    /// Number of read rates.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.reads_per_s.len()
    }

    /// The point of a write bandwidth and a read rate.
    #[must_use]
    pub fn cell(&self, row: usize, column: usize) -> Cell {
        self.cells[row * self.columns() + column]
    }

    /// Number of points that were not measured, of all.
    #[must_use]
    pub fn absent(&self) -> (usize, usize) {
        (self.cells.iter().filter(|cell| **cell == Cell::Hidden).count(), self.cells.len())
    }

    fn known(&self, row: usize, column: usize) -> Option<Percentiles> {
        match self.cell(row, column) {
            Cell::Known(values) => Some(values),
            Cell::Empty | Cell::Hidden => None,
        }
    }

    /// All places, row by row.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let columns = self.columns();
        (0..self.rows() * columns).map(move |index| (index / columns, index % columns))
    }

    /// True if points whose target was missed are left empty. A map without any empty point at a read rate
    /// above the first shows what came out instead, and counts below its knee only.
    fn is_masked(&self) -> bool {
        self.places().any(|(row, column)| column > 0 && self.cell(row, column) == Cell::Empty)
    }

    fn is_at_ceiling(&self, latency_ns: f64) -> bool {
        self.ceiling_ns.is_some_and(|ceiling_ns| latency_ns >= ceiling_ns * 0.9999)
    }

    /// For each place, whether the drive kept up with the load: the target was met, the median is known, and
    /// the point lies below the knee.
    fn kept_up(&self) -> Vec<bool> {
        let is_masked = self.is_masked();
        let columns = self.columns();
        let mut kept = vec![false; self.rows() * columns];
        let mut beyond = vec![false; self.rows() * columns];
        for (row, column) in self.places() {
            let Some(values) = self.known(row, column) else { continue };
            let index = row * columns + column;
            // The next points at less load that are not hidden. The first column is a case of its own.
            let is_shown = |place: &(usize, usize)| self.cell(place.0, place.1) != Cell::Hidden;
            let left = (1..column).rev().map(|column| (row, column)).find(is_shown);
            let above = (0..row).rev().map(|row| (row, column)).find(is_shown).filter(|_| column > 0);
            let is_past = |(less_row, less_column): (usize, usize)| {
                let steps = (row - less_row + column - less_column) as i32;
                let jumps = |less: Percentiles| values.p50_ns > KNEE.powi(steps) * less.p50_ns;
                self.known(less_row, less_column).is_some_and(jumps)
                    || beyond[less_row * columns + less_column]
            };
            let is_past_knee = !is_masked && [left, above].into_iter().flatten().any(is_past);
            beyond[index] = is_past_knee || self.is_at_ceiling(values.p50_ns);
            kept[index] = !beyond[index];
        }
        kept
    }

    /// The points as a drive of the catalogue holds them: those at which it did not keep the load are
    /// negative, and a hidden point is not known.
    #[must_use]
    pub fn to_map(&self) -> ReadMap {
        let sign: Vec<f64> =
            self.kept_up().into_iter().map(|kept_up| if kept_up { 1.0 } else { -1.0 }).collect();
        let mut map = self.to_plain_map();
        for list in [&mut map.p50_ns, &mut map.p95_ns] {
            list.iter_mut().zip(&sign).for_each(|(value, sign)| *value *= sign);
        }
        map
    }

    /// The values of all known points.
    #[must_use]
    pub fn to_plain_map(&self) -> ReadMap {
        let of = |pick: fn(Percentiles) -> f64| {
            self.places().map(|(row, column)| self.known(row, column).map_or(f64::NAN, pick)).collect()
        };
        ReadMap {
            reads_per_s: self.reads_per_s.clone(),
            write_bytes_per_s: self.write_bytes_per_s.clone(),
            p50_ns: of(|values| values.p50_ns),
            p95_ns: of(|values| values.p95_ns),
        }
    }

    /// Median and 95th percentile at a write bandwidth and a read rate, ns, where they are known.
    #[must_use]
    pub fn values(&self, row: usize, column: usize) -> Option<Percentiles> {
        self.known(row, column)
    }

    /// The points that another map of the same rates knows.
    #[must_use]
    pub fn where_known(&self, other: &LatencyMap) -> LatencyMap {
        let is_known = |cell: &Cell| matches!(cell, Cell::Known(_));
        let both = self.cells.iter().zip(&other.cells);
        let cells = both.map(|(cell, other)| if is_known(other) { *cell } else { Cell::Empty }).collect();
        LatencyMap { cells, ..self.clone() }
    }

    /// The map that a drive of the catalogue holds.
    #[must_use]
    pub fn of_drive(map: &ReadMap) -> LatencyMap {
        let columns = map.reads_per_s.len();
        let cell = |index| match map.measured(index / columns, index % columns) {
            Some((p50_ns, p95_ns)) => Cell::Known(Percentiles { p50_ns, p95_ns }),
            None => Cell::Empty,
        };
        let cells: Vec<Cell> = (0..map.p50_ns.len()).map(cell).collect();
        LatencyMap {
            ceiling_ns: csv::ceiling(&cells),
            cells,
            reads_per_s: map.reads_per_s.clone(),
            write_bytes_per_s: map.write_bytes_per_s.clone(),
        }
    }
}

#[cfg(test)]
mod tests;

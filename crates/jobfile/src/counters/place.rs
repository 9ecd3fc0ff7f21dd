//! Counters on the clocks of cells.

use jiff::Timestamp;
use measure::Series;
use words::MetricName;

use super::{Counter, Counters};
use crate::moment::seconds_between;
use crate::steps;

/// The time of a cell: the moment at which its clock was zero, and its span on that clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellTime {
    /// The moment of second zero.
    pub zero: Timestamp,
    /// The start of its first phase, seconds.
    pub from_s: f64,
    /// The end of its last phase, seconds.
    pub to_s: f64,
}

impl Counters {
    /// The series of each cell, in the order of the cells: a value for every second of the cell in which a
    /// sample holds. `offset_s` is added to the times of the file.
    #[must_use]
    pub fn place(&self, cells: &[CellTime], offset_s: f64) -> Vec<Vec<Series>> {
        let Some(origin) = self.origin else { return vec![Vec::new(); cells.len()] };
        let of_counter =
            |counter: &Counter| (counter.metric(), counter.unit, steps::samples(&counter.readings));
        let samples: Vec<_> = self.chosen.iter().map(of_counter).collect();
        let of_cell = |cell: &CellTime| {
            let shift_s = seconds_between(cell.zero, origin) + offset_s;
            let within = |sample: &steps::Sample| steps::Sample {
                from_s: sample.from_s + shift_s,
                to_s: sample.to_s + shift_s,
                ..*sample
            };
            let mut series = Vec::new();
            for (metric, unit, samples) in &samples {
                // Samples are ascending: those outside of the cell are passed over.
                let from = samples.partition_point(|sample| sample.to_s + shift_s <= cell.from_s);
                let near: Vec<_> = samples[from..]
                    .iter()
                    .map(within)
                    .take_while(|sample| sample.from_s < cell.to_s)
                    .collect();
                series.extend(steps::series(metric, unit, &near, (cell.from_s, cell.to_s)));
            }
            series
        };
        cells.iter().map(of_cell).collect()
    }
}

impl Counter {
    /// The name of its series in a notebook.
    #[must_use]
    pub fn metric(&self) -> String {
        MetricName::Beside(self.name.clone()).to_string()
    }
}

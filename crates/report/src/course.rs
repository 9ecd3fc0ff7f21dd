//! The course of one cell, second by second, beside the last finished cells of the other beds at its level:
//! what the live page shows of a running cell, and of a finished one again.

use crate::error::ReportError;
use crate::figure::seconds::end_with_measuring;
use crate::figure::{Width, course};
use crate::naming;
use crate::svg::BedMark;
use measure::Series;
use notebook::{Bed, Cell, CellState, Notebook, Phase, RunId};
use words::{Latency, Metric, MetricName, PhaseName, Statistic};

/// Rates of work, the first that a cell has is drawn.
const RATES: [Metric; 6] =
    [Metric::Nopm, Metric::Tpm, Metric::Tps, Metric::Iops, Metric::ReadBandwidth, Metric::WriteBandwidth];
/// Latencies that are drawn: the middle (the mean stands in for it in older notebooks) and the slowest.
const MIDDLES: [Statistic; 2] = [Statistic::P50, Statistic::Mean];
const SLOWEST: [Statistic; 2] = [Statistic::P99, Statistic::P999];

/// The seconds of one cell.
#[derive(Clone, Debug)]
pub struct Seconds {
    /// The cell's number in its run, from 1.
    pub number: u32,
    /// The repeat, from 1.
    pub repeat: u32,
    /// The name of its bed.
    pub bed: String,
    /// Work done in each second.
    pub rate: Series,
    /// Latencies in ms, the middle first.
    pub latencies: Vec<(Statistic, Series)>,
    /// The phases of the cell.
    pub phases: Vec<Phase>,
    /// Colour, marker and name in figures.
    pub(crate) mark: BedMark,
}

impl Seconds {
    fn of(beds: &[Bed], cell: &Cell) -> Seconds {
        let slot = beds.iter().position(|bed| bed.name == cell.bed).unwrap_or(0);
        let mark = naming::marks(beds).into_iter().nth(slot).unwrap_or_default();
        Seconds {
            number: cell.position + 1,
            repeat: cell.repeat + 1,
            bed: beds.get(slot).and_then(|bed| bed.label.clone()).unwrap_or_else(|| cell.bed.clone()),
            rate: Series::new(Metric::Nopm.name(), "", 0.0, Vec::new()),
            latencies: Vec::new(),
            phases: Vec::new(),
            mark,
        }
    }

    /// The seconds of a cell that has ended, from the notebook.
    fn kept(notebook: &Notebook, beds: &[Bed], cell: &Cell) -> Result<Seconds, ReportError> {
        let (mut all, phases) = (notebook.series(cell.id)?, notebook.phases(cell.id)?);
        for series in &mut all {
            in_unit_of_today(series);
            end_with_measuring(series, &phases);
        }
        let named = |metric: Metric| all.iter().find(|one| MetricName::read(&one.metric) == metric).cloned();
        let of =
            |statistic: &Statistic| Some((*statistic, named(Metric::Latency(Latency::Answer, *statistic))?));
        let rate = RATES.into_iter().find_map(named).or_else(|| all.first().cloned());
        let empty = Seconds::of(beds, cell);
        Ok(Seconds {
            rate: rate.unwrap_or_else(|| empty.rate.clone()),
            latencies: MIDDLES.iter().find_map(of).into_iter().chain(SLOWEST.iter().filter_map(of)).collect(),
            phases,
            ..empty
        })
    }

    /// Stretches without work, a second or longer, once some had been done, in phases that are to do some and
    /// until measuring ended: their beginning and length in s.
    pub fn stalls(&self) -> Vec<(f64, f64)> {
        let measured = self.phases.iter().find(|phase| phase.name == PhaseName::Measure);
        let until_s = measured.map_or(f64::INFINITY, |phase| phase.end_s);
        let is_idle = |start_s: f64| {
            let mut here = self.phases.iter().filter(|phase| phase.start_s < start_s + 1.0);
            here.any(|phase| start_s < phase.end_s && !phase.name.is_work())
        };
        let mut stalls: Vec<(f64, f64)> = Vec::new();
        let (mut has_begun, mut is_stalled) = (false, false);
        for (index, rate) in self.rate.values.iter().enumerate().filter(|(_, rate)| rate.is_finite()) {
            let start_s = self.rate.start_s + index as f64;
            match stalls.last_mut().filter(|_| is_stalled) {
                _ if *rate > 0.0 => (has_begun, is_stalled) = (true, false),
                _ if !has_begun || start_s + 1.0 > until_s || is_idle(start_s) => is_stalled = false,
                Some(stall) => stall.1 = start_s + 1.0 - stall.0,
                None => {
                    is_stalled = true;
                    stalls.push((start_s, 1.0));
                }
            }
        }
        stalls
    }
}

/// The series with its values in the unit that its metric has today.
fn in_unit_of_today(series: &mut Series) {
    let name = MetricName::read(&series.metric);
    let unit = series.unit.clone();
    series.values.iter_mut().for_each(|value| *value = name.in_unit_of_today(*value, &unit));
}

/// One cell, and the last finished ones of the other beds at its level, on one clock.
#[derive(Clone, Debug)]
pub struct Course {
    /// True while the cell runs.
    pub is_running: bool,
    /// The cell that is drawn heavy.
    pub shown: Seconds,
    /// The cells beside it, in the order of the beds.
    pub others: Vec<Seconds>,
}

impl Course {
    /// The course of a cell before its first second; `None` if the run has no cell of this number.
    ///
    /// # Errors
    /// [`ReportError`] when the notebook cannot be read.
    pub fn begun(notebook: &Notebook, run: RunId, number: u32) -> Result<Option<Course>, ReportError> {
        let (beds, cells) = (notebook.beds(run)?, notebook.cells(run)?);
        let Some(cell) = cells.iter().find(|cell| cell.position + 1 == number) else { return Ok(None) };
        let shown = Seconds::of(&beds, cell);
        let others = others(notebook, &beds, &cells, cell)?;
        Ok(Some(Course { is_running: true, shown, others }))
    }

    /// The course of a cell that has ended, of the last one that is done for none; `None` if there is no such
    /// cell.
    ///
    /// # Errors
    /// [`ReportError`] when the notebook cannot be read.
    pub fn kept(notebook: &Notebook, run: RunId, number: Option<u32>) -> Result<Option<Course>, ReportError> {
        let (beds, cells) = (notebook.beds(run)?, notebook.cells(run)?);
        let is_it = |cell: &&Cell| match number {
            Some(number) => cell.position + 1 == number,
            None => cell.state == CellState::Done,
        };
        let Some(cell) = cells.iter().rev().find(is_it) else { return Ok(None) };
        let shown = Seconds::kept(notebook, &beds, cell)?;
        let others = others(notebook, &beds, &cells, cell)?;
        Ok(Some(Course { is_running: false, shown, others }))
    }

    /// True if there is a second to draw.
    pub fn has_seconds(&self) -> bool {
        let mut all = std::iter::once(&self.shown).chain(&self.others);
        all.any(|seconds| seconds.rate.values.iter().any(|value| value.is_finite()))
    }

    /// The drawing for a place of this width in CSS pixels, as an `<svg>` element.
    pub fn to_svg(&self, width_px: u32) -> String {
        course::draw(self, Width::for_place(width_px)).markup("")
    }

    /// The finding of the drawing: the last rate of a running cell, and its stalls so far.
    pub fn finding(&self) -> String {
        course::finding(self)
    }

    /// The last seconds of the cell as an HTML table, at most an hour of them.
    pub fn to_table(&self) -> String {
        course::table(self)
    }
}

/// The last finished cell of each other bed at the level of a cell.
fn others(
    notebook: &Notebook,
    beds: &[Bed],
    cells: &[Cell],
    now: &Cell,
) -> Result<Vec<Seconds>, ReportError> {
    let is_like = |cell: &&Cell| {
        cell.state == CellState::Done
            && cell.level.to_bits() == now.level.to_bits()
            && cell.workload == now.workload
    };
    let last = |bed: &&Bed| cells.iter().rev().filter(is_like).find(|cell| cell.bed == bed.name);
    let found = beds.iter().filter(|bed| bed.name != now.bed).filter_map(|bed| last(&bed));
    found.map(|cell| Seconds::kept(notebook, beds, cell)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(rates: &[f64], phases: Vec<Phase>) -> Seconds {
        Seconds {
            number: 1,
            repeat: 1,
            bed: "nvme".to_owned(),
            rate: Series::new("iops", "1/s", 0.0, rates.to_vec()),
            latencies: Vec::new(),
            phases,
            mark: BedMark::default(),
        }
    }

    #[test]
    fn a_stall_begins_once_work_was_done_and_ends_with_measuring() {
        let stalls = |rates: &[f64]| seconds(rates, Vec::new()).stalls();
        assert!(stalls(&[0.0, 0.0, 5.0, 5.0]).is_empty());
        assert_eq!(stalls(&[0.0, 5.0, 0.0, 0.0, 5.0, 0.0]), [(2.0, 2.0), (5.0, 1.0)]);
        assert_eq!(stalls(&[5.0, 0.0, f64::NAN, 0.0, 5.0]), [(1.0, 3.0)], "a lost second is none of work");
        let measure = Phase { name: PhaseName::Measure.into(), start_s: 0.0, end_s: 3.2 };
        assert!(seconds(&[5.0, 5.0, 5.0, 0.0], vec![measure]).stalls().is_empty());
        let phase =
            |name: &str, start_s, end_s| Phase { name: words::StoredPhase::read(name), start_s, end_s };
        let phases = vec![phase("backup 1", 0.0, 3.0), phase("proof 1", 3.0, 6.0)];
        assert_eq!(
            seconds(&[5.0, 0.0, 5.0, 0.0, 0.0, 0.0], phases).stalls(),
            [(1.0, 1.0)],
            "a proof is idle"
        );
    }
}

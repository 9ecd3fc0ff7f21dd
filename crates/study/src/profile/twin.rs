//! A drive beside its emulated twin under the same loads: the error of the model, with intervals.

use std::collections::BTreeMap;

use measure::{Ratio, paired_ratio};
use notebook::{Cell, CellState, Notebook, RunId};
use words::{Latency, Metric, MetricName, Statistic};

use super::fitted::factor;
use crate::StudyError;

/// One figure of a load, of the twin against the drive.
#[derive(Clone, Debug, PartialEq)]
pub struct TwinFigure {
    /// Name of the workload.
    pub workload: String,
    /// The load of this step.
    pub level: f64,
    /// The unit of levels: `virtual users`, `depth`.
    pub level_name: String,
    /// The figure.
    pub metric: Metric,
    /// Geometric mean of the drive's cells, in the metric's unit.
    pub drive: f64,
    /// Geometric mean of the twin's.
    pub twin: f64,
    /// Twin over drive, by the pairs of cells that ran one after the other.
    pub ratio: Ratio,
}

impl TwinFigure {
    /// Twin / drive - 1.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.ratio.value - 1.0
    }

    /// The factor between twin and drive, whichever is larger: half is as far as twice.
    #[must_use]
    pub fn factor(&self) -> f64 {
        factor(self.error())
    }

    /// True if the interval of the error lies within this share on both sides.
    #[must_use]
    pub fn is_within(&self, share: f64) -> bool {
        self.ratio.low >= 1.0 - share && self.ratio.high <= 1.0 + share
    }
}

/// The figures that a twin is judged by: throughput, mean and p99; of transactions those of commits, where a
/// commit is a message of its own.
const FIGURES: [Metric; 6] = [
    Metric::Nopm,
    Metric::Latency(Latency::Commit, Statistic::Mean),
    Metric::Latency(Latency::Commit, Statistic::P99),
    Metric::Iops,
    Metric::LATENCY_MEAN,
    Metric::LATENCY_P99,
];

/// The figures of all loads of a run whose first bed is the drive and whose second is its twin. Cells that do
/// not count leave their pair out; a figure with fewer than two pairs is none.
///
/// # Errors
/// [`StudyError::Question`] for a run that has not two beds, [`StudyError::Notebook`].
pub fn twin_figures(notebook: &Notebook, run: RunId) -> Result<Vec<TwinFigure>, StudyError> {
    let beds = notebook.beds(run)?;
    let [drive, twin] = beds.as_slice() else {
        return Err(StudyError::question(format!(
            "run {run} has {} beds; a drive and its twin are two",
            beds.len()
        )));
    };
    let mut cells = notebook.cells(run)?;
    cells.retain(|cell| cell.state == CellState::Done);
    let mut loads: Vec<&Cell> = Vec::new();
    for cell in &cells {
        if !loads.iter().any(|load| is_same_load(load, cell)) {
            loads.push(cell);
        }
    }
    loads.sort_by(|a, b| a.workload.cmp(&b.workload).then(a.level.total_cmp(&b.level)));
    let mut figures = Vec::new();
    for load in loads {
        let of = |bed: &str| {
            let cells = cells.iter().filter(|cell| cell.bed == bed && is_same_load(cell, load));
            cells
                .map(|cell| Ok((cell.repeat, values(notebook, cell)?)))
                .collect::<Result<BTreeMap<_, _>, StudyError>>()
        };
        let (of_drive, of_twin) = (of(&drive.name)?, of(&twin.name)?);
        figures.extend(FIGURES.into_iter().filter_map(|metric| figure(load, metric, &of_drive, &of_twin)));
    }
    Ok(figures)
}

fn is_same_load(a: &Cell, b: &Cell) -> bool {
    a.workload == b.workload && a.level == b.level
}

/// The values of a cell by their metric.
type Values = BTreeMap<MetricName, f64>;

fn values(notebook: &Notebook, cell: &Cell) -> Result<Values, StudyError> {
    let value = |m: notebook::Measurement| {
        let name = MetricName::read(&m.metric);
        let value = name.in_unit_of_today(m.value, &m.unit);
        (name, value)
    };
    Ok(notebook.measurements(cell.id)?.into_iter().map(value).collect())
}

fn figure(
    load: &Cell,
    metric: Metric,
    drive: &BTreeMap<u32, Values>,
    twin: &BTreeMap<u32, Values>,
) -> Option<TwinFigure> {
    let name = MetricName::from(metric);
    // The latency of whole transactions has the work of processors in it.
    let is_of_all = matches!(metric, Metric::LATENCY_MEAN | Metric::LATENCY_P99);
    let commit = MetricName::from(Metric::Latency(Latency::Commit, Statistic::Mean));
    if is_of_all && drive.values().any(|values| values.contains_key(&commit)) {
        return None;
    }
    let pair =
        |(repeat, values): (&u32, &Values)| Some((*values.get(&name)?, *twin.get(repeat)?.get(&name)?));
    let (of_drive, of_twin): (Vec<f64>, Vec<f64>) = drive.iter().filter_map(pair).unzip();
    let ratio = paired_ratio(&of_twin, &of_drive).ok()?;
    Some(TwinFigure {
        workload: load.workload.clone(),
        level: load.level,
        level_name: load.level_name.clone(),
        metric,
        drive: geometric_mean(&of_drive),
        twin: geometric_mean(&of_twin),
        ratio,
    })
}

fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len().max(1) as f64).exp()
}

//! The cells of a run by their numbers, and those of them that stray from their repeats: what `resume
//! --cells` takes.

use crate::error::ReportError;
use crate::loaded_run::{GroupKey, LoadedRun, Measured};
use crate::number;
use crate::table::{Entry, Table, Tone, columns};
use notebook::{CellState, Notebook, RunId};
use std::collections::BTreeSet;
use words::say;

/// A cell strays when its throughput lies further from the median of its repeats than so many times their
/// usual distance from it. For normal noise that distance is the median absolute deviation times 1.4826.
const STRAYS_BEYOND: f64 = 3.5;
const DEVIATION_OF_MEDIAN: f64 = 1.4826;
/// Repeats below which the middle of them is not known.
const REPEATS_LEAST: usize = 4;

/// The cells to measure again because one of them strays from its repeats, by their places in the order of
/// the run, from 0: the straying cell and those of the other beds at its level and repeat. To measure the
/// straying one alone would help its bed.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read or the run was never planned.
pub fn noisy(notebook: &Notebook, run: RunId) -> Result<Vec<u32>, ReportError> {
    Ok(noisy_of(&LoadedRun::read(notebook, run)?).into_iter().collect())
}

fn noisy_of(loaded: &LoadedRun) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for place in loaded.places() {
        for straying in straying(loaded, &place) {
            let same = |measured: &&Measured| {
                (measured.cell.level, measured.cell.repeat) == (place.level, straying.cell.repeat)
            };
            found.extend(loaded.of(place.workload).filter(same).map(|measured| measured.cell.position));
        }
    }
    found
}

/// The cells of one place that stray, by logarithms: beyond their usual distance and beyond the smallest
/// effect.
fn straying<'a>(loaded: &'a LoadedRun, place: &GroupKey<'_>) -> Vec<&'a Measured> {
    let metric = loaded.kind(place.workload).throughput;
    let Some(shown) = metric.shown() else { return Vec::new() };
    let measured: Vec<(&Measured, f64)> = loaded
        .valid(place)
        .into_iter()
        .filter_map(|one| Some((one, one.values.get(metric).filter(|value| *value > 0.0)?.ln())))
        .collect();
    if measured.len() < REPEATS_LEAST {
        return Vec::new();
    }
    let median = |values: Vec<f64>| measure::median(&values).unwrap_or_default();
    let middle = median(measured.iter().map(|pair| pair.1).collect());
    let usual = median(measured.iter().map(|pair| (pair.1 - middle).abs()).collect()) * DEVIATION_OF_MEDIAN;
    let smallest = crate::compare::smallest_effect(loaded, place.workload, &shown).ln_1p();
    let least = (usual * STRAYS_BEYOND).max(smallest);
    measured.into_iter().filter(|pair| (pair.1 - middle).abs() > least).map(|pair| pair.0).collect()
}

/// The places of the cells of one workload that stray.
fn straying_of(loaded: &LoadedRun, workload: &str) -> BTreeSet<u32> {
    let places = loaded.places().filter(|place| place.workload == workload);
    places.flat_map(|place| straying(loaded, &place)).map(|measured| measured.cell.position).collect()
}

/// True if a cell of one workload strays.
pub(crate) fn has_straying(loaded: &LoadedRun, workload: &str) -> bool {
    !straying_of(loaded, workload).is_empty()
}

/// The cells of one workload by their numbers.
pub(crate) fn table(loaded: &LoadedRun, workload: &str, shown: impl Fn(&str) -> String) -> Table {
    let metric = loaded.kind(workload).throughput;
    let head = metric.shown().map_or(String::new(), |metric| metric.short.to_owned());
    let mut table = Table::new(columns![
        number say!("column-cell"),
        text say!("column-bed"),
        number loaded.level_name(workload).heading(),
        number say!("column-repeat"),
        text say!("column-state"),
        number head,
    ]);
    let strays = straying_of(loaded, workload);
    for measured in loaded.of(workload) {
        let cell = &measured.cell;
        let state = match cell.state {
            CellState::Done if strays.contains(&cell.position) => {
                Entry::toned(say!("cell-strays"), Tone::Flag)
            }
            CellState::Planned => Entry::toned(say!("cell-not-run"), Tone::Flag),
            state => words::Spoken::spoken(state).into(),
        };
        table.row([
            Entry::from((cell.position + 1).to_string()),
            shown(&cell.bed).into(),
            loaded.level_name(workload).said_under(cell.level).into(),
            (cell.repeat + 1).to_string().into(),
            state,
            measured.values.get(metric).map_or_else(|| "-".to_owned(), number::plain).into(),
        ]);
    }
    table
}

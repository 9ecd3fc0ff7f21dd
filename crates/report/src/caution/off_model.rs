//! Modelled drives whose operations took longer or less on the mean than their model says.

use crate::comparison::Comparison;
use crate::loaded_run::LoadedRun;
use crate::number;
use notebook::CellState;
use words::{Metric, say};

/// A mean that is further than this from the model's, as a part of it, is named.
const MOST: f64 = 0.10;

/// The beds with such drives, each by its worst cell.
pub(super) fn caution(loaded: &LoadedRun, comparison: &Comparison) -> Option<String> {
    let beds: Vec<String> =
        loaded.beds.iter().filter_map(|bed| of_bed(loaded, comparison, &bed.name)).collect();
    (!beds.is_empty()).then(|| say!("caution-off-model", beds = words::list(beds)))
}

/// The cell of a bed whose mean time at the drive was furthest from the model's, if that is too far: measured
/// in the run itself, later or earlier.
fn of_bed(loaded: &LoadedRun, comparison: &Comparison, bed: &str) -> Option<String> {
    const KINDS: [(&str, Metric, Metric); 3] = [
        ("read", Metric::DriveReadDelay, Metric::DriveReadModel),
        ("write", Metric::DriveWriteDelay, Metric::DriveWriteModel),
        ("sync", Metric::DriveSyncDelay, Metric::DriveSyncModel),
    ];
    let valid = loaded.cells.iter().filter(|m| m.cell.bed == bed && m.cell.state == CellState::Done);
    let off = valid.flat_map(|m| {
        KINDS.into_iter().filter_map(move |(kind, delay, model)| {
            let model_ms = m.values.get(model).filter(|model_ms| *model_ms > 0.0)?;
            let by = m.values.get(delay)? / model_ms;
            (by.abs() > MOST).then_some((m, kind, by))
        })
    });
    let (cell, kind, by) = off.max_by(|(_, _, a), (_, _, b)| a.abs().total_cmp(&b.abs()))?;
    Some(say!(
        "caution-off-model-of",
        bed = comparison.shown(bed),
        at = loaded.level_name(&cell.cell.workload).said(cell.cell.level),
        kind,
        by = number::percent_rounded(by.abs()),
        direction = if by > 0.0 { "longer" } else { "shorter" },
    ))
}

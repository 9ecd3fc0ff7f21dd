//! Instances that ran under limits, and the limits that they reached.

use crate::level::LevelUnit;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::number;
use crate::table::{Entry, Table, columns};
use words::{Metric, say};

/// The limits of one bed's instances at one level, means over the valid cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// Name of the workload.
    pub workload: String,
    /// The load.
    pub level: f64,
    /// The unit of levels.
    pub level_name: LevelUnit,
    /// Name of the bed.
    pub bed: String,
    /// The limits of each instance in words.
    pub limits: String,
    /// Time for which all instances of a cell together were kept from the processors, s.
    pub held_back_s: Option<f64>,
    /// The most memory of the instance that had most, page cache included, MB.
    pub memory_peak_mb: Option<f64>,
}

/// Every bed and level with limits; empty without any.
pub(crate) fn of_all(loaded: &LoadedRun) -> Vec<Held> {
    loaded.places().filter_map(|place| of(loaded, &place)).collect()
}

fn of(loaded: &LoadedRun, place: &GroupKey<'_>) -> Option<Held> {
    let cells = loaded.group(place);
    let mut settings = cells.iter().flat_map(|cell| cell.settings());
    let (_, limits) = settings.find(|(key, _)| *key == "limits")?;
    let peaks = loaded.values(place, Metric::MemoryPeak).into_iter().map(|pair| pair.1);
    Some(Held {
        workload: place.workload.to_owned(),
        level: place.level,
        level_name: loaded.level_name(place.workload).clone(),
        bed: place.bed.to_owned(),
        limits: limits.to_owned(),
        held_back_s: loaded.mean(place, Metric::HeldBackTime),
        memory_peak_mb: peaks.reduce(f64::max),
    })
}

/// One line for each bed and level.
pub(crate) fn table<'a>(all: &'a [Held], shown: impl Fn(&'a str) -> &'a str) -> Table {
    let mut table = Table::new(
        columns![text say!("column-bed"), text say!("column-workload"), number say!("column-load"), text say!("column-limits"), number say!("column-held-back"), number say!("column-most-memory")],
    );
    for held in all {
        let figure = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number::plain);
        table.row([
            Entry::from(shown(&held.bed)),
            Entry::from(held.workload.clone()),
            Entry::from(held.level_name.said(held.level)),
            Entry::from(held.limits.clone()),
            Entry::from(figure(held.held_back_s)),
            Entry::from(figure(held.memory_peak_mb)),
        ]);
    }
    table
}

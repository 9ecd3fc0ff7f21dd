//! Lookups against scans: one panel for each bed, with the share at which the lookup loses.

use super::{State, lost};
use crate::figure::line::{Point, REPEATS_DRAWN_MIN};
use crate::figure::ways::{self, Axes, Crossing, Panel, Way};
use crate::figure::{Caption, Figure};
use crate::finding::Finding;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::naming::BedName;
use crate::source::Source;
use crate::titles::{id, titled};
use words::{Metric, Read, ReadFigure, say};

/// The figure of one state of the cache; `None` where nothing was read.
pub(super) fn figure(source: &Source<'_>, workload: &str, state: &State) -> Option<Figure> {
    let beds = &source.comparison.beds;
    let panels: Vec<Panel> = beds.iter().filter_map(|bed| panel(source, workload, bed, state)).collect();
    if panels.is_empty() {
        return None;
    }
    let crossed = |bed: &BedName| {
        let share = break_even(source, workload, bed, state)?.bare();
        Some(say!("scan-title-bed", bed = bed.mark.name, share))
    };
    let crossings: Vec<String> = beds.iter().filter_map(crossed).collect();
    let words = (state.words)();
    let title = match crossings.is_empty() {
        true => say!("scan-title-none", state = words),
        false => say!("scan-title", state = words, beds = words::list(crossings)),
    };
    let caption = Caption {
        id: id(source, workload, &format!("ways-{}", state.name)),
        title: titled(source, workload, &title),
        reading: say!("scan-reading").to_owned(),
        description: title,
    };
    let share = source.loaded.level_name(workload).heading();
    let axes = Axes { share: &share, time: say!("scan-axis") };
    Some(ways::figure(caption, &axes, &panels))
}

fn panel(source: &Source<'_>, workload: &str, bed: &BedName, state: &State) -> Option<Panel> {
    let way = |number: usize, name: &str, read: Read| Way {
        mark: bed.mark.on_way(number, format!("{}, {name}", bed.mark.name), name.to_owned()),
        name: name.to_owned(),
        points: curve(source.loaded, workload, &bed.name, read, state),
    };
    let mut ways = vec![way(0, say!("scan-lookup"), state.lookup), way(1, say!("scan-scan"), state.scan)];
    ways.retain(|way| way.points.len() > 1);
    let crossing = break_even(source, workload, bed, state).map(|found| Crossing {
        share: found.value,
        interval: found.interval.filter(|_| found.repeats >= REPEATS_DRAWN_MIN),
        shown: found.shown(),
    });
    (!ways.is_empty()).then(|| Panel { bed: bed.mark.clone(), ways, crossing })
}

/// The share that the answer tells.
fn break_even<'a>(
    source: &'a Source<'_>,
    workload: &str,
    bed: &BedName,
    state: &State,
) -> Option<&'a Finding> {
    let operation = source.comparison.operations.iter().find(|of| of.workload == workload)?;
    let is_it = |found: &&Finding| {
        found.bed == bed.name && found.at == (state.words)() && found.what == say!("scan-break-even")
    };
    operation.findings.iter().find(is_it)
}

/// Times of one way at every share.
fn curve(loaded: &LoadedRun, workload: &str, bed: &str, read: Read, state: &State) -> Vec<Point> {
    let point = |level: f64| {
        let place = GroupKey { workload, level, bed };
        if read == state.lookup && lost(loaded, &place, state) {
            return None;
        }
        let values = loaded.values(&place, Metric::Read(read, ReadFigure::Time));
        Point::new(level, values.into_iter().map(|pair| pair.1).collect())
    };
    loaded.levels(workload).into_iter().filter_map(point).collect()
}

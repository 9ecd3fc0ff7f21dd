//! The first figure of fragmentation: the time of a cold scan of the same bytes, in one piece and in many.

use crate::figure::bars::{self, Bar, Chart, Group};
use crate::figure::line::Point;
use crate::figure::{Caption, Figure};
use crate::finding::Finding;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::naming::BedName;
use crate::number::{self, Digits};
use crate::source::Source;
use crate::table::{Entry, Table, columns};
use words::{Metric, WorkloadKind, say};

/// A group of bars for each workload, which is a file system, and each bed; `None` where nothing was scanned.
pub(super) fn of(source: &Source<'_>) -> Option<Figure> {
    let workloads = workloads(source.loaded);
    let places = || {
        workloads.iter().flat_map(|workload| source.comparison.beds.iter().map(move |bed| (*workload, bed)))
    };
    let group = |(workload, bed): (&str, &BedName)| {
        let bars: Vec<Bar> = levels(source.loaded, workload)
            .into_iter()
            .filter_map(|level| bar(source, workload, bed, level))
            .collect();
        (bars.len() > 1).then(|| Group {
            title: super::place_name(&bed.mark.name, workload, source.loaded),
            bed: Some(bed.mark.clone()),
            bars,
        })
    };
    let groups: Vec<Group> = places().filter_map(group).collect();
    if groups.is_empty() {
        return None;
    }
    let caption = Caption {
        id: "scans-by-layout".to_owned(),
        title: title(source, &places().collect::<Vec<_>>()),
        reading: say!("fragments-bars-reading").to_owned(),
        description: groups.iter().flat_map(|group| &group.bars).map(described).collect::<Vec<_>>().join(" "),
    };
    let chart = Chart { groups, key: Vec::new(), axis: say!("fragments-bars-axis").to_owned() };
    let table = table(&chart);
    Some(bars::figure(caption, &chart, table))
}

fn described(bar: &Bar) -> String {
    format!("{}, {}: {}.", bar.bed.name, bar.label, bar.shown)
}

fn workloads(loaded: &LoadedRun) -> Vec<&str> {
    let is_one = |workload: &&str| loaded.kind(workload).word == WorkloadKind::Fragmentation;
    loaded.workloads().into_iter().filter(is_one).collect()
}

/// One piece first, then ever smaller pieces.
fn levels(loaded: &LoadedRun, workload: &str) -> Vec<f64> {
    let mut levels = loaded.levels(workload);
    levels.sort_by(|a, b| (*a > 0.0).cmp(&(*b > 0.0)).then(b.total_cmp(a)));
    levels
}

fn bar(source: &Source<'_>, workload: &str, bed: &BedName, level: f64) -> Option<Bar> {
    let place = GroupKey { workload, level, bed: &bed.name };
    let values = source.loaded.values(&place, Metric::ColdScanTime).into_iter().map(|pair| pair.1).collect();
    let point = Point::new(level, values)?;
    let note = match against_one(source.loaded, workload, bed, level) {
        Some(ratio) => times(&ratio),
        None => point.interval.map(|_| point.interval_shown()).unwrap_or_default(),
    };
    Some(Bar {
        bed: bed.mark.clone(),
        label: super::pieces(level),
        parts: vec![point.mean],
        interval: point.drawn_interval(),
        shown: say!("figure-seconds", value = point.shown()),
        note,
    })
}

/// The time of a scan at this level over that of the file in one piece, repeat by repeat.
fn against_one(loaded: &LoadedRun, workload: &str, bed: &BedName, level: f64) -> Option<Finding> {
    let of = |level: f64| loaded.values(&GroupKey { workload, level, bed: &bed.name }, Metric::ColdScanTime);
    Finding::ratio(&bed.name, "", "", &of(level), &of(0.0)).filter(|_| level > 0.0)
}

/// `1.02x (0.98x to 1.06x)`.
fn times(ratio: &Finding) -> String {
    match ratio.interval {
        Some((low, high)) if !number::is_useless(low, high) => {
            let [value, low, high] = number::ratio(ratio.value, low, high);
            say!("fragments-bars-times", value, low, high)
        }
        Some(_) => say!("figure-no-useful-interval").to_owned(),
        None => number::ratio_alone(ratio.value),
    }
}

/// The finding: what the smallest pieces cost, where they cost most.
fn title(source: &Source<'_>, places: &[(&str, &BedName)]) -> String {
    let smallest = |(workload, bed): &(&str, &BedName)| {
        let level = source.loaded.levels(workload).into_iter().find(|level| *level > 0.0)?;
        Some((against_one(source.loaded, workload, bed, level)?, level))
    };
    let found = places.iter().filter_map(smallest).max_by(|a, b| a.0.value.total_cmp(&b.0.value));
    let Some((ratio, level)) = found else { return say!("fragments-title-alone").to_owned() };
    let pieces = super::pieces(level);
    match ratio.interval {
        Some((low, high)) if number::is_useless(low, high) => say!("fragments-title-alone").to_owned(),
        Some((low, high)) if low <= 1.0 && high >= 1.0 => {
            let most = Digits::decimals(0).show(100.0 * (high - 1.0));
            say!("fragments-title-none", pieces, most)
        }
        _ => say!("fragments-title", pieces, times = number::ratio_alone(ratio.value)),
    }
}

fn table(chart: &Chart) -> Table {
    let mut table = Table::new(
        columns![text say!("column-bed"), text say!("column-at"), number say!("column-value"), text say!("column-against-one")],
    );
    for (group, bar) in chart.groups.iter().flat_map(|group| group.bars.iter().map(move |bar| (group, bar))) {
        table.row([&group.title, &bar.label, &bar.shown, &bar.note].map(|text| Entry::from(text.clone())));
    }
    table
}

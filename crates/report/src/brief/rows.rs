//! The one table of a brief result: jobs or loads, beds, the metrics that matter for the kind, the ratio of
//! the throughput, the limiter.

use crate::comparison::Comparison;
use crate::contrast::{Contrast, Unjudged};
use crate::figure::line::Point;
use crate::level::LevelUnit;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::number;
use crate::table::{Column, Entry, Table, columns};
use words::{LevelName, Metric, Shown, Unit, say};

/// The result of one run: the error of a model for a profile, else as [`of_run`].
pub(crate) fn of_result(loaded: &LoadedRun, comparison: &Comparison, room: usize) -> (Table, usize) {
    match &loaded.profile {
        Some(profile) => profile.brief_table(loaded, comparison, room),
        None => of_run(loaded, comparison, room),
    }
}

/// One run: as many rows as there is `room` for, and the number of rows that were left out. A run of several
/// workloads shows each at its highest level, all of them, in the order of the experiment.
pub(crate) fn of_run(loaded: &LoadedRun, comparison: &Comparison, room: usize) -> (Table, usize) {
    if !comparison.crashes.is_empty() {
        return (comparison.crash_table(), 0);
    }
    let workloads = loaded.workloads();
    let many = workloads.len() > 1;
    let metrics = metrics(loaded, &workloads);
    let all =
        workloads.iter().map(|workload| loaded.levels(workload).len()).sum::<usize>() * loaded.beds.len();
    let places = places(loaded, &workloads, room);
    let mut table = Table::new(columns_of(loaded, &workloads, &metrics, comparison));
    for (workload, level) in places {
        for bed in &loaded.beds {
            let place = GroupKey { workload, level, bed: &bed.name };
            if !loaded.group(&place).is_empty() {
                table.row(row(loaded, comparison, &place, &metrics, many));
            }
        }
    }
    let left_out = all.saturating_sub(table.rows.len());
    (table, left_out)
}

/// The metrics of all kinds of the run that some cell has, each once.
fn metrics(loaded: &LoadedRun, workloads: &[&str]) -> Vec<Shown> {
    let mut metrics: Vec<Shown> = Vec::new();
    for workload in workloads {
        for metric in loaded.kind(workload).brief {
            let measured = loaded.of(workload).any(|cell| cell.values.get(*metric).is_some());
            if measured && metrics.iter().all(|known| known.metric != *metric) {
                metrics.extend(metric.shown());
            }
        }
    }
    metrics
}

/// Workloads and levels that have room: all, else the lowest and the highest of one workload, or the highest
/// of each of several.
fn places<'a>(loaded: &LoadedRun, workloads: &[&'a str], room: usize) -> Vec<(&'a str, f64)> {
    let all: Vec<(&str, f64)> = workloads
        .iter()
        .flat_map(|workload| loaded.levels(workload).into_iter().map(move |level| (*workload, level)))
        .collect();
    let beds = loaded.beds.len().max(1);
    if all.len() * beds <= room {
        return all;
    }
    match workloads {
        [workload] => {
            // The level that the question is about, the ends of the curve, then the higher ones.
            let asked = loaded.kind(workload).asked_level;
            let rank = |index: usize| match index {
                _ if asked == Some(all[index].1) => 0,
                _ if index + 1 == all.len() => 1,
                0 => 2,
                _ => 3 + all.len() - index,
            };
            let mut kept: Vec<usize> = (0..all.len()).collect();
            kept.sort_by_key(|index| rank(*index));
            kept.truncate((room / beds).max(1));
            kept.sort_unstable();
            kept.into_iter().map(|index| all[index]).collect()
        }
        _ => {
            let highest = |workload: &&'a str| Some((*workload, *loaded.levels(workload).last()?));
            workloads.iter().filter_map(highest).collect()
        }
    }
}

fn columns_of(
    loaded: &LoadedRun,
    workloads: &[&str],
    metrics: &[Shown],
    comparison: &Comparison,
) -> Vec<Column> {
    let mut columns = match workloads {
        [one] => {
            let name = loaded.level_name(one);
            let head = name.heading();
            vec![if *name == LevelName::Arm { Column::text(head) } else { Column::number(head) }]
        }
        _ => columns![text say!("brief-workload")],
    };
    columns.push(Column::text(say!("column-bed")));
    columns.extend(metrics.iter().map(|metric| Column::number(head(metric))));
    if comparison.beds.len() > 1 {
        columns.extend(columns![
            number ratio_head(loaded, workloads, comparison),
            text say!("brief-interval"),
            text say!("column-verdict"),
        ]);
    }
    if loaded.has_limiters() && workloads.iter().any(|workload| loaded.kind(workload).has_limiter) {
        columns.push(Column::text(say!("column-limited-by")));
    }
    columns
}

/// `NOPM ratio`; `ratio` where the ratios are not all of one metric.
fn ratio_head(loaded: &LoadedRun, workloads: &[&str], comparison: &Comparison) -> String {
    let mut of = workloads.iter().map(|workload| comparison.compared_metric(loaded, workload));
    match of.next() {
        Some(metric) if of.all(|other| other == metric) => say!("brief-ratio", metric = metric.short()),
        _ => say!("column-ratio").to_owned(),
    }
}

/// `p99 (ms)`, `NOPM`.
fn head(metric: &Shown) -> String {
    match metric.metric.unit() {
        // Their names say it.
        Unit::PerMinute | Unit::PerSecond => metric.short.to_owned(),
        unit if metric.metric == Metric::Bandwidth => unit.shown().to_owned(),
        _ => metric.head(),
    }
}

fn row(
    loaded: &LoadedRun,
    comparison: &Comparison,
    place: &GroupKey<'_>,
    metrics: &[Shown],
    many: bool,
) -> Vec<Entry> {
    let level_name = loaded.level_name(place.workload);
    let first = match many {
        true => place.workload.to_owned(),
        false => level_name.said_under(place.level),
    };
    let mut row: Vec<Entry> = vec![first.into(), comparison.shown(place.bed).into()];
    let cells = loaded.valid(place).len();
    row.extend(metrics.iter().map(|metric| {
        let values = loaded.values(place, metric.metric).into_iter().map(|pair| pair.1).collect();
        let Some(point) = Point::of(metric.metric, place.level, values) else { return Entry::from("-") };
        let shown = point.shown_of(metric.metric, cells);
        Entry::from(shown.unwrap_or_else(|| say!("figure-too-few").to_owned()))
    }));
    if comparison.beds.len() > 1 {
        let compared = comparison.compared_metric(loaded, place.workload);
        let contrast = comparison
            .of_metric(place.workload, compared)
            .find(|contrast| contrast.level == place.level && contrast.treatment_bed == place.bed);
        row.extend(match contrast {
            Some(contrast) => ratio(contrast),
            None if place.bed == comparison.baseline => ["", say!("brief-baseline"), ""].map(Entry::from),
            None => {
                let here = |one: &&Unjudged| {
                    (one.workload.as_str(), one.metric, one.level) == (place.workload, compared, place.level)
                        && one.treatment_bed == place.bed
                };
                let both = comparison.unjudged.iter().find(here).and_then(Unjudged::both);
                both.map_or_else(|| ["-", "", ""].map(Entry::from), without_interval)
            }
        });
    }
    let limiters = comparison.limiters.iter();
    let here = limiters.filter(|one| one.workload == place.workload && one.level == place.level);
    let mut limiter = here.filter(|one| one.bed == place.bed).map(|one| one.shown());
    row.push(limiter.next().unwrap_or_default().into());
    row
}

/// Ratio, interval and verdict.
fn ratio(contrast: &Contrast) -> [Entry; 3] {
    let [value, interval] = number::decided_columns(&contrast.judgement);
    [value.into(), interval.into(), Entry::verdict(contrast)]
}

/// Two runs: a row for each primary contrast, throughput first, the highest levels where there is no room for
/// all.
pub(crate) fn of_contrasts(comparison: &Comparison, room: usize) -> (Table, usize) {
    let mut primary: Vec<&Contrast> = comparison.contrasts.iter().filter(|one| one.primary).collect();
    let all = primary.len();
    if all > room {
        // Of each workload, metric and bed the highest level.
        let is_highest = |one: &&Contrast| {
            let same = |other: &&Contrast| {
                (&other.workload, other.metric, &other.treatment_bed)
                    == (&one.workload, one.metric, &one.treatment_bed)
            };
            comparison.contrasts.iter().filter(same).all(|other| other.level <= one.level)
        };
        primary.retain(is_highest);
        primary.truncate(room);
    }
    let (above, below) = comparison.runs.clone().unwrap_or_default();
    let mut table = Table::new(columns![
        text say!("column-metric"),
        text say!("brief-at"),
        text say!("column-bed"),
        number above,
        number below,
        number say!("column-ratio"),
        text say!("brief-interval"),
        text say!("column-verdict"),
    ]);
    let digits = |value: f64| number::plain(value);
    for contrast in &primary {
        let at = (contrast.level, &contrast.level_name);
        let mut row = row_head(comparison, contrast.metric, at, &contrast.treatment_bed);
        row.extend([contrast.treatment_value, contrast.baseline_value].map(|value| digits(value).into()));
        row.extend(ratio(contrast));
        table.row(row);
    }
    let open =
        || comparison.unjudged.iter().filter(|one| one.primary).filter_map(|one| Some((one, one.both()?)));
    let room = room.saturating_sub(primary.len());
    for (unjudged, (above, below)) in open().take(room) {
        let at = (unjudged.level, &unjudged.level_name);
        let mut row = row_head(comparison, unjudged.metric, at, &unjudged.treatment_bed);
        row.extend([above, below].map(|value| digits(value).into()));
        row.extend(without_interval((above, below)));
        table.row(row);
    }
    (table, all - primary.len() + open().count().saturating_sub(room))
}

/// Metric, load and bed.
fn row_head(
    comparison: &Comparison,
    metric: Metric,
    (level, name): (f64, &LevelUnit),
    bed: &str,
) -> Vec<Entry> {
    let (at, bed) = (name.said(level), comparison.shown_in_both(bed));
    vec![metric_of(metric).into(), at.into(), bed.into()]
}

/// The ratio of two values of which nobody knows how far they vary.
fn without_interval((above, below): (f64, f64)) -> [Entry; 3] {
    [number::times(above / below).into(), say!("brief-no-interval").into(), say!("brief-not-judged").into()]
}

fn metric_of(metric: Metric) -> String {
    metric.shown().map_or_else(|| metric.name(), |shown| head(&shown))
}

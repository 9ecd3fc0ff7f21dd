//! The first figure where there are too few loads for a line: a table with a bar under each number.

use crate::figure::line::Point;
use crate::figure::sheet::{self, Group, Head, Number, Ratio, Row, Sheet};
use crate::figure::{Caption, Figure};
use crate::loaded_run::GroupKey;
use crate::naming::BedName;
use crate::number;
use crate::source::Source;
use crate::table::{Column, Table, columns};
use crate::titles::{id, titled};
use words::{Latency, Metric, Shown, Statistic, Unit, say};

/// The columns after the throughput: metric, and how early it goes where there is no room.
const MORE: [(Metric, u8); 4] = [
    (Metric::LATENCY_MEAN, 3),
    (Metric::LATENCY_P50, 5),
    (Metric::LATENCY_P99, 0),
    (Metric::Latency(Latency::Answer, Statistic::P999), 4),
];

/// The table; `None` where nothing was measured.
pub(super) fn figure(source: &Source<'_>, workload: &str) -> Option<Figure> {
    let throughput = source.loaded.kind(workload).throughput.shown()?;
    let columns = columns_of(source, workload, &throughput);
    let groups: Vec<Group> = source
        .loaded
        .levels(workload)
        .into_iter()
        .filter_map(|level| group(source, workload, level, &columns))
        .collect();
    if groups.is_empty() {
        return None;
    }
    let compared = source.compared_metric(workload).shown()?;
    let sheet = Sheet {
        heads: columns.iter().map(|(shown, rank)| Head { text: head(shown), rank: *rank }).collect(),
        ratio_head: say!("rows-ratio", metric = compared.short),
        word_head: say!("column-limited-by").to_owned(),
        groups,
    };
    let title = super::title(source, workload, &compared);
    let caption = Caption {
        id: id(source, workload, "loads"),
        title: titled(source, workload, &title),
        reading: say!("rows-reading").to_owned(),
        description: title,
    };
    let table = table(&sheet);
    Some(sheet::figure(caption, &sheet, table))
}

/// The metrics that some cell has.
fn columns_of(source: &Source<'_>, workload: &str, throughput: &Shown) -> Vec<(Shown, u8)> {
    let measured = |metric: Metric| source.loaded.of(workload).any(|cell| cell.values.get(metric).is_some());
    let more = MORE.iter().filter(|(metric, _)| measured(*metric));
    let more = more.filter_map(|(metric, rank)| Some((metric.shown()?, *rank)));
    std::iter::once((*throughput, 0)).chain(more).collect()
}

/// `NOPM`, `p99, ms`.
fn head(shown: &Shown) -> String {
    match shown.metric.unit() {
        Unit::Milliseconds => say!("block-head-ms", name = shown.short),
        _ => shown.short.to_owned(),
    }
}

fn group(source: &Source<'_>, workload: &str, level: f64, columns: &[(Shown, u8)]) -> Option<Group> {
    let row = |bed: &BedName| row(source, (workload, level), bed, columns);
    let rows: Vec<Row> = source.comparison.beds.iter().filter_map(row).collect();
    let title = source.loaded.level_name(workload).said(level);
    (!rows.is_empty()).then_some(Group { title, note: String::new(), rows })
}

fn row(
    source: &Source<'_>,
    (workload, level): (&str, f64),
    bed: &BedName,
    columns: &[(Shown, u8)],
) -> Option<Row> {
    let key = GroupKey { workload, level, bed: &bed.name };
    let cells = source.loaded.valid(&key).len();
    let number = |(shown, _): &(Shown, u8)| {
        let values = source.loaded.values(&key, shown.metric).into_iter().map(|pair| pair.1).collect();
        Number::of(shown.metric, Point::of(shown.metric, level, values), cells)
    };
    let numbers: Vec<Number> = columns.iter().map(number).collect();
    if numbers.iter().all(|number| number.value.is_none()) {
        return None;
    }
    let limiters = source.comparison.limiters.iter();
    let word = limiters
        .filter(|one| one.workload == workload && one.level == level)
        .find(|one| one.bed == bed.name)
        .map(|one| one.shown())
        .unwrap_or_default();
    Some(Row { bed: bed.mark.clone(), numbers, ratio: ratio(source, workload, level, bed), word })
}

fn ratio(source: &Source<'_>, workload: &str, level: f64, bed: &BedName) -> Ratio {
    let comparison = source.comparison;
    if comparison.beds.len() < 2 {
        return Ratio::default();
    }
    if bed.name == comparison.baseline {
        return Ratio { interval: say!("rows-baseline").to_owned(), ..Ratio::default() };
    }
    let metric = source.compared_metric(workload);
    let contrast = comparison
        .of_metric(workload, metric)
        .find(|contrast| contrast.level == level && contrast.treatment_bed == bed.name);
    let Some(contrast) = contrast else { return Ratio::default() };
    let [value, interval] = number::decided_columns(&contrast.judgement);
    Ratio { value, interval, verdict: contrast.finding() }
}

fn table(sheet: &Sheet) -> Table {
    let mut columns = columns![text say!("column-level"), text say!("column-bed")];
    columns.extend(sheet.heads.iter().map(|head| Column::number(head.text.clone())));
    columns.extend(columns![
        number sheet.ratio_head.clone(),
        text say!("column-deciding-interval"),
        text sheet.word_head.clone(),
    ]);
    let mut table = Table::new(columns);
    for group in &sheet.groups {
        for row in &group.rows {
            let mut cells = vec![group.title.clone(), row.bed.name.clone()];
            cells.extend(row.numbers.iter().map(|number| number.text.clone()));
            cells.extend([row.ratio.value.clone(), row.ratio.interval.clone(), row.word.clone()]);
            table.row(cells);
        }
    }
    table
}

//! The first figure of block I/O: all jobs of the run in one table.

use super::{DIRECTIONS, direction, is_mixed};
use crate::contrast::Contrast;
use crate::figure::line::Point;
use crate::figure::sheet::{self, Group, Head, Number, Ratio, Row, Sheet};
use crate::figure::{Caption, Figure};
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::naming::BedName;
use crate::number;
use crate::source::Source;
use crate::table::{Column, Table, columns};
use measure::Verdict;
use words::{Family, Latency, Metric, MetricName, Statistic, say};

/// The columns: metric, and how early it goes where there is no room.
const COLUMNS: [(Metric, u8); 6] = [
    (Metric::Iops, 0),
    (Metric::Bandwidth, 2),
    (Metric::LATENCY_MEAN, 7),
    (Metric::LATENCY_P50, 6),
    (Metric::LATENCY_P99, 0),
    (Metric::Latency(Latency::Answer, Statistic::P999), 3),
];
/// With more rows than this, each job is shown at its highest level only: the table must leave room for the
/// answer.
const ROWS_MOST: usize = 12;

/// The table; `None` where nothing was measured.
pub(super) fn of(source: &Source<'_>) -> Option<Figure> {
    let places = places(source.loaded);
    let groups: Vec<Group> = places.iter().filter_map(|place| group(source, place)).collect();
    if groups.is_empty() {
        return None;
    }
    let head = |(metric, rank): &(Metric, u8)| Some(Head { text: head(*metric)?, rank: *rank });
    let sheet = Sheet {
        heads: COLUMNS.iter().filter_map(head).collect(),
        ratio_head: ratio_head(source, &places),
        word_head: say!("column-limited-by").to_owned(),
        groups,
    };
    let title = title(source, &places);
    let caption =
        Caption { id: "jobs".to_owned(), reading: reading(source), description: title.clone(), title };
    let table = table(&sheet);
    Some(sheet::figure(caption, &sheet, table))
}

/// `IOPS ratio`; `ratio` where the ratios are not all of one metric.
fn ratio_head(source: &Source<'_>, places: &[JobRow<'_>]) -> String {
    let mut of = places.iter().map(|place| source.compared_metric(place.job));
    match of.next() {
        Some(metric) if of.all(|other| other == metric) => say!("rows-ratio", metric = metric.short()),
        _ => say!("column-ratio").to_owned(),
    }
}

/// A job at a level, or a part of it.
struct JobRow<'a> {
    job: &'a str,
    level: f64,
    part: Option<Part>,
}

/// One direction of a stream, or all of its I/Os.
struct Part {
    stream: String,
    /// `None`: the I/Os of all directions, of which there are rates alone.
    latency: Option<Latency>,
    /// True if the stream's rates are those of this row.
    has_rate: bool,
}

impl JobRow<'_> {
    /// The name under which the place has a metric, where it has it.
    fn name(&self, metric: Metric) -> Option<MetricName> {
        let Some(part) = &self.part else { return Some(metric.into()) };
        let of_stream = |metric| Some(MetricName::Of(metric, Family::Stream(part.stream.clone())));
        match metric {
            Metric::Iops | Metric::Bandwidth if part.has_rate => of_stream(metric),
            Metric::Iops if part.latency == Some(Latency::Read) => of_stream(Metric::ReadIops),
            Metric::Iops if part.latency == Some(Latency::Write) => of_stream(Metric::WriteIops),
            Metric::Bandwidth if part.latency == Some(Latency::Read) => of_stream(Metric::ReadThroughput),
            Metric::Bandwidth if part.latency == Some(Latency::Write) => of_stream(Metric::WriteThroughput),
            Metric::Latency(_, statistic) => of_stream(Metric::Latency(part.latency?, statistic)),
            _ => None,
        }
    }

    fn values(&self, loaded: &LoadedRun, bed: &str, metric: Metric) -> Vec<f64> {
        let key = GroupKey { workload: self.job, level: self.level, bed };
        let name = self.name(metric);
        name.into_iter().flat_map(|name| loaded.values(&key, name)).map(|pair| pair.1).collect()
    }
}

/// Every job at every level, or at its highest where those would be too many; below a job of several streams
/// each of them, where there is room.
fn places(loaded: &LoadedRun) -> Vec<JobRow<'_>> {
    let jobs = super::jobs(loaded);
    let at = |job, level| JobRow { job, level, part: None };
    let levels = |job| loaded.levels(job).into_iter();
    let mut places: Vec<JobRow<'_>> =
        jobs.iter().flat_map(|job| levels(job).map(|level| at(job, level))).collect();
    let is_full = |places: &[JobRow<'_>]| places.len() * loaded.beds.len() > ROWS_MOST;
    if is_full(&places) {
        return jobs.iter().filter_map(|job| Some(at(job, levels(job).last()?))).collect();
    }
    let with_parts: Vec<JobRow<'_>> = jobs
        .iter()
        .flat_map(|job| levels(job).map(move |level| (*job, level)))
        .flat_map(|(job, level)| std::iter::once(at(job, level)).chain(parts(loaded, job, level)))
        .collect();
    if !is_full(&with_parts) {
        places = with_parts;
    }
    places
}

/// The streams of a job, in the order of its file, with each of their directions; of a single stream, its
/// directions where there are several.
fn parts<'a>(loaded: &'a LoadedRun, job: &'a str, level: f64) -> Vec<JobRow<'a>> {
    let names = super::streams(loaded, job);
    let is_alone = names.len() < 2;
    let mut places: Vec<JobRow<'a>> = Vec::new();
    for stream in names {
        let place = |latency, has_rate| {
            let part = Part { stream: stream.clone(), latency, has_rate };
            JobRow { job, level, part: Some(part) }
        };
        let is_there = |latency: &Latency| {
            let mean = Metric::Latency(*latency, Statistic::Mean);
            loaded
                .beds
                .iter()
                .any(|bed| !place(Some(*latency), false).values(loaded, &bed.name, mean).is_empty())
        };
        let directions: Vec<Latency> = DIRECTIONS.into_iter().filter(is_there).collect();
        let is_mixed = is_mixed(&directions);
        if is_alone && !is_mixed {
            continue;
        }
        // The row of the job is that of its only stream.
        places.extend((is_mixed && !is_alone).then(|| place(None, true)));
        places.extend((0..).zip(directions).map(|(at, latency)| place(Some(latency), at == 0 && !is_mixed)));
    }
    places
}

/// `IOPS`, `MB/s`, `p99, ms`.
fn head(metric: Metric) -> Option<String> {
    let shown = metric.shown()?;
    Some(match metric {
        Metric::Iops => shown.short.to_owned(),
        Metric::Bandwidth => shown.unit.to_owned(),
        _ => say!("block-head-ms", name = shown.short),
    })
}

fn group(source: &Source<'_>, place: &JobRow<'_>) -> Option<Group> {
    let rows: Vec<Row> = source.comparison.beds.iter().filter_map(|bed| row(source, place, bed)).collect();
    let (title, note) = match &place.part {
        None => (place.job.to_owned(), source.loaded.level_name(place.job).said(place.level)),
        Some(part) => (part.stream.clone(), direction(part.latency).to_owned()),
    };
    (!rows.is_empty()).then_some(Group { title, note, rows })
}

fn row(source: &Source<'_>, place: &JobRow<'_>, bed: &BedName) -> Option<Row> {
    let key = GroupKey { workload: place.job, level: place.level, bed: &bed.name };
    let cells = source.loaded.valid(&key).len();
    let number = |(metric, _): &(Metric, u8)| {
        let values = place.values(source.loaded, &bed.name, *metric);
        Number::of(*metric, Point::of(*metric, place.level, values), cells)
    };
    let numbers: Vec<Number> = COLUMNS.iter().map(number).collect();
    if numbers.iter().all(|number| number.value.is_none()) {
        return None;
    }
    let (ratio, word) = match &place.part {
        None => (ratio(source, place, bed), limiter(source, place, bed)),
        Some(_) => (Ratio::default(), String::new()),
    };
    Some(Row { bed: bed.mark.clone(), numbers, ratio, word })
}

/// The limiter of the bed.
fn limiter(source: &Source<'_>, place: &JobRow<'_>, bed: &BedName) -> String {
    let limiters = source.comparison.limiters.iter();
    let mut here = limiters.filter(|one| one.workload == place.job && one.level == place.level);
    here.find(|one| one.bed == bed.name).map(|one| one.shown()).unwrap_or_default()
}

fn contrast<'a>(source: &'a Source<'_>, place: &JobRow<'_>, bed: &BedName) -> Option<&'a Contrast> {
    let of = |contrast: &&Contrast| {
        contrast.level == place.level
            && contrast.treatment_bed == bed.name
            && contrast.workload == place.job
            && contrast.metric == source.compared_metric(place.job)
    };
    source.comparison.contrasts.iter().find(of)
}

/// The quotient of the typical values of a bed and the baseline, without an interval.
fn quotient(source: &Source<'_>, place: &JobRow<'_>, bed: &BedName, metric: Metric) -> Option<f64> {
    let typical = |bed: &str| measure::typical(&place.values(source.loaded, bed, metric));
    let ratio = typical(&bed.name)? / typical(&source.comparison.baseline)?;
    (ratio.is_finite() && ratio > 0.0).then_some(ratio)
}

/// The metric of a bed over that of the baseline, with the interval that decided its verdict.
fn ratio(source: &Source<'_>, place: &JobRow<'_>, bed: &BedName) -> Ratio {
    let comparison = source.comparison;
    if comparison.beds.len() < 2 {
        return Ratio::default();
    }
    if bed.name == comparison.baseline {
        return Ratio { interval: say!("block-baseline").to_owned(), ..Ratio::default() };
    }
    if let Some(contrast) = contrast(source, place, bed) {
        let [value, interval] = number::decided_columns(&contrast.judgement);
        return Ratio { value, interval, verdict: contrast.finding() };
    }
    let metric = source.compared_metric(place.job);
    let value = quotient(source, place, bed, metric).map(number::times).unwrap_or_default();
    Ratio { value, interval: say!("block-no-interval").to_owned(), verdict: None }
}

/// The finding: how much more the first bed does that is not the baseline, over all jobs; of one bed, the
/// span of its rates.
fn title(source: &Source<'_>, places: &[JobRow<'_>]) -> String {
    let comparison = source.comparison;
    let baseline = comparison.beds.iter().find(|bed| bed.name == comparison.baseline);
    let bed = comparison.beds.iter().find(|bed| bed.name != comparison.baseline);
    let told = bed.zip(baseline).and_then(|(bed, baseline)| against(source, places, bed, baseline));
    if let Some(told) = told {
        return told;
    }
    let whole = || places.iter().filter(|place| place.part.is_none());
    let means = |metric: Metric| {
        let of = move |place: &JobRow<'_>| {
            let of = |bed: &BedName| measure::typical(&place.values(source.loaded, &bed.name, metric));
            comparison.beds.iter().filter_map(of).collect::<Vec<_>>()
        };
        whole().flat_map(of).collect::<Vec<_>>().into_iter()
    };
    let rate = number::range(means(Metric::Iops), number::short).unwrap_or_default();
    match (whole().count(), number::range(means(Metric::LATENCY_P99), number::plain)) {
        (1, Some(ms)) => say!("block-title-rate", rate, ms),
        (count, _) => say!("block-title-rates", rate, jobs = count),
    }
}

/// A bed against the baseline, over all jobs. Where every job was held to a rate that both kept, the rates
/// are the same by design, and the tail tells the beds apart.
fn against(source: &Source<'_>, places: &[JobRow<'_>], bed: &BedName, baseline: &BedName) -> Option<String> {
    let whole = || places.iter().filter(|place| place.part.is_none());
    let of = |metric: Metric| {
        let quotients = whole().filter_map(move |place| quotient(source, place, bed, metric));
        number::range(quotients, number::times)
    };
    let names = (&bed.mark.name, &baseline.mark.name);
    if whole().all(|place| source.compared_metric(place.job) == Metric::LATENCY_P99)
        && let Some(times) = of(Metric::LATENCY_P99)
    {
        return Some(say!("block-title-paced", bed = names.0, times, baseline = names.1));
    }
    let times = of(Metric::Iops)?;
    let judged: Vec<Verdict> =
        whole().filter_map(|place| contrast(source, place, bed)).map(Contrast::verdict).collect();
    let open = judged.iter().filter(|verdict| **verdict == Verdict::Inconclusive).count();
    Some(match (judged.len(), open) {
        (0, _) => say!("block-title-times-once", bed = names.0, times, baseline = names.1),
        (_, 0) => say!("block-title-times", bed = names.0, times, baseline = names.1),
        (all, open) => {
            say!("block-title-times-open", bed = names.0, times, baseline = names.1, open, all)
        }
    })
}

fn reading(source: &Source<'_>) -> String {
    match (source.comparison.beds.len() > 1, source.loaded.has_repeats()) {
        (true, true) => say!("block-reading-table"),
        (true, false) => say!("block-reading-table-once"),
        (false, true) => say!("block-reading-table-alone"),
        (false, false) => say!("block-reading-table-alone-once"),
    }
    .to_owned()
}

/// The same numbers as text.
fn table(sheet: &Sheet) -> Table {
    let mut columns =
        columns![text say!("column-workload"), text say!("column-level"), text say!("column-bed")];
    columns.extend(sheet.heads.iter().map(|head| Column::number(head.text.clone())));
    columns.extend(columns![number sheet.ratio_head.clone(), text say!("column-interval-95"), text sheet.word_head.clone()]);
    let mut table = Table::new(columns);
    for (group, row) in sheet.groups.iter().flat_map(|group| group.rows.iter().map(move |row| (group, row))) {
        let mut entries = vec![group.title.clone(), group.note.clone(), row.bed.name.clone()];
        entries.extend(row.numbers.iter().map(|number| number.text.clone()));
        entries.extend([row.ratio.value.clone(), row.ratio.interval.clone(), row.word.clone()]);
        table.row(entries);
    }
    table
}

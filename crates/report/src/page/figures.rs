//! The figures of the page: which metrics are drawn for which workload, and how each is to be read.

use super::Section;
use crate::contrast::Contrast;
use crate::error::ReportError;
use crate::figure::forest::{self, Ground, Row};
use crate::figure::levels;
use crate::figure::line::{Line, Point, REPEATS_DRAWN_MIN};
use crate::figure::percentiles::{self, Curve};
use crate::figure::seconds::{self, Trace};
use crate::figure::{Caption, Figure};
use crate::html::{details, list};
use crate::kind::ReportKind;
use crate::level::LevelUnit;
use crate::loaded_run::{self, GroupKey, Measured};
use crate::number;
use crate::profile::Profile;
use crate::second::Drawn;
use crate::sentences::{self, TextOf};
use crate::source::Source;
use crate::titles::{id, titled};
use measure::{Direction, Verdict};
use std::collections::BTreeMap;
use words::{Metric, MetricName, Shown, say};

/// Ratios of the primary metrics to the baseline, at every level.
pub(super) fn verdicts(source: &Source<'_>) -> Section {
    let comparison = source.comparison;
    let mut figures = Vec::new();
    for (workload, metric) in comparison.metrics(true) {
        figures.extend(metric.shown().and_then(|metric| forest(source, &workload, &metric)));
    }
    let exploratory: Vec<_> = comparison.contrasts.iter().filter(|contrast| !contrast.primary).collect();
    let open = comparison.open_sentences();
    let mut body = match open.is_empty() {
        true => String::new(),
        false => details(&say!("page-open", count = sentences::grouped(open.len())), &list(&open)),
    };
    if !exploratory.is_empty() {
        let table = comparison.contrast_table(&exploratory, true);
        let heading = comparison.exploratory_sentence(exploratory.len());
        let caption = say!("page-exploratory-caption", mark = source.mark);
        let summary = say!("page-exploratory", count = sentences::grouped(exploratory.len()));
        let explained = format!("<p>{}</p>{}", crate::svg::escape(&heading), table.to_html(&caption));
        body.push_str(&details(&summary, &explained));
    }
    let mut lead = comparison.same_bed_sentences();
    if figures.is_empty() && !body.is_empty() {
        lead.push(say!("page-no-primary").to_owned());
    }
    Section { id: "verdicts".into(), heading: verdict_heading(source), lead, figures, body }
}

/// The number of declared contrasts by verdict.
fn verdict_heading(source: &Source<'_>) -> String {
    let primary = || source.comparison.contrasts.iter().filter(|contrast| contrast.primary);
    let told: Vec<String> = [Verdict::Better, Verdict::Worse, Verdict::Equivalent, Verdict::Inconclusive]
        .into_iter()
        .flat_map(|verdict| {
            let judged = primary().filter(|contrast| contrast.verdict() == verdict).map(Contrast::judged);
            judged.fold(BTreeMap::<String, usize>::new(), |mut words, word| {
                *words.entry(word).or_default() += 1;
                words
            })
        })
        .map(|(verdict, count)| say!("page-verdict-count", count = count.to_string(), verdict))
        .collect();
    match told.as_slice() {
        [] => say!("page-verdicts").to_owned(),
        _ => {
            say!(
                "page-verdicts-told",
                count = sentences::grouped(primary().count()),
                told = words::list(told)
            )
        }
    }
}

/// The deciding interval of a ratio, where it rests on enough repeats to be drawn.
fn drawn_interval(contrast: &Contrast) -> Option<(f64, f64)> {
    let (above, below) = contrast.judgement.ratio.pairs_or_runs;
    let deciding = contrast.judgement.deciding();
    (above.min(below) >= REPEATS_DRAWN_MIN).then_some((deciding.low, deciding.high))
}

fn forest(source: &Source<'_>, workload: &str, metric: &Shown) -> Option<Figure> {
    let comparison = source.comparison;
    let contrasts: Vec<_> = comparison.of_metric(workload, metric.metric).collect();
    let first = contrasts.first()?;
    let rows: Vec<Row> = contrasts
        .iter()
        .map(|contrast| {
            let ratio = &contrast.judgement.ratio;
            let bed = comparison.beds.iter().find(|bed| bed.name == contrast.treatment_bed);
            Row {
                bed: bed.map(|bed| bed.mark.clone()).unwrap_or_default(),
                what: contrast.level_name.said_under(contrast.level),
                value: ratio.value,
                interval: drawn_interval(contrast),
                shown: number::decided(&contrast.judgement)[0].clone(),
                word: contrast.judged(),
                hollow: false,
            }
        })
        .collect();
    let (left, right) = match first.direction {
        Direction::HigherIsBetter => (say!("side-left-worse"), say!("side-right-better")),
        Direction::LowerIsBetter => (say!("side-left-better"), say!("side-right-worse")),
    };
    let ground = Ground {
        zone: first.judgement.equivalence_limits(),
        heading: first.level_name.short().to_owned(),
        sides: (left.to_owned(), right.to_owned()),
    };
    let baseline = comparison.shown(&comparison.baseline);
    let description = contrasts
        .iter()
        .map(|c| {
            let bed = comparison.shown(&c.treatment_bed);
            let at = c.level_name.said(c.level);
            let [value, interval] = number::decided(&c.judgement);
            say!("forest-described", bed, at, value, interval, verdict = c.judged())
        })
        .collect::<Vec<_>>()
        .join(" ");
    let smallest = number::percent(first.judgement.smallest_effect);
    let [decision, interval] = [measure::DECISION_CONFIDENCE, measure::CONFIDENCE].map(measure::in_percent);
    let caption = Caption {
        id: id(source, workload, &format!("ratio-{}", metric.metric)),
        title: titled(source, workload, &say!("forest-title", metric = metric.title, baseline)),
        reading: match contrasts.iter().all(|contrast| drawn_interval(contrast).is_some()) {
            true => say!("forest-reading", decision, interval, smallest),
            false => say!("forest-reading-not-drawn", decision, interval, smallest),
        },
        description,
    };
    let table = comparison.contrast_table(&contrasts, false);
    Some(forest::figure(caption, &ground, &rows, table))
}

/// The drawings of a page by their place.
pub(super) struct Drawings {
    /// The first figure.
    pub(super) hero: Option<Figure>,
    /// Figures that explain it.
    pub(super) why: Section,
    /// The other figures of the first workload that are shown from the start.
    pub(super) beside: Section,
    /// All others, a section for each workload.
    pub(super) rest: Vec<Section>,
}

/// Every figure of the run in its place; none stands twice.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read.
pub(super) fn drawn(source: &Source<'_>) -> Result<Drawings, ReportError> {
    let mut found = Drawings {
        hero: source.loaded.profile.as_ref().and_then(Profile::hero),
        why: Section { id: "why".into(), heading: say!("page-why").to_owned(), ..Section::default() },
        beside: Section { id: "measured".into(), ..Section::default() },
        rest: Vec::new(),
    };
    let workloads = source.loaded.workloads();
    for (index, workload) in workloads.iter().enumerate() {
        let kind = source.loaded.kind(workload);
        let hero = (kind.hero)(source, workload);
        let mut rest = Vec::new();
        if found.hero.is_none() {
            found.hero = hero;
        } else {
            rest.extend(hero.filter(|figure| found.hero.as_ref().is_none_or(|first| first.id != figure.id)));
        }
        let why = (kind.why)(source, workload)?;
        if index == 0 {
            found.why.figures.extend(why)
        } else {
            rest.extend(why)
        }
        let against = |(metric, reading): &(Metric, TextOf)| {
            against_levels(source, workload, &metric.shown()?, *reading)
        };
        let telling = kind.drawn.iter().filter(|(metric, _)| tells_something(source, workload, *metric));
        rest.extend(telling.filter_map(against));
        let mut seconds = second_by_second(source, workload)?.into_iter();
        let mut distributions = distribution(source, workload, kind)?.into_iter();
        if index == 0 {
            found.beside.figures.extend(distributions.next());
            found.beside.figures.extend(seconds.next());
        }
        rest.extend(seconds.chain(distributions));
        let (more, body) = (kind.more)(source, workload)?;
        rest.extend(more);
        // The figure that would answer for this workload is one of its own as well.
        let mut known: Vec<String> = found.hero.iter().map(|hero| hero.id.clone()).collect();
        rest.retain(|figure| {
            let is_new = !known.contains(&figure.id);
            known.push(figure.id.clone());
            is_new
        });
        let heading = if workloads.len() == 1 { String::new() } else { (*workload).to_owned() };
        found.rest.push(Section {
            id: Section::id_of("figures", index),
            heading,
            lead: Vec::new(),
            figures: rest,
            body,
        });
    }
    Ok(found)
}

/// Reads and writes apart tell something only where there are both.
fn tells_something(source: &Source<'_>, workload: &str, metric: Metric) -> bool {
    let any = |metric: Metric| {
        source
            .loaded
            .of(workload)
            .any(|measured| measured.values.get(metric).is_some_and(|value| value > 0.0))
    };
    ![Metric::ReadIops, Metric::WriteIops].contains(&metric)
        || (any(Metric::ReadIops) && any(Metric::WriteIops))
}

/// A metric against the levels; none when no valid cell measured it.
fn against_levels(source: &Source<'_>, workload: &str, metric: &Shown, reading: TextOf) -> Option<Figure> {
    let loaded = source.loaded;
    let lines = source.lines(workload, metric.metric);
    if !levels::has_course(&lines) {
        return None;
    }
    let level_name = loaded.level_name(workload);
    let mut points = lines.iter().flat_map(|line| &line.points);
    let has_interval = points.any(|point| point.drawn_interval().is_some());
    let marks = match (loaded.levels(workload).len() > 1, has_interval) {
        (true, true) => say!("marks-line-band"),
        (true, false) => say!("marks-line"),
        (false, true) => say!("marks-marker-bar"),
        (false, false) => say!("marks-marker"),
    };
    let reading = reading(marks);
    let missing: Vec<&str> =
        lines.iter().filter(|l| l.points.is_empty()).map(|l| l.bed.name.as_str()).collect();
    let reading = match missing.as_slice() {
        [] => reading,
        beds => say!("reading-no-valid-cell", reading, beds = words::list(beds.iter().copied())),
    };
    let caption = Caption {
        id: id(source, workload, &metric.metric.name()),
        title: titled(source, workload, metric.title),
        reading,
        description: describe(&lines, metric, level_name),
    };
    Some(levels::figure(caption, metric, level_name, &lines))
}

/// The start and the end of every line, in words.
fn describe(lines: &[Line], metric: &Shown, level_name: &LevelUnit) -> String {
    let line = |line: &Line| {
        let (first, last) = (line.points.first()?, line.points.last()?);
        let at = |point: &Point| {
            let at = level_name.said(point.level);
            say!("line-value", value = point.shown(), unit = metric.unit, at)
        };
        let (bed, end) = (&line.bed.name, at(last));
        Some(match first.level < last.level {
            true => say!("line-from-to", bed, start = at(first), end),
            false => say!("line-at", bed, end),
        })
    };
    lines.iter().filter_map(line).collect::<Vec<_>>().join(" ")
}

/// The figures second by second of every workload, in the order of the page.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read.
pub(super) fn seconds(source: &Source<'_>) -> Result<Vec<Figure>, ReportError> {
    let mut figures = Vec::new();
    for workload in source.loaded.workloads() {
        figures.extend(second_by_second(source, workload)?);
    }
    Ok(figures)
}

/// The series of one cell of each bed at the highest level: the repeat with the median throughput.
fn second_by_second(source: &Source<'_>, workload: &str) -> Result<Vec<Figure>, ReportError> {
    let loaded = source.loaded;
    let Some((level, cells)) = typical_cells(source, workload) else { return Ok(Vec::new()) };
    let kind = loaded.kind(workload);
    if !(kind.has_time)(source, workload)? {
        return Ok(Vec::new());
    }
    let shaded = (kind.shaded)();
    let mut read = Vec::new();
    for (mark, measured) in cells {
        let (mut series, mut phases) = loaded_run::series_of(source.notebook, measured)?;
        series.iter_mut().for_each(|series| seconds::end_with_measuring(series, &phases));
        if let Some(only) = kind.shaded_phase {
            phases.retain(|phase| phase.name == only);
        }
        read.push((mark, series, phases, measured.cell.repeat));
    }
    let repeats: Vec<String> = read
        .iter()
        .map(|(mark, _, _, repeat)| {
            say!("page-bed-repeat", bed = mark.name, repeat = (repeat + 1).to_string())
        })
        .collect();
    let at = loaded.level_name(workload).said(level);
    let mut figures = Vec::new();
    for &Drawn { metric, title, axis_label, axis, wide } in kind.series {
        let traces: Vec<Trace> = read
            .iter()
            .filter_map(|(bed, series, phases, _)| {
                let series = series.iter().find(|series| MetricName::read(&series.metric) == metric)?.clone();
                Some(Trace { bed: bed.clone(), series, phases: phases.clone() })
            })
            .filter(|trace| !trace.series.values.is_empty())
            .collect();
        if !seconds::has_course(&traces) {
            continue;
        }
        let caption = Caption {
            id: id(source, workload, &format!("seconds-{metric}")),
            title: titled(
                source,
                workload,
                &(kind.finding)(source, workload, level, metric).unwrap_or_else(|| title().to_owned()),
            ),
            reading: if wide {
                say!("page-seconds-reading", at, repeats = words::list(&repeats), shaded)
            } else {
                say!("page-seconds-reading-again", at, shaded)
            },
            description: say!(
                "page-seconds-described",
                lines = traces.len(),
                seconds = traces.iter().map(|trace| trace.series.values.len()).max().unwrap_or(0)
            ),
        };
        figures.push(seconds::figure(caption, axis_label(), axis, wide, &traces));
    }
    Ok(figures)
}

/// The highest level at which a bed has a valid cell, and of each bed the valid cell with the median
/// throughput there.
pub(super) fn typical_cells<'a>(
    source: &Source<'a>,
    workload: &'a str,
) -> Option<(f64, Vec<(crate::svg::BedMark, &'a Measured)>)> {
    let loaded = source.loaded;
    let kind = loaded.kind(workload);
    let cells_at = |level: f64| -> Vec<(crate::svg::BedMark, &'a Measured)> {
        let typical = |bed: &crate::naming::BedName| {
            let mut cells = loaded.valid(&GroupKey { workload, level, bed: &bed.name });
            let value = |m: &&Measured| m.values.get(kind.throughput).unwrap_or(0.0);
            cells.sort_by(|a, b| value(a).total_cmp(&value(b)));
            let middle = cells.len().checked_sub(1)? / 2;
            Some((bed.mark.clone(), cells[middle]))
        };
        source.comparison.beds.iter().filter_map(typical).collect()
    };
    let mut levels = loaded.levels(workload);
    levels.reverse();
    if let Some(asked) = kind.asked_level {
        levels.sort_by_key(|level| *level != asked);
    }
    levels.into_iter().map(|level| (level, cells_at(level))).find(|(_, cells)| !cells.is_empty())
}

/// Latency of all valid repeats at the highest level, merged.
fn distribution(source: &Source<'_>, workload: &str, kind: &ReportKind) -> Result<Vec<Figure>, ReportError> {
    let Some((level, _)) = typical_cells(source, workload) else { return Ok(Vec::new()) };
    let mut figures = Vec::new();
    for (of, title) in kind.distributions {
        let mut curves = Vec::new();
        for bed in &source.comparison.beds {
            let cells = source.loaded.valid(&GroupKey { workload, level, bed: &bed.name });
            let histogram = loaded_run::merged_histogram(source.notebook, &cells, *of)?;
            if !histogram.is_empty() {
                curves.push(Curve::new(bed.mark.clone(), histogram));
            }
        }
        if curves.is_empty() {
            continue;
        }
        let at = source.loaded.level_name(workload).said(level);
        let caption = Caption {
            id: id(source, workload, &format!("distribution-{}", words::HistogramName::Of(*of))),
            title: titled(source, workload, title()),
            reading: say!("page-distribution-reading", at),
            description: curves.iter().map(percentiles::describe).collect::<Vec<_>>().join(" "),
        };
        figures.push(percentiles::figure(caption, (kind.counted)(), &curves));
    }
    Ok(figures)
}

//! Latency against throughput of all jobs: the steps of a curve or of a search, else the levels where there
//! are three or more.

use super::points::{self, OfBeds};
use super::{PANELS_MOST, with_cut};
use crate::error::ReportError;
use crate::figure::curve::{self, CurvePoint, Line, Panel};
use crate::figure::{Caption, Figure};
use crate::loaded_run::GroupKey;
use crate::naming::BedName;
use crate::number;
use crate::source::Source;
use notebook::Point;
use words::{Latency, Metric, PointKind, Statistic, say};

/// One panel for each job that was run at several loads.
pub(super) fn figure(source: &Source<'_>) -> Result<Option<Figure>, ReportError> {
    let mut panels = Vec::new();
    for job in super::jobs(source.loaded) {
        panels.extend(panel(source, job, &points::points(source, job)?));
    }
    if panels.is_empty() {
        return Ok(None);
    }
    let (title, jobs) = (title(source, &panels), panels.len());
    panels.truncate(PANELS_MOST);
    let reading = match panels.iter().flat_map(|panel| &panel.lines).any(|line| line.knee().is_some()) {
        true => say!("block-reading-knee"),
        false => say!("block-reading-loads"),
    };
    let caption = Caption {
        id: "latency-throughput".to_owned(),
        title,
        reading: with_cut(reading, (panels.len(), jobs)),
        description: curve::describe(&panels),
    };
    Ok(Some(curve::figure(caption, &panels)))
}

fn panel(source: &Source<'_>, job: &str, points: &OfBeds) -> Option<Panel> {
    let loaded = source.loaded;
    let mut lines: Vec<Line> = points.iter().filter_map(of_steps).collect();
    let levels = loaded.levels(job);
    let mut note = levels.last().map(|level| loaded.level_name(job).said(*level));
    if lines.is_empty() && levels.len() > 1 {
        lines = source.comparison.beds.iter().filter_map(|bed| of_levels(source, job, bed)).collect();
        let (low, high) = (levels[0], levels[levels.len() - 1]);
        let low = loaded.level_name(job).said(low);
        note = Some(say!("figure-from-to", low, high = number::level(high)));
    }
    let panel = Panel { title: job.to_owned(), note: note.unwrap_or_default(), lines };
    (!panel.lines.is_empty()).then_some(panel)
}

/// The steps of the first repeat, each with its typical value over all repeats that have it.
fn of_steps((bed, cells): &(crate::svg::BedMark, Vec<Vec<Point>>)) -> Option<Line> {
    let is_step = |point: &&Point| point.kind == PointKind::Curve || point.kind == PointKind::Search;
    let loads = cells.first()?.iter().filter(is_step).filter_map(|step| load_of_step(step, cells)).collect();
    Line::new(bed.clone(), loads)
}

fn load_of_step(step: &Point, cells: &[Vec<Point>]) -> Option<CurvePoint> {
    let steps: Vec<&Point> =
        cells.iter().filter_map(|points| points.iter().find(|point| point.name == step.name)).collect();
    let typical = |metric: Metric| {
        let values: Vec<f64> = steps.iter().filter_map(|point| point.value(metric)).collect();
        measure::typical(&values)
    };
    Some(CurvePoint {
        name: step.name.clone(),
        iops: typical(Metric::Iops)?,
        service_ms: typical(Metric::Latency(Latency::Service, Statistic::Mean))
            .or_else(|| typical(Metric::LATENCY_MEAN))?,
        p99_ms: typical(Metric::LATENCY_P99),
        is_result: step.counts,
    })
}

fn of_levels(source: &Source<'_>, job: &str, bed: &BedName) -> Option<Line> {
    let loaded = source.loaded;
    let mean =
        |level: f64, metric: Metric| loaded.mean(&GroupKey { workload: job, level, bed: &bed.name }, metric);
    let load = |level: f64| {
        Some(CurvePoint {
            name: loaded.level_name(job).said(level),
            iops: mean(level, Metric::Iops)?,
            service_ms: mean(level, Metric::Latency(Latency::Service, Statistic::Mean))?,
            p99_ms: mean(level, Metric::LATENCY_P99),
            is_result: false,
        })
    };
    Line::new(bed.mark.clone(), loaded.levels(job).into_iter().filter_map(load).collect())
}

/// The finding: by how much the first bed that is not the baseline takes more load before latency doubles,
/// over the jobs; of one bed, where that is.
fn title(source: &Source<'_>, panels: &[Panel]) -> String {
    let knee = |panel: &Panel, slot: usize| {
        let line = panel.lines.iter().find(|line| line.bed.slot == slot)?;
        Some(line.knee()?.iops)
    };
    let beds = &source.comparison.beds;
    let baseline = beds.iter().find(|bed| bed.name == source.comparison.baseline);
    if let Some(baseline) = baseline
        && let Some(bed) = beds.iter().find(|bed| bed.name != baseline.name)
    {
        let ratios: Vec<f64> = panels
            .iter()
            .filter_map(|panel| Some(knee(panel, bed.mark.slot)? / knee(panel, baseline.mark.slot)?))
            .collect();
        let (some, jobs) = (ratios.len(), panels.len());
        if let Some(range) = number::range(ratios.into_iter(), number::times) {
            let (bed, baseline) = (&bed.mark.name, &baseline.mark.name);
            return match some == jobs {
                true => say!("block-title-knees", bed, times = range, baseline),
                false => say!("block-title-knees-some", bed, times = range, baseline, some, jobs),
            };
        }
    }
    let all = panels.iter().flat_map(|panel| panel.lines.iter().filter_map(|line| line.knee()));
    match number::range(all.map(|knee| knee.iops), number::short) {
        Some(range) => say!("block-title-knee", rate = range),
        None if panels.iter().flat_map(|panel| &panel.lines).any(Line::can_have_knee) => {
            say!("block-title-no-knee").to_owned()
        }
        None => at_most(panels),
    }
}

/// The finding where loads are too few for knees: the time of an I/O at the maximum of the first job.
fn at_most(panels: &[Panel]) -> String {
    let panel = &panels[0];
    let one = |line: &Line| {
        say!("block-tail-of-bed", ms = number::plain(line.most().service_ms), bed = line.bed.name)
    };
    let beds = words::list(panel.lines.iter().map(one));
    say!("block-title-most", job = panel.title, beds)
}

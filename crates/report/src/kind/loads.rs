//! Figures of every kind whose users load a database: the throughput against the load, and the parts of a
//! transaction's time.

mod rows;
mod time;

use crate::contrast::{Contrast, Printed};
use crate::figure::Caption;
use crate::figure::Figure;
use crate::figure::levels::lead::{self, Plot, Ratio, Strip};
use crate::figure::line::Line;
use crate::number;
use crate::source::Source;
use crate::titles::{id, titled};
use words::{Limiter, Shown, say, spoken};

pub(super) use time::figures as time;

/// Lines need at least this many levels; below, a table says more.
const LEVELS_DRAWN_MIN: usize = 3;
/// With more levels than this, ratios stand at the first, the middle and the last one.
const RATIOS_MOST: usize = 5;

/// The first figure: lines over three loads or more, else a table; `None` where nothing was measured.
pub(super) fn hero(source: &Source<'_>, workload: &str) -> Option<Figure> {
    if source.loaded.levels(workload).len() < LEVELS_DRAWN_MIN {
        return rows::figure(source, workload);
    }
    let metric = source.loaded.kind(workload).throughput.shown()?;
    let lines = source.lines_with_points(workload, metric.metric);
    if lines.iter().all(|line| line.points.len() < 2) {
        return rows::figure(source, workload);
    }
    let title = title(source, workload, &metric);
    let caption = Caption {
        id: id(source, workload, &metric.metric.name()),
        title: titled(source, workload, &title),
        reading: reading(source, &lines),
        description: title,
    };
    let plot = Plot {
        metric: &metric,
        level_name: source.loaded.level_name(workload),
        ratios: ratios(source, workload, &metric),
        strips: strips(source, workload),
        lines,
    };
    Some(lead::figure(caption, &plot))
}

fn reading(source: &Source<'_>, lines: &[Line]) -> String {
    let has_band = lines.iter().flat_map(|line| &line.points).any(|point| point.drawn_interval().is_some());
    let marks = if has_band { say!("marks-line-band") } else { say!("marks-line") };
    let better = say!("reading-higher-is-better", marks);
    match source.comparison.contrasts.iter().any(|contrast| contrast.primary) {
        true => say!("lead-reading", better, baseline = source.comparison.shown(&source.comparison.baseline)),
        false => better,
    }
}

/// The throughput contrasts of a workload.
fn contrasts<'a>(
    source: &'a Source<'_>,
    workload: &'a str,
    metric: &'a Shown,
) -> impl Iterator<Item = &'a Contrast> {
    source.comparison.of_metric(workload, metric.metric)
}

/// The ratios at the points: of the first bed at all levels (at three of many), of the others at the last.
fn ratios(source: &Source<'_>, workload: &str, metric: &Shown) -> Vec<Ratio> {
    let levels = source.loaded.levels(workload);
    let last = levels.last().copied();
    let told: Vec<f64> = match levels.len() {
        many if many > RATIOS_MOST => vec![levels[0], levels[many / 2], levels[many - 1]],
        _ => levels,
    };
    let first_bed = contrasts(source, workload, metric).next().map(|contrast| &contrast.treatment_bed);
    let is_told = |contrast: &&Contrast| match first_bed == Some(&contrast.treatment_bed) {
        true => told.contains(&contrast.level),
        false => Some(contrast.level) == last,
    };
    let ratio = |contrast: &Contrast| {
        let bed = source.comparison.beds.iter().find(|bed| bed.name == contrast.treatment_bed)?;
        let [value, interval] = number::decided_columns(&contrast.judgement);
        Some(Ratio { bed: bed.mark.clone(), level: contrast.level, value, interval })
    };
    contrasts(source, workload, metric).filter(is_told).filter_map(ratio).collect()
}

/// The limiters of every bed; nothing where no cell named one.
fn strips(source: &Source<'_>, workload: &str) -> Vec<Strip> {
    let all = &source.comparison.limiters;
    let known = |limiters: &&crate::limiter::Limiters| *limiters.main() != Limiter::NotKnown;
    let strip = |bed: &crate::naming::BedName| {
        let limiters: Vec<(f64, String)> = all
            .iter()
            .filter(|limiters| limiters.workload == workload && limiters.bed == bed.name)
            .filter(known)
            .map(|limiters| (limiters.level, spoken::<Limiter>(limiters.main()).to_owned()))
            .collect();
        (!limiters.is_empty()).then(|| Strip { bed: bed.mark.clone(), limiters })
    };
    source.comparison.beds.iter().filter_map(strip).collect()
}

/// The finding: how the first bed compares with the baseline over the loads.
fn title(source: &Source<'_>, workload: &str, metric: &Shown) -> String {
    let told: Vec<&Contrast> = contrasts(source, workload, metric).collect();
    let Some(first) = told.first() else { return metric.title.to_owned() };
    let bed = source.comparison.shown(&first.treatment_bed);
    let baseline = source.comparison.shown(&first.baseline_bed);
    let of_bed: Vec<&&Contrast> =
        told.iter().filter(|contrast| contrast.treatment_bed == first.treatment_bed).collect();
    // A difference whose size is open is one.
    let is_open = |contrast: &&&Contrast| contrast.printed() == Printed::Inconclusive;
    let what = metric.title;
    if of_bed.iter().all(is_open) {
        return say!("lead-title-open", what, bed, baseline);
    }
    let values = of_bed.iter().map(|contrast| contrast.judgement.ratio.value);
    let range = number::range(values, number::times).unwrap_or_default();
    let (loads, open) = (of_bed.len(), of_bed.iter().filter(|contrast| is_open(contrast)).count());
    if open > 0 {
        return say!("lead-title-partly", what, bed, range, baseline, loads, open);
    }
    let most = of_bed.iter().max_by(|a, b| a.level.total_cmp(&b.level));
    match most {
        Some(most) if loads == 1 => {
            let at = most.level_name.said(most.level);
            say!("lead-title-at", what, bed, range, baseline, at)
        }
        _ => say!("lead-title", what, bed, range, baseline),
    }
}

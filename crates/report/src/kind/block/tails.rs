//! The percentiles of all jobs, each at its highest level.

use super::{PANELS_MOST, points, with_cut};
use crate::error::ReportError;
use crate::figure::percentiles::{self, Curve, Panel};
use crate::figure::{Caption, Figure};
use crate::loaded_run;
use crate::number;
use crate::source::Source;
use words::{Latency, say};

/// One panel for each job with a distribution.
pub(super) fn figure(source: &Source<'_>) -> Result<Option<Figure>, ReportError> {
    let mut panels = Vec::new();
    for job in super::jobs(source.loaded) {
        let mut curves = Vec::new();
        for (bed, cells) in points::highest_level(source, job) {
            let histogram = loaded_run::merged_histogram(source.notebook, &cells, Latency::Answer)?;
            if histogram.supports(0.9) {
                curves.push(Curve::new(bed, histogram));
            }
        }
        if !curves.is_empty() {
            panels.push(Panel { title: job.to_owned(), curves });
        }
    }
    let Some(title) = title(&panels) else { return Ok(None) };
    let jobs = panels.len();
    let panels = slowest(panels);
    let described = |panel: &Panel| {
        let curves: Vec<String> = panel.curves.iter().map(percentiles::describe).collect();
        format!("{}: {}", panel.title, curves.join(" "))
    };
    let caption = Caption {
        id: "percentiles".to_owned(),
        title,
        reading: with_cut(say!("block-reading-tails"), (panels.len(), jobs)),
        description: panels.iter().map(described).collect::<Vec<_>>().join(" "),
    };
    Ok(Some(percentiles::panels(caption, say!("counted-ios"), &panels)))
}

/// The panels of the jobs with the slowest I/Os in the order of the file, where there are more than can be
/// read side by side.
fn slowest(mut panels: Vec<Panel>) -> Vec<Panel> {
    if panels.len() <= PANELS_MOST {
        return panels;
    }
    let slowest = |panel: &Panel| {
        panel
            .curves
            .iter()
            .filter_map(|curve| percentiles::last_marked([curve]).map(|(q, _)| curve.ms_at(q)))
            .fold(0.0, f64::max)
    };
    let mut tails: Vec<f64> = panels.iter().map(slowest).collect();
    tails.sort_by(|a, b| b.total_cmp(a));
    let least = tails[PANELS_MOST - 1];
    panels.retain(|panel| slowest(panel) >= least);
    panels.truncate(PANELS_MOST);
    panels
}

/// The finding: the highest percentile of the job in which the beds lie furthest apart; of one bed, of its
/// slowest job.
fn title(panels: &[Panel]) -> Option<String> {
    let told = panels.iter().filter_map(|panel| {
        let (quantile, name) = percentiles::last_marked(&panel.curves)?;
        let values = panel.curves.iter().map(|curve| curve.ms_at(quantile));
        let (low, high) = values.fold((f64::INFINITY, 0.0f64), |(l, h), ms| (l.min(ms), h.max(ms)));
        let compares = panel.curves.len() > 1;
        Some((compares, if compares { high / low.max(1e-9) } else { high }, quantile, name, panel))
    });
    let (_, _, quantile, name, panel) = told.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)))?;
    let one = |curve: &Curve| {
        say!("block-tail-of-bed", ms = number::plain(curve.ms_at(quantile)), bed = curve.bed.name)
    };
    let beds = words::list(panel.curves.iter().map(one));
    Some(match panels.len() {
        1 => say!("block-title-tail", name, beds),
        _ => say!("block-title-tails", name, job = panel.title, beds),
    })
}

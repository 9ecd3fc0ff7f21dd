//! Counters of other programs that were imported beside the cells, second by second.

use super::{Section, figures};
use crate::error::ReportError;
use crate::figure::Caption;
use crate::figure::Figure;
use crate::figure::seconds::{self, Trace};
use crate::loaded_run;
use crate::sentences;
use crate::source::Source;
use crate::titles::{id, titled};
use words::{Axis, MetricName, say};

/// The most figures of a workload; more are counted, and the export has all.
const FIGURES_MOST: usize = 24;

/// A section for each workload that has counters beside the cells that a page shows second by second.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read.
pub(super) fn sections(source: &Source<'_>) -> Result<Vec<Section>, ReportError> {
    let workloads = source.loaded.workloads();
    let mut sections = Vec::new();
    for (index, workload) in workloads.iter().enumerate() {
        let (figures, more) = figures(source, workload)?;
        if figures.is_empty() {
            continue;
        }
        let mut lead = vec![say!("counters-lead").to_owned()];
        lead.extend((more > 0).then(|| say!("counters-more", count = sentences::grouped(more))));
        let heading = if workloads.len() == 1 { String::new() } else { (*workload).to_owned() };
        let id = Section::id_of("counters", index);
        sections.push(Section { id, heading, lead, figures, body: String::new() });
    }
    Ok(sections)
}

/// A figure for each counter, and the number of those that were left out.
fn figures(source: &Source<'_>, workload: &str) -> Result<(Vec<Figure>, usize), ReportError> {
    let Some((level, cells)) = figures::typical_cells(source, workload) else { return Ok((Vec::new(), 0)) };
    let mut read = Vec::new();
    for (mark, measured) in cells {
        let (series, phases) = loaded_run::series_of(source.notebook, measured)?;
        read.push((mark, series, phases));
    }
    let mut names: Vec<(String, String)> = Vec::new();
    for series in read.iter().flat_map(|(_, series, _)| series) {
        if let MetricName::Beside(name) = MetricName::read(&series.metric)
            && names.iter().all(|(known, _)| *known != name)
        {
            names.push((name, series.unit.clone()));
        }
    }
    let at = source.loaded.level_name(workload).said(level);
    let (mut figures, mut more) = (Vec::new(), 0);
    for (index, (name, unit)) in names.iter().enumerate() {
        let traces: Vec<Trace> = read
            .iter()
            .filter_map(|(bed, series, phases)| {
                let is_it = |known: &MetricName| matches!(known, MetricName::Beside(known) if known == name);
                let series = series.iter().find(|series| is_it(&MetricName::read(&series.metric)))?.clone();
                Some(Trace { bed: bed.clone(), series, phases: phases.clone() })
            })
            .collect();
        if !seconds::has_course(&traces) {
            continue;
        }
        if figures.len() == FIGURES_MOST {
            more += 1;
            continue;
        }
        let seconds = traces.iter().map(|trace| trace.series.values.len()).max().unwrap_or(0);
        let caption = Caption {
            id: id(source, workload, &format!("counter-{}", index + 1)),
            title: titled(source, workload, name),
            reading: say!("counters-reading", at),
            description: say!("page-seconds-described", lines = traces.len(), seconds),
        };
        // Of several processors together there can be more than a hundred per cent.
        let exceeds = traces.iter().flat_map(|trace| &trace.series.values).any(|value| *value > 100.0);
        let is_share = unit == "%" && !exceeds;
        let axis = if is_share { Axis::Percent } else { Axis::FromZero };
        let label = if unit.is_empty() { say!("counters-no-unit") } else { unit.as_str() };
        figures.push(seconds::figure(caption, label, axis, false, &traces));
    }
    Ok((figures, more))
}

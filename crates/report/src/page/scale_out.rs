//! The section of throughput against ranks.

use super::Section;
use crate::figure::{Caption, Figure, levels};
use crate::source::Source;
use crate::titles::{id, titled};
use words::say;

/// The section; empty where the number of ranks is no level.
pub(super) fn section(source: &Source<'_>) -> Section {
    let all = &source.comparison.scale_out;
    if all.is_empty() {
        return Section::default();
    }
    let mut workloads: Vec<&str> = all.iter().map(|of| of.workload.as_str()).collect();
    workloads.dedup();
    let lead = [say!("page-scale-out-lead").to_owned()];
    Section {
        id: "scale-out".into(),
        heading: say!("page-scale-out").to_owned(),
        lead: lead.into_iter().chain(source.comparison.scale_out_sentences()).collect(),
        figures: workloads.into_iter().filter_map(|workload| figure(source, workload)).collect(),
        body: source
            .comparison
            .scale_out_table()
            .to_html(&say!("page-scale-out-caption", mark = source.mark)),
    }
}

fn figure(source: &Source<'_>, workload: &str) -> Option<Figure> {
    let loaded = source.loaded;
    let metric = loaded.kind(workload).throughput.shown()?;
    let lines = source.lines_with_points(workload, metric.metric);
    let caption = Caption {
        id: id(source, workload, "scale-out"),
        title: titled(source, workload, say!("page-scale-out")),
        reading: say!("reading-higher-is-better", marks = say!("marks-line")),
        description: source.comparison.scale_out_sentences().join(" "),
    };
    Some(levels::figure(caption, &metric, loaded.level_name(workload), &lines))
}

//! The source of a page's parts.

use crate::comparison::Comparison;
use crate::figure::line::{Line, Point};
use crate::loaded_run::{GroupKey, LoadedRun};
use notebook::Notebook;
use words::Metric;

/// Everything that the sections are made from.
pub(crate) struct Source<'a> {
    pub(crate) notebook: &'a Notebook,
    pub(crate) loaded: &'a LoadedRun,
    pub(crate) comparison: &'a Comparison,
    pub(crate) mark: String,
}

impl Source<'_> {
    /// The metric in which the beds are compared under a workload.
    pub(crate) fn compared_metric(&self, workload: &str) -> Metric {
        self.comparison.compared_metric(self.loaded, workload)
    }

    /// A metric over the levels of a workload, a line for each bed; one without points for a bed that has no
    /// valid cell.
    pub(crate) fn lines(&self, workload: &str, metric: Metric) -> Vec<Line> {
        let line = |bed: &crate::naming::BedName| {
            let point = |level: f64| {
                let values = self.loaded.values(&GroupKey { workload, level, bed: &bed.name }, metric);
                Point::of(metric, level, values.into_iter().map(|pair| pair.1).collect())
            };
            let points = self.loaded.levels(workload).into_iter().filter_map(point).collect();
            Line { bed: bed.mark.clone(), points }
        };
        self.comparison.beds.iter().map(line).collect()
    }

    /// The lines of beds that have points.
    pub(crate) fn lines_with_points(&self, workload: &str, metric: Metric) -> Vec<Line> {
        let mut lines = self.lines(workload, metric);
        lines.retain(|line| !line.points.is_empty());
        lines
    }
}

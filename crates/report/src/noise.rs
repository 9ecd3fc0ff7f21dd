//! The difference of a bed from itself: the yardstick for every effect.

use crate::loaded_run::{GroupKey, LoadedRun};
use words::{Metric, Shown};

/// Spread of repeats of one metric in one workload, over every bed and level with two valid repeats or more.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// Name of the workload.
    pub workload: String,
    /// The metric.
    pub metric: Metric,
    /// Median over groups of the coefficient of variation (standard deviation / mean), as a share.
    pub variation: f64,
    /// Largest coefficient of variation of a group.
    pub variation_most: f64,
    /// Largest (max - min) / median of a group: the figure that MongoDB's performance team watches.
    pub range_over_median_most: f64,
    /// Groups (bed and level) behind it.
    pub groups: usize,
    /// Change from the first repeat to the last that is common to all groups, as a share, when it is beyond
    /// chance.
    pub drift: Option<f64>,
}

/// A drift is named when its t exceeds this: one run in about a thousand would show it by chance.
const DRIFT_T_LEAST: f64 = 3.4;

/// The noise of one metric of one workload; `None` when no group has two valid repeats.
pub(crate) fn of(loaded: &LoadedRun, workload: &str, metric: &Shown) -> Option<Noise> {
    let groups = groups(loaded, workload, metric.metric);
    let values: Vec<Vec<f64>> =
        groups.iter().map(|group| group.iter().map(|pair| pair.1).collect()).collect();
    let variations: Vec<f64> = values.iter().filter_map(|v| measure::coefficient_of_variation(v)).collect();
    let ranges = values.iter().filter_map(|v| measure::range_over_median(v));
    Some(Noise {
        workload: workload.to_owned(),
        metric: metric.metric,
        variation: measure::median(&variations)?,
        variation_most: variations.iter().copied().fold(0.0, f64::max),
        range_over_median_most: ranges.fold(0.0, f64::max),
        groups: variations.len(),
        drift: drift(&groups),
    })
}

/// Repeats and values of every bed and level with at least two valid cells.
fn groups(loaded: &LoadedRun, workload: &str, metric: Metric) -> Vec<Vec<(u32, f64)>> {
    let mut groups = Vec::new();
    for level in loaded.levels(workload) {
        for bed in &loaded.beds {
            let values = loaded.values(&GroupKey { workload, level, bed: &bed.name }, metric);
            if values.len() >= 2 {
                groups.push(values);
            }
        }
    }
    groups
}

/// The common slope of log values over repeats, by least squares within groups, if its t is beyond
/// [`DRIFT_T_LEAST`].
fn drift(groups: &[Vec<(u32, f64)>]) -> Option<f64> {
    let (mut sxx, mut sxy, mut syy, mut count) = (0.0, 0.0, 0.0, 0.0);
    let mut repeats_most = 0.0f64;
    for group in groups.iter().filter(|group| group.len() >= 3 && group.iter().all(|pair| pair.1 > 0.0)) {
        let n = group.len() as f64;
        let x_mean = group.iter().map(|pair| f64::from(pair.0)).sum::<f64>() / n;
        let y_mean = group.iter().map(|pair| pair.1.ln()).sum::<f64>() / n;
        for (repeat, value) in group {
            let (x, y) = (f64::from(*repeat) - x_mean, value.ln() - y_mean);
            sxx += x * x;
            sxy += x * y;
            syy += y * y;
        }
        count += n - 1.0;
        let (first, last) = (group[0].0, group[group.len() - 1].0);
        repeats_most = repeats_most.max(f64::from(last) - f64::from(first));
    }
    let freedom = count - 1.0;
    if freedom < 4.0 || sxx <= 0.0 {
        return None;
    }
    let slope = sxy / sxx;
    let residual = (syy - slope * sxy).max(0.0) / freedom;
    let t = slope / (residual / sxx).sqrt();
    (t.is_finite() && t.abs() > DRIFT_T_LEAST).then(|| (slope * repeats_most).exp() - 1.0)
}

/// The noise of the primary metrics of every workload.
pub(crate) fn of_all(loaded: &LoadedRun) -> Vec<Noise> {
    let mut all = Vec::new();
    for workload in loaded.workloads() {
        let metrics = loaded.kind(workload).primary;
        all.extend(metrics.iter().filter_map(|name| of(loaded, workload, &name.shown()?)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_trend_is_found_and_scatter_is_not() {
        let wave = [0.01, -0.02, 0.015, -0.005, 0.02, -0.01];
        let group = |slope: f64, base: f64| -> Vec<(u32, f64)> {
            (0u32..).zip(wave).map(|(i, w)| (i, base * (slope * f64::from(i) + w).exp())).collect()
        };
        let drifting: Vec<_> = [100.0, 200.0, 900.0].map(|base| group(0.03, base)).into();
        let found = drift(&drifting).expect("3 % per repeat is a drift");
        assert!((found - 0.16).abs() < 0.03, "{found}");
        let steady: Vec<_> = [100.0, 200.0, 900.0].map(|base| group(0.0, base)).into();
        assert_eq!(drift(&steady), None);
        assert_eq!(drift(&[]), None);
        assert_eq!(drift(&[vec![(0, 0.0), (1, 0.0), (2, 0.0)]]), None);
    }
}

//! Programs that are no part of the measurement and took the processors meanwhile: of one run, and of two
//! that are compared.

use crate::comparison::Comparison;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::sentences;
use words::{Metric, say};

/// The share of the machine's processors that other programs took, in per cent of all their time.
const METRIC: Metric = Metric::CpuOthers;
/// More of all processor time than this is named. The kernel's own threads, which work for the storage as
/// well, take less as a rule.
const MOST_PERCENT: f64 = 10.0;
/// Two runs whose shares lie further apart were not measured on the same machine, in effect.
const APART_MOST_PERCENT: f64 = 10.0;

/// Says of a bed that other programs held a notable share of the processors in some of its cells.
pub(super) fn caution(loaded: &LoadedRun, comparison: &Comparison, bed: &str) -> Option<String> {
    let mut worst: Option<(f64, GroupKey<'_>)> = None;
    for place in loaded.places().filter(|place| place.bed == bed) {
        let most = loaded.values(&place, METRIC).into_iter().map(|(_, share)| share).fold(0.0, f64::max);
        if most > worst.as_ref().map_or(MOST_PERCENT, |(share, _)| *share) {
            worst = Some((most, place));
        }
    }
    let (share, place) = worst?;
    Some(say!(
        "caution-others",
        percent = words::decimals(share, 0),
        bed = comparison.shown(bed),
        at = sentences::level(place.level, loaded.level_name(place.workload)),
    ))
}

/// Says of two runs that other programs took a notably different share of the processors, where it lies
/// furthest apart.
pub(crate) fn apart(above: &LoadedRun, below: &LoadedRun, comparison: &Comparison) -> Option<String> {
    let mean = |loaded: &LoadedRun, place: &GroupKey<'_>| {
        let values = loaded.values(place, METRIC);
        let sum: f64 = values.iter().map(|(_, share)| share).sum();
        (!values.is_empty()).then(|| sum / values.len() as f64)
    };
    let both = above.places().filter_map(|place| Some((mean(above, &place)?, mean(below, &place)?, place)));
    let distance = |(a, b, _): &(f64, f64, GroupKey<'_>)| (a - b).abs();
    let (run, baseline, place) = both.max_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let names = comparison.runs.as_ref()?;
    ((run - baseline).abs() > APART_MOST_PERCENT).then(|| {
        say!(
            "caution-others-apart",
            percent = words::decimals(run, 0),
            run = names.0,
            baseline_percent = words::decimals(baseline, 0),
            baseline = names.1,
            bed = comparison.shown(place.bed),
            at = sentences::level(place.level, above.level_name(place.workload)),
        )
    })
}

//! Programs that are no part of the measurement and took the processors meanwhile: of one run, and of two
//! that are compared.

use crate::comparison::Comparison;
use crate::level::LevelUnit;
use crate::loaded_run::{GroupKey, LoadedRun};
use words::{Metric, say};

/// The share of the machine's processors that other programs took, in per cent of all their time.
const METRIC: Metric = Metric::CpuOthers;
/// More of all processor time than this is named. The kernel's own threads, which work for the storage as
/// well, take less as a rule.
pub const OTHERS_MOST_PERCENT: f64 = 10.0;
/// Two runs whose shares lie further apart were not measured on the same machine, in effect.
const APART_MOST_PERCENT: f64 = 10.0;

/// Says of beds that other programs held a notable share of the processors in some of their cells.
pub(super) fn caution(loaded: &LoadedRun, comparison: &Comparison) -> Option<String> {
    let beds: Vec<String> =
        loaded.beds.iter().filter_map(|bed| of_bed(loaded, comparison, &bed.name)).collect();
    (!beds.is_empty()).then(|| say!("caution-others", beds = words::list(beds)))
}

/// The worst place of a bed, if they held so much there.
fn of_bed(loaded: &LoadedRun, comparison: &Comparison, bed: &str) -> Option<String> {
    let mut worst: Option<(f64, GroupKey<'_>)> = None;
    for place in loaded.places().filter(|place| place.bed == bed) {
        let most = loaded.values(&place, METRIC).into_iter().map(|(_, share)| share).fold(0.0, f64::max);
        if most > worst.as_ref().map_or(OTHERS_MOST_PERCENT, |(share, _)| *share) {
            worst = Some((most, place));
        }
    }
    let (share, place) = worst?;
    Some(say!(
        "caution-others-of",
        percent = words::decimals(share, 0),
        bed = comparison.shown(bed),
        at = loaded.level_name(place.workload).said(place.level),
    ))
}

/// A bed at one load of two runs during which other programs took notably different shares of the processors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Disturbed {
    pub(crate) workload: String,
    pub(crate) level: f64,
    pub(crate) level_name: LevelUnit,
    pub(crate) bed: String,
    /// Mean share of all processor time, per cent: in the judged run, and in the baseline.
    pub(crate) run_percent: f64,
    pub(crate) baseline_percent: f64,
}

impl Disturbed {
    /// The shares in words: of the judged run, and of the baseline.
    pub(crate) fn percents(&self) -> [String; 2] {
        [self.run_percent, self.baseline_percent].map(|percent| words::decimals(percent, 0))
    }

    fn distance(&self) -> f64 {
        (self.run_percent - self.baseline_percent).abs()
    }
}

/// The places at which two runs were not measured on the same machine, in effect. In virtual time no program
/// slows another.
pub(crate) fn disturbed(above: &LoadedRun, below: &LoadedRun) -> Vec<Disturbed> {
    let mean = |loaded: &LoadedRun, place: &GroupKey<'_>| {
        let values = loaded.values(place, METRIC);
        let sum: f64 = values.iter().map(|(_, share)| share).sum();
        (!values.is_empty()).then(|| sum / values.len() as f64)
    };
    let of_place = |place: GroupKey<'_>| {
        Some(Disturbed {
            workload: place.workload.to_owned(),
            level: place.level,
            level_name: above.level_name(place.workload).clone(),
            bed: place.bed.to_owned(),
            run_percent: mean(above, &place)?,
            baseline_percent: mean(below, &place)?,
        })
    };
    if above.was_virtual() || below.was_virtual() {
        return Vec::new();
    }
    above.places().filter_map(of_place).filter(|place| place.distance() > APART_MOST_PERCENT).collect()
}

/// Says of two runs that other programs took a notably different share of the processors, where it lies
/// furthest apart.
pub(crate) fn apart(comparison: &Comparison) -> Option<String> {
    let furthest = |a: &&Disturbed, b: &&Disturbed| a.distance().total_cmp(&b.distance());
    let place = comparison.disturbed.iter().max_by(furthest)?;
    let names = comparison.runs.as_ref()?;
    let [percent, baseline_percent] = place.percents();
    Some(say!(
        "caution-others-apart",
        percent,
        run = names.0,
        baseline_percent,
        baseline = names.1,
        bed = comparison.shown(&place.bed),
        at = place.level_name.said(place.level),
    ))
}

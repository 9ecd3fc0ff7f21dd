//! Completions that came later than the drive's model says, because this machine could not keep up: how many,
//! and what they do to the verdicts.

use crate::compare;
use crate::comparison::Comparison;
use crate::contrast::Contrast;
use crate::loaded_run::{GroupKey, LoadedRun, Measured};
use crate::number;
use notebook::CellState;
use words::{Limiter, LimiterFigures, Metric, say};

/// More than this share of late completions (in per cent of I/O) is named: the bed was then slower than its
/// model.
const MOST_PERCENT: f64 = 1.0;
/// The most of the callers' time that is taken off, per cent: what is left is the model's own.
const TIME_MOST_PERCENT: f64 = 99.0;

/// The beds with too many, each by its worst cell.
pub(super) fn caution(loaded: &LoadedRun, comparison: &Comparison) -> Option<String> {
    let beds: Vec<String> =
        loaded.beds.iter().filter_map(|bed| of_bed(loaded, comparison, &bed.name)).collect();
    (!beds.is_empty()).then(|| say!("caution-late", beds = words::list(beds)))
}

/// The worst cell of a bed, if it had too many.
fn of_bed(loaded: &LoadedRun, comparison: &Comparison, bed: &str) -> Option<String> {
    let valid = loaded.cells.iter().filter(|m| m.cell.bed == bed && m.cell.state == CellState::Done);
    let late = valid.filter_map(|m| Some((m, m.values.get(Metric::LateCompletions)?)));
    let late: Vec<_> = late.filter(|(_, share)| *share > MOST_PERCENT).collect();
    let (worst, share) = late.iter().max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some(say!(
        "caution-late-of",
        percent = number::plain(*share),
        bed = comparison.shown(bed),
        at = loaded.level_name(&worst.cell.workload).said(worst.cell.level),
    ))
}

/// The verdicts about throughput that late completions change.
pub(super) fn verdicts(loaded: &LoadedRun, comparison: &Comparison) -> Vec<String> {
    let is_throughput = |contrast: &&Contrast| {
        contrast.primary && loaded.kind(&contrast.workload).throughput == contrast.metric
    };
    let changed = |contrast: &Contrast| changed(loaded, comparison, contrast);
    comparison.contrasts.iter().filter(is_throughput).filter_map(changed).collect()
}

/// The sentence about one contrast, if its verdict is another one without late completions.
fn changed(loaded: &LoadedRun, comparison: &Comparison, contrast: &Contrast) -> Option<String> {
    let other = without(loaded, contrast)?;
    let mean = |bed: &str| {
        let shares: Vec<f64> =
            values(loaded, contrast, bed, Metric::LateTime).into_iter().map(|pair| pair.1).collect();
        number::plain(shares.iter().sum::<f64>() / shares.len().max(1) as f64)
    };
    let (bed, baseline) = (contrast.treatment_bed.as_str(), contrast.baseline_bed.as_str());
    Some(say!(
        "caution-late-verdict",
        at = contrast.level_name.said(contrast.level),
        bed = comparison.shown(bed),
        percent = mean(bed),
        baseline = comparison.shown(baseline),
        baseline_percent = mean(baseline),
        metric = contrast.metric.short(),
        ratio = decided(contrast),
        verdict = contrast.judged(),
        without = decided(&other),
        verdict_without = other.judged(),
    ))
}

/// `1.11x (95 % interval 1.03x to 1.20x)`: a verdict can change where the ratio does not.
fn decided(contrast: &Contrast) -> String {
    let [ratio, interval] = number::decided(&contrast.judgement);
    format!("{ratio} ({interval})")
}

/// The verdict of a contrast without late completions, where it is another one.
pub(crate) fn verdict_without(loaded: &LoadedRun, contrast: &Contrast) -> Option<String> {
    without(loaded, contrast).map(|other| other.judged())
}

/// The contrast without late completions, where its verdict is another one. Callers who never waited for one
/// would have done so much more in the time that these took: an upper bound, as nobody waits for some I/Os.
fn without(loaded: &LoadedRun, contrast: &Contrast) -> Option<Contrast> {
    let freed_values = |bed: &str| -> Vec<(u32, f64)> {
        let cells = loaded.valid(&GroupKey { workload: &contrast.workload, level: contrast.level, bed });
        let growth = |repeat: u32| cells.iter().find(|m| m.cell.repeat == repeat).map_or(1.0, |m| growth(m));
        let measured = values(loaded, contrast, bed, contrast.metric);
        measured.into_iter().map(|(repeat, value)| (repeat, value * growth(repeat))).collect()
    };
    let beds = (contrast.treatment_bed.as_str(), contrast.baseline_bed.as_str());
    let question =
        compare::question(loaded, &contrast.workload, contrast.level, contrast.shown_metric()?, beds);
    let other = crate::contrast::ask(question, &freed_values(beds.0), &freed_values(beds.1)).ok()?;
    (other.judged() != contrast.judged()).then_some(other)
}

/// The values of a metric of one bed at the place of a contrast, by repeat.
fn values(loaded: &LoadedRun, contrast: &Contrast, bed: &str, metric: Metric) -> Vec<(u32, f64)> {
    loaded.values(&GroupKey { workload: &contrast.workload, level: contrast.level, bed }, metric)
}

/// The factor by which the throughput of a cell grows without its late completions: a requested rate that was
/// kept does not change, and one that was missed is not exceeded.
fn growth(measured: &Measured) -> f64 {
    let late = measured.values.get(Metric::LateTime).unwrap_or(0.0);
    if measured.cell.limiter.as_ref().is_some_and(|name| *name == Limiter::Pacing) {
        return 1.0;
    }
    let figures = measured.cell.limiter_figures.as_ref();
    let most =
        figures.and_then(LimiterFigures::of_asked).map_or(f64::INFINITY, |share| share.recip().max(1.0));
    freed(late).min(most)
}

/// The factor without the share of the callers' time (per cent) that late completions took.
fn freed(late_percent: f64) -> f64 {
    (1.0 - late_percent.clamp(0.0, TIME_MOST_PERCENT) / 100.0).recip()
}

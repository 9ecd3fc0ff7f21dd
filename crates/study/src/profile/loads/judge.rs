//! The error of a fit at loads that it did not see: every tenth load is left out with its repeats, the drive
//! is fitted to the others, and the model predicts the ones left out in virtual time. Then the next tenth.

use measure::Histogram;

use super::super::fitted::{Errors, Fitted, errors, factor};
use super::super::load::{Direction, Load};
use super::super::shape::LoadShape;
use super::super::virtual_load::replay_load;
use super::super::worst::{Worst, worst};
use super::residuals::{Systematic, systematic};
use super::sheet::repeats;
use super::{Pains, UnfitLoads, fit};

/// Parts into which the loads are put.
const PARTS: usize = 10;
/// A shorter latency counts as this long: clocks and kernels tell no shorter ones apart, ns.
const SHORTEST_NS: f64 = 1000.0;

words::words! {
    /// The operations of a point.
    pub enum Side {
        /// Reads.
        Reads = "reads",
        /// Writes.
        Writes = "writes",
        /// Flushes.
        Flushes = "flushes",
    }
}

/// Reads, writes or flushes of one load that a fit did not see.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedPoint {
    /// The load.
    pub shape: LoadShape,
    /// Its reads, writes or flushes.
    pub side: Side,
    /// Prediction / measured - 1 of the mean latency.
    pub mean: f64,
    /// The same of the median.
    pub p50: f64,
    /// The same of the 95th percentile.
    pub p95: f64,
    /// The same of the 99th percentile; `None` with too few operations for it.
    pub p99: Option<f64>,
    /// The measured mean, p50, p95 and p99 that they were compared with, ns.
    pub measured_ns: [f64; 4],
}

/// The errors of a fit to loads, as the larger of prediction / measured and its inverse, less 1.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadJudgement {
    /// Errors of the mean latency.
    pub mean: Errors,
    /// Errors of the median.
    pub p50: Errors,
    /// Errors of the 95th percentile.
    pub p95: Errors,
    /// Errors of the 99th percentile.
    pub p99: Errors,
    /// Each predicted point.
    pub points: Vec<JudgedPoint>,
    /// Parts of the model's form that lean to one side.
    pub systematic: Vec<Systematic>,
    /// Loads that no other load says anything of: they were not judged.
    pub alone: Vec<LoadShape>,
}

impl JudgedPoint {
    /// The errors of mean, p50, p95 and p99.
    #[must_use]
    pub fn errors(&self) -> [Option<f64>; 4] {
        [Some(self.mean), Some(self.p50), Some(self.p95), self.p99]
    }
}

impl LoadJudgement {
    /// The loads that were predicted worst.
    #[must_use]
    pub fn worst(&self) -> Vec<Worst> {
        worst(self.points.iter().map(|point| (point.shape, point.side, point.errors())))
    }
}

/// Judges the fit of loads. `each` is called after each load with the number done and of all; it returns
/// false to stop, and then there is no judgement.
///
/// # Errors
/// As those of [`super::fit_loads`].
pub fn judge_loads(
    loads: &[Load],
    each: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<Option<LoadJudgement>, UnfitLoads> {
    let groups = repeats(loads);
    let all: Vec<&Load> = loads.iter().collect();
    let (whole, near) = (fit(&all, Pains::Draft)?, fit(&all, Pains::Full)?.spec);
    let (mut judged, mut alone, mut done) = (Vec::new(), Vec::new(), 0);
    for part in 0..PARTS.min(groups.len()) {
        let of_part: Vec<&Vec<&Load>> = groups.iter().skip(part).step_by(PARTS).collect();
        let without = |left_out: &[&Vec<&Load>]| -> Vec<&Load> {
            let is_out = |load: &&Load| left_out.iter().any(|group| group[0].asks_the_same(load));
            all.iter().copied().filter(|load| !is_out(load)).collect()
        };
        let (left_out, lone): (Vec<&Vec<&Load>>, Vec<&Vec<&Load>>) =
            of_part.into_iter().partition(|group| says_all(&without(&[*group]), &whole));
        alone.extend(lone.iter().map(|group| group[0].shape()));
        done += lone.iter().map(|group| group.len()).sum::<usize>();
        for batch in batches(left_out, |left_out| says_all(&without(left_out), &whole)) {
            let spec = fit(&without(&batch), Pains::Near(&near))?.spec;
            for load in batch.into_iter().flatten() {
                done += 1;
                let predicted = replay_load(&spec, load, done as u64);
                judged.extend(compared(load, &predicted));
                if !each(done, loads.len()) {
                    return Ok(None);
                }
            }
        }
    }
    Ok(Some(judgement(judged, alone)))
}

/// Groups that may be left out together: two loads that alone say a number between them must not both be
/// missing. Each group may be left out by itself.
fn batches<'g, T>(groups: Vec<&'g T>, may_miss: impl Fn(&[&'g T]) -> bool) -> Vec<Vec<&'g T>> {
    let mut batches: Vec<Vec<&T>> = Vec::new();
    for group in groups {
        let with = |batch: &Vec<&'g T>| batch.iter().copied().chain([group]).collect::<Vec<_>>();
        match batches.iter_mut().find(|batch| may_miss(&with(batch))) {
            Some(batch) => batch.push(group),
            None => batches.push(vec![group]),
        }
    }
    batches
}

/// True if these loads say every number that all loads say.
fn says_all(loads: &[&Load], whole: &Fitted) -> bool {
    let Ok(fitted) = fit(loads, Pains::Draft) else { return false };
    // Between sizes latencies are interpolated.
    let needed = whole.identified().filter(|key| !key.starts_with("read.latency_"));
    needed.into_iter().all(|key| fitted.identified().any(|known| known == key))
}

/// A point with the load that it belongs to.
pub(super) type Judged<'a> = (&'a Load, JudgedPoint);

fn compared<'a>(load: &'a Load, predicted: &Load) -> Vec<Judged<'a>> {
    let directions = [
        (Side::Reads, &load.reads, &predicted.reads),
        (Side::Writes, &load.writes, &predicted.writes),
        (Side::Flushes, &load.flushes, &predicted.flushes),
    ];
    let point = |(side, measured, predicted): (Side, &Option<Direction>, &Option<Direction>)| {
        let (measured, predicted) = (&measured.as_ref()?.latency, &predicted.as_ref()?.latency);
        let error = |of: &dyn Fn(&Histogram) -> f64| {
            of(predicted).max(SHORTEST_NS) / of(measured).max(SHORTEST_NS) - 1.0
        };
        let quantile = |quantile: f64| error(&|latency: &Histogram| latency.quantile_ns(quantile) as f64);
        let was = |quantile: f64| (measured.quantile_ns(quantile) as f64).max(SHORTEST_NS);
        Some((
            load,
            JudgedPoint {
                shape: load.shape(),
                side,
                mean: error(&Histogram::mean_ns),
                p50: quantile(0.5),
                p95: quantile(0.95),
                p99: (measured.supports(0.99) && predicted.supports(0.99)).then(|| quantile(0.99)),
                measured_ns: [measured.mean_ns().max(SHORTEST_NS), was(0.5), was(0.95), was(0.99)],
            },
        ))
    };
    directions.into_iter().filter_map(point).collect()
}

fn judgement(judged: Vec<Judged<'_>>, alone: Vec<LoadShape>) -> LoadJudgement {
    let of = |pick: fn(&JudgedPoint) -> Option<f64>| {
        let far = |error: f64| factor(error) - 1.0;
        errors(&judged.iter().filter_map(|(_, point)| pick(point).map(far)).collect::<Vec<f64>>())
    };
    LoadJudgement {
        mean: of(|point| Some(point.mean)),
        p50: of(|point| Some(point.p50)),
        p95: of(|point| Some(point.p95)),
        p99: of(|point| point.p99),
        systematic: systematic(&judged),
        points: judged.into_iter().map(|(_, point)| point).collect(),
        alone,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_that_need_each_other_are_left_out_apart() {
        let groups = [1, 2, 3, 4, 5];
        let apart = |missing: &[&i32]| !(missing.contains(&&2) && missing.contains(&&4));
        let found = batches(groups.iter().collect(), apart);
        assert_eq!(found, [vec![&1, &2, &3, &5], vec![&4]]);
        assert!(batches(Vec::<&i32>::new(), |_| true).is_empty());
    }
}

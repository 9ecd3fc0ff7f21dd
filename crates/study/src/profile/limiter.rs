//! A limit or a queue: token buckets told from drives by what they do at their highest rate.
//!
//! Both hold the rate at a plateau. Three things tell them apart. A bucket with a burst steps down: more
//! passes until it is empty, and from then on exactly its rate (a drive has no such step in reads). A limiter
//! that works in slices passes some operations at once and holds the others, so that the latencies fall into
//! two modes with nothing between. A steady bucket without a burst bends the ladder of depths at a sharp
//! knee: below it, no operation waits at all, whereas the units of a drive make operations wait long before
//! the drive is full (mean value analysis: `device::reads_per_s_at`).

use measure::Histogram;

use super::course::{Course, course};

/// Operations at a depth that keeps the target full, from its rest on.
#[derive(Clone, Debug)]
pub struct Completed {
    /// Bytes of each operation.
    pub block_bytes: u32,
    /// Outstanding operations.
    pub depth: u32,
    /// True for reads. A step in writes may be a write cache as well.
    pub is_read: bool,
    /// Seconds of one interval.
    pub interval_s: f64,
    /// Operations completed in each interval.
    pub counts: Vec<f64>,
    /// Latencies of the last third of the time.
    pub latency: Histogram,
    /// Operations per second at each depth, ascending, in short runs long after the rest; the first is depth
    /// 1.
    pub ladder: Vec<(u32, f64)>,
}

/// The thing that a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Operations.
    Operations,
    /// Bytes.
    Bytes,
}

/// A limit as fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FittedLimit {
    /// The counted unit: operations or bytes.
    pub counts: Shape,
    /// The sustained rate, per second.
    pub per_s: f64,
    /// The amount that passes beyond that from a full bucket; 0 without a step.
    pub burst: f64,
    /// The slice in which the limiter works, as each of the two loads shows it by latencies of two modes with
    /// nothing between, s; `None` without them.
    pub slices_s: [Option<f64>; 2],
}

impl FittedLimit {
    /// The slice by all that show one: their mean, the least and the greatest, s.
    #[must_use]
    pub fn slice_s(&self) -> Option<(f64, f64, f64)> {
        let shown = || self.slices_s.into_iter().flatten();
        let count = shown().count();
        let (low, high) = (shown().fold(f64::INFINITY, f64::min), shown().fold(0.0, f64::max));
        (count > 0).then(|| (shown().sum::<f64>() / count as f64, low, high))
    }

    /// True if both loads show the same slice, as a queue or a cache that fills would not.
    #[must_use]
    pub fn is_sliced(&self) -> bool {
        matches!(self.slices_s, [Some(one), Some(other)] if (one / other - 1.0).abs() <= SLICE_SAME)
    }
}

/// Each of two modes holds this share of the operations at least.
const MODE: f64 = 0.01;
/// The empty middle reaches over this factor of latency,
const MIDDLE: f64 = 3.0;
/// and holds less than this share of the operations.
const EMPTY: f64 = 0.002;
/// Depths in units of the knee, plateau / rate at depth 1, at which a limit and units differ most: the limit
/// is reached, and units still wait for each other. By mean value analysis ten units do 0.75 to 0.96 of the
/// plateau there. The two are a factor of 2 apart, so that one depth of a ladder of powers of 2 lies between
/// them.
const BEYOND_KNEE: (f64, f64) = (1.6, 3.2);
/// Share of the plateau that is reached there behind a limit.
const SHARP: f64 = 0.985;
/// The knee of a limit lies beyond this depth: one server of constant time fills at depth 1 as well.
const KNEE_LEAST: f64 = 2.0;
/// Two rates are the same limit within this share.
const SAME: f64 = 0.03;
/// Two slices are the same within this share.
const SLICE_SAME: f64 = 0.2;

/// The limit that these loads of two block sizes have run into, if it is one: both give the same operations
/// per second, or the same bytes per second. One load alone cannot tell what is counted and gives no limit.
#[must_use]
pub fn find_limit(small: &Completed, large: &Completed) -> Option<FittedLimit> {
    let (one, other) = (plateau(small)?, plateau(large)?);
    let same = |a: f64, b: f64| (a / b - 1.0).abs() <= SAME;
    let sizes = (f64::from(small.block_bytes), f64::from(large.block_bytes));
    if sizes.0 == sizes.1 {
        return None;
    }
    // The loads of one size may have no depth near the knee: the same rate says as much beside the other's.
    let signs = [is_limit(small, &one), is_limit(large, &other)];
    let is_limit = signs.contains(&Some(true)) && !signs.contains(&Some(false));
    if same(one.per_s, other.per_s) && is_limit {
        return Some(fitted(Shape::Operations, [&one, &other], 1.0));
    }
    // An interface counts bytes as a limit does, so only a step or two modes prove one.
    let is_proven =
        |load: &Completed, plateau: &Plateau| has_step(load, plateau) || plateau.slice_s.is_some();
    if same(one.per_s * sizes.0, other.per_s * sizes.1) && is_proven(large, &other) && is_proven(small, &one)
    {
        return Some(fitted(Shape::Bytes, [&other, &one], sizes.1));
    }
    None
}

/// The limit by the first of two plateaus.
fn fitted(counts: Shape, [plateau, other]: [&Plateau; 2], units: f64) -> FittedLimit {
    FittedLimit {
        counts,
        per_s: plateau.per_s * units,
        burst: plateau.burst * units,
        slices_s: [plateau.slice_s, other.slice_s],
    }
}

/// The lasting rate of a load, what passed beyond it, and its latencies.
struct Plateau {
    per_s: f64,
    burst: f64,
    /// The slice of a limiter, s: each holds all outstanding operations once, and these are the slow mode.
    slice_s: Option<f64>,
}

/// The plateau at the end of a load; `None` while the rate still changes.
fn plateau(load: &Completed) -> Option<Plateau> {
    let Course { per_s, beyond, .. } = course(&load.counts, load.interval_s)?;
    let slow = slow_share(&load.latency);
    Some(Plateau { per_s, burst: beyond, slice_s: slow.map(|share| f64::from(load.depth) / share / per_s) })
}

/// True if the load shows a limit, false if it shows a queue; `None` if it shows neither.
fn is_limit(load: &Completed, plateau: &Plateau) -> Option<bool> {
    let is_sure = plateau.slice_s.is_some() || has_step(load, plateau);
    if is_sure { Some(true) } else { has_sharp_knee(load, plateau) }
}

/// A burst of more than what one depth of operations makes, in reads: writes also step down where a cache is
/// full.
fn has_step(load: &Completed, plateau: &Plateau) -> bool {
    load.is_read && plateau.burst > 2.0 * f64::from(load.depth)
}

/// The share of the slow mode, where latencies have two modes with nothing between.
fn slow_share(latency: &Histogram) -> Option<f64> {
    let all = latency.len() as f64;
    let (mut below, mut last_ns) = (0.0, None::<f64>);
    let values: Vec<(f64, f64)> = latency.recorded().map(|(ns, count)| (ns as f64, count as f64)).collect();
    for (index, (ns, count)) in values.iter().enumerate() {
        if let Some(before_ns) = last_ns {
            // The widest stretch from the last mode on that holds next to nothing.
            let mut within = 0.0;
            for (upper_ns, upper_count) in &values[index..] {
                if *upper_ns >= MIDDLE * before_ns {
                    let above = all - below - within;
                    if below >= MODE * all && above >= MODE * all {
                        return Some(above / all);
                    }
                    break;
                }
                within += upper_count;
                if within > EMPTY * all {
                    break;
                }
            }
        }
        below += count;
        last_ns = Some(*ns);
    }
    None
}

/// True if the plateau is reached as soon as there are operations enough; `None` without a depth at which
/// that could be seen.
fn has_sharp_knee(load: &Completed, plateau: &Plateau) -> Option<bool> {
    let &(1, alone_per_s) = load.ladder.first()? else { return None };
    let knee = plateau.per_s / alone_per_s;
    let beyond = BEYOND_KNEE.0 * knee..=BEYOND_KNEE.1 * knee;
    let near: Vec<f64> = load
        .ladder
        .iter()
        .filter(|(depth, _)| beyond.contains(&f64::from(*depth)))
        .map(|(_, per_s)| *per_s)
        .collect();
    let is_plateau = load.ladder.last().is_some_and(|(_, per_s)| *per_s <= plateau.per_s * (1.0 + SAME));
    let is_sharp =
        knee >= KNEE_LEAST && is_plateau && near.iter().all(|per_s| *per_s >= SHARP * plateau.per_s);
    (!near.is_empty()).then_some(is_sharp)
}

/// The weight b of one budget that both directions share, reads/s + b x write MB/s = R, and R: the least
/// squares line through the plateaus of several mixes. `None` with fewer than three mixes, and where no line
/// fits within 3 %: then there is no shared budget.
#[must_use]
pub fn shared_budget(mixes: &[(f64, f64)]) -> Option<(f64, f64)> {
    if mixes.len() < 3 {
        return None;
    }
    // reads / R + write / W = 1, each mix of equal weight.
    let (mut rr, mut rw, mut ww, mut r1, mut w1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (reads, write) in mixes {
        rr += reads * reads;
        rw += reads * write;
        ww += write * write;
        r1 += reads;
        w1 += write;
    }
    let determinant = rr * ww - rw * rw;
    let (per_read, per_write) = ((r1 * ww - w1 * rw) / determinant, (w1 * rr - r1 * rw) / determinant);
    let fits = |(reads, write): &(f64, f64)| (per_read * reads + per_write * write - 1.0).abs() <= SAME;
    let is_budget = per_read > 0.0 && per_write > 0.0 && mixes.iter().all(fits);
    is_budget.then(|| (per_write / per_read, 1.0 / per_read))
}

#[cfg(test)]
mod tests;

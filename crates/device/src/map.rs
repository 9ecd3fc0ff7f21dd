//! Read latency as a map over the load: its median and 95th percentile at measured read and write rates.
//!
//! Real drives interfere in ways that no formula of a few numbers follows. A drive whose latency was measured
//! over many rates answers by that map: each read is drawn from the distribution at the rates of the recent
//! past. Between two points the logarithm of the latency is interpolated; outside of the map its edge counts,
//! and the drive's limits say that it takes no more.

mod exponential;
mod fill;

use std::fmt;
use std::sync::LazyLock;

use crate::draw::{Normal, normal};
use exponential::exp2;

/// Standard normal z at 0.95.
const NORMAL_P95: f64 = 1.644_853_626_951_472_7;
const NS_PER_S: f64 = 1e9;
/// Operations at the map's highest rate over which rates are averaged: enough that chance moves a rate by
/// less than a step of a map of 20 steps (20 / sqrt(2 x 200)).
const OPERATIONS: f64 = 200.0;
/// Bytes of the writes that a map is measured beside.
const WRITE_BYTES: f64 = 131_072.0;
/// Bounds of the time over which rates are averaged.
const WINDOW_NS: (f64, f64) = (1e6, 2e9);
/// Longest latency that a map may hold, ns, about a minute: as every time of the model.
pub(crate) const LATENCY_MAX_NS: f64 = 60e9;
/// Shortest latency that a map may hold, ns.
pub(crate) const LATENCY_MIN_NS: f64 = 1.0;
/// More points on one axis than any measurement has.
pub(crate) const AXIS_MAX: usize = 1024;

/// Read latency over read rate and write bandwidth.
#[derive(Clone)]
pub struct ReadMap {
    /// Reads per second, ascending, two or more.
    pub reads_per_s: Vec<f64>,
    /// Bytes written per second, ascending, one or more.
    pub write_bytes_per_s: Vec<f64>,
    /// Median of the reads, ns: for each write bandwidth a row over the read rates. Not a number where none
    /// is known; negative where the drive did not keep the load, so that the value is that of a growing
    /// queue.
    pub p50_ns: Vec<f64>,
    /// 95th percentile of the reads, ns, likewise.
    pub p95_ns: Vec<f64>,
}

/// Unknown points are alike.
impl PartialEq for ReadMap {
    fn eq(&self, other: &ReadMap) -> bool {
        let lists = |map: &ReadMap| {
            [&map.reads_per_s, &map.write_bytes_per_s, &map.p50_ns, &map.p95_ns].map(|list| list.to_vec())
        };
        let same = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
        lists(self).iter().zip(&lists(other)).all(|(a, b)| a.len() == b.len() && a.iter().zip(b).all(same))
    }
}

/// Its size: hundreds of numbers help nobody.
impl fmt::Debug for ReadMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReadMap({} x {} points)", self.write_bytes_per_s.len(), self.reads_per_s.len())
    }
}

impl ReadMap {
    /// True if axes and values fit together and are possible.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let axis = |axis: &[f64], least: usize| {
            (least..=AXIS_MAX).contains(&axis.len())
                && axis.iter().all(|value| value.is_finite() && *value >= 0.0)
                && axis.windows(2).all(|pair| pair[0] < pair[1])
        };
        let cells = self.reads_per_s.len() * self.write_bytes_per_s.len();
        let known = |value: &&f64| !value.is_nan();
        let possible = |value: &f64| (LATENCY_MIN_NS..=LATENCY_MAX_NS).contains(&value.abs());
        let fit = |p50: f64, p95: f64| {
            let both_unknown = p50.is_nan() && p95.is_nan();
            both_unknown || (p95.abs() >= p50.abs() && (p50 < 0.0) == (p95 < 0.0))
        };
        axis(&self.reads_per_s, 2)
            && axis(&self.write_bytes_per_s, 1)
            && self.p50_ns.len() == cells
            && self.p95_ns.len() == cells
            && self.p50_ns.iter().chain(&self.p95_ns).filter(known).all(possible)
            && self.p50_ns.iter().zip(&self.p95_ns).all(|(p50, p95)| fit(*p50, *p95))
            && self.p50_ns.iter().any(|value| *value > 0.0)
    }

    /// The values at one write bandwidth (`row`) and read rate (`column`), ns, where the drive kept the load.
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> Option<(f64, f64)> {
        self.measured(row, column).filter(|_| self.is_kept(row, column))
    }

    /// The values at a point, whether or not the drive kept the load.
    #[must_use]
    pub fn measured(&self, row: usize, column: usize) -> Option<(f64, f64)> {
        let index = row * self.reads_per_s.len() + column;
        let (p50, p95) = (self.p50_ns.get(index)?.abs(), self.p95_ns.get(index)?.abs());
        (!p50.is_nan()).then_some((p50, p95))
    }

    /// False where the drive is known not to have kept the load.
    fn is_kept(&self, row: usize, column: usize) -> bool {
        self.p50_ns
            .get(row * self.reads_per_s.len() + column)
            .is_some_and(|value| *value >= 0.0 || value.is_nan())
    }
}

/// The distribution at one point: median and spread in binary logarithms.
#[derive(Clone, Copy, Debug)]
struct Spot {
    median: f64,
    spread: f64,
}

/// A map in use.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    reads: Axis,
    writes: Axis,
    spots: Box<[Spot]>,
    read_rate: Rate,
    write_rate: Rate,
    normal: &'static Normal,
}

impl Loaded {
    pub(crate) fn new(map: &ReadMap) -> Loaded {
        let spots = spots(map);
        let highest = |axis: &[f64]| axis.last().copied().unwrap_or(0.0);
        Loaded {
            reads: Axis::new(&map.reads_per_s),
            writes: Axis::new(&map.write_bytes_per_s),
            spots,
            read_rate: Rate::new(highest(&map.reads_per_s)),
            write_rate: Rate::new(highest(&map.write_bytes_per_s) / WRITE_BYTES),
            normal: LazyLock::force(normal()),
        }
    }

    /// Notes a write at `now_ns`.
    #[inline]
    pub(crate) fn write(&mut self, now_ns: u64, len: u32) {
        self.write_rate.add(now_ns, f64::from(len));
    }

    /// Latency of a read at `now_ns`, drawn by `random`; the read is noted.
    #[inline]
    pub(crate) fn read(&mut self, now_ns: u64, random: u64) -> u64 {
        let (column, right) = self.reads.place(self.read_rate.at(now_ns));
        let (row, below) = self.writes.place(self.write_rate.at(now_ns));
        self.read_rate.add(now_ns, 1.0);
        let columns = self.reads.points.len();
        let row_below = if row + 1 < self.writes.points.len() { row + 1 } else { row };
        let spot = |row: usize, column: usize| self.spots[row * columns + column];
        let along = |row: usize| spot(row, column).towards(spot(row, column + 1), right);
        let here = along(row).towards(along(row_below), below);
        exp2(here.median + here.spread * self.normal.draw(random)) as u64
    }
}

impl Spot {
    #[inline]
    fn towards(self, other: Spot, share: f64) -> Spot {
        Spot {
            median: self.median + (other.median - self.median) * share,
            spread: self.spread + (other.spread - self.spread) * share,
        }
    }
}

/// The logarithms of a map, with unknown points filled.
fn spots(map: &ReadMap) -> Box<[Spot]> {
    let spot = |(p50, p95): (f64, f64)| Spot {
        median: p50.max(LATENCY_MIN_NS).log2(),
        spread: (p95 / p50).max(1.0).log2() / NORMAL_P95,
    };
    fill::filled(map).into_iter().map(spot).collect()
}

/// One axis of a map.
#[derive(Clone, Debug)]
struct Axis {
    points: Box<[f64]>,
    /// Points per unit, for the first guess of a place: exact on an even axis.
    density: f64,
}

impl Axis {
    fn new(points: &[f64]) -> Axis {
        let span = points.last().copied().unwrap_or(0.0) - points.first().copied().unwrap_or(0.0);
        let density = if span > 0.0 { (points.len() - 1) as f64 / span } else { 0.0 };
        Axis { points: points.into(), density }
    }

    /// The point at or below `value` and the share of the way to the next; the ends beyond them.
    #[inline]
    fn place(&self, value: f64) -> (usize, f64) {
        let last = self.points.len() - 1;
        if last == 0 || value <= self.points[0] {
            return (0, 0.0);
        }
        if value >= self.points[last] {
            return (last - 1, 1.0);
        }
        let mut at = (((value - self.points[0]) * self.density) as usize).min(last - 1);
        while self.points[at] > value {
            at -= 1;
        }
        while self.points[at + 1] <= value {
            at += 1;
        }
        (at, (value - self.points[at]) / (self.points[at + 1] - self.points[at]))
    }
}

/// A rate of the recent past, which forgets exponentially.
#[derive(Clone, Debug)]
struct Rate {
    per_s: f64,
    seen_ns: u64,
    /// 1 / (16 x window).
    forgetting: f64,
    window_s: f64,
}

impl Rate {
    fn new(highest_per_s: f64) -> Rate {
        let window_ns = (OPERATIONS / highest_per_s * NS_PER_S).clamp(WINDOW_NS.0, WINDOW_NS.1);
        Rate { per_s: 0.0, seen_ns: 0, forgetting: 1.0 / (16.0 * window_ns), window_s: window_ns / NS_PER_S }
    }

    /// The rate as of `now_ns`. About exp(-x), by (1 - x/16)^16.
    #[inline]
    fn at(&mut self, now_ns: u64) -> f64 {
        let passed_ns = now_ns.saturating_sub(self.seen_ns);
        if passed_ns > 0 {
            let left = (1.0 - passed_ns as f64 * self.forgetting).max(0.0);
            let left_2 = left * left;
            let left_4 = left_2 * left_2;
            let left_8 = left_4 * left_4;
            self.per_s *= left_8 * left_8;
            self.seen_ns = now_ns;
        }
        self.per_s
    }

    #[inline]
    fn add(&mut self, now_ns: u64, amount: f64) {
        self.at(now_ns);
        self.per_s += amount / self.window_s;
    }
}

#[cfg(test)]
mod tests;

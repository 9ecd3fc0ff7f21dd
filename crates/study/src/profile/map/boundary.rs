//! The most that a drive does: one budget that reads and writes share, from the points at which it kept up
//! and those at which it did not.

use super::{Cell, LatencyMap};

/// reads/s / `reads_per_s` + bytes/s / `write_bytes_per_s` <= 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Budget {
    /// Reads per second alone.
    pub(super) reads_per_s: f64,
    pub(super) reads_interval: (f64, f64),
    /// Bytes written per second alone.
    pub(super) write_bytes_per_s: f64,
    pub(super) write_interval: (f64, f64),
}

/// Directions of the line that are tried. The last ones charge reads, or writes, almost nothing.
const DIRECTIONS: usize = 200;

/// A point in shares of the map's highest rates, and whether the drive kept up there.
#[derive(Clone, Copy)]
struct Point {
    reads: f64,
    writes: f64,
    kept_up: bool,
}

/// The line that tells the two kinds of points apart with the fewest on the wrong side; `None` when the drive
/// kept up everywhere.
pub(super) fn budget(map: &LatencyMap) -> Option<Budget> {
    let highest = |axis: &[f64]| axis.last().copied().unwrap_or(0.0);
    let (reads_max, writes_max) = (highest(&map.reads_per_s), highest(&map.write_bytes_per_s));
    let kept = map.kept_up();
    let points: Vec<Point> = map
        .places()
        .filter(|(row, column)| *column > 0 && map.cell(*row, *column) != Cell::Hidden)
        .map(|(row, column)| Point {
            reads: map.reads_per_s[column] / reads_max,
            writes: if writes_max > 0.0 { map.write_bytes_per_s[row] / writes_max } else { 0.0 },
            kept_up: kept[row * map.columns() + column],
        })
        .collect();
    if points.iter().all(|point| point.kept_up) {
        return None;
    }
    let half_step = |points: usize| 0.5 / (points.max(2) - 1) as f64;
    let steps = (half_step(map.columns()), half_step(map.rows()));
    // A map without writes says nothing about them.
    let directions = if writes_max > 0.0 { 1..DIRECTIONS } else { 0..1 };
    let tried: Vec<(f64, usize, f64)> = directions
        .map(|direction| {
            let share = direction as f64 / DIRECTIONS as f64;
            let (wrong, threshold) = split(&points, share, steps);
            (share, wrong, threshold)
        })
        .collect();
    let fewest = tried.iter().map(|(_, wrong, _)| *wrong).min()?;
    let line = |(share, _, threshold): (f64, usize, f64)| {
        (threshold * reads_max / (1.0 - share), threshold * writes_max / share.max(f64::MIN_POSITIVE))
    };
    // Of the directions that are equally good, the one in the middle; those that are almost as good make the
    // interval.
    let best: Vec<(f64, usize, f64)> = tried.iter().copied().filter(|tried| tried.1 == fewest).collect();
    let (reads_per_s, write_bytes_per_s) = line(best[best.len() / 2]);
    let near = tried.iter().copied().filter(|tried| tried.1 <= fewest + 1).map(line);
    let start = ((reads_per_s, reads_per_s), (write_bytes_per_s, write_bytes_per_s));
    let widen = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
    let (reads_interval, write_interval) =
        near.fold(start, |(reads, writes), (r, w)| (widen(reads, r), widen(writes, w)));
    Some(Budget { reads_per_s, reads_interval, write_bytes_per_s, write_interval })
}

/// Points on the wrong side of the best line in a direction, and the line's place. The line is moved out
/// until no point at which the drive kept up lies beyond it: the model would lose what the drive did.
fn split(points: &[Point], share: f64, (reads_step, writes_step): (f64, f64)) -> (usize, f64) {
    let load = |point: &Point| (1.0 - share) * point.reads + share * point.writes;
    let mut sorted: Vec<(f64, bool)> = points.iter().map(|point| (load(point), point.kept_up)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    // With the line below all points, those that kept up are wrong.
    let mut wrong = sorted.iter().filter(|(_, kept_up)| *kept_up).count();
    let mut best = wrong;
    for (_, kept_up) in &sorted {
        wrong = if *kept_up { wrong - 1 } else { wrong + 1 };
        best = best.min(wrong);
    }
    let outermost = sorted.iter().filter(|(_, kept_up)| *kept_up).map(|(load, _)| *load).fold(0.0, f64::max);
    (best, outermost + (1.0 - share) * reads_step + share * writes_step)
}

//! Points of a map that are not known.
//!
//! The latency of a queue grows like 1 / (1 - load), so its reciprocal falls in a straight line with the load
//! (M/M/1; Pollaczek and Khinchine for other service times). Between known points reciprocals are therefore
//! interpolated along both axes, and the median of the two lines and of the neighbours is taken, so that one
//! odd neighbour does no harm. Where the known points end, latency does not fall with the load: such a point
//! has that of its slower neighbour at less load.

use super::ReadMap;

/// A known neighbour: its distance in the units of its axis, and the reciprocal of its latency.
type Neighbour = (f64, f64);

/// Median and 95th percentile of every point, ns.
pub(super) fn filled(map: &ReadMap) -> Vec<(f64, f64)> {
    let (rows, columns) = (map.write_bytes_per_s.len(), map.reads_per_s.len());
    let mut values: Vec<Option<(f64, f64)>> = Vec::with_capacity(rows * columns);
    for row in 0..rows {
        for column in 0..columns {
            // Of a growing queue the map says how slow its neighbours are; its own wait is that of the
            // limits.
            let is_unknown = map.measured(row, column).is_none();
            values.push(map.at(row, column).or_else(|| between(map, row, column).filter(|_| is_unknown)));
        }
    }
    for index in 0..values.len() {
        let left = (!index.is_multiple_of(columns)).then(|| values[index - 1]).flatten();
        let above = index.checked_sub(columns).and_then(|above| values[above]);
        let slower = |a: (f64, f64), b: (f64, f64)| if a.0 < b.0 { b } else { a };
        let neighbour = match (left, above) {
            (Some(left), Some(above)) => Some(slower(left, above)),
            (left, above) => left.or(above),
        };
        values[index] = values[index].or(neighbour);
    }
    // The remaining points have no known one at less load: the first known one.
    let first =
        values.iter().flatten().next().copied().unwrap_or((super::LATENCY_MIN_NS, super::LATENCY_MIN_NS));
    values.into_iter().map(|value| value.unwrap_or(first)).collect()
}

/// The values of an unknown point with known ones on both sides of it, along either axis.
fn between(map: &ReadMap, row: usize, column: usize) -> Option<(f64, f64)> {
    let p50_ns = percentile(map, (row, column), |(p50_ns, _)| p50_ns)?;
    let p95_ns = percentile(map, (row, column), |(_, p95_ns)| p95_ns)?;
    Some((p50_ns, p95_ns.max(p50_ns)))
}

fn percentile(map: &ReadMap, (row, column): (usize, usize), of: fn((f64, f64)) -> f64) -> Option<f64> {
    let (writes, reads) = (&map.write_bytes_per_s, &map.reads_per_s);
    let along =
        |other: usize| Some(((reads[other] - reads[column]).abs(), 1.0 / of(map.measured(row, other)?)));
    let across =
        |other: usize| Some(((writes[other] - writes[row]).abs(), 1.0 / of(map.measured(other, column)?)));
    let sides: [Option<Neighbour>; 4] = [
        (0..column).rev().find_map(along),
        (column + 1..reads.len()).find_map(along),
        (0..row).rev().find_map(across),
        (row + 1..writes.len()).find_map(across),
    ];
    let line = |one: Option<Neighbour>, other: Option<Neighbour>| {
        let ((near, a), (far, b)) = (one?, other?);
        Some((a * far + b * near) / (near + far))
    };
    let reciprocal = match (line(sides[0], sides[1]), line(sides[2], sides[3])) {
        (Some(along), Some(across)) => {
            let all = median(sides.iter().flatten().map(|(_, value)| *value).collect());
            median(vec![along, across, all])
        }
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return None,
    };
    Some(1.0 / reciprocal)
}

/// The median of at least one value.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overloaded_point_slows_its_unknown_neighbour_and_waits_at_the_limits_itself() {
        let unknown = f64::NAN;
        let map = ReadMap {
            reads_per_s: vec![0.0, 1.0, 2.0],
            write_bytes_per_s: vec![0.0],
            p50_ns: vec![100.0, unknown, -300.0],
            p95_ns: vec![200.0, unknown, -600.0],
        };
        let filled = filled(&map);
        assert!((filled[1].0 - 150.0).abs() < 0.1 && filled[2] == filled[1], "{filled:?}");
    }

    #[test]
    fn a_point_between_others_is_that_of_a_queue_and_one_beyond_them_is_not_faster() {
        let unknown = f64::NAN;
        let map = ReadMap {
            reads_per_s: vec![0.0, 1.0, 2.0, 3.0],
            write_bytes_per_s: vec![0.0, 1.0],
            p50_ns: vec![100.0, unknown, 200.0, unknown, 300.0, 400.0, unknown, unknown],
            p95_ns: vec![200.0, unknown, 400.0, unknown, 600.0, 800.0, unknown, unknown],
        };
        let filled = filled(&map);
        // 1 / ((1/100 + 1/200) / 2), and no line across.
        assert!((filled[1].0 - 133.3).abs() < 0.1 && (filled[1].1 - 266.7).abs() < 0.1, "{filled:?}");
        assert_eq!((filled[3], filled[6], filled[7]), ((200.0, 400.0), (400.0, 800.0), (400.0, 800.0)));
    }
}

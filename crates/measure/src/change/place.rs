//! The place of a change.

use super::SEGMENT_LEAST;

/// Costs that differ by less than this share of the largest one are alike.
const ROUNDING: f64 = 1e-12;

/// The place of the step in values: the index of the first value after it, with two or more on each side.
///
/// It is the maximum likelihood estimate of a step in noise of Laplace's distribution: the split with the
/// least sum of absolute distances of the values from the median of their side (Bai 1995, "Least absolute
/// deviation estimation of a shift"). One odd run weighs little. Distances are of logarithms, or of the
/// values where one is not positive. `None` where no split leaves enough values.
pub(super) fn step(values: &[f64]) -> Option<usize> {
    let is_positive = values.iter().all(|value| *value > 0.0);
    let scaled: Vec<f64> = values.iter().map(|value| if is_positive { value.ln() } else { *value }).collect();
    let before = spreads(scaled.iter());
    let after = spreads(scaled.iter().rev());
    let near = ROUNDING * before.last()?;
    let mut best: Option<(usize, f64)> = None;
    for at in SEGMENT_LEAST..(values.len() + 1).saturating_sub(SEGMENT_LEAST) {
        let cost = before[at] + after[values.len() - at];
        if best.is_none_or(|(_, least)| cost < least - near) {
            best = Some((at, cost));
        }
    }
    best.map(|(at, _)| at)
}

/// The sum of the distances from the median of the first 0, 1, 2 ... values.
fn spreads<'a>(values: impl Iterator<Item = &'a f64>) -> Vec<f64> {
    let mut sorted: Vec<f64> = Vec::new();
    let mut spreads = vec![0.0];
    for value in values {
        sorted.insert(sorted.partition_point(|other| other < value), *value);
        let half = sorted.len() / 2;
        let (low, high) = (&sorted[..half], &sorted[sorted.len() - half..]);
        spreads.push(high.iter().sum::<f64>() - low.iter().sum::<f64>());
    }
    spreads
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_placed_where_the_spread_within_its_sides_is_least() {
        assert_eq!(spreads([1.0, 5.0, 2.0, 2.0].iter()), [0.0, 0.0, 4.0, 4.0, 4.0]);
        assert_eq!(step(&[1.0, 1.0, 5.0, 5.0, 5.0]), Some(2));
        assert_eq!(step(&[0.0, 0.0, 0.0, 7.0, 0.0, 9.0, 9.0, 9.0]), Some(5), "an odd value weighs little");
        assert_eq!((step(&[1.0, 2.0, 3.0]), step(&[])), (None, None));
    }
}

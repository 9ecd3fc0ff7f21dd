//! Tests for a change by ranks: of the best split, and of the best window against all that is around it.

use super::SEGMENT_LEAST;
use ground::Random;
use std::ops::Range;

/// Orders that are drawn for the test of one part: enough that chance moves a p near its limit by a tenth of
/// it only.
const SHUFFLES: u32 = 9999;
/// Orders after which a clear answer stands: with a p of 0.01, no more than one of them would be as good in
/// one of 2,000 cases (Poisson with a mean of 10).
const SHUFFLES_CLEAR: u32 = 999;
const CLEAR_MOST: u32 = 1;
/// Orders for the test of a known change between its neighbours, whose limit is larger.
const SHUFFLES_BESIDE: u32 = 1999;
/// Sums of squares of ranks that differ by less are alike.
const ROUNDING: f64 = 1e-6;
/// Places at which a window may begin or end. Longer histories are searched on a grid of so many: the number
/// of windows grows with its square, and [`super::settle`] finds the exact places.
const EDGES_MOST: usize = 128;

/// p of the best split of ranks, if it is `most` or less. `seed` makes the orders.
pub(super) fn p_of_split(ranks: &[f64], seed: u64, most: f64) -> Option<f64> {
    let spans = Spans::splits(ranks.len());
    p(&spans, ranks, &mut Random::new(seed), (SHUFFLES, most)).ok()
}

/// The best window of ranks and its p, if it is `most` or less.
pub(super) fn window(ranks: &[f64], seed: u64, most: f64) -> Option<(Range<usize>, f64)> {
    let spans = Spans::windows(ranks.len());
    let p = p(&spans, ranks, &mut Random::stream(seed, 1), (SHUFFLES, most)).ok()?;
    spans.best(ranks, &mut Vec::new()).map(|(window, _)| (window, p))
}

/// True if the best window of ranks explains more than the best split, by more than a second change costs:
/// n ln(rest beside the split / rest beside the window) > 3 ln n, the modified criterion of Bayes (Zhang and
/// Siegmund 2007, "A modified Bayes information criterion", which counts a change as three halves of ln n on
/// the scale of a log-likelihood, half of this one).
pub(super) fn is_window_likelier(ranks: &[f64]) -> bool {
    let middle = f64::midpoint(ranks.len() as f64, 1.0);
    let total: f64 = ranks.iter().map(|rank| (rank - middle).powi(2)).sum();
    let mut sums = Vec::new();
    let mut rest =
        |spans: &Spans| spans.best(ranks, &mut sums).map(|(_, between)| (total - between).max(0.0));
    let (Some(split), Some(window)) = (rest(&Spans::splits(ranks.len())), rest(&Spans::windows(ranks.len())))
    else {
        return false;
    };
    let count = ranks.len() as f64;
    split > ROUNDING && count * (split / window.max(ROUNDING)).ln() > 3.0 * count.ln()
}

/// p of the best split of ranks, if it is larger than `most`: then at least that.
pub(super) fn is_open(ranks: &[f64], seed: u64, most: f64) -> Option<f64> {
    p(&Spans::splits(ranks.len()), ranks, &mut Random::stream(seed, 2), (SHUFFLES_BESIDE, most)).err()
}

/// p of the best span, by permutation: the share of random orders of the same ranks with one as good
/// (Phipson and Smyth 2010: the order as found is one of them). `Err` if it is larger than `most`: orders are
/// drawn no further than until that is certain, so that the number is a lower bound. A clear answer stands
/// earlier, too.
fn p(spans: &Spans, ranks: &[f64], random: &mut Random, (orders, most): (u32, f64)) -> Result<f64, f64> {
    let mut sums = Vec::with_capacity(ranks.len() + 1);
    let Some((_, statistic)) = spans.best(ranks, &mut sums).filter(|(_, between)| *between > ROUNDING) else {
        return Err(1.0);
    };
    let share = |as_large: u32, of: u32| f64::from(as_large + 1) / f64::from(of + 1);
    let mut shuffled = ranks.to_vec();
    let mut as_large = 0;
    for drawn in 1..=orders {
        random.shuffle(&mut shuffled);
        as_large += u32::from(
            spans.best(&shuffled, &mut sums).is_some_and(|(_, other)| other >= statistic - ROUNDING),
        );
        if share(as_large, orders) > most {
            return Err(share(as_large, drawn));
        }
        if drawn == SHUFFLES_CLEAR && as_large <= CLEAR_MOST {
            return Ok(share(as_large, drawn));
        }
    }
    Ok(share(as_large, orders))
}

/// The spans of a part that are tried against the rest of it.
struct Spans {
    /// Places at which one may begin, and end.
    starts: Vec<usize>,
    ends: Vec<usize>,
    /// By the length of a span, what its squared sum of ranks about their mean is multiplied with to be the
    /// sum of squares between it and the rest: n / (length (n - length)).
    weights: Vec<f64>,
}

impl Spans {
    fn new(length: usize, starts: Vec<usize>, ends: Vec<usize>) -> Spans {
        let weight = |span: usize| match span >= SEGMENT_LEAST && span + SEGMENT_LEAST <= length {
            true => length as f64 / (span as f64 * (length - span) as f64),
            false => 0.0,
        };
        Spans { starts, ends, weights: (0..=length).map(weight).collect() }
    }

    /// Everything up to a place.
    fn splits(length: usize) -> Spans {
        let ends = SEGMENT_LEAST..(length + 1).saturating_sub(SEGMENT_LEAST);
        Spans::new(length, vec![0], ends.collect())
    }

    /// Everything between two places, with enough values before and after it.
    fn windows(length: usize) -> Spans {
        let edges = length.min(EDGES_MOST);
        let places = (0..edges).map(|edge| edge * length / edges);
        let within = |at: &usize| (SEGMENT_LEAST..=length - SEGMENT_LEAST).contains(at);
        let places: Vec<usize> = places.filter(|_| length > 2 * SEGMENT_LEAST).filter(within).collect();
        Spans::new(length, places.clone(), places)
    }

    /// The span with the largest sum of squares between it and the rest, and that sum. It grows with
    /// Student's t of the two, as all orders of the same ranks have one total sum of squares.
    fn best(&self, ranks: &[f64], sums: &mut Vec<f64>) -> Option<(Range<usize>, f64)> {
        // The mean of ranks from 1 is that of any.
        let middle = f64::midpoint(ranks.len() as f64, 1.0);
        let mut sum = 0.0;
        sums.clear();
        sums.push(0.0);
        sums.extend(ranks.iter().map(|rank| {
            sum += rank - middle;
            sum
        }));
        let mut best: Option<(Range<usize>, f64)> = None;
        for &start in &self.starts {
            for &end in &self.ends[self.ends.partition_point(|end| *end < start + SEGMENT_LEAST)..] {
                let between = (sums[end] - sums[start]).powi(2) * self.weights[end - start];
                // Ranks are halves: what differs by less is rounding.
                if best.as_ref().is_none_or(|(_, largest)| between > largest + ROUNDING) {
                    best = Some((start..end, between));
                }
            }
        }
        best
    }
}

/// The ranks of values from 1; equal values share their mean rank.
pub(super) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let rank = |value: &f64| {
        let below = sorted.partition_point(|other| other < value);
        let up_to = sorted.partition_point(|other| other <= value);
        (below + up_to + 1) as f64 / 2.0
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_shared_by_equal_values_and_zero_has_one() {
        assert_eq!(ranks(&[5.0, 0.0, 5.0, -1.0, -0.0]), [4.5, 2.5, 4.5, 1.0, 2.5]);
    }

    #[test]
    fn the_best_span_is_the_one_that_differs() {
        let ranks = ranks(&[1.0, 1.0, 1.0, 7.0, 7.0, 7.0, 7.0, 1.0, 1.0, 1.0]);
        let best = |spans: Spans| spans.best(&ranks, &mut Vec::new());
        // Four of rank 8.5 and six of 3.5 about 5.5: 4 * 9 + 6 * 4.
        assert_eq!(best(Spans::windows(10)), Some((3..7, 60.0)));
        assert_eq!(best(Spans::splits(10)).unwrap().0, 0..3);
        assert!(best(Spans::splits(0)).is_none() && Spans::windows(4).starts.is_empty());
    }
}

//! Tests that assume nothing about the shape of the noise, and the correction for asking many questions.

use ground::Random;
use statrs::distribution::{ContinuousCDF, Normal};

/// Up to this many pairs every assignment of signs is counted: 2^19 of them, about a millisecond.
const EXACT_PAIRS: usize = 20;
/// Random assignments of signs beyond that.
const RANDOM_FLIPS: u32 = 100_000;
/// Fixed, so that a comparison gives the same p on every machine.
const FLIP_SEED: u64 = 0x0d72_1ee7_7a11_0001;
/// Up to this many values in both groups together the rank sum is counted exactly.
const EXACT_RANKS: usize = 40;

/// Two-sided p-value of "the paired differences are symmetric around 0": the share of all sign assignments
/// whose sum is at least as far from 0 as the observed one (Fisher's randomisation test).
///
/// Exact up to 20 differences, then from 100 000 random assignments with a fixed seed. The smallest p with n
/// pairs is 2 / 2^n: 0.25 for 3, 0.031 for 6. `None` for no difference or one that is not finite.
pub fn sign_flip(differences: &[f64]) -> Option<f64> {
    if differences.is_empty() || differences.iter().any(|difference| !difference.is_finite()) {
        return None;
    }
    let total: f64 = differences.iter().map(|difference| difference.abs()).sum();
    // Sums in another order differ in the last digits: such ties count as ties.
    let observed = differences.iter().sum::<f64>().abs() - total * 1e-12;
    let as_far = |sum: f64| sum.abs() >= observed;
    if differences.len() > EXACT_PAIRS {
        return Some(sign_flip_sampled(differences, as_far));
    }
    // Turning all signs changes nothing, so the first sign stays: half of the assignments represent all.
    let assignments = 1_u32 << (differences.len() - 1);
    let hits =
        (0..assignments).filter(|signs| as_far(signed_sum(differences, u64::from(*signs) << 1))).count();
    Some(hits as f64 / f64::from(assignments))
}

fn sign_flip_sampled(differences: &[f64], as_far: impl Fn(f64) -> bool) -> f64 {
    let mut random = Random::new(FLIP_SEED);
    let mut hits = 0;
    for _ in 0..RANDOM_FLIPS {
        let sum: f64 = differences.chunks(64).map(|chunk| signed_sum(chunk, random.next_u64())).sum();
        hits += u32::from(as_far(sum));
    }
    // The observed assignment is one of the possible ones, so p is never 0.
    f64::from(hits + 1) / f64::from(RANDOM_FLIPS + 1)
}

/// Sum of at most 64 differences, negated where `signs` has a one.
fn signed_sum(differences: &[f64], signs: u64) -> f64 {
    let signed =
        |(bit, &difference): (usize, &f64)| if signs >> bit & 1 == 1 { -difference } else { difference };
    differences.iter().enumerate().map(signed).sum()
}

/// Two-sided p-value of "both groups come from one distribution" by the rank sum (Mann-Whitney, Wilcoxon).
///
/// Exact, ties included, up to 40 values in both groups together: the share of all divisions into groups of
/// these sizes whose rank sum lies at least as far from its mean. Beyond that the normal approximation with
/// corrections for ties and continuity. The smallest p of 3 + 3 is 0.1, of 4 + 4 0.029. `None` for an empty
/// group or a value that is not finite.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.is_empty() || b.is_empty() || a.iter().chain(b).any(|value| !value.is_finite()) {
        return None;
    }
    let mut values: Vec<(f64, bool)> =
        a.iter().map(|&v| (v, true)).chain(b.iter().map(|&v| (v, false))).collect();
    values.sort_by(|x, y| x.0.total_cmp(&y.0));
    // Ranks are doubled so that the middle rank of a tie stays whole.
    let mut doubled_ranks = Vec::with_capacity(values.len());
    let mut tie_sizes = Vec::new();
    for tied in values.chunk_by(|x, y| x.0 == y.0) {
        let first = doubled_ranks.len() + 1;
        doubled_ranks.extend(std::iter::repeat_n(2 * first + tied.len() - 1, tied.len()));
        tie_sizes.push(tied.len() as f64);
    }
    let in_a = values.iter().zip(&doubled_ranks).filter(|((_, is_a), _)| *is_a);
    let observed: usize = in_a.map(|(_, rank)| *rank).sum();
    Some(if values.len() <= EXACT_RANKS {
        rank_sum_exact(&doubled_ranks, a.len(), observed)
    } else {
        rank_sum_normal(a.len() as f64, b.len() as f64, observed as f64 / 2.0, &tie_sizes)
    })
}

/// Share of all choices of `chosen` ranks whose sum is at least as far from the mean sum as `observed`.
fn rank_sum_exact(doubled_ranks: &[usize], chosen: usize, observed: usize) -> f64 {
    let highest: usize = doubled_ranks.iter().sum();
    // ways[k][s]: choices of k ranks with sum s, over the ranks seen so far. Counts stay below 2^53: exact.
    let mut ways = vec![vec![0.0_f64; highest + 1]; chosen + 1];
    ways[0][0] = 1.0;
    for &rank in doubled_ranks {
        for k in (1..=chosen).rev() {
            let (without, with) = ways.split_at_mut(k);
            for sum in rank..=highest {
                with[0][sum] += without[k - 1][sum - rank];
            }
        }
    }
    // Distances from the mean, times the number of values, stay whole.
    let distance = |sum: usize| (sum * doubled_ranks.len()).abs_diff(highest * chosen);
    let total: f64 = ways[chosen].iter().sum();
    let far = ways[chosen].iter().enumerate().filter(|(sum, _)| distance(*sum) >= distance(observed));
    far.map(|(_, count)| count).sum::<f64>() / total
}

fn rank_sum_normal(size_a: f64, size_b: f64, rank_sum: f64, tie_sizes: &[f64]) -> f64 {
    let n = size_a + size_b;
    let ties: f64 = tie_sizes.iter().map(|t| t * t * t - t).sum();
    let variance = size_a * size_b / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    let off = ((rank_sum - size_a * (n + 1.0) / 2.0).abs() - 0.5).max(0.0);
    2.0 * Normal::standard().sf(off / variance.sqrt())
}

/// Holm's correction: each p-value raised so that, over all questions together, the chance of one false alarm
/// or more is what a single p-value would have had. Same order as given; NaN counts as 1.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let value = |index: usize| if p[index].is_nan() { 1.0 } else { p[index] };
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
    let mut adjusted = vec![1.0; p.len()];
    let mut highest = 0.0_f64;
    for (position, &index) in order.iter().enumerate() {
        highest = highest.max(value(index) * (p.len() - position) as f64).min(1.0);
        adjusted[index] = highest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn smallest_sign_flip_p_is_two_in_two_to_the_n() {
        for (n, p) in [(1, 1.0), (3, 0.25), (5, 0.0625), (6, 0.03125), (20, 2.0 / f64::from(1 << 20))] {
            let differences: Vec<f64> = (1..=n).map(|i| f64::from(i) * 0.1).collect();
            assert!(close(sign_flip(&differences).unwrap(), p), "n = {n}");
        }
    }

    #[test]
    fn sign_flip_by_hand() {
        // Sums of ±1 ±2 ±4 are -7, -5, ... 7; observed 3: |sum| >= 3 for 6 of 8.
        assert!(close(sign_flip(&[1.0, -2.0, 4.0]).unwrap(), 0.75));
        assert!(close(sign_flip(&[0.0, 0.0]).unwrap(), 1.0));
        assert_eq!(sign_flip(&[]), None);
        assert_eq!(sign_flip(&[f64::NAN]), None);
    }

    #[test]
    fn many_pairs_are_sampled_near_the_exact_answer_and_always_the_same() {
        // 100 signs of equal size, 60 positive: P(|heads - 50| >= 10) = 0.0569 (binomial).
        let differences: Vec<f64> = (0..100).map(|i| if i < 60 { 1.0 } else { -1.0 }).collect();
        let p = sign_flip(&differences).unwrap();
        assert!((p - 0.0569).abs() < 0.003, "{p}");
        assert_eq!(sign_flip(&differences), Some(p));
        assert!(sign_flip(&[1.0; 64]).unwrap() > 0.0);
    }

    #[test]
    fn smallest_mann_whitney_p_agrees_with_tables() {
        for (n, p) in [(3, 0.1), (4, 2.0 / 70.0), (5, 2.0 / 252.0), (20, 2.0 / 137_846_528_820.0)] {
            let low: Vec<f64> = (0..n).map(f64::from).collect();
            let high: Vec<f64> = (0..n).map(|i| 100.0 + f64::from(i)).collect();
            let got = mann_whitney(&low, &high).unwrap();
            assert!((got / p - 1.0).abs() < 1e-12, "{n} + {n}: {got}");
        }
    }

    #[test]
    fn mann_whitney_by_hand_with_and_without_ties() {
        // Ranks 1, 2, 5 of 6: sum 8, mean 10.5; 8 of 20 choices are at least 2.5 off.
        let by_count = mann_whitney(&[1.0, 2.0, 5.0], &[3.0, 4.0, 6.0]).unwrap();
        assert!(close(by_count, 8.0 / 20.0), "{by_count}");
        // {1, 2 | 2, 3}: ranks 1, 2.5 of 1, 2.5, 2.5, 4; sum 3.5, mean 5; 4 of 6 choices are at least 1.5
        // off.
        let tied = mann_whitney(&[1.0, 2.0], &[2.0, 3.0]).unwrap();
        assert!(close(tied, 4.0 / 6.0), "{tied}");
        assert!(close(mann_whitney(&[7.0; 3], &[7.0; 5]).unwrap(), 1.0));
        assert_eq!(mann_whitney(&[], &[1.0]), None);
    }

    #[test]
    fn the_normal_approximation_meets_the_exact_count_where_they_change_over() {
        let a: Vec<f64> = (0..20).map(|i| f64::from(i) * 1.7).collect();
        let b: Vec<f64> = (0..20).map(|i| f64::from(i) * 2.0 + 3.3).collect();
        let exact = mann_whitney(&a, &b).unwrap();
        let larger = [b.clone(), vec![19.9]].concat();
        let approximate = mann_whitney(&a, &larger).unwrap();
        assert!((exact - approximate).abs() < 0.03, "{exact} {approximate}");
        assert_eq!(mann_whitney(&[5.0; 30], &[5.0; 30]), Some(1.0));
    }

    #[test]
    fn holm_by_hand() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.03, 0.06, 0.06, 0.02];
        assert!(adjusted.iter().zip(expected).all(|(a, e)| close(*a, e)), "{adjusted:?}");
        assert_eq!(holm(&[0.9, f64::NAN]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn p_values_are_shares_and_symmetric(
            a in prop::collection::vec(-9..9_i8, 1..9),
            b in prop::collection::vec(-9..9_i8, 1..9),
        ) {
            let float = |values: &[i8]| values.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
            let (a, b) = (float(&a), float(&b));
            let p = mann_whitney(&a, &b).unwrap();
            prop_assert!(p > 0.0 && p <= 1.0);
            prop_assert!(close(p, mann_whitney(&b, &a).unwrap()));
            let flipped: Vec<f64> = a.iter().map(|v| -v).collect();
            let p = sign_flip(&a).unwrap();
            prop_assert!(p > 0.0 && p <= 1.0);
            prop_assert!(close(p, sign_flip(&flipped).unwrap()));
        }

        #[test]
        fn holm_only_raises_and_keeps_the_order(p in prop::collection::vec(0.0..1.0_f64, 0..20)) {
            let adjusted = holm(&p);
            for (i, a) in adjusted.iter().enumerate() {
                prop_assert!(*a >= p[i] && *a <= 1.0);
                prop_assert!(p.iter().zip(&adjusted).all(|(other, b)| *other < p[i] || b >= a));
            }
        }
    }
}

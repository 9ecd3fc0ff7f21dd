//! Zipf-distributed ranks in constant time and memory, for any exponent above 0.

use crate::random::Random;

/// Draws ranks 0, 1, ... below `count`, the k-th (from 1) with probability proportional to 1 / k^theta.
///
/// Rejection-inversion: W. Hoermann, G. Derflinger, "Rejection-inversion to generate variates from monotone
/// discrete distributions", ACM TOMACS 6(3), 1996. The mean number of tries is below 1.1 for every exponent
/// and count.
#[derive(Clone, Debug)]
pub struct Zipf {
    count: f64,
    theta: f64,
    /// H(1.5) - h(1): lower end of the area under the hat.
    area_low: f64,
    /// H(count + 0.5): upper end of that area.
    area_high: f64,
    /// Values closer to their rank than this are accepted without a further look.
    squeeze: f64,
}

impl Zipf {
    /// The largest exponent that readers of files and options accept: with more, nearly every draw is the
    /// first rank.
    pub const THETA_MAX: f64 = 5.0;

    /// True for an exponent that readers accept: above 0 and up to [`Zipf::THETA_MAX`].
    #[must_use]
    pub fn is_theta(theta: f64) -> bool {
        theta > 0.0 && theta <= Zipf::THETA_MAX
    }

    /// For `count` ranks, at least one; `theta` is above 0.
    #[must_use]
    pub fn new(count: u64, theta: f64) -> Zipf {
        let count = count.max(1) as f64;
        Zipf {
            count,
            theta,
            area_low: area(1.5, theta) - 1.0,
            area_high: area(count + 0.5, theta),
            squeeze: 2.0 - area_inverse(area(2.5, theta) - weight(2.0, theta), theta),
        }
    }

    /// A rank, from 0.
    #[inline]
    pub fn draw(&self, random: &mut Random) -> u64 {
        loop {
            let u = self.area_high + random.unit() * (self.area_low - self.area_high);
            let x = area_inverse(u, self.theta);
            let rank = x.round().clamp(1.0, self.count);
            if rank - x <= self.squeeze || u >= area(rank + 0.5, self.theta) - weight(rank, self.theta) {
                return rank as u64 - 1;
            }
        }
    }
}

/// h(x) = x^-theta.
fn weight(x: f64, theta: f64) -> f64 {
    (-theta * x.ln()).exp()
}

/// H(x), an antiderivative of h: (x^(1-theta) - 1) / (1 - theta), which tends to ln x where theta is 1.
fn area(x: f64, theta: f64) -> f64 {
    let log = x.ln();
    let t = (1.0 - theta) * log;
    let ratio = if t.abs() > 1e-8 { t.exp_m1() / t } else { 1.0 + t / 2.0 };
    ratio * log
}

/// Inverse of [`area`].
fn area_inverse(y: f64, theta: f64) -> f64 {
    let t = (y * (1.0 - theta)).max(-1.0);
    let ratio = if t.abs() > 1e-8 { t.ln_1p() / t } else { 1.0 - t / 2.0 };
    (ratio * y).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Chi-square of draws against the exact probabilities, per degree of freedom.
    fn misfit(count: u64, theta: f64) -> f64 {
        let draws = 200_000;
        let zipf = Zipf::new(count, theta);
        let mut random = Random::stream(9, count);
        let mut seen = vec![0f64; count as usize];
        (0..draws).for_each(|_| seen[zipf.draw(&mut random) as usize] += 1.0);
        let total: f64 = (1..=count).map(|k| (k as f64).powf(-theta)).sum();
        let chi2: f64 = (1..=count)
            .map(|k| {
                let expected = f64::from(draws) * (k as f64).powf(-theta) / total;
                (seen[k as usize - 1] - expected).powi(2) / expected
            })
            .sum();
        chi2 / (count - 1) as f64
    }

    #[test]
    fn frequencies_follow_the_law() {
        for theta in [0.2, 0.8, 0.99, 1.0, 1.1, 1.5, 2.5] {
            let per_degree = misfit(50, theta);
            // 49 degrees of freedom: the standard deviation of chi-square per degree is 0.2.
            assert!((0.4..1.8).contains(&per_degree), "theta {theta}: chi-square per degree {per_degree}");
        }
    }

    #[test]
    fn golden_vectors() {
        // From an implementation of the same method written apart from this one.
        let golden: [(u64, f64, [u64; 8]); 4] = [
            (1000, 0.8, [858, 7, 0, 606, 229, 32, 472, 289]),
            (1000, 1.0, [747, 1, 0, 399, 85, 7, 260, 120]),
            (1 << 32, 1.1, [232_386_340, 3, 0, 2_988_353, 5_753, 28, 349_834, 17_184]),
            (1000, 2.5, [4, 0, 0, 0, 0, 1, 0, 0]),
        ];
        for (count, theta, ranks) in golden {
            let (zipf, mut random) = (Zipf::new(count, theta), Random::stream(42, 7));
            let drawn: [u64; 8] = std::array::from_fn(|_| zipf.draw(&mut random));
            assert_eq!(drawn, ranks, "{count} ranks, theta {theta}");
        }
    }

    #[test]
    fn one_rank_is_always_drawn() {
        let mut random = Random::stream(3, 0);
        let zipf = Zipf::new(1, 1.1);
        assert!((0..100).all(|_| zipf.draw(&mut random) == 0));
    }

    proptest! {
        #[test]
        fn ranks_stay_below_the_count(count in 1u64..(1 << 50), theta in 0.01f64..10.0, seed: u64) {
            let zipf = Zipf::new(count, theta);
            let mut random = Random::stream(seed, 0);
            for _ in 0..50 {
                prop_assert!(zipf.draw(&mut random) < count);
            }
        }
    }
}

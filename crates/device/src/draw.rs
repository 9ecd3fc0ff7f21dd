//! Random draws without transcendental functions: quantile tables computed once, read per operation.

use std::sync::LazyLock;

/// Steps of a quantile table. Values between two steps are interpolated.
const STEPS: usize = 1024;
/// Random bits that one draw uses: which step, and how far into it.
pub(crate) const DRAW_BITS: u32 = 20;
const FRACTION_BITS: u32 = 10;
/// Draws are multipliers with this many binary places.
const SCALE_BITS: u32 = 16;

/// Standard normal z at 0.99.
const NORMAL_P99: f64 = 2.326_347_874_040_841;

/// A positive random multiplier with mean 1.
#[derive(Clone, Debug)]
pub(crate) struct Multiplier {
    steps: Box<[u32; STEPS + 1]>,
}

impl Multiplier {
    /// Log-normal with the given p99 over p50 (clamped to 1 ..= 100).
    pub(crate) fn lognormal(p99_over_p50: f64) -> Multiplier {
        let ratio = if p99_over_p50.is_nan() { 1.0 } else { p99_over_p50.clamp(1.0, 100.0) };
        let sigma = ratio.ln() / NORMAL_P99;
        Multiplier::from_quantiles(|step| (sigma * NORMAL[step]).exp())
    }

    /// Erlang with two phases: short delays are rarer and long ones shorter than with an exponential, as in
    /// the measured reads that meet a write (p50 0.84, p99 3.3 of the mean).
    pub(crate) fn erlang2() -> Multiplier {
        Multiplier::from_quantiles(|step| ERLANG2[step])
    }

    fn from_quantiles(quantile: impl Fn(usize) -> f64) -> Multiplier {
        let values: Vec<f64> = (0..=STEPS).map(quantile).collect();
        let sum: f64 = values.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0).sum();
        let mean = sum / STEPS as f64;
        let mut steps = Box::new([0u32; STEPS + 1]);
        for (step, value) in steps.iter_mut().zip(values) {
            *step = (value / mean * f64::from(1u32 << SCALE_BITS)).round() as u32;
        }
        Multiplier { steps }
    }

    /// `value_ns` times a draw; `random` gives its low [`DRAW_BITS`] bits. `value_ns` stays below 2^37.
    #[inline]
    pub(crate) fn apply(&self, value_ns: u64, random: u64) -> u64 {
        let step = (random as usize >> FRACTION_BITS) & (STEPS - 1);
        let fraction = random & ((1 << FRACTION_BITS) - 1);
        let (low, high) = (u64::from(self.steps[step]), u64::from(self.steps[step + 1]));
        let multiplier = low + (((high - low) * fraction) >> FRACTION_BITS);
        (value_ns * multiplier) >> SCALE_BITS
    }
}

/// Draws of the standard normal distribution.
#[derive(Clone, Debug)]
pub(crate) struct Normal(Box<[f64]>);

impl Normal {
    /// The draw that the low [`DRAW_BITS`] bits of `random` give.
    #[inline]
    pub(crate) fn draw(&self, random: u64) -> f64 {
        let step = (random as usize >> FRACTION_BITS) & (STEPS - 1);
        let fraction = (random & ((1 << FRACTION_BITS) - 1)) as f64 / f64::from(1u32 << FRACTION_BITS);
        let (low, high) = (self.0[step], self.0[step + 1]);
        low + (high - low) * fraction
    }
}

/// The table of [`Normal`], made once.
pub(crate) fn normal() -> &'static LazyLock<Normal> {
    static DRAWS: LazyLock<Normal> = LazyLock::new(|| Normal(NORMAL.as_slice().into()));
    &DRAWS
}

/// Probability that a step of the table represents. The outermost steps stay away from 0 and 1, where
/// quantiles end.
fn probability(step: usize) -> f64 {
    (step as f64 / STEPS as f64).clamp(1.0 / 8192.0, 1.0 - 1.0 / 8192.0)
}

static NORMAL: LazyLock<Vec<f64>> =
    LazyLock::new(|| (0..=STEPS).map(|step| invert(normal_cdf, probability(step), -8.0, 8.0)).collect());

static ERLANG2: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let cdf = |x: f64| 1.0 - (1.0 + 2.0 * x) * (-2.0 * x).exp();
    (0..=STEPS).map(|step| invert(cdf, probability(step), 0.0, 50.0)).collect()
});

/// The point at which an increasing function reaches `p`, by bisection: done once per table, so speed is no
/// matter.
fn invert(cdf: impl Fn(f64) -> f64, p: f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if cdf(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// Standard normal distribution by its power series, phi(x) (x + x^3/3 + x^5/15 + ...) + 1/2: exact to double
/// precision in the middle and to 1e-9 at |x| = 6, beyond the ends of the tables.
fn normal_cdf(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return if x < 0.0 { 0.0 } else { 1.0 };
    }
    let (mut term, mut sum, mut k) = (x, x, 1.0);
    while (term / sum).abs() > 1e-17 && k < 300.0 {
        k += 2.0;
        term *= x * x / k;
        sum += term;
    }
    0.5 + sum * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantile(multiplier: &Multiplier, p: f64) -> f64 {
        let bits = (p * f64::from(1u32 << DRAW_BITS)) as u64;
        multiplier.apply(1 << 30, bits) as f64 / f64::from(1u32 << 30)
    }

    fn mean(multiplier: &Multiplier) -> f64 {
        let draws = 1u64 << DRAW_BITS;
        (0..draws).map(|bits| multiplier.apply(1 << 20, bits) as f64).sum::<f64>()
            / (draws as f64 * (1 << 20) as f64)
    }

    #[test]
    fn lognormal_keeps_mean_and_ratio() {
        for ratio in [1.0, 1.2, 2.0, 5.0, 20.0] {
            let multiplier = Multiplier::lognormal(ratio);
            assert!((mean(&multiplier) - 1.0).abs() < 1e-3, "ratio {ratio}: mean {}", mean(&multiplier));
            let got = quantile(&multiplier, 0.99) / quantile(&multiplier, 0.5);
            assert!((got / ratio - 1.0).abs() < 0.01, "asked p99/p50 {ratio}, got {got}");
        }
        assert_eq!(Multiplier::lognormal(1.0).apply(12_345, 987_654_321), 12_345);
    }

    #[test]
    fn erlang_has_its_known_quantiles() {
        let multiplier = Multiplier::erlang2();
        assert!((mean(&multiplier) - 1.0).abs() < 1e-3);
        // Chi-square with four degrees of freedom over four: 3.3567, 13.2767 and 18.467 over 4.
        for (p, known) in [(0.5, 0.8392), (0.99, 3.3192), (0.999, 4.6167)] {
            assert!(
                (quantile(&multiplier, p) / known - 1.0).abs() < 0.01,
                "p {p}: {}",
                quantile(&multiplier, p)
            );
        }
    }

    #[test]
    fn bad_ratios_are_clamped() {
        for ratio in [f64::NAN, -3.0, 0.0, f64::INFINITY] {
            assert!(mean(&Multiplier::lognormal(ratio)) > 0.9);
        }
    }

    #[test]
    fn normal_distribution_matches_published_values() {
        for (x, p) in [(0.0, 0.5), (1.0, 0.841_344_746), (-1.959_963_985, 0.025), (NORMAL_P99, 0.99)] {
            assert!((normal_cdf(x) - p).abs() < 1e-9, "{x}");
        }
    }
}

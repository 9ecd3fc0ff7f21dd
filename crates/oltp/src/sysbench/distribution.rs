//! The rows of the requests: sysbench's random distributions over the ids of a table.

use std::fmt;
use std::str::FromStr;

use ground::Zipf;

use super::random::Random;

/// Uniform numbers whose mean spreads the cold values of the special distribution (`--rand-spec-iter`).
const SPECIAL_ITERATIONS: u32 = 12;
/// Share of the range that is hot (`--rand-spec-pct`).
const SPECIAL_RANGE: f64 = 0.01;
/// Share of the draws that are hot (`--rand-spec-res`).
const SPECIAL_SHARE: f64 = 0.75;
/// The first 20 % of the rows get 80 % of the draws (`--rand-pareto-h`).
const PARETO_H: f64 = 0.2;
/// Exponent (`--rand-zipfian-exp`, sysbench 1.1; 1.0.20 has no such distribution).
const ZIPF_EXPONENT: f64 = 0.8;

/// A random distribution, with the parameters that are sysbench's defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distribution {
    /// Every row alike: sysbench's default since 1.1.
    Uniform,
    /// Hot spot in the middle of the table: 1 % of the rows get 75 % of the draws, the rest falls around it
    /// as a mean of twelve uniform numbers does. sysbench's default up to 1.0.20.
    #[default]
    Special,
    /// The lower a row's id, the hotter: the first 20 % get 80 %.
    Pareto,
    /// The k-th row is drawn in proportion to 1 / k^0.8.
    Zipf,
}

impl Distribution {
    /// All, in the order in which they are documented.
    pub const ALL: [Self; 4] = [Self::Uniform, Self::Special, Self::Pareto, Self::Zipf];

    /// As the experiment file spells it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Special => "special",
            Self::Pareto => "pareto",
            Self::Zipf => "zipf",
        }
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Distribution {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|distribution| distribution.name() == text)
            .ok_or_else(|| format!("`{text}` is not a distribution; use uniform, special, pareto or zipf"))
    }
}

/// Draws ids from 1 to a table's number of rows.
#[derive(Clone, Debug)]
pub(crate) enum Ids {
    Uniform { rows: u32 },
    Special { rows: u32 },
    Pareto { rows: u32, power: f64 },
    Zipf(Zipf),
}

impl Ids {
    /// Of a table with `rows` rows, at least one.
    pub(crate) fn new(distribution: Distribution, rows: u32) -> Self {
        match distribution {
            Distribution::Uniform => Self::Uniform { rows },
            Distribution::Special => Self::Special { rows },
            Distribution::Pareto => Self::Pareto { rows, power: PARETO_H.ln() / (1.0 - PARETO_H).ln() },
            Distribution::Zipf => Self::Zipf(Zipf::new(u64::from(rows), ZIPF_EXPONENT)),
        }
    }

    #[inline]
    pub(crate) fn draw(&self, random: &mut Random) -> u32 {
        match self {
            Self::Uniform { rows } => random.uniform(1, *rows),
            Self::Special { rows } => special(*rows, random),
            Self::Pareto { rows, power } => 1 + (f64::from(*rows) * random.fraction().powf(*power)) as u32,
            Self::Zipf(zipf) => 1 + zipf.draw(&mut random.0) as u32,
        }
    }
}

/// One fraction decides between hot and cold and places the hot ones: `width` in `width / (1 - share)` is
/// cold.
fn special(rows: u32, random: &mut Random) -> u32 {
    let width = f64::from(rows - 1);
    let fraction = random.fraction();
    if fraction / (1.0 - SPECIAL_SHARE) < 1.0 {
        let sum: f64 = (0..SPECIAL_ITERATIONS).map(|_| random.fraction()).sum();
        return 1 + (sum / f64::from(SPECIAL_ITERATIONS) * width) as u32;
    }
    // The fraction of the hot ones begins at 0.25, so that the first quarter of the hot rows is never drawn
    // as hot: as sysbench has it.
    let hot = fraction * (width * SPECIAL_RANGE + 1.0) + width / 2.0 - width * SPECIAL_RANGE / 2.0;
    (1 + hot as u32).min(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROWS: u32 = 10_000;
    const DRAWS: u32 = 400_000;

    fn draws(distribution: Distribution) -> impl Iterator<Item = u32> {
        let (ids, mut random) = (Ids::new(distribution, ROWS), Random::new(42, 1));
        (0..DRAWS).map(move |_| ids.draw(&mut random))
    }

    /// The share of draws that fall into `low..=high`.
    fn share(distribution: Distribution, low: u32, high: u32) -> f64 {
        let hits = draws(distribution).filter(|id| (low..=high).contains(id)).count();
        hits as f64 / f64::from(DRAWS)
    }

    /// Four standard errors of a share near `p`.
    fn tolerance(p: f64) -> f64 {
        4.0 * (p * (1.0 - p) / f64::from(DRAWS)).sqrt()
    }

    #[test]
    fn golden_vectors() {
        let golden = Distribution::ALL.map(|distribution| draws(distribution).take(5).collect::<Vec<_>>());
        let expected = [
            [8840, 7142, 9494, 4013, 9829],
            [5039, 5022, 5046, 4991, 5049],
            [4109, 882, 6872, 14, 8829],
            [8, 86, 2, 1206, 1],
        ];
        assert_eq!(golden, expected);
    }

    #[test]
    fn special_heats_one_percent_in_the_middle() {
        // 0.755892 of a million draws of sysbench 1.0.20 itself fell into these ids.
        let hot = share(Distribution::Special, 4951, 5050);
        assert!((hot - 0.7559).abs() < 2.0 * tolerance(0.7559), "{hot}");
        // All others come from the mean of twelve uniform numbers: its standard deviation is 1/12 of the
        // range.
        let cold: Vec<f64> = draws(Distribution::Special)
            .filter(|id| !(4951..=5050).contains(id))
            .map(|id| (f64::from(id) - 5000.0) / 10_000.0)
            .collect();
        let variance = cold.iter().map(|x| x * x).sum::<f64>() / cold.len() as f64;
        assert!((variance.sqrt() - 1.0 / 12.0).abs() < 0.002, "{}", variance.sqrt());
    }

    #[test]
    fn pareto_gives_four_fifths_to_the_first_fifth() {
        let first = share(Distribution::Pareto, 1, ROWS / 5);
        assert!((first - 0.8).abs() < tolerance(0.8), "{first}");
        // ... and so again inside it.
        let inside = share(Distribution::Pareto, 1, ROWS / 25);
        assert!((inside - 0.64).abs() < tolerance(0.64), "{inside}");
    }

    #[test]
    fn uniform_is_even() {
        let mut counts = [0_u32; 20];
        for id in draws(Distribution::Uniform) {
            counts[((id - 1) / 500) as usize] += 1;
        }
        let mean = f64::from(DRAWS) / 20.0;
        // Chi-square with 19 degrees of freedom: 43.8 is the 0.1 % point.
        let chi: f64 = counts.iter().map(|&n| (f64::from(n) - mean).powi(2) / mean).sum();
        assert!(chi < 43.8, "{counts:?}: {chi}");
    }

    #[test]
    fn zipf_falls_with_the_rank() {
        let total: f64 = (1..=ROWS).map(|rank| f64::from(rank).powf(-ZIPF_EXPONENT)).sum();
        for (low, high) in [(1, 1), (2, 2), (3, 10), (11, 100), (101, 10_000)] {
            let expected = (low..=high).map(|rank| f64::from(rank).powf(-ZIPF_EXPONENT)).sum::<f64>() / total;
            let seen = share(Distribution::Zipf, low, high);
            assert!((seen - expected).abs() < tolerance(expected), "{low}..{high}: {seen} for {expected}");
        }
    }

    #[test]
    fn names_read_what_they_print() {
        for distribution in Distribution::ALL {
            assert_eq!(distribution.to_string().parse(), Ok(distribution));
        }
        assert!("gauss".parse::<Distribution>().unwrap_err().contains("use uniform"));
    }

    proptest! {
        #[test]
        fn every_draw_is_a_row(rows in 1_u32..=u32::MAX, seed: u64) {
            let mut random = Random::new(seed, 0);
            for distribution in Distribution::ALL {
                let ids = Ids::new(distribution, rows);
                for _ in 0..20 {
                    let id = ids.draw(&mut random);
                    prop_assert!((1..=rows).contains(&id), "{distribution}: {id} of {rows}");
                }
            }
        }
    }
}

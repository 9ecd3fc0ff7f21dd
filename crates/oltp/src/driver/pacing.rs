//! At which pace users ask.

use std::time::Duration;

use ground::{SplitMix64, nanoseconds};

/// At which pace virtual users send their transactions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pacing {
    /// Each sends the next transaction as soon as the last is answered (a closed loop without think time).
    /// Each holds a connection.
    #[default]
    None,
    /// Each keys its input in and thinks about the answer as clause 5.2.5 asks: fixed keying times,
    /// exponential think times.
    Keyed {
        /// All keying and think times are multiplied by this; 1 follows the clause.
        factor: f64,
    },
    /// Transactions arrive from outside at random (a Poisson process), whether or not earlier ones are
    /// answered (an open loop).
    Arrivals {
        /// Mean rate, transactions per second, all users together.
        per_second: f64,
    },
}

/// A pause: a fixed part and the mean of an exponentially distributed one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pause {
    pub(crate) fixed: Duration,
    pub(crate) mean: Duration,
}

impl Pause {
    pub(crate) const NONE: Self = Self { fixed: Duration::ZERO, mean: Duration::ZERO };

    /// Draws a length, ns. Clause 5.2.5.4 cuts think times at ten times their mean.
    pub(crate) fn draw_ns(self, factor: f64, chance: &mut SplitMix64) -> u64 {
        let mean = self.mean.as_nanos() as f64;
        let think = (mean * chance.exponential()).min(10.0 * mean);
        ((nanoseconds(self.fixed) as f64 + think) * factor) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_have_their_mean_and_their_limit() {
        let mut chance = SplitMix64::stream(1, 2);
        let pause = Pause { fixed: Duration::from_secs(18), mean: Duration::from_secs(12) };
        let drawn: Vec<f64> = (0..100_000).map(|_| pause.draw_ns(1.0, &mut chance) as f64 / 1e9).collect();
        let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
        // Standard error of the mean: 12 / sqrt(100,000) = 0.04.
        assert!((mean - 30.0).abs() < 0.2, "{mean}");
        assert!(drawn.iter().all(|&s| (18.0..=138.0).contains(&s)));
        assert_eq!(Pause::NONE.draw_ns(1.0, &mut chance), 0);
        let tenth = Pause { mean: Duration::ZERO, ..pause }.draw_ns(0.1, &mut chance);
        assert_eq!(tenth, 1_800_000_000);
    }
}

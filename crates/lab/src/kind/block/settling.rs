//! The end of a load whose rate has fallen and stays: a cache was full, and what follows tells nothing new.

use std::time::Duration;

/// Two windows are alike within this share.
const ALIKE: f64 = 0.03;
/// A rate has fallen if it was higher before by this share.
const FALLEN: f64 = 0.1;
/// At least this part of the time was spent at the lasting rate.
const LASTING: usize = 3;

/// The rates of a load, second by second from its first I/O on.
pub(super) struct Settling {
    /// Seconds of a window.
    window: usize,
    rates: Vec<f64>,
}

impl Settling {
    pub(super) fn over(window: Duration) -> Settling {
        Settling { window: window.as_secs_f64().round().max(1.0) as usize, rates: Vec::new() }
    }

    /// Adds the rate of a second. True once the rate fell and two windows after that are alike, and these are
    /// a third of the time at least.
    pub(super) fn is_over_with(&mut self, per_s: f64) -> bool {
        // A load may begin after a rest.
        if per_s > 0.0 || !self.rates.is_empty() {
            self.rates.push(per_s);
        }
        let all = self.rates.len();
        let lasting = (2 * self.window).max(all.div_ceil(LASTING));
        let Some(before) = all.checked_sub(lasting).filter(|before| *before >= self.window) else {
            return false;
        };
        let (fresh, last) = (mean(&self.rates[..self.window]), &self.rates[before..]);
        let (first, second) = last.split_at(last.len() / 2);
        let (first, second) = (mean(first), mean(second));
        second > 0.0 && (first / second - 1.0).abs() <= ALIKE && fresh > (1.0 + FALLEN) * second
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second after which a load with these rates ends.
    fn ends(rates: impl IntoIterator<Item = f64>) -> Option<usize> {
        let mut settling = Settling::over(Duration::from_secs(5));
        rates.into_iter().position(|rate| settling.is_over_with(rate))
    }

    #[test]
    fn a_load_ends_once_its_rate_has_fallen_and_stayed() {
        let rest = || std::iter::repeat_n(0.0, 10);
        let then = |fresh: usize, per_s: f64| {
            std::iter::repeat_n(1000.0, fresh).chain(std::iter::repeat_n(per_s, 100))
        };
        assert_eq!(ends(rest().chain(then(20, 400.0))), Some(39), "ten seconds at the lasting rate");
        assert_eq!(ends(then(60, 400.0)), Some(89), "a third of the time");
        assert_eq!(ends(then(20, 980.0)), None, "it never fell: the cache may be larger");
        let falling = (0..100).map(|second| 1000.0 - 8.0 * f64::from(second));
        assert_eq!(ends(falling), None);
        assert_eq!(ends(then(5, 0.0)), None, "a standstill is no rate");
    }
}

//! The size of a change in words: per cent, or a ratio where a value halved or doubled.

use crate::number::{self, Digits};
use crate::sentences;
use words::say;

/// Ratios from here up to the next one are told in per cent: `lost 60 %` is read worse than `0.40x`.
const PERCENT_FROM: f64 = 0.5;
const PERCENT_TO: f64 = 2.0;

/// A ratio of two values and the ends of its 95 % interval, where it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Size {
    /// Later value / earlier value.
    pub(crate) ratio: f64,
    /// Ends of the 95 % interval of the ratio.
    pub(crate) ends: Option<(f64, f64)>,
}

impl Size {
    /// The number with its sign and its interval: `−9.6 %` and `−10.4 to −8.8`; `2.10x` and `2.05x to 2.15x`.
    /// The interval is empty where there is none.
    pub(crate) fn parts(self) -> (String, String) {
        if !self.is_percent() {
            return self.as_ratio();
        }
        let (value, interval) = self.in_percent(1.0);
        let sign = if self.ratio > 1.0 && self.shown_is_not_zero() { "+" } else { "" };
        (format!("{sign}{value} %"), interval)
    }

    /// `−9.6 % (−10.4 to −8.8)`.
    pub(crate) fn signed(self) -> String {
        let (value, interval) = self.parts();
        within(value, interval)
    }

    /// The change of a value, for a sentence: `lost 9.6 % (8.8 to 10.4)`, with the number set apart.
    /// `is_rate` is true where more of it is better.
    pub(crate) fn moved(self, is_rate: bool) -> String {
        if !self.is_percent() {
            let (ratio, interval) = self.as_ratio();
            return say!("trend-moved-times", size = within(sentences::strong(&ratio), interval));
        }
        let falls = self.ratio < 1.0;
        let (value, interval) = self.in_percent(if falls { -1.0 } else { 1.0 });
        let size = within(sentences::strong(&format!("{value} %")), interval);
        match (falls, is_rate) {
            (true, true) => say!("trend-moved-lost", size),
            (false, true) => say!("trend-moved-gained", size),
            (true, false) => say!("trend-moved-fell", size),
            (false, false) => say!("trend-moved-rose", size),
        }
    }

    /// True if the interval has no change in it.
    pub(crate) fn is_sure(self) -> bool {
        self.ends.is_some_and(|(low, high)| low > 1.0 || high < 1.0)
    }

    fn is_percent(self) -> bool {
        (PERCENT_FROM..PERCENT_TO).contains(&self.ratio)
    }

    fn shown_is_not_zero(self) -> bool {
        let (value, _) = self.in_percent(1.0);
        value.chars().any(|c| c.is_ascii_digit() && c != '0')
    }

    fn as_ratio(self) -> (String, String) {
        match self.ends {
            Some(ends) => number::ratio_columns(self.ratio, ends).into(),
            None => (number::times(self.ratio), String::new()),
        }
    }

    /// Value and interval as per cent without the sign %, times `sense`, which is 1 or -1.
    fn in_percent(self, sense: f64) -> (String, String) {
        let share = |ratio: f64| sense * 100.0 * (ratio - 1.0);
        let value = share(self.ratio);
        let Some((low, high)) = self.ends else {
            let decimals = if value.abs() >= 10.0 { 0 } else { 1 };
            return (Digits::decimals(decimals).show(value), String::new());
        };
        let digits = digits(100.0 * (high - low) / 2.0);
        let show = |ratio: f64| digits.show(share(ratio));
        if number::is_useless(low, high) {
            return (show(self.ratio), say!("figure-no-useful-interval").to_owned());
        }
        let (low, high) = if sense < 0.0 { (high, low) } else { (low, high) };
        (show(self.ratio), say!("figure-from-to", low = show(low), high = show(high)))
    }
}

/// The decimals of per cent that an interval of this half width, in per cent, leaves standing: the rule of
/// [`Digits::of_interval`], without more than two.
fn digits(half_percent: f64) -> Digits {
    Digits::decimals(match half_percent {
        half if half >= 2.0 => 0,
        half if half >= 0.1 => 1,
        _ => 2,
    })
}

fn within(value: String, interval: String) -> String {
    if interval.is_empty() { value } else { say!("trend-size", value, interval) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_its_interval_in_the_digits_that_it_supports() {
        let size = |ratio: f64, low: f64, high: f64| Size { ratio, ends: Some((low, high)) };
        let loss = size(0.904, 0.896, 0.912);
        assert_eq!(loss.signed(), "\u{2212}9.6 % (\u{2212}10.4 to \u{2212}8.8)");
        let plain =
            |said: String| sentences::spans(&said).iter().map(|s| s.text().into_owned()).collect::<String>();
        assert_eq!(plain(loss.moved(true)), "lost 9.6 % (8.8 to 10.4)");
        assert_eq!(plain(loss.moved(false)), "fell by 9.6 % (8.8 to 10.4)");
        assert_eq!(size(1.061, 1.045, 1.078).signed(), "+6.1 % (4.5 to 7.8)");
        assert_eq!(size(1.061, 1.02, 1.10).signed(), "+6 % (2 to 10)");
        assert_eq!(size(2.1, 2.05, 2.15).signed(), "2.10x (2.05x to 2.15x)");
        assert_eq!(
            plain(size(0.4, 0.39, 0.41).moved(true)),
            "went to 0.40x (0.39x to 0.41x) of its former value"
        );
        assert_eq!(size(0.9, 0.01, 40.0).signed(), "\u{2212}10 % (no useful interval)");
        assert_eq!(Size { ratio: 0.87, ends: None }.signed(), "\u{2212}13 %");
        assert_eq!(Size { ratio: 1.0, ends: Some((1.0, 1.0)) }.parts().0, "0.00 %");
        assert!(loss.is_sure() && !size(0.98, 0.95, 1.01).is_sure());
    }
}

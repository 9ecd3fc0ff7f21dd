//! Numbers as a reader wants them: thousands separators, a decimal mark, and only as many digits as the
//! interval supports.
//!
//! Machine formats (JSON, CSV) never pass through here.

use measure::{Interval, Judgement};
use words::{numeral, say};

/// The digits of a value that may be shown: the decimal place of the last digit that its uncertainty leaves
/// standing.
///
/// `place` is a power of ten: 2 means hundreds, 0 ones, -2 hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digits {
    place: i32,
}

/// A value without an interval shows this many significant digits.
const SIGNIFICANT_WITHOUT_INTERVAL: i32 = 3;
/// However wide an interval, no value shows fewer significant digits than this.
const SIGNIFICANT_LEAST: i32 = 3;
/// However narrow an interval, no value shows more significant digits than this: the interval covers the
/// differences of repeats, not their common errors.
const SIGNIFICANT_MOST: i32 = 4;

impl Digits {
    /// The digits that a 95 % interval of the given half width supports around `value`.
    ///
    /// Rule: two significant digits of the half width when it begins with 1, else one (the usual rule of
    /// metrology, GUM 7.2.6); never more than four significant digits of the value, and never less than
    /// three: the quotient of two values with fewer would contradict the ratio beside them.
    pub(crate) fn of_interval(value: f64, half_width: f64) -> Digits {
        let finest = leading_place(value).map_or(-3, |lead| lead - SIGNIFICANT_MOST + 1);
        let Some(lead) = leading_place(half_width) else {
            return Digits::alone(value);
        };
        let first_digit = half_width.abs() / 10f64.powi(lead);
        let place = if first_digit < 5.0 { lead - 1 } else { lead };
        let coarsest = leading_place(value).map_or(place, |lead| lead - SIGNIFICANT_LEAST + 1);
        Digits { place: place.min(coarsest).max(finest) }
    }

    /// Three significant digits, for a value whose uncertainty is not known. Whole numbers below a million
    /// keep their ones.
    pub(crate) fn alone(value: f64) -> Digits {
        let place = leading_place(value).map_or(0, |lead| lead - SIGNIFICANT_WITHOUT_INTERVAL + 1);
        Digits { place }
    }

    /// Exactly this many decimals (0 shows whole numbers).
    pub(crate) fn decimals(count: u32) -> Digits {
        Digits { place: -i32::try_from(count.min(12)).unwrap_or(12) }
    }

    /// The value rounded to the place, with thousands separators.
    pub(crate) fn show(self, value: f64) -> String {
        if !value.is_finite() {
            return "-".to_owned();
        }
        let unit = 10f64.powi(self.place);
        let rounded = if self.place > 0 { (value / unit).round() * unit } else { value };
        let decimals = usize::try_from((-self.place).max(0)).unwrap_or(0);
        numeral(&format!("{rounded:.decimals$}"))
    }
}

/// The power of ten of the first significant digit; `None` for zero and for values that are not finite.
fn leading_place(value: f64) -> Option<i32> {
    if value == 0.0 || !value.is_finite() {
        return None;
    }
    let place = value.abs().log10().floor();
    // f64's exponent range keeps this within +-324.
    Some(place as i32)
}

/// A whole number with thousands separators.
pub(crate) fn count(value: u64) -> String {
    numeral(&value.to_string())
}

/// A value without a context, three significant digits.
pub(crate) fn plain(value: f64) -> String {
    Digits::alone(value).show(value)
}

/// A rate beside its point: `612k`, `67.9k`, `5,290`.
pub(crate) fn short(value: f64) -> String {
    match value.abs() {
        most if most >= 999_500.0 => format!("{}M", plain(value / 1e6)),
        most if most >= 9_995.0 => format!("{}k", plain(value / 1e3)),
        _ => plain(value),
    }
}

/// A round rate at an axis: `50k`, `1M`.
pub(crate) fn short_tick(value: f64) -> String {
    match value.abs() {
        most if most >= 1e6 => format!("{}M", level(value / 1e6)),
        most if most >= 1e3 => format!("{}k", level(value / 1e3)),
        _ => level(value),
    }
}

/// The value rounded to two significant digits.
pub(crate) fn two_digits(value: f64) -> f64 {
    let unit = leading_place(value).map_or(1.0, |place| 10f64.powi(place - 1));
    (value / unit).round() * unit
}

/// An interval whose ends lie further apart than this factor says nothing.
const USELESS_FROM: f64 = 20.0;

/// True if the ends of an interval, of a ratio or of a quantity that is never below zero, lie so far apart
/// that they say nothing; ends that are no positive numbers do as well, except an interval of no width.
#[must_use]
pub fn is_useless(low: f64, high: f64) -> bool {
    // Also true where an end is not a number.
    !(low == high || low > 0.0 && high / low <= USELESS_FROM)
}

/// The ends of an interval in words, `1.79x to 1.93x`, or that it says nothing.
pub(crate) fn span((low, high): (f64, f64), show: impl Fn(f64) -> String) -> String {
    match is_useless(low, high) {
        true => say!("figure-no-useful-interval").to_owned(),
        false => say!("figure-from-to", low = show(low), high = show(high)),
    }
}

/// The ends of an interval of a ratio in words, as [`span`] gives them. One that is too wide to say how large
/// the ratio is still has a bound if it lies on one side of 1x: `above 3.2x`.
fn ratio_span((low, high): (f64, f64), show: impl Fn(f64) -> String) -> String {
    match one_sided(low, high) {
        Some(Bound::Above) => say!("figure-above", low = show(low)),
        Some(Bound::Below) => say!("figure-below", high = show(high)),
        None => span((low, high), show),
    }
}

/// The end of a wide interval of a ratio that says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Above,
    Below,
}

fn one_sided(low: f64, high: f64) -> Option<Bound> {
    match is_useless(low, high) {
        true if low > 1.0 && !high.is_nan() => Some(Bound::Above),
        true if high > 0.0 && high < 1.0 && !low.is_nan() => Some(Bound::Below),
        _ => None,
    }
}

/// The span of several values, `2.3x to 9.0x`, or the one that they are; `None` of none.
pub(crate) fn range(values: impl Iterator<Item = f64>, show: fn(f64) -> String) -> Option<String> {
    let span = |span: Option<(f64, f64)>, value: f64| {
        Some(span.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    };
    let (low, high) = values.filter(|value| value.is_finite()).fold(None, span)?;
    let (low, high) = (show(low), show(high));
    Some(if low == high { low } else { say!("figure-from-to", low, high) })
}

/// A level as the experiment wrote it: whole when it is whole.
pub(crate) fn level(value: f64) -> String {
    if value.fract() == 0.0 { Digits::decimals(0).show(value) } else { plain(value) }
}

/// A ratio and its interval in the digits that the interval supports, at least two decimals: `1.86x`,
/// `1.79x`, `1.93x`.
pub(crate) fn ratio(value: f64, low: f64, high: f64) -> [String; 3] {
    [value, low, high].map(|part| show_ratio(ratio_digits(low, high), part))
}

/// Two decimals, a third when the interval is narrower than a hundredth; an interval of no width supports no
/// third.
fn ratio_digits(low: f64, high: f64) -> Digits {
    let width = (high - low).abs();
    Digits::decimals(if width > 0.0 && width < 0.01 { 3 } else { 2 })
}

/// A ratio and the interval that decided its verdict: `1.86x`, `99 % interval 1.79x to 1.93x`.
pub(crate) fn decided(judgement: &Judgement) -> [String; 2] {
    within(judgement, judgement.deciding())
}

/// A value with its unit and what is known of its 95 % interval: `42 ms (95 % interval 40 to 44)`.
pub(crate) fn with_interval(value: String, ends: (f64, f64), show: impl Fn(f64) -> String) -> String {
    match is_useless(ends.0, ends.1) {
        true => say!("figure-with-useless-interval", value),
        false => say!("figure-with-interval", value, interval = span(ends, show)),
    }
}

/// A ratio and the ends of the interval that decided its verdict, for two columns: `1.86x`, `1.79x to 1.93x`.
pub(crate) fn decided_columns(judgement: &Judgement) -> [String; 2] {
    let Interval { low, high, .. } = judgement.deciding();
    ratio_columns(judgement.ratio.value, (low, high))
}

/// As [`decided_columns`], with the confidence: `1.86x`, `1.79x to 1.93x (99 %)`.
pub(crate) fn decided_columns_at(judgement: &Judgement) -> [String; 2] {
    let Interval { low, high, percent, .. } = judgement.deciding();
    let [value, interval] = decided_columns(judgement);
    match is_useless(low, high) && one_sided(low, high).is_none() {
        true => [value, interval],
        false => [value, say!("figure-at", interval, percent = percent.to_string())],
    }
}

/// A ratio and the ends of an interval of it, as [`decided_columns`] shows them.
pub(crate) fn ratio_columns(value: f64, (low, high): (f64, f64)) -> [String; 2] {
    let digits = ratio_digits(low, high);
    [show_ratio(digits, value), ratio_span((low, high), |end| show_ratio(digits, end))]
}

/// A ratio and an interval of it, as [`decided`] shows them.
pub(crate) fn within(judgement: &Judgement, interval: Interval) -> [String; 2] {
    let [value, low, high] = ratio(judgement.ratio.value, interval.low, interval.high);
    let percent = interval.percent.to_string();
    let shown = match one_sided(interval.low, interval.high) {
        Some(Bound::Above) => say!("figure-interval-above", percent, low),
        Some(Bound::Below) => say!("figure-interval-below", percent, high),
        None if is_useless(interval.low, interval.high) => say!("figure-no-useful-interval").to_owned(),
        None => say!("figure-interval", percent, low, high),
    };
    [value, shown]
}

/// One ratio beside others, two decimals (three significant digits below 0.1).
pub(crate) fn ratio_alone(value: f64) -> String {
    show_ratio(Digits::decimals(2), value)
}

/// A ratio without an interval: two decimals, from ten on three significant digits.
pub(crate) fn times(value: f64) -> String {
    if value >= 10.0 { format!("{}x", plain(value)) } else { ratio_alone(value) }
}

fn show_ratio(digits: Digits, value: f64) -> String {
    // A ratio of 0.004 must not be printed as 0.00x; one of 250 needs no decimals.
    let digits = if value > 0.0 && value < 0.1 || value >= 100.0 { Digits::alone(value) } else { digits };
    format!("{}x", digits.show(value))
}

/// A share (0.03) as a percentage: `3 %`, `2.5 %`.
pub(crate) fn percent(share: f64) -> String {
    let value = share * 100.0;
    let digits =
        if (value - value.round()).abs() < 1e-9 { Digits::decimals(0) } else { Digits::alone(value) };
    format!("{} %", digits.show(value))
}

/// A measured share as a percentage with two significant digits: `1.9 %`, `12 %`.
pub(crate) fn percent_rounded(share: f64) -> String {
    let value = share * 100.0;
    let place = leading_place(value).map_or(0, |lead| (lead - 1).max(-2));
    format!("{} %", Digits { place }.show(value))
}

/// A p-value: three decimals, or an upper bound when smaller.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { Digits::decimals(3).show(p) }
}

/// A scale as it is said: 1/600 for a small one, `full size` for 1, else the number.
pub(crate) fn scale(scale: f64) -> String {
    if scale >= 1.0 {
        return say!("scale-full").to_owned();
    }
    let parts = 1.0 / scale;
    if (parts - parts.round()).abs() < 0.01 * parts {
        say!("scale-part", parts = Digits::decimals(0).show(parts.round()))
    } else {
        say!("scale-other", scale = plain(scale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_interval_decides_the_digits() {
        let shown = |value: f64, half: f64| Digits::of_interval(value, half).show(value);
        assert_eq!(shown(9098.4, 120.0), "9,100");
        assert_eq!(shown(9098.4, 60.0), "9,100");
        assert_eq!(shown(9098.4, 30.0), "9,098");
        assert_eq!(shown(9098.4, 3.0), "9,098");
        assert_eq!(shown(1_463_290.0, 20_000.0), "1,463,000");
        assert_eq!(shown(1.8573, 0.07), "1.86");
        assert_eq!(shown(0.04217, 0.007), "0.0422");
        // An interval wider than the value leaves three digits: 26,000 over 18,000 is not 1.46.
        assert_eq!(shown(4.0, 250.0), "4.00");
        assert_eq!(shown(26_410.0, 30_000.0), "26,400");
        // No spread at all is no licence for ten digits.
        assert_eq!(shown(1234.5678, 0.0), "1,230");
        assert_eq!(shown(1234.5678, 1e-9), "1,235");
    }

    #[test]
    fn odd_values_are_shown_and_never_panic() {
        assert_eq!(plain(0.0), "0");
        assert_eq!(plain(f64::NAN), "-");
        assert_eq!(plain(f64::INFINITY), "-");
        assert_eq!(plain(-1234.0), "\u{2212}1,230");
        assert_eq!(Digits::decimals(0).show(-0.2), "0");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(12), "12");
        let rates = [612_340.0, 67_912.0, 10_000.0, 5_292.0, 1_234_000.0, 0.0].map(short);
        assert!((two_digits(0.288_01) - 0.29).abs() < 1e-12 && two_digits(0.0) == 0.0);
        assert_eq!(rates, ["612k", "67.9k", "10.0k", "5,290", "1.23M", "0"]);
    }

    #[test]
    fn a_wide_interval_of_a_ratio_has_a_bound_or_says_nothing() {
        let shown = |low: f64, high: f64| ratio_columns(40.0, (low, high))[1].clone();
        assert_eq!(shown(3.2, 900.0), "above 3.20x");
        assert_eq!(shown(0.002, 0.31), "below 0.31x");
        assert_eq!(shown(0.0000028, 842_000.0), "no useful interval");
        assert_eq!(shown(0.0, 0.31), "below 0.31x");
        assert_eq!(shown(3.2, f64::INFINITY), "above 3.20x");
        assert_eq!([shown(f64::NAN, 0.3), shown(f64::NAN, f64::NAN)], ["no useful interval"; 2]);
        assert_eq!(shown(3.2, 4.0), "3.20x to 4.00x");
    }

    #[test]
    fn ratios_percentages_and_scales_read_as_they_are_said() {
        assert_eq!(ratio(1.8573, 1.79, 1.93), ["1.86x", "1.79x", "1.93x"]);
        assert_eq!(ratio(1.0, 1.0, 1.0), ["1.00x", "1.00x", "1.00x"]);
        assert_eq!(ratio(6.51, 4.0, 9.4), ["6.51x", "4.00x", "9.40x"]);
        assert_eq!(ratio_alone(0.004), "0.00400x");
        assert_eq!([times(18.6), times(1.334)], ["18.6x", "1.33x"]);
        assert_eq!(percent(0.03), "3 %");
        assert_eq!(percent(0.0251), "2.51 %");
        assert_eq!(p_value(0.0312), "0.031");
        assert_eq!(p_value(0.0001), "< 0.001");
        assert_eq!(scale(1.0 / 600.0), "scale 1/600");
        assert_eq!(scale(1.0), "full size");
        assert_eq!(scale(0.013), "scale 1/77");
    }

    proptest! {
        #[test]
        fn grouping_keeps_every_digit(value in any::<u64>()) {
            let shown = count(value);
            prop_assert_eq!(shown.replace(',', ""), value.to_string());
            prop_assert!(shown.split(',').skip(1).all(|group| group.len() == 3));
        }

        #[test]
        fn rounding_stays_within_the_interval(value in 0.001f64..1e9, share in 0.001f64..0.5) {
            let half = value * share;
            let shown: f64 = Digits::of_interval(value, half).show(value).replace(',', "").parse().expect("a numeral");
            prop_assert!((shown - value).abs() <= half.max(value * 0.001) , "{value} +- {half} shown as {shown}");
        }
    }
}

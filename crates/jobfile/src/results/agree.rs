//! Numbers of one result that must fit each other: counts, times and rates, and the order of percentiles.
//!
//! Invariant: what the tools themselves write fits. The bounds leave room for their rounding, for times that
//! they measure a moment apart, and for the width of the bins of their histograms.

/// A rate may be this share away from its count over its time.
const RATE_SHARE: f64 = 0.05;
/// A percentile is the middle of a bin, which may lie this share above the largest value in it.
const BIN_SHARE: f64 = 0.02;

/// A count and the time in which it was counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub(super) count: f64,
    pub(super) time_s: f64,
    /// The time to which the rate belongs may be shorter by so much, and longer by so much.
    pub(super) slack_s: (f64, f64),
}

impl Counted {
    /// The rate that follows.
    pub(super) fn rate(&self) -> f64 {
        if self.time_s > 0.0 { self.count / self.time_s } else { 0.0 }
    }

    /// True if a stated rate can be that of this count; it is written to the nearest `step`.
    pub(super) fn fits(&self, rate: f64, step: f64) -> bool {
        let longest_s = self.time_s + self.slack_s.1;
        let shortest_s = self.time_s - self.slack_s.0;
        let least = if longest_s > 0.0 { self.count / longest_s } else { 0.0 };
        let most = match shortest_s > 0.0 {
            true => self.count / shortest_s,
            false if self.count > 0.0 => f64::INFINITY,
            false => 0.0,
        };
        (least * (1.0 - RATE_SHARE) - step..=most * (1.0 + RATE_SHARE) + step).contains(&rate)
    }
}

/// The first two percentiles of which the higher one is the smaller value; each is per cent and value.
pub(super) fn falling(percentiles: &mut [(f64, f64)]) -> Option<[(f64, f64); 2]> {
    percentiles.sort_by(|a, b| a.0.total_cmp(&b.0));
    percentiles.windows(2).find(|pair| pair[1].1 < pair[0].1).map(|pair| [pair[0], pair[1]])
}

/// True if a percentile lies further above the maximum than a bin and the rounding to a `step` explain.
pub(super) fn is_above(value: f64, most: f64, step: f64) -> bool {
    value > most * (1.0 + BIN_SHARE) + step
}

/// A number in a message: short, with all digits that tell it from its like.
pub(super) fn shown(number: f64) -> String {
    match number {
        _ if number == 0.0 || (1e-3..1e15).contains(&number.abs()) => {
            let text = format!("{number:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => format!("{number:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_fits_its_count_within_five_per_cent_and_the_slack_of_its_time() {
        let exact = Counted { count: 1000.0, time_s: 10.0, slack_s: (0.0, 0.0) };
        assert!(exact.fits(95.1, 0.0) && exact.fits(104.9, 0.0) && exact.rate() == 100.0);
        assert!(!exact.fits(94.0, 0.0) && !exact.fits(106.0, 0.0) && exact.fits(106.0, 1.5));
        let longer = Counted { slack_s: (1.0, 10.0), ..exact };
        assert!(longer.fits(48.0, 0.0) && longer.fits(116.0, 0.0) && !longer.fits(47.0, 0.0));
        let instant = Counted { time_s: 0.0, ..exact };
        assert!(Counted { slack_s: (0.1, 0.1), ..instant }.fits(1e5, 0.0));
        assert!(!Counted { slack_s: (0.1, 0.1), ..instant }.fits(100.0, 0.0));
        let none = Counted { count: 0.0, time_s: 0.0, slack_s: (0.1, 0.1) };
        assert!(none.fits(0.0, 0.0) && !none.fits(1.0, 0.0));
    }

    #[test]
    fn percentiles_rise_and_stay_below_the_maximum() {
        assert_eq!(falling(&mut [(99.0, 3.0), (50.0, 1.0), (95.0, 1.0)]), None);
        assert_eq!(falling(&mut [(99.0, 1.0), (50.0, 9.0)]), Some([(50.0, 9.0), (99.0, 1.0)]));
        assert!(!is_above(1_777_664.0, 1_775_267.0, 0.0) && is_above(1.03, 1.0, 0.0));
        assert!(!is_above(1.03, 1.0, 0.01));
    }

    #[test]
    fn numbers_are_shown_short() {
        let all = [0.0, 1000.0, 255.024_565, 1e18, 2e-7].map(shown);
        assert_eq!(all, ["0", "1000", "255.025", "1e18", "2e-7"]);
    }
}

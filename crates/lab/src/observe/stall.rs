//! Standstills after which a load catches up: a client that keeps a pace sends afterwards what it could not
//! send before. The mean rate does not show it, and neither part of the time is the load as it is.

/// A standstill lasts as long, at least, seconds: statistics of sessions arrive up to a second late, so that
/// a single second without transactions means nothing.
const STILL_LEAST_S: usize = 2;
/// A second below this share of the usual rate stands still.
const STILL_SHARE: f64 = 0.1;
/// A second above this share of the usual rate catches up: the rates of single seconds of a steady load
/// differ by less.
const BURST_SHARE: f64 = 1.5;
/// The burst begins within so many seconds after the standstill: the first one may be partly still.
const SOON_S: usize = 2;

/// Standstills that were caught up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CaughtUp {
    /// Their number.
    pub(super) times: u64,
    /// Their seconds.
    pub(super) still_s: usize,
    /// The highest rate of a second afterwards, transactions per second.
    pub(super) burst_per_s: f64,
    /// The median rate of the seconds that did not stand still, transactions per second.
    pub(super) usual_per_s: f64,
}

/// Looks for them in the rates of seconds in a row; NaN is a second in which the server did not answer.
/// `None` without any.
pub(super) fn caught_up(per_s: &[f64]) -> Option<CaughtUp> {
    let usual_per_s = usual(per_s)?;
    let is_still = |rate: &f64| rate.is_nan() || *rate <= STILL_SHARE * usual_per_s;
    let mut found = CaughtUp { usual_per_s, ..CaughtUp::default() };
    let mut second = 0;
    while second < per_s.len() {
        let still_s = per_s[second..].iter().take_while(|rate| is_still(rate)).count();
        second += still_s.max(1);
        // A load that stands still from the beginning has sent nothing before.
        if still_s < STILL_LEAST_S || second == still_s {
            continue;
        }
        let soon = per_s[second..].iter().take(SOON_S).copied().fold(0.0, f64::max);
        if soon > BURST_SHARE * usual_per_s {
            found.times += 1;
            found.still_s += still_s;
            found.burst_per_s = found.burst_per_s.max(soon);
        }
    }
    (found.times > 0).then_some(found)
}

/// The median rate of the seconds with transactions.
fn usual(per_s: &[f64]) -> Option<f64> {
    let mut rates: Vec<f64> = per_s.iter().copied().filter(|rate| *rate > 0.0).collect();
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(parts: &[(usize, f64)]) -> Vec<f64> {
        parts.iter().flat_map(|(seconds, rate)| vec![*rate; *seconds]).collect()
    }

    #[test]
    fn a_burst_after_a_silence_is_told_whether_the_server_was_away_or_stood_still() {
        for still in [f64::NAN, 0.0, 3.0] {
            let paced = rates(&[(20, 100.0), (8, still), (1, 60.0), (2, 450.0), (20, 100.0)]);
            let expected = CaughtUp { times: 1, still_s: 8, burst_per_s: 450.0, usual_per_s: 100.0 };
            assert_eq!(caught_up(&paced), Some(expected), "still at {still}");
        }
        let twice = rates(&[(9, 100.0), (3, f64::NAN), (1, 400.0), (9, 100.0), (4, 0.0), (1, 500.0)]);
        let expected = CaughtUp { times: 2, still_s: 7, burst_per_s: 500.0, usual_per_s: 100.0 };
        assert_eq!(caught_up(&twice), Some(expected));
    }

    #[test]
    fn a_load_that_goes_on_as_before_and_a_late_second_are_none() {
        for none in [
            rates(&[(20, 100.0), (8, f64::NAN), (20, 105.0)]),
            rates(&[(20, 100.0), (1, 0.0), (1, 200.0), (20, 100.0)]),
            rates(&[(5, 0.0), (1, 180.0), (20, 100.0)]),
            rates(&[(20, 100.0), (8, f64::NAN)]),
            rates(&[(8, f64::NAN)]),
            Vec::new(),
        ] {
            assert_eq!(caught_up(&none), None, "{none:?}");
        }
    }
}

//! Whole seconds from counters that were read about once a second.

/// The longest time between two readings whose growth is spread over its seconds, s. In a longer one the
/// program was stopped or got no processor: nobody knows the growth of each second.
const LONGEST_S: f64 = 2.0;
/// A series ends with a second of which less than this is missing, s.
const MISSING_S: f64 = 0.05;

/// The times between the readings of a series.
pub(crate) struct Steps {
    /// Start and end of each, seconds since the first reading.
    steps_s: Vec<(f64, f64)>,
}

impl Steps {
    /// Between readings at these moments, in nanoseconds of one clock, in their order.
    pub(crate) fn between(moments_ns: impl Iterator<Item = u64>) -> Self {
        let moments_ns: Vec<u64> = moments_ns.collect();
        let first_ns = moments_ns.first().copied().unwrap_or(0);
        let second = |at_ns: u64| at_ns.saturating_sub(first_ns) as f64 / 1e9;
        Self { steps_s: moments_ns.windows(2).map(|pair| (second(pair[0]), second(pair[1]))).collect() }
    }

    /// The growth per second in each whole second, from the growth in each step; a gap where no reading
    /// tells it. A series that is shorter than a second has one value.
    pub(crate) fn rates(&self, grown: impl Iterator<Item = f64>) -> Vec<f64> {
        let end_s = self.steps_s.last().map_or(0.0, |step| step.1);
        if end_s <= 0.0 {
            return Vec::new();
        }
        let seconds = ((end_s + MISSING_S).floor() as usize).max(1);
        let end_of = |second: usize| (second as f64 + 1.0).min(end_s);
        let mut sums = vec![0.0; seconds];
        for (&(start_s, stop_s), grown) in self.steps_s.iter().zip(grown) {
            let length_s = stop_s - start_s;
            let touched = start_s as usize..(stop_s.ceil() as usize).min(seconds);
            for second in touched {
                let shared_s = stop_s.min(end_of(second)) - start_s.max(second as f64);
                if shared_s > 0.0 {
                    let known = if length_s > LONGEST_S { f64::NAN } else { grown };
                    sums[second] += known * shared_s / length_s;
                }
            }
        }
        sums.iter().enumerate().map(|(second, sum)| sum / (end_of(second) - second as f64)).collect()
    }

    /// The quotient of two growths in each whole second; a gap where the divisor did not grow.
    pub(crate) fn quotients(
        &self,
        above: impl Iterator<Item = f64>,
        below: impl Iterator<Item = f64>,
    ) -> Vec<f64> {
        let (above, below) = (self.rates(above), self.rates(below));
        above
            .iter()
            .zip(&below)
            .map(|(above, below)| if *below > 0.0 { above / below } else { f64::NAN })
            .collect()
    }

    /// The lengths, s.
    pub(crate) fn lengths_s(&self) -> impl Iterator<Item = f64> {
        self.steps_s.iter().map(|(start_s, end_s)| end_s - start_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn rates(moments_ms: &[u64], grown: &[f64]) -> Vec<f64> {
        let steps = Steps::between(moments_ms.iter().map(|ms| 7 + ms * MS));
        steps.rates(grown.iter().copied()).iter().map(|rate| (rate * 1e6).round() / 1e6).collect()
    }

    #[test]
    fn each_second_has_its_value_and_the_part_at_the_end_has_none() {
        assert_eq!(rates(&[0, 1_000, 2_000, 2_400], &[10.0, 20.0, 9.0]), [10.0, 20.0]);
        assert_eq!(rates(&[0, 1_000, 1_980], &[10.0, 19.6]), [10.0, 20.0], "the last second is nearly whole");
        assert_eq!(rates(&[0, 250], &[5.0]), [20.0]);
        assert!(
            rates(&[0], &[]).is_empty() && rates(&[], &[]).is_empty() && rates(&[5, 5], &[1.0]).is_empty()
        );
    }

    #[test]
    fn a_late_reading_moves_no_second() {
        assert_eq!(rates(&[0, 1_500, 2_000, 3_000], &[15.0, 5.0, 10.0]), [10.0, 10.0, 10.0]);
    }

    #[test]
    fn a_stall_is_a_gap_and_the_seconds_after_it_stay_in_their_places() {
        let seen = rates(&[0, 1_000, 4_600, 5_000, 6_000, 7_000], &[10.0, 36.0, 4.0, 30.0, 40.0]);
        assert_eq!((seen.len(), seen[0]), (7, 10.0));
        assert!(seen[1..5].iter().all(|rate| rate.is_nan()), "{seen:?}");
        assert_eq!(seen[5..], [30.0, 40.0]);
    }

    #[test]
    fn a_day_of_seconds_takes_one_pass() {
        let moments: Vec<u64> = (0..=86_400).map(|second| second * 1_000).collect();
        let seen = rates(&moments, &vec![3.0; 86_400]);
        assert!(seen.len() == 86_400 && seen.iter().all(|rate| *rate == 3.0));
    }

    #[test]
    fn a_mean_is_a_gap_where_nothing_happened() {
        let steps = Steps::between([0, 1_000 * MS, 2_000 * MS].into_iter());
        let means = steps.quotients([30.0, 0.0].into_iter(), [3.0, 0.0].into_iter());
        assert!(means[0] == 10.0 && means[1].is_nan(), "{means:?}");
        assert_eq!(steps.lengths_s().collect::<Vec<_>>(), [1.0, 1.0]);
    }
}

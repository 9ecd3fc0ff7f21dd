//! A latency that was measured on one drive, carried to another.

use measure::Histogram;

use super::Latency;
use super::network::Tried;

/// A part of a distribution of latencies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Its mean.
    Mean,
    /// Its 99th percentile.
    P99,
}

impl Part {
    fn of(self, latency: Latency) -> f64 {
        match self {
            Part::Mean => latency.mean_ns,
            Part::P99 => latency.p99_ns,
        }
    }

    /// The share by which it may be off, where throughput may be off by `spread`.
    pub(super) fn spread(self, spread: f64) -> f64 {
        match self {
            Part::Mean => spread,
            Part::P99 => 3.0 * spread,
        }
    }
}

/// A part of a latency that was measured on the first drive, carried to the second; without a measurement the
/// model's own.
pub(super) fn carried(
    [here, there]: [&Tried; 2],
    of: fn(&Tried) -> &Histogram,
    part: Part,
    measured: Option<Latency>,
) -> (f64, (f64, f64)) {
    let [here, there] = [here, there].map(|tried| part.of(Latency::of(of(tried))));
    carry(measured.map_or(here, |latency| part.of(latency)), here, there)
}

/// `measured` where the model says `here`, carried to a place where it says `there`: best guess, and the
/// range around it. Time beyond the model may be constant or grow with all the rest: the guess is the
/// geometric mean of both. A model that is too high is too high by a factor.
fn carry(measured: f64, here: f64, there: f64) -> (f64, (f64, f64)) {
    let by_factor = there * measured / here.max(1.0);
    if measured < here {
        return (by_factor, (by_factor, there));
    }
    let by_time = there + measured - here;
    ((by_factor * by_time).sqrt(), (by_factor, by_time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_beyond_the_model_may_stay_or_grow() {
        assert_eq!(carry(3.0, 1.0, 4.0), (72.0_f64.sqrt(), (12.0, 6.0)));
        assert_eq!(carry(3.0, 6.0, 4.0), (2.0, (2.0, 4.0)), "a model that is too high");
    }
}

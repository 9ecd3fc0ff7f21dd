//! The statistics of measured numbers: histograms, one-second series, steady state, ratios with their
//! uncertainty, verdicts, changes in a history.
//!
//! Latencies and throughputs that drivetrain measures pass through here, from the nanosecond that a
//! completion is counted to the word ("better", "inconclusive") that a reader takes away.
//!
//! Invariant: pure. No I/O, no clock, no global state and no randomness without a fixed seed: the same inputs
//! give the same answer on every machine, so a comparison can be repeated from a stored notebook anywhere.
//!
//! Read in this order: a cell records into a [`Histogram`] and a [`Timeline`]; a timeline becomes [`Series`]
//! and tells whether the cell was [steady](assess_steady_state); the per-cell figures of two beds become a
//! [`Ratio`]; a ratio becomes a [`Judgement`], and a judgement answers a gate ([`Loss`]); values of many runs
//! have [`changes`].

mod histogram;
mod timeline;

mod series;
mod steady;

mod change;
mod estimate;
mod permutation;
mod ratio;
pub mod verdict;

pub mod loss;

pub use change::{CHANGE_VALUES_LEAST, Change, changes};
pub use estimate::{
    CONFIDENCE, Estimate, arithmetic_mean, coefficient_of_variation, geometric_mean, mean_interval, median,
    range_over_median, typical, typical_interval,
};
pub use histogram::{DecodeError, Histogram};
pub use loss::Loss;
pub use permutation::{holm, mann_whitney, sign_flip};
pub use ratio::{Ratio, StatisticsError, paired_ratio, times, unpaired_ratio};
pub use series::Series;
pub use steady::{SteadyCriteria, SteadyState, assess_steady_state, first_steady_state};
pub use timeline::{Second, Timeline};
pub use verdict::{DECISION_CONFIDENCE, Interval, Judgement, Verdict, in_percent, judge};
pub use words::Direction;

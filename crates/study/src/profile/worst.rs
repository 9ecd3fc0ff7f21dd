//! The loads that a model predicts worst: a median says nothing of them.

use std::fmt;

use device::catalogue::Accuracy;
use words::say;

use super::fitted::factor;
use super::kept::JUDGED;
use super::loads::Side;
use super::shape::LoadShape;

/// A load that is off by more than this factor is named.
const BEYOND: f64 = 1.0 + Accuracy::GOOD_PERCENT / 1e2;
/// An error beyond this factor is written as a factor.
const FACTOR: f64 = 2.0;
/// As many are named.
const NAMED: usize = 3;

/// A figure of a load that the fit did not see, far from the measured one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worst {
    /// The load.
    pub shape: LoadShape,
    /// Its reads, writes or flushes.
    pub side: Side,
    /// The place of the figure in [`JUDGED`].
    pub figure: usize,
    /// Prediction / measured - 1.
    pub error: f64,
}

/// The worst of judged loads, each by its worst figure; none where all are within the bar. `points` have the
/// errors in the order of [`JUDGED`].
pub(super) fn worst(points: impl Iterator<Item = (LoadShape, Side, [Option<f64>; 4])>) -> Vec<Worst> {
    let of_point = |(shape, side, errors): (LoadShape, Side, [Option<f64>; 4])| {
        let known = errors.into_iter().enumerate().filter_map(|(figure, error)| Some((figure, error?)));
        let (figure, error) = known.max_by(|a, b| factor(a.1).total_cmp(&factor(b.1)))?;
        Some(Worst { shape, side, figure, error })
    };
    let mut found: Vec<Worst> =
        points.filter_map(of_point).filter(|worst| factor(worst.error) > BEYOND).collect();
    found.sort_by(|a, b| factor(b.error).total_cmp(&factor(a.error)));
    // Repeats of a load are one load; the worst of them comes first.
    let mut named: Vec<Worst> = Vec::new();
    for worst in found {
        if !named.iter().any(|known| (known.shape, known.side) == (worst.shape, worst.side)) {
            named.push(worst);
        }
    }
    named.truncate(NAMED);
    named
}

impl Worst {
    /// The figure: `mean`, `p50`, `p95` or `p99`.
    #[must_use]
    pub fn figure_name(&self) -> &'static str {
        JUDGED.get(self.figure).copied().unwrap_or_default()
    }

    /// True if the load's name says already which operations are meant.
    fn is_plain(&self) -> bool {
        match self.side {
            Side::Reads => self.shape.read_share >= 1.0,
            Side::Writes => self.shape.read_share <= 0.0,
            Side::Flushes => false,
        }
    }

    /// `+48 %`; `\u{d7}3.6` for 3.6 times the measured value, `\u{f7}9040` for a small part of it.
    fn size(&self) -> String {
        let factor = factor(self.error);
        let sign = if self.error > 0.0 { '\u{d7}' } else { '\u{f7}' };
        match factor {
            ..=FACTOR => format!("{:+.0} %", self.error * 1e2),
            ..10.0 => format!("{sign}{factor:.1}"),
            _ => format!("{sign}{factor:.0}"),
        }
    }

    /// The load and its error in the language of the reader.
    #[must_use]
    pub fn said(&self) -> String {
        let (load, figure, error) = (self.shape.said(), self.figure_name(), self.size());
        if self.is_plain() {
            return say!("profile-worst-load", load, figure, error);
        }
        let side = match self.side {
            Side::Reads => say!("profile-reads"),
            Side::Writes => say!("profile-writes"),
            Side::Flushes => say!("profile-flushes"),
        };
        say!("profile-worst-side", load, side, figure, error)
    }
}

/// As files say it: `random 4KiB, 70 % reads, depth 64, writes: p99 +48 %`.
impl fmt::Display for Worst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (load, figure, error) = (self.shape, self.figure_name(), self.size());
        if self.is_plain() {
            return write!(f, "{load}: {figure} {error}");
        }
        write!(f, "{load}, {}: {figure} {error}", self.side.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_three_are_named_each_once_by_its_worst_figure() {
        let shape = |depth: u32| LoadShape {
            read_share: 0.7,
            block_bytes: 4096,
            is_sequential: false,
            depth,
            offered_per_s: None,
            flush_every: None,
            is_from_rest: false,
        };
        let errors = [0.1, -0.36, 0.5, -0.9, 0.4];
        let point = |(at, error): (usize, &f64)| {
            (shape(1 << at), Side::Writes, [Some(error / 2.0), Some(*error), Some(0.0), None])
        };
        let found = worst(errors.iter().enumerate().map(point));
        assert_eq!(found.iter().map(|worst| worst.error).collect::<Vec<_>>(), [-0.9, -0.36, 0.5]);
        assert_eq!(found[0].to_string(), "random 4KiB, 70 % reads, depth 8, writes: p50 \u{f7}10");
        assert_eq!(found[0].said(), found[0].to_string(), "English says what files say");
        let reads = Worst { shape: LoadShape { read_share: 1.0, ..shape(4) }, side: Side::Reads, ..found[2] };
        assert_eq!(reads.to_string(), "random 4KiB reads, depth 4: p50 +50 %");
        assert_eq!(reads.said(), reads.to_string());
        assert_eq!(worst(errors[..1].iter().enumerate().map(point)), []);
        let repeats = [0.5, -0.9, 0.6].map(|error| (shape(4), Side::Reads, [Some(error), None, None, None]));
        assert_eq!(worst(repeats.into_iter()).len(), 1, "repeats are one load");
    }
}

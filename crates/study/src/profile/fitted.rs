//! A drive as fitted to measurements, whatever they were, and the size of errors.

use device::DriveSpec;

/// A drive fitted to measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The drive for the model.
    pub spec: DriveSpec,
    /// Its numbers beside a map.
    pub numbers: Vec<FittedNumber>,
    /// Its properties that are no numbers.
    pub words: Vec<FittedWord>,
}

/// One number of a fitted drive, by its key in a drive file.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedNumber {
    /// Table and key with the unit, such as `read.latency_4k_us`.
    pub key: &'static str,
    /// The number, in the unit of the key.
    pub value: f64,
    /// Its interval; `None` where the data do not say, and the number is a stand-in.
    pub interval: Option<(f64, f64)>,
    /// The part of the data that it comes from, or the reason why they do not say.
    pub source: String,
}

/// One property of a fitted drive that is no number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FittedWord {
    /// Table and key, such as `link.duplex`.
    pub key: &'static str,
    /// The value as TOML.
    pub value: String,
    /// False where the data do not say, and the value is a stand-in.
    pub is_identified: bool,
    /// The part of the data that it comes from, or the reason why they do not say.
    pub source: String,
}

impl Fitted {
    /// The number of that key.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<&FittedNumber> {
        self.numbers.iter().find(|number| number.key == key)
    }

    /// True if no load told of writes: the model lets them take no time.
    #[must_use]
    pub fn is_without_writes(&self) -> bool {
        self.spec.write_ack_ns == 0 && self.spec.write_4k_per_s == f64::INFINITY
    }

    /// Keys of the numbers and words that the data say.
    pub fn identified(&self) -> impl Iterator<Item = &'static str> {
        let numbers = self.numbers.iter().filter(|number| number.interval.is_some()).map(|number| number.key);
        numbers.chain(self.words.iter().filter(|word| word.is_identified).map(|word| word.key))
    }
}

/// Relative errors of one figure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// The median of the errors.
    pub median: f64,
    /// The error that nine in ten points keep.
    pub nine_in_ten: f64,
    /// Points.
    pub points: usize,
}

/// The factor by which a prediction is off, whichever is larger: half the measured value is as far from it as
/// twice. Prediction / measured - 1 would call a model that answers 0 wrong by no more than 100 %.
pub(super) fn factor(error: f64) -> f64 {
    let ratio = (1.0 + error).max(1e-9);
    ratio.max(1.0 / ratio)
}

/// The middle of signed errors; 0 without any.
pub(super) fn middle(signed: &[f64]) -> f64 {
    let mut sorted = signed.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// The sizes of signed errors.
pub(super) fn errors(signed: &[f64]) -> Errors {
    let mut sizes: Vec<f64> = signed.iter().map(|error| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    // The smallest error that this share of the points keeps.
    let at = |share: f64| {
        let rank = (sizes.len() as f64 * share).ceil() as usize;
        sizes.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
    };
    Errors { median: at(0.5), nine_in_ten: at(0.9), points: sizes.len() }
}

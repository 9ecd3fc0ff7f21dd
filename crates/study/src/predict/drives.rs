//! The two drives of a prediction.

use device::DriveSpec;
use device::catalogue::Entry;

/// The error of a drive model whose numbers were measured (crates/device/tests/model): a share of its times.
pub(super) const MODEL_SPREAD: f64 = 0.05;

/// The drive that a load was measured on, the one that it is predicted for, and the error of their models.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drives<'a> {
    /// The measured one.
    pub(super) from: &'a DriveSpec,
    /// The other.
    pub(super) to: &'a DriveSpec,
    /// The error of the models, a share of times.
    pub(super) model_spread: f64,
}

impl<'a> Drives<'a> {
    /// Two drives with the errors that their files state. The median error counts: a database reads and
    /// writes at many points of a map, of which single ones may be far off.
    pub(crate) fn of(from: &'a Entry, to: &'a Entry) -> Drives<'a> {
        let stated = [from, to].into_iter().filter_map(stated_error).fold(MODEL_SPREAD, f64::max);
        Drives { from: &from.spec, to: &to.spec, model_spread: stated }
    }
}

/// The median error that a drive's file states, of the mean or else of the median of latencies: a share.
fn stated_error(entry: &Entry) -> Option<f64> {
    let accuracy = entry.accuracy.as_ref()?;
    let (median_percent, _) = accuracy.mean_percent.unwrap_or(accuracy.p50_percent);
    Some(median_percent / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use device::catalogue;

    #[test]
    fn the_larger_stated_error_counts_and_never_less_than_that_of_any_model() {
        let plain = catalogue::find("kingston-dc1500m-960g").expect("in the catalogue");
        let mapped = catalogue::find("toshiba-dt01aca200").expect("in the catalogue");
        let stated = stated_error(mapped).expect("it was fitted to a map");
        assert_eq!(stated_error(plain), None);
        for (from, to) in [(plain, mapped), (mapped, plain)] {
            assert_eq!(Drives::of(from, to).model_spread, stated.max(MODEL_SPREAD));
        }
        assert_eq!(Drives::of(plain, plain).model_spread, MODEL_SPREAD);
    }
}

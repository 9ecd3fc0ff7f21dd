//! The patterns of the I/Os' places in a file: their keys in an experiment, and the bounds of their numbers.

use ground::Zipf;

use crate::keys::choice::words_and_keys;
use crate::keys::table::table;
use crate::units::{Share, Size};

/// Logical blocks of drives have 512 bytes at least, and O_DIRECT reads whole ones.
pub(super) const SECTOR_BYTES: u64 = 512;
const BANDS_MAX: usize = 64;

words_and_keys! {
    /// The pattern of the I/Os' places in the file.
    pub enum Pattern "pattern" {
        words {
            /// From the front to the back, then again.
            Sequential = "sequential",
            /// Every block with equal probability, with replacement.
            Uniform = "uniform",
            /// Every block once in random order, then again in another random order.
            Shuffled = "shuffled",
        }
        keys {
            /// Zipf's law with this exponent: the block of rank k is drawn in proportion to 1/k^exponent.
            Zipf(f64) = "zipf": required("1.1"),
            /// The self-similar law with this parameter h: a share h of the blocks gets 1 - h of the I/Os,
            /// and so on within both.
            Pareto(f64) = "pareto": required("0.2"),
            /// A normal distribution around the middle of the file: this is its standard deviation as a share
            /// of the file.
            Normal(Share) = "normal": required("\"15%\""),
            /// A part of the file gets most of the I/Os.
            HotSpot(HotSpot) = "hot_spot": required("{ share = \"20%\", access = \"80%\" }"),
            /// The file in bands from the front, each with its share of the I/Os.
            Bands(Vec<Band>) = "bands":
                required("[{ share = \"5%\", access = \"50%\" }, { share = \"95%\", access = \"50%\" }]"),
            /// From the front to the back in steps of this size.
            Stride(Size) = "stride": required("\"64KiB\""),
            /// From the back to the front in steps of this size.
            Backward(Size) = "backward": required("\"64KiB\""),
            /// Zones with gaps between them, one after the other from the front.
            Zones(Zones) = "zones": required("{ range = \"1MiB\", skip = \"9MiB\", transfer = \"1MiB\" }"),
        }
    }
}

table! {
    /// A part of a file that gets most of the I/Os.
    #[derive(Copy)]
    pub struct HotSpot "hot spot" {
        /// The part of the file that is hot.
        share: Share = required("\"20%\"");
        /// The share of I/Os in it.
        access: Share = required("\"80%\"");
    }
}

table! {
    /// A band of a file.
    #[derive(Copy)]
    pub struct Band "band" {
        /// The part of the file; all bands sum to 100%.
        share: Share = required("\"20%\"");
        /// The share of I/Os in it; all bands sum to 100%.
        access: Share = required("\"80%\"");
    }
}

table! {
    /// Zones with gaps between them: a fixed amount is transferred in one zone, then in the next one behind
    /// the gap.
    #[derive(Copy)]
    pub struct Zones "zones" {
        /// The size of a zone.
        range: Size = required("\"1MiB\"");
        /// The gap between two zones.
        skip: Size = required("\"9MiB\"");
        /// The amount to transfer in a zone before the next; an amount above its size passes over it again.
        transfer: Size = required("\"1MiB\"");
        /// True for random places in the zone instead of a sequence from its front.
        random: bool = implied(false);
    }
}

impl Pattern {
    /// True if a stream of it has a position, which each I/O moves on.
    pub fn is_walk(&self) -> bool {
        matches!(self, Pattern::Sequential | Pattern::Stride(_) | Pattern::Backward(_) | Pattern::Zones(_))
    }

    /// The fault of its numbers, and the remedy.
    pub(super) fn fault(&self) -> Option<(&'static str, &'static str)> {
        let part = |share: Share| share.0 > 0.0 && share.0 < 1.0;
        let fault = match self {
            Pattern::Zipf(exponent) if !Zipf::is_theta(*exponent) => (
                "a zipf exponent lies above 0 and up to 5",
                "1.1 is a usual one; use \"uniform\" for no skew",
            ),
            Pattern::Pareto(h) if !(*h > 0.0 && *h < 1.0) => (
                "the parameter of pareto lies between 0 and 1",
                "0.2 is a usual one: 20% of the blocks get 80% of the I/Os",
            ),
            Pattern::Normal(deviation) if deviation.0 <= 0.0 => {
                ("a bell without a deviation is a point", "for example { normal = \"15%\" }")
            }
            Pattern::HotSpot(spot) if !part(spot.share) || !part(spot.access) => (
                "a hot spot's shares must lie between 0% and 100%",
                "for example { share = \"20%\", access = \"80%\" }",
            ),
            Pattern::Bands(bands) if !bands_fit(bands) => (
                "the bands' shares and accesses must each be above 0% and sum to 100%",
                "for example [{ share = \"5%\", access = \"50%\" }, { share = \"95%\", access = \"50%\" }]",
            ),
            Pattern::Stride(step) | Pattern::Backward(step)
                if step.0 == 0 || !step.0.is_multiple_of(SECTOR_BYTES) =>
            {
                ("a stride is a number of 512-byte sectors", "for example { stride = \"64KiB\" }")
            }
            Pattern::Zones(zones)
                if zones.range.0 == 0
                    || zones.transfer.0 == 0
                    || !(zones.range.0 | zones.skip.0).is_multiple_of(SECTOR_BYTES) =>
            {
                (
                    "zones are a number of 512-byte sectors, and something is moved in each",
                    "for example { range = \"1MiB\", skip = \"9MiB\", transfer = \"1MiB\" }",
                )
            }
            _ => return None,
        };
        Some(fault)
    }
}

fn bands_fit(bands: &[Band]) -> bool {
    let sums_to_one = |part: fn(&Band) -> f64| {
        bands.iter().all(|band| part(band) > 0.0) && (bands.iter().map(part).sum::<f64>() - 1.0).abs() <= 1e-6
    };
    bands.len() <= BANDS_MAX && sums_to_one(|band| band.share.0) && sums_to_one(|band| band.access.0)
}

//! vdbench's `hotband`: a part of the storage that is used the more, the nearer its front. The frequency of
//! each depth is the same for every size of band (vdbench 5.04.07); the part behind the band's end is spread
//! over all of it.

use experiment::{Band, Extent, Pattern, Share};

use super::definitions::Definition;
use crate::source::Reading;

/// Depth from the band's front in MB, and the share of I/Os that stay before it: vdbench's curve at about
/// every fourth size.
const CURVE: [(f64, f64); 11] = [
    (16.0, 0.087),
    (64.0, 0.132),
    (256.0, 0.202),
    (1_024.0, 0.326),
    (4_096.0, 0.386),
    (16_384.0, 0.483),
    (65_536.0, 0.561),
    (262_144.0, 0.624),
    (1_048_576.0, 0.675),
    (16_777_216.0, 0.750),
    (1_073_741_824.0, 0.818),
];
/// Storage whose size is not known here counts as so large.
const ASSUMED_BYTES: u64 = 100_000_000_000;
/// Less than this is no band for vdbench either.
const BAND_MB_MIN: f64 = 1.0;

/// The pattern within the band, whose region the stream already keeps to. `size_bytes` is that of the
/// storage, when it is known.
pub(super) fn pattern(
    reading: &mut Reading<'_>,
    said: &Definition,
    size_bytes: Option<u64>,
    length: Option<Extent>,
) -> Pattern {
    let size = size_bytes.unwrap_or(ASSUMED_BYTES) as f64;
    let band_mb = match length {
        None => size / 1e6,
        Some(Extent::Share(share)) => size * share.0 / 1e6,
        Some(Extent::Bytes(bytes)) => bytes.0 as f64 / 1e6,
    };
    let band_mb = band_mb.max(BAND_MB_MIN);
    let known = if size_bytes.is_none() && !matches!(length, Some(Extent::Bytes(_))) {
        ", reckoned for storage of 100 GB, for its size is not known here"
    } else {
        ""
    };
    let text = format!(
        "the band is used in steps from its hot front on, after vdbench's curve{known}; writes go where reads go, not 1% behind them"
    );
    reading.note(said.place_of("hotband"), text);
    Pattern::Bands(bands(band_mb))
}

/// The curve up to a band's end, with the part beyond it spread evenly.
fn bands(band_mb: f64) -> Vec<Band> {
    let before: Vec<(f64, f64)> = CURVE.into_iter().take_while(|(depth, _)| *depth < band_mb).collect();
    let (from, to) =
        (before.last().copied().unwrap_or((0.0, 0.0)), CURVE.iter().find(|(d, _)| *d >= band_mb));
    let at_end = to.map_or(from.1, |to| from.1 + (to.1 - from.1) * (band_mb - from.0) / (to.0 - from.0));
    let mut last = (0.0, 0.0);
    let mut bands = Vec::new();
    for (depth, reached) in before.into_iter().chain([(band_mb, at_end)]) {
        let share = (depth - last.0) / band_mb;
        bands.push(Band { share: Share(share), access: Share(reached - last.1 + (1.0 - at_end) * share) });
        last = (depth, reached);
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_sum_to_the_whole_and_cool_down() {
        for band_mb in [1.0, 16.0, 500.0, 8_000.0, 4e6, 1e12] {
            let bands = bands(band_mb);
            let sum = |part: fn(&Band) -> f64| bands.iter().map(part).sum::<f64>();
            assert!(
                (sum(|band| band.share.0) - 1.0).abs() < 1e-9
                    && (sum(|band| band.access.0) - 1.0).abs() < 1e-9
            );
            let density: Vec<f64> = bands.iter().map(|band| band.access.0 / band.share.0).collect();
            assert!(density.first() >= density.last(), "{density:?}");
        }
    }

    #[test]
    fn the_front_of_a_band_is_as_hot_as_vdbench_makes_it() {
        // 8 GB: the first 16 MB get their 8.7 % and a five-hundredth of the 56 % that would lie beyond the
        // end.
        let bands = bands(8_000.0);
        assert!((bands[0].share.0 - 0.002).abs() < 1e-12, "{bands:?}");
        assert!((bands[0].access.0 - 0.0882).abs() < 2e-4, "{bands:?}");
    }
}

//! Coarse latency buckets for the one-second bins: exact below 64 ns, then 32 equal buckets in each doubling.
//!
//! A full HdrHistogram per second would take 260 KB; here a second costs 8 bytes for each bucket that was hit
//! (about a hundred on a drive). A bucket is at most 1/32 of its value wide, so its middle is at most 1.6 %
//! off.

/// Buckets per doubling, as a power of two.
const STEP_BITS: u32 = 5;
/// Buckets per doubling.
const STEPS: u64 = 1 << STEP_BITS;
/// Latencies are counted up to one hour, like those of [`Histogram`](crate::Histogram).
pub(crate) const HIGHEST_NS: u64 = 3_600_000_000_000;
/// Number of buckets from 0 to one hour.
pub(crate) const BUCKETS: usize = bucket_of(HIGHEST_NS) + 1;

/// The bucket that counts `latency_ns`, which must not exceed [`HIGHEST_NS`].
#[inline]
pub(crate) const fn bucket_of(latency_ns: u64) -> usize {
    // The shift keeps the top six bits: 32 ..= 63, one range of 32 for each doubling. Or-ing 32 sends all
    // below 64 through shift 0, where bucket and value are the same.
    let shift = (u64::BITS - 1 - STEP_BITS) - (latency_ns | STEPS).leading_zeros();
    (shift as u64 * STEPS + (latency_ns >> shift)) as usize
}

/// The middle of a bucket, ns: the value of all latencies counted in it.
pub(crate) const fn middle_ns(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < 2 * STEPS {
        return bucket;
    }
    let shift = bucket / STEPS - 1;
    let lowest = (bucket - shift * STEPS) << shift;
    lowest + (1 << shift) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_one_another_without_gap() {
        let mut previous = 0;
        for bucket in 0..BUCKETS {
            let middle = middle_ns(bucket);
            assert!(bucket == 0 || middle > previous, "bucket {bucket}");
            assert_eq!(bucket_of(middle.min(HIGHEST_NS)), bucket);
            previous = middle;
        }
        assert_eq!(BUCKETS, 1205);
    }

    proptest::proptest! {
        #[test]
        fn the_middle_of_a_bucket_is_within_a_64th(latency_ns in 0..=HIGHEST_NS) {
            let middle = middle_ns(bucket_of(latency_ns)) as f64;
            let off = (middle - latency_ns as f64).abs();
            proptest::prop_assert!(off <= latency_ns as f64 / 64.0 + 0.5, "{latency_ns} stands as {middle}");
        }
    }
}

//! Log-linear buckets: exact for the smallest values, then equal buckets in each doubling.

/// Buckets for whole numbers, 2^`BITS` per doubling; values below 2^(`BITS` + 1) have a bucket each. A bucket
/// is at most 1/2^`BITS` of its value wide, so its middle is at most half of that off.
///
/// A full HdrHistogram takes 260 KB; these take 8 bytes for each bucket that is counted.
#[derive(Clone, Copy, Debug)]
pub struct Buckets<const BITS: u32>;

impl<const BITS: u32> Buckets<BITS> {
    /// Buckets per doubling.
    const STEPS: u64 = 1 << BITS;
    /// Number of buckets for all numbers of 64 bits.
    pub const COUNT: usize = Self::of(u64::MAX) + 1;

    /// The bucket of a value.
    #[inline]
    #[must_use]
    pub const fn of(value: u64) -> usize {
        // The shift keeps the top `BITS` + 1 bits: STEPS .. 2 * STEPS, one range for each doubling. Or-ing
        // STEPS sends all below 2 * STEPS through shift 0, where bucket and value are the same.
        let shift = (u64::BITS - 1 - BITS) - (value | Self::STEPS).leading_zeros();
        (shift as u64 * Self::STEPS + (value >> shift)) as usize
    }

    /// The lowest value of a bucket, and how many it holds as a power of two.
    const fn low(bucket: usize) -> (u64, u32) {
        let bucket = bucket as u64;
        if bucket < 2 * Self::STEPS {
            return (bucket, 0);
        }
        let shift = bucket / Self::STEPS - 1;
        ((bucket - shift * Self::STEPS) << shift, shift as u32)
    }

    /// The middle of a bucket: the value that stands for all that it counts.
    #[must_use]
    pub const fn middle(bucket: usize) -> u64 {
        let (low, shift) = Self::low(bucket);
        low + (1 << shift) / 2
    }

    /// The highest value of a bucket.
    #[must_use]
    pub const fn highest(bucket: usize) -> u64 {
        let (low, shift) = Self::low(bucket);
        low + ((1 << shift) - 1)
    }

    /// The bucket with the quantile of all that was counted, given the count of each bucket; `None` when
    /// nothing was.
    #[must_use]
    pub fn quantile(counts: &[u64], quantile: f64) -> Option<usize> {
        let total: u64 = counts.iter().sum();
        let rank = ((quantile * total as f64).ceil() as u64).clamp(1, total.max(1));
        let mut seen = 0;
        counts.iter().position(|&count| {
            seen += count;
            seen >= rank
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn follow_one_another<const BITS: u32>() {
        let mut next = Some(0);
        for bucket in 0..Buckets::<BITS>::COUNT {
            let (low, _) = Buckets::<BITS>::low(bucket);
            assert_eq!(Some(low), next, "bucket {bucket}");
            let (middle, high) = (Buckets::<BITS>::middle(bucket), Buckets::<BITS>::highest(bucket));
            assert!((low..=high).contains(&middle));
            assert!([low, middle, high].iter().all(|&value| Buckets::<BITS>::of(value) == bucket));
            next = high.checked_add(1);
        }
        assert_eq!(next, None, "the last bucket holds the largest number");
    }

    #[test]
    fn buckets_follow_one_another_without_gap() {
        follow_one_another::<2>();
        follow_one_another::<3>();
        follow_one_another::<5>();
        assert_eq!((Buckets::<2>::COUNT, Buckets::<5>::of(3_600_000_000_000) + 1), (252, 1205));
    }

    #[test]
    fn quantiles_are_as_exact_as_their_bucket() {
        let mut counts = [0; Buckets::<2>::COUNT];
        (1..=100_000).for_each(|value| counts[Buckets::<2>::of(value)] += 1);
        let p99 = Buckets::<2>::quantile(&counts, 0.99).unwrap();
        assert!((Buckets::<2>::middle(p99) as f64 / 99_000.0 - 1.0).abs() < 0.2);
        let first = Buckets::<2>::quantile(&counts, 0.0);
        assert_eq!((first, Buckets::<2>::quantile(&[0; 4], 0.5)), (Some(1), None));
    }

    proptest! {
        #[test]
        fn the_middle_of_a_bucket_is_within_a_64th(value in 0_u64..1 << 60) {
            let middle = Buckets::<5>::middle(Buckets::<5>::of(value)) as f64;
            prop_assert!((middle - value as f64).abs() <= value as f64 / 64.0 + 0.5, "{value} as {middle}");
        }
    }
}

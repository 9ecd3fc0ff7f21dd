//! Coarse latency buckets for live progress: four per power of two, so a quantile is at most 19 % off.
//! Results use [`measure::Histogram`]; these buckets only feed the progress line.

/// Number of buckets.
pub(crate) const BUCKETS: usize = 256;

/// Bucket of a latency. Four sub-buckets per octave: the two bits below the leading one.
#[inline]
pub(crate) fn bucket_of(latency_ns: u64) -> usize {
    let value = latency_ns.max(4);
    let exponent = 63 - value.leading_zeros();
    ((exponent - 2) as usize) * 4 + ((value >> (exponent - 2)) & 3) as usize
}

/// Middle of a bucket in nanoseconds.
fn middle_ns(bucket: usize) -> u64 {
    let exponent = bucket / 4 + 2;
    let low = (4 + (bucket % 4) as u64) << (exponent - 2);
    low + (1u64 << (exponent - 2)) / 2
}

/// The quantile of a bucket histogram, or `None` when it is empty.
pub(crate) fn quantile_ns(counts: &[u64; BUCKETS], quantile: f64) -> Option<u64> {
    let total: u64 = counts.iter().sum();
    if total == 0 {
        return None;
    }
    let rank = ((quantile * total as f64).ceil() as u64).clamp(1, total);
    let mut seen = 0;
    for (bucket, &count) in counts.iter().enumerate() {
        seen += count;
        if seen >= rank {
            return Some(middle_ns(bucket));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_rise_and_stay_in_range() {
        let mut last = 0;
        for shift in 0..64 {
            for value in [1u64 << shift, (1u64 << shift) | ((1u64 << shift) >> 1)] {
                let bucket = bucket_of(value);
                assert!(bucket < BUCKETS && bucket >= last, "{value} -> {bucket} after {last}");
                last = bucket;
            }
        }
        assert_eq!(bucket_of(0), 0);
        assert!(bucket_of(u64::MAX) < BUCKETS);
    }

    #[test]
    fn quantile_is_within_a_fifth() {
        let mut counts = [0u64; BUCKETS];
        for latency in 1..=100_000u64 {
            counts[bucket_of(latency)] += 1;
        }
        let p99 = quantile_ns(&counts, 0.99).unwrap() as f64;
        assert!((p99 / 99_000.0 - 1.0).abs() < 0.2, "{p99}");
        assert_eq!(quantile_ns(&[0; BUCKETS], 0.5), None);
    }
}

//! Latency histograms: thin, non-failing cover over HdrHistogram.

use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer, V2Serializer};

/// Lowest latency told apart from its neighbour.
const LOWEST_NS: u64 = 1;
/// Highest latency told apart; longer ones are counted here.
pub(crate) const HIGHEST_NS: u64 = 3_600_000_000_000;
/// Three digits: a value is at most 0.1 % off.
const SIGNIFICANT_DIGITS: u8 = 3;
/// Counting stops here: a number that no machine reaches, that keeps every sum and the encoding clear of
/// overflow, and up to which every number of events is a `f64`: shares of it are computed in them.
const HIGHEST_TOTAL: u64 = 1 << 53;

/// The number of events at each latency: HdrHistogram with 3 significant digits from 1 ns to 1 h.
///
/// Recording never fails and never loses an event: 0 is kept as 0, latencies above one hour are counted at
/// one hour. Histograms of workers and cells are merged; percentiles are never averaged. Values read back are
/// the highest of their bucket, so at most 0.1 % above what was recorded. One histogram takes about 260 KB,
/// of which only the pages touched are resident.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    inner: hdrhistogram::Histogram<u64>,
}

/// The reason why bytes are not a histogram of ours.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// Fewer bytes than the header has.
    #[error(
        "histogram has {found} bytes, less than the {V2_HEADER_SIZE} of its header: the record is cut short"
    )]
    TooShort {
        /// Bytes given.
        found: usize,
    },
    /// Not HdrHistogram V2, uncompressed.
    #[error(
        "histogram starts with {found:#010x}; an uncompressed HdrHistogram V2 starts with {V2_COOKIE:#010x}"
    )]
    NotV2 {
        /// The first four bytes, big-endian.
        found: u32,
    },
    /// The header's length and the bytes that follow disagree.
    #[error("histogram should carry {expected} bytes of counts but has {found}: the record is damaged")]
    WrongLength {
        /// Length by the header.
        expected: usize,
        /// Bytes that follow the header.
        found: usize,
    },
    /// More digits than ours: refused because its size would be set by the input.
    #[error("histogram has {found} significant digits; up to {SIGNIFICANT_DIGITS} can be read")]
    TooFine {
        /// Digits by the header.
        found: u32,
    },
    /// The counts do not decode.
    #[error("histogram counts are damaged: {0}")]
    Damaged(String),
}

/// Bytes before the counts: cookie, payload length, offset, digits (4 each), lowest, highest, ratio (8 each).
const V2_HEADER_SIZE: usize = 40;
/// First four bytes of an uncompressed V2 histogram with word size 1 (HdrHistogram, `V2EncodingCookieBase |
/// 0x10`).
const V2_COOKIE: u32 = 0x1c84_9303 | 0x10;

impl Histogram {
    /// An empty histogram.
    pub fn new() -> Self {
        let inner = hdrhistogram::Histogram::new_with_bounds(LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS)
            .expect("bounds and digits are constants that the library accepts");
        Self { inner }
    }

    /// Count one event of `latency_ns`. Hot: no branch that fails, no allocation.
    #[inline]
    pub fn record(&mut self, latency_ns: u64) {
        self.inner.saturating_record(latency_ns.min(HIGHEST_NS));
    }

    /// Count `count` events of the same latency. A histogram is full at 2^53 events.
    pub fn record_n(&mut self, latency_ns: u64, count: u64) {
        let count = count.min(HIGHEST_TOTAL.saturating_sub(self.len()));
        if count > 0 {
            self.inner.saturating_record_n(latency_ns.min(HIGHEST_NS), count);
        }
    }

    /// Add every event of `other`, as if it had been recorded here.
    pub fn merge(&mut self, other: &Histogram) {
        if self.len().saturating_add(other.len()) <= HIGHEST_TOTAL {
            self.inner.add(&other.inner).expect("all histograms have the same bounds");
        } else {
            other.recorded().for_each(|(value_ns, count)| self.record_n(value_ns, count));
        }
    }

    /// Events counted.
    pub fn len(&self) -> u64 {
        self.inner.len()
    }

    /// True if it has no events.
    pub fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    /// Shortest latency, ns; 0 when empty.
    pub fn min_ns(&self) -> u64 {
        if self.is_empty() { 0 } else { self.inner.min() }
    }

    /// Longest latency, ns (at most 0.1 % above the recorded one); 0 when empty.
    pub fn max_ns(&self) -> u64 {
        self.inner.max()
    }

    /// Mean latency, ns; 0 when empty.
    pub fn mean_ns(&self) -> f64 {
        self.inner.mean()
    }

    /// Standard deviation over events, ns; 0 when empty. Events of one run depend on each other: this
    /// describes a distribution and is never a ground for an interval.
    pub fn stddev_ns(&self) -> f64 {
        self.inner.stdev()
    }

    /// Latency that a share `quantile` (0.99 for p99) of events did not exceed, ns; 0 when empty. A share
    /// outside 0 ..= 1 is clamped, NaN counts as 0. Ask [`supports`](Self::supports) before showing it.
    pub fn quantile_ns(&self, quantile: f64) -> u64 {
        let quantile = if quantile.is_nan() { 0.0 } else { quantile.clamp(0.0, 1.0) };
        self.inner.value_at_quantile(quantile)
    }

    /// True if there are enough events to bound this quantile from above with 95 % confidence.
    ///
    /// The largest of n independent events lies above the q-quantile with probability 1 - q^n, so n must be
    /// at least ceil(ln 0.05 / ln q): 299 for p99, 2 995 for p99.9, 29 956 for p99.99. Events of one run are
    /// not independent: this is the least that is needed, not a promise. False for 1 and above, for which no
    /// sample suffices.
    pub fn supports(&self, quantile: f64) -> bool {
        if quantile.is_nan() || quantile >= 1.0 || self.is_empty() {
            return false;
        }
        quantile <= 0.0 || self.len() as f64 >= (0.05_f64.ln() / quantile.ln()).ceil()
    }

    /// Every latency that occurred with its count, ascending: (ns, events).
    pub fn recorded(&self) -> impl Iterator<Item = (u64, u64)> {
        self.inner.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value()))
    }

    /// Bytes for storage: HdrHistogram V2, uncompressed, readable by every HdrHistogram implementation.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        V2Serializer::new()
            .serialize(&self.inner, &mut bytes)
            .expect("writing to memory cannot fail and every count fits the format");
        bytes
    }

    /// Bytes for HdrHistogram's logs: V2, compressed, as its readers of logs expect.
    pub fn encode_compressed(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.inner, &mut bytes)
            .expect("writing to memory cannot fail and every count fits the format");
        bytes
    }

    /// Read a histogram of [`encode`](Self::encode) or of another HdrHistogram implementation (V2,
    /// uncompressed, up to 3 digits; values are taken as ns).
    ///
    /// # Errors
    /// [`DecodeError`] for anything else. The memory used is bounded whatever the input.
    pub fn decode(bytes: &[u8]) -> Result<Histogram, DecodeError> {
        check_encoded(bytes)?;
        let inner: hdrhistogram::Histogram<u64> = Deserializer::new()
            .deserialize(&mut &bytes[..])
            .map_err(|error| DecodeError::Damaged(error.to_string()))?;
        if inner.len() > HIGHEST_TOTAL {
            return Err(DecodeError::Damaged(format!(
                "{} events, more than any machine counts",
                inner.len()
            )));
        }
        let mut histogram = Histogram::new();
        if (inner.low(), inner.high(), inner.sigfig()) == (LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS) {
            histogram.inner = inner;
        } else {
            for step in inner.iter_recorded() {
                histogram.record_n(step.value_iterated_to(), step.count_at_value());
            }
        }
        Ok(histogram)
    }

    /// Forget every event; keeps the memory.
    pub fn clear(&mut self) {
        self.inner.reset();
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

/// Refuse data for which the library's decoder would allocate without bound or overflow.
fn check_encoded(bytes: &[u8]) -> Result<(), DecodeError> {
    let word = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    if bytes.len() < V2_HEADER_SIZE {
        return Err(DecodeError::TooShort { found: bytes.len() });
    }
    if word(0) != V2_COOKIE {
        return Err(DecodeError::NotV2 { found: word(0) });
    }
    let payload = &bytes[V2_HEADER_SIZE..];
    if word(4) as usize != payload.len() {
        return Err(DecodeError::WrongLength { expected: word(4) as usize, found: payload.len() });
    }
    if word(12) > u32::from(SIGNIFICANT_DIGITS) {
        return Err(DecodeError::TooFine { found: word(12) });
    }
    // Nine bytes of ones decode to i64::MIN, which the decoder negates. No valid encoding holds them: a count
    // is encoded as an even number, and no count up to HIGHEST_TOTAL takes nine bytes.
    if payload.windows(9).any(|nine| nine.iter().all(|&byte| byte == 0xff)) {
        return Err(DecodeError::Damaged("a run of zeros beyond every limit".to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn histogram(latencies_ns: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        latencies_ns.iter().for_each(|&latency_ns| histogram.record(latency_ns));
        histogram
    }

    #[test]
    fn nothing_recorded_is_zero_everywhere() {
        let empty = Histogram::default();
        assert!(empty.is_empty());
        assert_eq!((empty.len(), empty.min_ns(), empty.max_ns(), empty.quantile_ns(0.99)), (0, 0, 0, 0));
        assert_eq!((empty.mean_ns(), empty.stddev_ns(), empty.recorded().count()), (0.0, 0.0, 0));
        assert!(!empty.supports(0.5));
        assert_eq!(Histogram::decode(&empty.encode()).unwrap(), empty);
    }

    #[test]
    fn the_ends_of_the_range_are_counted() {
        let extremes = histogram(&[0, 1, HIGHEST_NS, u64::MAX]);
        assert_eq!((extremes.len(), extremes.min_ns()), (4, 0));
        assert!(extremes.max_ns() >= HIGHEST_NS && extremes.max_ns() <= HIGHEST_NS / 1000 * 1001);
        assert_eq!(extremes.recorded().map(|(_, count)| count).collect::<Vec<_>>(), [1, 1, 2]);
        assert_eq!(Histogram::decode(&extremes.encode()).unwrap(), extremes);
    }

    #[test]
    fn moments_of_known_values() {
        let mut known = histogram(&[100, 200]);
        known.record_n(300, 2);
        assert_eq!((known.len(), known.mean_ns()), (4, 225.0));
        assert!((known.stddev_ns() - 6875.0_f64.sqrt()).abs() < 1e-9);
        assert_eq!(
            [0.0, 0.25, 0.5, 0.75, 1.0, 7.0, f64::NAN].map(|q| known.quantile_ns(q)),
            [100, 100, 200, 300, 300, 300, 100]
        );
        known.clear();
        assert_eq!(known, Histogram::new());
    }

    #[test]
    fn percentiles_need_the_samples_that_bound_them() {
        // ceil(ln 0.05 / ln q): 299 for p99, 2 995 for p99.9, 29 956 for p99.99, 299 572 for p99.999.
        for (quantile, least) in [(0.99, 299), (0.999, 2995), (0.9999, 29_956), (0.99999, 299_572)] {
            let mut enough = Histogram::new();
            enough.record_n(1000, least - 1);
            assert!(!enough.supports(quantile));
            enough.record(1000);
            assert!(enough.supports(quantile));
            assert!(!enough.supports(1.0) && !enough.supports(f64::NAN) && enough.supports(0.0));
        }
    }

    #[test]
    fn counts_beyond_every_machine_fill_up_without_overflow() {
        let mut full = Histogram::new();
        full.record_n(10, u64::MAX);
        full.record_n(20, u64::MAX);
        full.merge(&full.clone());
        full.record_n(30, 0);
        assert_eq!((full.len(), full.quantile_ns(1.0)), (HIGHEST_TOTAL, 10));
        assert_eq!(Histogram::decode(&full.encode()).unwrap(), full);
    }

    #[test]
    fn stored_counts_beyond_every_machine_are_refused() {
        let stored = |counts: &[u64]| {
            let mut other =
                hdrhistogram::Histogram::<u64>::new_with_bounds(LOWEST_NS, HIGHEST_NS, 3).unwrap();
            for (value_ns, count) in (1..).zip(counts) {
                other.record_n(value_ns, *count).unwrap();
            }
            let mut bytes = Vec::new();
            V2Serializer::new().serialize(&other, &mut bytes).unwrap();
            Histogram::decode(&bytes)
        };
        assert_eq!(stored(&[HIGHEST_TOTAL]).unwrap().len(), HIGHEST_TOTAL);
        let half = HIGHEST_TOTAL / 2;
        for beyond in [&[HIGHEST_TOTAL + 1][..], &[half, half, 1], &[i64::MAX as u64; 3], &[1 << 55]] {
            let error = stored(beyond).unwrap_err();
            assert!(error.to_string().contains("more than any machine counts"), "{beyond:?}: {error}");
        }
        let mut full = stored(&[half, half - 1]).unwrap();
        full.merge(&histogram(&[7, 8]));
        assert_eq!(full.len(), HIGHEST_TOTAL, "merging stops there");
    }

    #[test]
    fn damaged_bytes_are_refused_by_name() {
        let good = histogram(&[1, 1000, 1_000_000]).encode();
        let with = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            Histogram::decode(&bytes).unwrap_err()
        };
        assert!(matches!(Histogram::decode(&[]), Err(DecodeError::TooShort { found: 0 })));
        assert!(matches!(with(0, 0), DecodeError::NotV2 { .. }));
        assert!(matches!(with(4, 0xff), DecodeError::WrongLength { .. }));
        assert!(matches!(with(15, 5), DecodeError::TooFine { found: 5 }));
        assert!(matches!(with(11, 1), DecodeError::Damaged(_)), "normalizing offset");
        assert!(matches!(Histogram::decode(&good[..good.len() - 1]), Err(DecodeError::WrongLength { .. })));
        let mut ones = good[..V2_HEADER_SIZE].to_vec();
        ones[7] = 18;
        ones.extend([0xff; 18]);
        assert!(matches!(Histogram::decode(&ones), Err(DecodeError::Damaged(_))));
    }

    #[test]
    fn histograms_of_other_shape_are_read() {
        let mut other = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 1_000_000, 2).unwrap();
        other.record_n(5000, 3).unwrap();
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(&other, &mut bytes).unwrap();
        let read = Histogram::decode(&bytes).unwrap();
        assert_eq!(read.len(), 3);
        assert!((read.quantile_ns(0.5) as f64 / 5000.0 - 1.0).abs() < 0.01);
    }

    proptest! {
        #[test]
        fn quantiles_are_within_a_thousandth(
            mut latencies in prop::collection::vec(0..=HIGHEST_NS, 1..300),
            quantile in 0.0..=1.0_f64,
        ) {
            let got = histogram(&latencies).quantile_ns(quantile);
            latencies.sort_unstable();
            let rank = (quantile * latencies.len() as f64).ceil().max(1.0) as usize;
            let truth = latencies[rank - 1];
            prop_assert!(got >= truth && got as f64 <= truth as f64 * 1.001 + 1.0, "{got} for {truth}");
        }

        #[test]
        fn merging_and_storing_lose_nothing(
            a in prop::collection::vec(any::<u64>(), 0..100),
            b in prop::collection::vec(any::<u64>(), 0..100),
        ) {
            let mut merged = histogram(&a);
            merged.merge(&histogram(&b));
            let all = histogram(&[a, b].concat());
            prop_assert_eq!(&merged, &all);
            prop_assert_eq!(&Histogram::decode(&all.encode()).unwrap(), &all);
            let mut again = Histogram::new();
            all.recorded().for_each(|(value_ns, count)| again.record_n(value_ns, count));
            prop_assert_eq!(again.recorded().collect::<Vec<_>>(), all.recorded().collect::<Vec<_>>());
        }

        #[test]
        fn no_bytes_make_decoding_panic(
            header in prop::array::uniform32(any::<u8>()),
            counts in prop::collection::vec(any::<u8>(), 0..200),
            digits in 0..4_u32,
            tidy: bool,
        ) {
            let length = counts.len() as u32;
            let mut bytes = [V2_COOKIE, length, 0, digits].map(u32::to_be_bytes).concat();
            bytes.extend(&header[..24]);
            if tidy {
                bytes[16..24].copy_from_slice(&LOWEST_NS.to_be_bytes());
                bytes[24..32].copy_from_slice(&HIGHEST_NS.to_be_bytes());
                bytes[32..40].copy_from_slice(&1.0_f64.to_be_bytes());
            }
            bytes.extend(&counts);
            if let Ok(read) = Histogram::decode(&bytes) {
                prop_assert!(read.len() <= HIGHEST_TOTAL);
                prop_assert_eq!(&Histogram::decode(&read.encode()).unwrap(), &read);
                prop_assert!(read.min_ns() <= read.quantile_ns(0.99) && read.mean_ns().is_finite());
            }
            prop_assert!(Histogram::decode(&counts).is_err() || counts.len() >= V2_HEADER_SIZE);
        }
    }
}

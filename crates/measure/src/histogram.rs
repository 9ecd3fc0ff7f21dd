//! Latency histograms: thin, non-failing cover over HdrHistogram.

use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};

/// Lowest latency told apart from its neighbour.
const LOWEST_NS: u64 = 1;
/// Highest latency told apart; longer ones are counted here.
const HIGHEST_NS: u64 = 3_600_000_000_000;
/// Three digits: a value is at most 0.1 % off.
const SIGNIFICANT_DIGITS: u8 = 3;
/// Counting stops here: a number that no machine reaches and that keeps every sum and the encoding clear of overflow.
const HIGHEST_TOTAL: u64 = 1 << 55;

/// How many times each latency occurred: HdrHistogram with 3 significant digits from 1 ns to 1 h.
///
/// Recording never fails and never loses an event: 0 is kept as 0, latencies above one hour are counted at one hour.
/// Histograms of workers and cells are merged; percentiles are never averaged. Values read back are the highest of their
/// bucket, so at most 0.1 % above what was recorded. One histogram takes about 260 KB, of which only the
/// pages touched are resident.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    inner: hdrhistogram::Histogram<u64>,
}

/// Why bytes are not a histogram of ours.
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
        "histogram starts with {found:#010x}, not with the mark of an uncompressed HdrHistogram V2 ({V2_COOKIE:#010x})"
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
/// First four bytes of an uncompressed V2 histogram with word size 1 (HdrHistogram, `V2EncodingCookieBase | 0x10`).
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

    /// Count `count` events of the same latency. A histogram is full at 2^55 events.
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

    /// Whether nothing was counted.
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

    /// Standard deviation over events, ns; 0 when empty. Events of one run depend on each other: this describes a
    /// distribution and is never a ground for an interval.
    pub fn stddev_ns(&self) -> f64 {
        self.inner.stdev()
    }

    /// Latency that a share `quantile` (0.99 for p99) of events did not exceed, ns; 0 when empty. A share outside
    /// 0 ..= 1 is clamped, NaN counts as 0. Ask [`supports`](Self::supports) before showing it.
    pub fn quantile_ns(&self, quantile: f64) -> u64 {
        let quantile = if quantile.is_nan() { 0.0 } else { quantile.clamp(0.0, 1.0) };
        self.inner.value_at_quantile(quantile)
    }

    /// Whether there are enough events to bound this quantile from above with 95 % confidence.
    ///
    /// The largest of n independent events lies above the q-quantile with probability 1 - q^n, so n must be at least
    /// ceil(ln 0.05 / ln q): 299 for p99, 2 995 for p99.9, 29 956 for p99.99. Events of one run are not independent: this
    /// is the least that is needed, not a promise. False for 1 and above, for which no sample suffices.
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

    /// Read what [`encode`](Self::encode) or another HdrHistogram implementation wrote (V2, uncompressed, up to 3 digits;
    /// values are taken as ns).
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

/// Refuse what the library's decoder would allocate without bound for or overflow on.
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
    // Nine bytes of ones decode to i64::MIN, which the decoder negates. No valid encoding holds them: a count is encoded as
    // an even number, and no count up to HIGHEST_TOTAL takes nine bytes.
    if payload.windows(9).any(|nine| nine.iter().all(|&byte| byte == 0xff)) {
        return Err(DecodeError::Damaged("a run of zeros beyond every limit".to_owned()));
    }
    Ok(())
}

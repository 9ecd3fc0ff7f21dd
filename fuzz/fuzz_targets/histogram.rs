//! Stored histograms: what is decoded is encoded to the same, and has percentiles in order.
#![no_main]

use measure::Histogram;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(read) = Histogram::decode(bytes) else { return };
    let again = Histogram::decode(&read.encode()).expect("our own encoding");
    assert_eq!((again.len(), again.max_ns()), (read.len(), read.max_ns()));
    let quantiles = [0.0, 0.5, 0.9, 0.99, 0.999, 1.0].map(|quantile| read.quantile_ns(quantile));
    assert!(quantiles.is_sorted(), "{quantiles:?}");
});

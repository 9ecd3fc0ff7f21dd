//! Results of other tools: what is read is finite, each metric stands once, and every fault has its place.
#![no_main]

use jobfile::{ResultFormat, detect, read_result};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = detect(bytes);
    for format in ResultFormat::ALL {
        match read_result(*format, bytes, None) {
            Ok(result) => {
                assert!(!result.cells.is_empty());
                for cell in &result.cells {
                    let (length_s, week_s) = (cell.length_s(), 7.0 * 86_400.0);
                    assert!((0.0..=week_s * 3.0).contains(&length_s) && cell.level >= 1.0);
                    assert!(cell.values.iter().all(|(_, value)| value.is_finite() && *value >= 0.0));
                    let mut metrics: Vec<String> =
                        cell.values.iter().map(|(metric, _)| metric.name()).collect();
                    metrics.sort_unstable();
                    assert!(metrics.windows(2).all(|pair| pair[0] != pair[1]), "{metrics:?}");
                    for series in &cell.series {
                        assert!(series.start_s >= 0.0 && series.end_s() <= length_s + 1.0);
                    }
                }
                toml::to_string(&result.asked).expect("what was asked can be written");
            }
            Err(fault) => fuzz::has_its_place(bytes, &fault),
        }
    }
});

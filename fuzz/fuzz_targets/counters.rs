//! Counters of other tools: their series lie within the cells, and every fault has its place.
#![no_main]

use jobfile::{CellTime, Choice, CounterFormat, CountersError, Zone, read_counters};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let all = Choice::Matching(vec!["*".parse().expect("a pattern")]);
    for format in CounterFormat::ALL {
        for (choice, zone) in [(&all, Some(Zone::utc())), (&all, None), (&Choice::Names, None)] {
            match read_counters(*format, bytes, choice, zone.as_ref()) {
                Ok(counters) => {
                    let Some((first, last)) = counters.span else { continue };
                    assert!(first <= last && counters.chosen.len() <= counters.in_all);
                    let cells = [first, last].map(|zero| CellTime { zero, from_s: -5.0, to_s: 60.0 });
                    for series in counters.place(&cells, 0.5).iter().flatten() {
                        assert!(series.start_s >= -5.0 && series.end_s() <= 61.0, "{series:?}");
                        assert!(series.values.iter().any(|value| value.is_finite()));
                    }
                }
                Err(CountersError::Fault(fault)) => fuzz::has_its_place(bytes, &fault),
                Err(CountersError::Io(error)) => panic!("memory can be read: {error}"),
            }
        }
    }
});

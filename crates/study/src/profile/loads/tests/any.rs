//! Loads that say nothing, too little, or anything.

use super::*;

#[test]
fn loads_that_say_nothing_are_refused_with_words() {
    assert_eq!(fit_loads(&[]), Err(UnfitLoads::NoReads));
    let nothing = asked(1.0, 4096, 0);
    assert_eq!(fit_loads(std::slice::from_ref(&nothing)), Err(UnfitLoads::Empty(nothing.name.clone())));
    let writes = run_load(&spec("kingston-dc500m-1920g"), &asked(0.0, 4096, 4), 1);
    assert_eq!(fit_loads(&[writes]), Err(UnfitLoads::NoReads));
}

#[test]
fn reads_alone_make_a_drive_whose_writes_are_not_identified() {
    let spec = spec("kingston-dc500m-1920g");
    let loads: Vec<Load> = profile(&spec, 1).into_iter().filter(|load| load.read_share >= 1.0).collect();
    let fitted = fit_loads(&loads).expect("a drive");
    assert_eq!(fitted.spec.validate(), Ok(()));
    assert!(fitted.is_without_writes());
    let of_writes = fitted.numbers.iter().filter(|number| number.key.starts_with("write."));
    assert!(of_writes.clone().count() >= 4 && of_writes.into_iter().all(|number| number.interval.is_none()));
}

/// Any measured load: sizes, depths, shares and rates that need not fit together.
fn any_load() -> impl proptest::strategy::Strategy<Value = Load> {
    use proptest::prelude::*;
    let shape = (0u32..11, 0u32..9, any::<bool>(), 0u32..9, proptest::option::of(1u32..65));
    let results = (1u32..200_000, 1u32..100_000, 1u64..10_000_000, 1u64..10_000_000);
    (shape, results).prop_map(
        |((share, size, is_sequential, depth, flush_every), (r, w, read_ns, write_ns))| {
            let read_share = f64::from(share) / 10.0;
            let direction = |per_s: u32, ns: u64, is_there: bool| {
                let mut latency = measure::Histogram::new();
                latency.record_n(ns, u64::from(per_s.min(1000)));
                latency.record_n(3 * ns, 20);
                is_there.then_some(super::super::super::Direction { per_s: f64::from(per_s), latency })
            };
            Load {
                is_sequential,
                flush_every: flush_every.filter(|_| read_share < 0.5),
                measured_s: 0.01,
                interval_s: 0.001,
                counts: (0..10).map(|at| f64::from(r + w) * 0.001 * (1.0 + f64::from(at % 3))).collect(),
                reads: direction(r, read_ns, share > 0),
                writes: direction(w, write_ns, share < 10),
                flushes: direction(10, write_ns, read_share < 0.5),
                ..asked(read_share, 4096 << size, 1 << depth)
            }
        },
    )
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]
    #[test]
    fn any_loads_make_a_possible_drive_or_words(loads in proptest::collection::vec(any_load(), 1..14)) {
        if let Ok(fitted) = fit_loads(&loads) {
            proptest::prop_assert!(fitted.spec.validate().is_ok(), "{:?}", fitted.spec.validate());
            let around = fitted.numbers.iter().all(|number| {
                number.value >= 0.0 && number.interval.is_none_or(|(low, high)| low <= number.value && number.value <= high)
            });
            proptest::prop_assert!(around, "{:?}", fitted.numbers);
        }
    }
}

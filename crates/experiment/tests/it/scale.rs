//! Scaling: only ever smaller, never below the floors, and said in words.

use experiment::{Experiment, Scale, Size, Workload, parse, scale};
use proptest::prelude::*;

const BLOCK: &str = r#"
schema = 1
title = "Block"
[[bed]]
name = "one"
storage = { emulated = "free" }
[[workload]]
kind = "block"
size = "600GiB"
rate = [1000, 5000]
ramp_up = "1min"
measure = "10min"
[[workload.stream]]
read = "100%"
block_size = "4KiB"
"#;

fn read(text: &str) -> Experiment {
    parse(text, "test.toml").unwrap_or_else(|faults| panic!("{faults}"))
}

fn order_entry(warehouses: u32, memory: Size, users: u32, ramp_up_s: u32, measure_s: u32) -> Experiment {
    read(&format!(
        r#"
        schema = 1
        title = "Order entry"
        [[bed]]
        name = "one"
        storage = {{ emulated = "free" }}
        memory = "{memory}"
        [database]
        memory = "{memory}"
        [[workload]]
        kind = "tpcc"
        warehouses = {warehouses}
        virtual_users = [{users}]
        ramp_up = "{ramp_up_s}s"
        measure = "{measure_s}s"
        "#
    ))
}

#[test]
fn scales_are_named_or_a_number_up_to_one() {
    assert_eq!("tiny".parse(), Ok(Scale::Tiny));
    assert_eq!("0.01".parse(), Ok(Scale::Factor(0.01)));
    assert_eq!("full".parse::<Scale>().unwrap().factor(), 1.0);
    for text in ["", "0", "1e-7", "-1", "2", "nan", "inf", "huge", "1%"] {
        let error = text.parse::<Scale>().unwrap_err().to_string();
        assert!(error.contains("tiny (1/600)"), "{error}");
    }
}

#[test]
fn a_block_file_shrinks_to_its_share_and_rates_stay() {
    let written = read(BLOCK);
    let scaled = scale(&written, Scale::Tiny);
    let (Workload::Block(before), Workload::Block(after)) =
        (&written.workload[0], &scaled.experiment.workload[0])
    else {
        panic!("the file holds a block workload");
    };
    assert_eq!(after.size, Size(1 << 30));
    assert_eq!(after.rate, before.rate);
    assert_eq!((after.ramp_up.to_string(), after.measure.to_string()), ("1s".to_owned(), "4.9s".to_owned()));
    assert!(scaled.statement.contains("the file of 600GiB became 1GiB"), "{}", scaled.statement);
    let least = scale(&written, Scale::Factor(1e-6)).experiment;
    let Workload::Block(least) = &least.workload[0] else { panic!("the kind stays") };
    assert_eq!(least.size, Size(64 << 20));
}

#[test]
fn one_warehouse_stays_one() {
    let written = order_entry(1, Size(24 << 20), 1, 1, 2);
    let scaled = scale(&written, Scale::Tiny);
    assert_eq!(scaled.experiment, written);
    assert_eq!(scaled.scale, 1.0);
    assert!(scaled.statement.contains("nothing had to be shrunk"), "{}", scaled.statement);
}

proptest! {
    #[test]
    fn nothing_grows_and_nothing_falls_below_its_floor(
        warehouses in 1_u32..100_000, mebibytes in 1_u64..1_000_000, users in 1_u32..10_000,
        ramp_up_s in 0_u32..100_000, measure_s in 1_u32..100_000, factor in 1e-6_f64..=1.0,
    ) {
        let written = order_entry(warehouses, Size(mebibytes << 20), users, ramp_up_s, measure_s);
        let scaled = scale(&written, Scale::Factor(factor));
        let (Workload::Tpcc(before), Workload::Tpcc(after)) = (&written.workload[0], &scaled.experiment.workload[0]) else {
            panic!("the kind stays");
        };
        prop_assert!((before.warehouses.min(2)..=before.warehouses).contains(&after.warehouses));
        prop_assert!((1..=before.virtual_users[0]).contains(&after.virtual_users[0]));
        prop_assert!(after.ramp_up <= before.ramp_up && after.measure <= before.measure);
        prop_assert!(after.measure.0 >= before.measure.0.min(std::time::Duration::from_secs(2)));
        prop_assert!(after.ramp_up.0 >= before.ramp_up.0.min(std::time::Duration::from_secs(1)));
        let memory = |experiment: &Experiment| experiment.memory_of(&experiment.bed[0]).unwrap();
        prop_assert!(memory(&scaled.experiment) <= memory(&written));
        prop_assert!(memory(&scaled.experiment) >= memory(&written).min(Size(4 << 20)));
        prop_assert_eq!(scaled.experiment.bed[0].memory, scaled.experiment.database.as_ref().map(|database| database.memory));
    }
}

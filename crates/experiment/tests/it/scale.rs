//! Scaling: only ever smaller, never below the floors, and said in words.

use experiment::{Experiment, Pacing, Scale, Scaled, Size, Sysbench, Tpcc, Workload, parse, scale};
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

/// A database server with several instances, and a workload whose keys are given.
fn on_server(instances: u32, workload: &str) -> Experiment {
    read(&format!(
        r#"
        schema = 1
        title = "On a server"
        [[bed]]
        name = "one"
        storage = {{ real = "/mnt/nvme" }}
        [database]
        engine = "postgresql"
        memory = "48GB"
        instances = {instances}
        [[workload]]
        {workload}
        "#
    ))
}

fn tpcc_of(scaled: &Scaled) -> &Tpcc {
    let Workload::Tpcc(tpcc) = &scaled.experiment.workload[0] else { panic!("the kind stays") };
    tpcc
}

fn sysbench_of(scaled: &Scaled) -> &Sysbench {
    let Workload::Sysbench(sysbench) = &scaled.experiment.workload[0] else { panic!("the kind stays") };
    sysbench
}

#[test]
fn users_that_key_and_think_shrink_with_their_warehouses() {
    let written = on_server(
        4,
        "kind = \"tpcc\"\nwarehouses = 1500\nvirtual_users = [150, 15000]\npacing = \"keyed\"\nconnections = 64\nramp_up = \"150min\"\nmeasure = \"30min\"",
    );
    let scaled = scale(&written, Scale::Small);
    let tpcc = tpcc_of(&scaled);
    assert_eq!((tpcc.warehouses, tpcc.virtual_users.as_slice()), (25, [3, 250].as_slice()));
    assert_eq!(tpcc.connections, Some(64));
    let least = scale(&written, Scale::Factor(1e-6));
    let times = (tpcc_of(&least).ramp_up.to_string(), tpcc_of(&least).measure.to_string());
    assert_eq!(times, ("30s".to_owned(), "1min".to_owned()));
    assert!(scaled.statement.to_string().contains("users who key and think x s ("), "{}", scaled.statement);
    assert!(!scaled.statement.to_string().contains("s^(1/2)"), "{}", scaled.statement);
}

#[test]
fn arrivals_and_the_users_who_serve_them_shrink_by_the_square_root() {
    let written = on_server(
        1,
        "kind = \"tpcc\"\nwarehouses = 100\nvirtual_users = [64]\npacing = { arrivals_per_second = 500 }\nramp_up = \"1min\"\nmeasure = \"5min\"",
    );
    let scaled = scale(&written, Scale::Small);
    let tpcc = tpcc_of(&scaled);
    assert_eq!(tpcc.virtual_users, [8]);
    assert_eq!(tpcc.pacing, Pacing::ArrivalsPerSecond(64.5));
    let said = scaled.statement.to_string();
    assert!(
        said.contains("arrivals per second 500 became 64.5") && said.contains("users and arrivals x s^(1/2)"),
        "{said}"
    );
}

#[test]
fn sysbench_keeps_its_tables_and_shrinks_their_rows() {
    let written = on_server(
        8,
        "kind = \"sysbench\"\ntest = \"oltp_read_write\"\ntables = 100\nrows = 10_000_000\nthreads = [1, 32]\nrate = 0.02\nramp_up = \"2h\"\nmeasure = \"1h\"",
    );
    let scaled = scale(&written, Scale::Tiny);
    let sysbench = sysbench_of(&scaled);
    assert_eq!((sysbench.tables, sysbench.rows, sysbench.threads.as_slice()), (100, 16_667, [1].as_slice()));
    assert_eq!(sysbench.rate, Some(0.001));
    let database = scaled.experiment.database.as_ref().unwrap();
    let share = database.memory.bytes() as f64 / 16_667.0 / (48e9 / 1e7);
    assert!((share - 1.0).abs() < 0.002, "{share}");
    assert_eq!(database.instances, 2);
    assert!(scaled.statement.to_string().contains("instances 8 became 2"), "{}", scaled.statement);
    assert!(scaled.statement.to_string().contains("tables and repeats as written"), "{}", scaled.statement);
    assert_eq!(sysbench_of(&scale(&written, Scale::Factor(1e-6))).rows, 1_000);
}

#[test]
fn the_durability_test_shrinks_and_keeps_its_rounds() {
    let written = on_server(
        1,
        "kind = \"durability\"\nwarehouses = 600\nvirtual_users = 100\nload_for = \"10min\"\nrounds = 20",
    );
    let scaled = scale(&written, Scale::Small);
    let Workload::Durability(after) = &scaled.experiment.workload[0] else { panic!("the kind stays") };
    assert_eq!((after.warehouses, after.virtual_users, after.rounds), (10, 13, 20));
    assert_eq!(after.load_for.to_string(), "27.8s");
    assert!(scaled.statement.to_string().contains("rounds and repeats as written"), "{}", scaled.statement);
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
    assert!(scaled.statement.to_string().contains("the file of 600GiB became 1GiB"), "{}", scaled.statement);
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
    assert!(scaled.statement.to_string().contains("nothing had to be shrunk"), "{}", scaled.statement);
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

    #[test]
    fn no_load_on_a_server_grows_or_falls_below_its_floor(
        instances in 1_u32..=64, rows in 1_u32..2_000_000_000, threads in 1_u32..10_000, rate in 0.001_f64..1e7,
        factor in 1e-6_f64..=1.0,
    ) {
        let keys = format!(
            "kind = \"sysbench\"\ntest = \"oltp_read_only\"\nrows = {rows}\nthreads = [{threads}]\nrate = {rate:?}\nramp_up = \"1s\"\nmeasure = \"9s\""
        );
        let written = on_server(instances, &keys);
        let scaled = scale(&written, Scale::Factor(factor));
        let after = sysbench_of(&scaled);
        prop_assert!((rows.min(1_000)..=rows).contains(&after.rows));
        prop_assert!((1..=threads).contains(&after.threads[0]));
        prop_assert!(after.rate.is_some_and(|after| (0.001..=rate).contains(&after)));
        let database = scaled.experiment.database.as_ref().unwrap();
        prop_assert!((instances.min(2)..=instances).contains(&database.instances));
        prop_assert_eq!(read(&experiment::to_toml(&scaled.experiment)), scaled.experiment);
    }
}

#[test]
fn a_computed_factor_is_rounded_for_people() {
    assert_eq!(
        [Scale::Factor(0.1 + 0.2), Scale::Factor(0.05), Scale::Tiny].map(|scale| scale.to_string()),
        ["0.3", "0.05", "tiny (1/600)"]
    );
}

#[test]
fn a_part_is_listed_once_with_one_new_value() {
    let named = experiment::find_named("profile/quick").expect("it is built in");
    let told = scale(&read(named.text), Scale::Factor(0.05)).statement.to_string();
    assert_eq!(told.matches("measuring of a point 5.5s became").count(), 1, "{told}");
    assert!(told.contains("measuring of a point of a curve 5.5s became 500ms"), "{told}");
}

//! One warehouse of the standard's size: cardinalities of 4.2.2, the twelve conditions, and a short run on
//! it.

use std::time::Duration;

use database::sqlite::Sqlite;
use database::{Backing, Instance as _, InstanceSpec, Synchronous};
use device::DriveSpec;
use emulate::EmulatedDrive;
use oltp::Control;
use oltp::tpcc::{Condition, Home, LoadOptions, RunOptions, Stage, check, load, run};

fn violated(instance: &Sqlite, stage: Stage) -> Vec<Condition> {
    check(instance, stage).unwrap().into_iter().filter(|c| c.violations > 0).collect()
}

#[test]
fn a_standard_warehouse_is_whole_before_and_after_work() {
    let temp = tempfile::tempdir().unwrap();
    let free = Backing::Emulated(EmulatedDrive::new("free", &DriveSpec::free(), 0));
    let spec = InstanceSpec {
        dir: temp.path().to_owned(),
        data: free.clone(),
        log: free,
        log_dir: None,
        memory_bytes: 32 << 20,
        synchronous: Synchronous::Full,
        page_cache: false,
    };
    let mut instance = Sqlite::new(spec).unwrap();
    instance.start().unwrap();
    load(&instance, &LoadOptions::new(1, 11), &|_| {}).unwrap();
    let connection = instance.connect().unwrap();
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let rows = [
        ("warehouse", 1),
        ("district", 10),
        ("customer", 30_000),
        ("history", 30_000),
        ("orders", 30_000),
        ("new_order", 9_000),
        ("item", 100_000),
        ("stock", 100_000),
    ];
    for (table, expected) in rows {
        assert_eq!(number(&format!("SELECT count(*) FROM {table}")), expected, "{table}");
    }
    let lines = number("SELECT count(*) FROM order_line");
    assert!((297_000..=303_000).contains(&lines), "300,000 within 1 %: {lines}");
    assert_eq!(number("SELECT count(DISTINCT c_last) FROM customer"), 1_000);
    assert_eq!(number("SELECT w_ytd FROM warehouse"), 30_000_000);
    assert_eq!(number("SELECT sum(c_credit = 'BC') BETWEEN 2700 AND 3300 FROM customer"), 1);
    assert_eq!(number("SELECT count(*) FROM orders WHERE o_carrier_id IS NULL"), 9_000);
    drop(connection);
    assert_eq!(violated(&instance, Stage::AfterLoad), []);

    let options = RunOptions {
        virtual_users: 3,
        warehouses: 1,
        home: Home::All,
        ramp_up: Duration::from_millis(100),
        measure: Duration::from_millis(700),
        seed: 2,
        ..RunOptions::default()
    };
    let outcome = run(&instance, &options, &Control::default()).unwrap();
    assert!(outcome.fatal.is_none() && outcome.errors.is_empty() && outcome.completed() > 0, "{outcome:?}");
    instance.stop().unwrap();
    instance.start().unwrap();
    assert_eq!(violated(&instance, Stage::AfterRun), []);
}

//! The durability test (3.5.4): the power is cut under load, and every order whose commit had returned must
//! be there afterwards.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use database::sqlite::Sqlite;
use database::{Backing, Instance as _, InstanceSpec, Synchronous};
use device::DriveSpec;
use emulate::EmulatedDrive;
use oltp::Control;
use oltp::tpcc::{
    Acknowledged, Home, LoadOptions, Population, RunOptions, Stage, check, load, missing_orders,
    run_acknowledging,
};

const WAREHOUSES: u32 = 2;

fn instance(dir: &Path, synchronous: Synchronous) -> Sqlite {
    let free = Backing::Emulated(EmulatedDrive::new("free", &DriveSpec::free(), 0));
    let spec = InstanceSpec {
        dir: dir.to_owned(),
        data: free.clone(),
        log: free,
        log_dir: None,
        memory_bytes: 2 << 20,
        synchronous,
        page_cache: false,
    };
    let mut instance = Sqlite::new(spec).unwrap();
    instance.start().unwrap();
    let options = LoadOptions { population: Population::MINIATURE, ..LoadOptions::new(WAREHOUSES, 1) };
    load(&instance, &options, &|_| {}).unwrap();
    instance
}

/// Runs until the power goes after `orders` acknowledged orders; gives the acknowledged orders.
fn run_until_the_power_goes(instance: &Sqlite, orders: usize, seed: u64) -> Vec<Acknowledged> {
    let acknowledged = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&acknowledged);
    let hear = move |order| sink.lock().unwrap().push(order);
    let control = Control::default();
    let options = RunOptions {
        virtual_users: 4,
        warehouses: WAREHOUSES,
        home: Home::All,
        ramp_up: Duration::ZERO,
        measure: Duration::from_secs(600),
        seed,
        ..RunOptions::default()
    };
    let outcome = thread::scope(|scope| {
        let running = scope.spawn(|| run_acknowledging(instance, &options, &control, &hear).unwrap());
        while acknowledged.lock().unwrap().len() < orders && !running.is_finished() {
            thread::sleep(Duration::from_micros(200));
        }
        instance.cut_power(seed).unwrap();
        running.join().unwrap()
    });
    assert!(outcome.fatal.is_some(), "a power cut cannot go unnoticed");
    drop(hear);
    Arc::into_inner(acknowledged).unwrap().into_inner().unwrap()
}

/// The damage after a power cut: lost orders, violated conditions, or a database that cannot be read at all.
fn damage(instance: &mut Sqlite, acknowledged: &[Acknowledged]) -> Option<String> {
    instance.power_on().unwrap();
    match missing_orders(instance, acknowledged) {
        Err(error) => return Some(error.to_string()),
        Ok(missing) if !missing.is_empty() => {
            return Some(format!(
                "{} of {} orders lost, first {:?}",
                missing.len(),
                acknowledged.len(),
                missing[0]
            ));
        }
        Ok(_) => {}
    }
    match check(instance, Stage::AfterRun) {
        Err(error) => Some(error.to_string()),
        Ok(conditions) => conditions.into_iter().find(|c| c.violations > 0).map(|c| format!("{c:?}")),
    }
}

#[test]
fn with_full_sync_no_acknowledged_order_is_lost() {
    let temp = tempfile::tempdir().unwrap();
    let mut instance = instance(temp.path(), Synchronous::Full);
    for round in 0..10 {
        let acknowledged = run_until_the_power_goes(&instance, 40 + 60 * round, round as u64);
        assert!(acknowledged.len() >= 40 + 60 * round);
        assert_eq!(damage(&mut instance, &acknowledged), None, "round {round}");
    }
}

#[test]
fn with_sync_off_the_loss_is_seen() {
    let seen: Vec<String> = (0..3)
        .filter_map(|round| {
            let temp = tempfile::tempdir().unwrap();
            let mut instance = instance(temp.path(), Synchronous::Off);
            let acknowledged = run_until_the_power_goes(&instance, 200, round);
            damage(&mut instance, &acknowledged)
        })
        .collect();
    assert!(!seen.is_empty(), "three power cuts without a sync lost nothing that the check could see");
}

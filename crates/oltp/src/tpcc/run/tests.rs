//! Whole runs on a small database and a free drive.

use super::*;
use crate::driver::Pacing;
use crate::tpcc::TransactionKind;
use crate::tpcc::ask::input::Home;
use crate::tpcc::missing_orders;
use crate::tpcc::prove::check::{Stage, check};
use crate::tpcc::testing;
use database::sqlite::Sqlite;
use emulate::Fault;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

fn options(virtual_users: u32, measure_ms: u64) -> RunOptions {
    RunOptions {
        virtual_users,
        warehouses: 2,
        home: Home::All,
        ramp_up: Duration::from_millis(60),
        measure: Duration::from_millis(measure_ms),
        seed: 4,
        ..RunOptions::default()
    }
}

fn assert_consistent(instance: &Sqlite) {
    let violated: Vec<_> =
        check(instance, Stage::AfterRun).unwrap().into_iter().filter(|c| c.violations > 0).collect();
    assert_eq!(violated, []);
}

#[test]
fn a_run_counts_what_it_did_and_leaves_a_consistent_database() {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::loaded(temp.path(), 2);
    let acknowledged = Arc::new(Mutex::new(Vec::<Acknowledged>::new()));
    let phases = Arc::new(Mutex::new(Vec::new()));
    let (sink, told) = (Arc::clone(&acknowledged), Arc::clone(&phases));
    let control =
        Control { on_phase: Some(Box::new(move |phase| told.lock().push(phase))), ..Control::default() };
    let hear = move |order| sink.lock().push(order);
    let outcome = run_acknowledging(&instance, &options(5, 400), &control, &hear).unwrap();
    assert_eq!((outcome.fatal.as_deref(), outcome.interrupted), (None, false));
    assert_eq!((outcome.errors.len(), outcome.retries), (0, 0), "{:?}", outcome.errors);
    assert_eq!(outcome.measured, Duration::from_millis(400), "exactly what was asked for");
    assert_eq!(outcome.ramp_up, Duration::from_millis(60));
    let orders = &outcome.per[&TransactionKind::NewOrder];
    assert!(orders.committed > 0);
    assert_eq!(outcome.nopm, orders.committed as f64 * 60.0 / 0.4);
    assert_eq!(outcome.nopm_with_rollbacks, (orders.committed + orders.rolled_back) as f64 * 60.0 / 0.4);
    assert_eq!(outcome.tpm_with_rollbacks, outcome.completed() as f64 * 60.0 / 0.4);
    assert!(outcome.tpm > 2.0 * outcome.nopm);
    let latencies: u64 = outcome.per.values().map(|per| per.latency.len()).sum();
    assert_eq!(latencies, outcome.requests.due);
    assert!(latencies.abs_diff(outcome.completed()) <= 5, "one for each user comes in, and goes out");
    let seen: u64 = outcome.timeline_all.seconds().iter().map(|s| s.count).sum();
    assert!(seen >= outcome.completed(), "the timeline has the ramp-up too");
    assert!(outcome.lock_wait.len() <= latencies, "only requests with a latency count");
    assert!(outcome.client_cpu_ns > 0 && outcome.engine_cpu_ns > outcome.client_cpu_ns);
    assert!(outcome.storage.log.writes > 0, "the storage was counted");
    assert_eq!(*phases.lock(), [Phase::Preparing, Phase::RampUp, Phase::Measure, Phase::Drain, Phase::Done]);
    let acknowledged = acknowledged.lock();
    assert!(acknowledged.len() as u64 >= orders.committed);
    assert_eq!(missing_orders(&instance, &acknowledged).unwrap(), []);
    let next: i64 = instance
        .connect()
        .unwrap()
        .query_row("SELECT sum(d_next_o_id - 31) FROM district", [], |row| row.get(0))
        .unwrap();
    assert_eq!(next, acknowledged.len() as i64, "every order in the database was acknowledged and no other");
    assert_consistent(&instance);
}

#[test]
fn a_stop_keeps_what_was_measured() {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::loaded(temp.path(), 2);
    let control = Control::default();
    let outcome = thread::scope(|scope| {
        let running = scope.spawn(|| run(&instance, &options(2, 3_600_000), &control).unwrap());
        while control.live.phase() < Phase::Measure || control.live.first_class.load(Ordering::Relaxed) < 50 {
            thread::sleep(Duration::from_millis(5));
        }
        control.stop.store(true, Ordering::Release);
        running.join().unwrap()
    });
    assert!(outcome.interrupted && outcome.fatal.is_none());
    assert!(outcome.measured > Duration::ZERO && outcome.measured < Duration::from_secs(3_600));
    let expected =
        outcome.per[&TransactionKind::NewOrder].committed as f64 * 60.0 / outcome.measured.as_secs_f64();
    assert_eq!(outcome.nopm, expected, "over the time that was really measured");
    assert_consistent(&instance);
}

#[test]
fn a_stop_in_the_ramp_up_measures_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::loaded(temp.path(), 2);
    let control = Control::default();
    control.stop.store(true, Ordering::Release);
    let outcome =
        run(&instance, &RunOptions { ramp_up: Duration::from_secs(3_600), ..options(2, 1_000) }, &control)
            .unwrap();
    assert!(outcome.interrupted);
    assert_eq!((outcome.measured, outcome.nopm, outcome.completed()), (Duration::ZERO, 0.0, 0));
}

#[test]
fn users_come_at_a_rate_and_share_connections() {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::loaded(temp.path(), 2);
    let arrivals = Pacing::Arrivals { per_second: 200.0 };
    let asked = RunOptions { pacing: arrivals, connections: Some(3), ..options(40, 1_000) };
    let outcome = run(&instance, &asked, &Control::default()).unwrap();
    assert!(outcome.errors.is_empty() && outcome.fatal.is_none());
    let due = outcome.requests.due;
    assert!((130..270).contains(&due), "{due} of 200 that arrive in a second");
    assert_eq!(outcome.requests.unfinished, 0);
    assert_eq!((outcome.lateness.len(), outcome.pool_wait.len()), (due, due));
    assert!(outcome.engine_cpu_ns > 0 && outcome.client_cpu_ns > 0);
    assert_consistent(&instance);
}

#[test]
fn keyed_users_pause_between_their_transactions() {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::loaded(temp.path(), 2);
    // Pauses of 0.1 s in the mean in place of 20 s.
    let keyed = Pacing::Keyed { factor: 0.005 };
    let asked = RunOptions { pacing: keyed, connections: Some(2), ..options(20, 1_500) };
    let outcome = run(&instance, &asked, &Control::default()).unwrap();
    assert!(outcome.errors.is_empty() && outcome.fatal.is_none());
    let completed = outcome.completed();
    // Little's law: each user pauses, and waits for its answer, which takes long on a slow machine.
    let answers = outcome.per.values().map(|per| (per.latency.mean_ns() / 1e9, per.latency.len() as f64));
    let (sum, count) = answers.fold((0.0, 0.0), |(sum, count), (mean, n)| (sum + mean * n, count + n));
    let expected = 20.0 * 1.5 / (0.1 + sum / count);
    let share = completed as f64 / expected;
    assert!((0.5..1.67).contains(&share), "{completed} of {expected} of 20 users that pause 0.1 s");
    assert_consistent(&instance);
}

#[test]
fn a_fixed_home_serves_every_warehouse_too() {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::loaded(temp.path(), 2);
    let outcome =
        run(&instance, &RunOptions { home: Home::Fixed, ..options(2, 200) }, &Control::default()).unwrap();
    assert!(outcome.errors.is_empty() && outcome.fatal.is_none());
    let touched: i64 = instance
        .connect()
        .unwrap()
        .query_row("SELECT count(DISTINCT d_w_id) FROM district WHERE d_next_o_id > 31", [], |row| row.get(0))
        .unwrap();
    assert_eq!(touched, 2);
}

#[test]
fn deliveries_that_find_nothing_are_counted() {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::loaded(temp.path(), 2);
    instance.connect().unwrap().execute_batch("DELETE FROM new_order").unwrap();
    let outcome = run(&instance, &options(1, 400), &Control::default()).unwrap();
    assert!(outcome.fatal.is_none());
    assert!(outcome.skipped_deliveries <= 10 * outcome.per[&TransactionKind::Delivery].committed);
}

/// Runs with a fault below; gives the reason why the run is worthless.
fn fatal_with(fault: Fault, memory_bytes: u64) -> String {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::empty(temp.path(), memory_bytes);
    crate::tpcc::load(&instance, &testing::miniature(2, 1), &|_| {}).unwrap();
    instance.mount().unwrap().inject(fault);
    let outcome = run(&instance, &options(3, 60_000), &Control::default()).unwrap();
    assert!(!outcome.interrupted);
    assert!(outcome.measured < Duration::from_secs(60), "it ended at once");
    outcome.fatal.unwrap()
}

#[test]
fn storage_that_fails_ends_the_run_with_the_reason() {
    for fault in [Fault::WriteError { after: 40 }, Fault::SyncError, Fault::NoSpace] {
        let reason = fatal_with(fault, 16 << 20);
        assert!(reason.contains("below it"), "{fault:?}: {reason}");
    }
}

#[test]
fn reads_that_fail_or_come_short_end_the_run_with_the_reason() {
    // Hardly any memory, so that reads reach the drive; the first ones still succeed, so that the run begins.
    for fault in [Fault::ReadError { after: 400 }, Fault::ReadError { after: 1_000 }] {
        let reason = fatal_with(fault, 64 << 10);
        assert!(reason.contains("below it"), "{fault:?}: {reason}");
    }
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::empty(temp.path(), 64 << 10);
    crate::tpcc::load(&instance, &testing::miniature(2, 1), &|_| {}).unwrap();
    let mut control = Control::default();
    thread::scope(|scope| {
        let mount = instance.mount().unwrap();
        let (sender, receiver) = channel();
        control.on_phase = Some(Box::new(move |phase| {
            let _ = sender.send(phase);
        }));
        scope.spawn(move || {
            if receiver.iter().any(|phase| phase == Phase::Measure) {
                mount.inject(Fault::ShortRead);
            }
        });
        let outcome = run(&instance, &options(3, 60_000), &control).unwrap();
        assert!(outcome.fatal.unwrap().contains("below it"));
        control.on_phase = None;
    });
}

#[test]
fn impossible_runs_are_refused_with_a_reason() {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::loaded(temp.path(), 2);
    let control = Control::default();
    let refused = |options: RunOptions| run(&instance, &options, &control).unwrap_err().to_string();
    assert!(refused(options(0, 1)).contains("0 connections"));
    assert!(refused(options(1_001, 1)).contains("outside of 1 to 1000"));
    let arrivals = Pacing::Arrivals { per_second: 10.0 };
    let crowd = RunOptions { pacing: arrivals, connections: Some(1_001), ..options(20_000, 1) };
    assert!(refused(crowd).contains("outside of 1 to 1000"));
    assert!(
        refused(RunOptions { warehouses: 3, ..options(1, 1) })
            .contains("holds 2 warehouses, 3 were asked for")
    );
    let other = tempfile::tempdir().unwrap();
    let bare = testing::empty(other.path(), 1 << 20);
    assert!(run(&bare, &options(1, 1), &control).unwrap_err().to_string().contains("load it first"));
}

#[test]
fn users_that_cannot_connect_do_not_keep_the_others_waiting() {
    let temp = tempfile::tempdir().unwrap();
    let instance = testing::loaded(temp.path(), 2);
    instance.connect().unwrap().execute_batch("ALTER TABLE stock RENAME TO stick").unwrap();
    let error = run(&instance, &options(4, 1_000), &Control::default()).unwrap_err();
    assert!(error.to_string().contains("no such table: stock"), "{error}");
}

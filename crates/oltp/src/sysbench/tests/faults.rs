//! Logins, servers that die, loads that are stopped.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use database::Secret;
use database::mariadb::MariaDb;
use database::postgresql::PostgreSql;
use rustix::process::{Pid, Signal, kill_process};

use super::*;

#[test]
fn postgresql_that_is_killed_ends_the_run_in_time() {
    let dir = open_dir();
    let Some(server) = server(postgresql::provision, dir.path()) else { return };
    killed_server(&server);
}

#[test]
fn mariadb_that_is_killed_ends_the_run_in_time() {
    let dir = open_dir();
    let Some(server) = server(mariadb::provision, dir.path()) else { return };
    killed_server(&server);
}

/// Lost connections are counted, and the run ends when its time is over.
fn killed_server(server: &Server) {
    load(server.access(), &LoadOptions::new(1, 100, 1), &|_| {}).unwrap();
    let pid = Pid::from_raw(i32::try_from(server.pid().unwrap()).unwrap()).unwrap();
    let options = Options {
        tables: 1,
        rows: 100,
        threads: 3,
        measure: Duration::from_millis(1500),
        test: Test::ReadOnly,
        ..Options::default()
    };
    let since = Instant::now();
    let outcome = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(500));
            // The server that this test started.
            kill_process(pid, Signal::KILL).unwrap();
        });
        run(server.access(), &options, &Control::default())
    })
    .unwrap();
    assert!(since.elapsed() < Duration::from_secs(30));
    assert!(outcome.transactions > 0, "{}", seen(&outcome));
    assert_eq!(outcome.errors.get("transaction: connection lost"), Some(&3), "{:?}", outcome.errors);
    let refused = run(server.access(), &options, &Control::default()).unwrap_err().to_string();
    assert!(refused.contains("connecting"), "{refused}");
}

#[test]
fn logins_over_tcp_and_wrong_passwords() {
    for provision in [postgresql::provision as Provision, mariadb::provision] {
        let dir = open_dir();
        let Some(server) = server(provision, dir.path()) else { continue };
        load(server.access(), &LoadOptions::new(1, 100, 1), &|_| {}).unwrap();
        let tcp = Endpoint { socket: None, ..server.endpoint().clone() };
        let options = Options {
            tables: 1,
            rows: 100,
            threads: 2,
            measure: Duration::from_millis(200),
            ..Options::default()
        };
        fn way_in<'a>(server: &Server, endpoint: &'a Endpoint) -> Access<'a> {
            match server.access() {
                Access::PostgreSql(_) => Access::PostgreSql(PostgreSql(endpoint)),
                _ => Access::MariaDb(MariaDb(endpoint)),
            }
        }
        let outcome = run(way_in(&server, &tcp), &options, &Control::default()).unwrap();
        assert!(outcome.transactions > 0 && outcome.errors.is_empty(), "{}", seen(&outcome));
        let wrong = Endpoint { password: Some(Secret::new("wrong")), ..tcp.clone() };
        let refused = run(way_in(&server, &wrong), &options, &Control::default()).unwrap_err().to_string();
        assert!(refused.contains("connecting") && !refused.contains("wrong"), "{refused}");
        let nowhere = Endpoint { port: 1, ..tcp };
        let refused = run(way_in(&server, &nowhere), &options, &Control::default()).unwrap_err().to_string();
        assert!(refused.contains("connecting: Connection refused"), "{refused}");
    }
}

#[test]
fn a_load_that_is_stopped_says_so() {
    let dir = open_dir();
    let instance = sqlite(dir.path());
    let stop = Some(Arc::new(AtomicBool::new(true)));
    let error = load(instance.access(), &LoadOptions { stop, ..LoadOptions::new(2, 5_000, 1) }, &|_| {});
    assert!(matches!(error, Err(SysbenchError::Stopped)), "{error:?}");
    for provision in [postgresql::provision as Provision, mariadb::provision] {
        let dir = open_dir();
        let Some(server) = server(provision, dir.path()) else { continue };
        let stop = Some(Arc::new(AtomicBool::new(true)));
        let options = LoadOptions { stop, ..LoadOptions::new(2, 5_000, 1) };
        let error = load(server.access(), &options, &|_| {});
        assert!(matches!(error, Err(SysbenchError::Stopped)), "{error:?}");
    }
}

#[test]
fn crowded_rows_on_sqlite() {
    let dir = open_dir();
    let instance = sqlite(dir.path());
    let outcome = crowded_rows(instance.access(), 4, 16);
    assert_eq!((outcome.retries, outcome.errors.len()), (0, 0), "the gate lets one in at a time");
    assert!(outcome.lock_wait.max_ns() > 0);
}

#[test]
fn crowded_rows_on_servers() {
    // PostgreSQL looks for deadlocks after a second, MariaDB at once.
    let crowds: [(Provision, u32, u32); 2] = [(postgresql::provision, 40, 8), (mariadb::provision, 4, 16)];
    for (provision, rows, threads) in crowds {
        let dir = open_dir();
        let Some(server) = server(provision, dir.path()) else { continue };
        let outcome = crowded_rows(server.access(), rows, threads);
        assert!(outcome.ignored.values().sum::<u64>() > 0 && outcome.retries > 0, "{}", seen(&outcome));
    }
}

/// Everybody wants the same few rows: attempts in vain are repeated, counted, and leave no trace.
fn crowded_rows(access: Access<'_>, rows: u32, threads: u32) -> RunOutcome {
    load(access, &LoadOptions::new(1, rows, 1), &|_| {}).unwrap();
    let options = Options {
        test: Test::WriteOnly,
        tables: 1,
        rows,
        threads,
        distribution: Distribution::Uniform,
        measure: Duration::from_millis(2500),
        ..Options::default()
    };
    let outcome = run(access, &options, &Control::default()).unwrap();
    assert!(outcome.fatal.is_none() && outcome.transactions > 0, "{}", seen(&outcome));
    let given_up: u64 = outcome.errors.values().sum();
    assert!(outcome.ignored.values().sum::<u64>() <= outcome.retries + given_up, "{}", seen(&outcome));
    let conditions = check(access, 1, rows).unwrap();
    assert!(conditions.len() == 5 && conditions.iter().all(Condition::holds), "{conditions:?}");
    outcome
}

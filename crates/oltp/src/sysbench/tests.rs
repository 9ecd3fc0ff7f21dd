//! One body over every engine.

mod faults;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use database::sqlite::Sqlite;
use database::{
    Access, Backing, DatabaseError, Endpoint, Instance, InstanceSpec, Server, ServerError, Synchronous,
    mariadb, postgresql,
};
use device::DriveSpec;
use emulate::EmulatedDrive;
use tempfile::TempDir;
use testkit::need;

use super::tables::{Ask as _, Questions as _};
use super::wire::Row;
use super::*;
use crate::driver::Control;

const TABLES: u32 = 3;
const ROWS: u32 = 1_000;

fn spec(dir: &Path, storage: Backing) -> InstanceSpec {
    InstanceSpec {
        dir: dir.to_owned(),
        data: storage.clone(),
        log: storage,
        log_dir: None,
        memory_bytes: 64 << 20,
        synchronous: Synchronous::Off,
        page_cache: false,
    }
}

/// A directory that the servers' own accounts may enter.
fn open_dir() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

fn sqlite(dir: &Path) -> Sqlite {
    let free = Backing::Emulated(EmulatedDrive::new("free", &DriveSpec::free(), 0));
    let mut instance = Sqlite::new(spec(&dir.join("i"), free)).unwrap();
    instance.start().unwrap();
    instance
}

type Provision = fn(InstanceSpec) -> Result<Server, DatabaseError>;

/// A running server, or `None` where none is installed.
#[track_caller]
fn server(provision: Provision, dir: &Path) -> Option<Server> {
    let mut server = match provision(spec(&dir.join("i"), Backing::Real)) {
        Err(why @ DatabaseError::Server(ServerError::NotFound { .. })) => {
            return need::missing(&why.to_string());
        }
        server => server.unwrap(),
    };
    server.start().unwrap();
    Some(server)
}

#[test]
fn the_whole_path_on_sqlite() {
    let dir = open_dir();
    let instance = sqlite(dir.path());
    whole_path(instance.access());
}

#[test]
fn the_whole_path_on_postgresql() {
    let dir = open_dir();
    let Some(server) = server(postgresql::provision, dir.path()) else { return };
    whole_path(server.access());
    sysbenchs_own_tables(server.access());
}

#[test]
fn the_whole_path_on_mariadb() {
    let dir = open_dir();
    let Some(server) = server(mariadb::provision, dir.path()) else { return };
    whole_path(server.access());
    sysbenchs_own_tables(server.access());
}

fn whole_path(access: Access<'_>) {
    let empty = run(access, &quick(Test::ReadOnly), &Control::default()).unwrap_err();
    assert!(matches!(&empty, SysbenchError::NotLoaded { table, .. } if table == "sbtest1"), "{empty}");
    loads(access);
    every_test(access);
    arrivals_at_a_rate(access);
    a_stop_is_kept(access);
    wrong_sizes(access);
    damage_is_seen(access);
}

/// The first row of an answer.
fn ask(access: Access<'_>, sql: &str) -> Row {
    database::on_engine!(access, engine => engine.ask().unwrap().row(sql).unwrap())
}

/// Longer than any drive takes for a commit.
const LONG: Duration = Duration::from_secs(20);

fn quick(test: Test) -> Options {
    Options {
        test,
        tables: TABLES,
        rows: ROWS,
        threads: 4,
        measure: Duration::from_millis(300),
        ..Options::default()
    }
}

/// A run that completed something; a drive that others keep busy may take longer for one commit than a quick
/// run lasts.
fn busy(access: Access<'_>, options: &Options) -> RunOutcome {
    let mut options = options.clone();
    loop {
        let outcome = run(access, &options, &Control::default()).unwrap();
        if outcome.transactions > 0 || options.measure > LONG {
            return outcome;
        }
        options.measure *= 4;
    }
}

fn assert_whole(access: Access<'_>) {
    let conditions = check(access, TABLES, ROWS).unwrap();
    assert_eq!(conditions.len(), 5 * TABLES as usize, "{conditions:?}");
    assert!(conditions.iter().all(Condition::holds), "{conditions:?}");
}

fn loads(access: Access<'_>) {
    let last = std::sync::Mutex::new(None);
    let report = load(access, &LoadOptions::new(TABLES, ROWS, 7), &|progress| {
        *last.lock().unwrap() = Some(progress);
    })
    .unwrap();
    assert_eq!(report.rows, u64::from(TABLES * ROWS));
    let last = last.into_inner().unwrap().unwrap();
    assert_eq!((last.rows, last.rows_total, last.tables), (3_000, 3_000, 3));
    assert_whole(access);
    // The same seed makes the same rows everywhere.
    let row = ask(access, "SELECT k, c, pad FROM sbtest2 WHERE id=77");
    let trimmed: Vec<String> = row.into_iter().map(|value| value.unwrap().trim_end().to_owned()).collect();
    assert_eq!(trimmed, ROW_77_OF_TABLE_2);
    let again = load(access, &LoadOptions::new(1, 10, 1), &|_| {}).unwrap_err();
    assert!(
        matches!(
            again,
            SysbenchError::Exists { .. } | SysbenchError::Database(DatabaseError::NotEmpty { .. })
        ),
        "{again}"
    );
}

const ROW_77_OF_TABLE_2: [&str; 3] = [
    "502",
    "20221685137-23253579376-86197927302-23746626878-71816734412-\
     05985733832-51980675969-38490714975-47998103417-33931265984",
    "21276042570-88477611353-35537652529-51786435336-65492860307",
];

fn every_test(access: Access<'_>) {
    for test in Test::ALL {
        // One alone, and more than there are processors.
        for threads in [1, 5] {
            let outcome = busy(access, &Options { threads, ..quick(test) });
            assert_eq!((outcome.fatal.as_deref(), outcome.interrupted), (None, false), "{test}");
            assert_eq!(outcome.errors, BTreeMap::new(), "{test}");
            assert!(outcome.transactions > 0 && outcome.tps > 0.0, "{test}: {}", seen(&outcome));
            let (reads, writes, other) = test.queries();
            let each = u64::from(reads + writes + other);
            let (all_reads, all_writes, all_other) = outcome.queries;
            assert_eq!(all_reads + all_writes + all_other, each * outcome.transactions, "{test}");
            let timed: u64 = outcome.statements.values().map(measure::Histogram::len).sum();
            assert_eq!(timed, each * outcome.requests.due, "{test}: all that have a latency");
            assert_eq!(outcome.latency.len(), outcome.requests.due);
            let in_time: u64 = outcome.timeline.seconds().iter().map(|second| second.count).sum();
            assert!(in_time >= outcome.transactions, "{test}");
            assert_eq!(outcome.missing, 0, "{test}");
            assert!(outcome.client_cpu_ns > 0, "{test}");
            rows_add_up(test, &outcome);
        }
    }
    assert_whole(access);
}

fn rows_add_up(test: Test, outcome: &RunOutcome) {
    let each = outcome.rows_read / outcome.transactions;
    let changed = outcome.rows_changed as f64 / outcome.transactions as f64;
    match test {
        Test::PointSelect => assert_eq!(outcome.rows_read, outcome.transactions),
        // Ten rows, one sum, three ranges of up to 100 rows: special ids lie in the middle of the table.
        Test::ReadOnly | Test::ReadWrite => assert!((300..=311).contains(&each), "{each}"),
        _ => assert_eq!(outcome.rows_read, 0),
    }
    match test {
        // A row that another deletes at the same time may be missed.
        Test::ReadWrite | Test::WriteOnly => assert!((3.5..=4.0).contains(&changed), "{changed}"),
        Test::UpdateIndex | Test::UpdateNonIndex => assert!((0.9..=1.0).contains(&changed), "{changed}"),
        _ => assert_eq!(outcome.rows_changed, 0),
    }
}

fn arrivals_at_a_rate(access: Access<'_>) {
    for threads in [1, 8] {
        let options = Options {
            threads,
            rate: Some(100.0),
            ramp_up: Duration::from_millis(200),
            measure: Duration::from_secs(1),
            ..quick(Test::PointSelect)
        };
        let outcome = run(access, &options, &Control::default()).unwrap();
        // A Poisson count with mean 100.
        assert!((50..=150).contains(&outcome.transactions), "{}", outcome.transactions);
        assert_eq!(outcome.lateness.len(), outcome.requests.due);
        assert!(outcome.latency.mean_ns() >= outcome.service.mean_ns());
    }
}

fn a_stop_is_kept(access: Access<'_>) {
    let stopped_after = |time: Duration| {
        let control = Control::default();
        let options = Options { measure: Duration::from_secs(600), threads: 1, ..quick(Test::ReadWrite) };
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(time);
                control.stop.store(true, Ordering::Release);
            });
            run(access, &options, &control)
        })
        .unwrap()
    };
    // A drive that others keep busy may take long for the first commit.
    let times = [Duration::from_millis(200), Duration::from_secs(4), LONG];
    let mut outcomes = times.iter().map(|time| stopped_after(*time));
    let outcome = outcomes.find(|outcome| outcome.transactions > 0).expect("something was completed before");
    assert!(outcome.interrupted && outcome.transactions > 0, "{}", seen(&outcome));
}

/// The part of an outcome that a failed assertion shows: the histograms would fill screens.
fn seen(outcome: &RunOutcome) -> String {
    let RunOutcome { interrupted, fatal, transactions, errors, ignored, retries, missing, .. } = outcome;
    format!(
        "{transactions} transactions, interrupted {interrupted}, fatal {fatal:?}, errors {errors:?}, ignored {ignored:?}, \
         {retries} retries, {missing} missing"
    )
}

fn wrong_sizes(access: Access<'_>) {
    let refused = |options: Options| run(access, &options, &Control::default()).unwrap_err().to_string();
    let other = refused(Options { rows: 999, ..quick(Test::ReadOnly) });
    assert!(other.contains("holds ids 1 to 1000, a run over 999 rows"), "{other}");
    let absent = refused(Options { tables: 4, ..quick(Test::ReadOnly) });
    assert!(absent.contains("`sbtest4`") && absent.contains("load the tables first"), "{absent}");
    assert!(refused(Options { threads: 0, ..quick(Test::ReadOnly) }).contains("threads = 0"));
}

fn damage_is_seen(access: Access<'_>) {
    for sql in [
        "DELETE FROM sbtest1 WHERE id = 1000",
        "UPDATE sbtest2 SET c = 'x' WHERE id < 4",
        "UPDATE sbtest3 SET k = 0 WHERE id = 9",
    ] {
        ask(access, sql);
    }
    let broken: Vec<(String, &str, u64)> = check(access, TABLES, ROWS)
        .unwrap()
        .into_iter()
        .filter(|condition| !condition.holds())
        .map(|condition| (condition.table, condition.what, condition.violations))
        .collect();
    let expected = [
        ("sbtest1", "the number of rows is what was loaded", 1),
        ("sbtest1", "the ids are 1 to the number of rows", 1),
        ("sbtest2", "every text has its pattern", 3),
        ("sbtest3", "every k is at least 1", 1),
    ];
    assert_eq!(broken, expected.map(|(table, what, violations)| (table.to_owned(), what, violations)));
}

/// Tables that sysbench made are accepted, and sysbench runs on ours.
fn sysbenchs_own_tables(access: Access<'_>) {
    let Some(connection) = sysbench_connection(access) else { return };
    let sysbench = |verb: &str| {
        let mut command = Command::new("sysbench");
        command.arg("oltp_read_write").args(&connection).arg(verb);
        command.args(["--tables=2", "--table-size=500", "--threads=2", "--time=1"]).output()
    };
    let Some(_) = need::program("sysbench") else { return };
    let cleaned = sysbench("cleanup").unwrap();
    assert!(cleaned.status.success(), "{}", String::from_utf8_lossy(&cleaned.stdout));
    let prepared = sysbench("prepare").unwrap();
    assert!(prepared.status.success(), "{}", String::from_utf8_lossy(&prepared.stdout));
    let conditions = check(access, 2, 500).unwrap();
    assert!(conditions.len() == 10 && conditions.iter().all(Condition::holds), "{conditions:?}");
    let options = Options { tables: 2, rows: 500, ..quick(Test::ReadWrite) };
    let outcome = run(access, &options, &Control::default()).unwrap();
    assert!(
        outcome.fatal.is_none() && outcome.errors.is_empty() && outcome.transactions > 0,
        "{}",
        seen(&outcome)
    );

    assert!(sysbench("cleanup").unwrap().status.success());
    let stale = "DROP TABLE IF EXISTS sbtest3";
    ask(access, stale);
    load(access, &LoadOptions::new(2, 500, 1), &|_| {}).unwrap();
    let theirs = sysbench("run").unwrap();
    assert!(theirs.status.success(), "{}", String::from_utf8_lossy(&theirs.stdout));
    assert!(check(access, 2, 500).unwrap().iter().all(Condition::holds));
}

fn sysbench_connection(access: Access<'_>) -> Option<Vec<String>> {
    let arguments = |kind: &str, endpoint: &Endpoint| {
        let password = endpoint.password.as_ref().map_or("", |password| password.reveal());
        vec![
            format!("--{kind}-user={}", endpoint.user),
            format!("--{kind}-password={password}"),
            format!("--{kind}-db={}", endpoint.database),
            format!("--{kind}-host={}", endpoint.host),
            format!("--{kind}-port={}", endpoint.port),
            format!("--db-driver={kind}"),
        ]
    };
    match access {
        Access::Sqlite(_) => None,
        Access::PostgreSql(server) => Some(arguments("pgsql", server.0)),
        Access::MariaDb(server) => Some(arguments("mysql", server.0)),
    }
}

#[test]
fn odd_words_of_a_server_end_the_conversation_in_words() {
    testkit::odd_inputs("wire_mysql", super::fuzzing::mysql);
    testkit::odd_inputs("wire_postgres", super::fuzzing::postgres);
}

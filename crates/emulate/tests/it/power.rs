//! Power cuts under SQLite: acknowledged data is there afterwards, unless the drive was configured to lose
//! it.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::{
    check_integrity, connect, connect_wal, constant, count, database, mount, mount_on, text,
};
use emulate::Mount;
use rusqlite::Connection;

/// The power goes after fewer commits than this.
const COMMITS_MOST: u64 = 30;

/// The result of one round.
struct Round {
    acknowledged: i64,
    found: i64,
    /// SQLite's verdict on the database: "ok", or the damage, which is possible without syncs.
    verdict: String,
}

/// Commits rows one by one until the power goes, after a number of commits and a moment of `seed`, and looks
/// at the data that are left.
fn cut_while_committing(mode: &str, synchronous: &str, seed: u64) -> Round {
    let dir = tempfile::tempdir().unwrap();
    let path = database(&dir);
    let mount = mount_on(dir.path(), constant(0, 5_000, 5_000), 256 << 10);
    let acknowledged = AtomicI64::new(0);
    setup(&path, mode, synchronous);
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            // The power may go before the first commit.
            let Ok(connection) = open(&path, mode, synchronous) else { return };
            if connection.execute_batch("PRAGMA wal_autocheckpoint = 8").is_err() {
                return;
            }
            for row in 1.. {
                // Rows of 3000 bytes: nearly every commit touches a new page.
                if connection.execute("INSERT INTO t VALUES (?, ?)", (row, text(row, 3000))).is_err() {
                    break;
                }
                acknowledged.store(row, Ordering::SeqCst);
            }
            // Every further call fails too, and none hangs.
            assert!(connection.execute("INSERT INTO t VALUES (0, '')", []).is_err());
            assert!(open(&path, mode, synchronous).is_err());
        });
        let (commits, moment_us) = (ground::mix(seed) % COMMITS_MOST, ground::mix(!seed) % 500);
        while acknowledged.load(Ordering::SeqCst) < commits as i64 && !writer.is_finished() {
            thread::sleep(Duration::from_micros(50));
        }
        thread::sleep(Duration::from_micros(moment_us));
        mount.cut_power(seed);
    });
    mount.power_on().unwrap();
    look(&path, acknowledged.load(Ordering::SeqCst))
}

fn setup(path: &Path, mode: &str, synchronous: &str) {
    // With FULL the deletion of a rollback journal may still be lost, and the table with it: SQLite says so
    // of EXTRA.
    let connection = open(path, mode, "EXTRA").unwrap();
    connection.execute_batch("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)").unwrap();
    connection.execute_batch(&format!("PRAGMA synchronous = {synchronous}")).unwrap();
}

fn open(path: &Path, mode: &str, synchronous: &str) -> rusqlite::Result<Connection> {
    if mode == "WAL" {
        return connect_wal(path, synchronous);
    }
    let connection = crate::support::try_connect(path)?;
    connection.query_row(&format!("PRAGMA journal_mode = {mode}"), [], |_| Ok(()))?;
    connection.execute_batch(&format!("PRAGMA synchronous = {synchronous}; PRAGMA cache_size = -64"))?;
    Ok(connection)
}

fn look(path: &Path, acknowledged: i64) -> Round {
    let looked = || -> rusqlite::Result<(i64, String)> {
        let connection = crate::support::try_connect(path)?;
        let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        let rows = "SELECT count(*) FROM t WHERE a BETWEEN 1 AND ? AND length(b) = 3000";
        let found = connection.query_row(rows, [acknowledged], |row| row.get(0))?;
        Ok((found, verdict))
    };
    let (found, verdict) = looked().unwrap_or_else(|error| (0, error.to_string()));
    Round { acknowledged, found, verdict }
}

#[test]
fn full_sync_loses_no_acknowledged_commit_in_100_cuts() {
    let mut acknowledged = 0;
    for seed in 0..100 {
        let mode = if seed % 4 == 3 { "DELETE" } else { "WAL" };
        // The deletion of a rollback journal, which is its commit, is durable with EXTRA only.
        let synchronous = if mode == "WAL" { "FULL" } else { "EXTRA" };
        let round = cut_while_committing(mode, synchronous, seed);
        assert_eq!(round.verdict, "ok", "seed {seed}, {mode}");
        assert_eq!(round.found, round.acknowledged, "seed {seed}, {mode}: acknowledged rows are missing");
        acknowledged += round.acknowledged;
    }
    assert!(acknowledged > 1000, "the cuts came during work: {acknowledged} commits");
}

#[test]
fn without_sync_the_loss_is_seen() {
    let rounds: Vec<_> = (0..20).map(|seed| cut_while_committing("WAL", "OFF", seed)).collect();
    let lost =
        rounds.iter().filter(|round| round.found < round.acknowledged || round.verdict != "ok").count();
    assert!(lost > 0, "no loss in {} rounds", rounds.len());
}

#[test]
fn a_drive_that_lies_about_its_flush_is_found_out() {
    let mut lost = 0;
    for seed in 0..20 {
        let dir = tempfile::tempdir().unwrap();
        let path = database(&dir);
        let mount = mount(dir.path(), 1 << 20);
        setup(&path, "WAL", "FULL");
        mount.set_lying_flush(true);
        let connection = connect_wal(&path, "FULL").unwrap();
        for row in 1..=20 {
            connection.execute("INSERT INTO t VALUES (?, ?)", (row, text(row, 3000))).unwrap();
        }
        mount.cut_power(seed);
        drop(connection);
        mount.power_on().unwrap();
        let round = look(&path, 20);
        lost += u32::from(round.found < 20 || round.verdict != "ok");
    }
    assert!(lost > 10, "only {lost} of 20 cuts lost anything");
}

/// A cut between two threads' commits: the group that shares a flush is durable or not acknowledged.
#[test]
fn several_writers_lose_nothing_acknowledged() {
    for seed in 0..15 {
        let dir = tempfile::tempdir().unwrap();
        let path = database(&dir);
        let mount = mount_on(dir.path(), constant(1_000, 5_000, 20_000), 256 << 10);
        setup(&path, "WAL", "FULL");
        let acknowledged = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for writer in 0..3_i64 {
                let (path, acknowledged) = (&path, &acknowledged);
                scope.spawn(move || {
                    let Ok(connection) = connect_wal(path, "FULL") else { return };
                    for step in 0.. {
                        let row = step * 3 + writer;
                        if connection.execute("INSERT INTO t VALUES (?, ?)", (row, text(row, 1000))).is_err()
                        {
                            break;
                        }
                        acknowledged.lock().unwrap().push(row);
                    }
                });
            }
            thread::sleep(Duration::from_micros(2_000 + ground::mix(seed) % 8_000));
            mount.cut_power(seed);
        });
        mount.power_on().unwrap();
        let connection = connect(&path);
        check_integrity(&connection);
        for row in acknowledged.into_inner().unwrap() {
            let found: i64 =
                connection.query_row("SELECT count(*) FROM t WHERE a = ?", [row], |row| row.get(0)).unwrap();
            assert_eq!(found, 1, "seed {seed}: row {row} was acknowledged");
        }
    }
}

#[test]
fn the_same_seed_leaves_the_same_bytes_and_another_one_others() {
    let outcome = |seed: u64| {
        let dir = tempfile::tempdir().unwrap();
        let path = database(&dir);
        let mount = mount(dir.path(), 1 << 20);
        setup(&path, "WAL", "OFF");
        let connection = connect_wal(&path, "OFF").unwrap();
        for row in 1..=40 {
            connection.execute("INSERT INTO t VALUES (?, ?)", (row, text(row, 3000))).unwrap();
        }
        mount.cut_power(seed);
        drop(connection);
        // The salts of a WAL are random, so the comparison is of the sectors that were kept.
        let wal = std::fs::read(dir.path().join("test.db-wal")).unwrap_or_default();
        wal.chunks(4096).map(|sector| sector.iter().any(|&byte| byte != 0)).collect::<Vec<_>>()
    };
    assert_eq!(outcome(5), outcome(5));
    assert!((6..16).any(|seed| outcome(seed) != outcome(5)));
}

#[test]
fn a_cut_without_power_or_files_does_nothing_and_power_returns() {
    let dir = tempfile::tempdir().unwrap();
    let mount: Mount = mount(dir.path(), 0);
    mount.cut_power(1);
    mount.cut_power(2);
    mount.power_on().unwrap();
    mount.power_on().unwrap();
    let connection = connect_wal(&database(&dir), "FULL").unwrap();
    connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1)").unwrap();
    assert_eq!(count(&connection, "t"), 1);
}

#[test]
fn undo_memory_is_bounded_by_syncs() {
    let dir = tempfile::tempdir().unwrap();
    let mount = mount(dir.path(), 1 << 20);
    let connection = connect_wal(&database(&dir), "FULL").unwrap();
    connection.execute_batch("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)").unwrap();
    for row in 0..300 {
        connection.execute("INSERT INTO t(b) VALUES (?)", [text(row, 3000)]).unwrap();
    }
    let counters = mount.counters();
    assert_eq!(counters.undo_bytes, 0, "everything is synced");
    assert!(
        counters.undo_peak_bytes > 0 && counters.undo_peak_bytes < 100 << 10,
        "{}",
        counters.undo_peak_bytes
    );
    connection.execute_batch("PRAGMA synchronous = OFF").unwrap();
    for row in 0..300 {
        connection.execute("INSERT INTO t(b) VALUES (?)", [text(row, 3000)]).unwrap();
    }
    let counters = mount.counters();
    assert!(counters.undo_bytes > 0 && counters.undo_bytes <= 64 << 20);
    drop(connection);
    mount.cut_power(3);
    assert_eq!(mount.counters().undo_bytes, 0);
}

//! SQLite itself drives the layer: every journal mode, many connections, crashes, temporary files.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;

use crate::support::{
    check_integrity, connect, connect_wal, constant, count, database, mount, mount_on, text, try_connect,
};
use rusqlite::{Connection, params};

#[test]
fn every_journal_mode_commits_rolls_back_and_stays_whole() {
    for mode in ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "WAL"] {
        let dir = tempfile::tempdir().unwrap();
        let _mount = mount(dir.path(), 64 << 10);
        let mut connection = connect(&database(&dir));
        let set: String =
            connection.query_row(&format!("PRAGMA journal_mode = {mode}"), [], |row| row.get(0)).unwrap();
        assert_eq!(set, mode.to_lowercase());
        connection
            .execute_batch("PRAGMA cache_size = 10; CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)")
            .unwrap();
        for round in 0..4 {
            let transaction = connection.transaction().unwrap();
            for row in 0..200 {
                transaction.execute("INSERT INTO t(b) VALUES (?)", [text(row, 700)]).unwrap();
            }
            if round % 2 == 0 { transaction.commit().unwrap() } else { transaction.rollback().unwrap() }
        }
        check_integrity(&connection);
        drop(connection);
        let connection = connect(&database(&dir));
        assert_eq!(count(&connection, "t"), 400, "{mode}");
        let wrong: i64 = connection
            .query_row("SELECT count(*) FROM t WHERE length(b) <> 700 OR b NOT LIKE '0%'", [], |row| {
                row.get(0)
            })
            .unwrap();
        assert_eq!(wrong, 0);
    }
}

#[test]
fn small_pages_and_large_ones_work_as_well() {
    for page_size in [512, 1024, 8192, 65_536] {
        let dir = tempfile::tempdir().unwrap();
        let _mount = mount(dir.path(), 1 << 20);
        let connection = connect(&database(&dir));
        connection
            .execute_batch(&format!("PRAGMA page_size = {page_size}; PRAGMA journal_mode = WAL"))
            .unwrap();
        connection.execute_batch("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)").unwrap();
        for row in 0..300 {
            connection.execute("INSERT INTO t(b) VALUES (?)", [text(row, 900)]).unwrap();
        }
        connection
            .execute_batch("PRAGMA wal_checkpoint(TRUNCATE); DELETE FROM t WHERE a % 3 = 0; VACUUM")
            .unwrap();
        drop(connection);
        let connection = connect(&database(&dir));
        check_integrity(&connection);
        let size: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap();
        assert_eq!((size, count(&connection, "t")), (page_size, 200));
    }
}

/// Readers must see a constant sum while writers move amounts about: any torn or stale page shows.
#[test]
fn many_threads_write_and_read_one_database_in_wal_mode() {
    let dir = tempfile::tempdir().unwrap();
    let mount = mount_on(dir.path(), constant(20_000, 10_000, 5_000), 256 << 10);
    let path = database(&dir);
    let accounts = 2000_i64;
    let mut connection = connect_wal(&path, "FULL").unwrap();
    connection
        .execute_batch("CREATE TABLE account(id INTEGER PRIMARY KEY, amount INTEGER, filler TEXT)")
        .unwrap();
    let transaction = connection.transaction().unwrap();
    for id in 0..accounts {
        transaction.execute("INSERT INTO account VALUES (?, 100, ?)", params![id, text(id, 200)]).unwrap();
    }
    transaction.commit().unwrap();
    connection.execute_batch("PRAGMA wal_autocheckpoint = 50").unwrap();

    let stop = Arc::new(AtomicBool::new(false));
    let (moves, sums) = (AtomicI64::new(0), AtomicI64::new(0));
    thread::scope(|scope| {
        for writer in 0..3 {
            let (path, moves) = (&path, &moves);
            scope.spawn(move || {
                let mut connection = connect_wal(path, "FULL").unwrap();
                connection.execute_batch("PRAGMA wal_autocheckpoint = 50").unwrap();
                for step in 0..150_i64 {
                    let transaction = connection
                        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
                        .unwrap();
                    let (from, to) =
                        ((step * 37 + writer * 101) % accounts, (step * 53 + writer * 977) % accounts);
                    let change = "UPDATE account SET amount = amount + ?2 WHERE id = ?1";
                    transaction.execute(change, [from, -7]).unwrap();
                    transaction.execute(change, [to, 7]).unwrap();
                    transaction.commit().unwrap();
                    moves.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let readers: Vec<_> = (0..3)
            .map(|_| {
                let (path, stop, sums) = (&path, stop.clone(), &sums);
                scope.spawn(move || {
                    let connection = connect_wal(path, "FULL").unwrap();
                    while !stop.load(Ordering::Relaxed) {
                        let sum: i64 = connection
                            .query_row("SELECT sum(amount) FROM account", [], |row| row.get(0))
                            .unwrap();
                        assert_eq!(sum, accounts * 100);
                        sums.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        while moves.load(Ordering::Relaxed) < 450 || sums.load(Ordering::Relaxed) < 20 {
            thread::sleep(std::time::Duration::from_millis(2));
            assert!(!readers.iter().all(|reader| reader.is_finished()), "all readers failed");
        }
        stop.store(true, Ordering::Relaxed);
    });
    check_integrity(&connection);
    let counters = mount.counters();
    assert_eq!((counters.errors, mount.first_error()), (0, None));
    assert!(counters.log.syncs >= 450, "one flush for each commit: {}", counters.log.syncs);
    assert!(
        counters.data.hits > 0 && counters.data.misses > 0 && counters.data.reads == counters.data.read.len()
    );
}

#[test]
fn a_commit_is_one_write_and_one_flush_of_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let mount = mount(dir.path(), 1 << 20);
    let connection = connect_wal(&database(&dir), "FULL").unwrap();
    connection
        .execute_batch("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t(b) VALUES ('x')")
        .unwrap();
    for synchronous in ["FULL", "OFF"] {
        connection.execute_batch(&format!("PRAGMA synchronous = {synchronous}")).unwrap();
        let before = mount.counters();
        for row in 0..20 {
            connection.execute("INSERT INTO t(b) VALUES (?)", [text(row, 100)]).unwrap();
        }
        let log = mount.counters().since(&before).log;
        assert_eq!(log.writes, 20, "{synchronous}: frames of one commit are one operation");
        assert_eq!(log.syncs, if synchronous == "FULL" { 20 } else { 0 });
        assert_eq!(log.write.len(), 20);
        // A frame of 4120 bytes touches two sectors, seldom three.
        assert!(log.write_bytes >= 20 * 8192 && log.write_bytes <= 20 * 4 * 4096, "{}", log.write_bytes);
    }
}

#[test]
fn a_connection_that_is_never_closed_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = database(&dir);
    for round in 0..5 {
        let mount = mount(dir.path(), 1 << 20);
        let connection = connect_wal(&path, "NORMAL").unwrap();
        connection.execute_batch("CREATE TABLE IF NOT EXISTS t(a INTEGER PRIMARY KEY, b TEXT)").unwrap();
        check_integrity(&connection);
        assert_eq!(count(&connection, "t"), round * 50);
        for row in 0..50 {
            connection.execute("INSERT INTO t(b) VALUES (?)", [text(row, 300)]).unwrap();
        }
        connection.execute_batch("BEGIN; INSERT INTO t(b) VALUES ('never committed')").unwrap();
        // As after a crash: no rollback, no checkpoint, no close.
        std::mem::forget(connection);
        drop(mount);
    }
}

#[test]
fn connections_outlive_their_mount_without_harm() {
    let dir = tempfile::tempdir().unwrap();
    let path = database(&dir);
    let first = mount(dir.path(), 1 << 20);
    let old = connect_wal(&path, "FULL").unwrap();
    old.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1)").unwrap();
    drop(first);
    assert!(old.execute("INSERT INTO t VALUES (2)", []).is_err());
    assert!(try_connect(&path).is_err(), "no mount, no database");
    let _second = mount(dir.path(), 1 << 20);
    let new = connect_wal(&path, "FULL").unwrap();
    new.execute_batch("INSERT INTO t VALUES (3)").unwrap();
    drop(old);
    assert_eq!(count(&new, "t"), 2);
    check_integrity(&new);
}

#[test]
fn sorting_and_vacuum_use_temporary_files_and_attached_databases_commit_together() {
    let dir = tempfile::tempdir().unwrap();
    let mount = mount(dir.path(), 1 << 20);
    let connection = connect(&database(&dir));
    connection
        .execute_batch("PRAGMA cache_size = 20; PRAGMA temp_store = FILE; CREATE TABLE t(a, b)")
        .unwrap();
    connection
        .execute_batch(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
             INSERT INTO t SELECT (i * 7919) % 30011, printf('%0100d', i) FROM n",
        )
        .unwrap();
    let before = mount.counters();
    let first: i64 = connection
        .query_row("SELECT a FROM (SELECT a, b FROM t ORDER BY b DESC, a LIMIT 20000) LIMIT 1", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(first, (30_000 * 7919) % 30_011);
    assert_eq!(
        mount.counters().since(&before).data.writes,
        0,
        "temporary files are not charged to the drives"
    );
    connection.execute_batch("DELETE FROM t WHERE a % 2 = 0; VACUUM").unwrap();

    connection.execute("ATTACH ? AS other", [dir.path().join("other.db").to_str().unwrap()]).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE other.u(a); BEGIN; INSERT INTO other.u VALUES (1); DELETE FROM t; COMMIT",
        )
        .unwrap();
    assert_eq!((count(&connection, "t"), count(&connection, "other.u")), (0, 1));
    check_integrity(&connection);
    assert_eq!(mount.first_error(), None);
}

#[test]
fn the_log_may_lie_in_a_directory_of_its_own() {
    let (dir, log) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = |drive: emulate::Backing| emulate::MountOptions {
        data: drive.clone(),
        log: drive,
        memory_bytes: 1 << 20,
        log_dir: Some(log.path().to_owned()),
    };
    let mount = emulate::Mount::attach(dir.path(), options(crate::support::free())).unwrap();
    std::fs::create_dir(dir.path().join("deep")).unwrap();
    let path = dir.path().join("deep/test.db");
    let connection = connect_wal(&path, "FULL").unwrap();
    connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1)").unwrap();
    assert!(log.path().join("deep/test.db-wal").exists() && !dir.path().join("deep/test.db-wal").exists());
    std::mem::forget(connection);
    drop(mount);
    let _mount = emulate::Mount::attach(dir.path(), options(crate::support::free())).unwrap();
    assert_eq!(count(&connect(&path), "t"), 1, "recovered from the log directory");
}

#[test]
fn a_file_replaced_while_closed_is_read_anew() {
    let dir = tempfile::tempdir().unwrap();
    let mount = mount(dir.path(), 1 << 20);
    let (path, copy) = (database(&dir), dir.path().join("copy"));
    let make = |rows: i64| {
        let connection = connect(&path);
        connection
            .execute_batch("PRAGMA synchronous = OFF; CREATE TABLE IF NOT EXISTS t(a); DELETE FROM t")
            .unwrap();
        for row in 0..rows {
            connection.execute("INSERT INTO t VALUES (?)", [row]).unwrap();
        }
    };
    make(10);
    std::fs::copy(&path, &copy).unwrap();
    make(20);
    std::fs::copy(&copy, &path).unwrap();
    assert_eq!(count(&connect(&path), "t"), 10);
    // Data that was unsynced before the copy must not come back over it.
    make(30);
    std::fs::copy(&copy, &path).unwrap();
    mount.cut_power(1);
    mount.power_on().unwrap();
    let connection = connect(&path);
    check_integrity(&connection);
    assert_eq!(count(&connection, "t"), 10);
}

#[test]
fn the_pool_answers_its_share_of_uniform_reads() {
    let dir = tempfile::tempdir().unwrap();
    let path = database(&dir);
    let rows = 4000_i64;
    {
        let _mount = mount(dir.path(), 0);
        let mut connection = connect_wal(&path, "OFF").unwrap();
        connection.execute_batch("CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB)").unwrap();
        let transaction = connection.transaction().unwrap();
        // One row fills one leaf page.
        (0..rows).for_each(|row| {
            transaction.execute("INSERT INTO t VALUES (?, zeroblob(3500))", [row]).unwrap();
        });
        transaction.commit().unwrap();
    }
    for share in [4, 2] {
        let memory_bytes = (rows as u64 / share) * 4096;
        let mount = mount(dir.path(), memory_bytes);
        let connection = connect_wal(&path, "OFF").unwrap();
        connection.execute_batch("PRAGMA cache_size = 15").unwrap();
        let mut statement = connection.prepare("SELECT b FROM t WHERE a = ?").unwrap();
        let mut random = ground::Random::new(7);
        let mut read = |times: u32| {
            for _ in 0..times {
                let row = random.below(rows as u64);
                let bytes: Vec<u8> = statement.query_row([row as i64], |row| row.get(0)).unwrap();
                assert_eq!(bytes.len(), 3500);
            }
        };
        read(8_000);
        let before = mount.counters();
        read(20_000);
        let data = mount.counters().since(&before).data;
        // Interior pages are always in memory, here or there, so the misses are leaves: one for each query.
        let hits = 1.0 - data.misses as f64 / 20_000.0;
        assert!((hits - 1.0 / share as f64).abs() < 0.02, "1/{share} of the pages: {hits:.3}");
        assert_eq!(data.misses, data.reads);
    }
}

#[test]
fn the_vfs_is_not_the_default_and_names_itself() {
    let dir = tempfile::tempdir().unwrap();
    let _mount = mount(dir.path(), 0);
    let plain = Connection::open(dir.path().join("plain.db")).unwrap();
    plain.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t(a)").unwrap();
    assert!(dir.path().join("plain.db-shm").exists(), "SQLite's own VFS keeps the WAL index in a file");
    let ours = connect_wal(&database(&dir), "FULL").unwrap();
    ours.execute_batch("CREATE TABLE t(a)").unwrap();
    assert!(!dir.path().join("test.db-shm").exists());
    assert!(try_connect(std::path::Path::new("/nowhere/at/all.db")).is_err());
}

//! A drive that fails: SQLite says so, nothing panics or hangs, and the first reason is kept.

use crate::support::{check_integrity, connect, connect_wal, count, database, mount, text};
use emulate::{Backing, Fault, Mount, MountOptions};
use rusqlite::{Connection, ErrorCode};

/// A database of 500 rows on 500 pages, opened anew so that nothing is in memory.
fn prepared(dir: &tempfile::TempDir) -> (Mount, Connection) {
    let mount = mount(dir.path(), 32 << 10);
    let connection = connect_wal(&database(dir), "FULL").unwrap();
    connection.execute_batch("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)").unwrap();
    let insert = || -> rusqlite::Result<()> {
        connection.execute_batch("BEGIN")?;
        for row in 0..500 {
            connection.execute("INSERT INTO t VALUES (?, ?)", (row, text(row, 3500)))?;
        }
        connection.execute_batch("COMMIT")
    };
    insert().unwrap();
    drop(connection);
    let connection = connect_wal(&database(dir), "FULL").unwrap();
    (mount, connection)
}

fn code(error: &rusqlite::Error) -> (ErrorCode, i32) {
    match error {
        rusqlite::Error::SqliteFailure(error, _) => (error.code, error.extended_code),
        other => panic!("not from SQLite: {other}"),
    }
}

fn scan(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT sum(length(b)) FROM t", [], |row| row.get(0))
}

#[test]
fn a_read_error_reaches_the_caller_and_heals_when_cleared() {
    let dir = tempfile::tempdir().unwrap();
    let (mount, connection) = prepared(&dir);
    mount.inject(Fault::ReadError { after: 20 });
    let error = scan(&connection).unwrap_err();
    assert_eq!(code(&error), (ErrorCode::SystemIoFailure, rusqlite::ffi::SQLITE_IOERR_READ));
    let reason = mount.first_error().unwrap();
    assert!(reason.starts_with("read of") && reason.contains("test.db"), "{reason}");
    assert!(mount.counters().errors >= 1);
    mount.clear_faults();
    assert_eq!(scan(&connection).unwrap(), 500 * 3500);
    check_integrity(&connection);
}

#[test]
fn a_short_read_inside_the_file_is_an_error_not_zeros() {
    let dir = tempfile::tempdir().unwrap();
    let (mount, connection) = prepared(&dir);
    mount.inject(Fault::ShortRead);
    let error = scan(&connection).unwrap_err();
    assert_eq!(code(&error), (ErrorCode::SystemIoFailure, rusqlite::ffi::SQLITE_IOERR_READ));
    assert!(mount.first_error().unwrap().contains("2048 of 4096 bytes"), "{:?}", mount.first_error());
    mount.clear_faults();
    assert_eq!(scan(&connection).unwrap(), 500 * 3500);
}

#[test]
fn a_file_cut_short_behind_our_back_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let (mount, connection) = prepared(&dir);
    assert_eq!(count(&connection, "t WHERE a < 3"), 3);
    let file = std::fs::OpenOptions::new().write(true).open(database(&dir)).unwrap();
    file.set_len(100 * 4096).unwrap();
    let error = scan(&connection).unwrap_err();
    assert_eq!(code(&error).0, ErrorCode::SystemIoFailure);
    assert!(mount.first_error().unwrap().contains("inside the file"));
}

#[test]
fn write_and_sync_errors_fail_the_commit_and_leave_the_database_whole() {
    let extended = |fault| match fault {
        Fault::WriteError { .. } => rusqlite::ffi::SQLITE_IOERR_WRITE,
        Fault::SyncError => rusqlite::ffi::SQLITE_IOERR_FSYNC,
        _ => rusqlite::ffi::SQLITE_FULL,
    };
    let faults =
        [Fault::WriteError { after: 0 }, Fault::WriteError { after: 3 }, Fault::SyncError, Fault::NoSpace];
    for fault in faults {
        let dir = tempfile::tempdir().unwrap();
        let (mount, connection) = prepared(&dir);
        mount.inject(fault);
        let error = (0..10)
            .find_map(|row| connection.execute("INSERT INTO t VALUES (?, 'x')", [1000 + row]).err())
            .expect("ten commits write more than three times");
        assert_eq!(code(&error).1, extended(fault), "{fault:?}");
        assert!(mount.first_error().is_some());
        mount.clear_faults();
        connection.execute("INSERT INTO t VALUES (2000, 'after')", []).unwrap();
        check_integrity(&connection);
        drop(connection);
        let connection = connect(&database(&dir));
        check_integrity(&connection);
        assert_eq!(count(&connection, "t WHERE a = 2000"), 1);
        assert!(count(&connection, "t") >= 501);
    }
}

#[test]
fn faults_during_rollback_journals_and_checkpoints_leave_a_database_that_recovers() {
    for seed in 0..30_u64 {
        let dir = tempfile::tempdir().unwrap();
        let (mount, connection) = prepared(&dir);
        if seed % 2 == 1 {
            connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())).unwrap();
        }
        connection.execute_batch("PRAGMA cache_size = 5; PRAGMA wal_autocheckpoint = 10").unwrap();
        mount.inject(Fault::WriteError { after: seed * 3 });
        let result = connection.execute("UPDATE t SET b = upper(b) || 'x' WHERE a % 5 = 0", []);
        let checkpoint = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        assert!(result.is_err() || checkpoint.is_err() || seed > 0, "seed {seed}");
        mount.clear_faults();
        drop(connection);
        let connection = connect(&database(&dir));
        check_integrity(&connection);
        let changed = count(&connection, "t WHERE length(b) = 3501");
        assert!(changed == 0 || changed == 100, "seed {seed}: {changed} of 100 rows changed");
        assert!(result.is_err() || changed == 100, "seed {seed}: an acknowledged change is missing");
    }
}

#[test]
fn a_missing_directory_or_a_file_that_is_no_database_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let _mount = mount(dir.path(), 1 << 20);
    std::fs::write(database(&dir), vec![b'x'; 8192]).unwrap();
    let connection = connect(&database(&dir));
    let error = scan(&connection).unwrap_err();
    assert_eq!(code(&error).0, ErrorCode::NotADatabase);
    let error = crate::support::try_connect(&dir.path().join("missing/test.db")).unwrap_err();
    assert_eq!(code(&error).0, ErrorCode::CannotOpen);
    let error = crate::support::try_connect(dir.path()).unwrap_err();
    assert_eq!(code(&error).0, ErrorCode::CannotOpen, "a directory is not a database");
}

/// Real storage: the same database code, no model. Beside the sources, because temporary directories are
/// often in memory.
#[test]
fn real_storage_holds_what_was_written_past_the_page_cache_or_says_that_it_does_not() {
    for mode in ["WAL", "DELETE", "TRUNCATE"] {
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let options = || MountOptions {
            data: Backing::Real,
            log: Backing::Real,
            memory_bytes: 64 << 10,
            log_dir: None,
        };
        let mount = Mount::attach(dir.path(), options()).unwrap();
        let connection = connect(&database(&dir));
        connection.query_row(&format!("PRAGMA journal_mode = {mode}"), [], |_| Ok(())).unwrap();
        connection
            .execute_batch(
                "PRAGMA cache_size = 8; PRAGMA wal_autocheckpoint = 20;
                 CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)",
            )
            .unwrap();
        for row in 0..60 {
            connection.execute("INSERT INTO t VALUES (?, ?)", (row, text(row, 2500))).unwrap();
        }
        connection
            .execute_batch("PRAGMA synchronous = OFF; BEGIN; UPDATE t SET b = b || 'x'; ROLLBACK")
            .unwrap();
        connection.execute_batch("UPDATE t SET b = b || 'yz' WHERE a < 30").unwrap();
        check_integrity(&connection);
        let counters = mount.counters();
        assert!(counters.data.writes > 0 && counters.log.writes > 0 && counters.log.syncs >= 60);
        assert!(counters.data.model_write.is_empty() && counters.undo_bytes == 0);
        assert_eq!(mount.first_error(), None);
        // Without a close: acknowledged data is in the files.
        std::mem::forget(connection);
        drop(mount);
        let plain = Connection::open(database(&dir)).unwrap();
        check_integrity(&plain);
        assert_eq!(count(&plain, "t WHERE length(b) = 2500"), 30, "{mode}");
        assert_eq!(count(&plain, "t WHERE length(b) = 2502"), 30, "{mode}");
        drop(plain);
        let _mount = Mount::attach(dir.path(), options()).unwrap();
        let connection = connect(&database(&dir));
        check_integrity(&connection);
        assert_eq!(count(&connection, "t"), 60);
    }
}

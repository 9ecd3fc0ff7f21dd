//! Other processes: refused while the database is open, and served with the files of a killed one.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{check_integrity, connect, connect_wal, count, database, mount, text};
use rusqlite::{Connection, ErrorCode};

const DIR: &str = "EMULATE_TEST_DIR";

/// This program again, as the other process of a test: it runs that test alone, which then does the child's
/// part.
fn child(test: &str, dir: &tempfile::TempDir) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("process::{test}"), "--nocapture", "--test-threads=1"]);
    command.env(DIR, dir.path());
    command
}

/// The directory of the child, in the child.
fn child_dir() -> Option<PathBuf> {
    std::env::var_os(DIR).map(PathBuf::from)
}

/// The child's part: both ways into the database are barred.
fn find_both_ways_barred(dir: &Path) {
    let _mount = mount(dir, 1 << 20);
    let busy = |error: rusqlite::Error| matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy));
    let ours = crate::support::try_connect(&dir.join("test.db")).expect_err("another process has it");
    assert!(busy(ours), "the layer");
    let plain = Connection::open(dir.join("test.db")).unwrap();
    plain.busy_timeout(std::time::Duration::ZERO).unwrap();
    let read = plain.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0)).unwrap_err();
    assert!(busy(read), "SQLite's own VFS");
}

#[test]
fn a_second_process_is_refused_while_the_database_is_open() {
    if let Some(dir) = child_dir() {
        return find_both_ways_barred(&dir);
    }
    let dir = tempfile::tempdir().unwrap();
    let _mount = mount(dir.path(), 1 << 20);
    let connection = connect_wal(&database(&dir), "FULL").unwrap();
    connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1)").unwrap();
    let refused = child("a_second_process_is_refused_while_the_database_is_open", &dir).output().unwrap();
    assert!(refused.status.success(), "{}", String::from_utf8_lossy(&refused.stdout));
    connection.execute_batch("INSERT INTO t VALUES (2)").unwrap();
    check_integrity(&connection);
    drop(connection);
    let plain = Connection::open(database(&dir)).unwrap();
    assert_eq!(count(&plain, "t"), 2, "closed, it is an ordinary database again");
}

/// The child's part: commits rows for ever and says which are committed.
fn commit_until_killed(dir: &Path) {
    let _mount = mount(dir, 128 << 10);
    let synchronous = std::env::var("EMULATE_TEST_SYNC").unwrap();
    let connection = connect_wal(&dir.join("test.db"), &synchronous).unwrap();
    connection
        .execute_batch("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); PRAGMA wal_autocheckpoint = 10")
        .unwrap();
    let mut out = std::io::stdout();
    for row in 1.. {
        connection.execute("INSERT INTO t VALUES (?, ?)", (row, text(row, 3000))).unwrap();
        // Not println!, which the test harness may hold back.
        std::io::Write::write_all(&mut out, format!("\ncommitted {row}\n").as_bytes()).unwrap();
    }
}

#[test]
fn a_killed_process_leaves_every_commit_even_without_sync() {
    if let Some(dir) = child_dir() {
        return commit_until_killed(&dir);
    }
    for (round, synchronous) in ["OFF", "NORMAL", "FULL", "OFF"].into_iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let mut child = child("a_killed_process_leaves_every_commit_even_without_sync", &dir)
            .env("EMULATE_TEST_SYNC", synchronous)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let number = |line: String| line.strip_prefix("committed ").and_then(|row| row.parse::<i64>().ok());
        let enough = 40 + 17 * round as i64;
        let reached =
            lines.by_ref().filter_map(number).find(|&row| row >= enough).expect("the child commits");
        child.kill().unwrap();
        child.wait().unwrap();
        let last = lines.filter_map(number).last().unwrap_or(reached);

        let _mount = mount(dir.path(), 1 << 20);
        let connection = connect(&database(&dir));
        check_integrity(&connection);
        let found = count(&connection, &format!("t WHERE a <= {last} AND length(b) = 3000"));
        assert_eq!(found, last, "{synchronous}: what was committed before the kill");
    }
}

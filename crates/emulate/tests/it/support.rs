//! The common parts of the tests: mounts on a temporary directory and connections on them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use device::{DriveSpec, ReadLatency};
use emulate::{Backing, EmulatedDrive, Mount, MountOptions, VFS_NAME};
use rusqlite::{Connection, OpenFlags};

pub(crate) fn free() -> Backing {
    Backing::Emulated(EmulatedDrive::new("free", &DriveSpec::free(), 1))
}

/// A drive of constant times.
pub(crate) fn constant(read_ns: u64, write_ns: u64, flush_ns: u64) -> Backing {
    let spec = DriveSpec {
        read_latency: vec![ReadLatency { size_bytes: 4096, latency_ns: read_ns }],
        write_ack_ns: write_ns,
        write_buffer_bytes: 1 << 30,
        flush_ns,
        ..DriveSpec::free()
    };
    Backing::Emulated(EmulatedDrive::new("constant", &spec, 1))
}

pub(crate) fn mount(dir: &Path, memory_bytes: u64) -> Mount {
    mount_on(dir, free(), memory_bytes)
}

pub(crate) fn mount_on(dir: &Path, drive: Backing, memory_bytes: u64) -> Mount {
    Mount::attach(dir, MountOptions { data: drive.clone(), log: drive, memory_bytes, log_dir: None }).unwrap()
}

/// Opens a database on the VFS; it may not exist yet.
pub(crate) fn try_connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags_and_vfs(path, OpenFlags::default(), VFS_NAME)?;
    connection.busy_timeout(Duration::from_secs(60))?;
    Ok(connection)
}

pub(crate) fn connect(path: &Path) -> Connection {
    try_connect(path).unwrap()
}

/// A connection in WAL mode.
pub(crate) fn connect_wal(path: &Path, synchronous: &str) -> rusqlite::Result<Connection> {
    let connection = try_connect(path)?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    assert_eq!(mode, "wal");
    connection.execute_batch(&format!("PRAGMA synchronous = {synchronous}; PRAGMA cache_size = -64"))?;
    Ok(connection)
}

pub(crate) fn check_integrity(connection: &Connection) {
    let result: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(result, "ok");
}

pub(crate) fn count(connection: &Connection, table: &str) -> i64 {
    connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

pub(crate) fn database(dir: &tempfile::TempDir) -> PathBuf {
    dir.path().join("test.db")
}

/// Text of this many bytes that differs from row to row.
pub(crate) fn text(row: i64, bytes: usize) -> String {
    format!("{row:08}").repeat(bytes.div_ceil(8))[..bytes].to_owned()
}

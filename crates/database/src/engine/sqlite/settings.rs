//! The settings of SQLite, with their reasons.

use rusqlite::Connection;

use crate::error::DatabaseError;
use crate::instance::InstanceSpec;
use words::Synchronous;

/// Page size, bytes: 8 KiB, the page of SQL Server and PostgreSQL, so that the drive sees the I/O size of the
/// published studies. It also keeps a whole customer row inside a page of a clustered table (a quarter of a
/// page at most is kept in place there).
pub const PAGE_BYTES: u32 = 8192;

/// Private cache of a connection in pages: about the pages of one transaction. The bed's memory is the pool
/// of the mount; a larger private cache would be memory outside the experiment's setting.
pub const PRIVATE_CACHE_PAGES: u32 = 64;

/// Share of the memory that the log may fill before it is written back. The write-back reads the log again,
/// page by page; a short log is still in memory then, a long one would have to come from the drive, which no
/// database server asks of its drive.
const CHECKPOINT_SHARE: u64 = 8;
/// Shortest and longest log, in pages (1 MiB and 16 MiB).
const CHECKPOINT_PAGES: (u64, u64) = (128, 2048);

/// The time limit of a wait for SQLite's own lock. Writers queue at the gate, so only another program can
/// cause such a wait.
const BUSY_TIMEOUT_MS: u32 = 10_000;

/// Private cache while loading, KiB. Nothing else runs then.
const LOAD_CACHE_KIB: u32 = 65_536;

/// Settings of a connection that works.
pub(crate) fn for_work(connection: &mut Connection, synchronous: Synchronous) -> Result<(), DatabaseError> {
    // Dirty pages stay in the private cache until commit: no spill puts half a transaction into the log.
    let text = format!(
        "PRAGMA page_size = {PAGE_BYTES};
         PRAGMA busy_timeout = {BUSY_TIMEOUT_MS};
         PRAGMA journal_mode = WAL;
         PRAGMA synchronous = {synchronous};
         PRAGMA cache_size = {PRIVATE_CACHE_PAGES};
         PRAGMA cache_spill = OFF;
         PRAGMA wal_autocheckpoint = 0;
         PRAGMA temp_store = MEMORY;
         PRAGMA mmap_size = 0;
         PRAGMA foreign_keys = OFF;"
    );
    connection.execute_batch(&text).map_err(DatabaseError::sqlite("setting up a connection"))
}

/// Settings of the one connection that loads: nothing needs to survive a crash before the load is complete.
pub(crate) fn for_loading(connection: &Connection) -> Result<(), DatabaseError> {
    let text = format!(
        "PRAGMA page_size = {PAGE_BYTES};
         PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA journal_mode = OFF;
         PRAGMA synchronous = OFF;
         PRAGMA cache_size = -{LOAD_CACHE_KIB};
         PRAGMA temp_store = MEMORY;
         PRAGMA mmap_size = 0;
         PRAGMA foreign_keys = OFF;"
    );
    connection.execute_batch(&text).map_err(DatabaseError::sqlite("setting up the load"))
}

/// Has the end of a copy of pages synced: a copy has the journal mode of its source already, so that the end
/// of the load changes nothing and syncs nothing.
pub(crate) fn for_copying(connection: &Connection) -> Result<(), DatabaseError> {
    connection
        .execute_batch("PRAGMA synchronous = FULL;")
        .map_err(DatabaseError::sqlite("setting up the copy"))
}

/// Ends a load. The change of the journal is a transaction of its own; with `synchronous` on again it syncs
/// the whole file.
pub(crate) fn after_loading(connection: &Connection) -> Result<(), DatabaseError> {
    let text = "PRAGMA synchronous = FULL;
         PRAGMA locking_mode = NORMAL;
         PRAGMA journal_mode = WAL;";
    connection.execute_batch(text).map_err(DatabaseError::sqlite("ending the load"))
}

/// Length of the log in pages at which the background checkpoint writes it back.
pub(crate) fn checkpoint_pages(memory_bytes: u64) -> u32 {
    let pages = memory_bytes / CHECKPOINT_SHARE / u64::from(PAGE_BYTES);
    u32::try_from(pages.clamp(CHECKPOINT_PAGES.0, CHECKPOINT_PAGES.1)).expect("2048 at most")
}

/// The settings by name, in a fixed order.
pub(crate) fn describe(spec: &InstanceSpec) -> Vec<(String, String)> {
    let log_pages = checkpoint_pages(spec.memory_bytes);
    let log_mib = f64::from(log_pages) * f64::from(PAGE_BYTES) / f64::from(1 << 20);
    let text = |value: &str| value.to_owned();
    [
        ("sqlite.version", rusqlite::version().to_owned()),
        ("sqlite.page_size", format!("{PAGE_BYTES} B")),
        ("sqlite.journal_mode", text("wal")),
        ("sqlite.synchronous", spec.synchronous.to_string()),
        ("sqlite.memory", format!("{} B, shared by all connections", spec.memory_bytes)),
        ("sqlite.private_cache", format!("{PRIVATE_CACHE_PAGES} pages per connection, no spill")),
        (
            "sqlite.checkpoint",
            format!("in the background at {log_pages} pages ({log_mib:.1} MiB) of log; wal_autocheckpoint 0"),
        ),
        ("sqlite.writers", text("one at a time, first come first served")),
        ("sqlite.temp_store", text("memory")),
        ("sqlite.mmap_size", text("0 B")),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

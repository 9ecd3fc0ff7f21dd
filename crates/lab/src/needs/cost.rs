//! The bases of a plan's estimates that several kinds of workloads share.

/// Warehouses loaded per second; measured on SQLite (BENCHMARKS.md: 102.9 a minute), rounded down.
pub(crate) const WAREHOUSES_PER_SECOND: f64 = 1.7;
/// Copying a database back before a cell, bytes per second; a plain copy within the page cache of a small
/// machine.
pub(crate) const COPY_BYTES_PER_SECOND: f64 = 800e6;
/// Seconds to check the twelve consistency conditions of one warehouse after a cell.
pub(crate) const CHECK_SECONDS_PER_WAREHOUSE: f64 = 0.35;
/// Transactions per second assumed for the estimate of bytes written, per bed, of a load without a rate of
/// its own: the plan cannot know the rate that it is to measure.
pub(crate) const ASSUMED_TRANSACTIONS_PER_SECOND: f64 = 500.0;
/// The mean time from one transaction of a user who keys and thinks to the next, when it is answered at once
/// (TPC-C 5.2.5).
pub(crate) const TURN_S: f64 = oltp::tpcc::MEAN_PAUSE.as_secs() as f64;
/// Bytes a transaction writes to data and log together in SQLite's write-ahead mode: each changed page twice.
pub(crate) const WRITTEN_BYTES_PER_TRANSACTION: f64 = 120_000.0;
/// I/Os per second that are assumed of a block load without a rate.
pub(crate) const ASSUMED_IOPS: f64 = 50_000.0;
/// The most that a drive that nobody knows is assumed to write: the interface of an NVMe drive with four
/// lanes of PCIe 3 gives no more.
pub(crate) const ASSUMED_WRITE_BYTES_PER_SECOND: f64 = 3.5e9;
/// Assumed rate of writing files from front to back.
pub(crate) const FILL_BYTES_PER_SECOND: f64 = 500e6;
/// The bytes that a cold scan reads in a second; assumed.
pub(crate) const SCAN_BYTES_PER_SECOND: f64 = 200e6;
/// Rows of a scanned table loaded per second; assumed.
const ROWS_PER_SECOND: f64 = 150_000.0;
/// The start of one server; assumed.
pub(crate) const START_S: f64 = 2.0;

/// Seconds to load a scanned table.
pub(crate) fn table_load_s(rows: u32) -> f64 {
    f64::from(rows) / ROWS_PER_SECOND
}

/// Seconds to check this many warehouses.
pub(crate) fn check_s(warehouses: u32) -> f64 {
    f64::from(warehouses) * CHECK_SECONDS_PER_WAREHOUSE
}

/// Bytes that the transactions of a load are assumed to write in this many seconds; `asked` is the rate that
/// it asks for.
pub(crate) fn load_bytes(seconds: f64, asked: Option<f64>) -> f64 {
    seconds * asked.unwrap_or(ASSUMED_TRANSACTIONS_PER_SECOND) * WRITTEN_BYTES_PER_TRANSACTION
}

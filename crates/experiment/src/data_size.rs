//! Estimates of how large loaded data is, indexes included: the rule of scaling sets memory by them, a plan
//! counts time and room by them.

/// Bytes of a loaded warehouse in SQLite at 8 KiB pages, measured on a loaded database of ten warehouses.
pub const BYTES_PER_WAREHOUSE: u64 = 92_000_000;
/// Bytes of a row of sysbench: 190 bytes of columns, and their two indexes.
const BYTES_PER_SYSBENCH_ROW: u64 = 250;
/// Bytes that a row of a scanned table takes besides its payload, from the width of its columns.
const ROW_BYTES_BESIDES: u64 = 60;

/// Bytes of this many warehouses.
#[must_use]
pub fn warehouse_bytes(warehouses: u32) -> u64 {
    u64::from(warehouses) * BYTES_PER_WAREHOUSE
}

/// Bytes of this many tables of sysbench.
#[must_use]
pub fn sysbench_bytes(tables: u32, rows: u32) -> u64 {
    u64::from(tables) * u64::from(rows) * BYTES_PER_SYSBENCH_ROW
}

/// Bytes of a scanned table.
#[must_use]
pub fn table_bytes(rows: u32, row_bytes: u32) -> u64 {
    u64::from(rows) * (u64::from(row_bytes) + ROW_BYTES_BESIDES)
}

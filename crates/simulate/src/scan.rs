//! Scans of a table with read-ahead, and lookups of every row by way of another index.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use device::Op;
use ground::Random;

use crate::bed::Bed;
use crate::pool::PAGE_BYTES;
use crate::run::SimulateError;
use crate::store::Store;

/// A query that reads a whole table once, cold.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// Pages of the table.
    pub pages: u64,
    /// Rows that are looked at.
    pub rows: u64,
    /// Pages that one read-ahead request fetches.
    pub ahead_pages: u32,
    /// Read-ahead requests under way.
    pub depth: u32,
    /// True if the pages are fetched in the order of the disk.
    pub in_order: bool,
    /// Pages touched in memory for each row beyond its own, as a lookup does.
    pub touches_per_row: f64,
    /// Threads of the query.
    pub threads: u32,
    /// Share of pages that the query comes to before the read-ahead does.
    pub late_share: f64,
    /// Processor nanoseconds of each page touched.
    pub page_ns: f64,
    /// Processor nanoseconds of each row.
    pub row_ns: f64,
}

/// The cost of a scan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScanOutcome {
    /// Seconds of it.
    pub elapsed_s: f64,
    /// Processor seconds, over all threads.
    pub cpu_s: f64,
    /// Scans started: one for each thread and one for their parent.
    pub scans: u64,
    /// Pages touched in memory.
    pub logical_reads: f64,
    /// Pages that the query had to wait for itself.
    pub physical_reads: f64,
    /// Pages that were fetched ahead.
    pub ahead_reads: f64,
}

/// Simulates a scan on `bed`.
///
/// # Errors
/// When the bed cannot be, or the table does not fit.
pub fn run_scan(bed: &Bed, scan: &Scan, seed: u64) -> Result<ScanOutcome, SimulateError> {
    let name = || bed.name.clone();
    let data = |error| SimulateError::Data { bed: name(), error };
    let mut random = Random::new(seed);
    let mut store = Store::new(&bed.store, random.next_u64())
        .map_err(|error| SimulateError::Storage { bed: name(), error })?;
    let bytes = scan.pages * PAGE_BYTES;
    let table = store.disk(0, 0, bytes).map_err(data)?;
    let len = scan.ahead_pages.max(1) * PAGE_BYTES as u32;
    let requests = bytes.div_ceil(u64::from(len));
    let touched = scan.pages as f64 + scan.rows as f64 * scan.touches_per_row;
    let cpu_ns = touched * scan.page_ns + scan.rows as f64 * scan.row_ns;
    // The threads work on what has arrived while the next requests are under way.
    let mut flying: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    let each_ns = cpu_ns / f64::from(scan.threads.max(1)) / requests as f64;
    let (mut now_ns, mut worked_ns) = (0u64, 0.0f64);
    for request in 0..requests {
        if flying.len() >= scan.depth.max(1) as usize
            && let Some(Reverse(done_ns)) = flying.pop()
        {
            now_ns = now_ns.max(done_ns);
            worked_ns = worked_ns.max(done_ns as f64) + each_ns;
        }
        let offset = if scan.in_order { request } else { random.next_u64() % requests } * u64::from(len);
        let done_ns = store.submit(now_ns, 0, table, Op::Read { offset, len }).map_err(data)?;
        flying.push(Reverse(done_ns));
    }
    while let Some(Reverse(done_ns)) = flying.pop() {
        worked_ns = worked_ns.max(done_ns as f64) + each_ns;
    }
    Ok(ScanOutcome {
        elapsed_s: worked_ns / 1e9,
        cpu_s: cpu_ns / 1e9,
        scans: u64::from(scan.threads) + 1,
        logical_reads: touched,
        physical_reads: scan.pages as f64 * scan.late_share,
        ahead_reads: (scan.pages - 1) as f64,
    })
}

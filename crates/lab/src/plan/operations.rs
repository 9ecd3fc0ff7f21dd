//! Estimates for what is done to databases besides transactions.

use std::time::Duration;

use experiment::{Arm, Backup, Neighbour, Workload};

use super::{
    ASSUMED_TRANSACTIONS_PER_SECOND, CHECK_SECONDS_PER_WAREHOUSE, COPY_BYTES_PER_SECOND,
    WRITTEN_BYTES_PER_TRANSACTION, data_bytes,
};

/// What a native tool moves in a second on a small machine; assumed, the plan cannot know the rate that it is to measure.
const TOOL_BYTES_PER_SECOND: f64 = 150e6;
/// What a cold scan reads in a second; assumed.
const SCAN_BYTES_PER_SECOND: f64 = 200e6;
/// What a row of a scanned table takes besides its payload, indexes included; from the width of its columns.
const ROW_BYTES_BESIDES: u64 = 60;
/// Lookups by an index in a second from a cold cache; assumed.
const LOOKUPS_PER_SECOND: f64 = 20_000.0;
/// Scans and lookups of one cell: cold and warm.
const READS_PER_CELL: f64 = 4.0;
/// Rows loaded per second; assumed.
const ROWS_PER_SECOND: f64 = 150_000.0;
/// The start of one server; assumed.
const START: Duration = Duration::from_secs(2);

/// Bytes of the scanned table of one instance; `None` for other kinds.
pub(super) fn table_bytes(workload: &Workload) -> Option<u64> {
    let bytes = |rows: u32, row_bytes: u32| u64::from(rows) * (u64::from(row_bytes) + ROW_BYTES_BESIDES);
    match workload {
        Workload::Scan(w) => Some(bytes(w.rows, w.row_bytes)),
        Workload::Fragmentation(w) => Some(bytes(w.rows, w.row_bytes)),
        _ => None,
    }
}

/// Databases side by side in one cell, the neighbours' own included.
pub(super) fn instances_of(workload: &Workload) -> Option<u32> {
    match workload {
        Workload::Neighbour(w) => Some(w.victims + w.neighbours),
        // The source and the restored one.
        Workload::Backup(_) => Some(2),
        Workload::Scan(_) | Workload::Fragmentation(_) => Some(1),
        Workload::Tpcc(_) | Workload::Sysbench(_) | Workload::Durability(_) | Workload::Block(_) => None,
    }
}

/// Time to load the scanned table of one instance; `None` for other kinds.
pub(super) fn table_load_time(workload: &Workload) -> Option<Duration> {
    let time = |rows: u32| Duration::from_secs_f64(f64::from(rows) / ROWS_PER_SECOND);
    match workload {
        Workload::Scan(w) => Some(time(w.rows)),
        Workload::Fragmentation(w) => Some(time(w.rows)),
        _ => None,
    }
}

/// One cell with its reset and check.
pub(super) fn cell_time(workload: &Workload) -> Option<Duration> {
    let bytes = data_bytes(workload) as f64;
    let seconds = match workload {
        Workload::Backup(w) => backup_s(w, bytes),
        Workload::Neighbour(w) => return Some(neighbour_time(w, bytes)),
        Workload::Scan(w) => {
            let shares: f64 = w.selectivity.iter().map(|share| share.0).sum();
            let looked_up = f64::from(w.rows) * shares / w.selectivity.len().max(1) as f64;
            let scan = bytes / SCAN_BYTES_PER_SECOND;
            // A lookup that has lost is ended.
            let reads = scan + (looked_up / LOOKUPS_PER_SECOND).min(f64::from(crate::scan::LOST) * scan);
            bytes / COPY_BYTES_PER_SECOND + READS_PER_CELL / 2.0 * reads
        }
        // Copied to its place and once more in pieces, then scanned cold.
        Workload::Fragmentation(_) => {
            3.0 * bytes / COPY_BYTES_PER_SECOND + 3.0 * bytes / SCAN_BYTES_PER_SECOND
        }
        Workload::Tpcc(_) | Workload::Sysbench(_) | Workload::Durability(_) | Workload::Block(_) => {
            return None;
        }
    };
    Some(START + Duration::from_secs_f64(seconds))
}

fn backup_s(backup: &Backup, bytes: f64) -> f64 {
    let rate =
        backup.rate_limit.map_or(TOOL_BYTES_PER_SECOND, |rate| (rate.0 as f64).min(TOOL_BYTES_PER_SECOND));
    let proof = f64::from(backup.warehouses) * CHECK_SECONDS_PER_WAREHOUSE * 2.0;
    let cycle = bytes / rate + bytes / TOOL_BYTES_PER_SECOND + proof + backup.pause.0.as_secs_f64();
    bytes / COPY_BYTES_PER_SECOND + f64::from(backup.cycles) * cycle
}

/// The arm `alone` takes as many turns as there are victims; cells of all arms are told with their mean.
fn neighbour_time(neighbour: &Neighbour, bytes: f64) -> Duration {
    let arms = neighbour.arms();
    let turns = |arm: &Arm| if *arm == Arm::Alone { neighbour.victims } else { 1 };
    let turns = f64::from(arms.iter().map(turns).sum::<u32>()) / arms.len().max(1) as f64;
    let load = (neighbour.ramp_up.0 + neighbour.measure.0).as_secs_f64();
    let databases = f64::from(neighbour.victims + neighbour.neighbours);
    let around = databases
        * (bytes / COPY_BYTES_PER_SECOND + f64::from(neighbour.warehouses) * CHECK_SECONDS_PER_WAREHOUSE);
    START + Duration::from_secs_f64(turns * load + around)
}

/// Bytes that one cell writes.
pub(super) fn written_by_cell(workload: &Workload) -> Option<f64> {
    let bytes = data_bytes(workload) as f64;
    Some(match workload {
        Workload::Backup(w) => bytes * (1.0 + 2.0 * f64::from(w.cycles)),
        Workload::Neighbour(w) => {
            let seconds = (w.ramp_up.0 + w.measure.0).as_secs_f64();
            bytes + seconds * ASSUMED_TRANSACTIONS_PER_SECOND * WRITTEN_BYTES_PER_TRANSACTION
        }
        Workload::Scan(_) | Workload::Fragmentation(_) => 2.0 * bytes,
        Workload::Tpcc(_) | Workload::Sysbench(_) | Workload::Durability(_) | Workload::Block(_) => {
            return None;
        }
    })
}

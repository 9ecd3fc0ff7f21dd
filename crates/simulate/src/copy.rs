//! A backup and a restore of a database at rest, in full.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use measure::{Histogram, Timeline};

use crate::bed::Bed;
use crate::run::SimulateError;
use crate::store::Store;
use crate::stream::{BACKUP_BUFFERS, CopyStream, RESTORE_BUFFERS};

/// The direction of a copy: out of the database or into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyKind {
    /// From the data disk to the backup disk.
    Backup,
    /// From the backup disk to the data disk.
    Restore,
}

/// The cost of a backup or restore.
#[derive(Clone, Debug)]
pub struct CopyOutcome {
    /// Seconds of it.
    pub elapsed_s: f64,
    /// Seconds that a buffer of it spent in reads, the mean of all buffers: they work at the same time, so
    /// that the parts of one buffer are those of the whole.
    pub read_s: f64,
    /// The same for writes.
    pub write_s: f64,
    /// The same for the processor, between a read and the next step. What is left of the whole is waiting.
    pub processor_s: f64,
    /// Bytes of the database.
    pub bytes: u64,
    /// Latencies of its transfers on the database's disk, which is the one that a server's counters show:
    /// reads of a backup, writes of a restore.
    pub latency: Histogram,
    /// Bytes that arrived, second by second.
    pub timeline: Timeline,
}

/// Simulates a backup or restore of a database of `bytes` on `bed`, at no more than the limit of bytes a
/// second, if there is one.
///
/// # Errors
/// When the bed cannot be, or the data does not fit.
pub fn run_copy(
    bed: &Bed,
    kind: CopyKind,
    bytes: u64,
    limit_bytes_per_s: Option<u64>,
    seed: u64,
) -> Result<CopyOutcome, SimulateError> {
    let name = || bed.name.clone();
    let data = |error| SimulateError::Data { bed: name(), error };
    let mut store =
        Store::new(&bed.store, seed).map_err(|error| SimulateError::Storage { bed: name(), error })?;
    let database = store.disk(0, 0, bytes).map_err(data)?;
    let backup = store.disk(0, bytes, bytes).map_err(data)?;
    let (mut stream, cost_ns) = match kind {
        CopyKind::Backup => {
            (CopyStream::new(0, database, backup, bytes, BACKUP_BUFFERS), bed.database.backup_ns_per_mib)
        }
        CopyKind::Restore => {
            (CopyStream::new(0, backup, database, bytes, RESTORE_BUFFERS), bed.database.restore_ns_per_mib)
        }
    };
    stream = stream.held_to(limit_bytes_per_s);
    let mut events: BinaryHeap<Reverse<(u64, u32)>> =
        (0..stream.buffers()).map(|buffer| Reverse((0, buffer))).collect();
    let mut end_ns = 0;
    while let Some(Reverse((now_ns, buffer))) = events.pop() {
        end_ns = now_ns;
        if let Some(next_ns) = stream.advance(&mut store, now_ns, buffer, cost_ns, true).map_err(data)? {
            events.push(Reverse((next_ns, buffer)));
        }
    }
    let of_buffer = |all_ns: f64| all_ns / f64::from(stream.buffers()) / 1e9;
    Ok(CopyOutcome {
        elapsed_s: end_ns as f64 / 1e9,
        read_s: of_buffer(stream.read_ns as f64),
        write_s: of_buffer(stream.write_ns as f64),
        processor_s: of_buffer(cost_ns.floor() * stream.reads.len() as f64),
        bytes,
        latency: match kind {
            CopyKind::Backup => stream.reads,
            CopyKind::Restore => stream.writes,
        },
        timeline: stream.timeline,
    })
}

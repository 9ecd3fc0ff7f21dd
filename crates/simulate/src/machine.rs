//! One machine: its processors with their queues, its users and its log.

use std::collections::VecDeque;

use crate::pool::Transaction;
use crate::store::Disk;

/// A user at work on a transaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct User {
    pub(crate) machine: usize,
    /// The processor that it sticks to, within the machine: SQL Server binds a session to a scheduler.
    pub(crate) processor: usize,
    pub(crate) kind: Transaction,
    pub(crate) started_ns: u64,
    /// When its current wait began.
    pub(crate) since_ns: u64,
    pub(crate) reads_left: u32,
    pub(crate) slice_ns: u64,
}

/// One virtual processor: sessions take turns in order of arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct Processor {
    pub(crate) running: Option<u32>,
    pub(crate) waiting: VecDeque<u32>,
}

/// The log of a database: one flush at a time takes everything that has been handed in since the last one
/// began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    pub(crate) waiting: Vec<u32>,
    pub(crate) flushing: Vec<u32>,
    pub(crate) offset: u64,
}

/// One machine that runs order entry.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) host: u32,
    pub(crate) processors: Vec<Processor>,
    pub(crate) data: Disk,
    pub(crate) log_disk: Disk,
    pub(crate) log: Log,
    /// Data writes that the checkpointer owes.
    pub(crate) owed_writes: f64,
    /// The slowdown by its neighbours on the host, as a factor.
    pub(crate) slowdown: f64,
}

/// Share by which a core does more with two threads than with one.
const SECOND_THREAD: f64 = 0.3;

/// The slowdown of a slice when `busy` virtual processors share the cores of a host: beyond one per core they
/// share threads of a core, beyond the threads they take turns.
pub(crate) fn sharing(busy: u32, cores: u32, threads: u32) -> f64 {
    if busy <= cores {
        return 1.0;
    }
    let second = f64::from(busy.min(threads) - cores) / f64::from((threads - cores).max(1));
    f64::from(busy) / (f64::from(cores) * (1.0 + SECOND_THREAD * second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_share_cores_beyond_one_each() {
        assert_eq!(sharing(20, 20, 40), 1.0);
        assert!((sharing(40, 20, 40) - 40.0 / 26.0).abs() < 1e-9);
        assert!((sharing(48, 20, 40) - 48.0 / 26.0).abs() < 1e-9);
    }
}

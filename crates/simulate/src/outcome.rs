//! The result of a simulated load.

use std::collections::BTreeMap;

use measure::{Histogram, Timeline};

use crate::pool::Transaction;

/// The result of one simulated load. Counts and times are those of the measured part, over all machines.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Seconds that were simulated and measured.
    pub measured_s: f64,
    /// Seconds that were simulated before.
    pub settled_s: f64,
    /// Half the 95 % interval of the throughput, as a share of it.
    pub precision: f64,
    /// Machines that ran order entry.
    pub machines: u32,
    /// Users of each.
    pub users: u32,
    /// Transactions by kind with their latencies.
    pub per: BTreeMap<Transaction, Histogram>,
    /// Completions second by second, from the start of the simulation.
    pub timeline_all: Timeline,
    /// New orders second by second.
    pub timeline_new_order: Timeline,
    /// Reads of the data files.
    pub reads: Histogram,
    /// Writes of the data files.
    pub writes: Histogram,
    /// Writes of the log.
    pub log_writes: Histogram,
    /// Bytes read and written, log included.
    pub read_bytes: u64,
    /// Bytes written, log included.
    pub written_bytes: u64,
    /// Share of the machines' virtual processors that was idle.
    pub cpu_idle: f64,
    /// The users' time by its use.
    pub time: UserTime,
    /// Bytes that backups moved in the measured time.
    pub backup_bytes: u64,
    /// The backups of each machine that makes them.
    pub backups: Vec<Backups>,
    /// The result of each machine with order entry.
    pub per_machine: Vec<MachineOutcome>,
    /// The event that ended the load early: lost data.
    pub lost: Option<String>,
}

/// One machine's part of a load.
#[derive(Clone, Debug)]
pub struct MachineOutcome {
    /// Latencies of its transactions of the measured time.
    pub latency: Histogram,
    /// New orders among them.
    pub new_orders: u64,
    /// All of its transactions second by second, from the start of the simulation.
    pub timeline: Timeline,
}

impl Default for MachineOutcome {
    fn default() -> MachineOutcome {
        MachineOutcome { latency: Histogram::new(), new_orders: 0, timeline: Timeline::new(0) }
    }
}

/// The backups of one machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Backups {
    /// Seconds of the simulation from which and to which each finished one lasted; slow state passes faster
    /// there, and so do backups.
    pub done: Vec<(f64, f64)>,
    /// The ratio of their duration in real time to the simulated one.
    pub haste: f64,
    /// Bytes moved in the measured time.
    pub bytes: u64,
}

/// The users' time by its use, nanoseconds summed over users.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UserTime {
    /// On a processor.
    pub cpu_ns: u64,
    /// Waiting for a processor.
    pub queue_ns: u64,
    /// Waiting for page reads.
    pub read_ns: u64,
    /// Waiting for the log.
    pub log_ns: u64,
    /// Waits that every batch has whatever the load, in the engine and on the way to its client: one time,
    /// fitted for each platform.
    pub fixed_ns: u64,
    /// The time that a driver on another machine adds to them.
    pub network_ns: u64,
}

impl UserTime {
    /// All of it.
    #[must_use]
    pub fn total_ns(&self) -> u64 {
        self.cpu_ns + self.queue_ns + self.read_ns + self.log_ns + self.fixed_ns + self.network_ns
    }
}

impl Outcome {
    /// Transactions of all kinds.
    #[must_use]
    pub fn transactions(&self) -> u64 {
        self.per.values().map(Histogram::len).sum()
    }

    /// New orders per minute and machine.
    #[must_use]
    pub fn nopm(&self) -> f64 {
        let orders = self.per.get(&Transaction::NewOrder).map_or(0, Histogram::len);
        orders as f64 / self.measured_s * 60.0 / f64::from(self.machines)
    }

    /// Transactions per minute and machine, as engines that count commits do.
    #[must_use]
    pub fn transactions_per_minute(&self) -> f64 {
        self.transactions() as f64 / self.measured_s * 60.0 / f64::from(self.machines)
    }

    /// Reads per second of all machines.
    #[must_use]
    pub fn reads_per_s(&self) -> f64 {
        self.reads.len() as f64 / self.measured_s
    }

    /// Writes per second of all machines, log included.
    #[must_use]
    pub fn writes_per_s(&self) -> f64 {
        (self.writes.len() + self.log_writes.len()) as f64 / self.measured_s
    }

    /// Mean latency of all writes in nanoseconds.
    #[must_use]
    pub fn write_latency_ns(&self) -> f64 {
        let (data, log) = (self.writes.len() as f64, self.log_writes.len() as f64);
        if data + log == 0.0 {
            return 0.0;
        }
        (self.writes.mean_ns() * data + self.log_writes.mean_ns() * log) / (data + log)
    }

    /// Latencies of all transactions.
    #[must_use]
    pub fn latency(&self) -> Histogram {
        let mut all = Histogram::new();
        for histogram in self.per.values() {
            all.merge(histogram);
        }
        all
    }
}

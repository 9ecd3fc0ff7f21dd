//! The result of a run.

use std::collections::BTreeMap;
use std::time::Duration;

use database::Counters;
use measure::{Histogram, Timeline};
use words::Happening;

use crate::driver::{ClassRecord, Requests};
use crate::tpcc::ask::bands::InputBands;
use crate::tpcc::ask::deck::TransactionKind;

/// One kind of transaction in the measure phase.
#[derive(Clone, Debug, Default)]
pub struct PerTransaction {
    /// Committed inside the phase.
    pub committed: u64,
    /// Rolled back inside it as the input asked for (New-Order only): completed by 5.4.2.
    pub rolled_back: u64,
    /// Failed inside it for any other reason.
    pub errors: u64,
    /// From the intended start to the answer, of those that were due inside the phase, rolled-back ones
    /// included; a lower bound of those without an answer. The wait for the writers' gate is part of it.
    pub latency: Histogram,
}

impl PerTransaction {
    /// The counts by class, in the order of [`TransactionKind::ALL`].
    pub(crate) fn of_classes(classes: Vec<ClassRecord>) -> BTreeMap<TransactionKind, Self> {
        let of = |class: ClassRecord| {
            let ClassRecord { committed, rolled_back, errors, latency } = class;
            Self { committed, rolled_back, errors, latency }
        };
        TransactionKind::ALL.into_iter().zip(classes).map(|(kind, class)| (kind, of(class))).collect()
    }
}

/// The result of a run. Rates are counted at the client over the exact measured time, never extrapolated from
/// a part of it.
#[derive(Clone, Debug)]
pub struct RunOutcome {
    /// True if the run was stopped before its time.
    pub interrupted: bool,
    /// The reason why the run is worthless, if it is: an I/O error, a corrupt database, nothing but errors.
    pub fatal: Option<String>,
    /// Time under load before the measure phase.
    pub ramp_up: Duration,
    /// Length of the measure phase as it was.
    pub measured: Duration,
    /// The measure phase by kind.
    pub per: BTreeMap<TransactionKind, PerTransaction>,
    /// The fates of the requests that were due in the measure phase.
    pub requests: Requests,
    /// All completed transactions second by second from the start of the ramp-up.
    pub timeline_all: Timeline,
    /// Committed New-Orders likewise.
    pub timeline_new_order: Timeline,
    /// New orders committed per minute.
    pub nopm: f64,
    /// New orders completed per minute, those rolled back by their input included (as 5.4.2 counts).
    pub nopm_with_rollbacks: f64,
    /// Transactions committed per minute.
    pub tpm: f64,
    /// Transactions completed per minute, those rolled back by their input included.
    pub tpm_with_rollbacks: f64,
    /// Errors by class, ramp-up included: none is hidden.
    pub errors: BTreeMap<String, u64>,
    /// Attempts repeated because another transaction was in the way, ramp-up included.
    pub retries: u64,
    /// Wait for the writers' gate of each writing transaction in the measure phase.
    pub lock_wait: Histogram,
    /// Districts in which a Delivery found no order (2.7.4.2), measure phase.
    pub skipped_deliveries: u64,
    /// The input of the measure phase, against the limits of 5.5.1.5.
    pub inputs: InputBands,
    /// Processor time of all virtual users outside of the engine in the measure phase, ns: inputs,
    /// bookkeeping, clocks.
    pub client_cpu_ns: u64,
    /// Processor time of all virtual users inside the transactions in the measure phase, ns: SQLite, the
    /// storage layer, and our code that binds and reads the values. It cannot be told apart more cheaply than
    /// it would change the result.
    pub engine_cpu_ns: u64,
    /// The counters of the storage below during the measure phase.
    pub storage: Counters,
    /// From the moment a connection took the transaction to the answer, of all that have a latency and were
    /// begun. Latencies in `per` run from the intended start, and so have the wait for a connection in them;
    /// without pacing the two are the same.
    pub service: Histogram,
    /// Wait for a free connection of the pool, or until the lost one was made again, of all that have a
    /// latency; empty for SQLite.
    pub pool_wait: Histogram,
    /// The driver's own lateness in noticing due transactions, of all that were begun; empty for SQLite.
    pub lateness: Histogram,
    /// Commits that the client sent as messages of their own, from sending (or from the answer before it,
    /// where they went out together) to the answer. Empty for SQLite, for procedures, and for transactions of
    /// one statement.
    pub commit: Histogram,
    /// Connections that were cut off and opened again, ramp-up included.
    pub connections_lost: u64,
    /// The server's own counters; `None` for SQLite, and when the server did not answer.
    pub server: Option<ServerFigures>,
}

/// The server's own counts over the measure phase, and the figures that HammerDB would make of them.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerFigures {
    /// The server's counters at the beginning of the measure phase, by the names of
    /// [`database::Instance::server_counters`].
    pub before: BTreeMap<String, f64>,
    /// The same at its end.
    pub after: BTreeMap<String, f64>,
    /// Time between the two, as it was.
    pub elapsed: Duration,
    /// HammerDB's TPM: commits and rollbacks of the whole server per minute.
    pub tpm: f64,
    /// HammerDB's NOPM: growth of the sum of D_NEXT_O_ID per minute.
    pub nopm: f64,
    /// The differences of more than 2 % from the client's counts, with their possible cause; empty if they
    /// agree.
    pub differences: Vec<Happening>,
}

impl ServerFigures {
    /// The growth of a counter over the measure phase; `None` for one that the server does not have.
    #[must_use]
    pub fn grown(&self, name: &str) -> Option<f64> {
        Some(self.after.get(name)? - self.before.get(name)?)
    }
}

impl RunOutcome {
    /// Bytes that this database alone has written in the measure phase, whatever else used the storage: by
    /// the counters of its own storage, or of its server's processes on the real one. `None` where neither
    /// counts.
    #[must_use]
    pub fn own_written_bytes(&self) -> Option<f64> {
        let by_storage = self.storage.data.write_bytes + self.storage.log.write_bytes;
        let by_processes = || self.server.as_ref()?.grown("to_drives_bytes");
        let bytes = if by_storage > 0 { Some(by_storage as f64) } else { by_processes() };
        bytes.filter(|bytes| *bytes > 0.0)
    }

    /// Transactions completed in the measure phase, those rolled back by their input included.
    #[must_use]
    pub fn completed(&self) -> u64 {
        self.per.values().map(|per| per.committed + per.rolled_back).sum()
    }
}

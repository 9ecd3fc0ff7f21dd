//! The result of a run.

use std::collections::BTreeMap;
use std::time::Duration;

use measure::{Histogram, Timeline};

use super::statement::Statement;
use crate::driver::Requests;
use crate::together::Together;

/// The result of a run. Rates and counts cover the answers in the measure phase, over the exact measured
/// time. Histograms cover the requests that were due in it. Timelines, errors and ignored errors begin with
/// the ramp-up.
#[derive(Clone, Debug)]
pub struct RunOutcome {
    /// True if the run was stopped before its time.
    pub interrupted: bool,
    /// The reason why the run is worthless, if it is.
    pub fatal: Option<String>,
    /// Time under load before the measure phase.
    pub ramp_up: Duration,
    /// Length of the measure phase as it was.
    pub measured: Duration,
    /// Transactions completed.
    pub transactions: u64,
    /// Statements of the completed transactions: reads, writes, other (BEGIN and COMMIT), as sysbench counts
    /// them.
    pub queries: (u64, u64, u64),
    /// Transactions per second.
    pub tps: f64,
    /// Statements per second.
    pub qps: f64,
    /// The fates of the requests that were due in the measure phase.
    pub requests: Requests,
    /// Of the transactions that were due, from the intended start to the answer, retries included: at a rate,
    /// the wait for a free thread is part of it.
    pub latency: Histogram,
    /// Likewise, but from the moment a thread took it.
    pub service: Histogram,
    /// The driver's own lateness in beginning due requests while a thread was free (at a rate only).
    pub lateness: Histogram,
    /// Of each statement of the answered ones, its last attempt.
    pub statements: BTreeMap<Statement, Histogram>,
    /// Completed transactions second by second from the start of the ramp-up.
    pub timeline: Timeline,
    /// Errors by class: transactions that were given up.
    pub errors: BTreeMap<String, u64>,
    /// Attempts in vain by their reason, the last ones of transactions that were given up included:
    /// sysbench's ignored errors. Those on connections that completed nothing afterwards are only in
    /// `retries`.
    pub ignored: BTreeMap<&'static str, u64>,
    /// Attempts that were repeated.
    pub retries: u64,
    /// Connections that were lost and made again.
    pub reconnects: u64,
    /// Rows that came back.
    pub rows_read: u64,
    /// Rows that were changed.
    pub rows_changed: u64,
    /// Point selects that found no row. On complete tables there are none.
    pub missing: u64,
    /// Wait for the right to write of each writing transaction; SQLite only.
    pub lock_wait: Histogram,
    /// Processor time of the client's threads in the measure phase, ns. With SQLite the engine's threads are
    /// not part of it.
    pub client_cpu_ns: u64,
}

impl RunOutcome {
    /// Processor time of the client for each completed transaction, us.
    #[must_use]
    pub fn client_cpu_per_transaction_us(&self) -> f64 {
        self.client_cpu_ns as f64 / 1e3 / self.transactions.max(1) as f64
    }
}

impl Together for RunOutcome {
    fn fatal(&mut self) -> &mut Option<String> {
        &mut self.fatal
    }

    fn add(&mut self, run: Self) {
        self.interrupted |= run.interrupted;
        self.ramp_up = self.ramp_up.max(run.ramp_up);
        self.measured = self.measured.max(run.measured);
        self.transactions += run.transactions;
        self.queries.0 += run.queries.0;
        self.queries.1 += run.queries.1;
        self.queries.2 += run.queries.2;
        self.tps += run.tps;
        self.qps += run.qps;
        self.requests.add(run.requests);
        self.latency.merge(&run.latency);
        self.service.merge(&run.service);
        self.lateness.merge(&run.lateness);
        for (statement, histogram) in &run.statements {
            self.statements.entry(*statement).or_default().merge(histogram);
        }
        self.timeline.merge(&run.timeline);
        for (class, count) in run.errors {
            *self.errors.entry(class).or_default() += count;
        }
        for (reason, count) in run.ignored {
            *self.ignored.entry(reason).or_default() += count;
        }
        self.retries += run.retries;
        self.reconnects += run.reconnects;
        self.rows_read += run.rows_read;
        self.rows_changed += run.rows_changed;
        self.missing += run.missing;
        self.lock_wait.merge(&run.lock_wait);
        self.client_cpu_ns += run.client_cpu_ns;
    }
}

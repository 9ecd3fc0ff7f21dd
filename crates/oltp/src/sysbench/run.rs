//! A run: as many connections as sysbench has threads, each with one transaction at a time, every statement a
//! round trip of its own.
//!
//! Nothing is pipelined, so that the figures can be compared with sysbench's. Connections are not threads: a
//! worker for each processor looks after its share of them.

use std::sync::Arc;

use database::Access;
use measure::Histogram;

use super::error::SysbenchError;
use super::options::Options;
use super::outcome::RunOutcome;
use super::query::{Query, Transactions};
use super::session::{Answer, Ignored, QUERIES_MAX};
use super::statement::Statement;
use super::tables::{self, Ask};
use crate::driver::{
    Connect, Control, Counts, DRAIN_MAX, Driven, Ending, Pacing, Phase, Plan, Session, Work, drive,
};

/// Runs a test against tables that were loaded by [`super::load`] or by sysbench itself.
///
/// # Errors
/// When the options are impossible, tables are absent or of another size, or connections are refused. What
/// goes wrong later is in the outcome.
pub fn run(access: Access<'_>, options: &Options, control: &Control) -> Result<RunOutcome, SysbenchError> {
    let result = begin(access, options, control);
    control.enter(Phase::Done);
    result
}

/// An engine on which connections work.
pub(crate) trait Run: Ask {
    /// Lets them [`go`].
    fn run(self, options: &Options, control: &Control) -> Result<RunOutcome, SysbenchError>;
}

fn begin(access: Access<'_>, options: &Options, control: &Control) -> Result<RunOutcome, SysbenchError> {
    options.validate()?;
    database::on_engine!(access, engine => {
        tables::accept(engine, options.tables, options.rows)?;
        engine.run(options, control)
    })
}

/// Drives the sessions that `connect` opens.
pub(crate) fn go<C>(connect: &C, options: &Options, control: &Control) -> Result<RunOutcome, SysbenchError>
where
    C: Connect,
    C::Session: Session<Request = Arc<[Query]>, Answer = Answer>,
{
    let plan = Plan {
        users: options.threads,
        connections: options.threads,
        pacing: options.rate.map_or(Pacing::None, |per_second| Pacing::Arrivals { per_second }),
        asking: options.asking,
        ramp_up: options.ramp_up,
        measure: options.measure,
        seed: options.seed,
        drain_max: DRAIN_MAX,
        answer_max: None,
    };
    let driven = drive(&Sysbench { options }, connect, &plan, control, &mut |_| {})?;
    Ok(outcome(options, driven))
}

/// The requests of the threads.
struct Sysbench<'a> {
    options: &'a Options,
}

/// The counts of sysbench's transactions besides the driver's own.
#[derive(Default)]
struct Tally {
    statements: [Histogram; Statement::ALL.len()],
    lock_wait: Histogram,
    rows: u64,
    changed: u64,
    missing: u64,
    ignored: Ignored,
}

impl Work for Sysbench<'_> {
    type User = (Transactions, Vec<Query>);
    type Request = Arc<[Query]>;
    type Answer = Answer;
    type Tally = Tally;

    const CLASSES: &'static [&'static str] = &["transaction"];

    fn user(&self, user: u32) -> Self::User {
        (Transactions::new(self.options, user), Vec::with_capacity(QUERIES_MAX))
    }

    fn next(&self, (transactions, queries): &mut Self::User) -> Arc<[Query]> {
        transactions.draw(queries);
        queries.drain(..).collect()
    }

    fn class(&self, _request: &Arc<[Query]>) -> usize {
        0
    }

    fn completed(
        &self,
        tally: &mut Tally,
        request: &Arc<[Query]>,
        answer: &Answer,
        counts: Counts,
    ) -> Ending {
        tally.ignored.merge(answer.ignored);
        if counts.throughput {
            tally.rows += answer.rows;
            tally.changed += answer.changed;
            tally.missing += answer.missing;
        }
        if counts.latency {
            for (query, &time_ns) in request.iter().zip(&answer.times_ns) {
                tally.statements[query.statement() as usize].record(time_ns);
            }
            if let Some(waited_ns) = answer.waited_ns {
                tally.lock_wait.record(waited_ns);
            }
        }
        Ending::Committed
    }
}

fn outcome(options: &Options, driven: Driven<Tally>) -> RunOutcome {
    let mut total = Tally::default();
    for tally in &driven.tallies {
        total.statements.iter_mut().zip(&tally.statements).for_each(|(ours, theirs)| ours.merge(theirs));
        total.lock_wait.merge(&tally.lock_wait);
        total.rows += tally.rows;
        total.changed += tally.changed;
        total.missing += tally.missing;
        total.ignored.merge(tally.ignored);
    }
    let mut record = driven.record;
    let class = record.classes.swap_remove(0);
    let transactions = class.committed;
    let (reads, writes, other) = options.test.queries();
    let queries =
        (u64::from(reads) * transactions, u64::from(writes) * transactions, u64::from(other) * transactions);
    let per_second = |count: u64| {
        if driven.measured.is_zero() { 0.0 } else { count as f64 / driven.measured.as_secs_f64() }
    };
    let Ignored { deadlocks, duplicates, others } = total.ignored;
    let ignored = [("deadlock", deadlocks), ("duplicate key", duplicates), ("other", others)];
    let used = Statement::ALL.into_iter().zip(total.statements);
    RunOutcome {
        interrupted: driven.interrupted,
        fatal: driven.fatal,
        ramp_up: driven.ramp_up,
        measured: driven.measured,
        transactions,
        queries,
        tps: per_second(transactions),
        qps: per_second(queries.0 + queries.1 + queries.2),
        requests: record.requests,
        latency: class.latency,
        service: record.service,
        lateness: record.lateness,
        statements: used.filter(|(statement, _)| options.test.statements().contains(statement)).collect(),
        timeline: record.timeline_all,
        errors: record.errors,
        ignored: ignored.into_iter().filter(|(_, count)| *count > 0).collect(),
        retries: record.retries,
        reconnects: record.connections_lost,
        rows_read: total.rows,
        rows_changed: total.changed,
        missing: total.missing,
        lock_wait: total.lock_wait,
        client_cpu_ns: record.client_cpu_ns,
    }
}

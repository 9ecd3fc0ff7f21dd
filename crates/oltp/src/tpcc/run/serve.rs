//! Order entry as work for the driver, and the result of a run.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::time::Duration;

use database::{Counters, Instance};
use ground::Clock;
use measure::Histogram;
use words::Happening;

use super::options::RunOptions;
use super::outcome::{PerTransaction, RunOutcome, ServerFigures};
use super::pace;
use super::{OnAcknowledged, Run, Task};
use crate::admin::{Admin, blocking};
use crate::driver::{self, Boundary, Connect, DRAIN_MAX, Driven, Ending, Pause, Plan, Session, Work, drive};
use crate::error::OltpError;
use crate::tpcc::ask::bands::InputCounts;
use crate::tpcc::ask::deck::TransactionKind;
use crate::tpcc::ask::input::{Input, Inputs, World};
use crate::tpcc::ask::terminal::{Acknowledged, Answered, Screen};
use crate::tpcc::server::{Connector, OrderEntryServer};

/// Connections of the pool unless the options say otherwise.
const CONNECTIONS: u32 = 64;
/// Differences between the server's and the client's counts up to this share are those of the two moments of
/// counting.
const DIFFERENCE: f64 = 0.02;

/// The requests of order entry's users; `A` is the answer of their engine's sessions.
struct OrderEntry<'a, A> {
    world: World,
    options: &'a RunOptions,
    on_acknowledged: OnAcknowledged<'a>,
    answer: PhantomData<fn() -> A>,
}

/// The counts of order entry besides the driver's.
#[derive(Default)]
pub(crate) struct EntryTally {
    inputs: InputCounts,
    skipped_deliveries: u64,
    lock_wait: Histogram,
}

impl<A: Answered> Work for OrderEntry<'_, A> {
    type User = Inputs;
    type Request = Input;
    type Answer = A;
    type Tally = EntryTally;

    const CLASSES: &'static [&'static str] = &TransactionKind::NAMES;
    const MEAN_PAUSE: Duration = pace::MEAN_PAUSE;

    fn user(&self, user: u32) -> Inputs {
        let RunOptions { home, profile, seed, virtual_users, first_user, users_of_all, .. } = *self.options;
        Inputs::new(self.world, home, profile, seed, first_user + user, users_of_all.unwrap_or(virtual_users))
    }

    fn next(&self, user: &mut Inputs) -> Input {
        user.next(Clock::Wall.unix_ms())
    }

    fn class(&self, request: &Input) -> usize {
        request.kind() as usize
    }

    fn pause(&self, user: &mut Inputs, done: Option<usize>) -> Pause {
        pace::pause(done.map(|class| TransactionKind::ALL[class]), user.peek())
    }

    fn completed(
        &self,
        tally: &mut EntryTally,
        request: &Input,
        answer: &A,
        counts: driver::Counts,
    ) -> Ending {
        if let (true, Some(waited_ns)) = (counts.latency, answer.waited_ns()) {
            tally.lock_wait.record(waited_ns);
        }
        let answer = answer.screen();
        if counts.throughput {
            tally.inputs.count(request);
            if let Screen::Delivery(delivered) = answer {
                tally.skipped_deliveries += delivered.0.iter().filter(|order| order.is_none()).count() as u64;
            }
        }
        if let Some(order) = Acknowledged::of(request, answer) {
            (self.on_acknowledged)(order);
        }
        if *answer == Screen::InvalidItem { Ending::RolledBack } else { Ending::Committed }
    }

    fn failed(&self, tally: &mut EntryTally, request: &Input, counts: driver::Counts) {
        if counts.throughput {
            tally.inputs.count(request);
        }
    }
}

/// Drives the sessions that `connect` opens. `at` is called at the boundaries of the measure phase; the
/// result includes the counters of the instance's storage over the phase.
pub(crate) fn go<C>(
    instance: &dyn Instance,
    connect: &C,
    task: &Task<'_>,
    mut at: impl FnMut(Boundary),
) -> Result<(Driven<EntryTally>, Counters), OltpError>
where
    C: Connect,
    C::Session: Session<Request = Input, Answer: Answered>,
{
    let Task { options, control, on_acknowledged, world } = *task;
    let work = OrderEntry { world, options, on_acknowledged, answer: PhantomData };
    let plan = Plan {
        users: options.virtual_users,
        connections: options.connections.unwrap_or_else(|| options.virtual_users.min(CONNECTIONS)),
        pacing: options.pacing,
        asking: options.asking,
        ramp_up: options.ramp_up,
        measure: options.measure,
        seed: options.seed,
        drain_max: DRAIN_MAX,
        answer_max: None,
    };
    let mut storage = Counters::default();
    let mut count = |boundary| {
        at(boundary);
        storage = match boundary {
            Boundary::Measure => instance.storage_counters(),
            Boundary::End => instance.storage_counters().since(&storage),
        };
    };
    let driven = drive(&work, connect, &plan, control, &mut count)?;
    Ok((driven, storage))
}

impl<S: OrderEntryServer> Run for S {
    fn run(self, instance: &dyn Instance, task: &Task<'_>) -> Result<RunOutcome, OltpError> {
        let mut counts = Counts { instance, server: self, before: None, after: None };
        let connect = Connector { server: self, mode: task.options.mode };
        let counts_server = task.options.counts_server;
        let (driven, storage) = go(instance, &connect, task, |boundary| {
            if counts_server {
                counts.take(boundary);
            }
        })?;
        let mut outcome = outcome(driven, storage, task.world);
        outcome.fatal = outcome.fatal.map(|reason| match instance.server_log(5) {
            Some(log) => format!("{reason} (the server's last words: {})", log.trim()),
            None => reason,
        });
        outcome.server = counts.figures(outcome.tpm_with_rollbacks, outcome.nopm);
        Ok(outcome)
    }
}

/// The server's counters at the boundaries of the measure phase.
struct Counts<'a, S> {
    instance: &'a dyn Instance,
    server: S,
    before: Option<Counted>,
    after: Option<Counted>,
}

struct Counted {
    at_ns: u64,
    counters: BTreeMap<String, f64>,
    next_orders: f64,
}

impl<S: OrderEntryServer> Counts<'_, S> {
    /// A server that does not answer is no reason to stop: its users will tell.
    fn take(&mut self, boundary: Boundary) {
        let counted = self.count().ok();
        match boundary {
            Boundary::Measure => self.before = counted,
            Boundary::End => self.after = counted,
        }
    }

    fn count(&self) -> Result<Counted, OltpError> {
        // Asked first, with a limit: the run must not wait twice for a stalled server.
        let rows = blocking(self.server, async {
            let ask = async {
                let mut admin = Admin::enter(self.server).await?;
                let rows = admin.rows("summing up orders", "SELECT sum(d_next_o_id) FROM district").await?;
                admin.leave().await;
                Ok(rows)
            };
            let late = |_| OltpError::Server { doing: "summing up orders", why: "no answer".to_owned() };
            tokio::time::timeout(Duration::from_secs(5), ask).await.map_err(late)?
        })?;
        let at_ns = Clock::Wall.now_ns();
        let counters = self.instance.server_counters()?;
        let sum = rows.first().and_then(|row| row.first()?.as_ref()?.parse().ok());
        Ok(Counted { at_ns, counters, next_orders: sum.unwrap_or_default() })
    }

    fn figures(self, tpm: f64, nopm: f64) -> Option<ServerFigures> {
        let (before, after) = (self.before?, self.after?);
        let elapsed = Duration::from_nanos(after.at_ns - before.at_ns);
        let minutes = elapsed.as_secs_f64() / 60.0;
        let grown = |name: &str| {
            let value = |counters: &BTreeMap<String, f64>| counters.get(name).copied().unwrap_or_default();
            value(&after.counters) - value(&before.counters)
        };
        let theirs_tpm = (grown("commits") + grown("rollbacks")) / minutes;
        let theirs_nopm = (after.next_orders - before.next_orders) / minutes;
        let differs = |theirs: f64, ours: f64| (theirs - ours).abs() > DIFFERENCE * ours.abs();
        let of_tpm = Happening::TpmDiffers { server: theirs_tpm, client: tpm };
        let of_nopm = Happening::NopmDiffers { server: theirs_nopm, client: nopm };
        let all = [(differs(theirs_tpm, tpm), of_tpm), (differs(theirs_nopm, nopm), of_nopm)];
        let differences = all.into_iter().filter_map(|(differs, what)| differs.then_some(what)).collect();
        let (before, after) = (before.counters, after.counters);
        Some(ServerFigures { before, after, elapsed, tpm: theirs_tpm, nopm: theirs_nopm, differences })
    }
}

/// The outcome of a driven run, without a server's own figures.
pub(crate) fn outcome(driven: Driven<EntryTally>, storage: Counters, world: World) -> RunOutcome {
    let Driven { record, tallies, fatal, interrupted, ramp_up, measured } = driven;
    let mut total = EntryTally::default();
    for tally in &tallies {
        total.inputs.merge(&tally.inputs);
        total.skipped_deliveries += tally.skipped_deliveries;
        total.lock_wait.merge(&tally.lock_wait);
    }
    let per_minute =
        |count: u64| if measured.is_zero() { 0.0 } else { count as f64 * 60.0 / measured.as_secs_f64() };
    let per = PerTransaction::of_classes(record.classes);
    let orders = &per[&TransactionKind::NewOrder];
    let committed: u64 = per.values().map(|per| per.committed).sum();
    let rolled_back: u64 = per.values().map(|per| per.rolled_back).sum();
    RunOutcome {
        interrupted,
        fatal,
        ramp_up,
        measured,
        nopm: per_minute(orders.committed),
        nopm_with_rollbacks: per_minute(orders.committed + orders.rolled_back),
        tpm: per_minute(committed),
        tpm_with_rollbacks: per_minute(committed + rolled_back),
        per,
        requests: record.requests,
        timeline_all: record.timeline_all,
        timeline_new_order: record.timeline_first,
        errors: record.errors,
        retries: record.retries,
        lock_wait: total.lock_wait,
        skipped_deliveries: total.skipped_deliveries,
        inputs: total.inputs.bands(world.warehouses),
        client_cpu_ns: record.client_cpu_ns,
        engine_cpu_ns: record.engine_cpu_ns,
        storage,
        service: record.service,
        pool_wait: record.pool_wait,
        lateness: record.lateness,
        commit: record.commit,
        connections_lost: record.connections_lost,
        server: None,
    }
}

#[cfg(test)]
mod tests;

//! A run on a database server: order entry as work for the driver.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use database::{Counters, Instance};

use super::options::RunOptions;
use super::outcome::{PerTransaction, RunOutcome, ServerFigures};
use super::pace;
use super::{OnAcknowledged, Run, Task};
use crate::admin::{Admin, blocking};
use crate::driver::{self, Boundary, DRAIN_MAX, Driven, Ending, Pause, Plan, Work, drive};
use crate::error::OltpError;
use crate::tpcc::ask::bands::InputCounts;
use crate::tpcc::ask::deck::TransactionKind;
use crate::tpcc::ask::input::{Input, Inputs, World};
use crate::tpcc::ask::terminal::{Acknowledged, Screen};
use crate::tpcc::data::moment::now_ms;
use crate::tpcc::server::{Connector, OrderEntryServer};

/// Connections of the pool unless the options say otherwise.
const CONNECTIONS: u32 = 64;
/// Differences between the server's and the client's counts up to this share are those of the two moments of
/// counting.
const DIFFERENCE: f64 = 0.02;

/// What users of order entry ask.
struct OrderEntry<'a> {
    world: World,
    options: &'a RunOptions,
    on_acknowledged: OnAcknowledged<'a>,
}

/// What order entry counts besides the driver.
#[derive(Default)]
struct EntryTally {
    inputs: InputCounts,
    skipped_deliveries: u64,
}

impl Work for OrderEntry<'_> {
    type User = Inputs;
    type Request = Input;
    type Answer = Screen;
    type Tally = EntryTally;

    const CLASSES: &'static [&'static str] = &TransactionKind::NAMES;

    fn user(&self, user: u32) -> Inputs {
        let RunOptions { home, profile, seed, virtual_users, .. } = *self.options;
        Inputs::new(self.world, home, profile, seed, user, virtual_users)
    }

    fn next(&self, user: &mut Inputs) -> Input {
        user.next(now_ms())
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
        answer: &Screen,
        counts: driver::Counts,
    ) -> Ending {
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

impl<S: OrderEntryServer> Run for S {
    /// The driver refuses by itself what it cannot do.
    fn refuse(&self, _options: &RunOptions) -> Result<(), OltpError> {
        Ok(())
    }

    fn run(self, instance: &dyn Instance, task: &Task<'_>) -> Result<RunOutcome, OltpError> {
        let Task { options, control, on_acknowledged, world } = *task;
        let work = OrderEntry { world, options, on_acknowledged };
        let plan = Plan {
            users: options.virtual_users,
            connections: options.connections.unwrap_or_else(|| options.virtual_users.min(CONNECTIONS)),
            pacing: options.pacing,
            ramp_up: options.ramp_up,
            measure: options.measure,
            seed: options.seed,
            patience: options.patience,
            drain_max: DRAIN_MAX,
            answer_max: None,
        };
        let storage = Counters::default();
        let mut counts = Counts { instance, server: self, before: None, after: None, storage };
        let mut at = |boundary| counts.take(boundary);
        let driven = drive(&work, &Connector { server: self, mode: options.mode }, &plan, control, &mut at)?;
        Ok(outcome(driven, counts, world))
    }
}

/// The server's counters at the boundaries of the measure phase.
struct Counts<'a, S> {
    instance: &'a dyn Instance,
    server: S,
    before: Option<Counted>,
    after: Option<Counted>,
    storage: Counters,
}

struct Counted {
    at: Instant,
    counters: BTreeMap<String, f64>,
    next_orders: f64,
}

impl<S: OrderEntryServer> Counts<'_, S> {
    /// A server that does not answer is no reason to stop: its users will tell.
    fn take(&mut self, boundary: Boundary) {
        let counted = self.count().ok();
        match boundary {
            Boundary::Measure => {
                self.before = counted;
                self.storage = self.instance.storage_counters();
            }
            Boundary::End => {
                self.after = counted;
                self.storage = self.instance.storage_counters().since(&self.storage);
            }
        }
    }

    fn count(&self) -> Result<Counted, OltpError> {
        // Asked first, with a limit: a server that stands still is not to be waited for twice.
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
        let at = Instant::now();
        let counters = self.instance.server_counters()?;
        let sum = rows.first().and_then(|row| row.first()?.as_ref()?.parse().ok());
        Ok(Counted { at, counters, next_orders: sum.unwrap_or_default() })
    }

    fn figures(self, tpm: f64, nopm: f64) -> Option<ServerFigures> {
        let (before, after) = (self.before?, self.after?);
        let elapsed = after.at - before.at;
        let minutes = elapsed.as_secs_f64() / 60.0;
        let grown = |name: &str| {
            let value = |counters: &BTreeMap<String, f64>| counters.get(name).copied().unwrap_or_default();
            value(&after.counters) - value(&before.counters)
        };
        let theirs_tpm = (grown("commits") + grown("rollbacks")) / minutes;
        let theirs_nopm = (after.next_orders - before.next_orders) / minutes;
        let note = note(("TPM", theirs_tpm, tpm), ("NOPM", theirs_nopm, nopm));
        let (before, after) = (before.counters, after.counters);
        Some(ServerFigures { before, after, elapsed, tpm: theirs_tpm, nopm: theirs_nopm, note })
    }
}

/// Where the server's figures differ from the client's.
fn note(tpm: (&str, f64, f64), nopm: (&str, f64, f64)) -> String {
    let reasons = [
        "the server counts every commit and rollback of every session, ours and others', tells them up to a second late, and MariaDB leaves out single statements, which commit by themselves",
        "the sum of D_NEXT_O_ID has no orders that were rolled back, and is read while transactions are under way",
    ];
    let differing = [tpm, nopm]
        .into_iter()
        .zip(reasons)
        .filter(|&((_, theirs, ours), _)| (theirs - ours).abs() > DIFFERENCE * ours.abs());
    let lines: Vec<String> = differing
        .map(|((name, theirs, ours), reason)| {
            format!("{name} by the server's counters is {theirs:.0}, by the client's {ours:.0}: {reason}")
        })
        .collect();
    lines.join("; ")
}

fn outcome<S: OrderEntryServer>(
    driven: Driven<EntryTally>,
    counts: Counts<'_, S>,
    world: World,
) -> RunOutcome {
    let Driven { record, tallies, fatal, interrupted, ramp_up, measured } = driven;
    let fatal = fatal.map(|reason| match counts.instance.server_log(5) {
        Some(log) => format!("{reason} (the server's last words: {})", log.trim()),
        None => reason,
    });
    let mut inputs = InputCounts::default();
    let mut skipped_deliveries = 0;
    for tally in &tallies {
        inputs.merge(&tally.inputs);
        skipped_deliveries += tally.skipped_deliveries;
    }
    let per_minute =
        |count: u64| if measured.is_zero() { 0.0 } else { count as f64 * 60.0 / measured.as_secs_f64() };
    let per = PerTransaction::of_classes(record.classes);
    let orders = &per[&TransactionKind::NewOrder];
    let committed: u64 = per.values().map(|per| per.committed).sum();
    let rolled_back: u64 = per.values().map(|per| per.rolled_back).sum();
    let (nopm, tpm) = (per_minute(orders.committed), per_minute(committed));
    let tpm_with_rollbacks = per_minute(committed + rolled_back);
    let storage = counts.storage.clone();
    RunOutcome {
        interrupted,
        fatal,
        ramp_up,
        measured,
        nopm,
        nopm_with_rollbacks: per_minute(orders.committed + orders.rolled_back),
        tpm,
        tpm_with_rollbacks,
        per,
        requests: record.requests,
        timeline_all: record.timeline_all,
        timeline_new_order: record.timeline_first,
        errors: record.errors,
        retries: record.retries,
        lock_wait: measure::Histogram::new(),
        skipped_deliveries,
        inputs: inputs.bands(world.warehouses),
        client_cpu_ns: record.client_cpu_ns,
        engine_cpu_ns: 0,
        storage,
        service: record.service,
        pool_wait: record.pool_wait,
        lateness: record.lateness,
        commit: record.commit,
        connections_lost: record.connections_lost,
        server: counts.figures(tpm_with_rollbacks, nopm),
    }
}

//! One virtual user of the embedded engine: asks, waits for the answer, counts, asks again (a closed loop
//! without think time). What counts where is the driver's rule, `driver::due`.

use std::sync::atomic::Ordering;

use measure::Histogram;
use parking_lot::Mutex;

use super::{OnAcknowledged, Task};
use crate::driver::{
    Counts, Ending, Fault, Flight, Live, Record, Schedule, Silence, Times, Turn, now_ns, thread_cpu_ns,
};
use crate::tpcc::ask::bands::InputCounts;
use crate::tpcc::ask::deck::TransactionKind;
use crate::tpcc::ask::input::{Input, Inputs};
use crate::tpcc::ask::terminal::{Acknowledged, Executed, Failure, Screen, Terminal};
use crate::tpcc::data::moment::now_ms;

/// How often one transaction is tried again when another is in the way.
const RETRIES_MAX: u32 = 10;
/// So many errors in a row of one user mean that nothing works any more.
const ERRORS_IN_A_ROW_MAX: u32 = 100;

/// What all users of a run share.
pub(crate) struct Shared<'a> {
    pub(crate) schedule: Schedule,
    pub(crate) live: &'a Live,
    pub(crate) on_acknowledged: OnAcknowledged<'a>,
    /// The first reason why the run is worthless.
    pub(crate) fatal: Mutex<Option<String>>,
    /// Follows everybody's answers.
    pub(crate) silence: Silence,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(schedule: Schedule, task: &Task<'a>) -> Self {
        let silence = Silence::new(schedule.measure_ns);
        let Task { control, on_acknowledged, .. } = *task;
        Self { schedule, live: &control.live, on_acknowledged, fatal: Mutex::new(None), silence }
    }

    /// Ends the run for everyone; the first reason stays.
    fn fail(&self, reason: String) {
        self.fatal.lock().get_or_insert(reason);
        self.schedule.cut(now_ns());
    }
}

/// What one user counted; merged over users at the end.
pub(crate) struct Tally {
    pub(crate) record: Record,
    pub(crate) lock_wait: Histogram,
    pub(crate) skipped_deliveries: u64,
    pub(crate) inputs: InputCounts,
    pub(crate) client_cpu_ns: u64,
    pub(crate) engine_cpu_ns: u64,
}

impl Tally {
    pub(crate) fn new(start_ns: u64) -> Self {
        Self {
            record: Record::new(&TransactionKind::NAMES, start_ns),
            lock_wait: Histogram::new(),
            skipped_deliveries: 0,
            inputs: InputCounts::default(),
            client_cpu_ns: 0,
            engine_cpu_ns: 0,
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.record.merge(&other.record);
        self.lock_wait.merge(&other.lock_wait);
        self.skipped_deliveries += other.skipped_deliveries;
        self.inputs.merge(&other.inputs);
        self.client_cpu_ns += other.client_cpu_ns;
        self.engine_cpu_ns += other.engine_cpu_ns;
    }

    fn completed(&mut self, input: &Input, executed: &Executed, flight: Flight, at_ns: u64, counts: Counts) {
        let rolled_back = executed.screen == Screen::InvalidItem;
        let ending = if rolled_back { Ending::RolledBack } else { Ending::Committed };
        let Flight { class, turn, start_ns } = flight;
        self.record.completed(class, ending, Times { turn, start_ns, at_ns, commit_ns: None, counts });
        if let (true, Some(waited_ns)) = (counts.latency, executed.waited_ns) {
            self.lock_wait.record(waited_ns);
        }
        if !counts.throughput {
            return;
        }
        if let Screen::Delivery(delivered) = &executed.screen {
            self.skipped_deliveries += delivered.0.iter().filter(|order| order.is_none()).count() as u64;
        }
        self.inputs.count(input);
    }

    fn failed(&mut self, input: &Input, kind: &str, flight: Flight, at_ns: u64, counts: Counts) {
        self.record.failed(flight, Fault::Refused(kind), at_ns, counts);
        if counts.throughput {
            self.inputs.count(input);
        }
    }
}

/// Works until the run is over.
pub(crate) fn work(terminal: &mut dyn Terminal, mut inputs: Inputs, user: u32, shared: &Shared<'_>) -> Tally {
    let schedule = &shared.schedule;
    let mut tally = Tally::new(schedule.start_ns);
    let mut errors_in_a_row = 0;
    let mut cpu_ns = thread_cpu_ns();
    while !schedule.is_over(now_ns()) {
        let input = inputs.next(now_ms());
        let cpu_before_ns = thread_cpu_ns();
        let start_ns = now_ns();
        let answer = execute(terminal, &input, &mut tally.record.retries);
        let at_ns = now_ns();
        let cpu_after_ns = thread_cpu_ns();
        // A user without a pace is due when it is free.
        let turn = Turn { user, due_ns: start_ns, late_ns: 0, waited_ns: 0 };
        let flight = Flight { class: input.kind() as usize, turn, start_ns };
        let counts = schedule.counts(start_ns, at_ns);
        if counts.throughput {
            tally.client_cpu_ns += cpu_before_ns.saturating_sub(cpu_ns);
            tally.engine_cpu_ns += cpu_after_ns.saturating_sub(cpu_before_ns);
        }
        cpu_ns = cpu_after_ns;
        shared.silence.answered(start_ns, at_ns, schedule.end_ns());
        match answer {
            Ok(executed) => {
                if let Some(order) = Acknowledged::of(&input, &executed.screen) {
                    (shared.on_acknowledged)(order);
                }
                // The engine cannot be torn from its call, but what it says so late is not waited for.
                if schedule.is_drained(at_ns) && counts.latency {
                    tally.record.given_up(flight, schedule.drained_ns());
                } else {
                    tally.completed(&input, &executed, flight, at_ns, counts);
                }
                let is_new_order = matches!(executed.screen, Screen::NewOrder(_));
                shared.live.record(at_ns - start_ns, is_new_order);
                errors_in_a_row = 0;
            }
            Err(failure) => {
                errors_in_a_row += 1;
                let (kind, message, fatal) = describe(failure);
                tally.failed(&input, &kind, flight, at_ns, counts);
                shared.live.errors.fetch_add(1, Ordering::Relaxed);
                if fatal || errors_in_a_row >= ERRORS_IN_A_ROW_MAX {
                    shared.fail(format!("{} of user {}: {message}", input.kind(), user + 1));
                }
            }
        }
    }
    tally
}

/// Asks until there is an answer or too many attempts were in vain.
fn execute(terminal: &mut dyn Terminal, input: &Input, retries: &mut u64) -> Result<Executed, Failure> {
    let mut attempt = 0;
    loop {
        match terminal.execute(input) {
            Err(Failure::Retry(_)) if attempt < RETRIES_MAX => {
                attempt += 1;
                *retries += 1;
            }
            answer => return answer,
        }
    }
}

/// Class, words, and whether the run is over.
fn describe(failure: Failure) -> (String, String, bool) {
    match failure {
        Failure::Retry(kind) => (kind.to_owned(), format!("{kind}, {RETRIES_MAX} retries in vain"), false),
        Failure::Error { kind, message } => (kind.to_owned(), message, false),
        // Nobody is cut off from an engine in its own process.
        Failure::Lost(message) | Failure::Fatal(message) => {
            ("storage or database broken".to_owned(), message, true)
        }
    }
}

#[cfg(test)]
mod tests;

//! One virtual user: asks, waits for the answer, counts, asks again (a closed loop without think time).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use measure::{Histogram, Timeline};
use parking_lot::Mutex;
use rustix::time::{ClockId, clock_gettime};

use super::bands::InputCounts;
use super::deck::TransactionKind;
use super::durability::Acknowledged;
use super::input::{Input, Inputs};
use super::live::Control;
use super::load::now_ms;
use super::outcome::PerTransaction;
use super::terminal::{Executed, Failure, Screen, Terminal};

/// How often one transaction is tried again when another is in the way.
const RETRIES_MAX: u32 = 10;
/// So many errors in a row of one user mean that nothing works any more.
const ERRORS_IN_A_ROW_MAX: u32 = 100;

/// The clock of a run, shared by everyone: ns of `CLOCK_MONOTONIC`.
#[derive(Debug)]
pub(crate) struct Schedule {
    pub(crate) start_ns: u64,
    pub(crate) measure_ns: u64,
    /// Moves forward when the run is cut short.
    pub(crate) end_ns: AtomicU64,
}

impl Schedule {
    fn is_over(&self, now_ns: u64) -> bool {
        now_ns >= self.end_ns.load(Ordering::Acquire)
    }

    /// The part of the run in which something completed.
    fn part_at(&self, at_ns: u64) -> Part {
        if self.is_over(at_ns) {
            Part::After
        } else if at_ns >= self.measure_ns {
            Part::Measure
        } else {
            Part::RampUp
        }
    }
}

/// When a transaction completed. Only the measure phase counts; what completes after the end is in the database and nowhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    RampUp,
    Measure,
    After,
}

/// What all users of a run share.
pub(crate) struct Shared<'a> {
    pub(crate) schedule: Schedule,
    pub(crate) control: &'a Control,
    /// The first reason why the run is worthless.
    pub(crate) fatal: Mutex<Option<String>>,
}

impl Shared<'_> {
    /// Ends the run for everyone; the first reason stays.
    fn fail(&self, reason: String) {
        self.fatal.lock().get_or_insert(reason);
        self.schedule.end_ns.fetch_min(now_ns(), Ordering::AcqRel);
    }
}

/// What one user counted; merged over users at the end.
pub(crate) struct Tally {
    pub(crate) per: BTreeMap<TransactionKind, PerTransaction>,
    pub(crate) timeline_all: Timeline,
    pub(crate) timeline_new_order: Timeline,
    pub(crate) errors: BTreeMap<String, u64>,
    pub(crate) retries: u64,
    pub(crate) lock_wait: Histogram,
    pub(crate) skipped_deliveries: u64,
    pub(crate) inputs: InputCounts,
    pub(crate) client_cpu_ns: u64,
    pub(crate) engine_cpu_ns: u64,
}

impl Tally {
    pub(crate) fn new(start_ns: u64) -> Self {
        Self {
            per: TransactionKind::ALL.map(|kind| (kind, PerTransaction::default())).into(),
            timeline_all: Timeline::new(start_ns),
            timeline_new_order: Timeline::new(start_ns),
            errors: BTreeMap::new(),
            retries: 0,
            lock_wait: Histogram::new(),
            skipped_deliveries: 0,
            inputs: InputCounts::default(),
            client_cpu_ns: 0,
            engine_cpu_ns: 0,
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (kind, theirs) in &other.per {
            let ours = self.per.entry(*kind).or_default();
            ours.committed += theirs.committed;
            ours.rolled_back += theirs.rolled_back;
            ours.errors += theirs.errors;
            ours.latency.merge(&theirs.latency);
        }
        self.timeline_all.merge(&other.timeline_all);
        self.timeline_new_order.merge(&other.timeline_new_order);
        for (kind, count) in &other.errors {
            *self.errors.entry(kind.clone()).or_default() += count;
        }
        self.retries += other.retries;
        self.lock_wait.merge(&other.lock_wait);
        self.skipped_deliveries += other.skipped_deliveries;
        self.inputs.merge(&other.inputs);
        self.client_cpu_ns += other.client_cpu_ns;
        self.engine_cpu_ns += other.engine_cpu_ns;
    }

    fn completed(&mut self, input: &Input, executed: &Executed, at_ns: u64, latency_ns: u64, part: Part) {
        if part == Part::After {
            return;
        }
        let kind = input.kind();
        let rolled_back = executed.screen == Screen::InvalidItem;
        self.timeline_all.record(at_ns, latency_ns, 0);
        if kind == TransactionKind::NewOrder && !rolled_back {
            self.timeline_new_order.record(at_ns, latency_ns, 0);
        }
        if part == Part::RampUp {
            return;
        }
        let per = self.per.entry(kind).or_default();
        per.latency.record(latency_ns);
        if rolled_back {
            per.rolled_back += 1;
        } else {
            per.committed += 1;
        }
        if let Some(waited_ns) = executed.waited_ns {
            self.lock_wait.record(waited_ns);
        }
        if let Screen::Delivery(delivered) = &executed.screen {
            self.skipped_deliveries += delivered.0.iter().filter(|order| order.is_none()).count() as u64;
        }
        self.inputs.count(input);
    }

    fn failed(&mut self, input: &Input, kind: &str, at_ns: u64, part: Part) {
        *self.errors.entry(format!("{}: {kind}", input.kind())).or_default() += 1;
        self.timeline_all.record_error(at_ns);
        if part == Part::Measure {
            self.per.entry(input.kind()).or_default().errors += 1;
            self.inputs.count(input);
        }
    }
}

/// Works until the run is over.
pub(crate) fn work(terminal: &mut dyn Terminal, mut inputs: Inputs, user: u32, shared: &Shared<'_>) -> Tally {
    let mut tally = Tally::new(shared.schedule.start_ns);
    let mut errors_in_a_row = 0;
    let mut cpu_ns = thread_cpu_ns();
    while !shared.schedule.is_over(now_ns()) {
        let input = inputs.next(now_ms());
        let cpu_before_ns = thread_cpu_ns();
        let start_ns = now_ns();
        let answer = execute(terminal, &input, &mut tally.retries);
        let at_ns = now_ns();
        let cpu_after_ns = thread_cpu_ns();
        let part = shared.schedule.part_at(at_ns);
        if part == Part::Measure {
            tally.client_cpu_ns += cpu_before_ns.saturating_sub(cpu_ns);
            tally.engine_cpu_ns += cpu_after_ns.saturating_sub(cpu_before_ns);
        }
        cpu_ns = cpu_after_ns;
        match answer {
            Ok(executed) => {
                acknowledge(shared.control, &input, &executed);
                tally.completed(&input, &executed, at_ns, at_ns - start_ns, part);
                let is_new_order = matches!(executed.screen, Screen::NewOrder(_));
                shared.control.live.record(at_ns - start_ns, is_new_order);
                errors_in_a_row = 0;
            }
            Err(failure) => {
                errors_in_a_row += 1;
                let (kind, message, fatal) = describe(failure);
                tally.failed(&input, &kind, at_ns, part);
                shared.control.live.errors.fetch_add(1, Ordering::Relaxed);
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

fn acknowledge(control: &Control, input: &Input, executed: &Executed) {
    if let (Some(on_acknowledged), Input::NewOrder(asked), Screen::NewOrder(screen)) =
        (&control.on_acknowledged, input, &executed.screen)
    {
        on_acknowledged(Acknowledged {
            warehouse: asked.warehouse,
            district: asked.district,
            order: screen.order,
        });
    }
}

/// `CLOCK_MONOTONIC`, ns.
pub(crate) fn now_ns() -> u64 {
    nanoseconds(ClockId::Monotonic)
}

/// Processor time of this thread, ns.
fn thread_cpu_ns() -> u64 {
    nanoseconds(ClockId::ThreadCPUTime)
}

fn nanoseconds(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests;

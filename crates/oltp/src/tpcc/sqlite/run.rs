//! A run on SQLite: a thread for each user, since SQLite waits for its files in the calls themselves.

use std::sync::Barrier;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use database::sqlite::Sqlite;
use database::{Counters, Instance};
use measure::Histogram;

use super::SqliteTerminal;
use crate::driver::{DRAIN_MAX, Pacing, Phase, Schedule, now_ns};
use crate::error::OltpError;
use crate::tpcc::ask::deck::TransactionKind;
use crate::tpcc::ask::input::Inputs;
use crate::tpcc::run::options::RunOptions;
use crate::tpcc::run::outcome::{PerTransaction, RunOutcome};
use crate::tpcc::run::user::{Shared, Tally, work};
use crate::tpcc::run::{Run, Task};

/// How often the time keeper looks at the stop flag: Ctrl-C feels immediate, and a dozen runs side by side
/// cost nothing.
const POLL: Duration = Duration::from_millis(50);
/// A run that is cut short ends this much after it was seen: long enough for every user to have counted with
/// the old end what completed before, so that no transaction falls between.
const CUT_NS: u64 = 1_000_000;
/// More threads than any sensible experiment has; a typo should not take the machine down.
const USERS_MAX: u32 = 10_000;

impl Run for &Sqlite {
    fn refuse(&self, options: &RunOptions) -> Result<(), OltpError> {
        let users = options.virtual_users;
        if !(1..=USERS_MAX).contains(&users) {
            let why = format!("{users} virtual users are outside of 1 to {USERS_MAX}");
            return Err(OltpError::Options(why));
        }
        if options.pacing != Pacing::None {
            let why = "users of SQLite are threads without a pace; pacing needs a database server";
            return Err(OltpError::Options(why.to_owned()));
        }
        Ok(())
    }

    fn run(self, _instance: &dyn Instance, task: &Task<'_>) -> Result<RunOutcome, OltpError> {
        ThreadedRun { instance: self, task }.go()
    }
}

struct ThreadedRun<'a> {
    instance: &'a Sqlite,
    task: &'a Task<'a>,
}

/// Where the users wait until all are ready. Empty means that one of them could not get ready and all go
/// home.
type Start<'a> = OnceLock<Option<Shared<'a>>>;

impl<'a> ThreadedRun<'a> {
    fn go(&self) -> Result<RunOutcome, OltpError> {
        let users = self.task.options.virtual_users;
        let start: Start<'a> = OnceLock::new();
        let start_barrier = Barrier::new(users as usize + 1);
        thread::scope(|scope| {
            let (ready, is_ready) = channel();
            let mut threads = Vec::with_capacity(users as usize);
            for user in 0..users {
                let (report, start, start_barrier) = (ready.clone(), &start, &start_barrier);
                let builder = thread::Builder::new().name(format!("user-{}", user + 1));
                let body = move || self.user(user, &report, start, start_barrier);
                match builder.spawn_scoped(scope, body) {
                    Ok(handle) => threads.push(handle),
                    Err(source) => {
                        // Those that wait at the barrier would wait forever for one that never comes; it has
                        // a stand-in.
                        let _ = ready.send(Err(OltpError::Thread {
                            what: format!("virtual user {}", user + 1),
                            source,
                        }));
                        scope.spawn(|| start_barrier.wait());
                    }
                }
            }
            drop(ready);
            let refused = is_ready.iter().take(users as usize).find_map(Result::err);
            if refused.is_none() {
                self.task.control.line_up();
            }
            let shared = start.get_or_init(|| refused.is_none().then(|| self.shared()));
            start_barrier.wait();
            let Some(shared) = shared else {
                let refused = refused.expect("only a refusal leaves nothing to share");
                return Err(refused.with_cause(self.instance.first_storage_error()));
            };
            let storage = self.keep_time(shared);
            let mut total = Tally::new(shared.schedule.start_ns);
            for thread in threads {
                match thread.join() {
                    Ok(Some(tally)) => total.merge(&tally),
                    Ok(None) => {}
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(self.outcome(shared, total, storage))
        })
    }

    /// A user's whole life: gets ready, waits for the start, works.
    fn user(
        &self,
        user: u32,
        ready: &Sender<Result<(), OltpError>>,
        start: &Start<'a>,
        start_barrier: &Barrier,
    ) -> Option<Tally> {
        let connection = match self.instance.connect() {
            Ok(connection) => connection,
            Err(error) => return stay_away(ready, start_barrier, error.into()),
        };
        let mut terminal = match SqliteTerminal::new(self.instance, &connection) {
            Ok(terminal) => terminal,
            Err(error) => return stay_away(ready, start_barrier, error),
        };
        let RunOptions { home, profile, seed, virtual_users, .. } = *self.task.options;
        let inputs = Inputs::new(self.task.world, home, profile, seed, user, virtual_users);
        // The receiver lives until everyone has reported.
        let _ = ready.send(Ok(()));
        start_barrier.wait();
        let shared = start.get()?.as_ref()?;
        Some(work(&mut terminal, inputs, user, shared))
    }

    /// Sets the clock: everything begins now.
    fn shared(&self) -> Shared<'a> {
        let RunOptions { ramp_up, measure, .. } = *self.task.options;
        Shared::new(Schedule::starting_now(ramp_up, measure, DRAIN_MAX), self.task)
    }

    /// Announces the phases, watches the stop flag, and counts the storage over the measure phase.
    fn keep_time(&self, shared: &Shared<'_>) -> Counters {
        let schedule = &shared.schedule;
        self.task.control.enter(Phase::RampUp);
        let mut second_ns = schedule.start_ns;
        self.wait(schedule, schedule.measure_ns, &mut second_ns);
        let before = self.instance.storage_counters();
        self.task.control.enter(Phase::Measure);
        self.wait(schedule, u64::MAX, &mut second_ns);
        self.task.control.enter(Phase::Drain);
        self.instance.storage_counters().since(&before)
    }

    /// Waits until `until_ns` or the end of the run, and ends it when asked to.
    fn wait(&self, schedule: &Schedule, until_ns: u64, second_ns: &mut u64) {
        loop {
            if self.task.control.stop.load(Ordering::Acquire) {
                schedule.cut(now_ns() + CUT_NS);
            }
            let now = now_ns();
            let goal_ns = until_ns.min(schedule.end_ns());
            if now >= goal_ns {
                return;
            }
            if now - *second_ns >= 1_000_000_000 {
                *second_ns = now;
                self.task.control.live.tick();
            }
            thread::sleep(POLL.min(Duration::from_nanos(goal_ns - now)));
        }
    }

    fn outcome(&self, shared: &Shared<'_>, total: Tally, storage: Counters) -> RunOutcome {
        let schedule = &shared.schedule;
        let end_ns = schedule.end_ns();
        let mut record = total.record;
        record.close(schedule, &shared.silence);
        let measured = Duration::from_nanos(end_ns.saturating_sub(schedule.measure_ns));
        let below = self.instance.first_storage_error();
        let fatal = match (shared.fatal.lock().take(), below) {
            (Some(reason), Some(below)) => Some(format!("{reason} (below it: {below})")),
            // A checkpoint that fails meets no user, but the drive has failed all the same.
            (reason, below) => reason.or(below),
        };
        let per_minute =
            |count: u64| if measured.is_zero() { 0.0 } else { count as f64 * 60.0 / measured.as_secs_f64() };
        let per = PerTransaction::of_classes(record.classes);
        let orders = &per[&TransactionKind::NewOrder];
        let committed: u64 = per.values().map(|per| per.committed).sum();
        let rolled_back: u64 = per.values().map(|per| per.rolled_back).sum();
        RunOutcome {
            interrupted: self.task.control.stop.load(Ordering::Acquire)
                && measured < self.task.options.measure,
            fatal,
            ramp_up: Duration::from_nanos(end_ns.min(schedule.measure_ns) - schedule.start_ns),
            measured,
            nopm: per_minute(orders.committed),
            nopm_with_rollbacks: per_minute(orders.committed + orders.rolled_back),
            tpm: per_minute(committed),
            tpm_with_rollbacks: per_minute(committed + rolled_back),
            inputs: total.inputs.bands(self.task.world.warehouses),
            per,
            requests: record.requests,
            timeline_all: record.timeline_all,
            timeline_new_order: record.timeline_first,
            errors: record.errors,
            retries: record.retries,
            lock_wait: total.lock_wait,
            skipped_deliveries: total.skipped_deliveries,
            client_cpu_ns: total.client_cpu_ns,
            engine_cpu_ns: total.engine_cpu_ns,
            storage,
            service: record.service,
            pool_wait: Histogram::new(),
            lateness: Histogram::new(),
            commit: Histogram::new(),
            connections_lost: 0,
            server: None,
        }
    }
}

/// A user that cannot get ready says why and keeps the others from waiting for it.
fn stay_away(
    ready: &Sender<Result<(), OltpError>>,
    start_barrier: &Barrier,
    why: OltpError,
) -> Option<Tally> {
    let _ = ready.send(Err(why));
    start_barrier.wait();
    None
}

//! A run of virtual users: workers on one clock, a ramp-up that is not counted, then the measure phase.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use ground::Clock;
use parking_lot::Mutex;

use super::clock::Schedule;
use super::control::{Control, Phase};
use super::pacing::Pacing;
use super::plan::{Plan, processors_of};
use super::record::Record;
use super::session::Shared;
use super::silence::Silence;
use super::work::{Connect, Failure, Session, Work};
use super::worker::{Counted, Share, Worker};
use crate::error::OltpError;

/// The interval at which the time keeper checks the stop flag: Ctrl-C feels immediate, and a dozen parallel
/// runs cost nothing.
const POLL: Duration = Duration::from_millis(50);
/// A run that is cut short ends this much after it was seen: long enough for everyone to have counted with
/// the old end what completed before, so that no transaction falls between.
const CUT_NS: u64 = 1_000_000;
/// So long after the drain limit sessions that block their threads are torn away: the others have gone home
/// by then.
const TEAR_NS: u64 = 500_000_000;
/// The interval at which the end of the workers is checked.
const HOME: Duration = Duration::from_millis(2);
/// A typo should not take the machine down.
const USERS_MAX: u32 = 1_000_000;

/// The result of a run.
#[derive(Clone, Debug)]
pub(crate) struct Driven<T> {
    pub(crate) record: Record,
    /// The counts of each worker's own work.
    pub(crate) tallies: Vec<T>,
    pub(crate) fatal: Option<String>,
    pub(crate) interrupted: bool,
    pub(crate) ramp_up: Duration,
    pub(crate) measured: Duration,
}

/// A moment at which the caller may read counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// The measure phase begins.
    Measure,
    /// The measure phase is over; answers may still be waited for.
    End,
}

/// Runs until the time is over, the stop flag is set, or nothing works any more. `at` is called at the
/// boundaries, by this thread.
///
/// # Errors
/// When the run cannot even begin: impossible options, connections refused.
pub(crate) fn drive<W, C>(
    work: &W,
    connect: &C,
    plan: &Plan,
    control: &Control,
    at: &mut dyn FnMut(Boundary),
) -> Result<Driven<W::Tally>, OltpError>
where
    W: Work,
    C: Connect,
    C::Session: Session<Request = W::Request, Answer = W::Answer>,
{
    check(plan)?;
    let shares = shares(plan, C::BLOCKS);
    let start: OnceLock<Shared<'_>> = OnceLock::new();
    thread::scope(|scope| {
        let (ready, is_ready) = channel();
        let mut workers = Vec::with_capacity(shares.len());
        let mut start_signals = Vec::with_capacity(shares.len());
        for share in shares {
            let (signal, start_signal) = channel();
            let (ready, name) = (ready.clone(), format!("users-{}", share.number + 1));
            let worker = Worker { work, connect, plan, control, share };
            let builder = thread::Builder::new().name(name);
            // On an error the start signals are dropped, and those that have started go home.
            let handle = builder
                .spawn_scoped(scope, move || worker.run(ready, &start_signal))
                .map_err(|source| OltpError::Thread { what: "a worker".to_owned(), source })?;
            workers.push(handle);
            start_signals.push(signal);
        }
        drop(ready);
        if let Some(failure) = is_ready.iter().find_map(Result::err) {
            drop(start_signals);
            connect.give_up();
            if control.hang_up.is_asked() {
                return Err(OltpError::Stopped);
            }
            return Err(OltpError::Server { doing: "getting virtual users ready", why: words(failure) });
        }
        let due_ns = control.line_up();
        let shared = start.get_or_init(|| {
            let start_ns = due_ns.unwrap_or_else(|| Clock::Wall.now_ns());
            let schedule = Schedule::starting_at(start_ns, plan.ramp_up, plan.measure, plan.drain_max);
            let silence = Silence::new(schedule.measure_ns);
            let (fatal, any_lost) = (Mutex::new(None), AtomicBool::new(false));
            Shared { schedule, control, fatal, silence, any_lost }
        });
        for signal in start_signals {
            // A worker that is gone has panicked, which its join will tell.
            let _ = signal.send(shared);
        }
        keep_time(&shared.schedule, control, at);
        let at_home = || workers.iter().all(|worker| worker.is_finished());
        while !at_home() && Clock::Wall.now_ns() < shared.schedule.drained_ns().saturating_add(TEAR_NS) {
            if control.hang_up.is_asked() {
                shared.schedule.give_up();
                break;
            }
            Clock::Wall.sleep(HOME);
        }
        connect.give_up();
        let mut counted = Vec::with_capacity(workers.len());
        for worker in workers {
            let result = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            counted.extend(result);
        }
        Ok(driven::<W>(plan, shared, counted))
    })
}

fn check(plan: &Plan) -> Result<(), OltpError> {
    let Plan { users, connections, pacing, .. } = *plan;
    let wrong = |what: String| Err(OltpError::Options(what));
    if !(1..=USERS_MAX).contains(&users) {
        return wrong(format!("{users} virtual users are outside of 1 to {USERS_MAX}"));
    }
    if connections == 0 {
        return wrong("a pool of 0 connections serves nobody".to_owned());
    }
    match pacing {
        Pacing::Keyed { factor } if !(factor.is_finite() && factor >= 0.0) => {
            wrong(format!("keying and think times cannot be multiplied by {factor}"))
        }
        Pacing::Arrivals { per_second } if !(1e-3..=1e9).contains(&per_second) => {
            wrong(format!("{per_second} arrivals per second are outside of 0.001 to 1,000,000,000"))
        }
        _ => Ok(()),
    }
}

/// Users and connections, shared out evenly over a worker for each processor of the plan, or for each
/// connection where sessions wait in their calls. No worker is without either.
fn shares(plan: &Plan, blocks: bool) -> Vec<Share> {
    let processors = processors_of(plan.asking.processors);
    let connections = if plan.pacing == Pacing::None { plan.users } else { plan.connections.min(plan.users) };
    let workers = if blocks { connections } else { processors.min(connections) };
    let part = |whole: u32, number: u32| (u64::from(whole) * u64::from(number) / u64::from(workers)) as u32;
    (0..workers)
        .map(|number| Share {
            number,
            workers,
            connections: part(connections, number + 1) - part(connections, number),
            users: part(plan.users, number)..part(plan.users, number + 1),
        })
        .collect()
}

/// Announces the phases and watches the stop flag.
fn keep_time(schedule: &Schedule, control: &Control, at: &mut dyn FnMut(Boundary)) {
    control.enter(Phase::RampUp);
    let mut second_ns = schedule.start_ns;
    wait(schedule, control, schedule.measure_ns, &mut second_ns);
    if !schedule.is_over(Clock::Wall.now_ns()) {
        at(Boundary::Measure);
        control.enter(Phase::Measure);
    }
    wait(schedule, control, u64::MAX, &mut second_ns);
    control.enter(Phase::Drain);
    at(Boundary::End);
}

/// Waits until `until_ns` or the end of the run, and ends it when asked to.
fn wait(schedule: &Schedule, control: &Control, until_ns: u64, second_ns: &mut u64) {
    loop {
        if control.stop.load(Ordering::Acquire) {
            schedule.cut(Clock::Wall.now_ns() + CUT_NS);
        }
        let now = Clock::Wall.now_ns();
        let goal_ns = until_ns.min(schedule.end_ns());
        if now >= goal_ns {
            return;
        }
        if now - *second_ns >= 1_000_000_000 {
            *second_ns = now;
            control.live.tick();
        }
        Clock::Wall.sleep(POLL.min(Duration::from_nanos(goal_ns - now)));
    }
}

fn driven<W: Work>(plan: &Plan, shared: &Shared<'_>, counted: Vec<Counted<W>>) -> Driven<W::Tally> {
    let schedule = &shared.schedule;
    let end_ns = schedule.end_ns();
    let measured = Duration::from_nanos(end_ns.saturating_sub(schedule.measure_ns));
    let mut record = Record::new(W::CLASSES, schedule.start_ns);
    let mut tallies = Vec::with_capacity(counted.len());
    for (part, tally) in counted {
        record.merge(&part);
        tallies.push(tally);
    }
    record.close(schedule, &shared.silence);
    Driven {
        record,
        tallies,
        fatal: shared.fatal.lock().take(),
        interrupted: shared.control.stop.load(Ordering::Acquire) && measured < plan.measure,
        ramp_up: Duration::from_nanos(end_ns.min(schedule.measure_ns) - schedule.start_ns),
        measured,
    }
}

fn words(failure: Failure) -> String {
    match failure {
        Failure::Retry(kind) => kind.to_owned(),
        Failure::Error { kind, message } => format!("{kind}: {message}"),
        Failure::Lost(message) | Failure::Fatal(message) => message,
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::Asking;
    use super::*;

    #[test]
    fn a_process_that_shares_the_machine_has_fewer_workers() {
        let plan = |processors| Plan {
            users: 6,
            connections: 6,
            pacing: Pacing::None,
            asking: Asking { processors, ..Asking::default() },
            ramp_up: Duration::ZERO,
            measure: Duration::ZERO,
            seed: 1,
            drain_max: Duration::ZERO,
            answer_max: None,
        };
        let connections = |processors, blocks| -> Vec<u32> {
            shares(&plan(processors), blocks).iter().map(|share| share.connections).collect()
        };
        assert_eq!(connections(Some(1), false), [6]);
        assert_eq!(connections(Some(4), false), [1, 2, 1, 2]);
        assert_eq!(connections(Some(64), false), [1; 6], "no worker is without a connection");
        assert_eq!(connections(Some(1), true), [1; 6], "sessions that wait in their calls have one each");
        assert_eq!(shares(&plan(None), false).len() as u32, processors_of(None).min(6));
    }
}

//! The load while it runs: its progress on stderr, and the way of a signal to it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use block::{BlockError, Control, Job, Live, LivePhase, Outcome};
use ground::{Clock, Laps};
use lab::Interrupt;
use words::PhaseName;

use crate::console::Console;
use crate::progress::{self, Line, LiveLine, PLAIN_EVERY};

/// The interval at which signals are passed on.
const LOOK: Duration = Duration::from_millis(50);
/// The interval at which the live line is drawn anew.
const SECOND: Duration = Duration::from_secs(1);

/// Runs the job while progress goes to stderr and signals reach it.
pub(super) fn watched(
    job: &Job,
    control: &Control,
    interrupt: &Interrupt,
    clock: &Clock,
    console: &Console,
) -> Result<Outcome, BlockError> {
    let over = AtomicBool::new(false);
    clock.scope(|scope| {
        scope.spawn(|| watch(job, control, interrupt, (clock, console), &over));
        let outcome = block::run(job, control);
        over.store(true, Ordering::Release);
        outcome
    })
}

fn watch(
    job: &Job,
    control: &Control,
    interrupt: &Interrupt,
    (clock, console): (&Clock, &Console),
    over: &AtomicBool,
) {
    let line = LiveLine::begin(*console);
    let every = if line.is_some() { SECOND } else { PLAIN_EVERY };
    let mut start = clock.stopwatch();
    let (mut laps, mut before) = (Laps::of(clock, every), control.live());
    while !over.load(Ordering::Acquire) {
        clock.sleep(LOOK);
        if interrupt.requested() {
            control.stop();
        }
        if control.live().phase == LivePhase::Preparing {
            start = clock.stopwatch();
        }
        let Some(lap) = laps.ended() else { continue };
        let live = control.live();
        let figures = figures((lap, &before), &live);
        match &line {
            Some(line) => line.show(&of_load(job, interrupt.requested(), start.elapsed(), (figures, &live))),
            None => {
                let (rate, p99_ms) = figures;
                console.note(&format!("{rate:.0} IOPS, p99 {p99_ms:.2} ms, {} errors", live.errors));
            }
        }
        before = live;
    }
}

/// I/Os a second in the lap since `before`, and their p99 in ms.
fn figures((lap, before): (Duration, &Live), now: &Live) -> (f64, f64) {
    let rate = (now.ios - before.ios) as f64 / lap.as_secs_f64();
    let p99_ns = now.quantiles_ns_since(before, [0.99])[0].unwrap_or(0);
    (rate, p99_ns as f64 / 1e6)
}

fn of_load(
    job: &Job,
    is_stopping: bool,
    elapsed: Duration,
    ((rate, p99_ms), live): ((f64, f64), &Live),
) -> Line {
    let whole = job.ramp_up + job.measure;
    let phase = match live.phase {
        _ if is_stopping => "stopping",
        LivePhase::Preparing => PhaseName::Prepare.name(),
        LivePhase::RampUp => PhaseName::RampUp.name(),
        LivePhase::Measure => PhaseName::Measure.name(),
        LivePhase::Drain | LivePhase::Done => "last I/Os",
        LivePhase::Verify => PhaseName::Verify.name(),
    };
    let errors = if live.errors > 0 { format!("{} errors", live.errors) } else { String::new() };
    Line {
        share: elapsed.as_secs_f64() / whole.as_secs_f64().max(1e-3),
        place: errors,
        what: String::new(),
        phase: phase.to_owned(),
        rate: format!("{rate:.0} IOPS"),
        p99: format!("p99 {p99_ms:.2} ms"),
        left: format!("{} left", progress::clock(whole.saturating_sub(elapsed))),
    }
}

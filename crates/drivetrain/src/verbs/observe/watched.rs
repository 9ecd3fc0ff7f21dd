//! An observation while it goes on: progress on stderr.

use std::time::Duration;

use lab::{LabError, Observed, ObservedSecond, Observing, World};

use crate::console::Console;
use crate::progress::{self, Line, LiveLine, PLAIN_EVERY};

/// Observes; each second is shown on a terminal, every tenth one elsewhere.
pub(super) fn watched(observing: &Observing, console: &Console) -> Result<Observed, LabError> {
    let live = LiveLine::begin(*console);
    let mut told = Duration::ZERO;
    lab::observe(observing, &World::default(), &mut |second| match &live {
        Some(line) => line.show(&of_second(observing, &second)),
        None if second.elapsed >= told + PLAIN_EVERY => {
            told = second.elapsed;
            console.note(&plain(observing, &second));
        }
        None => {}
    })
}

fn rate(second: &ObservedSecond) -> String {
    second.per_s.map_or_else(|| "no answer".to_owned(), |per_s| format!("{per_s:.0} transactions/s"))
}

fn left(observing: &Observing, second: &ObservedSecond) -> String {
    format!("{} left", progress::clock(observing.time.saturating_sub(second.elapsed)))
}

fn of_second(observing: &Observing, second: &ObservedSecond) -> Line {
    Line {
        share: second.elapsed.as_secs_f64() / observing.time.as_secs_f64().max(1e-3),
        what: format!("{} clients at work", second.at_work),
        phase: if observing.interrupt.requested() { "stopping" } else { "observe" }.to_owned(),
        rate: rate(second),
        left: left(observing, second),
        ..Line::default()
    }
}

fn plain(observing: &Observing, second: &ObservedSecond) -> String {
    format!("{}, {} clients at work, {}", rate(second), second.at_work, left(observing, second))
}

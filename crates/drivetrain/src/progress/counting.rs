//! Progress of a computation of many points, which a request to stop ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ground::{Clock, Stopwatch};

use super::line::Line;
use super::live::LiveLine;
use super::{PLAIN_EVERY, clock};
use crate::console::Console;

/// A computation that tells how far it is: on a terminal after each point, elsewhere every ten seconds.
pub(crate) struct Counting<'a> {
    console: &'a Console,
    stop: Arc<AtomicBool>,
    what: &'static str,
    live: Option<LiveLine>,
    started: Stopwatch,
    told: Stopwatch,
}

impl<'a> Counting<'a> {
    /// Begins it; `what` names the computation, and `stop` is set by a request to stop.
    pub(crate) fn begin(console: &'a Console, stop: Arc<AtomicBool>, what: &'static str) -> Self {
        let live = LiveLine::begin(*console);
        let [started, told] = [(); 2].map(|()| Clock::Wall.stopwatch());
        Self { console, stop, what, live, started, told }
    }

    /// Tells that `done` of `all` points are computed; false if the computation has to stop.
    pub(crate) fn goes_on(&mut self, done: usize, all: usize) -> bool {
        let share = done as f64 / all.max(1) as f64;
        let left =
            format!("about {} left", clock(self.started.elapsed().mul_f64(1.0 / share.max(1e-6) - 1.0)));
        let place = format!("point {done} of {all}");
        match &self.live {
            Some(live) => {
                live.show(&Line { share, place, what: self.what.to_owned(), left, ..Line::default() });
            }
            None if self.told.elapsed() >= PLAIN_EVERY => {
                self.told = Clock::Wall.stopwatch();
                self.console.note(&format!("{}: {place}, {left}", self.what));
            }
            None => {}
        }
        !self.stop.load(Ordering::Relaxed)
    }
}

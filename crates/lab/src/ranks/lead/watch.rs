//! Watching a fleet's run: the loads of all ranks as one.

use std::time::Duration;

use fleet::{Live, Watch};
use ground::Stopwatch;
use parking_lot::Mutex;

use crate::event::{Event, Observer};
use crate::interrupt::Interrupt;
use crate::world::CLOCK_OF_OTHERS;

/// A second is told when most of it has passed: the ranks report at moments of their own.
const SECOND: Duration = Duration::from_millis(950);
/// A sum is told without those who are silent for so long.
const PATIENCE: Duration = Duration::from_millis(2_500);

/// Gathers the readings of the ranks for the watcher, and looks for requests to stop.
pub(super) struct Watcher<'a> {
    interrupt: &'a Interrupt,
    observer: &'a dyn Observer,
    state: Mutex<State>,
}

struct State {
    /// The readings since the last one that was told.
    latest: Vec<Option<Live>>,
    /// The ranks that take part in the cell, which are the first ones; 0 before a load.
    taking_part: usize,
    told: Stopwatch,
}

impl<'a> Watcher<'a> {
    pub(super) fn new(ranks: u32, interrupt: &'a Interrupt, observer: &'a dyn Observer) -> Watcher<'a> {
        let latest = vec![None; ranks as usize];
        let state = State { latest, taking_part: 0, told: CLOCK_OF_OTHERS.stopwatch() };
        Watcher { interrupt, observer, state: Mutex::new(state) }
    }

    /// The load of a cell begins on so many ranks.
    pub(super) fn begin(&self, ranks: usize) {
        let mut state = self.state.lock();
        state.latest.fill(None);
        (state.taking_part, state.told) = (ranks, CLOCK_OF_OTHERS.stopwatch());
    }
}

impl Watch for Watcher<'_> {
    fn live(&self, rank: u32, live: Live) {
        let mut state = self.state.lock();
        state.latest[rank as usize] = Some(live);
        let latest = &state.latest[..state.taking_part.min(state.latest.len())];
        let waited = state.told.elapsed();
        if waited < SECOND || (waited < PATIENCE && latest.iter().any(Option::is_none)) {
            return;
        }
        let Some(live) = Live::of_ranks(latest) else { return };
        state.latest.fill(None);
        state.told = CLOCK_OF_OTHERS.stopwatch();
        self.observer.event(Event::Live(live));
    }

    fn loading(&self, what: &str, share: f64) {
        self.observer.event(Event::Loading { what: what.to_owned(), share });
    }

    fn told(&self, host: &str, warns: bool, text: &str) {
        let text = format!("{host}: {text}");
        self.observer.event(if warns { Event::Warning { text } } else { Event::Did { what: text } });
    }

    fn stops(&self) -> Option<bool> {
        self.interrupt.requested().then(|| self.interrupt.at_once())
    }
}

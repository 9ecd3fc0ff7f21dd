//! What the watcher of a fleet's run sees: the loads of all ranks as one.

use std::time::Duration;

use experiment::Workload;
use fleet::{Live, Watch};
use ground::{Clock, Stopwatch};
use parking_lot::Mutex;

use crate::{Event, Interrupt, Observer};

/// A second is told when most of it has passed: the ranks report at moments of their own.
const SECOND: Duration = Duration::from_millis(950);

/// Gathers the readings of the ranks for the watcher, and looks for requests to stop.
pub(super) struct Watcher<'a> {
    interrupt: &'a Interrupt,
    observer: &'a dyn Observer,
    state: Mutex<State>,
}

struct State {
    latest: Vec<Option<Live>>,
    unit: &'static str,
    told: Stopwatch,
}

impl<'a> Watcher<'a> {
    pub(super) fn new(ranks: u32, interrupt: &'a Interrupt, observer: &'a dyn Observer) -> Watcher<'a> {
        let latest = vec![None; ranks as usize];
        let state = State { latest, unit: "", told: Clock::Wall.stopwatch() };
        Watcher { interrupt, observer, state: Mutex::new(state) }
    }

    /// The load of a cell of `workload` begins.
    pub(super) fn begin(&self, workload: &Workload) {
        let mut state = self.state.lock();
        state.latest.fill(None);
        state.unit = match workload {
            Workload::Block(_) => "IOPS",
            Workload::Tpcc(_) => "new orders/s",
            _ => "transactions/s",
        };
    }
}

impl Watch for Watcher<'_> {
    fn live(&self, rank: u32, live: Live) {
        let mut state = self.state.lock();
        state.latest[rank as usize] = Some(live);
        if state.told.elapsed() < SECOND || state.unit.is_empty() {
            return;
        }
        state.told = Clock::Wall.stopwatch();
        let known = || state.latest.iter().flatten();
        // Percentiles of several hosts cannot be merged from figures: the worst host's are told.
        let worst = |of: fn(&Live) -> Option<u64>| known().filter_map(of).max();
        let elapsed_s = known().map(|live| live.elapsed_s).fold(0.0, f64::max);
        self.observer.event(Event::Live {
            rate_per_s: known().map(|live| live.rate_per_s).sum(),
            unit: state.unit,
            p50_ns: worst(|live| live.p50_ns),
            p99_ns: worst(|live| live.p99_ns),
            p999_ns: worst(|live| live.p999_ns),
            elapsed: Duration::try_from_secs_f64(elapsed_s).unwrap_or_default(),
        });
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

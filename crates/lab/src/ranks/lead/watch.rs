//! What the watcher of a fleet's run sees: the loads of all ranks as one.

use std::time::Duration;

use fleet::{Live, Watch};
use ground::{Clock, Stopwatch};
use parking_lot::Mutex;

use crate::event::{Event, Observer};
use crate::interrupt::Interrupt;

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
        let state = State { latest, taking_part: 0, told: Clock::Wall.stopwatch() };
        Watcher { interrupt, observer, state: Mutex::new(state) }
    }

    /// The load of a cell begins on so many ranks.
    pub(super) fn begin(&self, ranks: usize) {
        let mut state = self.state.lock();
        state.latest.fill(None);
        (state.taking_part, state.told) = (ranks, Clock::Wall.stopwatch());
    }
}

/// The sum of the readings with the unit of the first: a rank beside others' databases has work of another
/// kind. Percentiles of several hosts cannot be merged from figures: the worst host's are told.
fn sum(latest: &[Option<Live>]) -> Option<Event> {
    let unit = &latest.iter().flatten().next()?.unit;
    let alike = || latest.iter().flatten().filter(|live| live.unit == *unit);
    let worst = |of: fn(&Live) -> Option<u64>| alike().filter_map(of).max();
    let elapsed_s = alike().map(|live| live.elapsed_s).fold(0.0, f64::max);
    let others = latest.iter().flatten().filter(|live| live.unit != *unit).count();
    Some(Event::Live {
        rate_per_s: alike().map(|live| live.rate_per_s).sum(),
        unit: unit.clone().into(),
        ranks: Some((alike().count() as u32, (latest.len() - others) as u32)),
        p50_ns: worst(|live| live.p50_ns),
        p99_ns: worst(|live| live.p99_ns),
        p999_ns: worst(|live| live.p999_ns),
        elapsed: Duration::try_from_secs_f64(elapsed_s).unwrap_or_default(),
    })
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
        let Some(event) = sum(latest) else { return };
        state.latest.fill(None);
        state.told = Clock::Wall.stopwatch();
        self.observer.event(event);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn live(rate_per_s: f64, unit: &str, p99_ns: u64) -> Option<Live> {
        Some(Live { rate_per_s, unit: unit.to_owned(), p99_ns: Some(p99_ns), ..Live::default() })
    }

    #[test]
    fn the_rate_is_that_of_all_ranks_with_the_same_work() {
        let told = |latest: &[Option<Live>]| match sum(latest) {
            Some(Event::Live { rate_per_s, unit, ranks, p99_ns, .. }) => (rate_per_s, unit, ranks, p99_ns),
            other => panic!("{other:?}"),
        };
        let all = [live(3.0, "IOPS", 5), live(4.0, "IOPS", 9)];
        assert_eq!(told(&all), (7.0, "IOPS".into(), Some((2, 2)), Some(9)));
        let beside = [live(3.0, "new orders/s", 5), None, live(80.0, "MB/s of copy", 70)];
        assert_eq!(told(&beside), (3.0, "new orders/s".into(), Some((1, 2)), Some(5)), "one is silent");
        assert!(sum(&[None, None]).is_none());
    }
}

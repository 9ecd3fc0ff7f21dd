//! Sessions that share users: each takes the next due user. No session polls: of the waiting sessions, one
//! sleeps until the next request is due, and when it leaves it wakes the next to take its place.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use ground::Clock;
use tokio::sync::Notify;

use super::alarm::Alarm;
use super::clock::Schedule;
use super::roster::Roster;

/// One request to be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) user: u32,
    /// When it was to start.
    pub(crate) due_ns: u64,
    /// The delay until a free session noticed it, ns: the driver's own fault.
    pub(crate) late_ns: u64,
    /// The wait for a free session, ns.
    pub(crate) waited_ns: u64,
}

/// The roster of a worker and the sessions that wait for it.
#[derive(Debug)]
pub(crate) struct Pool {
    roster: RefCell<Roster>,
    alarm: Alarm,
    /// Until when the watching session sleeps; `None` when nobody watches.
    watched_ns: Cell<Option<u64>>,
    /// Wakes the watching session: somebody is due earlier than it thinks.
    earlier: Notify,
    /// Wakes one of the others, to watch in its turn.
    watch: Notify,
}

impl Pool {
    pub(crate) fn new(roster: Roster, alarm: Alarm) -> Self {
        let (earlier, watch) = (Notify::new(), Notify::new());
        Self { roster: RefCell::new(roster), alarm, watched_ns: Cell::new(None), earlier, watch }
    }

    /// The next request that is due, or `None` when the run is over: requests due before its end are still
    /// taken up to the drain limit.
    pub(crate) async fn take(&self, schedule: &Schedule) -> Option<Turn> {
        // A session that comes from work was not free before now.
        let free_since_ns = Clock::Wall.now_ns();
        loop {
            let now = Clock::Wall.now_ns();
            if self.is_done(schedule, now) {
                self.watch.notify_one();
                return None;
            }
            let taken = self.roster.borrow_mut().take(now);
            if let Some((due_ns, user)) = taken {
                if self.watched_ns.get().is_none() {
                    self.watch.notify_one();
                }
                let noticed_ns = due_ns.max(free_since_ns);
                let (late_ns, waited_ns) = (now - noticed_ns.min(now), noticed_ns - due_ns);
                return Some(Turn { user, due_ns, late_ns, waited_ns });
            }
            if self.watched_ns.get().is_some() {
                self.watch.notified().await;
            } else {
                self.sleep(schedule, now).await;
            }
        }
    }

    /// True if nothing will begin any more.
    pub(crate) fn is_done(&self, schedule: &Schedule, now_ns: u64) -> bool {
        let next_ns = self.roster.borrow().next_ns().unwrap_or(u64::MAX);
        !schedule.may_begin(next_ns, now_ns)
    }

    /// Takes what was due before `end_ns` and never began, the earliest first; of arrivals at most
    /// `listed_max` one by one, and the others in as many bundles at the mean rate. Gives the user, the
    /// intended start and how many.
    pub(crate) fn leftovers(&self, end_ns: u64, listed_max: u64) -> Vec<(u32, u64, u64)> {
        let mut roster = self.roster.borrow_mut();
        let mut left = Vec::new();
        while let Some((due_ns, user)) = roster.take(end_ns.saturating_sub(1)) {
            left.push((user, due_ns, 1));
            if left.len() as u64 == listed_max && matches!(*roster, Roster::Arrivals { .. }) {
                left.extend(roster.bundles(end_ns, listed_max));
                break;
            }
        }
        left
    }

    /// Watches until somebody is due.
    async fn sleep(&self, schedule: &Schedule, now: u64) {
        let end_ns = schedule.end_ns();
        let until_ns = self.roster.borrow().next_ns().map_or(end_ns, |next_ns| next_ns.min(end_ns));
        // A run that is cut short is noticed within this time.
        let sleep = Duration::from_nanos(until_ns.saturating_sub(now)).min(NOTICE);
        self.watched_ns.set(Some(until_ns));
        tokio::select! {
            () = self.alarm.wait(sleep) => {}
            () = self.earlier.notified() => {}
        }
        self.watched_ns.set(None);
    }

    /// A user is back and due again at `due_ns`.
    pub(crate) fn put(&self, due_ns: u64, user: u32) {
        self.roster.borrow_mut().put(due_ns, user);
        if self.watched_ns.get().is_some_and(|watched_ns| due_ns < watched_ns) {
            self.earlier.notify_one();
        }
    }
}

/// The longest sleep of a session that watches.
const NOTICE: Duration = Duration::from_millis(20);

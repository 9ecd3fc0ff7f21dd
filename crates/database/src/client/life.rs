//! The identity of a server's life. A server that crashes and recovers by itself, or is restarted, answers as
//! before, but it has lost its caches, its statistics and its clients.

use std::collections::BTreeSet;
use std::time::Duration;

use ground::Clock;

use words::Reason;

/// The time limit for a server to identify itself.
pub(crate) const LIFE_LIMIT: Duration = Duration::from_secs(10);
/// Servers tell their age in whole seconds.
const ROUNDING: Duration = Duration::from_secs(2);

/// Marks of a server's present life, as it tells them itself; no privilege is needed for any of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Life {
    /// When its first process was started, in its own words.
    pub(crate) started: Option<String>,
    /// Its processes that serve nobody in particular. All of them are new after a recovery that the first
    /// process saw to.
    pub(crate) processes: BTreeSet<u64>,
    /// For how long it has been up.
    pub(crate) up: Option<Duration>,
    /// When it was asked.
    pub(crate) asked_ns: u64,
}

impl Life {
    /// A life asked for at this moment, of which nothing is known so far.
    #[must_use]
    pub fn now() -> Self {
        Self { started: None, processes: BTreeSet::new(), up: None, asked_ns: Clock::Wall.now_ns() }
    }

    /// The reason why this life ended before `later`, if it did.
    #[must_use]
    pub fn ended_before(&self, later: &Self) -> Option<Reason> {
        let differ =
            |one: &Option<String>, other: &Option<String>| one.is_some() && other.is_some() && one != other;
        if differ(&self.started, &later.started) || self.is_older_than(later) {
            return Some(Reason::StartedAgain);
        }
        let known = !self.processes.is_empty() && !later.processes.is_empty();
        (known && self.processes.is_disjoint(&later.processes)).then_some(Reason::CrashedAndRecovered)
    }

    /// True if `later` has been up for less time than has passed meanwhile.
    fn is_older_than(&self, later: &Self) -> bool {
        let between = Duration::from_nanos(later.asked_ns.saturating_sub(self.asked_ns));
        matches!((self.up, later.up), (Some(before), Some(after)) if after + ROUNDING < before + between)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(started: &str, processes: &[u64]) -> Life {
        Life {
            started: Some(started.to_owned()),
            processes: processes.iter().copied().collect(),
            ..Life::now()
        }
    }

    #[test]
    fn a_recovery_replaces_all_processes_and_a_new_start_the_first_too() {
        let before = life("noon", &[11, 12, 13]);
        assert_eq!(before.ended_before(&before.clone()), None);
        assert_eq!(before.ended_before(&life("noon", &[11, 12, 90])), None, "one of them was replaced");
        assert_eq!(before.ended_before(&life("noon", &[20, 21, 22])), Some(Reason::CrashedAndRecovered));
        assert_eq!(before.ended_before(&life("one", &[20, 21, 22])), Some(Reason::StartedAgain));
        assert_eq!(before.ended_before(&life("noon", &[])), None, "not known");
        assert_eq!(Life::now().ended_before(&before), None);
    }

    #[test]
    fn a_server_that_is_younger_than_it_was_has_been_started_again() {
        let up = |up_s: u64, later_s: u64| Life {
            up: Some(Duration::from_secs(up_s)),
            asked_ns: later_s * 1_000_000_000,
            ..Life::now()
        };
        assert_eq!(up(100, 0).ended_before(&up(119, 20)), None, "whole seconds");
        assert_eq!(up(100, 0).ended_before(&up(15, 20)), Some(Reason::StartedAgain));
        assert_eq!(
            up(0, 0).ended_before(&up(10, 20)),
            Some(Reason::StartedAgain),
            "right after a start, too"
        );
    }
}

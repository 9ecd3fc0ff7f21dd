//! Connections that died: one by one, or all at once because the server did.

use std::collections::HashSet;

/// Clocks are read after answers: an event on the server may be seen a moment later.
const SLACK_NS: u64 = 1_000_000_000;
/// The number of deaths kept for each worker; a server that breaks so many connections is not one that died.
const KEPT_MAX: usize = 100_000;

/// A connection died between the last sign of life and the moment at which that was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Death {
    pub(crate) session: u64,
    pub(crate) alive_ns: u64,
    pub(crate) noticed_ns: u64,
}

/// The connections of one worker, or of all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Losses {
    pub(crate) sessions: u64,
    deaths: Vec<Death>,
}

impl Losses {
    pub(crate) fn add(&mut self, death: Death) {
        if self.deaths.len() < KEPT_MAX {
            self.deaths.push(death);
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.sessions += other.sessions;
        self.deaths.extend(&other.deaths);
    }

    /// The moment at which all sessions may have lost their connections at once, by the facts of each; the
    /// latest sign of life among them, ns.
    pub(crate) fn all_at_once_ns(&self) -> Option<u64> {
        let distinct: HashSet<u64> = self.deaths.iter().map(|death| death.session).collect();
        if self.sessions == 0 || (distinct.len() as u64) < self.sessions {
            return None;
        }
        // Sweeps over the times at which each may have died; a session may have died several times.
        let mut edges: Vec<(u64, bool, u64)> = Vec::with_capacity(2 * self.deaths.len());
        for death in &self.deaths {
            edges.push((death.alive_ns.saturating_sub(SLACK_NS), false, death.session));
            edges.push((death.noticed_ns.saturating_add(SLACK_NS), true, death.session));
        }
        edges.sort_unstable();
        let mut open = std::collections::HashMap::<u64, u32>::new();
        for (at_ns, ends, session) in edges {
            if ends {
                if let Some(count) = open.get_mut(&session) {
                    *count -= 1;
                    if *count == 0 {
                        open.remove(&session);
                    }
                }
            } else {
                *open.entry(session).or_default() += 1;
                if open.len() as u64 == self.sessions {
                    return Some(at_ns.saturating_add(SLACK_NS));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn losses(sessions: u64, deaths: &[(u64, u64, u64)]) -> Losses {
        let deaths = deaths.iter().map(|&(session, alive, noticed)| Death {
            session,
            alive_ns: alive * S,
            noticed_ns: noticed * S,
        });
        Losses { sessions, deaths: deaths.collect() }
    }

    #[test]
    fn a_server_that_dies_takes_all_connections_at_once() {
        // An idle one is noticed late, but nothing was heard of it since before.
        let all = losses(3, &[(0, 10, 11), (1, 10, 10), (2, 3, 40)]);
        assert_eq!(all.all_at_once_ns(), Some(10 * S));
        assert_eq!(losses(1, &[(0, 4, 5)]).all_at_once_ns(), Some(4 * S));
    }

    #[test]
    fn connections_that_are_lost_one_by_one_are_not_a_dead_server() {
        assert_eq!(losses(3, &[(0, 10, 11), (1, 10, 10)]).all_at_once_ns(), None, "one lives");
        assert_eq!(losses(2, &[(0, 10, 11), (1, 20, 21)]).all_at_once_ns(), None, "each at its time");
        assert_eq!(losses(2, &[(0, 10, 11), (0, 20, 21), (0, 30, 31)]).all_at_once_ns(), None);
        let again = losses(2, &[(0, 10, 11), (1, 20, 21), (0, 20, 22)]);
        assert_eq!(again.all_at_once_ns(), Some(20 * S), "the second time it was both");
        assert_eq!(losses(0, &[]).all_at_once_ns(), None);
    }
}

//! Waits for locks of other transactions, on another drive.
//!
//! A transaction meets a lock with a chance that grows with the share of the time for which the others hold
//! theirs, and waits for what is left of that: the wait grows with the square of the holding time, over the
//! time from one transaction to the next. A lock that is taken last is held for the commit, one that is taken
//! first for the whole transaction; which it is no counter says.

use super::network::Tried;

/// Steps to the waits and the throughput that belong together.
const STEPS: u32 = 5;

/// Waits of a transaction for locks, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Locks {
    /// At least.
    pub(super) least_ns: f64,
    /// The best guess.
    pub(super) likely_ns: f64,
    /// At most.
    pub(super) most_ns: f64,
}

impl Locks {
    /// Waits on the drive of `there`, where `wait_ns` were known on that of `here`; both are without waits
    /// for locks. `here_per_s` is the throughput of the model here with that wait, `per_s` the one there with
    /// another: the measured one has waits besides, and would tell other locks on the same drive.
    pub(super) fn on(
        wait_ns: f64,
        (here, there): (&Tried, &Tried),
        here_per_s: f64,
        per_s: impl Fn(f64) -> f64,
    ) -> Locks {
        // Where nothing commits, nothing is known of how long locks are held.
        if wait_ns <= 0.0 || here.commit.is_empty() || there.commit.is_empty() {
            let wait_ns = wait_ns.max(0.0);
            return Locks { least_ns: wait_ns, likely_ns: wait_ns, most_ns: wait_ns };
        }
        let grown = |held: fn(&Tried) -> f64| {
            let by = held(there).powi(2) / held(here).max(1.0).powi(2);
            let mut found_ns = wait_ns;
            for _ in 0..STEPS {
                let next_ns = wait_ns * by * per_s(found_ns) / here_per_s.max(1e-6);
                found_ns = (found_ns + next_ns) / 2.0;
            }
            found_ns
        };
        let late_ns = grown(|tried| tried.commit.mean_ns());
        let early_ns = grown(|tried| tried.latency.mean_ns());
        Locks {
            least_ns: late_ns.min(early_ns),
            likely_ns: (late_ns * early_ns).sqrt(),
            most_ns: late_ns.max(early_ns),
        }
    }
}

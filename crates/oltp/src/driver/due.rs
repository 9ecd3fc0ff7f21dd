//! The rule by which requests count. It is one for all loads on databases: order entry and sysbench, embedded
//! engine and servers, with and without a pace.
//!
//! A request is *due* at its intended start: an arrival when it arrives, a paced user's request when the user
//! has thought, that of a user without a pace when the answer before it is there, or when its connection was
//! lost.
//!
//! - **Latency** counts every request that was due inside the measure phase, whenever its answer comes: from
//!   the intended start to the answer. After the end of the phase the driver waits for answers, and begins
//!   what still waits in a queue, up to the drain limit ([`DRAIN_MAX`]). What is not answered then, begun or
//!   not, counts with its age, which is a lower bound, and is [`unfinished`](Requests::unfinished). One whose
//!   connection died under way counts with its age too, and is [`unknown`](Requests::unknown): it may have
//!   been committed. One that the database refused is a [`failed`](Requests::failed) one.
//! - **Throughput** counts answers inside the measure phase, whenever they were due: the phase begins and
//!   ends in full swing, so that as many answers of requests from before come in as go out behind it. What is
//!   answered after the end is no throughput.
//! - **Time lines** hold what was answered until the end of the phase, ramp-up included.
//!
//! A load that stands still is therefore visible in the number of latencies, in their percentiles and in the
//! longest time without an answer (`silence`), at any time in the phase. The rule of block loads
//! (`block::Outcome`) is the same except for throughput.

use std::sync::atomic::Ordering;
use std::time::Duration;

use words::{Happening, Reason};

use super::clock::Schedule;
use super::silence::Standstill;

/// So long after the end of the measure phase answers are waited for.
pub(crate) const DRAIN_MAX: Duration = Duration::from_secs(10);

/// The counts to which a request belongs, by its due time and its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Answered before the end of the run.
    pub(crate) before_end: bool,
    /// Answered inside the measure phase: throughput.
    pub(crate) throughput: bool,
    /// Due inside the measure phase: latency.
    pub(crate) latency: bool,
}

impl Schedule {
    pub(crate) fn counts(&self, due_ns: u64, at_ns: u64) -> Counts {
        let end_ns = self.end_ns();
        Counts {
            before_end: at_ns < end_ns,
            throughput: (self.measure_ns..end_ns).contains(&at_ns),
            latency: (self.measure_ns..end_ns).contains(&due_ns),
        }
    }

    /// When the last answer is waited for.
    pub(crate) fn drained_ns(&self) -> u64 {
        self.end_ns().saturating_add(self.drain_ns)
    }

    /// True once nobody waits any more: a later answer counts as unfinished.
    pub(crate) fn is_drained(&self, now_ns: u64) -> bool {
        self.is_given_up.load(Ordering::Acquire) || now_ns >= self.drained_ns()
    }

    /// True if a request that was due at `due_ns` may begin now: always before the end; afterwards only if it
    /// was due before the end, up to the drain limit and unless the run was cut short.
    pub(crate) fn may_begin(&self, due_ns: u64, now_ns: u64) -> bool {
        !self.is_over(now_ns) || (due_ns < self.end_ns() && !self.is_drained(now_ns) && !self.is_cut())
    }
}

/// The fates of the requests that were due in the measure phase: answered in it, or one of these.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Requests {
    /// All that were due. All but the failed ones are in the histogram of latencies.
    pub due: u64,
    /// Answered after the end of the measure phase, within the drain limit.
    pub answered_late: u64,
    /// Refused by the database, or given up after too many attempts.
    pub failed: u64,
    /// Not answered, or not even begun, at the drain limit; their latency is a lower bound.
    pub unfinished: u64,
    /// The connection died while they were under way: nobody knows whether they were committed; their latency
    /// is a lower bound.
    pub unknown: u64,
    /// The longest time without any answer in the measure phase, its beginning and its end included.
    pub longest_gap: Duration,
    /// Times in which requests waited and none was answered, for much longer than one takes; in order.
    pub standstills: Vec<Standstill>,
    /// When, since the start of the load, every session lost its connection at once: the server stopped,
    /// crashed, or was cut off.
    pub all_sessions_lost: Option<Duration>,
    /// Sessions that there were.
    pub sessions: u64,
}

impl Requests {
    /// Time in which requests waited and none was answered, all standstills together.
    #[must_use]
    pub fn stood_still(&self) -> Duration {
        self.standstills.iter().map(|standstill| standstill.length).sum()
    }

    /// The caveats about the figures; empty for a clean run.
    #[must_use]
    pub fn warnings(&self) -> Vec<Happening> {
        let mut warnings = Vec::new();
        if let Some(longest) = self.standstills.iter().max_by_key(|standstill| standstill.length) {
            let (length_s, from_s) = (longest.length.as_secs_f64(), longest.from.as_secs_f64());
            let together_s = self.stood_still().as_secs_f64();
            warnings.push(match self.standstills.len() as u64 {
                1 => Happening::Standstill { length_s, from_s },
                times => Happening::Standstills { length_s, from_s, times, together_s },
            });
        }
        if self.unfinished > 0 {
            let (requests, drain_s) = (self.unfinished, DRAIN_MAX.as_secs());
            warnings.push(Happening::RequestsUnfinished { requests, drain_s });
        }
        if self.unknown > 0 {
            warnings.push(Happening::ConnectionsLost { requests: self.unknown });
        }
        warnings
    }

    /// The reason why the load says nothing about the database, if it lost all its sessions.
    #[must_use]
    pub fn fault(&self) -> Option<Reason> {
        let at_s = self.all_sessions_lost?.as_secs_f64();
        Some(match self.sessions {
            1 => Reason::OnlySessionLost { at_s },
            sessions => Reason::AllSessionsLost { sessions, at_s },
        })
    }

    /// Adds the fates of the requests to another instance at the same time.
    pub fn add(&mut self, other: Self) {
        self.merge_counts(&other);
        self.longest_gap = self.longest_gap.max(other.longest_gap);
        // Of several instances the one that stood still longest speaks for the bed: those of all are not one
        // after the other.
        if other.stood_still() > self.stood_still() {
            self.standstills = other.standstills;
        }
        self.all_sessions_lost = match (self.all_sessions_lost, other.all_sessions_lost) {
            (Some(one), Some(another)) => Some(one.min(another)),
            (one, another) => one.or(another),
        };
        self.sessions += other.sessions;
    }

    /// Adds another worker's counts.
    pub(crate) fn merge_counts(&mut self, other: &Self) {
        self.due += other.due;
        self.answered_late += other.answered_late;
        self.failed += other.failed;
        self.unfinished += other.unfinished;
        self.unknown += other.unknown;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64};

    use super::*;

    fn schedule() -> Schedule {
        let (end_ns, is_cut, is_given_up) =
            (AtomicU64::new(300), AtomicBool::new(false), AtomicBool::new(false));
        Schedule { start_ns: 100, measure_ns: 200, end_ns, is_cut, is_given_up, drain_ns: 1_000 }
    }

    #[test]
    fn latency_counts_by_the_intended_start_and_throughput_by_the_answer() {
        let schedule = schedule();
        let of = |due_ns, at_ns| {
            let Counts { before_end, throughput, latency } = schedule.counts(due_ns, at_ns);
            (before_end, throughput, latency)
        };
        assert_eq!(of(150, 199), (true, false, false), "ramp-up");
        assert_eq!(of(150, 200), (true, true, false), "due before, answered inside");
        assert_eq!(of(200, 299), (true, true, true));
        assert_eq!(of(299, 300), (false, false, true), "due inside, answered after the end");
        assert_eq!(of(300, 400), (false, false, false));
    }

    #[test]
    fn what_waits_at_the_end_may_begin_up_to_the_drain_limit() {
        let schedule = schedule();
        let drained_ns = 1_300;
        assert!(schedule.may_begin(299, 299) && schedule.may_begin(299, drained_ns - 1));
        assert!(!schedule.may_begin(300, 300) && !schedule.may_begin(299, drained_ns));
        schedule.cut(290);
        assert!(!schedule.may_begin(280, 300), "not where the run was cut short");
        assert_eq!(schedule.end_ns(), 290);
    }

    #[test]
    fn warnings_say_what_is_known() {
        let second = Duration::from_secs(1);
        let standstill = |from: u32, length: u32| Standstill { from: from * second, length: length * second };
        let one = Requests {
            unfinished: 3,
            unknown: 2,
            standstills: vec![standstill(4, 8)],
            ..Requests::default()
        };
        let told = |all: &Requests| all.warnings().iter().map(Happening::to_string).collect::<Vec<_>>();
        let words = told(&one).join("; ");
        for part in
            ["for 8.0 s, from 4.0 s", "3 requests were not finished at the drain limit", "of 2 requests"]
        {
            assert!(words.contains(part), "{words}");
        }
        assert_eq!(Requests::default().warnings(), []);
        let mut both = one.clone();
        both.add(Requests { standstills: vec![standstill(1, 2), standstill(5, 9)], ..one.clone() });
        assert_eq!((both.unfinished, both.stood_still()), (6, 11 * second));
        assert!(told(&both)[0].contains("(2 times, 11.0 s together)"));
    }

    #[test]
    fn a_load_that_lost_all_its_sessions_says_when() {
        let lost = |sessions| {
            let at = Some(Duration::from_millis(2_500));
            Requests { all_sessions_lost: at, sessions, ..Requests::default() }.fault()
        };
        assert_eq!(lost(8), Some(Reason::AllSessionsLost { sessions: 8, at_s: 2.5 }));
        assert_eq!(lost(1), Some(Reason::OnlySessionLost { at_s: 2.5 }));
        assert_eq!(Requests { sessions: 3, ..Requests::default() }.fault(), None);
    }
}

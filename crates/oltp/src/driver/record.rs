//! The counts of one worker, by the rule of `due`; merged over workers at the end.

use std::collections::BTreeMap;
use std::time::Duration;

use measure::{Histogram, Timeline};

use super::clock::Schedule;
use super::due::{Counts, Requests};
use super::losses::Losses;
use super::pool::Turn;
use super::silence::Silence;
use super::work::Ending;

/// One class of requests in the measure phase.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassRecord {
    /// Answered inside the phase.
    pub(crate) committed: u64,
    /// Likewise.
    pub(crate) rolled_back: u64,
    /// Likewise.
    pub(crate) errors: u64,
    /// From the intended start to the answer, of those that were due inside the phase; a lower bound where
    /// there was none.
    pub(crate) latency: Histogram,
}

/// All counts of a worker. Histograms and counts by class hold the measure phase; timelines, errors and
/// retries begin with the ramp-up. Histograms are of requests that were due in the phase.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) classes: Vec<ClassRecord>,
    pub(crate) timeline_all: Timeline,
    /// Committed ones of the first class.
    pub(crate) timeline_first: Timeline,
    /// The fates of the requests that were due; times without an answer are found by all workers together.
    pub(crate) requests: Requests,
    /// From the moment a session took the request to the answer.
    pub(crate) service: Histogram,
    /// Wait for a free session.
    pub(crate) pool_wait: Histogram,
    /// The driver's own lateness.
    pub(crate) lateness: Histogram,
    /// Commits that were messages of their own.
    pub(crate) commit: Histogram,
    pub(crate) errors: BTreeMap<String, u64>,
    pub(crate) retries: u64,
    pub(crate) connections_lost: u64,
    pub(crate) losses: Losses,
    /// Processor time of the worker's thread in the measure phase, ns, without the engine's.
    pub(crate) client_cpu_ns: u64,
    /// Processor time of an engine that ran on the worker's thread, ns.
    pub(crate) engine_cpu_ns: u64,
    names: &'static [&'static str],
}

/// When one transaction happened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) turn: Turn,
    pub(crate) start_ns: u64,
    pub(crate) at_ns: u64,
    /// Time of its commit, where that was a message of its own.
    pub(crate) commit_ns: Option<u64>,
    pub(crate) counts: Counts,
}

/// A request that is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    pub(crate) class: usize,
    pub(crate) turn: Turn,
    pub(crate) start_ns: u64,
}

/// The kind of a request's failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault<'a> {
    /// The database refused it, under this class of errors.
    Refused(&'a str),
    /// The connection died under it.
    Lost,
}

impl Fault<'_> {
    fn kind(&self) -> &str {
        match self {
            Self::Refused(kind) => kind,
            Self::Lost => "connection lost",
        }
    }
}

impl Record {
    pub(crate) fn new(names: &'static [&'static str], start_ns: u64) -> Self {
        Self {
            classes: vec![ClassRecord::default(); names.len()],
            timeline_all: Timeline::new(start_ns),
            timeline_first: Timeline::new(start_ns),
            requests: Requests::default(),
            service: Histogram::new(),
            pool_wait: Histogram::new(),
            lateness: Histogram::new(),
            commit: Histogram::new(),
            errors: BTreeMap::new(),
            retries: 0,
            connections_lost: 0,
            losses: Losses::default(),
            client_cpu_ns: 0,
            engine_cpu_ns: 0,
            names,
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (ours, theirs) in self.classes.iter_mut().zip(&other.classes) {
            ours.committed += theirs.committed;
            ours.rolled_back += theirs.rolled_back;
            ours.errors += theirs.errors;
            ours.latency.merge(&theirs.latency);
        }
        self.timeline_all.merge(&other.timeline_all);
        self.timeline_first.merge(&other.timeline_first);
        self.requests.merge_counts(&other.requests);
        self.service.merge(&other.service);
        self.pool_wait.merge(&other.pool_wait);
        self.lateness.merge(&other.lateness);
        self.commit.merge(&other.commit);
        for (kind, count) in &other.errors {
            *self.errors.entry(kind.clone()).or_default() += count;
        }
        self.retries += other.retries;
        self.connections_lost += other.connections_lost;
        self.losses.merge(&other.losses);
        self.client_cpu_ns += other.client_cpu_ns;
        self.engine_cpu_ns += other.engine_cpu_ns;
    }

    pub(crate) fn completed(&mut self, class: usize, ending: Ending, times: Times) {
        let Times { turn, start_ns, at_ns, commit_ns, counts } = times;
        let latency_ns = at_ns - turn.due_ns;
        if counts.before_end {
            self.timeline_all.record(at_ns, latency_ns, 0);
            if class == 0 && ending == Ending::Committed {
                self.timeline_first.record(at_ns, latency_ns, 0);
            }
        }
        let record = &mut self.classes[class];
        if counts.throughput {
            match ending {
                Ending::Committed => record.committed += 1,
                Ending::RolledBack => record.rolled_back += 1,
            }
        }
        if !counts.latency {
            return;
        }
        record.latency.record(latency_ns);
        self.requests.due += 1;
        self.requests.answered_late += u64::from(!counts.before_end);
        self.begun(turn, at_ns - start_ns);
        if let Some(commit_ns) = commit_ns {
            self.commit.record(commit_ns);
        }
    }

    /// A request failed for good.
    pub(crate) fn failed(&mut self, flight: Flight, fault: Fault<'_>, at_ns: u64, counts: Counts) {
        let Flight { class, turn, start_ns } = flight;
        *self.errors.entry(format!("{}: {}", self.names[class], fault.kind())).or_default() += 1;
        if counts.before_end {
            self.timeline_all.record_error(at_ns);
        }
        if counts.throughput {
            self.classes[class].errors += 1;
        }
        if !counts.latency {
            return;
        }
        self.requests.due += 1;
        if fault == Fault::Lost {
            self.requests.unknown += 1;
            self.classes[class].latency.record(at_ns - turn.due_ns);
            self.begun(turn, at_ns - start_ns);
        } else {
            self.requests.failed += 1;
        }
    }

    /// A request that was due in the measure phase is given up at `now_ns`: its age is a lower bound of its
    /// latency.
    pub(crate) fn given_up(&mut self, flight: Flight, now_ns: u64) {
        self.requests.due += 1;
        self.requests.unfinished += 1;
        self.classes[flight.class].latency.record(now_ns.saturating_sub(flight.turn.due_ns));
        self.begun(flight.turn, now_ns.saturating_sub(flight.start_ns));
    }

    /// `count` requests that were due in the measure phase, at about `due_ns`, have not even begun at
    /// `now_ns`.
    pub(crate) fn never_begun(&mut self, class: usize, due_ns: u64, now_ns: u64, count: u64) {
        let age_ns = now_ns.saturating_sub(due_ns);
        self.requests.due += count;
        self.requests.unfinished += count;
        self.classes[class].latency.record_n(age_ns, count);
        self.pool_wait.record_n(age_ns, count);
    }

    /// Closes the books of all workers together: time lines reach to the end of the run, whenever the last
    /// answer came, and the times without one are known.
    pub(crate) fn close(&mut self, schedule: &Schedule, silence: &Silence) {
        let end_ns = schedule.end_ns();
        self.timeline_all.cover(end_ns.saturating_sub(1));
        self.timeline_first.cover(end_ns.saturating_sub(1));
        let requests = &mut self.requests;
        (requests.longest_gap, requests.standstills) = silence.found(end_ns, self.service.quantile_ns(0.5));
        requests.sessions = self.losses.sessions;
        let since_start = |at_ns: u64| Duration::from_nanos(at_ns.saturating_sub(schedule.start_ns));
        requests.all_sessions_lost = self.losses.all_at_once_ns().map(since_start);
    }

    /// Records how a request got to its session, and the time that took.
    fn begun(&mut self, turn: Turn, service_ns: u64) {
        self.service.record(service_ns);
        self.pool_wait.record(turn.waited_ns);
        self.lateness.record(turn.late_ns);
    }
}

//! What one worker counted; merged over workers at the end.

use std::collections::BTreeMap;

use measure::{Histogram, Timeline};

use super::pool::Turn;
use super::work::Ending;

/// One class of requests in the measure phase.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClassRecord {
    pub(crate) committed: u64,
    pub(crate) rolled_back: u64,
    pub(crate) errors: u64,
    /// From the intended start to the answer, of the completed ones.
    pub(crate) latency: Histogram,
}

/// All counts of a worker. Histograms and counts by class hold the measure phase; timelines, errors and retries begin with the ramp-up.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) classes: Vec<ClassRecord>,
    pub(crate) timeline_all: Timeline,
    /// Committed ones of the first class.
    pub(crate) timeline_first: Timeline,
    /// From the moment a session took the request to the answer.
    pub(crate) service: Histogram,
    /// Wait for a free session.
    pub(crate) pool_wait: Histogram,
    /// How late the driver itself was.
    pub(crate) lateness: Histogram,
    /// Commits that were messages of their own.
    pub(crate) commit: Histogram,
    pub(crate) errors: BTreeMap<String, u64>,
    pub(crate) retries: u64,
    pub(crate) connections_lost: u64,
    /// Processor time of the worker's thread in the measure phase, ns.
    pub(crate) client_cpu_ns: u64,
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
    pub(crate) measured: bool,
}

impl Record {
    pub(crate) fn new(names: &'static [&'static str], start_ns: u64) -> Self {
        Self {
            classes: vec![ClassRecord::default(); names.len()],
            timeline_all: Timeline::new(start_ns),
            timeline_first: Timeline::new(start_ns),
            service: Histogram::new(),
            pool_wait: Histogram::new(),
            lateness: Histogram::new(),
            commit: Histogram::new(),
            errors: BTreeMap::new(),
            retries: 0,
            connections_lost: 0,
            client_cpu_ns: 0,
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
        self.service.merge(&other.service);
        self.pool_wait.merge(&other.pool_wait);
        self.lateness.merge(&other.lateness);
        self.commit.merge(&other.commit);
        for (kind, count) in &other.errors {
            *self.errors.entry(kind.clone()).or_default() += count;
        }
        self.retries += other.retries;
        self.connections_lost += other.connections_lost;
        self.client_cpu_ns += other.client_cpu_ns;
    }

    pub(crate) fn completed(&mut self, class: usize, ending: Ending, times: Times) {
        let Times { turn, start_ns, at_ns, commit_ns, measured } = times;
        let latency_ns = at_ns - turn.due_ns;
        self.timeline_all.record(at_ns, latency_ns, 0);
        if class == 0 && ending == Ending::Committed {
            self.timeline_first.record(at_ns, latency_ns, 0);
        }
        if !measured {
            return;
        }
        let record = &mut self.classes[class];
        record.latency.record(latency_ns);
        match ending {
            Ending::Committed => record.committed += 1,
            Ending::RolledBack => record.rolled_back += 1,
        }
        self.service.record(at_ns - start_ns);
        self.pool_wait.record(turn.waited_ns);
        self.lateness.record(turn.late_ns);
        if let Some(commit_ns) = commit_ns {
            self.commit.record(commit_ns);
        }
    }

    pub(crate) fn failed(&mut self, class: usize, kind: &str, at_ns: u64, measured: bool) {
        *self.errors.entry(format!("{}: {kind}", self.names[class])).or_default() += 1;
        self.timeline_all.record_error(at_ns);
        if measured {
            self.classes[class].errors += 1;
        }
    }
}

//! Runs of order entry on several instances of one bed, taken as one.

use std::collections::BTreeMap;

use super::outcome::{PerTransaction, RunOutcome, ServerFigures};
use crate::together::Together;

impl Together for RunOutcome {
    fn fatal(&mut self) -> &mut Option<String> {
        &mut self.fatal
    }

    fn add(&mut self, run: Self) {
        self.interrupted |= run.interrupted;
        self.ramp_up = self.ramp_up.max(run.ramp_up);
        self.measured = self.measured.max(run.measured);
        for (kind, theirs) in run.per {
            self.per.entry(kind).or_default().add(&theirs);
        }
        self.requests.add(run.requests);
        self.timeline_all.merge(&run.timeline_all);
        self.timeline_new_order.merge(&run.timeline_new_order);
        self.nopm += run.nopm;
        self.nopm_with_rollbacks += run.nopm_with_rollbacks;
        self.tpm += run.tpm;
        self.tpm_with_rollbacks += run.tpm_with_rollbacks;
        for (class, count) in run.errors {
            *self.errors.entry(class).or_default() += count;
        }
        self.retries += run.retries;
        self.lock_wait.merge(&run.lock_wait);
        self.skipped_deliveries += run.skipped_deliveries;
        self.inputs = self.inputs.together(&run.inputs);
        self.client_cpu_ns += run.client_cpu_ns;
        self.engine_cpu_ns += run.engine_cpu_ns;
        self.storage.merge(&run.storage);
        self.service.merge(&run.service);
        self.pool_wait.merge(&run.pool_wait);
        self.lateness.merge(&run.lateness);
        self.commit.merge(&run.commit);
        self.connections_lost += run.connections_lost;
        self.server = match (self.server.take(), run.server) {
            (Some(ours), Some(theirs)) => Some(ours.together(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
    }
}

impl PerTransaction {
    fn add(&mut self, other: &Self) {
        self.committed += other.committed;
        self.rolled_back += other.rolled_back;
        self.errors += other.errors;
        self.latency.merge(&other.latency);
    }
}

impl ServerFigures {
    fn together(self, other: Self) -> Self {
        Self {
            before: sums(&self.before, &other.before),
            after: sums(&self.after, &other.after),
            elapsed: self.elapsed.max(other.elapsed),
            tpm: self.tpm + other.tpm,
            nopm: self.nopm + other.nopm,
            differences: [self.differences, other.differences].concat(),
        }
    }
}

/// Counters that both servers have, summed.
fn sums(ours: &BTreeMap<String, f64>, theirs: &BTreeMap<String, f64>) -> BTreeMap<String, f64> {
    ours.iter().filter_map(|(name, value)| Some((name.clone(), value + theirs.get(name)?))).collect()
}

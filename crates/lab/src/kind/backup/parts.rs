//! The parts of the time of backups and restores as metrics.

use std::time::Duration;

use database::backup::{CopyParts, RestoreReport};
use words::Metric;

use crate::metrics::Metrics;

/// A part, and the metric of its time in seconds.
type Told<P> = (Metric, fn(&P) -> Option<Duration>);

const BACKUP: [Told<CopyParts>; 4] = [
    (Metric::BackupReadTime, |parts| parts.read),
    (Metric::BackupWriteTime, |parts| parts.write),
    (Metric::BackupFlushTime, |parts| parts.flush),
    (Metric::BackupCopyTime, |parts| parts.copy),
];
const RESTORE: [Told<RestoreReport>; 6] = [
    (Metric::RestoreReadTime, |restored| restored.parts.read),
    (Metric::RestoreWriteTime, |restored| restored.parts.write),
    (Metric::RestoreFlushTime, |restored| restored.parts.flush),
    (Metric::RestoreCopyTime, |restored| restored.parts.copy),
    (Metric::RestoreRecoverTime, |restored| restored.parts.recover),
    (Metric::RestoreStartTime, |restored| Some(restored.start)),
];

/// Adds the mean time of each part of the backups of a cell that all of them tell.
pub(super) fn add_backups(metrics: &mut Metrics, made: &[CopyParts]) {
    add(metrics, &BACKUP, made);
}

/// The same for its restores.
pub(super) fn add_restores(metrics: &mut Metrics, restored: &[RestoreReport]) {
    add(metrics, &RESTORE, restored);
}

fn add<P>(metrics: &mut Metrics, told: &[Told<P>], all: &[P]) {
    for (metric, of) in told {
        let times: Option<Duration> = all.iter().map(of).sum();
        if let Some(sum) = times.filter(|_| !all.is_empty()) {
            metrics.add(*metric, sum.as_secs_f64() / all.len() as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parts_that_every_cycle_tells_are_kept() {
        let second = |count| Some(Duration::from_secs(count));
        let parts = |read, copy| CopyParts { read, copy, ..CopyParts::default() };
        let mut metrics = Metrics::default();
        add_backups(&mut metrics, &[parts(second(1), second(5)), parts(second(3), None)]);
        assert_eq!(metrics.value(Metric::BackupReadTime), Some(2.0));
        assert_eq!(metrics.value(Metric::BackupCopyTime), None);
        add_restores(&mut metrics, &[]);
        assert_eq!(metrics.0.len(), 1);
    }
}

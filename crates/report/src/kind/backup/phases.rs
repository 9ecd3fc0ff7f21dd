//! The phases that the times of backups and restores are made of, as far as an engine tells them.

use crate::figure::parts::Part;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::sentences::Text;
use words::{Metric, say};

/// A piece of work, its time, and the parts of it.
pub(super) struct Work {
    /// True: of a model, whose restore ends elsewhere.
    pub(super) name: fn(bool) -> &'static str,
    pub(super) short: Text,
    pub(super) whole: Metric,
    /// One for each place of [`PARTS`] up to the rest; `None` for a part that it never has.
    parts: [Option<Metric>; PARTS.len()],
    /// The check that follows it and is no part of its time.
    pub(super) check: Option<Metric>,
}

/// Name and class of each part in the order of a bar: the colours are those of parts of a time.
const PARTS: [(Text, &str); 7] = [
    (|| say!("backup-part-read"), "g1"),
    (|| say!("backup-part-write"), "g2"),
    (|| say!("backup-bars-copy"), "g2"),
    (|| say!("backup-part-flush"), "g5"),
    (|| say!("backup-part-recover"), "g7"),
    (|| say!("backup-part-start"), "g8"),
    (|| say!("backup-part-processor"), "g3"),
];

pub(super) const WORKS: [Work; 2] = [
    Work {
        name: |_| say!("backup-bars-backup"),
        short: || say!("backup-bars-backup"),
        whole: Metric::BackupTime,
        parts: [
            Some(Metric::BackupReadTime),
            Some(Metric::BackupWriteTime),
            Some(Metric::BackupCopyTime),
            Some(Metric::BackupFlushTime),
            None,
            None,
            Some(Metric::BackupProcessorTime),
        ],
        check: Some(Metric::VerifyTime),
    },
    Work {
        name: |is_simulated| match is_simulated {
            true => say!("backup-bars-restore-simulated"),
            false => say!("backup-bars-restore"),
        },
        short: || say!("backup-bars-restore-short"),
        whole: Metric::RestoreTime,
        parts: [
            Some(Metric::RestoreReadTime),
            Some(Metric::RestoreWriteTime),
            Some(Metric::RestoreCopyTime),
            Some(Metric::RestoreFlushTime),
            Some(Metric::RestoreRecoverTime),
            Some(Metric::RestoreStartTime),
            Some(Metric::RestoreProcessorTime),
        ],
        check: None,
    },
];

/// The parts of a bar in their order: those of the work, the rest of its time, and the check that follows.
pub(super) fn parts() -> Vec<Part> {
    let last: [(Text, &str); 2] =
        [(|| say!("backup-part-other"), "g6"), (|| say!("backup-bars-check"), "g4")];
    PARTS.iter().chain(&last).map(|(name, class)| Part { name: name(), class }).collect()
}

/// The parts where none of the work is told: the copy and the check, in the colour of the bed.
pub(super) fn of_bed() -> Vec<Part> {
    let names: [&'static str; 2] = [say!("backup-bars-copy"), say!("backup-bars-check")];
    names.map(|name| Part { name, class: "" }).to_vec()
}

/// True if some cell of the workload tells a part; those of older notebooks tell none.
pub(super) fn are_told(loaded: &LoadedRun, workload: &str) -> bool {
    let metrics = || WORKS[0].parts.iter().flatten();
    loaded.of(workload).any(|cell| metrics().any(|metric| cell.values.get(*metric).is_some()))
}

/// Seconds of each part and of the rest, which add up to `whole`: the mean share of each over the valid
/// cells. Means of several kinds would not add up.
pub(super) fn lengths(loaded: &LoadedRun, key: &GroupKey<'_>, work: &Work, whole: f64) -> Vec<f64> {
    let (mut shares, mut cells) = (vec![0.0; PARTS.len()], 0.0);
    for cell in loaded.valid(key) {
        let Some(time) = cell.values.get(work.whole).filter(|time| *time > 0.0) else { continue };
        cells += 1.0;
        for (share, metric) in shares.iter_mut().zip(&work.parts) {
            *share += metric.and_then(|metric| cell.values.get(metric)).unwrap_or(0.0) / time;
        }
    }
    let mut lengths: Vec<f64> = shares.iter().map(|share| share / f64::max(cells, 1.0) * whole).collect();
    let rest = whole - lengths.iter().sum::<f64>();
    // Nothing is left where the rest is the rounding of the sum.
    lengths.push(if rest > whole * 1e-9 { rest } else { 0.0 });
    lengths
}

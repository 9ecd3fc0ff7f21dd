//! Backups and restores: how long, how fast, and how many restores were proven.

use super::{NOTHING, ReportKind};
use crate::finding::Found;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::naming::BedName;
use crate::second;
use crate::sentences;
use words::{Metric, WorkloadKind};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Backup,
    throughput: Metric::BackupBandwidth,
    primary: &[Metric::BackupBandwidth, Metric::RestoreBandwidth],
    effect: "time",
    summary: &[
        Metric::BackupTime,
        Metric::RestoreTime,
        Metric::BackupBandwidth,
        Metric::RestoreBandwidth,
        Metric::ProvenRestores,
    ],
    columns: &[
        Metric::BackupTime,
        Metric::RestoreTime,
        Metric::ProvenRestores,
        Metric::Cycles,
        Metric::NopmUnderBackup,
        Metric::WrittenBytes,
    ],
    drawn: &[
        (Metric::BackupTime, "{marks} Lower is better."),
        (
            Metric::RestoreTime,
            "From the first byte until the restored instance answers; its proof is not in it.",
        ),
        (
            Metric::BackupBandwidth,
            "The database's size over the time of the backup, whatever the backup itself weighs.",
        ),
        (Metric::RestoreBandwidth, "The database's size over the time of the restore."),
    ],
    series: &second::OF_OPERATIONS,
    shaded: "Shaded: what the first bed's cell did.",
    find: Some(find),
    ..NOTHING
};

/// Metric, name in the table, unit.
const FIGURES: [(Metric, &str, &str); 9] = [
    (Metric::BackupTime, "backup", "s"),
    (Metric::RestoreTime, "restore until it answers", "s"),
    (Metric::BackupBandwidth, "backup, of the database", "MB/s"),
    (Metric::RestoreBandwidth, "restore, of the database", "MB/s"),
    (Metric::DatabaseSize, "database", "MB"),
    (Metric::BackupSize, "backup's files", "MB"),
    (Metric::WrittenBytes, "written to the drive in the whole cell", "B"),
    (Metric::NopmUnderBackup, "new orders meanwhile", "1/min"),
    (Metric::OwnCpu, "this program's own share of the processors", "%"),
];

fn find(loaded: &LoadedRun, workload: &str, beds: &[BedName]) -> Found {
    let mut found = Found::new(beds);
    for level in loaded.levels(workload) {
        for bed in &loaded.beds {
            let place = GroupKey { workload, level, bed: &bed.name };
            let at = match level {
                0.0 => "alone".to_owned(),
                _ => format!("under {}", sentences::level(level, loaded.level_name(workload))),
            };
            for (metric, what, unit) in FIGURES {
                found.mean(loaded, &place, metric, &at, what, unit);
            }
            let sum = |metric: Metric| loaded.values(&place, metric).iter().map(|pair| pair.1).sum::<f64>();
            let cycles = sum(Metric::Cycles);
            if cycles > 0.0 {
                let proven = match loaded.is_simulated() {
                    true => "nothing was written, so nothing could be proven".to_owned(),
                    false => format!(
                        "{:.0} of {cycles:.0} restored instances were proven to hold what was backed up",
                        sum(Metric::ProvenRestores)
                    ),
                };
                let sentence = sentence(&found, &bed.name, &at, &proven);
                found.sentences.push(sentence);
            }
        }
    }
    found.limits.push(match loaded.is_simulated() {
        true => "A simulated restore ends with its last byte: starting the instance and proving what it holds are not modelled.".to_owned(),
        false => "A restore is timed from its first byte until the instance answers; the proof (consistency conditions, every table's \
                  rows and checksum) comes after it and is not in the time."
            .to_owned(),
    });
    found
}

fn sentence(found: &Found, bed: &str, at: &str, proven: &str) -> String {
    let of = |what: &str| found.findings.iter().find(|f| f.bed == bed && f.at == at && f.what == what);
    let shown = |what: &str| of(what).map_or("-".to_owned(), |finding| finding.shown());
    format!(
        "{}, {at}: a backup took {} and a restore {}; {proven}.",
        found.name(bed),
        shown("backup"),
        shown("restore until it answers"),
    )
}

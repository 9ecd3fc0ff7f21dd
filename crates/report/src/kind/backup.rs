//! Backups and restores: how long, how fast, and how many restores were proven.

mod answer;
mod facts;
mod hero;
mod numbers;
mod phases;
mod users;

use super::{NOTHING, ReportKind};
use crate::finding::Found;
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::naming::BedName;
use crate::second;
use crate::sentences::Text;
use crate::source::Source;
use words::{Metric, WorkloadKind, say};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Backup,
    throughput: Metric::BackupBandwidth,
    primary: &[Metric::BackupBandwidth, Metric::RestoreBandwidth],
    brief: &[
        Metric::BackupTime,
        Metric::RestoreTime,
        Metric::BackupBandwidth,
        Metric::RestoreBandwidth,
        Metric::ProvenRestores,
    ],
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
    series: &second::OF_OPERATIONS,
    shaded: || say!("backup-shaded"),
    find: Some(find),
    answer: answer::of,
    facts: facts::of,
    beside: users::beside,
    finding,
    hero: hero::of,
    numbers: numbers::table,
    ..NOTHING
};

/// Metric and name in the table.
const FIGURES: [(Metric, Text); 9] = [
    (Metric::BackupTime, || say!("backup-backup")),
    (Metric::RestoreTime, || say!("backup-restore")),
    (Metric::BackupBandwidth, || say!("backup-rate")),
    (Metric::RestoreBandwidth, || say!("backup-restore-rate")),
    (Metric::DatabaseSize, || say!("backup-database")),
    (Metric::BackupSize, || say!("backup-files")),
    (Metric::WrittenBytes, || say!("backup-written")),
    (Metric::NopmUnderBackup, || say!("backup-orders")),
    (Metric::OwnCpu, || say!("figure-own-share")),
];

/// `alone`, or under which load.
fn at(loaded: &LoadedRun, workload: &str, level: f64) -> String {
    match level {
        0.0 => say!("backup-alone").to_owned(),
        _ => say!("backup-under-load", at = loaded.level_name(workload).said(level)),
    }
}

/// The finding of the users' rate; other series have none.
fn finding(source: &Source<'_>, workload: &str, level: f64, metric: Metric) -> Option<String> {
    let beds: Vec<&BedName> = source.comparison.beds.iter().collect();
    (metric == Metric::Tpm).then(|| users::title(source.loaded, (workload, level), &beds))?
}

fn find(loaded: &LoadedRun, workload: &str, beds: &[BedName]) -> Found {
    let mut found = Found::new(beds);
    for level in loaded.levels(workload) {
        for bed in &loaded.beds {
            let place = GroupKey { workload, level, bed: &bed.name };
            let at = at(loaded, workload, level);
            for (metric, what) in FIGURES {
                found.mean(loaded, &place, metric, &at, (what(), ""));
            }
            let sum = |metric: Metric| loaded.values(&place, metric).iter().map(|pair| pair.1).sum::<f64>();
            let cycles = sum(Metric::Cycles);
            if cycles > 0.0 {
                let proven = match loaded.is_simulated() {
                    true => say!("backup-not-provable").to_owned(),
                    false => say!(
                        "backup-proven",
                        proven = words::decimals(sum(Metric::ProvenRestores), 0),
                        cycles = words::decimals(cycles, 0)
                    ),
                };
                let sentence = sentence(&found, &bed.name, &at, &proven);
                found.sentences.push(sentence);
            }
        }
    }
    found.limits.push(match loaded.is_simulated() {
        true => say!("backup-limit-simulated").to_owned(),
        false => say!("backup-limit").to_owned(),
    });
    found
}

fn sentence(found: &Found, bed: &str, at: &str, proven: &str) -> String {
    let of = |what: &str| found.findings.iter().find(|f| f.bed == bed && f.at == at && f.what == what);
    let shown = |what: &str| of(what).map_or("-".to_owned(), |finding| finding.shown());
    say!(
        "backup-sentence",
        bed = found.name(bed),
        at,
        backup = shown(say!("backup-backup")),
        restore = shown(say!("backup-restore")),
        proven
    )
}

//! Backups and restores: how long, how fast, and how many restores were proven.

use super::Found;
use crate::book::{Book, Place};
use crate::naming::BedName;
use crate::words;

/// Metric, what it is, unit.
const FIGURES: [(&str, &str, &str); 9] = [
    ("backup_time", "backup", "s"),
    ("restore_time", "restore until it answers", "s"),
    ("backup_bandwidth", "backup, of the database", "MB/s"),
    ("restore_bandwidth", "restore, of the database", "MB/s"),
    ("database_size", "database", "MB"),
    ("backup_size", "backup's files", "MB"),
    ("written_bytes", "written to the drive in the whole cell", "B"),
    ("nopm_under_backup", "new orders meanwhile", "1/min"),
    ("own_cpu", "this program's own share of the processors", "%"),
];

pub(super) fn find(book: &Book, workload: &str, beds: &[BedName]) -> Found {
    let mut found = Found::new(beds);
    for level in book.levels(workload) {
        for bed in &book.beds {
            let place = Place { workload, level, bed: &bed.name };
            let at = match level {
                0.0 => "alone".to_owned(),
                _ => format!("under {}", words::level(level, book.level_name(workload))),
            };
            for (metric, what, unit) in FIGURES {
                found.mean(book, &place, metric, &at, what, unit);
            }
            let sum = |metric: &str| book.values(&place, metric).iter().map(|pair| pair.1).sum::<f64>();
            let cycles = sum("cycles");
            if cycles > 0.0 {
                let proven = match book.is_simulated() {
                    true => "nothing was written, so nothing could be proven".to_owned(),
                    false => format!(
                        "{:.0} of {cycles:.0} restored instances were proven to hold what was backed up",
                        sum("proven_restores")
                    ),
                };
                let sentence = sentence(&found, &bed.name, &at, &proven);
                found.sentences.push(sentence);
            }
        }
    }
    found.limits.push(match book.is_simulated() {
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

//! Cold scans of the same table in one piece and in many.

use super::{Finding, Found};
use crate::book::{Book, Place};
use crate::naming::BedName;
use crate::number;

const FIGURES: [(&str, &str, &str); 5] = [
    ("fragments_as_copied", "fragments as copied", "pieces"),
    ("fragments", "fragments as laid out", "pieces"),
    ("fragment_size", "mean piece", "KiB"),
    ("cold_scan_time", "cold scan", "s"),
    ("cold_scan_bandwidth", "cold scan, of the table's files", "MB/s"),
];

pub(super) fn find(book: &Book, workload: &str, beds: &[BedName]) -> Found {
    let mut found = Found::new(beds);
    for bed in &book.beds {
        let place = |level: f64| Place { workload, level, bed: &bed.name };
        let whole = book.values(&place(0.0), "cold_scan_time");
        for level in book.levels(workload) {
            let at = pieces(level);
            for (metric, what, unit) in FIGURES {
                found.mean(book, &place(level), metric, &at, what, unit);
            }
            let here = book.values(&place(level), "cold_scan_time");
            let against = format!("{at} / in one piece");
            let ratio = Finding::ratio(&bed.name, &against, "time of a cold scan", &here, &whole);
            if let Some(ratio) = ratio.filter(|_| level > 0.0) {
                found.sentences.push(format!(
                    "On {}, a cold scan of a file grown in {at} took {} the time of one in one piece.",
                    place_name(&found.name(&bed.name), workload, book),
                    ratio.in_words()
                ));
                found.findings.push(ratio);
            }
        }
    }
    found.limits.push(
        "The bytes are the same in every layout, and every scan begins with an empty buffer pool and the files out of the host's page \
         cache; what the drive itself still holds in its cache is not emptied."
            .to_owned(),
    );
    found
}

/// Several workloads, one for each file system, are told apart by their names.
fn place_name(bed: &str, workload: &str, book: &Book) -> String {
    if book.workloads().len() > 1 { format!("{bed} ({workload})") } else { bed.to_owned() }
}

fn pieces(level: f64) -> String {
    match level {
        0.0 => "in one piece".to_owned(),
        kib if kib >= 1024.0 => format!("pieces of {} MiB", number::level(kib / 1024.0)),
        kib => format!("pieces of {} KiB", number::level(kib)),
    }
}

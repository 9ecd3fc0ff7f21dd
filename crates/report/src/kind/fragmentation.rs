//! Cold scans of the same table in one piece and in many.

use super::{NOTHING, ReportKind};
use crate::finding::{Finding, Found};
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::naming::BedName;
use crate::number;
use crate::second;
use words::{Metric, WorkloadKind};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Fragmentation,
    throughput: Metric::ColdScanTime,
    primary: &[Metric::ColdScanTime],
    effect: "time",
    summary: &[Metric::ColdScanTime, Metric::Fragments, Metric::FragmentSize],
    columns: &[Metric::ColdScanTime, Metric::Fragments, Metric::FragmentSize],
    drawn: &[
        (Metric::ColdScanTime, "{marks} At 0 the file was allocated at once. Lower is better."),
        (
            Metric::Fragments,
            "Pieces that do not lie side by side on the drive, as the file system tells (FIEMAP).",
        ),
    ],
    series: &second::OF_OPERATIONS,
    shaded: "Shaded: what the first bed's cell did.",
    answers_first: true,
    find: Some(find),
    ..NOTHING
};

/// Metric, name in the table, unit.
const FIGURES: [(Metric, &str, &str); 5] = [
    (Metric::FragmentsAsCopied, "fragments as copied", "pieces"),
    (Metric::Fragments, "fragments as laid out", "pieces"),
    (Metric::FragmentSize, "mean piece", "KiB"),
    (Metric::ColdScanTime, "cold scan", "s"),
    (Metric::ColdScanBandwidth, "cold scan, of the table's files", "MB/s"),
];

fn find(loaded: &LoadedRun, workload: &str, beds: &[BedName]) -> Found {
    let mut found = Found::new(beds);
    for bed in &loaded.beds {
        let place = |level: f64| GroupKey { workload, level, bed: &bed.name };
        let whole = loaded.values(&place(0.0), Metric::ColdScanTime);
        for level in loaded.levels(workload) {
            let at = pieces(level);
            for (metric, what, unit) in FIGURES {
                found.mean(loaded, &place(level), metric, &at, what, unit);
            }
            let here = loaded.values(&place(level), Metric::ColdScanTime);
            let against = format!("{at} / in one piece");
            let ratio = Finding::ratio(&bed.name, &against, "time of a cold scan", &here, &whole);
            if let Some(ratio) = ratio.filter(|_| level > 0.0) {
                found.sentences.push(format!(
                    "On {}, a cold scan of a file grown in {at} took {} the time of one in one piece.",
                    place_name(&found.name(&bed.name), workload, loaded),
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

/// Several workloads, one for each file system, are distinguished by their names.
fn place_name(bed: &str, workload: &str, loaded: &LoadedRun) -> String {
    if loaded.workloads().len() > 1 { format!("{bed} ({workload})") } else { bed.to_owned() }
}

fn pieces(level: f64) -> String {
    match level {
        0.0 => "in one piece".to_owned(),
        kib if kib >= 1024.0 => format!("pieces of {} MiB", number::level(kib / 1024.0)),
        kib => format!("pieces of {} KiB", number::level(kib)),
    }
}

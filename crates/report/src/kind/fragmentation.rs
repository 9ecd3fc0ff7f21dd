//! Cold scans of the same table in one piece and in many.

mod hero;

use super::{NOTHING, ReportKind};
use crate::finding::{Finding, Found};
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::naming::BedName;
use crate::number;
use crate::second;
use crate::sentences::Text;
use words::{Metric, WorkloadKind, say};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Fragmentation,
    throughput: Metric::ColdScanTime,
    primary: &[Metric::ColdScanTime],
    brief: &[Metric::ColdScanTime, Metric::Fragments, Metric::FragmentSize],
    summary: &[Metric::ColdScanTime, Metric::Fragments, Metric::FragmentSize],
    columns: &[Metric::ColdScanTime, Metric::Fragments, Metric::FragmentSize],
    series: &second::OF_OPERATIONS,
    shaded: || say!("shaded-first-cell"),
    answers_first: true,
    find: Some(find),
    hero: |source, _| hero::of(source),
    ..NOTHING
};

/// Metric and name in the table.
const FIGURES: [(Metric, Text); 5] = [
    (Metric::FragmentsAsCopied, || say!("fragments-as-copied")),
    (Metric::Fragments, || say!("fragments-as-laid-out")),
    (Metric::FragmentSize, || say!("fragments-mean-piece")),
    (Metric::ColdScanTime, || say!("fragments-cold-scan")),
    (Metric::ColdScanBandwidth, || say!("fragments-cold-scan-rate")),
];

fn find(loaded: &LoadedRun, workload: &str, beds: &[BedName]) -> Found {
    let mut found = Found::new(beds);
    for bed in &loaded.beds {
        let place = |level: f64| GroupKey { workload, level, bed: &bed.name };
        let whole = loaded.values(&place(0.0), Metric::ColdScanTime);
        for level in loaded.levels(workload) {
            let at = pieces(level);
            for (metric, what) in FIGURES {
                found.mean(loaded, &place(level), metric, &at, (what(), "pieces"));
            }
            let here = loaded.values(&place(level), Metric::ColdScanTime);
            let against = say!("fragments-against-one", at);
            let ratio = Finding::ratio(&bed.name, &against, say!("fragments-time-of-scan"), &here, &whole);
            if let Some(ratio) = ratio.filter(|_| level > 0.0) {
                found.sentences.push(say!(
                    "fragments-sentence",
                    bed = place_name(&found.name(&bed.name), workload, loaded),
                    at,
                    times = ratio.in_words()
                ));
                found.findings.push(ratio);
            }
        }
    }
    found.limits.push(say!("fragments-limit").to_owned());
    found
}

/// Several workloads, one for each file system, are distinguished by their names.
fn place_name(bed: &str, workload: &str, loaded: &LoadedRun) -> String {
    if loaded.has_several_workloads() { format!("{bed} ({workload})") } else { bed.to_owned() }
}

fn pieces(level: f64) -> String {
    match level {
        0.0 => say!("fragments-one-piece").to_owned(),
        kib if kib >= 1024.0 => say!("fragments-mib", size = number::level(kib / 1024.0)),
        kib => say!("fragments-kib", size = number::level(kib)),
    }
}

//! Scans against lookups: where the one overtakes the other.

mod ways;

use super::{NOTHING, ReportKind};
use crate::finding::{Finding, Found};
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::naming::BedName;
use crate::number;
use crate::second;
use crate::sentences::{Text, TextOf};
use words::{Metric, Read, ReadFigure, WorkloadKind, say};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Scan,
    throughput: Metric::Read(Read::LookupCold, ReadFigure::Time),
    primary: &[
        Metric::Read(Read::LookupCold, ReadFigure::Time),
        Metric::Read(Read::ScanCold, ReadFigure::Time),
    ],
    brief: &[
        Metric::Read(Read::ScanCold, ReadFigure::Time),
        Metric::Read(Read::LookupCold, ReadFigure::Time),
        Metric::LookupOverScanCold,
    ],
    summary: &[
        Metric::Read(Read::ScanCold, ReadFigure::Time),
        Metric::Read(Read::LookupCold, ReadFigure::Time),
        Metric::LookupOverScanCold,
    ],
    columns: &[
        Metric::Read(Read::ScanCold, ReadFigure::Time),
        Metric::Read(Read::LookupCold, ReadFigure::Time),
        Metric::Read(Read::ScanWarm, ReadFigure::Time),
        Metric::Read(Read::LookupWarm, ReadFigure::Time),
        Metric::LookupOverScanCold,
    ],
    series: &second::OF_OPERATIONS,
    shaded: || say!("shaded-first-cell"),
    answers_first: true,
    find: Some(find),
    hero: |source, workload| ways::figure(source, workload, &STATES[0]),
    why: |source, workload| Ok(ways::figure(source, workload, &STATES[1]).into_iter().collect()),
    ..NOTHING
};

/// The reads of one state of the cache.
struct State {
    /// In names of figures.
    name: &'static str,
    /// In sentences.
    words: Text,
    scan: Read,
    lookup: Read,
    /// Lookups that were stopped because the scan had won.
    lost: Metric,
    ratio: Metric,
}

const STATES: [State; 2] = [
    State {
        name: "cold",
        words: || say!("scan-cold-cache"),
        scan: Read::ScanCold,
        lookup: Read::LookupCold,
        lost: Metric::LookupColdLost,
        ratio: Metric::LookupOverScanCold,
    },
    State {
        name: "warm",
        words: || say!("scan-warm-cache"),
        scan: Read::ScanWarm,
        lookup: Read::LookupWarm,
        lost: Metric::LookupWarmLost,
        ratio: Metric::LookupOverScanWarm,
    },
];

/// Fewer repeats than this carry no interval of a break-even.
const INTERVAL_FROM: usize = 3;

/// Figure, its name in the table by that of the read.
const FIGURES: [(ReadFigure, TextOf); 5] = [
    (ReadFigure::Time, str::to_owned),
    (ReadFigure::Cpu, |read| say!("scan-read-cpu", read)),
    (ReadFigure::LogicalReads, |read| say!("scan-read-logical", read)),
    (ReadFigure::PhysicalReads, |read| say!("scan-read-physical", read)),
    (ReadFigure::ReadAhead, |read| say!("scan-read-ahead", read)),
];

fn find(loaded: &LoadedRun, workload: &str, beds: &[BedName]) -> Found {
    let mut found = Found::new(beds);
    for bed in &loaded.beds {
        for state in &STATES {
            break_even(&mut found, loaded, workload, &bed.name, state);
        }
    }
    for bed in &loaded.beds {
        ended(&mut found, loaded, workload, &bed.name);
        for level in loaded.levels(workload) {
            let place = GroupKey { workload, level, bed: &bed.name };
            let at = say!("scan-share", share = number::level(level));
            for state in &STATES {
                for (way, read) in [(say!("scan-scan"), state.scan), (say!("scan-lookup"), state.lookup)] {
                    if read == state.lookup && lost(loaded, &place, state) {
                        continue;
                    }
                    let of = format!("{way}, {}", (state.words)());
                    for (figure, what) in FIGURES {
                        found.mean(loaded, &place, Metric::Read(read, figure), &at, (&what(&of), ""));
                    }
                }
            }
        }
    }
    found.limits.push(say!("scan-limit").to_owned());
    found
}

/// Says from which share on lookups were ended because they had lost.
fn ended(found: &mut Found, loaded: &LoadedRun, workload: &str, bed: &str) {
    let was_ended = |level: &f64| {
        STATES.iter().any(|state| lost(loaded, &GroupKey { workload, level: *level, bed }, state))
    };
    let smallest = loaded.levels(workload).into_iter().filter(was_ended).reduce(f64::min);
    if let Some(smallest) = smallest {
        let (name, smallest) = (found.name(bed), number::level(smallest));
        found.limits.push(say!("scan-ended", name, smallest));
    }
}

/// True if a lookup of this share was stopped in any repeat: the mean of the others would be that of the fast
/// ones.
fn lost(loaded: &LoadedRun, place: &GroupKey<'_>, state: &State) -> bool {
    !loaded.values(place, state.lost).is_empty()
}

/// The share at which the lookup's time overtakes the scan's, repeat by repeat; where repeats disagree, that
/// of their means.
fn break_even(found: &mut Found, loaded: &LoadedRun, workload: &str, bed: &str, state: &State) {
    let words = (state.words)();
    let ratios: Vec<(f64, Vec<(u32, f64)>)> = loaded
        .levels(workload)
        .into_iter()
        .map(|level| (level, loaded.values(&GroupKey { workload, level, bed }, state.ratio)))
        .filter(|(_, values)| !values.is_empty())
        .collect();
    let logs = match crossings(&ratios) {
        Crossings::None => return,
        Crossings::Of(logs) => logs,
        Crossings::Never(never) => {
            let why = match never {
                Crossing::AlwaysLookup => say!("scan-always-lookup"),
                _ => say!("scan-always-scan"),
            };
            let name = found.name(bed);
            found.limits.push(say!("scan-no-break-even", name, words, why));
            if state.name == "cold" {
                found.sentences.push(say!("scan-no-break-even-sentence", name, why));
            }
            return;
        }
        Crossings::OfMeans { log, crossed, repeats } => {
            let name = found.name(bed);
            found.limits.push(say!("scan-repeats-differ", name, words, crossed, repeats));
            vec![log]
        }
    };
    let mean = Finding::mean(bed, words, (say!("scan-break-even"), say!("scan-share-of-rows")), &logs);
    let Some(mean) = mean else { return };
    // Between two shares the place is a straight line's; two repeats that agree on it by chance bound
    // nothing.
    let carries = logs.len() >= INTERVAL_FROM;
    let finding = Finding {
        value: if carries { mean.value.exp() } else { number::two_digits(mean.value.exp()) },
        // There is no share above the whole.
        interval: mean.interval.filter(|_| carries).map(|(low, high)| (low.exp(), high.exp().min(100.0))),
        ..mean
    };
    if state.name == "cold" {
        found.sentences.push(say!("scan-sentence", bed = found.name(bed), share = finding.in_words()));
    }
    found.findings.push(finding);
}

/// The break-evens of repeats, as logarithms of shares.
#[derive(Clone, Debug, PartialEq)]
enum Crossings {
    /// Nothing was measured.
    None,
    /// That of each repeat.
    Of(Vec<f64>),
    /// One way wins at all shares.
    Never(Crossing),
    /// That of the means, where some repeats have one and others have none.
    OfMeans { log: f64, crossed: usize, repeats: usize },
}

/// The break-evens of ratios at ascending shares, by repeat. A repeat that lacks a share, because its cell
/// does not count, cannot say where it crosses.
fn crossings(ratios: &[(f64, Vec<(u32, f64)>)]) -> Crossings {
    let mut by_repeat: std::collections::BTreeMap<u32, Vec<(f64, f64)>> = std::collections::BTreeMap::new();
    for (level, values) in ratios {
        values
            .iter()
            .for_each(|(repeat, ratio)| by_repeat.entry(*repeat).or_default().push((*level, *ratio)));
    }
    let whole = by_repeat.values().filter(|points| points.len() == ratios.len());
    let all: Vec<Crossing> = whole.map(|points| crossing(points)).collect();
    let logs: Vec<f64> = all
        .iter()
        .filter_map(|c| if let Crossing::At(share) = c { Some(share.ln()) } else { None })
        .collect();
    if !logs.is_empty() && logs.len() == all.len() {
        return Crossings::Of(logs);
    }
    let means: Vec<(f64, f64)> = ratios
        .iter()
        .filter_map(|(level, values)| {
            let values: Vec<f64> = values.iter().map(|pair| pair.1).collect();
            Some((*level, measure::typical(&values)?))
        })
        .collect();
    match crossing(&means) {
        _ if means.is_empty() => Crossings::None,
        Crossing::At(share) => {
            Crossings::OfMeans { log: share.ln(), crossed: logs.len(), repeats: by_repeat.len() }
        }
        never => Crossings::Never(never),
    }
}

/// The place where a ratio crosses 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Crossing {
    At(f64),
    AlwaysLookup,
    AlwaysScan,
}

/// Between the last share at which the lookup wins and the next one, on a line through logarithms: both times
/// grow as powers of the share.
fn crossing(points: &[(f64, f64)]) -> Crossing {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .filter(|(_, ratio)| *ratio > 0.0)
        .map(|(share, ratio)| (share.ln(), ratio.ln()))
        .collect();
    match logs.windows(2).rev().find(|pair| pair[0].1 <= 0.0 && pair[1].1 > 0.0) {
        Some(pair) => {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            Crossing::At((x0 - y0 * (x1 - x0) / (y1 - y0)).exp())
        }
        None if logs.last().is_some_and(|(_, ratio)| *ratio <= 0.0) => Crossing::AlwaysLookup,
        None => Crossing::AlwaysScan,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crossing_lies_where_both_take_the_same_time() {
        // A scan takes 1 s whatever is asked for, a lookup 0.1 s for each per cent: they meet at 10 %.
        let points = [(0.1, 0.01), (1.0, 0.1), (100.0, 10.0)];
        let Crossing::At(share) = crossing(&points) else { panic!() };
        assert!((share - 10.0).abs() < 1e-9, "{share}");
        assert_eq!(crossing(&[(0.1, 0.01), (100.0, 0.9)]), Crossing::AlwaysLookup);
        assert_eq!(crossing(&[(0.1, 1.5), (100.0, 20.0)]), Crossing::AlwaysScan);
        assert_eq!(crossing(&[]), Crossing::AlwaysScan);
    }

    #[test]
    fn a_repeat_without_all_of_its_cells_does_not_hide_the_break_even() {
        let ratios = |second: &[(u32, f64)]| {
            let mut ratios = vec![(1.0, vec![(0, 0.5)]), (3.0, vec![(0, 2.0)])];
            for (level, values) in &mut ratios {
                let of_level = second.iter().enumerate().filter(|(at, _)| [1.0, 3.0][*at] == *level);
                values.extend(of_level.map(|(_, pair)| *pair).filter(|(_, ratio)| ratio.is_finite()));
            }
            ratios
        };
        let Crossings::Of(alone) = crossings(&ratios(&[(1, f64::NAN), (1, 1.5)])) else { panic!() };
        assert_eq!(alone.len(), 1, "the second repeat lacks a cell");
        let Crossings::Of(both) = crossings(&ratios(&[(1, 0.6), (1, 1.5)])) else { panic!() };
        assert_eq!(both.len(), 2);
        let differs = crossings(&ratios(&[(1, 1.1), (1, 1.5)]));
        assert!(matches!(differs, Crossings::OfMeans { crossed: 1, repeats: 2, .. }), "{differs:?}");
        assert_eq!(crossings(&[(1.0, vec![(0, 2.0)])]), Crossings::Never(Crossing::AlwaysScan));
        assert_eq!(crossings(&[]), Crossings::None);
    }
}

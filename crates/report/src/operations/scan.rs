//! Scans against lookups: where the one overtakes the other.

use super::{Finding, Found};
use crate::book::{Book, Place};
use crate::figure::line::Point;
use crate::naming::BedName;
use crate::number;

/// State of the cache and its words.
const STATES: [(&str, &str); 2] = [("cold", "cold cache"), ("warm", "warm cache")];

pub(super) fn find(book: &Book, workload: &str, beds: &[BedName]) -> Found {
    let mut found = Found::new(beds);
    for bed in &book.beds {
        for (state, words) in STATES {
            break_even(&mut found, book, workload, &bed.name, (state, words));
        }
    }
    for bed in &book.beds {
        ended(&mut found, book, workload, &bed.name);
        for level in book.levels(workload) {
            let place = Place { workload, level, bed: &bed.name };
            let at = format!("{} % of the rows", number::level(level));
            for (state, words) in STATES {
                for way in ["scan", "lookup"] {
                    if way == "lookup" && lost(book, workload, level, &bed.name, state) {
                        continue;
                    }
                    let of = |figure: &str| format!("{way}_{state}_{figure}");
                    found.mean(book, &place, &of("time"), &at, &format!("{way}, {words}"), "s");
                    found.mean(
                        book,
                        &place,
                        &of("cpu"),
                        &at,
                        &format!("{way}, {words}: processor time"),
                        "s",
                    );
                    for reads in ["logical_reads", "physical_reads", "read_ahead"] {
                        let what = format!("{way}, {words}: {}", reads.replace('_', " "));
                        found.mean(book, &place, &of(reads), &at, &what, "page");
                    }
                }
            }
        }
    }
    found.limits.push(
        "Pages are counted as the engine counts them: what PostgreSQL has the operating system read ahead is in no counter of its own."
            .to_owned(),
    );
    found
}

/// Says from which share on lookups were ended because they had lost.
fn ended(found: &mut Found, book: &Book, workload: &str, bed: &str) {
    let was_ended = |level: &f64| STATES.iter().any(|(state, _)| lost(book, workload, *level, bed, state));
    let smallest = book.levels(workload).into_iter().filter(was_ended).reduce(f64::min);
    if let Some(smallest) = smallest {
        let (name, smallest) = (found.name(bed), number::level(smallest));
        found.limits.push(format!(
            "{name}: lookups of {smallest} % of the rows and more were ended when they had taken ten times as long as the scan; how long \
             they would have taken is not known, and their curve ends before."
        ));
    }
}

/// Whether a lookup of this share was ended in any repeat: the mean of the others would be that of the fast ones.
fn lost(book: &Book, workload: &str, level: f64, bed: &str, state: &str) -> bool {
    !book.values(&Place { workload, level, bed }, &format!("lookup_{state}_lost")).is_empty()
}

/// Where the lookup's time overtakes the scan's, repeat by repeat.
fn break_even(found: &mut Found, book: &Book, workload: &str, bed: &str, (state, words): (&str, &str)) {
    let metric = format!("lookup_over_scan_{state}");
    let mut by_repeat: std::collections::BTreeMap<u32, Vec<(f64, f64)>> = std::collections::BTreeMap::new();
    for level in book.levels(workload) {
        for (repeat, ratio) in book.values(&Place { workload, level, bed }, &metric) {
            by_repeat.entry(repeat).or_default().push((level, ratio));
        }
    }
    let all: Vec<Crossing> = by_repeat.values().map(|points| crossing(points)).collect();
    let logs: Vec<f64> = all
        .iter()
        .filter_map(|c| if let Crossing::At(share) = c { Some(share.ln()) } else { None })
        .collect();
    if !logs.is_empty() && logs.len() == all.len() {
        let mean = Finding::mean(bed, words, ("break-even", "% of the rows"), &logs);
        if let Some(mean) = mean {
            let finding = Finding {
                value: mean.value.exp(),
                // There is no share above the whole.
                interval: mean.interval.map(|(low, high)| (low.exp(), high.exp().min(100.0))),
                ..mean
            };
            if state == "cold" {
                found.sentences.push(format!(
                    "On {}, from a cold cache, lookups by the index lose to a full scan above {}.",
                    found.name(bed),
                    finding.in_words()
                ));
            }
            found.findings.push(finding);
        }
    } else if let Some(first) = all.first() {
        let why = match first {
            Crossing::AlwaysLookup => "the lookup was faster at every share that was asked for",
            Crossing::AlwaysScan => "the scan was faster at every share that was asked for",
            Crossing::At(_) => "repeats disagree whether there is one",
        };
        let name = found.name(bed);
        found.limits.push(format!("{name}, {words}: no break-even; {why}."));
        if state == "cold" {
            found.sentences.push(format!("On {name}, from a cold cache, there is no break-even: {why}."));
        }
    }
}

/// Where a ratio crosses 1.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Crossing {
    At(f64),
    AlwaysLookup,
    AlwaysScan,
}

/// Between the last share at which the lookup wins and the next one, on a line through logarithms: both times grow as powers of the share.
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

/// Times of one way at every share, for the figure.
pub(crate) fn curves(book: &Book, workload: &str, bed: &str, way: &str, state: &str) -> Vec<Point> {
    let metric = format!("{way}_{state}_time");
    let point = |level: f64| {
        if way == "lookup" && lost(book, workload, level, bed, state) {
            return None;
        }
        let values = book.values(&Place { workload, level, bed }, &metric);
        Point::new(level, values.into_iter().map(|pair| pair.1).collect())
    };
    book.levels(workload).into_iter().filter_map(point).collect()
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
}

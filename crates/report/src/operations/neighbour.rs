//! Noisy neighbours: how much slower the same victims are beside one.

use super::{Finding, Found};
use crate::book::{Book, Place};
use crate::naming::BedName;
use crate::words;

/// Which arm is set against which, and what that shows.
const AGAINST: [(f64, f64, &str); 3] = [
    (2.0, 1.0, "together / alone"),
    (3.0, 2.0, "with neighbour / together"),
    (4.0, 2.0, "mitigated / together"),
];
/// More victims than any experiment has.
const VICTIMS_MAX: usize = 64;
/// Metric of a victim, what its growth is called, and whether more of it is better (then the ratio is turned over: above 1 is worse).
const HARMS: [(&str, &str, bool); 4] = [
    ("nopm", "slowdown", true),
    ("latency_p99", "p99 inflation", false),
    ("latency_p999", "p99.9 inflation", false),
    ("worst_second", "slowdown of the worst second in a hundred", true),
];
/// The arm's number under which the neighbour has the storage for itself.
const NEIGHBOUR_ALONE: f64 = 5.0;

pub(super) fn find(book: &Book, workload: &str, beds: &[BedName]) -> Found {
    let mut found = Found::new(beds);
    for bed in &book.beds {
        let fewer = fewer_victims(book, workload, &bed.name);
        match fewer {
            Some((before, after)) => {
                let why = format!(
                    "{}: no slowdown can be computed. {before} victims share the storage in the arm `together`, and {after} beside the \
                     neighbours: those that remain have it with fewer others than before, so that a neighbour that harms them and one \
                     that does not can look the same. Run the corrected design, which keeps the victims.",
                    found.name(&bed.name)
                );
                found.sentences.push(why.clone());
                found.limits.push(why);
            }
            None => compare(&mut found, book, workload, &bed.name),
        }
        describe(&mut found, book, workload, &bed.name);
    }
    found
}

/// Every harm of every pair of arms: over all victims, and victim by victim.
fn compare(found: &mut Found, book: &Book, workload: &str, bed: &str) {
    for (above, below, name) in AGAINST {
        for (metric, what, more_is_better) in HARMS {
            let turned = |values: [Vec<(u32, f64)>; 2]| {
                if more_is_better {
                    let [a, b] = values;
                    [b, a]
                } else {
                    values
                }
            };
            let of_all = [above, below].map(|arm| geometric_means(book, workload, bed, arm, metric));
            let [numerator, denominator] = turned(of_all);
            let Some(finding) = Finding::ratio(bed, name, what, &numerator, &denominator) else { continue };
            let told = match metric {
                "nopm" => sentence(name, &found.name(bed), &finding),
                "latency_p999" => tail(name, &found.name(bed), &finding),
                _ => None,
            };
            found.sentences.extend(told);
            found.findings.push(finding);
            for victim in 1..=VICTIMS_MAX {
                let values = [above, below].map(|arm| of_victim(book, workload, bed, arm, metric, victim));
                if values[0].is_empty() {
                    break;
                }
                let [numerator, denominator] = turned(values);
                let what = format!("{what}, victim {victim}");
                found.findings.extend(Finding::ratio(bed, name, &what, &numerator, &denominator));
            }
        }
    }
}

/// The arm of a pair that a sentence is made of, as the sentence begins.
fn beginning(pair: &str) -> Option<&'static str> {
    match pair {
        "with neighbour / together" => Some("Beside the neighbour"),
        "mitigated / together" => Some("With the mitigation"),
        _ => None,
    }
}

/// Tails suffer before rates do: told where the interval shows it.
fn tail(pair: &str, bed: &str, finding: &Finding) -> Option<String> {
    let who = beginning(pair)?;
    finding.interval.filter(|(low, _)| *low > 1.0)?;
    Some(format!("{who} the p99.9 latency of the victims on {bed} rose to {}.", finding.in_words()))
}

fn sentence(pair: &str, bed: &str, finding: &Finding) -> Option<String> {
    let who = beginning(pair)?;
    let contains_one = finding.interval.is_some_and(|(low, high)| low <= 1.0 && high >= 1.0);
    let sure = match finding.interval {
        None => "; one repeat shows no more than that",
        Some(_) if contains_one => "; the interval contains 1, so no slowdown is shown",
        Some(_) => "",
    };
    Some(format!("{who} the victims on {bed} were slowed down {}{sure}.", finding.in_words()))
}

/// What each arm reached by itself, the neighbour's own progress among it.
fn describe(found: &mut Found, book: &Book, workload: &str, bed: &str) {
    for level in book.levels(workload) {
        let place = Place { workload, level, bed };
        let at = words::level(level, book.level_name(workload));
        for (metric, what, unit) in [
            ("nopm", "new orders of all victims", "1/min"),
            ("latency_p99", "p99 of all victims", "ms"),
            ("latency_p999", "p99.9 of all victims", "ms"),
            ("fairness", "fairness among the victims (Jain)", ""),
            ("neighbour_rate", "the neighbour's own progress", "MB/s"),
            ("neighbour_deeds", "what the neighbour finished", "deeds"),
            ("neighbour_deed_time", "time of one of the neighbour's deeds", "s"),
            ("neighbour_nopm", "the neighbour's own new orders", "1/min"),
            ("recovery", "recovery after a deed, to 90 % of calm seconds", "s"),
            ("written_bytes", "written to the drive", "B"),
            ("written_bytes_per_transaction", "written by the victims for each transaction", "B"),
            ("own_cpu", "this program's own share of the processors", "%"),
        ] {
            found.mean(book, &place, metric, &at, what, unit);
        }
    }
    price(found, book, workload, bed);
}

/// What the mitigation costs the neighbour.
fn price(found: &mut Found, book: &Book, workload: &str, bed: &str) {
    let rate = |level: f64| book.values(&Place { workload, level, bed }, "neighbour_rate");
    for (above, name) in [(3.0, "with neighbour / neighbour alone"), (4.0, "mitigated / neighbour alone")] {
        let what = "the neighbour's progress that is left";
        found.findings.extend(Finding::ratio(bed, name, what, &rate(above), &rate(NEIGHBOUR_ALONE)));
    }
}

/// Victims together and beside the neighbours, where the latter are fewer.
fn fewer_victims(book: &Book, workload: &str, bed: &str) -> Option<(usize, usize)> {
    let victims = |arm: f64| {
        let count = |victim: &usize| !of_victim(book, workload, bed, arm, "nopm", *victim).is_empty();
        (1..=VICTIMS_MAX).take_while(count).count()
    };
    let (together, beside) = (victims(2.0), victims(3.0));
    (beside > 0 && beside < together).then_some((together, beside))
}

fn of_victim(
    book: &Book,
    workload: &str,
    bed: &str,
    arm: f64,
    metric: &str,
    victim: usize,
) -> Vec<(u32, f64)> {
    book.values(&Place { workload, level: arm, bed }, &format!("{metric}_victim_{victim}"))
}

/// The geometric mean over victims in each repeat: each victim's own factor counts alike.
fn geometric_means(book: &Book, workload: &str, bed: &str, arm: f64, metric: &str) -> Vec<(u32, f64)> {
    let mut logs: std::collections::BTreeMap<u32, Vec<f64>> = std::collections::BTreeMap::new();
    for victim in 1..=VICTIMS_MAX {
        let values = of_victim(book, workload, bed, arm, metric, victim);
        if values.is_empty() {
            break;
        }
        for (repeat, value) in values.into_iter().filter(|pair| pair.1 > 0.0) {
            logs.entry(repeat).or_default().push(value.ln());
        }
    }
    let mean = |logs: Vec<f64>| (logs.iter().sum::<f64>() / logs.len() as f64).exp();
    logs.into_iter().map(|(repeat, logs)| (repeat, mean(logs))).collect()
}

/// The figures that are drawn: all victims' slowdown and p99 inflation of every pair of arms.
pub(crate) fn slowdown_rows(findings: &[Finding]) -> Vec<&Finding> {
    let drawn = ["slowdown", "p99 inflation"];
    findings.iter().filter(|finding| drawn.contains(&finding.what.as_str())).collect()
}

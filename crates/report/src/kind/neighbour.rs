//! Noisy neighbours: how much slower the same victims are beside one.

use super::{NOTHING, ReportKind};
use crate::figure::forest::{self, Ground, Row};
use crate::figure::{Caption, Figure};
use crate::finding::{Finding, Found};
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::naming::BedName;
use crate::second;
use crate::sentences;
use crate::source::Source;
use words::{Arm, Metric, PhaseName, WorkloadKind};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Neighbour,
    throughput: Metric::Nopm,
    primary: &[Metric::Nopm, Metric::LATENCY_P99],
    summary: &[Metric::Nopm, Metric::LATENCY_P99, Metric::NeighbourRate],
    columns: &[
        Metric::Nopm,
        Metric::LATENCY_P99,
        Metric::Fairness,
        Metric::NeighbourRate,
        Metric::NeighbourRecoveryTime,
        Metric::WrittenBytes,
    ],
    series: &second::OF_OPERATIONS,
    shaded: "Shaded: the neighbour at work, in the first bed's cell.",
    shaded_phase: Some(PhaseName::Neighbour),
    distributions: &[("latency", "Latency distribution of all victims")],
    counted: "transactions",
    asked_level: Some(Arm::WithNeighbour.number()),
    answers_first: true,
    find: Some(find),
    first_figures: |source, workload| slowdowns(source, workload).into_iter().collect(),
    ..NOTHING
};

/// Which arm is set against which, and what that shows.
const AGAINST: [(Arm, Arm, &str); 3] = [
    (Arm::Together, Arm::Alone, "together / alone"),
    (Arm::WithNeighbour, Arm::Together, "with neighbour / together"),
    (Arm::Mitigated, Arm::Together, "mitigated / together"),
];
/// More victims than any experiment has.
const VICTIMS_MAX: u32 = 64;
/// Metric of a victim, what its growth is called, and whether more of it is better (then the ratio is turned
/// over: above 1 is worse).
const HARMS: [(Metric, &str, bool); 4] = [
    (Metric::Nopm, "slowdown", true),
    (Metric::LATENCY_P99, "p99 inflation", false),
    (Metric::LATENCY_P999, "p99.9 inflation", false),
    (Metric::WorstSecond, "slowdown of the worst second in a hundred", true),
];

fn find(loaded: &LoadedRun, workload: &str, beds: &[BedName]) -> Found {
    let mut found = Found::new(beds);
    for bed in &loaded.beds {
        let fewer = fewer_victims(loaded, workload, &bed.name);
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
            None => compare(&mut found, loaded, workload, &bed.name),
        }
        describe(&mut found, loaded, workload, &bed.name);
    }
    found
}

/// Every harm of every pair of arms: over all victims, and victim by victim.
fn compare(found: &mut Found, loaded: &LoadedRun, workload: &str, bed: &str) {
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
            let of_all = [above, below].map(|arm| geometric_means(loaded, workload, bed, arm, metric));
            let [numerator, denominator] = turned(of_all);
            let Some(finding) = Finding::ratio(bed, name, what, &numerator, &denominator) else { continue };
            let told = match metric {
                Metric::Nopm => sentence(name, &found.name(bed), &finding),
                Metric::LATENCY_P999 => tail(name, &found.name(bed), &finding),
                _ => None,
            };
            found.sentences.extend(told);
            found.findings.push(finding);
            for victim in 1..=VICTIMS_MAX {
                let values = [above, below].map(|arm| of_victim(loaded, workload, bed, arm, metric, victim));
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

/// The result of each arm, the neighbour's own progress included.
fn describe(found: &mut Found, loaded: &LoadedRun, workload: &str, bed: &str) {
    for level in loaded.levels(workload) {
        let place = GroupKey { workload, level, bed };
        let at = sentences::level(level, loaded.level_name(workload));
        for (metric, what, unit) in [
            (Metric::Nopm, "new orders of all victims", "1/min"),
            (Metric::LATENCY_P99, "p99 of all victims", "ms"),
            (Metric::LATENCY_P999, "p99.9 of all victims", "ms"),
            (Metric::Fairness, "fairness among the victims (Jain)", ""),
            (Metric::NeighbourRate, "the neighbour's own progress", "MB/s"),
            (Metric::NeighbourActions, "what the neighbour finished", "actions"),
            (Metric::NeighbourActionTime, "time of one of the neighbour's actions", "s"),
            (Metric::NeighbourNopm, "the neighbour's own new orders", "1/min"),
            (Metric::NeighbourRecoveryTime, "recovery after an action, to 90 % of calm seconds", "s"),
            (Metric::WrittenBytes, "written to the drive", "B"),
            (Metric::WrittenBytesPerTransaction, "written by the victims for each transaction", "B"),
            (Metric::OwnCpu, "this program's own share of the processors", "%"),
        ] {
            found.mean(loaded, &place, metric, &at, what, unit);
        }
    }
    price(found, loaded, workload, bed);
}

/// The cost of the mitigation for the neighbour.
fn price(found: &mut Found, loaded: &LoadedRun, workload: &str, bed: &str) {
    let rate =
        |arm: Arm| loaded.values(&GroupKey { workload, level: arm.number(), bed }, Metric::NeighbourRate);
    for (above, name) in [
        (Arm::WithNeighbour, "with neighbour / neighbour alone"),
        (Arm::Mitigated, "mitigated / neighbour alone"),
    ] {
        let what = "the neighbour's progress that is left";
        found.findings.extend(Finding::ratio(bed, name, what, &rate(above), &rate(Arm::NeighbourAlone)));
    }
}

/// Victims together and beside the neighbours, where the latter are fewer.
fn fewer_victims(loaded: &LoadedRun, workload: &str, bed: &str) -> Option<(usize, usize)> {
    let victims = |arm: Arm| {
        let count = |victim: &u32| !of_victim(loaded, workload, bed, arm, Metric::Nopm, *victim).is_empty();
        (1..=VICTIMS_MAX).take_while(count).count()
    };
    let (together, beside) = (victims(Arm::Together), victims(Arm::WithNeighbour));
    (beside > 0 && beside < together).then_some((together, beside))
}

fn of_victim(
    loaded: &LoadedRun,
    workload: &str,
    bed: &str,
    arm: Arm,
    metric: Metric,
    victim: u32,
) -> Vec<(u32, f64)> {
    loaded.values(&GroupKey { workload, level: arm.number(), bed }, metric.of_victim(victim))
}

/// The geometric mean over victims in each repeat: each victim's own factor counts alike.
fn geometric_means(
    loaded: &LoadedRun,
    workload: &str,
    bed: &str,
    arm: Arm,
    metric: Metric,
) -> Vec<(u32, f64)> {
    let mut logs: std::collections::BTreeMap<u32, Vec<f64>> = std::collections::BTreeMap::new();
    for victim in 1..=VICTIMS_MAX {
        let values = of_victim(loaded, workload, bed, arm, metric, victim);
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
fn slowdown_rows(findings: &[Finding]) -> Vec<&Finding> {
    let drawn = ["slowdown", "p99 inflation"];
    findings.iter().filter(|finding| drawn.contains(&finding.what.as_str())).collect()
}

/// The slowdown of the victims from one arm to another.
fn slowdowns(source: &Source<'_>, workload: &str) -> Option<Figure> {
    let operation = source.comparison.operations.iter().find(|of| of.workload == workload)?;
    let mark = |bed: &str| {
        source
            .comparison
            .beds
            .iter()
            .find(|known| known.name == bed)
            .map(|bed| bed.mark.clone())
            .unwrap_or_default()
    };
    let rows: Vec<Row> = slowdown_rows(&operation.findings)
        .into_iter()
        .map(|finding| Row {
            bed: mark(&finding.bed),
            what: short(finding),
            value: finding.value,
            interval: finding.interval,
            shown: finding.shown(),
            word: match finding.interval {
                Some((low, _)) if low > 1.0 => "worse".to_owned(),
                Some((_, high)) if high < 1.0 => "better".to_owned(),
                _ => "inconclusive".to_owned(),
            },
            hollow: false,
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let described =
        rows.iter().map(|row| format!("{}: {}.", row.bed.name, row.shown)).collect::<Vec<_>>().join(" ");
    let caption = Caption {
        id: format!("slowdown-{}", source.loaded.workloads().iter().position(|w| *w == workload).unwrap_or(0)),
        title: "What the arms do to the same victims".to_owned(),
        reading: "Ratio with its 95 % interval over repeats, geometric mean over victims; above 1 is worse. An interval that contains 1 \
                  shows no slowdown."
            .to_owned(),
        description: described,
    };
    let ground = Ground {
        zone: (1.0, 1.0),
        heading: String::new(),
        sides: ("\u{2190} better".to_owned(), "worse \u{2192}".to_owned()),
    };
    let table = operation.table(|bed| source.comparison.shown(bed).to_owned());
    let mut figure = forest::figure(caption, &ground, &rows, table);
    figure.wide = false;
    Some(figure)
}

/// Which arm and which figure, short enough for the side of a drawing.
fn short(finding: &Finding) -> String {
    let arm = match finding.at.as_str() {
        "together / alone" => "together",
        "with neighbour / together" => "neighbour",
        _ => "mitigated",
    };
    if finding.what == "slowdown" { format!("{arm}, rate") } else { format!("{arm}, p99") }
}

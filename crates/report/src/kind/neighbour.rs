//! Noisy neighbours: how much slower the same victims are beside one.

mod hero;

use super::{NOTHING, ReportKind};
use crate::figure::forest::{self, Ground, Row};
use crate::figure::{Caption, Figure};
use crate::finding::{Finding, Found};
use crate::loaded_run::{GroupKey, LoadedRun};
use crate::naming::BedName;
use crate::second;
use crate::sentences::{self, Text};
use crate::source::Source;
use measure::Verdict;
use words::{Arm, Latency, Metric, PhaseName, WorkloadKind, say};

pub(super) static KIND: ReportKind = ReportKind {
    word: WorkloadKind::Neighbour,
    throughput: Metric::Nopm,
    primary: &[Metric::Nopm, Metric::LATENCY_P99],
    brief: &[Metric::Nopm, Metric::LATENCY_P99, Metric::NeighbourRate],
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
    shaded: || say!("shaded-neighbour"),
    shaded_phase: Some(PhaseName::Neighbour),
    distributions: &[(Latency::Answer, || say!("distribution-victims"))],
    counted: || say!("counted-transactions"),
    asked_level: Some(Arm::WithNeighbour.number()),
    answers_first: true,
    find: Some(find),
    hero: hero::of,
    why: |source, workload| Ok(slowdowns(source, workload).into_iter().collect()),
    ..NOTHING
};

/// The compared arms, and the meaning of each comparison.
const AGAINST: [(Arm, Arm, Text); 3] = [
    (Arm::Together, Arm::Alone, || say!("neighbour-together-alone")),
    (Arm::WithNeighbour, Arm::Together, || say!("neighbour-beside-together")),
    (Arm::Mitigated, Arm::Together, || say!("neighbour-mitigated-together")),
];
/// More victims than any experiment has.
const VICTIMS_MAX: u32 = 64;
/// Metric of a victim, what its growth is called, and whether more of it is better (then the ratio is turned
/// over: above 1 is worse).
const HARMS: [(Metric, Text, bool); 4] = [
    (Metric::Nopm, || say!("neighbour-slowdown"), true),
    (Metric::LATENCY_P99, || say!("neighbour-p99-inflation"), false),
    (Metric::LATENCY_P999, || say!("neighbour-p999-inflation"), false),
    (Metric::WorstSecond, || say!("neighbour-slowdown-worst"), true),
];

fn find(loaded: &LoadedRun, workload: &str, beds: &[BedName]) -> Found {
    let mut found = Found::new(beds);
    for bed in &loaded.beds {
        let fewer = fewer_victims(loaded, workload, &bed.name);
        match fewer {
            Some((before, after)) => {
                let why = say!("neighbour-fewer-victims", bed = found.name(&bed.name), before, after);
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
        let count = victims_of_both((loaded, workload, bed), [above, below]);
        for (metric, what, more_is_better) in HARMS {
            let (name, what) = (name(), what());
            let turned = |values: [Vec<(u32, f64)>; 2]| {
                if more_is_better {
                    let [a, b] = values;
                    [b, a]
                } else {
                    values
                }
            };
            let of_all =
                [above, below].map(|arm| geometric_means((loaded, workload, bed), arm, metric, count));
            let [numerator, denominator] = turned(of_all);
            let Some(finding) = Finding::ratio(bed, name, what, &numerator, &denominator) else { continue };
            let told = match metric {
                Metric::Nopm => sentence(above, &found.name(bed), &finding),
                Metric::LATENCY_P999 => tail(above, &found.name(bed), &finding),
                _ => None,
            };
            found.sentences.extend(told);
            found.findings.push(finding);
            for victim in 1..=count {
                let values = [above, below].map(|arm| of_victim(loaded, workload, bed, arm, metric, victim));
                let [numerator, denominator] = turned(values);
                let what = say!("neighbour-of-victim", what, victim);
                found.findings.extend(Finding::ratio(bed, name, &what, &numerator, &denominator));
            }
        }
    }
}

/// Tails suffer before rates do: told where the interval shows it.
fn tail(arm: Arm, bed: &str, finding: &Finding) -> Option<String> {
    finding.interval.filter(|(low, _)| *low > 1.0)?;
    let to = finding.in_words();
    match arm {
        Arm::WithNeighbour => Some(say!("neighbour-tail", bed, to)),
        Arm::Mitigated => Some(say!("neighbour-tail-mitigated", bed, to)),
        _ => None,
    }
}

fn sentence(arm: Arm, bed: &str, finding: &Finding) -> Option<String> {
    let by = finding.in_words();
    let slowed = match arm {
        Arm::WithNeighbour => say!("neighbour-slowed", bed, by),
        Arm::Mitigated => say!("neighbour-slowed-mitigated", bed, by),
        _ => return None,
    };
    Some(match finding.interval {
        None => say!("neighbour-one-repeat", slowed),
        Some((low, high)) if low <= 1.0 && high >= 1.0 => say!("neighbour-not-shown", slowed),
        Some(_) => say!("neighbour-shown", slowed),
    })
}

/// The result of each arm, the neighbour's own progress included.
fn describe(found: &mut Found, loaded: &LoadedRun, workload: &str, bed: &str) {
    for level in loaded.levels(workload) {
        let place = GroupKey { workload, level, bed };
        let at = loaded.level_name(workload).said(level);
        for (metric, what) in [
            (Metric::Nopm, say!("neighbour-orders")),
            (Metric::LATENCY_P99, say!("neighbour-p99")),
            (Metric::LATENCY_P999, say!("neighbour-p999")),
            (Metric::Fairness, say!("neighbour-fairness")),
            (Metric::NeighbourRate, say!("neighbour-rate")),
            (Metric::NeighbourActions, say!("neighbour-finished")),
            (Metric::NeighbourActionTime, say!("neighbour-action-time")),
            (Metric::NeighbourNopm, say!("neighbour-own-orders")),
            (Metric::NeighbourRecoveryTime, say!("neighbour-recovery")),
            (Metric::WrittenBytes, say!("neighbour-written")),
            (Metric::WrittenBytesPerTransaction, say!("neighbour-written-each")),
            (Metric::OwnCpu, say!("figure-own-share")),
        ] {
            found.mean(loaded, &place, metric, &at, (what, "actions"));
        }
    }
    price(found, loaded, workload, bed);
}

/// The cost of the mitigation for the neighbour.
fn price(found: &mut Found, loaded: &LoadedRun, workload: &str, bed: &str) {
    let rate =
        |arm: Arm| loaded.values(&GroupKey { workload, level: arm.number(), bed }, Metric::NeighbourRate);
    for (above, name) in [
        (Arm::WithNeighbour, say!("neighbour-beside-alone")),
        (Arm::Mitigated, say!("neighbour-mitigated-alone")),
    ] {
        let what = say!("neighbour-progress-left");
        found.findings.extend(Finding::ratio(bed, name, what, &rate(above), &rate(Arm::NeighbourAlone)));
    }
}

/// Victims together and beside the neighbours, where the latter are fewer.
fn fewer_victims(loaded: &LoadedRun, workload: &str, bed: &str) -> Option<(usize, usize)> {
    let victims = |arm: Arm| victims(loaded, workload, bed, arm) as usize;
    let (together, beside) = (victims(Arm::Together), victims(Arm::WithNeighbour));
    (beside > 0 && beside < together).then_some((together, beside))
}

/// The number of victims that both arms measured. In a fleet only those of the first rank are measured alone.
fn victims_of_both((loaded, workload, bed): (&LoadedRun, &str, &str), arms: [Arm; 2]) -> u32 {
    let [one, other] = arms.map(|arm| victims(loaded, workload, bed, arm));
    one.min(other)
}

/// The number of victims that an arm measured.
fn victims(loaded: &LoadedRun, workload: &str, bed: &str, arm: Arm) -> u32 {
    let is_there = |victim: &u32| !of_victim(loaded, workload, bed, arm, Metric::Nopm, *victim).is_empty();
    (1..=VICTIMS_MAX).take_while(is_there).count() as u32
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

/// The geometric mean over the first `count` victims in each repeat: each victim's own factor counts alike.
fn geometric_means(
    (loaded, workload, bed): (&LoadedRun, &str, &str),
    arm: Arm,
    metric: Metric,
    count: u32,
) -> Vec<(u32, f64)> {
    let mut logs: std::collections::BTreeMap<u32, Vec<f64>> = std::collections::BTreeMap::new();
    for victim in 1..=count {
        let values = of_victim(loaded, workload, bed, arm, metric, victim);
        for (repeat, value) in values.into_iter().filter(|pair| pair.1 > 0.0) {
            logs.entry(repeat).or_default().push(value.ln());
        }
    }
    let mean = |logs: Vec<f64>| (logs.iter().sum::<f64>() / logs.len() as f64).exp();
    logs.into_iter().map(|(repeat, logs)| (repeat, mean(logs))).collect()
}

/// The figures that are drawn: all victims' slowdown and p99 inflation of every pair of arms.
fn slowdown_rows(findings: &[Finding]) -> Vec<&Finding> {
    let drawn = [say!("neighbour-slowdown"), say!("neighbour-p99-inflation")];
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
            what: short(finding).to_owned(),
            value: finding.value,
            interval: finding.interval,
            shown: finding.shown(),
            word: match finding.interval {
                Some((low, _)) if low > 1.0 => sentences::verdict(Verdict::Worse).to_owned(),
                Some((_, high)) if high < 1.0 => sentences::verdict(Verdict::Better).to_owned(),
                _ => sentences::verdict(Verdict::Inconclusive).to_owned(),
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
        id: format!("slowdown-{}", source.loaded.place_of(workload)),
        title: say!("neighbour-arms-title").to_owned(),
        reading: say!("neighbour-arms-reading").to_owned(),
        description: described,
    };
    let ground = Ground {
        zone: (1.0, 1.0),
        heading: String::new(),
        sides: (say!("side-left-better").to_owned(), say!("side-right-worse").to_owned()),
    };
    let table = operation.table(|bed| source.comparison.shown(bed).to_owned());
    let mut figure = forest::figure(caption, &ground, &rows, table);
    figure.wide = false;
    Some(figure)
}

/// The arm and the figure, short enough for the side of a drawing.
fn short(finding: &Finding) -> &'static str {
    let pair = AGAINST.iter().find(|(_, _, name)| name() == finding.at);
    match (pair.map(|(above, ..)| *above), finding.what == say!("neighbour-slowdown")) {
        (Some(Arm::Together), true) => say!("neighbour-short-together-rate"),
        (Some(Arm::Together), false) => say!("neighbour-short-together-p99"),
        (Some(Arm::WithNeighbour), true) => say!("neighbour-short-beside-rate"),
        (Some(Arm::WithNeighbour), false) => say!("neighbour-short-beside-p99"),
        (_, true) => say!("neighbour-short-mitigated-rate"),
        (_, false) => say!("neighbour-short-mitigated-p99"),
    }
}

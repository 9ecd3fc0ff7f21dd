//! The four facts below the answer.

use crate::comparison::Comparison;
use crate::contrast::Contrast;
use crate::figure::line::Point;
use crate::loaded_run::GroupKey;
use crate::number;
use crate::sentences;
use crate::source::Source;
use words::{Limiter, Metric, say, spoken};

/// One fact: a name, a number and an explanation.
#[derive(Debug)]
pub(super) struct Tile {
    pub(super) name: String,
    pub(super) value: String,
    /// A verdict word, or nothing.
    pub(super) verdict: String,
    pub(super) detail: String,
}

/// Throughput, p99, limiter and noise; without a headline, the run's progress and the known facts of the
/// rest.
pub(super) fn of(source: &Source<'_>) -> Vec<Tile> {
    let comparison = source.comparison;
    if !comparison.crashes.is_empty() {
        return crashes(source);
    }
    let mut tiles = Vec::new();
    match &comparison.headline {
        Some(headline) => {
            tiles.push(throughput(source, headline));
            tiles.extend(comparison.beside(headline, Metric::LATENCY_P99).map(|p99| latency(source, p99)));
            tiles.extend(limiter(comparison, &headline.workload, headline.level));
        }
        None => tiles.extend(without_headline(source)),
    }
    tiles.push(noise(comparison));
    if tiles.len() < 4 {
        tiles.push(progress(source));
    }
    tiles
}

/// For a durability test: crashes, their cost, and the time of the longest recovery.
fn crashes(source: &Source<'_>) -> Vec<Tile> {
    let all = &source.comparison.crashes;
    let tile = |name: &str, value: String, detail: String| Tile {
        name: name.to_owned(),
        value,
        verdict: String::new(),
        detail,
    };
    let rounds: usize = all.iter().map(|crashes| crashes.rounds).sum();
    let passed: usize = all.iter().map(|crashes| crashes.passed).sum();
    let orders: u64 = all.iter().map(|crashes| crashes.acknowledged).sum();
    let lost: u64 = all.iter().map(|crashes| crashes.lost).sum();
    let longest = all.iter().filter_map(|crashes| crashes.longest_recovery_s).reduce(f64::max);
    vec![
        tile(say!("tile-crashes"), rounds.to_string(), say!("tile-passed", passed)),
        tile(
            say!("tile-orders-lost"),
            number::level(lost as f64),
            say!("tile-of", number = number::level(orders as f64)),
        ),
        tile(
            say!("tile-longest-recovery"),
            longest.map_or(say!("crash-never-recovered").to_owned(), |seconds| format!("{seconds:.1} s")),
            say!("tile-recovery-span").to_owned(),
        ),
        progress(source),
    ]
}

/// Throughput of the first bed that has any, and what bounded it, at the highest level at which it was
/// measured.
fn without_headline(source: &Source<'_>) -> Vec<Tile> {
    let loaded = source.loaded;
    for workload in loaded.workloads() {
        let Some(metric) = loaded.kind(workload).throughput.shown() else { continue };
        for level in loaded.levels(workload).into_iter().rev() {
            for bed in &loaded.beds {
                let values = loaded.values(&GroupKey { workload, level, bed: &bed.name }, metric.metric);
                let Some(point) = Point::new(level, values.into_iter().map(|pair| pair.1).collect()) else {
                    continue;
                };
                let throughput = Tile {
                    name: say!(
                        "tile-at",
                        title = metric.title,
                        at = sentences::level(level, loaded.level_name(workload))
                    ),
                    value: crate::figure::line::end_value(&metric, &point),
                    verdict: String::new(),
                    detail: source.comparison.shown(&bed.name).to_owned(),
                };
                return std::iter::once(throughput)
                    .chain(limiter(source.comparison, workload, level))
                    .collect();
            }
        }
    }
    Vec::new()
}

fn throughput(source: &Source<'_>, headline: &Contrast) -> Tile {
    let metric = headline.shown_metric();
    let at = sentences::level(headline.level, &headline.level_name);
    let title = metric.map_or_else(|| headline.metric.name(), |shown| shown.title.to_owned());
    let (above, below) = values(source, headline);
    Tile {
        name: say!("tile-at", title, at),
        value: above,
        verdict: String::new(),
        detail: format!(
            "{} \u{b7} {} {below}",
            source.comparison.shown(&headline.treatment_bed),
            source.comparison.shown(&headline.baseline_bed)
        ),
    }
}

fn latency(source: &Source<'_>, p99: &Contrast) -> Tile {
    let (above, below) = values(source, p99);
    let ratio = sentences::lower_or_higher(p99.judgement.ratio.value);
    let compared = say!(
        "tile-latency",
        bed = source.comparison.shown(&p99.treatment_bed),
        ratio,
        baseline = source.comparison.shown(&p99.baseline_bed),
        value = below,
        unit = p99.unit,
    );
    Tile {
        name: say!("tile-p99", at = sentences::level(p99.level, &p99.level_name)),
        value: format!("{above} {}", p99.unit),
        verdict: sentences::verdict(p99.verdict()).to_owned(),
        // The word alone would pass for a finding.
        detail: if p99.judgement.exploratory { say!("tile-hint", compared) } else { compared },
    }
}

/// Both values of a contrast (their quotient is its ratio) in the digits that their intervals support.
fn values(source: &Source<'_>, contrast: &Contrast) -> (String, String) {
    let shown = |bed: &str, mean: f64| {
        let place = GroupKey { workload: &contrast.workload, level: contrast.level, bed };
        let values = source.loaded.values(&place, contrast.metric).into_iter().map(|pair| pair.1).collect();
        Point::new(contrast.level, values)
            .map_or_else(|| number::plain(mean), |point| point.digits().show(mean))
    };
    (
        shown(&contrast.treatment_bed, contrast.treatment_value),
        shown(&contrast.baseline_bed, contrast.baseline_value),
    )
}

/// The limiters of the first bed and of the others.
fn limiter(comparison: &Comparison, workload: &str, level: f64) -> Option<Tile> {
    let here: Vec<_> =
        comparison.limiters.iter().filter(|l| l.workload == workload && l.level == level).collect();
    if here.is_empty() {
        return None; // Nothing is bounded by one thing: backups, scans, crashes.
    }
    let known: Vec<_> = here.iter().filter(|limiters| !limiters.counts.is_empty()).collect();
    let main = known.first().map_or(say!("tile-not-known"), |limiters| limiters.main());
    let mut mains: Vec<&str> = vec![main];
    for limiters in &known {
        if !mains.contains(&limiters.main()) {
            mains.push(limiters.main());
        }
    }
    let part = |name: &&str| {
        let beds = known.iter().filter(|limiters| limiters.main() == *name);
        let beds = beds.map(|limiters| comparison.shown(&limiters.bed)).collect::<Vec<_>>().join(", ");
        if *name == main {
            say!("tile-on-beds", beds)
        } else {
            say!("tile-limiter-on-beds", name = spoken::<Limiter>(name), beds)
        }
    };
    let detail =
        if known.is_empty() { String::new() } else { mains.iter().map(part).collect::<Vec<_>>().join("; ") };
    Some(Tile {
        name: say!("tile-limiter").to_owned(),
        value: spoken::<Limiter>(main).to_owned(),
        verdict: String::new(),
        detail,
    })
}

fn noise(comparison: &Comparison) -> Tile {
    let name = say!("tile-noise").to_owned();
    match comparison.noise.first() {
        Some(noise) => Tile {
            name,
            value: number::percent_rounded(noise.variation),
            verdict: String::new(),
            detail: say!(
                "tile-noise-detail",
                metric = noise.metric.short(),
                most = number::percent_rounded(noise.variation_most)
            ),
        },
        None => Tile {
            name,
            value: say!("tile-not-known").to_owned(),
            verdict: String::new(),
            detail: say!("tile-no-noise").to_owned(),
        },
    }
}

fn progress(source: &Source<'_>) -> Tile {
    let done = source.loaded.cells.iter().filter(|m| m.cell.state == notebook::CellState::Done).count();
    Tile {
        name: say!("tile-valid-cells").to_owned(),
        value: number::count(done as u64),
        verdict: String::new(),
        detail: super::cells::tally(source.loaded),
    }
}

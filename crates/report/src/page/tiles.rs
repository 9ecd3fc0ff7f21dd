//! The three facts beside the first figure: the other metric that matters, the limiter, the noise.

use crate::comparison::Comparison;
use crate::contrast::Contrast;
use crate::figure::line::Point;
use crate::kind::Fact;
use crate::limiter::Limiters;
use crate::loaded_run::GroupKey;
use crate::naming::BedName;
use crate::number;
use crate::sentences::{self, Span};
use crate::source::Source;
use crate::svg::Canvas;
use words::{Limiter, Metric, say, spoken};

/// One fact: a name, a number and an explanation.
#[derive(Debug, Default)]
pub(super) struct Tile {
    pub(super) name: String,
    pub(super) value: String,
    /// The unit, or what the value is relative to.
    pub(super) small: String,
    /// The values of the beds.
    pub(super) rows: Vec<Row>,
    pub(super) detail: String,
    /// Behind the detail.
    pub(super) verdict: Option<Span>,
}

/// The value of a bed.
#[derive(Debug)]
pub(super) struct Row {
    /// Its mark, as markup.
    pub(super) swatch: String,
    pub(super) name: String,
    pub(super) value: String,
}

/// With more beds than this a tile does not list them.
const ROWS_MOST: usize = 4;
/// Tiles beside the first figure.
const TILES: usize = 3;

/// The other metric that matters, the limiter and the noise; without them, the throughput and the run's
/// progress.
pub(super) fn of(source: &Source<'_>) -> Vec<Tile> {
    let comparison = source.comparison;
    if !comparison.crashes.is_empty() {
        return crashes(source);
    }
    if let Some(tiles) = of_profile(source) {
        return tiles;
    }
    let mut tiles = Vec::new();
    match &comparison.headline {
        Some(headline) if !of_kind(source, headline).is_empty() => tiles.extend(of_kind(source, headline)),
        Some(headline) => {
            let p99 = comparison.beside(headline, Metric::LATENCY_P99);
            tiles.push(p99.map_or_else(|| throughput(source, headline), |p99| latency(source, p99)));
            tiles.extend(limiter(comparison, &headline.workload, headline.level));
        }
        None => tiles.extend(without_headline(source)),
    }
    tiles.push(noise(source));
    if tiles.len() < TILES {
        tiles.push(progress(source));
    }
    tiles.truncate(TILES);
    tiles
}

/// The tiles beside the first figure that depend on the kind of workload.
fn of_kind(source: &Source<'_>, headline: &Contrast) -> Vec<Tile> {
    let facts = (source.loaded.kind(&headline.workload).facts)(source, headline);
    let tile = |(index, Fact { name, value, small, rows, detail, verdict }): (usize, Fact)| {
        let row = |(bed, value): &(String, String)| {
            let bed = source.comparison.beds.iter().find(|one| one.name == *bed)?;
            Some(Row {
                swatch: swatch(&format!("fact{index}"), bed),
                name: bed.shown.clone(),
                value: value.clone(),
            })
        };
        let rows = if rows.len() > ROWS_MOST { Vec::new() } else { rows.iter().filter_map(row).collect() };
        Tile { name, value, small, rows, detail, verdict }
    };
    facts.into_iter().enumerate().map(tile).collect()
}

/// For a profile: what is known of its model.
fn of_profile(source: &Source<'_>) -> Option<Vec<Tile>> {
    let tiles = source.loaded.profile.as_ref()?.tiles();
    let tile =
        |[name, value, small, detail]: [String; 4]| Tile { name, value, small, detail, ..Tile::default() };
    (!tiles.is_empty()).then(|| tiles.into_iter().take(TILES).map(tile).collect())
}

/// For a durability test: crashes, their cost, and the time of the longest recovery.
fn crashes(source: &Source<'_>) -> Vec<Tile> {
    let all = &source.comparison.crashes;
    let tile = |name: &str, value: String, detail: String| Tile {
        name: name.to_owned(),
        value,
        detail,
        ..Tile::default()
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
                    name: say!("tile-at", title = metric.title, at = loaded.level_name(workload).said(level)),
                    value: crate::figure::line::end_value(&metric, &point),
                    detail: source.comparison.shown(&bed.name).to_owned(),
                    ..Tile::default()
                };
                return std::iter::once(throughput)
                    .chain(limiter(source.comparison, workload, level))
                    .collect();
            }
        }
    }
    Vec::new()
}

/// The throughput of each bed, where the answer gives the ratio and nothing else is known.
fn throughput(source: &Source<'_>, headline: &Contrast) -> Tile {
    let metric = headline.shown_metric();
    let at = headline.level_name.said(headline.level);
    let title = metric.map_or_else(|| headline.metric.name(), |shown| shown.title.to_owned());
    Tile {
        name: say!("tile-at", title, at),
        value: value_of(source, headline, &headline.treatment_bed).unwrap_or_default(),
        small: headline.unit.clone(),
        rows: rows(source, headline),
        ..Tile::default()
    }
}

/// The p99 of the beds, as the ratio and each value.
fn latency(source: &Source<'_>, p99: &Contrast) -> Tile {
    let [value, interval] = number::decided(&p99.judgement);
    let detail = if p99.judgement.exploratory { say!("tile-hint", compared = interval) } else { interval };
    Tile {
        name: say!("tile-p99", at = p99.level_name.said(p99.level)),
        value,
        small: say!("tile-of-bed", bed = source.comparison.shown(&p99.baseline_bed)),
        rows: rows(source, p99),
        detail,
        verdict: Some(Span::Verdict(p99.verdict(), p99.judged())),
    }
}

/// The value of every bed at the place of a contrast.
fn rows(source: &Source<'_>, contrast: &Contrast) -> Vec<Row> {
    let beds = &source.comparison.beds;
    if beds.len() > ROWS_MOST {
        return Vec::new();
    }
    let row = |bed: &BedName| {
        let value = value_of(source, contrast, &bed.name)?;
        let swatch = swatch(&contrast.metric.name().replace([' ', '_'], "-"), bed);
        Some(Row { swatch, name: bed.shown.clone(), value: format!("{value} {}", contrast.unit) })
    };
    beds.iter().filter_map(row).collect()
}

/// The mark of a bed as a drawing of its own.
fn swatch(what: &str, bed: &BedName) -> String {
    let mut canvas = Canvas::new();
    canvas.marker(&bed.mark, (6.0, 6.0), 4.4, None);
    let id = format!("tile-{what}-{}", bed.mark.slot);
    canvas.finish(&id, "dot", (12.0, 12.0), &bed.shown, "").markup("")
}

/// The value of a bed in the digits that its interval supports.
fn value_of(source: &Source<'_>, contrast: &Contrast, bed: &str) -> Option<String> {
    let place = GroupKey { workload: &contrast.workload, level: contrast.level, bed };
    let values = source.loaded.values(&place, contrast.metric).into_iter().map(|pair| pair.1).collect();
    Point::new(contrast.level, values).map(|point| point.shown())
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
        let beds = words::list(beds.map(|limiters| with_share(comparison.shown(&limiters.bed), limiters)));
        if *name == main {
            say!("tile-on-beds", beds)
        } else {
            say!("tile-limiter-on-beds", name = spoken::<Limiter>(name), beds)
        }
    };
    let detail = if known.is_empty() { String::new() } else { words::parts(mains.iter().map(part)) };
    Some(Tile {
        name: say!("tile-limiter").to_owned(),
        value: spoken::<Limiter>(main).to_owned(),
        detail,
        ..Tile::default()
    })
}

/// A bed; with the part of its cells that name the main limiter when not all do.
fn with_share(bed: &str, limiters: &Limiters) -> String {
    match limiters.counts.as_slice() {
        [(_, count), _, ..] => {
            let cells = limiters.counts.iter().map(|(_, count)| count).sum::<usize>();
            say!("tile-limiter-on-part", bed, count, cells)
        }
        _ => bed.to_owned(),
    }
}

/// The spread of a bed's own cells, and the number of cells behind the answer.
fn noise(source: &Source<'_>) -> Tile {
    let comparison = source.comparison;
    let name = say!("tile-noise").to_owned();
    let cells = super::cells::tally(source.loaded);
    let basis = comparison.headline.as_ref().map(|headline| sentences::basis(&headline.judgement.ratio));
    // That of the answer's metric, which is not the first one where the beds kept a requested rate.
    let of_answer = comparison
        .headline
        .as_ref()
        .and_then(|headline| crate::noise::of(source.loaded, &headline.workload, &headline.metric.shown()?));
    match of_answer.as_ref().or(comparison.noise.first()) {
        Some(noise) => {
            let most = number::percent_rounded(noise.variation_most);
            let detail = say!("tile-noise-detail", metric = noise.metric.short(), most);
            let rests = basis.map_or(cells.clone(), |basis| say!("tile-rests", basis, cells));
            Tile {
                name,
                value: format!("\u{b1}{}", number::percent_rounded(noise.variation)),
                small: say!("tile-noise-small").to_owned(),
                detail: format!("{detail} {rests}."),
                ..Tile::default()
            }
        }
        None => Tile {
            name,
            value: say!("tile-not-known").to_owned(),
            detail: format!("{} {cells}.", sentences::sentence(say!("tile-no-noise"))),
            ..Tile::default()
        },
    }
}

fn progress(source: &Source<'_>) -> Tile {
    let done = source.loaded.cells.iter().filter(|m| m.cell.state == notebook::CellState::Done).count();
    Tile {
        name: say!("tile-valid-cells").to_owned(),
        value: number::count(done as u64),
        small: say!("tile-of", number = number::count(source.loaded.cells.len() as u64)),
        detail: super::cells::tally(source.loaded),
        ..Tile::default()
    }
}

//! The maps of a drive as a page: how well the model knows the drive, its map, three facts, then every number
//! of the model with its source.

use askama::Template;
use device::catalogue::Fact;
use words::say;

use super::judged::signed;
use super::{DriveMaps, GOOD, percentiles};
use crate::error::ReportError;
use crate::figure::Figure;
use crate::html::prose;
use crate::number;
use crate::page::style;
use crate::profile::{fact_name, fact_value};
use crate::sentences;
use crate::svg::escape;
use crate::table::{Entry, Table, Tone, columns};

/// The page as its template sees it.
#[derive(Template)]
#[template(path = "map.html")]
struct Page<'a> {
    version: &'static str,
    style: String,
    kicker: String,
    /// As markup.
    answer: String,
    /// The tail, then the median.
    figures: Vec<Figure>,
    is_judged: bool,
    tiles: Vec<Tile>,
    /// As markup.
    provenance: Vec<String>,
    /// The figures of the certificate, in the lines of the drive's file.
    certificate: Vec<String>,
    numbers_title: String,
    numbers: String,
    mark: &'a str,
    origin: &'a str,
}

/// One fact below the first figure.
struct Tile {
    name: String,
    value: String,
    small: String,
    /// As markup.
    detail: String,
}

/// The page of a drive's maps.
pub(super) fn render(maps: &DriveMaps<'_>) -> Result<String, ReportError> {
    let origin = maps.source();
    let page = Page {
        version: env!("CARGO_PKG_VERSION"),
        style: style::sheet(),
        kicker: say!("map-kicker", drive = maps.entry.name),
        answer: answer(maps),
        figures: percentiles().into_iter().map(|percentile| maps.figure(percentile)).collect(),
        is_judged: maps.measured.is_some(),
        tiles: tiles(maps),
        provenance: provenance(maps),
        certificate: valid_certificate(maps).map(|(_, figures)| figures).unwrap_or_default(),
        numbers_title: numbers_title(maps),
        numbers: numbers(maps).to_html(&say!("map-numbers-caption", drive = maps.entry.title)),
        mark: &maps.entry.name,
        origin: &origin,
    };
    Ok(page.render()?)
}

/// The error of the model in one sentence, as markup.
fn answer(maps: &DriveMaps<'_>) -> String {
    let drive = escape(&maps.entry.title);
    let [tail, median] = percentiles();
    let (Some(tail), Some(median)) = (maps.judged(tail), maps.judged(median)) else {
        let alone = say!("map-answer-alone", drive);
        return match of_loads(maps) {
            Some(error) => format!("{error} {alone}"),
            None => alone,
        };
    };
    let strong = |share: f64| format!("<b>{}</b>", number::percent_rounded(share));
    let ([p95, p95_nine], [p50, p50_nine]) = (tail.summary(), median.summary());
    let (p95, p50) = (strong(p95), strong(p50));
    let [p95_nine, p50_nine] = [p95_nine, p50_nine].map(number::percent_rounded);
    let mut answer = say!("map-answer", drive, p50, p95, p50_nine, p95_nine);
    if let Some((near, _)) = tail.near_the_limit() {
        answer = format!("{answer} {}", say!("map-answer-limit", near = number::percent_rounded(near)));
    }
    answer
}

/// The stated error of a drive that was fitted to loads, as markup: there is no map to find it again.
fn of_loads(maps: &DriveMaps<'_>) -> Option<String> {
    let accuracy = maps.entry.accuracy.as_ref()?;
    let shares =
        |(median, nine): (f64, f64)| [median, nine].map(|percent| number::percent_rounded(percent / 1e2));
    let [mean, mean_nine] = shares(accuracy.mean_percent?);
    let (drive, mean) = (escape(&maps.entry.title), format!("<b>{mean}</b>"));
    let points = sentences::grouped(accuracy.points as usize);
    Some(match accuracy.p99_percent.map(shares) {
        Some([p99, p99_nine]) => {
            say!("profile-answer", drive, mean, p99 = format!("<b>{p99}</b>"), mean_nine, p99_nine, points)
        }
        None => say!("profile-answer-mean", drive, mean, mean_nine, points),
    })
}

/// The number of good points, the number of known values, and the certificate.
fn tiles(maps: &DriveMaps<'_>) -> Vec<Tile> {
    let mut tiles = Vec::new();
    let [tail, _] = percentiles();
    if let Some(judged) = maps.judged(tail)
        && let Some((place, worst)) = judged.worst()
    {
        let columns = maps.model.reads_per_s.len();
        let reads = number::short(maps.model.reads_per_s[place % columns]);
        let writes = number::short(maps.model.write_bytes_per_s[place / columns] / 1e6);
        tiles.push(Tile {
            name: say!("map-tile-points", within = number::percent_rounded(GOOD)),
            value: number::count(judged.within(GOOD) as u64),
            small: say!("tile-of", number = number::count(judged.points() as u64)),
            detail: say!("map-tile-worst", error = format!("{} %", signed(worst)), reads, writes),
        });
    }
    let known = maps.entry.reliability();
    tiles.push(Tile {
        name: say!("map-tile-numbers").to_owned(),
        value: number::count((known.numbers - known.guesses - known.open) as u64),
        small: say!("tile-of", number = number::count(known.numbers as u64)),
        detail: say!(
            "map-tile-unknown",
            guesses = sentences::grouped(known.guesses),
            open = sentences::grouped(known.open),
        ),
    });
    let (value, detail) = match (valid_certificate(maps), maps.entry.certificate()) {
        (Some((made, _)), _) => (say!("map-certified"), made),
        (None, Some(_)) => (say!("map-not-certified"), say!("map-tile-other-numbers").to_owned()),
        (None, None) => (say!("map-not-certified"), say!("map-tile-no-certificate").to_owned()),
    };
    tiles.push(Tile {
        name: say!("map-tile-certificate").to_owned(),
        value: value.to_owned(),
        small: String::new(),
        detail: prose(&detail),
    });
    tiles
}

/// The line of the certificate that says how it was made, and those of its figures; `None` without one, and
/// for one of other numbers or with an edited text.
fn valid_certificate(maps: &DriveMaps<'_>) -> Option<(String, Vec<String>)> {
    let text = maps.entry.certificate()?;
    let mut lines = text.lines().map(str::to_owned);
    let marks = [maps.entry.is_certificate_of_these(), maps.entry.is_certificate_as_written()];
    (!marks.contains(&Some(false))).then(|| (lines.next().unwrap_or_default(), lines.collect()))
}

/// Where the map was measured, and what the drive is, as markup.
fn provenance(maps: &DriveMaps<'_>) -> Vec<String> {
    let entry = maps.entry;
    let measured = match &maps.measured {
        Some(measured) => say!("map-provenance-measured", from = escape(measured.from)),
        None => say!("map-provenance-model").to_owned(),
    };
    let drive = say!(
        "map-provenance-drive",
        maker = escape(&entry.maker),
        interface = escape(&entry.interface),
        gigabytes = number::plain(entry.capacity_bytes as f64 / 1e9),
    );
    let mut parts = vec![format!("<b>{measured}</b>"), drive];
    if let Some(accuracy) = &entry.accuracy {
        parts.push(prose(&sentences::sentence(&accuracy.method)));
    }
    parts
}

/// The number of those that are not known.
fn numbers_title(maps: &DriveMaps<'_>) -> String {
    let known = maps.entry.reliability();
    match known.guesses + known.open {
        0 => say!("map-numbers-known").to_owned(),
        unknown => say!("map-numbers-title", unknown = sentences::grouped(unknown)),
    }
}

/// Every number of the model with its interval and its source.
fn numbers(maps: &DriveMaps<'_>) -> Table {
    let mut table = Table::new(columns![
        text say!("profile-column-number"),
        number say!("column-value"),
        number say!("column-interval-95"),
        text say!("map-column-known"),
        text say!("map-column-source"),
    ]);
    // The name and the size of the drive are no numbers of the model, and the map is drawn above.
    let is_number = |fact: &&Fact| !fact.key.starts_with("drive.") && fact.key != "map";
    for fact in maps.entry.facts.iter().filter(is_number) {
        let tone = if fact.guess || !fact.is_identified { Tone::Soft } else { Tone::Strong };
        let interval = fact.interval.as_ref();
        let end = |text: &String| text.parse().unwrap_or(f64::NAN);
        let interval = interval.map(|(low, high)| number::span((end(low), end(high)), number::level));
        table.row([
            fact_name(fact).into(),
            Entry::toned(fact_value(fact), tone),
            interval.unwrap_or_default().into(),
            known(fact),
            Entry::toned(fact.source_alone(), Tone::Soft),
        ]);
    }
    table
}

/// The reliability of a number.
fn known(fact: &Fact) -> Entry {
    match (fact.guess, fact.is_identified) {
        (true, _) => Entry::toned(say!("map-guess"), Tone::Flag),
        (_, false) => Entry::toned(say!("profile-not-identified"), Tone::Soft),
        _ => say!("map-known").into(),
    }
}

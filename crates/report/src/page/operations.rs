//! The pages of what was done to databases besides transactions: the figures that no other workload has, and the table behind all.

use super::{Section, Source, list};
use crate::book;
use crate::figure::forest::{self, Ground, Row};
use crate::figure::levels;
use crate::figure::line::Line;
use crate::figure::{Caption, Figure};
use crate::metric::{self, Kind};
use crate::operations::{self, Operation};
use crate::svg::escape;

/// Figures of one workload that stand before its others.
pub(super) fn figures(source: &Source<'_>, workload: &str) -> Vec<Figure> {
    match source.book.kind(workload) {
        Kind::Scan => {
            ["cold", "warm"].into_iter().filter_map(|state| scans(source, workload, state)).collect()
        }
        Kind::Neighbour => slowdowns(source, workload).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// One section for each such workload: its answer, what the data do not say, and every figure with its interval.
pub(super) fn sections(source: &Source<'_>) -> Vec<Section> {
    let shown = |bed: &str| source.comparison.shown(bed).to_owned();
    let section = |(index, of): (usize, &Operation)| {
        let caption = format!("{}: every figure ({})", of.workload, source.mark);
        let mut body = of.table(shown).to_html(&caption);
        body.push_str(&events(source, &of.workload));
        body.push_str("<h3>What could not be concluded</h3>");
        body.push_str(&list(&of.limits));
        Section {
            id: Section::id_of("operations", index),
            heading: match source.comparison.operations.len() {
                1 => "In figures".to_owned(),
                _ => format!("In figures: {}", of.workload),
            },
            lead: of.sentences.clone(),
            figures: Vec::new(),
            body,
        }
    };
    source.comparison.operations.iter().enumerate().map(section).collect()
}

/// What the cells noted: cycles, drills, layouts, plans.
fn events(source: &Source<'_>, workload: &str) -> String {
    let mut items = String::new();
    for measured in source.book.of(workload) {
        let kinds = ["cycle", "drill", "layout", "plan"];
        for event in measured.events.iter().filter(|event| kinds.contains(&event.kind.as_str())) {
            let bed = source.comparison.shown(&measured.cell.bed);
            let level = crate::words::level(measured.cell.level, &measured.cell.level_name);
            let place = format!("{bed}, {level}, repeat {}", measured.cell.repeat + 1);
            items.push_str(&format!(
                "<li>{}: {}: {}</li>",
                escape(&place),
                event.kind,
                escape(&event.message)
            ));
        }
    }
    if items.is_empty() {
        return items;
    }
    format!("<details><summary>What each cell noted</summary><ul class=\"plain\">{items}</ul></details>")
}

/// Both ways of every bed against the share of the rows: where the lines of a bed cross is its break-even.
fn scans(source: &Source<'_>, workload: &str, state: &str) -> Option<Figure> {
    let beds = &source.comparison.beds;
    let line = |bed: &crate::naming::BedName, number: usize, way: &str| Line {
        bed: bed.mark.on_way(
            number,
            format!("{}, {way}", bed.mark.name),
            format!("{} {way}", bed.mark.short),
        ),
        points: operations::curves(source.book, workload, &bed.name, way, state),
    };
    let lines: Vec<Line> = beds
        .iter()
        .flat_map(|bed| [line(bed, 0, "scan"), line(bed, 1, "lookup")])
        .filter(|line| !line.points.is_empty())
        .collect();
    if lines.is_empty() {
        return None;
    }
    let metric = metric::find(&format!("scan_{state}_time"))?;
    let caption = Caption {
        id: format!("scans-{state}-{}", source.book.workloads().iter().position(|w| *w == workload).unwrap_or(0)),
        title: format!("The same rows by a scan and by the index, from a {state} cache"),
        reading: "Where the two lines of a bed cross, the lookup begins to lose. Dots: every repeat. Lower is better.".to_owned(),
        description: format!("{} lines over the share of the rows; the table holds the values.", lines.len()),
    };
    let mut figure = levels::figure(caption, metric, source.book.level_name(workload), &lines);
    figure.wide = false;
    Some(figure)
}

/// How much slower the victims are in one arm than in another.
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
    let rows: Vec<Row> = operations::slowdown_rows(&operation.findings)
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
        id: format!("slowdown-{}", source.book.workloads().iter().position(|w| *w == workload).unwrap_or(0)),
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
fn short(finding: &operations::Finding) -> String {
    let arm = match finding.at.as_str() {
        "together / alone" => "together",
        "with neighbour / together" => "neighbour",
        _ => "mitigated",
    };
    if finding.what == "slowdown" { format!("{arm}, rate") } else { format!("{arm}, p99") }
}

/// Whether a cell of this kind is shown second by second with its own series.
pub(super) fn is_operation(book: &book::Book, workload: &str) -> bool {
    matches!(book.kind(workload), Kind::Backup | Kind::Scan | Kind::Fragmentation | Kind::Neighbour)
}

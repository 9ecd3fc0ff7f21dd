//! Published numbers beside ours, with what makes them differ in kind.

use super::surroundings::study_setup;
use super::{Section, list};
use crate::figure::forest::{self, Ground, Row};
use crate::figure::line::Point;
use crate::figure::{Caption, Figure};
use crate::html::details;
use crate::loaded_run::GroupKey;
use crate::naming::BedName;
use crate::number;
use crate::sentences;
use crate::source::Source;
use crate::svg::escape;
use crate::table::{Column, Entry, Table, Tone, columns};
use notebook::{NumberKind, PublishedNumber};
use words::{Metric, NoteKind, Shown, say};

/// A published number that was measured on a system that one of our beds models, in a metric that we measure,
/// too.
struct Match<'a> {
    number: &'a PublishedNumber,
    bed: &'a BedName,
    metric: Shown,
}

/// The section, when the experiment has published numbers.
pub(super) fn section(source: &Source<'_>) -> Option<Section> {
    let numbers = &source.loaded.published;
    if numbers.is_empty() {
        return None;
    }
    let beds = &source.comparison.beds;
    let mut matches: Vec<Match<'_>> = numbers.iter().filter_map(|number| matched(number, beds)).collect();
    // NOPM first: it means the same everywhere.
    matches.sort_by_key(|one| one.metric.metric != Metric::Nopm);
    let figures = ratio_figure(source, &matches).into_iter().collect();
    let mut body =
        number_table(source, numbers, &matches).to_html(&say!("published-caption", mark = source.mark));
    let confounds: Vec<String> =
        source.loaded.notes_of(NoteKind::PublishedConfound).map(str::to_owned).collect();
    if !confounds.is_empty() {
        body.push_str(&format!("<p class=\"after\">{}</p>{}", say!("published-confounds"), list(&confounds)));
    }
    if let Some(setup) = study_setup(source) {
        body.push_str(&details(say!("published-setup"), &setup.to_html(say!("published-setup-caption"))));
    }
    Some(Section {
        id: "published".into(),
        heading: say!("published-heading").to_owned(),
        lead: lead(source),
        figures,
        body,
    })
}

/// The caveats before the two columns are read together.
fn lead(source: &Source<'_>) -> Vec<String> {
    let loaded = source.loaded;
    let mut lead = Vec::new();
    if let Some(conditions) = shared_conditions(&loaded.published) {
        let name = loaded.run.published.as_deref().unwrap_or(say!("published-the-study"));
        lead.push(format!("{name}: {}", sentences::sentence(conditions)));
    } else if let Some(name) = &loaded.run.published {
        lead.push(say!("published-in", name));
    }
    if loaded.run.scale < 1.0 {
        lead.push(say!("published-shrunk", scale = number::scale(loaded.run.scale)));
    }
    for metric in metrics(&loaded.published) {
        if let Some(note) = shared_note(&loaded.published, metric) {
            lead.push(format!("{}: {}", metric_name(metric), sentences::sentence(&note)));
        }
    }
    lead
}

/// The metrics of the numbers, each once.
fn metrics(numbers: &[PublishedNumber]) -> Vec<&str> {
    let mut metrics: Vec<&str> = Vec::new();
    for number in numbers {
        if !metrics.contains(&number.metric.as_str()) {
            metrics.push(&number.metric);
        }
    }
    metrics
}

/// Our short name of a metric, or the study's own word.
fn metric_name(name: &str) -> &str {
    Metric::of(name).and_then(Metric::shown).map_or(name, |metric| metric.short)
}

/// The common ending of the notes of a metric's numbers: the difference of its definition from ours. Printed
/// once instead of on every row.
fn shared_note(numbers: &[PublishedNumber], metric: &str) -> Option<String> {
    let mut notes =
        numbers.iter().filter(|number| number.metric == metric).map(|number| number.note.as_str());
    let mut shared = notes.next()?;
    let mut count = 1;
    for note in notes {
        count += 1;
        let common = shared.chars().rev().zip(note.chars().rev()).take_while(|(a, b)| a == b);
        let bytes: usize = common.map(|(a, _)| a.len_utf8()).sum();
        shared = &shared[shared.len() - bytes..];
    }
    // Whole sentences only: two notes may end alike by chance.
    let told = notes_begin(numbers, metric, shared)?;
    (count > 1 && told.len() > 20).then(|| told.to_owned())
}

/// The part of a shared ending that begins a sentence in every note.
fn notes_begin<'a>(numbers: &[PublishedNumber], metric: &str, shared: &'a str) -> Option<&'a str> {
    let begins = |ending: &str| {
        let notes =
            numbers.iter().filter(|number| number.metric == metric).map(|number| number.note.as_str());
        notes.into_iter().all(|note| {
            let before = note[..note.len() - ending.len()].trim_end();
            before.is_empty() || before.ends_with(['.', ';', ':'])
        })
    };
    let starts = shared.char_indices().filter(|(_, c)| !c.is_whitespace()).map(|(at, _)| &shared[at..]);
    starts.into_iter().find(|ending| begins(ending))
}

/// The bed and metric that are compared with a published number, if it is a measurement of one of our beds.
fn matched<'a>(number: &'a PublishedNumber, beds: &'a [BedName]) -> Option<Match<'a>> {
    let metric = Metric::of(&number.metric)?.shown()?;
    let bed = beds.iter().find(|bed| bed.name == number.system)?;
    number.kind.is_measured().then_some(Match { number, bed, metric })
}

/// Our value of a matched number: the mean at the highest level at which the bed has a valid cell.
fn ours(source: &Source<'_>, bed: &str, metric: &Shown) -> Option<(String, Point)> {
    let loaded = source.loaded;
    for workload in loaded.workloads() {
        for level in loaded.levels(workload).into_iter().rev() {
            let values = loaded.values(&GroupKey { workload, level, bed }, metric.metric);
            if let Some(point) = Point::new(level, values.into_iter().map(|pair| pair.1).collect()) {
                return Some((loaded.level_name(workload).said(level), point));
            }
        }
    }
    None
}

/// True if a ratio between beds means the same in a study and here. Not so for TPM, which every engine counts
/// in its own way.
fn is_comparable(metric: &Shown) -> bool {
    metric.direction.is_some() && metric.metric != Metric::Tpm
}

/// Ratios of each bed to the baseline, the study's and ours.
fn ratio_figure(source: &Source<'_>, matches: &[Match<'_>]) -> Option<Figure> {
    let comparison = source.comparison;
    let mut rows = Vec::new();
    let is_split = matches.iter().any(|one| drive_alone(source, &one.bed.name).is_some());
    let mut columns = columns![text say!("column-ratio"), number say!("column-published"), number say!("column-here"), number say!("column-95-interval-here")];
    columns.extend(is_split.then(|| Column::number(say!("column-drive-alone"))));
    let mut table = Table::new(columns);
    let mut description = Vec::new();
    for one in matches.iter().filter(|m| m.bed.name != comparison.baseline && is_comparable(&m.metric)) {
        let Some(base) = matches
            .iter()
            .find(|m| m.bed.name == comparison.baseline && m.metric.metric == one.metric.metric)
        else {
            continue;
        };
        let here = comparison
            .contrasts
            .iter()
            .filter(|c| c.metric == one.metric.metric && c.treatment_bed == one.bed.name);
        let Some(here) = here.max_by(|a, b| a.level.total_cmp(&b.level)) else { continue };
        if base.number.value <= 0.0 {
            continue;
        }
        let theirs = one.number.value / base.number.value;
        let ratio = &here.judgement.ratio;
        let [shown, interval] = number::ratio_columns(ratio.value, (ratio.low, ratio.high));
        let published = number::ratio_alone(theirs);
        let what = say!(
            "published-ratio-of",
            metric = one.metric.short,
            bed = one.bed.shown,
            baseline = comparison.shown(&comparison.baseline)
        );
        description.push(say!("published-described", what, published, shown));
        let drive = drive_alone(source, &one.bed.name).filter(|_| one.metric.metric == Metric::Nopm);
        let told = drive.map_or_else(String::new, |(value, low, high)| {
            let [value, low, high] = number::ratio(value, low, high);
            say!("figure-value-from-to", value, low, high)
        });
        let mut cells = vec![what, published.clone(), shown.clone(), interval];
        cells.extend(is_split.then_some(told));
        table.row(cells);
        let row = |value, interval, shown, word: &str, hollow| Row {
            bed: one.bed.mark.clone(),
            what: one.metric.short.to_owned(),
            value,
            interval,
            shown,
            word: word.to_owned(),
            hollow,
        };
        rows.push(row(theirs, None, published, say!("published-published"), true));
        rows.push(row(ratio.value, Some((ratio.low, ratio.high)), shown, say!("published-here"), false));
        if let Some((value, low, high)) = drive {
            let shown = number::ratio_alone(value);
            rows.push(row(value, Some((low, high)), shown, say!("published-drive-alone"), true));
        }
    }
    let ground = Ground { zone: (1.0, 1.0), heading: String::new(), sides: (String::new(), String::new()) };
    let caption = Caption {
        id: "published-ratios".to_owned(),
        title: say!("published-title", baseline = comparison.shown(&comparison.baseline)),
        reading: if is_split { say!("published-reading-split") } else { say!("published-reading") }
            .to_owned(),
        description: description.join(" "),
    };
    (!rows.is_empty()).then(|| forest::figure(caption, &ground, &rows, table))
}

/// The drive's part of the study's gain, with its range, if `drivetrain attribute --keep` has stored it with
/// the run.
fn drive_alone(source: &Source<'_>, bed: &str) -> Option<(f64, f64, f64)> {
    let facts = source.loaded.scope(&format!("attribution:{bed}"))?;
    let get = |key: &str| facts.get(key)?.parse().ok();
    Some((get("drive")?, get("drive_low")?, get("drive_high")?))
}

/// The conditions of the study, when they are the same for all its numbers.
fn shared_conditions(numbers: &[PublishedNumber]) -> Option<&str> {
    let first = numbers.first()?.conditions.as_str();
    (!first.is_empty() && numbers.iter().all(|number| number.conditions == first)).then_some(first)
}

fn number_table(source: &Source<'_>, numbers: &[PublishedNumber], matches: &[Match<'_>]) -> Table {
    let shared = shared_conditions(numbers).is_some();
    let simulated = source.loaded.is_simulated();
    let here = if simulated { say!("column-simulated") } else { say!("column-here") };
    let mut columns = columns![
        text say!("column-metric"),
        text say!("column-bed"),
        number say!("column-published"),
        number here,
    ];
    columns.extend(simulated.then(|| Column::number(say!("column-relative-error"))));
    columns.push(Column::text(say!("column-here-at")));
    columns.extend((!shared).then(|| Column::text(say!("column-conditions-of-the-study"))));
    columns.push(Column::text(say!("column-remarks")));
    let mut table = Table::new(columns);
    let order = |number: &&PublishedNumber| matches.iter().position(|one| std::ptr::eq(one.number, *number));
    let mut sorted: Vec<&PublishedNumber> = numbers.iter().collect();
    sorted.sort_by_key(|number| order(number).unwrap_or(usize::MAX));
    for number in sorted {
        let here = matches.iter().find(|one| std::ptr::eq(one.number, number));
        let mut row = vec![
            Entry::from(metric_name(&number.metric).to_owned()),
            Entry::from(source.comparison.shown(&number.system)),
            Entry::from(format!("{} {}", shown(number.value), number.unit)),
        ];
        match here
            .and_then(|one| ours(source, &one.bed.name, &one.metric).map(|(at, point)| (one, at, point)))
        {
            Some((one, at, point)) => {
                row.push(Entry::toned(format!("{} {}", point.shown(), one.metric.unit), Tone::Strong));
                row.extend(simulated.then(|| Entry::from(relative_error(&point, number.value))));
                row.push(Entry::from(at));
            }
            None => {
                row.extend((0..=usize::from(simulated)).map(|_| Entry::toned("-", Tone::Soft)));
                row.push(Entry::toned(say!("published-no-counterpart"), Tone::Soft));
            }
        }
        row.extend((!shared).then(|| Entry::toned(number.conditions.clone(), Tone::Soft)));
        row.push(Entry::toned(remarks(number, shared_note(numbers, &number.metric).as_deref()), Tone::Soft));
        table.row(row);
    }
    table
}

/// The relative error of our mean against the published number. Only simulated runs are of the published
/// size.
fn relative_error(point: &Point, published: f64) -> String {
    format!("{:+.1} %", (point.mean / published - 1.0) * 100.0)
}

/// ReportKind of the number if it is no measurement, confidence if it is not high, and the note without the
/// part that was printed above.
fn remarks(number: &PublishedNumber, told: Option<&str>) -> String {
    let mut remarks = Vec::new();
    if number.kind != NumberKind::Measured {
        remarks.push(number.kind.name().to_owned());
    }
    if number.confidence != "high" {
        remarks.push(say!("published-confidence", confidence = number.confidence));
    }
    let note = told.and_then(|told| number.note.strip_suffix(told)).unwrap_or(&number.note).trim();
    if !note.is_empty() {
        remarks.push(note.to_owned());
    }
    words::parts(remarks)
}

/// A printed number keeps the digits with which it was printed.
fn shown(value: f64) -> String {
    let text = format!("{value}");
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    escape(&number::Digits::decimals(u32::try_from(decimals).unwrap_or(0)).show(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_notes_of_a_metric_say_is_told_once() {
        let number = |note: &str| PublishedNumber {
            metric: "tpm".into(),
            confidence: "high".into(),
            note: note.into(),
            ..PublishedNumber::default()
        };
        let numbers = [
            number("Same as 1c. Not the same count: batch requests."),
            number("Not the same count: batch requests."),
        ];
        let told = shared_note(&numbers, "tpm");
        assert_eq!(told.as_deref(), Some("Not the same count: batch requests."));
        assert_eq!(remarks(&numbers[0], told.as_deref()), "Same as 1c.");
        assert_eq!(shared_note(&[number("One run reported twice, says the text.")], "tpm"), None);
        assert_eq!(
            shared_note(
                &[number("ends alike here, by chance"), number("it ends alike here, by chance")],
                "tpm"
            ),
            None
        );
    }

    #[test]
    fn printed_numbers_keep_their_digits() {
        assert_eq!(shown(1_463_290.0), "1,463,290");
        assert_eq!(shown(15.5), "15.5");
    }
}

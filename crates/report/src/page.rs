//! The report: one HTML file that needs no network and reads without scripts.
//!
//! Order: the question, the answer, four facts, what kind of numbers these are, what differs between the
//! beds, what to be careful of; then figures, each with its table; then everything needed to check or repeat
//! the run. Who stops after the first screen knows the truth.

mod beds;
mod cells;
mod figures;
mod held;
mod limits;
mod operation;
mod published;
pub(crate) mod style;
mod surroundings;
mod tiles;

use std::borrow::Cow;
use words::{NoteKind, Realm, say, spoken};

use crate::compare;
use crate::error::ReportError;
use crate::figure::Figure;
use crate::html::{list, prose};
use crate::loaded_run::LoadedRun;
use crate::number;
use crate::sentences::Span;
use crate::source::Source;
use askama::Template;
use notebook::{Notebook, RunId};

/// The page as its template sees it.
#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    version: String,
    /// Tells the pages of two runs apart, also of runs in two notebooks that bear one number.
    run_mark: String,
    title: String,
    style: String,
    /// Stands at the foot of every printed page.
    running: String,
    kicker: String,
    heading: String,
    answer: Vec<Span>,
    tiles: Vec<tiles::Tile>,
    /// The kinds of numbers, with their meanings.
    basis: Vec<(String, String)>,
    nuisance_sentence: String,
    /// Empty when the beds differ in the treatment only.
    nuisance_table: String,
    cautions: Vec<String>,
    beds: Vec<beds::BedKey>,
    /// The experiment's description, as markup.
    description: Vec<String>,
    sections: Vec<Section>,
    /// Stands under every figure and in every caption: `emulated, scale 1/600`.
    mark: String,
    /// Stands inside every drawing, for whoever takes it elsewhere.
    origin: String,
    footer: Vec<String>,
}

/// A part of the page under its heading.
#[derive(Debug, Default)]
struct Section {
    /// The target of links; no other section has it.
    id: Cow<'static, str>,
    heading: String,
    /// Sentences below the heading.
    lead: Vec<String>,
    figures: Vec<Figure>,
    /// Markup below the figures.
    body: String,
}

impl Section {
    /// The place of the section of a workload among those of its kind, counted from 0.
    fn id_of(kind: &'static str, index: usize) -> Cow<'static, str> {
        if index == 0 { kind.into() } else { format!("{kind}-{}", index + 1).into() }
    }
}

impl Figure {
    /// The table behind the figure, with the kind of numbers in its caption.
    fn table_html(&self, mark: &str) -> String {
        self.table.to_html(&format!("{} ({mark})", self.title))
    }
}

/// The report of a run as one HTML document.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read or the run was never planned. Missing, invalid and single
/// cells are shown as such.
pub fn render_html(notebook: &Notebook, run: RunId) -> Result<String, ReportError> {
    let loaded = LoadedRun::read(notebook, run)?;
    let comparison = compare::of_book(&loaded);
    let source = Source { notebook, loaded: &loaded, comparison: &comparison, mark: mark(&loaded) };
    let sections = sections(&source)?;
    let page = Page {
        version: loaded.run.tool_version.clone(),
        run_mark: format!("{} {} {}", loaded.run.id, loaded.run.started_at, loaded.run.seed),
        title: loaded.run.title.clone(),
        style: style::sheet(),
        running: running(&source),
        kicker: kicker(&source),
        heading: loaded.run.question.clone().unwrap_or_else(|| loaded.run.title.clone()),
        answer: comparison.spans.clone(),
        tiles: tiles::of(&source),
        basis: comparison.basis.iter().map(|sentence| lead_and_rest(sentence)).collect(),
        nuisance_sentence: beds::nuisance_sentence(&source),
        nuisance_table: beds::nuisance_table(&comparison),
        cautions: comparison.warnings.iter().map(|warning| prose(warning)).collect(),
        beds: beds::keys(&source),
        description: loaded.notes_of(NoteKind::Description).map(prose).collect(),
        sections,
        mark: source.mark.clone(),
        origin: say!(
            "page-origin",
            mark = source.mark,
            name = loaded.run.name,
            run = loaded.run.id.to_string()
        ),
        footer: footer(&source),
    };
    Ok(without_orders(page.render()?))
}

/// The page without characters that a terminal would obey where the page is printed there. HTML forbids most
/// of them; titles and names of imported runs can hold any.
fn without_orders(html: String) -> String {
    let is_order = |c: char| c.is_control() && c != '\n' && c != '\t';
    if html.contains(is_order) { html.replace(is_order, "\u{fffd}") } else { html }
}

fn sections(source: &Source<'_>) -> Result<Vec<Section>, ReportError> {
    let mut sections = vec![figures::verdicts(source), cells::crashes(source)];
    sections.extend(figures::of_workloads(source)?);
    sections.extend(operation::sections(source));
    sections.extend(published::section(source));
    sections.push(cells::instances(source));
    sections.push(held::limits(source));
    sections.push(held::wear(source));
    sections.push(cells::limiters(source));
    sections.push(cells::inputs(source));
    sections.push(cells::all(source));
    sections.extend(surroundings::floor(source));
    sections.push(surroundings::fingerprint(source));
    sections.push(limits::not_shown(source));
    sections.extend(limits::deviations(source));
    sections.push(limits::reproduce(source));
    sections.retain(|section| {
        !(section.lead.is_empty() && section.figures.is_empty() && section.body.is_empty())
    });
    Ok(sections)
}

/// Parts a sentence after its first colon.
fn lead_and_rest(sentence: &str) -> (String, String) {
    match sentence.split_once(": ") {
        Some((lead, rest)) => (format!("{lead}:"), rest.to_owned()),
        None => (String::new(), sentence.to_owned()),
    }
}

/// `emulated, scale 1/600`.
fn mark(loaded: &LoadedRun) -> String {
    format!("{}, {}", spoken::<Realm>(&loaded.run.realm), number::scale(loaded.run.scale))
}

/// The foot of printed pages, safe within a string of the style sheet: what could end the string or the
/// element is left out.
fn running(source: &Source<'_>) -> String {
    let run = &source.loaded.run;
    let text = say!("page-running", title = run.title, mark = source.mark, seed = run.seed.to_string());
    text.chars().filter(|c| !c.is_control() && !matches!(c, '"' | '\\' | '<' | '>' | '&')).collect()
}

fn kicker(source: &Source<'_>) -> String {
    let run = &source.loaded.run;
    let kicker = say!(
        "page-kicker",
        name = run.name,
        start = crate::naming::minute(&run.started_at),
        mark = source.mark,
    );
    if run.question.is_some() { format!("{} \u{b7} {kicker}", run.title) } else { kicker }
}

fn footer(source: &Source<'_>) -> Vec<String> {
    let run = &source.loaded.run;
    let mut lines = vec![say!(
        "page-footer",
        version = crate::naming::version(run),
        run = run.id.to_string(),
        name = run.name,
        seed = run.seed.to_string(),
        cells = cells::tally(source.loaded),
    )];
    lines.extend(source.loaded.notes_of(NoteKind::Disclaimer).map(str::to_owned));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_has_a_section_of_its_own() {
        let ids: std::collections::BTreeSet<_> =
            (0..40).map(|index| Section::id_of("measured", index)).collect();
        assert!(ids.len() == 40 && ids.contains("measured"));
    }
}

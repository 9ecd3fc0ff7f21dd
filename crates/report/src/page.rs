//! The report: one HTML file that needs no network and reads without scripts.
//!
//! Order: the question, the answer, one figure, three facts, what sort of numbers these are, what changes how
//! far the verdicts hold; then why, what else, and the verdicts; then, folded, every figure, every number,
//! every cell and everything needed to check or repeat the run. Who stops after the first screen knows the
//! truth.

mod beds;
mod cells;
pub(crate) mod copy;
mod counters;
mod figures;
mod held;
mod layout;
mod limits;
mod operation;
mod published;
mod scale_out;
pub(crate) mod style;
mod surroundings;
mod tiles;

use std::borrow::Cow;
use words::{Grouped, NoteKind, Realm, say, spoken};

use crate::compare;
use crate::error::ReportError;
use crate::figure::{Figure, Width, plan};
use crate::html::{list, prose};
use crate::level::level;
use crate::loaded_run::LoadedRun;
use crate::number;
use crate::sentences::Span;
use crate::source::Source;
use askama::Template;
use notebook::{Cell, Notebook, RunId};

/// The page as its template sees it.
#[derive(Template)]
#[template(path = "report.html")]
struct Page {
    version: String,
    /// Tells the pages of two runs apart, also of runs in two notebooks that bear one number.
    run_mark: String,
    title: String,
    style: String,
    script: &'static str,
    script_source: &'static str,
    /// Stands at the foot of every printed page.
    running: String,
    kicker: String,
    heading: String,
    answer: Vec<Span>,
    hero: Option<Figure>,
    /// True if the first figure takes the whole row and the tiles stand below it.
    lead_is_wide: bool,
    tiles: Vec<tiles::Tile>,
    /// The sort of the numbers and what differs between the beds, as markup.
    provenance: Vec<String>,
    /// Cautions that change how far the answer holds, as markup.
    grave: Vec<String>,
    grave_heading: String,
    /// Empty when the beds differ in the treatment only.
    nuisance_table: String,
    /// The other cautions, as markup.
    notes: Vec<String>,
    /// Warnings that a reader unfolds below the first ones.
    grave_more: Vec<String>,
    grave_more_heading: String,
    notes_heading: String,
    /// The beginnings of the notes, for the line that stands for them.
    notes_short: String,
    open: Vec<Section>,
    folds: Vec<layout::Fold>,
    /// Stands in every caption: `emulated, scale 1/600`.
    mark: String,
    /// Stands inside every drawing, for whoever takes it elsewhere.
    origin: String,
    footer: Vec<String>,
}

/// A part of the page under its heading.
#[derive(Debug, Default)]
pub(crate) struct Section {
    /// The target of links; no other section has it.
    pub(crate) id: Cow<'static, str>,
    pub(crate) heading: String,
    /// Sentences below the heading.
    pub(crate) lead: Vec<String>,
    pub(crate) figures: Vec<Figure>,
    /// Markup below the figures.
    pub(crate) body: String,
}

impl Section {
    /// The place of the section of a workload among those of its kind, counted from 0.
    fn id_of(kind: &'static str, index: usize) -> Cow<'static, str> {
        if index == 0 { kind.into() } else { format!("{kind}-{}", index + 1).into() }
    }
}

impl Figure {
    /// The table behind the figure, with the kind of numbers in its caption.
    pub(crate) fn table_html(&self, mark: &str) -> String {
        self.table.to_html(&format!("{} ({mark})", self.title))
    }
}

/// With more warnings than this that change the verdicts, the first ones stand for all until a reader unfolds
/// the others: a wall of them would hide the figures.
const GRAVE_OPEN_MOST: usize = 8;
/// So many are told then.
const GRAVE_TOLD: usize = 6;

/// The report of a run as one HTML document.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read or the run was never planned. Missing, invalid and single
/// cells are shown as such.
pub fn render_html(notebook: &Notebook, run: RunId) -> Result<String, ReportError> {
    let loaded = LoadedRun::read(notebook, run)?;
    let comparison = compare::of_book(&loaded);
    let source = Source { notebook, loaded: &loaded, comparison: &comparison, mark: mark(&loaded) };
    let layout::Layout { hero, open, folds } = layout::of(&source)?;
    let (grave, notes) = comparison.graded();
    let mut grave: Vec<String> =
        beds::nuisance_warning(&comparison).iter().chain(grave).map(|text| prose(text)).collect();
    let grave_more = match grave.len() > GRAVE_OPEN_MOST {
        true => grave.split_off(GRAVE_TOLD),
        false => Vec::new(),
    };
    let page = Page {
        version: loaded.run.tool_version.clone(),
        run_mark: format!("{} {} {}", loaded.run.id, loaded.run.started_at, loaded.run.seed),
        title: loaded.run.title.clone(),
        style: style::sheet(),
        script: copy::SCRIPT,
        script_source: copy::script_source(),
        running: running(&source),
        kicker: kicker(&source),
        heading: words::asked(loaded.run.question.as_ref().unwrap_or(&loaded.run.title)).to_owned(),
        answer: comparison.spans.clone(),
        lead_is_wide: hero.as_ref().is_none_or(|figure| figure.wide),
        hero,
        tiles: tiles::of(&source),
        provenance: provenance(&source),
        grave_heading: say!("page-grave", count = Grouped(grave.len() + grave_more.len())),
        grave,
        grave_more_heading: say!("page-grave-more", count = Grouped(grave_more.len())),
        grave_more,
        nuisance_table: beds::nuisance_table(&comparison),
        notes_heading: say!("page-notes", count = Grouped(notes.len())),
        notes: notes.iter().map(|warning| prose(warning)).collect(),
        notes_short: beginnings(notes),
        open,
        folds,
        mark: source.mark.clone(),
        origin: origin(&source),
        footer: footer(&source),
    };
    Ok(without_orders(page.render()?))
}

/// Every figure of the page in its order, and the line that says where their numbers come from.
///
/// # Errors
/// As [`render_html`].
pub(crate) fn figures_of(notebook: &Notebook, run: RunId) -> Result<(Vec<Figure>, String), ReportError> {
    let loaded = LoadedRun::read(notebook, run)?;
    let comparison = compare::of_book(&loaded);
    let source = Source { notebook, loaded: &loaded, comparison: &comparison, mark: mark(&loaded) };
    let layout::Layout { hero, open, folds } = layout::of(&source)?;
    let folded = folds.into_iter().flat_map(|fold| fold.sections);
    let others = open.into_iter().chain(folded).flat_map(|section| section.figures);
    Ok((hero.into_iter().chain(others).collect(), origin(&source)))
}

/// A figure as a part of a page.
#[derive(Template)]
#[template(path = "figure.html")]
pub(crate) struct Part<'a> {
    pub(crate) figure: &'a Figure,
    pub(crate) mark: &'a str,
    pub(crate) origin: &'a str,
}

/// The figures of a report that show its cells second by second, as they stand there; empty where it has
/// none.
///
/// # Errors
/// As [`render_html`].
pub fn seconds_html(notebook: &Notebook, run: RunId) -> Result<String, ReportError> {
    let loaded = LoadedRun::read(notebook, run)?;
    let comparison = compare::of_book(&loaded);
    let source = Source { notebook, loaded: &loaded, comparison: &comparison, mark: mark(&loaded) };
    let (mark, origin) = (&source.mark, &origin(&source));
    let mut html = String::new();
    for figure in figures::seconds(&source)? {
        html.push_str(&Part { figure: &figure, mark, origin }.render()?);
    }
    Ok(without_orders(html))
}

/// The plan of a run as cells in their order, for a place of this width in CSS pixels; `now` is the number of
/// the running cell.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read.
pub fn plan_svg(
    notebook: &Notebook,
    run: RunId,
    now: Option<u32>,
    width_px: u32,
) -> Result<String, ReportError> {
    let (beds, cells) = (notebook.beds(run)?, notebook.cells(run)?);
    let names = beds.iter().map(|bed| bed.name.clone());
    let beds: Vec<_> = crate::naming::marks(&beds).into_iter().zip(names).collect();
    let said = |cell: &Cell| level(cell.level, &cell.level_name);
    let plan = plan::Plan { beds: &beds, cells: &cells, said: &said, now };
    Ok(without_orders(plan::draw(&plan, Width::for_place(width_px)).markup("")))
}

/// The line inside every drawing.
fn origin(source: &Source<'_>) -> String {
    let run = &source.loaded.run;
    say!("page-origin", mark = source.mark, name = crate::naming::in_short(run), run = run.id.to_string())
}

/// The page without characters that a terminal would obey where the page is printed there. HTML forbids most
/// of them; titles and names of imported runs can hold any.
fn without_orders(html: String) -> String {
    let is_order = |c: char| c.is_control() && c != '\n' && c != '\t';
    if html.contains(is_order) { html.replace(is_order, "\u{fffd}") } else { html }
}

/// The sort of the numbers and what differs between the beds, as markup.
fn provenance(source: &Source<'_>) -> Vec<String> {
    let comparison = source.comparison;
    let mut parts = Vec::new();
    if let Some(first) = comparison.basis.first() {
        let (kind, meaning) = lead_and_rest(first);
        let kind = kind.trim_end_matches([':', '\u{ff1a}', ' ']);
        let kind = if kind.is_empty() { source.mark.as_str() } else { kind };
        let lead = match source.loaded.is_imported() {
            true => prose(kind),
            false => format!("{}, {}", prose(kind), prose(&number::scale(source.loaded.run.scale))),
        };
        parts.push(format!("<b>{lead}.</b> {}", prose(&meaning)));
    }
    if comparison.nuisances.is_empty() {
        parts
            .extend(Some(beds::nuisance_sentence(source)).filter(|text| !text.is_empty()).map(|t| prose(&t)));
    }
    // A run of one bed has no verdict.
    let has_verdicts = !comparison.contrasts.is_empty() || !comparison.unjudged.is_empty();
    if has_verdicts && comparison.grave_warnings == 0 && comparison.nuisances.is_empty() {
        parts.push(say!("page-no-grave").to_owned());
    }
    parts
}

/// Parts a sentence after its first colon.
fn lead_and_rest(sentence: &str) -> (String, String) {
    let colon = sentence.split_once(": ").or_else(|| sentence.split_once('\u{ff1a}'));
    match colon {
        Some((lead, rest)) => (format!("{lead}:"), capitalised(rest)),
        None => (String::new(), sentence.to_owned()),
    }
}

/// The text with a capital at its beginning.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The first clauses of notes, each told once.
pub(crate) fn beginnings(notes: &[String]) -> String {
    let mut told: Vec<&str> = Vec::new();
    for clause in notes.iter().map(|note| beginning(note)) {
        if !told.contains(&clause) {
            told.push(clause);
        }
    }
    told.join(" \u{b7} ")
}

/// The first clause of a note. A mark within a name or a number (`rf.dat`, `1,200`) ends none.
fn beginning(note: &str) -> &str {
    let ends_here = |&(at, mark): &(usize, char)| match mark {
        '\u{3002}' | '\u{ff0c}' | '\u{ff1a}' | '\u{ff1b}' => true,
        ':' | ';' | '.' | ',' => note[at + 1..].chars().next().is_none_or(char::is_whitespace),
        _ => false,
    };
    note.char_indices().find(ends_here).map_or(note, |(at, _)| &note[..at])
}

/// `emulated, scale 1/600`; `imported from fio 3.33`.
fn mark(loaded: &LoadedRun) -> String {
    if loaded.is_observed() {
        return say!("mark-observed", program = loaded.run.tool_version);
    }
    if loaded.is_imported() {
        return say!("mark-imported", program = loaded.run.tool_version);
    }
    format!("{}, {}", spoken::<Realm>(&loaded.run.realm), number::scale(loaded.run.scale))
}

/// The foot of printed pages, safe within a string of the style sheet: what could end the string or the
/// element is left out.
fn running(source: &Source<'_>) -> String {
    let run = &source.loaded.run;
    let text = match source.loaded.is_imported() {
        true => format!("{} \u{b7} {}", run.title, source.mark),
        false => say!("page-running", title = run.title, mark = source.mark, seed = run.seed.to_string()),
    };
    text.chars().filter(|c| !c.is_control() && !matches!(c, '"' | '\\' | '<' | '>' | '&')).collect()
}

fn kicker(source: &Source<'_>) -> String {
    let run = &source.loaded.run;
    let start = crate::naming::minute(&run.started_at);
    say!("page-kicker", name = crate::naming::in_short(run), run = run.id.to_string(), start)
}

fn footer(source: &Source<'_>) -> Vec<String> {
    let run = &source.loaded.run;
    let (version, number, name) =
        (crate::naming::version(run), run.id.to_string(), crate::naming::in_short(run));
    let (seed, cells) = (run.seed.to_string(), cells::tally(source.loaded));
    let mut lines = vec![match (source.loaded.is_observed(), source.loaded.is_imported()) {
        (true, _) => say!("page-footer-observed", version, run = number, name, cells),
        (_, true) => say!("page-footer-imported", version, run = number, name, cells),
        _ => say!("page-footer", version, run = number, name, seed, cells),
    }];
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

    #[test]
    fn the_line_of_notes_tells_each_first_clause_once() {
        let notes =
            ["rf.dat took 1,200 I/Os late: by 2 ms.", "one rank: ssh", "one rank: pipe", "\u{4f4d}\u{ff1a}x"];
        let told = beginnings(&notes.map(str::to_owned));
        assert_eq!(told, "rf.dat took 1,200 I/Os late \u{b7} one rank \u{b7} \u{4f4d}");
    }
}

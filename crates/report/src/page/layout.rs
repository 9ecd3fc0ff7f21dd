//! The order of a page: open sections, then what a reader unfolds.

use super::{
    Section, beds, cells, counters, figures, held, limits, operation, published, scale_out, surroundings,
};
use crate::error::ReportError;
use crate::figure::Figure;
use crate::html::list;
use crate::sentences;
use crate::source::Source;
use words::{NoteKind, say};

/// The parts of a page below its answer.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) hero: Option<Figure>,
    /// Shown from the start: why, what else, the verdicts.
    pub(super) open: Vec<Section>,
    pub(super) folds: Vec<Fold>,
}

/// Sections that one line stands for until a reader opens it.
#[derive(Debug)]
pub(super) struct Fold {
    /// The target of links.
    pub(super) id: &'static str,
    pub(super) title: String,
    /// Its contents, and their number.
    pub(super) small: String,
    pub(super) sections: Vec<Section>,
}

/// With more verdict figures than this, the verdicts are folded.
const VERDICTS_OPEN_MOST: usize = 4;
/// More contrasts than this are folded as well: their rows would be longer than the page before them.
const CONTRASTS_OPEN_MOST: usize = 60;

/// Lays a page out.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read.
pub(super) fn of(source: &Source<'_>) -> Result<Layout, ReportError> {
    let drawn = figures::drawn(source)?;
    let verdicts = figures::verdicts(source);
    let declared = source.comparison.contrasts.iter().filter(|contrast| contrast.primary).count();
    let verdicts_open = verdicts.figures.len() <= VERDICTS_OPEN_MOST && declared <= CONTRASTS_OPEN_MOST;
    let (mut why, mut rest) = (drawn.why, drawn.rest);
    let mut open = Vec::new();
    if let Some(profile) = &source.loaded.profile {
        open.extend(profile.sections(source));
        // Its loads are the way to the answer, not the answer.
        why.heading.clear();
        rest.insert(0, std::mem::take(&mut why));
    }
    open.extend([
        why,
        scale_out::section(source),
        cells::hosts(source),
        cells::crashes(source),
        drawn.beside,
    ]);
    open.extend(
        source
            .loaded
            .workloads()
            .into_iter()
            .enumerate()
            .map(|(index, name)| in_numbers(source, index, name)),
    );
    let mut folds = Vec::new();
    if verdicts_open {
        open.push(verdicts);
    } else {
        folds.push(Fold {
            id: "all-verdicts",
            title: say!("page-verdicts").to_owned(),
            small: verdicts.heading.clone(),
            sections: vec![verdicts],
        });
    }
    open.retain(Section::has_content);
    folds.push(all_figures(rest));
    folds.push(all_counters(counters::sections(source)?));
    folds.push(all_numbers(source)?);
    folds.push(all_cells(source));
    folds.extend(published::section(source).map(|section| Fold {
        id: "beside",
        title: say!("fold-published").to_owned(),
        small: say!("fold-published-more").to_owned(),
        sections: vec![section],
    }));
    folds.push(how(source));
    folds.iter_mut().for_each(|fold| fold.sections.retain(Section::has_content));
    folds.retain(|fold| !fold.sections.is_empty());
    Ok(Layout { hero: drawn.hero, open, folds })
}

impl Section {
    fn has_content(&self) -> bool {
        !(self.lead.is_empty() && self.figures.is_empty() && self.body.is_empty())
    }
}

/// The result of a workload in one table.
fn in_numbers(source: &Source<'_>, index: usize, workload: &str) -> Section {
    let table = (source.loaded.kind(workload).numbers)(source, workload);
    let caption = match source.loaded.has_repeats() {
        true => say!("page-in-numbers-caption", workload, mark = source.mark),
        false => say!("page-in-numbers-caption-once", workload, mark = source.mark),
    };
    let heading = say!("page-in-numbers");
    Section {
        id: Section::id_of("numbers", index),
        heading: match source.loaded.has_several_workloads() {
            true => say!("page-in-numbers-of", heading, workload),
            false => heading.to_owned(),
        },
        body: table.map(|table| table.to_html(&caption)).unwrap_or_default(),
        ..Section::default()
    }
}

/// The titles of this many figures are told before the fold is opened.
const TITLES_TOLD: usize = 4;

fn all_figures(sections: Vec<Section>) -> Fold {
    let small = titles(&sections);
    Fold { id: "all-figures", title: say!("fold-figures").to_owned(), small, sections }
}

/// Counters of other programs, for all workloads.
fn all_counters(sections: Vec<Section>) -> Fold {
    let small = titles(&sections);
    Fold { id: "all-counters", title: say!("fold-counters").to_owned(), small, sections }
}

/// The number of the figures, and the first of their titles; the headings where there is no figure.
fn titles(sections: &[Section]) -> String {
    let titles: Vec<&str> =
        sections.iter().flat_map(|section| &section.figures).map(|figure| figure.title.as_str()).collect();
    if titles.is_empty() {
        return headings(sections);
    }
    let told = titles.iter().take(TITLES_TOLD).copied().collect::<Vec<_>>().join(" \u{b7} ");
    say!("fold-more", count = sentences::grouped(titles.len()), first = told)
}

fn headings(sections: &[Section]) -> String {
    sections.iter().map(|section| section.heading.as_str()).collect::<Vec<_>>().join(" \u{b7} ")
}

/// The tables behind limiters, operations, instances, bytes and input.
fn all_numbers(source: &Source<'_>) -> Result<Fold, ReportError> {
    let mut sections = operation::sections(source);
    sections.extend(source.loaded.profile.as_ref().map(|profile| profile.loads(source)).transpose()?);
    sections.push(cells::limiters(source));
    sections.push(cells::pace(source));
    sections.push(cells::instances(source));
    sections.push(held::limits(source));
    sections.push(held::wear(source));
    sections.push(cells::inputs(source));
    sections.retain(Section::has_content);
    let small = headings(&sections);
    Ok(Fold { id: "all-numbers", title: say!("fold-numbers").to_owned(), small, sections })
}

fn all_cells(source: &Source<'_>) -> Fold {
    let section = Section { heading: String::new(), ..cells::all(source) };
    Fold {
        id: "all-cells",
        title: say!("page-cells").to_owned(),
        small: cells::tally(source.loaded),
        sections: vec![section],
    }
}

/// Everything that is needed to believe the numbers or to repeat them.
fn how(source: &Source<'_>) -> Fold {
    let description: Vec<String> = source.loaded.notes_of(NoteKind::Description).map(str::to_owned).collect();
    // The experiment's own words are about beds on this machine.
    let is_apart = source.loaded.is_simulated() && !description.is_empty();
    let simulated = is_apart.then(|| say!("page-about-simulated"));
    let run = &source.loaded.run;
    let file = (crate::naming::in_short(run) != run.name).then(|| say!("page-file", path = &run.name));
    let about = Section {
        id: "about".into(),
        heading: say!("page-about").to_owned(),
        lead: simulated.map(str::to_owned).into_iter().collect(),
        body: list(&description.into_iter().chain(file).collect::<Vec<_>>()),
        ..Section::default()
    };
    let basis = Section {
        id: "basis".into(),
        heading: say!("page-basis").to_owned(),
        body: list(&source.comparison.basis),
        ..Section::default()
    };
    let mut sections = vec![basis, beds::section(source), about];
    sections.extend(surroundings::floor(source));
    sections.push(surroundings::fingerprint(source));
    sections.push(limits::not_shown(source));
    sections.extend(limits::deviations(source));
    sections.push(limits::reproduce(source));
    // An empty list is no content.
    sections.retain(|section| section.has_content());
    let small = match source.loaded.is_imported() {
        true => say!("fold-how-imported").to_owned(),
        false => say!("fold-how-more", seed = source.loaded.run.seed.to_string()),
    };
    Fold { id: "how", title: say!("fold-how").to_owned(), small, sections }
}

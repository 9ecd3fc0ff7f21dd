//! Runs that profile a drive: loads with the model that was fitted to them, and a drive beside its emulated
//! twin. The error of a model is their answer, not a comparison of beds.

mod fit;
#[cfg(test)]
mod given;
mod loads;
mod names;
mod predicted;
mod twin;

use crate::brief::rows;
use crate::comparison::Comparison;
use crate::error::ReportError;
use crate::figure::Figure;
use crate::lines::wrap;
use crate::loaded_run::{Facts, LoadedRun};
use crate::page::Section;
use crate::sentences::{self, Span};
use crate::source::Source;
use crate::table::Table;
use experiment::{Experiment, Storage};
use notebook::{CellState, Notebook, Run, RunId};
use study::profile::{FACTS, FIT, KeptFit, Profiled};
use words::say;

pub(crate) use names::{fact_name, fact_value};
pub(crate) use twin::Twin;

/// The loads of a profile, or a certificate.
#[derive(Clone, Debug)]
pub(crate) enum Profile {
    /// Loads on a drive, and the fit that was made from them, if one was.
    Loads(Option<Box<KeptFit>>),
    /// The same loads on a drive and on its model.
    Twin(Twin),
}

/// The answer of a profile and everything that is known of its model, for a terminal; nothing for any other
/// run.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read or the run was never planned.
pub fn profile_in_full(notebook: &Notebook, run: RunId) -> Result<String, ReportError> {
    let loaded = LoadedRun::read(notebook, run)?;
    let Some(profile) = &loaded.profile else { return Ok(String::new()) };
    let answer = wrap(&sentences::join(&profile.answer(&loaded)), "");
    Ok(format!("{answer}\n{}", profile.told(notebook, &loaded)?))
}

impl Profile {
    /// Reads what a run is a profile of; `None` for any other run.
    ///
    /// # Errors
    /// When the notebook cannot be read.
    pub(crate) fn of(
        notebook: &Notebook,
        run: &Run,
        experiment: Option<&Experiment>,
        facts: &[(String, Facts)],
    ) -> Result<Option<Profile>, ReportError> {
        let scope = |wanted: &str| facts.iter().find(|(scope, _)| scope == wanted).map(|(_, facts)| facts);
        let profiled = Profiled::of(&run.name, scope(FACTS));
        if profiled == Some(Profiled::Twin) {
            let drive = experiment.and_then(modelled).unwrap_or_default();
            return Ok(Twin::read(notebook, run.id, drive)?.map(Profile::Twin));
        }
        let fit = scope(FIT).and_then(KeptFit::read).map(Box::new);
        Ok((profiled.is_some() || fit.is_some()).then_some(Profile::Loads(fit)))
    }

    /// The answer in pieces.
    pub(crate) fn answer(&self, loaded: &LoadedRun) -> Vec<Span> {
        sentences::spans(&match self {
            Profile::Loads(Some(fit)) => fit::answer(fit),
            Profile::Loads(None) => {
                let run = loaded.run.id.to_string();
                say!("profile-answer-not-fitted", cells = sentences::cells(valid(loaded)), run)
            }
            Profile::Twin(twin) => twin.answer(),
        })
    }

    /// The caution about an inaccurate model.
    pub(crate) fn inaccurate(&self) -> Option<String> {
        match self {
            Profile::Loads(Some(fit)) => fit::inaccurate(fit),
            Profile::Loads(None) | Profile::Twin(_) => None,
        }
    }

    /// The table of the result in twenty lines, and the number of rows that were left out.
    pub(crate) fn brief_table(
        &self,
        loaded: &LoadedRun,
        comparison: &Comparison,
        room: usize,
    ) -> (Table, usize) {
        match self {
            Profile::Loads(Some(fit)) if fit::is_judged(fit) => (fit::error_table(fit), 0),
            Profile::Loads(Some(fit)) => cut(fit::number_table(fit), room),
            Profile::Loads(None) => rows::of_run(loaded, comparison, room),
            Profile::Twin(twin) => cut(twin.worst_first().table(), room),
        }
    }

    /// Everything that is known of the model, for a terminal.
    ///
    /// # Errors
    /// When the notebook cannot be read.
    pub(crate) fn told(&self, notebook: &Notebook, loaded: &LoadedRun) -> Result<String, ReportError> {
        match self {
            Profile::Loads(fit) => {
                let mut text = fit.as_ref().map(|fit| fit::told(fit)).unwrap_or_default();
                text.push_str(&loads::told(notebook, loaded)?);
                Ok(text)
            }
            Profile::Twin(twin) => Ok(format!("{}\n{}", say!("profile-twin"), twin.table().to_text("  "))),
        }
    }

    /// The first figure of the page, where there is enough to draw.
    pub(crate) fn hero(&self) -> Option<Figure> {
        match self {
            Profile::Loads(fit) => predicted::figure(fit.as_ref()?),
            Profile::Twin(twin) => twin.figure(),
        }
    }

    /// The three facts beside it: name, value, what the value is of, explanation.
    pub(crate) fn tiles(&self) -> Vec<[String; 4]> {
        match self {
            Profile::Loads(fit) => fit.as_ref().map(|fit| fit::tiles(fit)).unwrap_or_default(),
            Profile::Twin(twin) => twin.tiles(),
        }
    }

    /// The sections that are shown from the start.
    pub(crate) fn sections(&self, source: &Source<'_>) -> Vec<Section> {
        match self {
            Profile::Loads(fit) => fit.iter().map(|fit| fit::section(fit, &source.mark)).collect(),
            Profile::Twin(twin) => vec![twin.section(&source.mark)],
        }
    }

    /// The loads in one table.
    ///
    /// # Errors
    /// When the notebook cannot be read.
    pub(crate) fn loads(&self, source: &Source<'_>) -> Result<Section, ReportError> {
        match self {
            Profile::Loads(_) => loads::section(source),
            Profile::Twin(_) => Ok(Section::default()),
        }
    }
}

/// The number of cells that count.
fn valid(loaded: &LoadedRun) -> usize {
    loaded.cells.iter().filter(|measured| measured.cell.state == CellState::Done).count()
}

/// The drive that is modelled on the second of two beds, as the experiment names it.
fn modelled(experiment: &Experiment) -> Option<String> {
    let Storage::Emulated { drive, .. } = &experiment.bed.get(1)?.storage else { return None };
    Some(drive.clone())
}

/// The table with as many rows as there is room for, and the number of the others.
fn cut(mut table: Table, room: usize) -> (Table, usize) {
    let all = table.rows.len();
    table.rows.truncate(room);
    (table, all.saturating_sub(room))
}

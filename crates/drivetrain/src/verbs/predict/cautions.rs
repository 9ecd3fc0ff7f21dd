//! The limits of a prediction: gaps in its run and in the numbers of its drives. Each is told once, and kept
//! for documents.

use std::path::Path;

use device::catalogue::{Entry, Fact};
use experiment::{Bed, Storage};
use lab::Unlike;
use notebook::{CellState, Notebook, Run, RunId};
use study::{PredictedBed, Taken};
use words::Realm;

use crate::console::Console;
use crate::exit::Coded;
use crate::verbs::drives;
use crate::verbs::run as verb_run;

/// Numbers of a drive on which every load of a database depends, by the beginning of their keys.
pub(super) const OF_DATABASES: [&str; 3] = ["read.latency", "write.ack", "flush.cost"];

/// The cautions that were told.
pub(super) struct Cautions<'c> {
    console: &'c Console,
    told: Vec<String>,
}

impl<'c> Cautions<'c> {
    pub(super) fn new(console: &'c Console) -> Self {
        Self { console, told: Vec::new() }
    }

    /// All of them, for a document.
    pub(super) fn told(&self) -> &[String] {
        &self.told
    }

    pub(super) fn add(&mut self, words: String) {
        if !self.told.contains(&words) {
            self.console.warn(&words);
            self.told.push(words);
        }
    }

    /// A drive whose file states a large error.
    pub(super) fn of_error(&mut self, given: &str, entry: &Entry) {
        if let Some(caution) = lab::inaccurate(entry, given) {
            self.add(caution.to_string());
        }
    }

    /// Numbers of a drive that no measurement tells, of those that the load depends on.
    pub(super) fn of_gaps(&mut self, entry: &Entry, depends: &[&str]) {
        let asked = |fact: &&Fact| depends.iter().any(|begins| fact.key.starts_with(begins));
        let keys = |is_gap: fn(&Fact) -> bool| {
            let gaps = entry.facts.iter().filter(asked).filter(|fact| is_gap(fact));
            gaps.map(|fact| fact.key.as_str()).collect::<Vec<_>>().join(", ")
        };
        let name = &entry.name;
        let (open, guessed) =
            (keys(|fact| !fact.is_identified), keys(|fact| fact.is_identified && fact.guess));
        if !open.is_empty() {
            self.add(format!(
                "{name}: this load depends on numbers that the measurement of the drive did not tell: {open} (the drive's file says why); profile the drive (`drivetrain profile`), or write better values into its file"
            ));
        }
        if !guessed.is_empty() {
            self.add(format!(
                "{name}: this load depends on numbers that are guesses: {guessed}; `drivetrain profile` measures a drive that you have"
            ));
        }
    }

    /// A run that was simulated or has cells that do not count, and processor time that others took.
    pub(super) fn of_run(
        &mut self,
        (notebook, path): (&Notebook, &Path),
        run: &Run,
        taken: &Taken,
    ) -> anyhow::Result<()> {
        let id = run.id;
        if run.realm == Realm::Simulated {
            self.add(format!(
                "run {id} was simulated: the values that are called measured are those of the simulation"
            ));
        }
        let cells = notebook.cells(id)?;
        let done = cells.iter().filter(|cell| cell.state == CellState::Done).count();
        if done < cells.len() {
            self.add(format!(
                "{done} of {} cells of run {id} count: levels without one are missing here, and few repeats tell little of the spread; measure the rest with `{}`",
                cells.len(),
                verb_run::resume_line(path, id)
            ));
        }
        self.of_taken(taken, id);
        Ok(())
    }

    fn of_taken(&mut self, taken: &Taken, run: RunId) {
        let others = [
            ("other programs", taken.others_percent, "on a machine that does nothing else"),
            ("the host of this virtual machine", taken.steal_percent, "while the host is quiet"),
        ];
        for (who, percent, when) in others {
            if let Some(percent) = percent.filter(|percent| *percent > report::OTHERS_MOST_PERCENT) {
                self.add(format!(
                    "{who} took up to {percent:.0} % of the processors in the cells of run {run}: this time looks like waits of the load; measure again {when} before you decide by this"
                ));
            }
        }
    }

    /// Refuses a bed whose drive has other numbers by now than the run was measured with, unless `is_named`
    /// says that the user names its drive. Takes a judge away that was measured with other numbers than those
    /// of the predicted drive.
    pub(super) fn of_numbers(
        &mut self,
        (notebook, run): (&Notebook, RunId),
        is_named: bool,
        told: &mut PredictedBed<'_>,
    ) -> anyhow::Result<()> {
        let unlike = |bed: &Bed, drive: &str| -> anyhow::Result<Option<String>> {
            let unlike = lab::number_unlike(notebook, run, bed, &drives::find(drive)?)?;
            // Notebooks of older versions know no numbers.
            let Some(unlike @ Unlike::Number { .. }) = unlike else { return Ok(None) };
            let name = &bed.name;
            Ok(Some(format!(
                "bed {name} of run {run} was measured on other numbers than {drive} has: {unlike}"
            )))
        };
        if let Storage::Emulated { drive, .. } = &told.bed.storage
            && !is_named
            && let Some(why) = unlike(told.bed, drive)?
        {
            return Err(Coded::usage(format!(
                "{why}; put the numbers back, run the experiment anew, or name the drive to predict from with --measured-on"
            )));
        }
        if let Some(judge) = told.judge.filter(|judge| matches!(judge.storage, Storage::Emulated { .. }))
            && let Some(why) = unlike(judge, &told.drive)?
        {
            self.add(format!("{why}; it cannot judge the prediction"));
            told.drop_judge();
        }
        Ok(())
    }
}

//! The result in at most twenty lines: question, answer, one table, what would change the verdict. Whoever
//! prints it adds the path of the report and the next command.

pub(crate) mod rows;

use crate::caution;
use crate::compare;
use crate::comparison::Comparison;
use crate::error::ReportError;
use crate::lines::wrap;
use crate::loaded_run::LoadedRun;
use crate::sentences;
use crate::table::Table;
use measure::Verdict;
use notebook::{Notebook, RunId};
use words::say;

/// A result as it ends a command.
#[derive(Clone, Debug)]
pub struct Brief {
    /// Plain text, ending with a line end.
    pub text: String,
    /// The repeats in all after which the headline's verdict would be settled, where it is open and a number
    /// is known: what `resume --repeats` takes.
    pub repeats_to_settle: Option<usize>,
}

/// Lines of a result, without the report's path and the next command.
const LINES: usize = 17;
/// A table has at least this many rows, however long the sentences are.
const ROWS_MIN: usize = 4;

/// The result of one run.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read or the run was never planned.
pub fn brief(notebook: &Notebook, run: RunId) -> Result<Brief, ReportError> {
    let loaded = LoadedRun::read(notebook, run)?;
    let comparison = compare::of_book(&loaded);
    let by_repeats =
        comparison.headline.as_ref().filter(|_| !caution::bench_is_at_fault(&loaded, &comparison));
    let repeats = by_repeats.and_then(|headline| {
        let more = headline.judgement.more_runs.filter(|_| headline.verdict() == Verdict::Inconclusive)?;
        Some(loaded.cells.iter().map(|m| m.cell.repeat as usize + 1).max().unwrap_or(0) + more)
    });
    let table = |room| rows::of_result(&loaded, &comparison, room);
    Ok(Brief { text: comparison.told_briefly(table), repeats_to_settle: repeats })
}

/// The cautions that change how far the answer of a run holds, a sentence each.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read or the run was never planned.
pub fn cautions(notebook: &Notebook, run: RunId) -> Result<Vec<String>, ReportError> {
    let comparison = compare::of_book(&LoadedRun::read(notebook, run)?);
    let nuisances = (!comparison.nuisances.is_empty()).then(|| comparison.nuisance_sentence());
    Ok(nuisances.into_iter().chain(comparison.graded().0.to_vec()).collect())
}

impl Comparison {
    /// The comparison of two runs in at most twenty lines, ending with a line end.
    #[must_use]
    pub fn to_brief(&self) -> String {
        self.told_briefly(|room| rows::of_contrasts(self, room))
    }

    /// Question and answer, the table that `table` makes for the room that is left, and what would change the
    /// verdict.
    fn told_briefly(&self, table: impl FnOnce(usize) -> (Table, usize)) -> String {
        let mut head = self.question.as_deref().map(|question| wrap(question, "")).unwrap_or_default();
        head.push_str(&wrap(&self.answer, ""));
        head.extend(self.varied_sentence().map(|varied| wrap(&varied, "")));
        head.extend(self.scale_out_sentences().iter().map(|sentence| wrap(sentence, "")));
        let tail = self.would_change();
        let taken = head.lines().count() + tail.lines().count() + 3;
        let (table, left_out) = table(LINES.saturating_sub(taken).max(ROWS_MIN));
        let mut text = head;
        if !table.rows.is_empty() {
            text.push('\n');
            text.push_str(&table.to_text("  "));
        }
        if left_out > 0 {
            text.push_str(&format!("  {}\n", say!("brief-more-rows", count = sentences::grouped(left_out))));
        }
        text.push('\n');
        text.push_str(&tail);
        text
    }

    /// The first caution that changes how far the answer holds, and the number of the others.
    fn would_change(&self) -> String {
        let (grave, notes) = self.graded();
        let nuisances = (!self.nuisances.is_empty()).then(|| self.nuisance_sentence());
        let mut grave = nuisances.iter().chain(grave);
        let mut text = match grave.next() {
            Some(first) => wrap(&say!("brief-changes", first), ""),
            None => String::new(),
        };
        if let Some(first) = self.excluded.first() {
            let (count, first) = (sentences::grouped(self.excluded.len()), self.excluded_sentence(first));
            text.push_str(&wrap(&say!("brief-left-out", count, first), ""));
        }
        let (more, notes) = (grave.count(), notes.len());
        let has_verdict = !self.contrasts.is_empty();
        let rest = match (text.is_empty(), more, notes) {
            (true, _, 0) if !has_verdict => say!("brief-no-warning").to_owned(),
            (true, _, notes) if !has_verdict => {
                say!("brief-no-warning-notes", count = sentences::grouped(notes))
            }
            (true, _, 0) => say!("brief-nothing-changes").to_owned(),
            (true, _, notes) => say!("brief-notes-only", count = sentences::grouped(notes)),
            (false, 0, 0) => String::new(),
            (false, more, 0) => say!("brief-more-changes", more),
            (false, 0, notes) => say!("brief-more-notes", notes),
            (false, more, notes) => say!("brief-more", more, notes),
        };
        if !rest.is_empty() {
            text.push_str(&wrap(&rest, ""));
        }
        text
    }
}

//! The result of an observation in at most twenty lines: what was seen, the demands of a transaction, what
//! its clients waited for, and what a reader must know.

use notebook::{Notebook, RunId};
use words::{NoteKind, say};

use crate::compare;
use crate::error::ReportError;
use crate::kind::observed::DEMANDS;
use crate::limiter::Limiters;
use crate::lines::wrap;
use crate::loaded_run::LoadedRun;
use crate::number;
use crate::table::{Table, columns};

/// Remarks that are told with the result; the others are on the page.
const REMARKS_MOST: usize = 2;

/// The result of a run that observed a server: plain text, ending with a line end.
///
/// # Errors
/// [`ReportError`] when the notebook cannot be read.
pub fn observed(notebook: &Notebook, run: RunId) -> Result<String, ReportError> {
    let loaded = LoadedRun::read(notebook, run)?;
    let mut text = told(&loaded, &compare::of_book(&loaded).limiters);
    let remarks: Vec<&str> = loaded.notes_of(NoteKind::Warning).collect();
    text.extend(remarks.iter().take(REMARKS_MOST).map(|remark| wrap(remark, "- ")));
    Ok(text)
}

/// The observed load, the demands of a transaction, and the waits of its clients.
pub(crate) fn told(loaded: &LoadedRun, limiters: &[Limiters]) -> String {
    let mut text: String = loaded.notes_of(NoteKind::Description).map(|note| wrap(note, "")).collect();
    text.push('\n');
    text.push_str(&demands(loaded).to_text("  "));
    text.push('\n');
    for limiters in limiters {
        let figures = limiters.figures.as_ref().map(ToString::to_string).unwrap_or_default();
        text.push_str(&wrap(&say!("observed-limited-by", limiter = limiters.shown(), figures), ""));
    }
    text
}

/// The metrics that were seen, a row each.
fn demands(loaded: &LoadedRun) -> Table {
    let mut table = Table::new(columns![
        text say!("column-metric"),
        number say!("column-value"),
        text "",
    ]);
    let Some(measured) = loaded.cells.first() else { return table };
    for metric in DEMANDS {
        let (Some(value), Some(shown)) = (measured.values.get(*metric), metric.shown()) else { continue };
        table.row([shown.title.to_owned(), number::plain(value), shown.unit.to_owned()]);
    }
    table
}

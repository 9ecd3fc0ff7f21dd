//! A door for `fuzz/` and for tests: notebooks that are the bytes of a file, opened and imported from
//! without a file.

use std::cell::RefCell;

use rusqlite::{Transaction, TransactionBehavior};

use crate::{APPLICATION_ID, Notebook, NotebookError, RunId};

/// The place in SQLite's header that says that a write-ahead log belongs to the file; in memory there is
/// none.
const VERSIONS_AT: usize = 18;
/// The place in the header of the mark by which the VFS recognises a notebook.
const MARK_AT: usize = 68;

thread_local! {
    /// The notebook that is imported into; each import is taken back.
    static FRESH: RefCell<Notebook> = RefCell::new(fresh());
}

/// A new notebook, with something attached that others' bytes can take the place of.
fn fresh() -> Notebook {
    let fresh = Notebook::in_memory().expect("a new notebook");
    let attach = "PRAGMA temp_store = MEMORY; ATTACH DATABASE ':memory:' AS source";
    fresh.connection().execute_batch(attach).expect("one is attached");
    fresh
}

/// Opens the bytes, reads all that is in them, and imports all runs.
///
/// # Panics
/// When something is refused without words, what was imported cannot be read, or what was refused left
/// something behind.
pub fn open_and_import(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    if bytes.len() < 100 || bytes[MARK_AT..MARK_AT + 4] != APPLICATION_ID.to_be_bytes() {
        return; // Refused before SQLite sees it; see `vfs`.
    }
    bytes[VERSIONS_AT..VERSIONS_AT + 2].fill(1);
    let from = match Notebook::of_bytes(&bytes) {
        Ok(from) => from,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let sound = from.verify();
    let Ok(runs) = from.runs() else { return assert!(sound.is_err(), "its runs cannot be listed") };
    runs.iter().for_each(|run| drop(read_all(&from, run.id)));
    let runs: Vec<RunId> = runs.iter().map(|run| run.id).collect();
    if from.require_sound_file().is_ok() {
        FRESH.with_borrow_mut(|here| import(here, &from, &bytes, &runs));
    }
}

fn import(here: &mut Notebook, from: &Notebook, bytes: &[u8], runs: &[RunId]) {
    let attached = here.connection_mut().deserialize_read_exact("source", bytes, bytes.len(), false);
    attached.expect("it was opened a moment ago");
    // The effect of ATTACH on a file, unlike deserializing: the schema is read, or the file refused and not
    // attached.
    let schema = here.connection().query_row("SELECT count(*) FROM source.sqlite_schema", [], |_| Ok(()));
    if let Err(error) = schema {
        *here = fresh();
        return assert!(!error.to_string().is_empty());
    }
    let transaction = Transaction::new_unchecked(here.connection(), TransactionBehavior::Immediate);
    let transaction = transaction.expect("nobody else writes");
    match here.copy_attached(&transaction, from, runs) {
        Ok(copied) => {
            here.verify().expect("what was copied is sound");
            copied.iter().for_each(|run| read_all(here, *run).expect("what was copied can be read"));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    drop(transaction); // It is rolled back, unless SQLite did so already.
    let left = here.runs();
    assert!(left.as_ref().is_ok_and(|runs| runs.is_empty()), "something stayed: {left:?}");
}

/// Reads everything of a run.
fn read_all(notebook: &Notebook, run: RunId) -> Result<(), NotebookError> {
    notebook.run(run)?;
    notebook.beds(run)?;
    notebook.fact_set_history(run)?;
    notebook.notes(run)?;
    notebook.published(run)?;
    for cell in notebook.cells(run)? {
        notebook.measurements(cell.id)?;
        notebook.series(cell.id)?;
        notebook.histograms(cell.id)?;
        notebook.phases(cell.id)?;
        notebook.events(cell.id)?;
        notebook.points(cell.id)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn odd_notebooks_are_read_or_refused_in_words() {
        testkit::odd_inputs("notebook", super::open_and_import);
    }
}

//! The integrity check: is the file whole, are its references, and can everything in it be read?

use std::sync::OnceLock;

use rusqlite::Connection;

use crate::error::{NotebookError, unsound};
use crate::open::Notebook;
use crate::records::CellId;
use crate::schema::migrate;

/// Name and definition of everything in the schema of a notebook.
type Objects = Vec<(String, Option<String>)>;

/// The objects of a new notebook; they are the same as long as the process lives.
static EXPECTED: OnceLock<Objects> = OnceLock::new();

/// Problems named in an error; the rest are only counted.
const NAMED_PROBLEMS: usize = 5;

impl Notebook {
    /// Reads the whole notebook and checks it: SQLite's integrity and reference checks, the tables against
    /// this version's schema, and everything in the latest attempts read.
    ///
    /// # Errors
    /// [`NotebookError::Corrupt`] naming the first problems.
    pub fn verify(&self) -> Result<(), NotebookError> {
        let mut problems = self.broken_pages()?;
        // Anything else asked of a file with broken pages would only repeat the same finding.
        if problems.is_empty() {
            problems.extend(self.changed_schema()?);
            problems.extend(self.dangling_references()?);
            problems.extend(self.unreadable_cells()?);
        }
        if problems.is_empty() {
            return Ok(());
        }
        let more = problems.len().saturating_sub(NAMED_PROBLEMS);
        problems.truncate(NAMED_PROBLEMS);
        let mut detail = problems.join("; ");
        if more > 0 {
            detail.push_str(&format!("; and {more} more"));
        }
        Err(unsound(self.path(), "checking it", detail))
    }

    /// Problems of the file's own pages; a notebook that is attached for an import is checked by itself.
    pub(crate) fn broken_pages(&self) -> Result<Vec<String>, NotebookError> {
        let failed = self.failed("checking its integrity");
        let mut statement = self.connection().prepare("PRAGMA main.integrity_check").map_err(&failed)?;
        let lines = statement
            .query_map([], |row| row.get::<_, String>(0))
            .and_then(|rows| rows.collect::<Result<Vec<_>, _>>())
            .map_err(failed)?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }

    pub(crate) fn changed_schema(&self) -> Result<Vec<String>, NotebookError> {
        let failed = self.failed("checking its schema");
        let expected = match EXPECTED.get() {
            Some(expected) => expected,
            None => {
                let fresh = Connection::open_in_memory().map_err(&failed)?;
                let made = migrate(&fresh).and_then(|()| objects(&fresh)).map_err(&failed)?;
                EXPECTED.get_or_init(|| made)
            }
        };
        let found = objects(self.connection()).map_err(&failed)?;
        let missing = expected.iter().filter(|object| !found.contains(object));
        Ok(missing.map(|(name, _)| format!("`{name}` is missing or was changed")).collect())
    }

    fn dangling_references(&self) -> Result<Vec<String>, NotebookError> {
        let failed = self.failed("checking its references");
        let mut statement = self.connection().prepare("PRAGMA foreign_key_check").map_err(&failed)?;
        statement
            .query_map([], |row| {
                let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
                Ok(format!("a row of `{table}` refers to a row of `{parent}` that is not there"))
            })
            .and_then(|rows| rows.collect())
            .map_err(failed)
    }

    fn unreadable_cells(&self) -> Result<Vec<String>, NotebookError> {
        let mut problems = Vec::new();
        for summary in self.runs()? {
            self.fact_set_history(summary.id)?;
            self.published(summary.id)?;
            for cell in self.cells(summary.id)? {
                problems.extend(self.unreadable(cell.id));
            }
        }
        Ok(problems)
    }

    fn unreadable(&self, cell: CellId) -> Option<String> {
        let read = || {
            self.measurements(cell)?;
            self.phases(cell)?;
            self.points(cell)?;
            self.events(cell)?;
            self.series(cell)?;
            self.histograms(cell)
        };
        match read() {
            Ok(_) => None,
            Err(NotebookError::Unreadable { detail, .. }) => Some(detail),
            Err(error) => Some(error.to_string()),
        }
    }
}

fn objects(connection: &Connection) -> rusqlite::Result<Objects> {
    connection
        .prepare("SELECT name, sql FROM sqlite_schema")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

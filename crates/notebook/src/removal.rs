//! Removing a run because its user said so: the one way in which something measured leaves a notebook.

use rusqlite::{Connection, params};

use crate::error::NotebookError;
use crate::open::Notebook;
use crate::records::RunId;
use crate::rows;

impl Notebook {
    /// Removes a run with all that belongs to it. Its number is never given to another run.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`]; what SQLite reports. Nothing is removed then.
    pub fn remove_run(&self, run: RunId) -> Result<(), NotebookError> {
        self.run(run)?;
        let failed = self.failed("removing a run");
        let transaction = self.write()?;
        remove(&transaction, run, &self.now()).map_err(&failed)?;
        transaction.commit().map_err(failed)
    }
}

/// The triggers that keep measurements are away for the time of the transaction, which nobody else sees.
fn remove(connection: &Connection, run: RunId, now: &str) -> rusqlite::Result<()> {
    let triggers: Vec<(String, String)> = connection
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (name, _) in &triggers {
        connection.execute_batch(&format!("DROP TRIGGER \"{name}\""))?;
    }
    rows::begin(connection, "main", run)?;
    for (table, owner) in rows::TABLES.iter().rev() {
        let mut statement =
            connection.prepare(&format!("DELETE FROM main.{table} WHERE {}", owner.rows("main")))?;
        if let Some(index) = statement.parameter_index(":run")? {
            statement.raw_bind_parameter(index, run.0)?;
        }
        statement.raw_execute()?;
    }
    rows::end(connection)?;
    connection.execute("INSERT INTO removed (run, removed_at) VALUES (?1, ?2)", params![run.0, now])?;
    triggers.iter().try_for_each(|(_, sql)| connection.execute_batch(sql))
}

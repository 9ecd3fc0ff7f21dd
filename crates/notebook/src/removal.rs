//! Removing a run because its user said so: the one way in which something measured leaves a notebook.

use rusqlite::{Connection, params};

use crate::error::NotebookError;
use crate::open::Notebook;
use crate::records::RunId;

/// The rows of a run, children first.
const REMOVE: &[&str] = &[
    "DELETE FROM point_value WHERE attempt IN (SELECT id FROM gone)",
    "DELETE FROM point WHERE attempt IN (SELECT id FROM gone)",
    "DELETE FROM event WHERE attempt IN (SELECT id FROM gone)",
    "DELETE FROM histogram WHERE attempt IN (SELECT id FROM gone)",
    "DELETE FROM series WHERE attempt IN (SELECT id FROM gone)",
    "DELETE FROM measurement WHERE attempt IN (SELECT id FROM gone)",
    "DELETE FROM phase WHERE attempt IN (SELECT id FROM gone)",
    "DELETE FROM attempt WHERE id IN (SELECT id FROM gone)",
    "DELETE FROM cell WHERE run = :run",
    "DELETE FROM bed_fact WHERE bed IN (SELECT id FROM bed WHERE run = :run)",
    "DELETE FROM bed WHERE run = :run",
    "DELETE FROM fact WHERE fact_set IN (SELECT id FROM fact_set WHERE run = :run)",
    "DELETE FROM fact_set WHERE run = :run",
    "DELETE FROM note WHERE run = :run",
    "DELETE FROM published WHERE run = :run",
    "DELETE FROM tag WHERE run = :run",
    "DELETE FROM run WHERE id = :run",
];

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
    connection.execute(
        "CREATE TEMP TABLE gone AS SELECT id FROM attempt WHERE cell IN (SELECT id FROM cell WHERE run = ?1)",
        [run.0],
    )?;
    for sql in REMOVE {
        let mut statement = connection.prepare(sql)?;
        if let Some(index) = statement.parameter_index(":run")? {
            statement.raw_bind_parameter(index, run.0)?;
        }
        statement.raw_execute()?;
    }
    connection.execute("INSERT INTO removed (run, removed_at) VALUES (?1, ?2)", params![run.0, now])?;
    connection.execute_batch("DROP TABLE temp.gone")?;
    triggers.iter().try_for_each(|(_, sql)| connection.execute_batch(sql))
}

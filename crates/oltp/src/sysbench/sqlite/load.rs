//! Plain inserts, all of them before anything is a database: the instance's own way of loading, without
//! journal and syncs.

use database::sqlite::Sqlite;
use rusqlite::params;

use crate::sysbench::error::SysbenchError;
use crate::sysbench::load::Job;
use crate::sysbench::sql::{self, Dialect as _, table_name};
use crate::sysbench::statement::Statement;

/// Rows between two looks at the stop flag.
const BATCH: usize = 1000;

pub(super) fn fill(instance: &Sqlite, job: &Job<'_>) -> Result<&'static str, SysbenchError> {
    let connection = instance.begin_load()?;
    connection.execute_batch("BEGIN").map_err(SysbenchError::sqlite("beginning to load"))?;
    while let Some(table) = job.claim() {
        fill_table(&connection, job, table)?;
    }
    connection.execute_batch("COMMIT").map_err(SysbenchError::sqlite("storing the rows"))?;
    instance.finish_load(connection)?;
    Ok("inserts")
}

fn fill_table(connection: &rusqlite::Connection, job: &Job<'_>, table: u32) -> Result<(), SysbenchError> {
    let doing = || SysbenchError::sqlite(format!("loading {}", table_name(table)));
    connection.execute_batch(&sql::create::<&Sqlite>(table)).map_err(doing())?;
    let mut insert =
        connection.prepare(&sql::statement::<&Sqlite>(Statement::Insert, table)).map_err(doing())?;
    let mut rows = job.rows_of(table).peekable();
    while rows.peek().is_some() {
        let mut count = 0;
        for row in rows.by_ref().take(BATCH) {
            insert.execute(params![row.id, row.k, row.c.as_str(), row.pad.as_str()]).map_err(doing())?;
            count += 1;
        }
        job.sent(count)?;
    }
    for sql in sql::finish::<&Sqlite>(table, job.options.rows) {
        connection.execute_batch(&sql).map_err(doing())?;
    }
    connection.execute_batch(&<&Sqlite>::analyze(table)).map_err(doing())?;
    job.completed();
    Ok(())
}

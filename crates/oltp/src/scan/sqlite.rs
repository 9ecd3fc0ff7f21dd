//! Scans and lookups on SQLite.

use database::sqlite::Sqlite;
use ground::Clock;

use super::query::{DOING, hold_to, question};
use super::table::{ROWS_AT_ONCE, definition, index, pad, ranks};
use super::{Answer, INDEX, Path, Scan, Steps, TABLE, Table};
use crate::error::OltpError;
use crate::until::Until;

impl Scan for &Sqlite {
    fn load(self, table: Table, seed: u64, steps: &Steps<'_>) -> Result<(), OltpError> {
        let failed = OltpError::sql("loading the table of a scan");
        let mut connection = self.begin_load()?;
        let until = steps.until.clone();
        connection.interrupt_when(move || until.is_over())?;
        let ranks = ranks(table, seed);
        let load = || -> Result<Result<(), OltpError>, rusqlite::Error> {
            // The key is SQLite's own row number only if it says INTEGER.
            connection.execute_batch(&definition("").replace("id bigint NOT NULL", "id INTEGER"))?;
            connection.execute_batch("BEGIN")?;
            {
                let mut insert = connection.prepare(&format!("INSERT INTO {TABLE} VALUES (?1, ?2, ?3)"))?;
                let mut text = String::new();
                for id in 0..table.rows {
                    text.clear();
                    pad(id, table.row_bytes, &mut text);
                    insert.execute((id, ranks.position(u64::from(id)) as u32, &text))?;
                    if id.is_multiple_of(ROWS_AT_ONCE)
                        && let Err(stopped) = steps.done(id, table.rows)
                    {
                        return Ok(Err(stopped));
                    }
                }
            }
            connection.execute_batch("COMMIT")?;
            connection.execute_batch(&index())?;
            connection.execute_batch("ANALYZE")?;
            Ok(Ok(()))
        };
        match load() {
            Ok(done) => done?,
            Err(error) => return Err(failed(error)),
        }
        self.finish_load(connection)?;
        Ok(())
    }

    fn read(self, asked: u32, path: Path, until: &Until) -> Result<Answer, OltpError> {
        let hint = match path {
            Path::Scan => "NOT INDEXED".to_owned(),
            Path::Lookup => format!("INDEXED BY {INDEX}"),
        };
        let sql = question(&hint, asked);
        let mut connection = self.connect()?;
        let until = until.clone();
        connection.interrupt_when(move || until.is_over())?;
        let plan: String = connection
            .query_row(&format!("EXPLAIN QUERY PLAN {sql}"), [], |row| row.get(3))
            .map_err(OltpError::sql(DOING))?;
        hold_to(path, &plan, ["SCAN", "SEARCH"])?;
        let start = Clock::Wall.stopwatch();
        let numbers = connection.query_row(&sql, [], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]));
        let [rows, places, bytes]: [i64; 3] = numbers.map_err(OltpError::sql(DOING))?;
        let whole = |number: i64| u64::try_from(number).unwrap_or(0);
        let (rows, sum_of_places, bytes) = (whole(rows), whole(places), whole(bytes));
        Ok(Answer { rows, sum_of_places, bytes, elapsed: start.elapsed(), plan })
    }
}

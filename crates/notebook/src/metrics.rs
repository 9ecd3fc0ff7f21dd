//! The metrics of a notebook: each name and unit once, known by a number.

use rusqlite::{Connection, OptionalExtension as _};

/// The number of a metric, given to it the first time it is seen.
pub(crate) fn intern(connection: &Connection, name: &str, unit: &str) -> rusqlite::Result<i64> {
    let known = connection
        .prepare_cached("SELECT id FROM metric WHERE name = ?1 AND unit = ?2")?
        .query_row([name, unit], |row| row.get(0))
        .optional()?;
    match known {
        Some(id) => Ok(id),
        None => {
            connection
                .prepare_cached("INSERT INTO metric (name, unit) VALUES (?1, ?2)")?
                .execute([name, unit])?;
            Ok(connection.last_insert_rowid())
        }
    }
}

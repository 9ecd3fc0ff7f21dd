//! Checks of the tables: they are as a run expects, and they still add up.

use super::error::SysbenchError;
use super::sql::{Dialect, table_name};
use super::wire::Row;

/// An engine that answers questions.
pub(crate) trait Ask: Dialect {
    type Questions: Questions;

    /// Opens a connection for questions.
    fn ask(self) -> Result<Self::Questions, SysbenchError>;
}

/// A connection for questions that have one row as their answer.
pub(crate) trait Questions {
    /// The first row; an error in the engine's words. Nothing is asked that takes an unbounded answer.
    fn row(&mut self, sql: &str) -> Result<Row, String>;

    /// The first row as whole numbers, NULL as 0.
    fn numbers<const N: usize>(&mut self, sql: &str) -> Result<[i64; N], String> {
        let row = self.row(sql)?;
        let mut numbers = [0; N];
        if row.len() != N {
            return Err(format!("`{sql}` gave {} values", row.len()));
        }
        for (number, value) in numbers.iter_mut().zip(row) {
            if let Some(text) = value {
                *number = text.parse().map_err(|_| format!("`{sql}` gave `{text}`"))?;
            }
        }
        Ok(numbers)
    }
}

/// Checks that every table is there with the columns and the ids that a run expects, whatever tool made it.
pub(crate) fn accept(engine: impl Ask, tables: u32, rows: u32) -> Result<(), SysbenchError> {
    let mut questions = engine.ask()?;
    for table in 1..=tables {
        let name = table_name(table);
        let not_loaded = |why| SysbenchError::NotLoaded { table: name.clone(), why };
        // One row is enough to see that every column is there.
        questions.row(&format!("SELECT id, k, c, pad FROM {name} WHERE id=1")).map_err(not_loaded)?;
        let [low, high] =
            questions.numbers(&format!("SELECT MIN(id), MAX(id) FROM {name}")).map_err(not_loaded)?;
        if (low, high) != (1, i64::from(rows)) {
            let (low, high) = (low.max(0) as u64, high.max(0) as u64);
            return Err(SysbenchError::OtherSize { table: name, low, high, rows });
        }
    }
    Ok(())
}

//! One table, read as a whole or by an index: the same rows, by the way that is asked for and no other.
//!
//! Ranks are a permutation of the rows, so that rows which lie side by side in the index lie anywhere in the
//! table: every lookup is a page of its own, as it is where an index does not follow the table's order.

mod mariadb;
mod postgresql;
mod query;
mod sqlite;
mod table;

use crate::admin::{Admin, Server, TextRow, blocking_until};
use crate::error::OltpError;
use crate::until::Until;

pub use query::{Answer, read};
pub use table::{check, load};

/// The table of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its rows.
    pub rows: u32,
    /// Bytes of payload in each.
    pub row_bytes: u32,
}

/// The two ways to the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Every row of the table in the order in which it lies.
    Scan,
    /// The index on the rank, and from it to each row.
    Lookup,
}

impl Path {
    /// For names of figures.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Lookup => "lookup",
        }
    }
}

/// Name of the table, and of the index on its rank.
pub(crate) const TABLE: &str = "scanned";
pub(crate) const INDEX: &str = "scanned_rank";

/// Rows of `table` that a share of them is.
#[must_use]
pub fn asked_rows(table: Table, share: f64) -> u32 {
    ((f64::from(table.rows) * share).round() as u32).clamp(1, table.rows)
}

/// The progress of a load, 0 to 1, and its stop signal.
pub(crate) struct Steps<'a> {
    pub(crate) until: &'a Until,
    pub(crate) progress: &'a dyn Fn(f64),
}

impl Steps<'_> {
    pub(crate) fn done(&self, rows: u32, all: u32) -> Result<(), OltpError> {
        (self.progress)(f64::from(rows) / f64::from(all.max(1)));
        if self.until.is_over() {
            return Err(OltpError::Stopped);
        }
        Ok(())
    }
}

/// An engine whose table can be scanned.
pub(crate) trait Scan {
    /// Makes and fills the table.
    fn load(self, table: Table, seed: u64, steps: &Steps<'_>) -> Result<(), OltpError>;

    /// Reads this many rows by `path`.
    fn read(self, asked: u32, path: Path, until: &Until) -> Result<Answer, OltpError>;
}

/// The words in which servers differ where a table is scanned.
pub(crate) trait ScanServer: Server {
    /// The options after the columns of a new table.
    const TABLE_OPTIONS: &'static str;
    /// The statement that gathers the table's statistics.
    const STATISTICS: &'static str;
    /// The words of the engine's plan for a scan and for a lookup.
    const PLAN_WORDS: [&'static str; 2];

    /// Settings of a session that is held to `path`.
    fn settings(path: Path) -> Vec<String>;

    /// The question for the rows of the lowest places, held to `path`. The length of the payload is in no
    /// index: every row must be visited.
    fn question(path: Path, asked: u32) -> String;

    /// The server's plan for a question.
    async fn plan(admin: &mut Admin<Self>, question: &str) -> Result<Vec<TextRow>, OltpError> {
        admin.rows(query::DOING, &format!("EXPLAIN {question}")).await
    }
}

impl<S: ScanServer> Scan for S {
    fn load(self, table: Table, seed: u64, steps: &Steps<'_>) -> Result<(), OltpError> {
        let until = steps.until;
        blocking_until(self, || until.is_over(), table::load_server(self, table, seed, steps))
    }

    fn read(self, asked: u32, path: Path, until: &Until) -> Result<Answer, OltpError> {
        blocking_until(self, || until.is_over(), query::read_server(self, asked, path))
    }
}

#[cfg(test)]
mod tests;

//! Series of other programs beside cells that have ended: added, never changed.

use measure::Series;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::NotebookError;
use crate::facts::{Facts, latest_fact_set, store_facts};
use crate::measured;
use crate::open::Notebook;
use crate::records::{CellId, RunId};

/// Numbers of series that were added to cells, and that were there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeriesAdded {
    /// Stored now.
    pub added: usize,
    /// There before with the same values.
    pub known: usize,
}

impl Notebook {
    /// Adds series to the latest attempts of cells of a run, with the facts of their source under `scope`, in
    /// one transaction. A series that a cell already has, with the same values, is passed over.
    ///
    /// # Errors
    /// [`NotebookError::WrongState`] for a cell that has not ended; [`NotebookError::BadRecord`] for a series
    /// of which the cell has another; what SQLite reports. Nothing is added then.
    pub fn add_series(
        &self,
        run: RunId,
        cells: &[(CellId, Vec<Series>)],
        (scope, facts): (&str, &Facts),
    ) -> Result<SeriesAdded, NotebookError> {
        self.run(run)?;
        let failed = self.failed("adding series beside a run");
        let transaction = self.write()?;
        let mut count = SeriesAdded::default();
        for (cell, series) in cells {
            let attempt = self.latest_attempt(*cell)?;
            if !attempt.state.is_final() {
                return Err(NotebookError::WrongState {
                    cell: *cell,
                    state: attempt.state,
                    wanted: "given series of another program",
                });
            }
            for one in series {
                match stored(&transaction, attempt.id, &one.metric).map_err(&failed)? {
                    None => {
                        measured::store_series(&transaction, attempt.id, one).map_err(&failed)?;
                        count.added += 1;
                    }
                    Some((start_s, samples))
                        if start_s == one.start_s && samples == measured::samples(&one.values) =>
                    {
                        count.known += 1;
                    }
                    Some(_) => {
                        let number = self.cell(*cell)?.position + 1;
                        let name = &one.metric;
                        let detail = format!(
                            "cell {number} already has another series `{name}`, of an import with another --offset or of another file; \
                             counters are not replaced: import them beside a copy of the run"
                        );
                        return Err(NotebookError::BadRecord { detail });
                    }
                }
            }
        }
        if count.added > 0 {
            let latest = latest_fact_set(&transaction, run, scope).map_err(&failed)?;
            if latest.as_ref() != Some(facts) {
                store_facts(&transaction, run, scope, facts, &self.now()).map_err(&failed)?;
            }
            transaction.commit().map_err(failed)?;
        }
        Ok(count)
    }
}

/// The start and the samples of a series of an attempt.
fn stored(connection: &Connection, attempt: i64, metric: &str) -> rusqlite::Result<Option<(f64, Vec<u8>)>> {
    connection
        .prepare_cached(
            "SELECT start_s, samples FROM series JOIN metric ON metric.id = series.metric
             WHERE attempt = ?1 AND metric.name = ?2",
        )?
        .query_row(params![attempt, metric], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

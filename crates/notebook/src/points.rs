//! Points of a cell: steps of a curve, pairs of a matrix, probes of a search, rounds before a steady state.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use crate::error::NotebookError;
use crate::metrics::intern;
use crate::open::Notebook;
use crate::readable::name;
use crate::records::{CellId, Measurement, Point};

impl Notebook {
    /// Reads the points of a cell, in their order; none for a cell that is one load from its start to its
    /// end.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchCell`].
    pub fn points(&self, cell: CellId) -> Result<Vec<Point>, NotebookError> {
        let values = self.of_attempt(
            cell,
            "SELECT position, metric.name, value, metric.unit FROM point_value
             JOIN metric ON metric.id = point_value.metric WHERE attempt = ?1 ORDER BY position, metric.id",
            |row| {
                let value = Measurement { metric: row.get(1)?, value: row.get(2)?, unit: row.get(3)? };
                Ok((row.get::<_, i64>(0)?, value))
            },
        )?;
        let mut of_point: BTreeMap<i64, Vec<Measurement>> = BTreeMap::new();
        for (position, value) in values {
            of_point.entry(position).or_default().push(value);
        }
        self.of_attempt(
            cell,
            "SELECT position, kind, name, round, read_share, block_size_bytes, depth, rate_asked, start_s, end_s, counts
             FROM point WHERE attempt = ?1 ORDER BY position",
            |row| {
                let position: i64 = row.get(0)?;
                Ok(Point {
                    kind: name(row, 1)?,
                    name: name(row, 2)?,
                    round: row.get(3)?,
                    read_share: row.get(4)?,
                    block_size_bytes: row.get::<_, Option<i64>>(5)?.map(i64::unsigned_abs),
                    depth: row.get(6)?,
                    rate_asked: row.get(7)?,
                    start_s: row.get(8)?,
                    end_s: row.get(9)?,
                    counts: row.get(10)?,
                    values: of_point.remove(&position).unwrap_or_default(),
                })
            },
        )
    }
}

/// Stores points inside the caller's transaction. Values that are not finite are left out: a point without a
/// value had none.
pub(crate) fn store(connection: &Connection, attempt: i64, points: &[Point]) -> rusqlite::Result<()> {
    for (position, point) in (0_i64..).zip(points) {
        connection
            .prepare_cached("INSERT INTO point VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")?
            .execute(params![
                attempt,
                position,
                point.kind,
                point.name,
                point.round,
                point.read_share,
                point.block_size_bytes.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
                point.depth,
                point.rate_asked,
                point.start_s,
                point.end_s,
                point.counts
            ])?;
        for value in point.values.iter().filter(|value| value.value.is_finite()) {
            let metric = intern(connection, &value.metric, &value.unit)?;
            connection
                .prepare_cached("INSERT OR IGNORE INTO point_value VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![attempt, position, metric, value.value])?;
        }
    }
    Ok(())
}

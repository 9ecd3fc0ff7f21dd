//! Points of a cell: steps of a curve, pairs of a matrix, probes of a search, rounds before a steady state.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row, params};

use crate::domain;
use crate::error::NotebookError;
use crate::metrics::intern;
use crate::open::Notebook;
use crate::readable::{name, placed};
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
                let read = domain::read_measurement(row, "point_value.value");
                of_point(row, read.and_then(|value| Ok((row.get::<_, i64>(0)?, value))))
            },
        )?;
        let mut by_point: BTreeMap<i64, Vec<Measurement>> = BTreeMap::new();
        for (position, value) in values {
            by_point.entry(position).or_default().push(value);
        }
        self.of_attempt(
            cell,
            "SELECT position, kind, name, round, read_share, block_size_bytes, depth, rate_asked, start_s, end_s, counts
             FROM point WHERE attempt = ?1 ORDER BY position",
            |row| {
                let values = by_point.remove(&row.get(0)?).unwrap_or_default();
                of_point(row, read_point(row)).map(|point| Point { values, ..point })
            },
        )
    }
}

/// Puts the point before the error of one of its values.
fn of_point<T>(row: &Row<'_>, read: rusqlite::Result<T>) -> rusqlite::Result<T> {
    let position: i64 = row.get("position")?;
    read.map_err(|error| placed(row, &format!("point {}", position.saturating_add(1)), error))
}

/// A point without its values.
fn read_point(row: &Row<'_>) -> rusqlite::Result<Point> {
    let (start_s, end_s) = domain::read_span(row, "point")?;
    Ok(Point {
        kind: name(row, "kind")?,
        name: name(row, "name")?,
        round: row.get("round")?,
        read_share: domain::read(row, "point.read_share")?,
        block_size_bytes: domain::read::<Option<i64>>(row, "point.block_size_bytes")?.map(i64::unsigned_abs),
        depth: domain::read(row, "point.depth")?,
        rate_asked: domain::read(row, "point.rate_asked")?,
        start_s,
        end_s,
        counts: domain::read(row, "point.counts")?,
        values: Vec::new(),
    })
}

/// Stores points inside the caller's transaction. Impossible values are left out: a point without a value had
/// none.
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
                domain::possible("point.read_share", point.read_share),
                point.block_size_bytes.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
                domain::possible("point.depth", point.depth),
                domain::possible("point.rate_asked", point.rate_asked),
                point.start_s,
                point.end_s,
                point.counts
            ])?;
        for value in point.values.iter().filter(|value| value.is_possible()) {
            let metric = intern(connection, &value.metric, &value.unit)?;
            connection
                .prepare_cached("INSERT OR IGNORE INTO point_value VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![attempt, position, metric, value.value])?;
        }
    }
    Ok(())
}

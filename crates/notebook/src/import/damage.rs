//! The check that a copied run can be read: it covers every attempt, superseded ones included, before the
//! copy is kept.

use measure::Histogram;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use crate::error::NotebookError;
use crate::open::Notebook;
use crate::readable::placed;
use crate::records::RunId;
use crate::{domain, measured};

/// The queries for the run's rows of a table, by the owner of a row.
const OF_RUN: &str = "SELECT 'the run', t.* FROM run AS t WHERE t.id = ?1";
const OF_CELL: &str = "SELECT 'cell ' || (t.position + 1), t.* FROM cell AS t WHERE t.run = ?1";
const OF_CELL_ATTEMPT: &str = "SELECT 'cell ' || (cell.position + 1), t.* FROM attempt AS t
    JOIN cell ON cell.id = t.cell WHERE cell.run = ?1";

/// Tables whose rows belong to a run, to a bed, to a fact set, and to an attempt.
const WITH_RUN: [&str; 5] = ["bed", "fact_set", "note", "published", "tag"];
const WITH_ATTEMPT: [&str; 7] =
    ["phase", "measurement", "series", "histogram", "event", "point", "point_value"];

/// Forbidden rows, with a description of each: each query gives the number of a cell, counted from 1, and a
/// name.
const NEVER: &[(&str, &str)] = &[
    (
        "SELECT cell.position + 1, bed.name FROM cell JOIN bed ON bed.id = cell.bed WHERE cell.run = ?1 AND bed.run <> ?1",
        "its bed belongs to another run",
    ),
    (
        "SELECT position + 1, workload FROM cell WHERE run = ?1 AND id NOT IN (SELECT cell FROM attempt)",
        "it has no attempt",
    ),
    (
        "SELECT cell.position + 1, phase.name FROM cell JOIN attempt ON attempt.cell = cell.id
         JOIN phase ON phase.attempt = attempt.id WHERE cell.run = ?1 AND phase.end_s < phase.start_s - 1e-6",
        "the phase ends before its start",
    ),
    (
        "SELECT cell.position + 1, point.name FROM cell JOIN attempt ON attempt.cell = cell.id
         JOIN point ON point.attempt = attempt.id WHERE cell.run = ?1 AND point.end_s < point.start_s - 1e-6",
        "the point ends before its start",
    ),
];

/// Tables of an attempt in which a metric's name may occur once, whatever its unit.
const ONCE: [&str; 3] = ["measurement", "series", "histogram"];

/// The first fault of run `run`, if there is one.
pub(super) fn find(notebook: &Notebook, run: RunId) -> Result<Option<String>, NotebookError> {
    let failed = notebook.failed("checking what was copied");
    let mut found = rows_of_the_run(notebook.connection(), run).map_err(&failed)?;
    if found.is_none() {
        found = impossible_value(notebook.connection(), run).map_err(&failed)?;
    }
    if found.is_some() {
        return Ok(found);
    }
    // Constraints beyond a column's type: the seed and the treatment are read by these.
    let read = notebook.run(run).and_then(|_| notebook.beds(run));
    let read = read.and_then(|_| notebook.notes(run)).and_then(|_| notebook.cells(run));
    match read {
        Ok(_) => relations(notebook.connection(), run).map_err(failed),
        Err(NotebookError::Unreadable { detail, .. }) => Ok(Some(detail)),
        Err(error) => Err(error),
    }
}

fn rows_of_the_run(connection: &Connection, run: RunId) -> rusqlite::Result<Option<String>> {
    let mut asked: Vec<(&str, String)> = vec![("run", OF_RUN.to_owned())];
    asked.extend(
        WITH_RUN.map(|table| (table, format!("SELECT 'the run', t.* FROM {table} AS t WHERE t.run = ?1"))),
    );
    for (table, owner) in [("bed_fact", "bed"), ("fact", "fact_set")] {
        let sql = format!(
            "SELECT 'the run', t.* FROM {table} AS t JOIN {owner} ON {owner}.id = t.{owner} WHERE {owner}.run = ?1"
        );
        asked.push((table, sql));
    }
    asked.extend([("cell", OF_CELL.to_owned()), ("attempt", OF_CELL_ATTEMPT.to_owned())]);
    asked.extend(WITH_ATTEMPT.map(|table| {
        let sql = format!(
            "SELECT 'cell ' || (cell.position + 1) || ', attempt ' || attempt.number, t.* FROM cell
             JOIN attempt ON attempt.cell = cell.id JOIN {table} AS t ON t.attempt = attempt.id WHERE cell.run = ?1"
        );
        (table, sql)
    }));
    for (table, sql) in asked {
        let found = first(connection, &sql, Some(run), |row, columns| damaged_value(row, columns, table))?;
        if found.is_some() {
            return Ok(found);
        }
    }
    // Metrics are shared by all runs; the source's own are looked at, for ours are none of its business.
    first(connection, "SELECT 'a metric', t.* FROM source.metric AS t", None, |row, columns| {
        damaged_value(row, columns, "metric")
    })
}

/// Runs the query and gives the first finding of `look`.
fn first(
    connection: &Connection,
    sql: &str,
    run: Option<RunId>,
    mut look: impl FnMut(&Row<'_>, &[String]) -> rusqlite::Result<Option<String>>,
) -> rusqlite::Result<Option<String>> {
    let mut statement = connection.prepare_cached(sql)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = match run {
        Some(run) => statement.query([run.0])?,
        None => statement.query([])?,
    };
    while let Some(row) = rows.next()? {
        if let Some(found) = look(row, &columns)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The first value of a row that this program never writes; the row's first column says whose it is.
fn damaged_value(row: &Row<'_>, columns: &[String], table: &str) -> rusqlite::Result<Option<String>> {
    for (at, column) in columns.iter().enumerate().skip(1) {
        let value = row.get_ref(at)?;
        let impossible = || {
            let (value, rule) = domain::fault(&format!("{table}.{column}"), value)?;
            Some(format!("is {value}, which {rule}"))
        };
        if let Some(wrong) = wrong_with(column, value).or_else(impossible) {
            return Ok(Some(format!("{}: `{table}.{column}` {wrong}", owner_of(row)?)));
        }
    }
    Ok(None)
}

fn owner_of(row: &Row<'_>) -> rusqlite::Result<String> {
    Ok(match row.get_ref(0)? {
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        _ => "a cell".to_owned(),
    })
}

/// The first value that its metric cannot have, of any attempt.
fn impossible_value(connection: &Connection, run: RunId) -> rusqlite::Result<Option<String>> {
    for table in ["measurement", "point_value", "series"] {
        let value = if table == "series" { "samples" } else { "value" };
        let sql = format!(
            "SELECT 'cell ' || (cell.position + 1) || ', attempt ' || attempt.number, metric.name, metric.unit, t.{value}
             FROM cell JOIN attempt ON attempt.cell = cell.id JOIN {table} AS t ON t.attempt = attempt.id
             JOIN metric ON metric.id = t.metric WHERE cell.run = ?1"
        );
        let column = format!("{table}.{value}");
        let found = first(connection, &sql, Some(run), |row, _| {
            let read = match table {
                "series" => measured::read_series(row).map(drop),
                _ => domain::read_measurement(row, &column).map(drop),
            };
            let owner = owner_of(row)?;
            Ok(read.map_err(|error| placed(row, &owner, error)).err().map(told))
        })?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The text of the error of a value.
fn told(error: rusqlite::Error) -> String {
    match error {
        rusqlite::Error::FromSqlConversionFailure(_, _, what) => what.to_string(),
        other => other.to_string(),
    }
}

/// The reason why a value cannot be read, by its column.
fn wrong_with(column: &str, value: ValueRef<'_>) -> Option<String> {
    match (column, value) {
        ("position" | "repeat" | "number" | "round", ValueRef::Integer(number)) => u32::try_from(number)
            .is_err()
            .then(|| format!("is {number}, which is not between 0 and {}", u32::MAX)),
        ("count" | "block_size_bytes", ValueRef::Integer(number)) => {
            (number < 0).then(|| format!("is {number}, which is less than nothing"))
        }
        (_, ValueRef::Real(number)) => {
            (!number.is_finite()).then(|| format!("is {number}, which is not a finite number"))
        }
        (_, ValueRef::Text(text)) => std::str::from_utf8(text).is_err().then(|| "is not UTF-8".to_owned()),
        ("samples", ValueRef::Blob(bytes)) => (bytes.len() % 8 != 0)
            .then(|| format!("has {} bytes, which is no whole number of samples", bytes.len())),
        ("encoded", ValueRef::Blob(bytes)) => {
            Histogram::decode(bytes).err().map(|error| format!("cannot be decoded: {error}"))
        }
        _ => None,
    }
}

/// The relations between rows that no constraint of the tables holds.
fn relations(connection: &Connection, run: RunId) -> rusqlite::Result<Option<String>> {
    let twice = ONCE.map(|table| {
        let sql = format!(
            "SELECT cell.position + 1, metric.name FROM cell JOIN attempt ON attempt.cell = cell.id
             JOIN {table} AS t ON t.attempt = attempt.id JOIN metric ON metric.id = t.metric
             WHERE cell.run = ?1 GROUP BY attempt.id, metric.name HAVING count(*) > 1"
        );
        (sql, format!("the {table} occurs twice in one attempt"))
    });
    let never = NEVER.iter().map(|&(sql, what)| (sql.to_owned(), what.to_owned()));
    for (sql, what) in never.chain(twice) {
        let found = first(connection, &sql, Some(run), |row, _| {
            let (cell, name): (i64, String) = (row.get(0)?, row.get(1)?);
            Ok(Some(format!("cell {cell} (`{name}`): {what}")))
        })?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

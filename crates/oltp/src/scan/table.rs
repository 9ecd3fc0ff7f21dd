//! The table: made, filled and checked.

use std::fmt::Write as _;

use database::Instance;
use ground::Permutation;
use words::{Reason, Reasons};

use super::{INDEX, Scan as _, ScanServer, Steps, TABLE, Table};
use crate::admin::Admin;
use crate::error::OltpError;
use crate::until::Until;

/// Rows of one statement: enough that its answer does not count, and no more than any engine takes.
pub(super) const ROWS_AT_ONCE: u32 = 1_000;

/// Makes the table in an empty, running instance and fills it, rows in the order of their keys; the index
/// comes last. Ranks are drawn from `seed`. Returns the number of rows.
///
/// # Errors
/// When the instance refuses, or `until` is over.
pub fn load(
    instance: &dyn Instance,
    table: Table,
    seed: u64,
    until: &Until,
    progress: &dyn Fn(f64),
) -> Result<u64, OltpError> {
    let steps = Steps { until, progress };
    database::on_engine!(instance.access(), engine => engine.load(table, seed, &steps))?;
    Ok(u64::from(table.rows))
}

/// The statement that creates the table; `options` follow its columns.
pub(super) fn definition(options: &str) -> String {
    format!(
        "CREATE TABLE {TABLE} (id bigint NOT NULL PRIMARY KEY, place integer NOT NULL, pad varchar(4000) NOT NULL){options}"
    )
}

pub(super) fn index() -> String {
    format!("CREATE INDEX {INDEX} ON {TABLE} (place)")
}

/// The payload of row `id`: every row has another, so that nothing compresses to nothing.
pub(super) fn pad(id: u32, bytes: u32, into: &mut String) {
    let bytes = bytes as usize;
    let start = into.len();
    let mut word = u64::from(id) + 1;
    while into.len() - start < bytes {
        word = ground::mix(word);
        let _ = write!(into, "{word:016x}"); // Writing to a String cannot fail.
    }
    into.truncate(start + bytes);
}

/// The rank of each row.
pub(super) fn ranks(table: Table, seed: u64) -> Permutation {
    Permutation::without_increment(u64::from(table.rows), seed.rotate_left(17))
}

pub(super) async fn load_server<S: ScanServer>(
    server: S,
    table: Table,
    seed: u64,
    steps: &Steps<'_>,
) -> Result<(), OltpError> {
    let doing = "loading the table of a scan";
    let mut admin = Admin::enter(server).await?;
    admin.run(doing, &definition(S::TABLE_OPTIONS)).await?;
    let ranks = ranks(table, seed);
    let mut from = 0;
    while from < table.rows {
        let to = (from + ROWS_AT_ONCE).min(table.rows);
        let mut sql = format!("INSERT INTO {TABLE} VALUES ");
        for id in from..to {
            let comma = if id > from { "," } else { "" };
            let _ = write!(sql, "{comma}({id},{},'", ranks.position(u64::from(id)));
            pad(id, table.row_bytes, &mut sql);
            sql.push_str("')");
        }
        admin.run(doing, &sql).await?;
        steps.done(to, table.rows)?;
        from = to;
    }
    admin.run("making the index of a scan", &index()).await?;
    admin.run("taking statistics", S::STATISTICS).await?;
    admin.leave().await;
    Ok(())
}

/// The faults of the table.
///
/// # Errors
/// When it cannot be read, or `until` is over.
pub fn check(instance: &dyn Instance, table: Table, until: &Until) -> Result<Reasons, OltpError> {
    let whole = super::read(instance, table, 1.0, super::Path::Scan, until)?;
    let rows = u64::from(table.rows);
    let expected = rows * (rows - 1) / 2;
    let expected_bytes = rows * u64::from(table.row_bytes);
    let found = [
        (whole.rows, rows, Reason::ScannedRows { rows: whole.rows, expected: rows }),
        (whole.sum_of_places, expected, Reason::ScannedPlaces { sum: whole.sum_of_places, expected }),
        (whole.bytes, expected_bytes, Reason::ScannedBytes { bytes: whole.bytes, expected: expected_bytes }),
    ];
    Ok(found.into_iter().filter(|(found, expected, _)| found != expected).map(|(.., why)| why).collect())
}

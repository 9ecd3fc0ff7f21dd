//! The query: this many rows, by the requested access path. Settings force the engine to use the path, and
//! its plan is checked before it runs.

use std::time::Duration;

use database::Instance;
use ground::Clock;

use super::{Path, Scan as _, ScanServer, TABLE, Table, asked_rows};
use crate::admin::Admin;
use crate::error::OltpError;
use crate::until::Until;

pub(super) const DOING: &str = "reading the table of a scan";

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Rows that were asked for and found.
    pub rows: u64,
    /// Their places, summed: the same by both ways.
    pub sum_of_places: u64,
    /// Their payloads' bytes, which only the rows themselves know.
    pub bytes: u64,
    /// From the question to the answer.
    pub elapsed: Duration,
    /// The engine's plan, in its own words.
    pub plan: String,
}

impl Answer {
    /// True if another access path has found the same rows.
    #[must_use]
    pub fn same_rows(&self, other: &Self) -> bool {
        (self.rows, self.sum_of_places, self.bytes) == (other.rows, other.sum_of_places, other.bytes)
    }
}

/// Reads a share of the rows by `path`.
///
/// # Errors
/// When the engine refuses, or plans another way than the one that was asked for; [`OltpError::Stopped`] soon
/// after `until` is over.
pub fn read(
    instance: &dyn Instance,
    table: Table,
    share: f64,
    path: Path,
    until: &Until,
) -> Result<Answer, OltpError> {
    let asked = asked_rows(table, share);
    let answer = database::on_engine!(instance.access(), engine => engine.read(asked, path, until))?;
    if answer.rows != u64::from(asked) {
        let why = format!("the table of the scan: {} of {asked} rows were found; load it again", answer.rows);
        return Err(OltpError::Options(why));
    }
    Ok(answer)
}

/// The question in the words that most engines share.
pub(super) fn question(hint: &str, asked: u32) -> String {
    format!("SELECT count(*), sum(place), sum(length(pad)) FROM {TABLE} {hint} WHERE place < {asked}")
}

pub(super) async fn read_server<S: ScanServer>(
    server: S,
    asked: u32,
    path: Path,
) -> Result<Answer, OltpError> {
    let mut admin = Admin::enter(server).await?;
    for setting in S::settings(path) {
        admin.run(DOING, &setting).await?;
    }
    let sql = S::question(path, asked);
    let plan = S::plan(&mut admin, &sql).await?;
    let line = |row: &Vec<Option<String>>| row.iter().flatten().cloned().collect::<Vec<_>>().join(" ");
    let plan = plan.iter().map(line).collect::<Vec<_>>().join("; ");
    hold_to(path, &plan, S::PLAN_WORDS)?;
    let start = Clock::Wall.stopwatch();
    let rows = admin.rows(DOING, &sql).await?;
    let elapsed = start.elapsed();
    admin.leave().await;
    let number = |column: usize| {
        let text = rows.first().and_then(|row| row.get(column)).cloned().flatten();
        text.and_then(|text| text.split('.').next().and_then(|whole| whole.parse().ok())).unwrap_or(0)
    };
    Ok(Answer { rows: number(0), sum_of_places: number(1), bytes: number(2), elapsed, plan })
}

/// `words`: the words of the engine's plan for a scan and for a lookup.
pub(super) fn hold_to(path: Path, plan: &str, [scan, lookup]: [&str; 2]) -> Result<(), OltpError> {
    let says = match path {
        Path::Scan => plan.contains(scan) && !plan.contains(lookup),
        Path::Lookup => plan.contains(lookup),
    };
    if says {
        return Ok(());
    }
    let why = format!("the engine was held to a {}, and plans otherwise: {plan}", path.name());
    Err(OltpError::Options(why))
}

//! The twelve consistency conditions of 3.3.2: whether the database adds up.
//!
//! Sets of warehouses are checked side by side, each on a connection of its own: the order lines are summed
//! up once, and every condition is one query over whole sets. The SQL is in `conditions`.

mod conditions;
mod servers;

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use database::sqlite::{Connection, Sqlite};
use database::{Access, Instance};

use crate::tpcc::asker::Place;
use crate::tpcc::data::population::DISTRICTS;
use crate::tpcc::error::OltpError;
use crate::tpcc::load::loaded::Loaded;
use crate::until::Until;
pub(crate) use servers::check_loaded;

use conditions::{CONDITIONS, FIXED_ROWS, SUMMARIES, Source, Summary};

/// Warehouses in one set: the summaries of a set (some MB per warehouse) are held in memory.
const SET_MAX: u32 = 50;
/// Connections that check at the same time.
const CHECKERS_MAX: usize = 4;

/// When the check takes place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Right after loading: all twelve conditions.
    AfterLoad,
    /// After transactions: condition 11 no longer holds by design and is left out.
    AfterRun,
}

/// One condition and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// 1 to 12.
    pub number: u8,
    /// The clause and what it says.
    pub clause: &'static str,
    /// How many warehouses, districts, orders or customers violate it.
    pub violations: u64,
    /// One of the violations with its values; empty without any. Money in cents.
    pub detail: String,
}

/// Checks a running, loaded instance on which nobody works.
///
/// # Errors
/// When the database was never completely loaded or cannot be read. A violated condition is no error but a
/// result.
pub fn check(instance: &dyn Instance, stage: Stage) -> Result<Vec<Condition>, OltpError> {
    check_until(instance, stage, &Until::default())
}

/// [`check`], unless it is stopped: large databases are checked for minutes, in a few statements.
///
/// # Errors
/// As [`check`]; [`OltpError::Stopped`] soon after `until` is over.
pub fn check_until(
    instance: &dyn Instance,
    stage: Stage,
    until: &Until,
) -> Result<Vec<Condition>, OltpError> {
    let checked = match (instance.access(), Place::of(instance.access())) {
        (Access::Sqlite(sqlite), _) => check_sets(sqlite, stage, until),
        (_, Some(place)) => servers::check(place, stage, until),
        (_, None) => Err(OltpError::NotLoaded { why: "there is no server".to_owned() }),
    };
    checked.map_err(|error| error.with_cause(instance.first_storage_error()))
}

fn check_sets(instance: &Sqlite, stage: Stage, until: &Until) -> Result<Vec<Condition>, OltpError> {
    let loaded = Loaded::read(&instance.connect()?)?;
    let cores = thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let checkers = cores.min(CHECKERS_MAX).min(loaded.warehouses as usize);
    let set = loaded.warehouses.div_ceil(checkers as u32).min(SET_MAX);
    let next = AtomicU32::new(1);
    let found = thread::scope(|scope| {
        let work = || check_next_sets(instance, (stage, until), &loaded, set, &next);
        let threads: Vec<_> = (0..checkers).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect::<Result<Vec<_>, _>>()
    })?;
    let mut total = empty(stage);
    for part in found {
        merge(&mut total, part);
    }
    Ok(total)
}

/// One checker's work: takes sets until none is left.
fn check_next_sets(
    instance: &Sqlite,
    (stage, until): (Stage, &Until),
    loaded: &Loaded,
    set: u32,
    next: &AtomicU32,
) -> Result<Vec<Condition>, OltpError> {
    let mut connection = instance.connect()?;
    let until = until.clone();
    connection.interrupt_when(move || until.is_over())?;
    let mut total = empty(stage);
    loop {
        let first = next.fetch_add(set, Ordering::Relaxed);
        if first > loaded.warehouses {
            return Ok(total);
        }
        let last = (first + set - 1).min(loaded.warehouses);
        merge(&mut total, check_set(&connection, stage, loaded, first, last)?);
    }
}

fn check_set(
    connection: &Connection,
    stage: Stage,
    loaded: &Loaded,
    first: u32,
    last: u32,
) -> Result<Vec<Condition>, OltpError> {
    for Summary { name, key, content } in SUMMARIES {
        let sum = || -> rusqlite::Result<()> {
            connection.execute_batch(&format!("DROP TABLE IF EXISTS temp.{name}"))?;
            let content = for_warehouses(content, first, last);
            connection.execute_batch(&format!("CREATE TEMP TABLE {name} AS {content}"))?;
            connection.execute_batch(&format!("CREATE UNIQUE INDEX temp.{name}_key ON {name} ({key})"))
        };
        sum().map_err(OltpError::sql("summing up for the check"))?;
    }
    let mut found = empty(stage);
    for (condition, source) in found.iter_mut().zip(CONDITIONS.iter().filter(|source| source.applies(stage)))
    {
        let sql = question(source, loaded, "text", first, last);
        let (violations, detail): (i64, _) = connection
            .query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .map_err(OltpError::sql("checking a condition"))?;
        (condition.violations, condition.detail) = (violations.unsigned_abs(), detail);
    }
    if let Some(what) = missing_rows(connection, first, last)? {
        // Rows that are gone violate nothing that is said about rows; the sums of condition 1 are where they
        // belong.
        found[0].violations += 1;
        found[0].detail = what;
    }
    Ok(found)
}

/// What is missing of the fixed tables.
fn missing_rows(connection: &Connection, first: u32, last: u32) -> Result<Option<String>, OltpError> {
    let (warehouses, districts) = connection
        .query_row(&for_warehouses(FIXED_ROWS, first, last), [], |row| Ok((row.get(0)?, row.get(1)?)))
        .map_err(OltpError::sql("counting warehouses"))?;
    Ok(incomplete(first, last, warehouses, districts))
}

fn incomplete(first: u32, last: u32, warehouses: u32, districts: u32) -> Option<String> {
    let expected = last - first + 1;
    let complete = warehouses == expected && districts == expected * DISTRICTS;
    (!complete).then(|| format!("warehouses {first} to {last}: {warehouses} rows of warehouse and {districts} of district, {expected} and {} expected", expected * DISTRICTS))
}

/// How many violate a condition, and one of them.
fn question(source: &Source, loaded: &Loaded, text: &str, first: u32, last: u32) -> String {
    let delivered = (loaded.population.first_undelivered() - 1).to_string();
    let violations = source.violations.replace("{delivered}", &delivered).replace("{text}", text);
    let violations = for_warehouses(&violations, first, last);
    format!("SELECT count(*), coalesce(min(place), '') FROM ({violations}) AS violations")
}

fn for_warehouses(sql: &str, first: u32, last: u32) -> String {
    sql.replace("?1", &first.to_string()).replace("?2", &last.to_string())
}

fn empty(stage: Stage) -> Vec<Condition> {
    let applicable = CONDITIONS.iter().filter(|source| source.applies(stage));
    applicable
        .map(|source| Condition {
            number: source.number,
            clause: source.clause,
            violations: 0,
            detail: String::new(),
        })
        .collect()
}

fn merge(total: &mut [Condition], part: Vec<Condition>) {
    for (total, part) in total.iter_mut().zip(part) {
        total.violations += part.violations;
        if total.detail.is_empty() {
            total.detail = part.detail;
        }
    }
}

#[cfg(test)]
mod tests;

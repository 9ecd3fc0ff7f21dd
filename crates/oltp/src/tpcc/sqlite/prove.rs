//! The proofs on SQLite: sets of warehouses are checked side by side, each on a connection of its own.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use database::sqlite::{Connection, Sqlite};
use rusqlite::OptionalExtension as _;

use super::note::read_note;
use crate::error::OltpError;
use crate::tpcc::ask::terminal::Acknowledged;
use crate::tpcc::load::loaded::Loaded;
use crate::tpcc::prove::Prove;
use crate::tpcc::prove::check::conditions::{CONDITIONS, FIXED_ROWS, SUMMARIES, Summary};
use crate::tpcc::prove::check::{
    CHECKERS_MAX, Condition, SET_MAX, Stage, empty, for_warehouses, incomplete, merge, question,
};
use crate::until::Until;

impl Prove for &Sqlite {
    fn check(self, stage: Stage, until: &Until) -> Result<Vec<Condition>, OltpError> {
        check_sets(self, stage, until)
    }

    fn missing(self, acknowledged: &[Acknowledged]) -> Result<Vec<Acknowledged>, OltpError> {
        missing_orders(self, acknowledged)
    }

    /// Nobody else loads a database that is made anew for us.
    fn adopt(self) -> Result<Option<Loaded>, OltpError> {
        Ok(None)
    }
}

/// The conditions over all warehouses, several sets at a time.
fn check_sets(instance: &Sqlite, stage: Stage, until: &Until) -> Result<Vec<Condition>, OltpError> {
    let loaded = read_note(&instance.connect()?)?;
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

/// The missing rows of the fixed tables.
fn missing_rows(connection: &Connection, first: u32, last: u32) -> Result<Option<String>, OltpError> {
    let (warehouses, districts) = connection
        .query_row(&for_warehouses(FIXED_ROWS, first, last), [], |row| Ok((row.get(0)?, row.get(1)?)))
        .map_err(OltpError::sql("counting warehouses"))?;
    Ok(incomplete(first, last, warehouses, districts))
}

fn missing_orders(instance: &Sqlite, acknowledged: &[Acknowledged]) -> Result<Vec<Acknowledged>, OltpError> {
    let connection = instance.connect()?;
    let sql = "SELECT o_ol_cnt = (SELECT count(*) FROM order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id)
        FROM orders WHERE o_w_id = ?1 AND o_d_id = ?2 AND o_id = ?3";
    let mut statement = connection.prepare(sql).map_err(OltpError::sql("preparing the durability check"))?;
    let mut missing = Vec::new();
    for &order in acknowledged {
        let whole: Option<bool> = statement
            .query_row((order.warehouse, order.district, order.order), |row| row.get(0))
            .optional()
            .map_err(OltpError::sql("looking for an acknowledged order"))?;
        if whole != Some(true) {
            missing.push(order);
        }
    }
    Ok(missing)
}

//! The twelve consistency conditions of 3.3.2: whether the database adds up.
//!
//! Sets of warehouses are checked side by side, each on a connection of its own: the order lines are summed
//! up once, and every condition is one query over whole sets. The SQL is in `conditions`.

pub(crate) mod conditions;
pub(super) mod servers;

use database::Instance;

use super::Prove;
use crate::error::OltpError;
use crate::tpcc::data::population::DISTRICTS;
use crate::tpcc::load::loaded::Loaded;
use crate::until::Until;
pub(crate) use servers::check_loaded;

use conditions::{CONDITIONS, Source};

/// Warehouses in one set: the summaries of a set (some MB per warehouse) are held in memory.
pub(crate) const SET_MAX: u32 = 50;
/// Connections that check at the same time.
pub(crate) const CHECKERS_MAX: usize = 4;

/// When the check takes place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Right after loading: all twelve conditions.
    AfterLoad,
    /// After transactions: condition 11 no longer holds by design and is left out.
    AfterRun,
}

/// One condition and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// 1 to 12.
    pub number: u8,
    /// The clause and its text.
    pub clause: &'static str,
    /// The number of warehouses, districts, orders or customers that violate it.
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
    let checked = database::on_engine!(instance.access(), engine => engine.check(stage, until));
    checked.map_err(|error| error.with_cause(instance.first_storage_error()))
}

pub(crate) fn incomplete(first: u32, last: u32, warehouses: u32, districts: u32) -> Option<String> {
    let expected = last - first + 1;
    let complete = warehouses == expected && districts == expected * DISTRICTS;
    (!complete).then(|| format!("warehouses {first} to {last}: {warehouses} rows of warehouse and {districts} of district, {expected} and {} expected", expected * DISTRICTS))
}

/// The query for the number of violations of a condition, and for one of them.
pub(crate) fn question(source: &Source, loaded: &Loaded, text: &str, first: u32, last: u32) -> String {
    let delivered = (loaded.population.first_undelivered() - 1).to_string();
    let violations = source.violations.replace("{delivered}", &delivered).replace("{text}", text);
    let violations = for_warehouses(&violations, first, last);
    format!("SELECT count(*), coalesce(min(place), '') FROM ({violations}) AS violations")
}

pub(crate) fn for_warehouses(sql: &str, first: u32, last: u32) -> String {
    sql.replace("?1", &first.to_string()).replace("?2", &last.to_string())
}

pub(crate) fn empty(stage: Stage) -> Vec<Condition> {
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

pub(crate) fn merge(total: &mut [Condition], part: Vec<Condition>) {
    for (total, part) in total.iter_mut().zip(part) {
        total.violations += part.violations;
        if total.detail.is_empty() {
            total.detail = part.detail;
        }
    }
}

#[cfg(test)]
mod tests;

//! Stock-Level (2.8): how many of the recently sold items run short. Reads only.

use database::sqlite::Connection;
use rusqlite::Statement;

use super::prepare;
use super::sql::stock_level as sql;
use crate::tpcc::ask::input::StockLevel;

pub(super) struct StockLevelStatements<'c> {
    next_order: Statement<'c>,
    low: Statement<'c>,
}

impl<'c> StockLevelStatements<'c> {
    pub(super) fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self { next_order: prepare(connection, sql::NEXT_ORDER)?, low: prepare(connection, sql::LOW)? })
    }

    pub(super) fn run(&mut self, input: &StockLevel) -> rusqlite::Result<u32> {
        let (warehouse, district) = (input.warehouse, input.district);
        let next: u32 = self.next_order.query_row((warehouse, district), |row| row.get(0))?;
        self.low.query_row((warehouse, district, next, input.threshold), |row| row.get(0))
    }
}

//! Delivery (2.7): the oldest order of each district goes out. All ten districts in one database transaction
//! (2.7.2 allows 1 to 10).

use database::sqlite::Connection;
use rusqlite::{OptionalExtension as _, Statement};

use super::prepare;
use super::sql::delivery as sql;
use crate::tpcc::ask::input::Delivery;
use crate::tpcc::ask::terminal::DeliveryScreen;

pub(super) struct DeliveryStatements<'c> {
    oldest: Statement<'c>,
    delete: Statement<'c>,
    order: Statement<'c>,
    lines: Statement<'c>,
    amount: Statement<'c>,
    customer: Statement<'c>,
}

impl<'c> DeliveryStatements<'c> {
    pub(super) fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            oldest: prepare(connection, sql::OLDEST)?,
            delete: prepare(connection, sql::DELETE)?,
            order: prepare(connection, sql::ORDER)?,
            lines: prepare(connection, sql::LINES)?,
            amount: prepare(connection, sql::AMOUNT)?,
            customer: prepare(connection, sql::CUSTOMER)?,
        })
    }

    pub(super) fn run(&mut self, input: &Delivery) -> rusqlite::Result<DeliveryScreen> {
        let mut delivered = DeliveryScreen::default();
        for (district, slot) in (1..).zip(&mut delivered.0) {
            *slot = self.district(input, district)?;
        }
        Ok(delivered)
    }

    /// Delivers in one district; `None` when nothing waits there.
    fn district(&mut self, input: &Delivery, district: u32) -> rusqlite::Result<Option<u32>> {
        let warehouse = input.warehouse;
        let oldest = self.oldest.query_row((warehouse, district), |row| row.get(0)).optional()?;
        let Some(order): Option<u32> = oldest else { return Ok(None) };
        one(self.delete.execute((warehouse, district, order))?)?;
        let customer: u32 =
            self.order.query_row((input.carrier, warehouse, district, order), |row| row.get(0))?;
        self.lines.execute((input.at_ms, warehouse, district, order))?;
        let amount: i64 = self.amount.query_row((warehouse, district, order), |row| row.get(0))?;
        one(self.customer.execute((amount, warehouse, district, customer))?)?;
        Ok(Some(order))
    }
}

/// A statement that must change one row did.
fn one(changed: usize) -> rusqlite::Result<()> {
    if changed == 1 { Ok(()) } else { Err(rusqlite::Error::QueryReturnedNoRows) }
}

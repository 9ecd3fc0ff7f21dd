//! Order-Status (2.6): the status of a customer's last order. Reads only.

use database::sqlite::Connection;
use rusqlite::Statement;

use super::customer::FindCustomer;
use super::prepare;
use super::sql::order_status as sql;
use crate::tpcc::ask::input::OrderStatus;
use crate::tpcc::ask::terminal::{StatusLine, StatusScreen};
use crate::tpcc::data::money::Cents;

pub(super) struct OrderStatusStatements<'c> {
    find: FindCustomer<'c>,
    customer: Statement<'c>,
    last_order: Statement<'c>,
    lines: Statement<'c>,
}

impl<'c> OrderStatusStatements<'c> {
    pub(super) fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            find: FindCustomer::prepare(connection)?,
            customer: prepare(connection, sql::CUSTOMER)?,
            last_order: prepare(connection, sql::LAST_ORDER)?,
            lines: prepare(connection, sql::LINES)?,
        })
    }

    pub(super) fn run(&mut self, input: &OrderStatus) -> rusqlite::Result<StatusScreen> {
        let (warehouse, district) = (input.warehouse, input.district);
        let customer = self.find.find(warehouse, district, &input.who)?;
        let balance =
            self.customer.query_row((warehouse, district, customer), |row| Ok(Cents(row.get(0)?)))?;
        let (order, carrier) = self
            .last_order
            .query_row((warehouse, district, customer), |row| Ok((row.get(0)?, row.get(2)?)))?;
        let mut lines = Vec::with_capacity(15);
        let mut rows = self.lines.query((warehouse, district, order))?;
        while let Some(row) = rows.next()? {
            lines.push(StatusLine {
                item: row.get(0)?,
                supply_warehouse: row.get(1)?,
                quantity: row.get(2)?,
                amount: Cents(row.get(3)?),
                delivered: row.get::<_, Option<i64>>(4)?.is_some(),
            });
        }
        Ok(StatusScreen { customer, balance, order, carrier, lines })
    }
}

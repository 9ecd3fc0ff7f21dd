//! Reading ahead: the pages of a writing transaction are brought into memory before its turn comes.
//!
//! SQLite admits one writer at a time. Were every page read while the gate is held, the drive would never see
//! two requests at once, and a drive's concurrency, which is most of what sets drives apart, would not show.
//! These reads decide nothing: the transaction reads again when it has the gate, from memory.

use database::sqlite::Connection;
use rusqlite::{OptionalExtension as _, Params, Statement};

use super::customer::FindCustomer;
use super::{prepare, sql};
use crate::tpcc::ask::input::{Delivery, Input, NewOrder, Payment};
use crate::tpcc::data::population::DISTRICTS;

pub(super) struct ReadAhead<'c> {
    find: FindCustomer<'c>,
    item: Statement<'c>,
    stock: Statement<'c>,
    customer: Statement<'c>,
    customers_order: Statement<'c>,
    last_order: Statement<'c>,
    last_new_order: Statement<'c>,
    last_line: Statement<'c>,
    oldest: Statement<'c>,
    order: Statement<'c>,
    lines: Statement<'c>,
}

impl<'c> ReadAhead<'c> {
    pub(super) fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            find: FindCustomer::prepare(connection)?,
            item: prepare(connection, sql::read_ahead::ITEM)?,
            stock: prepare(connection, sql::read_ahead::STOCK)?,
            customer: prepare(connection, sql::read_ahead::CUSTOMER)?,
            customers_order: prepare(connection, sql::read_ahead::CUSTOMERS_ORDER)?,
            last_order: prepare(connection, sql::read_ahead::LAST_ORDER)?,
            last_new_order: prepare(connection, sql::read_ahead::LAST_NEW_ORDER)?,
            last_line: prepare(connection, sql::read_ahead::LAST_LINE)?,
            oldest: prepare(connection, sql::delivery::OLDEST)?,
            order: prepare(connection, sql::read_ahead::ORDER)?,
            lines: prepare(connection, sql::delivery::AMOUNT)?,
        })
    }

    /// Reads the rows that `input` will need. The transaction itself handles missing rows.
    pub(super) fn run(&mut self, input: &Input) -> rusqlite::Result<()> {
        match input {
            Input::NewOrder(input) => self.new_order(input),
            Input::Payment(input) => self.payment(input),
            Input::Delivery(input) => (1..=DISTRICTS).try_for_each(|district| self.delivery(input, district)),
            Input::OrderStatus(_) | Input::StockLevel(_) => Ok(()),
        }
    }

    fn new_order(&mut self, input: &NewOrder) -> rusqlite::Result<()> {
        let (warehouse, district) = (input.warehouse, input.district);
        touch(&mut self.customer, (warehouse, district, input.customer))?;
        touch(&mut self.customers_order, (warehouse, district, input.customer))?;
        touch(&mut self.last_order, (warehouse, district))?;
        touch(&mut self.last_new_order, (warehouse, district))?;
        touch(&mut self.last_line, (warehouse, district))?;
        for line in &input.lines {
            touch(&mut self.item, (line.item,))?;
            touch(&mut self.stock, (line.supply_warehouse, line.item))?;
        }
        Ok(())
    }

    fn payment(&mut self, input: &Payment) -> rusqlite::Result<()> {
        let (warehouse, district) = (input.customer_warehouse, input.customer_district);
        let found = self.find.find(warehouse, district, &input.who).optional()?;
        found.map_or(Ok(()), |customer| touch(&mut self.customer, (warehouse, district, customer)))
    }

    fn delivery(&mut self, input: &Delivery, district: u32) -> rusqlite::Result<()> {
        let warehouse = input.warehouse;
        let oldest: Option<u32> =
            self.oldest.query_row((warehouse, district), |row| row.get(0)).optional()?;
        let Some(order) = oldest else { return Ok(()) };
        touch(&mut self.lines, (warehouse, district, order))?;
        let customer: Option<u32> =
            self.order.query_row((warehouse, district, order), |row| row.get(0)).optional()?;
        customer.map_or(Ok(()), |customer| touch(&mut self.customer, (warehouse, district, customer)))
    }
}

/// Steps a statement to its first row.
fn touch(statement: &mut Statement<'_>, parameters: impl Params) -> rusqlite::Result<()> {
    statement.query(parameters)?.next().map(|_| ())
}

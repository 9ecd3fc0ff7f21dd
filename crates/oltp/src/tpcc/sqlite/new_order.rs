//! New-Order (2.4): enters an order of 5 to 15 lines.

use database::sqlite::Connection;
use rusqlite::{OptionalExtension as _, Statement};

use super::prepare;
use super::sql::new_order as sql;
use crate::tpcc::ask::input::{Line, NewOrder};
use crate::tpcc::ask::terminal::{OrderLineScreen, OrderScreen};
use crate::tpcc::data::money::{Cents, Rate, order_total};
use crate::tpcc::data::population::DISTRICTS;

pub(super) struct NewOrderStatements<'c> {
    warehouse: Statement<'c>,
    district: Statement<'c>,
    customer: Statement<'c>,
    order: Statement<'c>,
    new_order: Statement<'c>,
    item: Statement<'c>,
    /// One per district: each reads its own S_DIST column.
    stock: Vec<Statement<'c>>,
    line: Statement<'c>,
}

impl<'c> NewOrderStatements<'c> {
    pub(super) fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        let stock =
            |district: u32| prepare(connection, &sql::STOCK.replace("{district}", &format!("{district:02}")));
        Ok(Self {
            warehouse: prepare(connection, sql::WAREHOUSE)?,
            district: prepare(connection, sql::DISTRICT)?,
            customer: prepare(connection, sql::CUSTOMER)?,
            order: prepare(connection, sql::ORDER)?,
            new_order: prepare(connection, sql::NEW_ORDER)?,
            item: prepare(connection, sql::ITEM)?,
            stock: (1..=DISTRICTS).map(stock).collect::<Result<_, _>>()?,
            line: prepare(connection, sql::LINE)?,
        })
    }

    /// `None` when a line names an unused item: the caller rolls back. Everything up to that line has been
    /// done by then (2.4.2.3).
    pub(super) fn run(&mut self, input: &NewOrder) -> rusqlite::Result<Option<OrderScreen>> {
        let (warehouse, district) = (input.warehouse, input.district);
        let warehouse_tax = Rate(self.warehouse.query_row((warehouse,), |row| row.get(0))?);
        let (order, district_tax): (u32, _) =
            self.district.query_row((warehouse, district), |row| Ok((row.get(0)?, Rate(row.get(1)?))))?;
        let (discount, last_name, credit) =
            self.customer.query_row((warehouse, district, input.customer), |row| {
                Ok((Rate(row.get(0)?), row.get(1)?, row.get(2)?))
            })?;
        self.order.execute((
            order,
            district,
            warehouse,
            input.customer,
            input.at_ms,
            input.lines.len() as i64,
            input.all_local(),
        ))?;
        self.new_order.execute((order, district, warehouse))?;
        let mut lines = Vec::with_capacity(input.lines.len());
        for (number, line) in (1..).zip(&input.lines) {
            match self.line(input, order, number, line)? {
                Some(screen) => lines.push(screen),
                None => return Ok(None),
            }
        }
        let sum = Cents(lines.iter().map(|line| line.amount.0).sum());
        let total = order_total(sum, discount, warehouse_tax, district_tax);
        Ok(Some(OrderScreen { order, total, last_name, credit, lines }))
    }

    fn line(
        &mut self,
        input: &NewOrder,
        order: u32,
        number: u32,
        line: &Line,
    ) -> rusqlite::Result<Option<OrderLineScreen>> {
        let item = self.item.query_row((line.item,), |row| {
            let original = row.get_ref(2)?.as_str()?.contains("ORIGINAL");
            Ok((Cents(row.get(0)?), row.get::<_, String>(1)?, original))
        });
        let Some((price, name, item_is_original)) = item.optional()? else { return Ok(None) };
        let remote = line.supply_warehouse != input.warehouse;
        let amount = Cents(price.0 * i64::from(line.quantity));
        let stock = &mut self.stock[(input.district - 1) as usize];
        let mut rows = stock.query((line.quantity, remote, line.supply_warehouse, line.item))?;
        let row = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        let stock_quantity = row.get(0)?;
        let stock_is_original = row.get_ref(2)?.as_str()?.contains("ORIGINAL");
        self.line.execute((
            order,
            input.district,
            input.warehouse,
            number,
            line.item,
            line.supply_warehouse,
            line.quantity,
            amount.0,
            row.get_ref(1)?.as_str()?,
        ))?;
        let brand_generic = if item_is_original && stock_is_original { 'B' } else { 'G' };
        Ok(Some(OrderLineScreen { name, price, amount, stock_quantity, brand_generic }))
    }
}

//! Stores the generated rows.

use database::sqlite::Connection;
use rusqlite::{Statement, params};

use super::prepare;
use crate::error::OltpError;
use crate::tpcc::data::generate::{Batch, Customer, District, Item, Order, Plan, Stock, Warehouse};

/// Inserts batches on one connection, in the order of the plan: every table grows at its end.
pub(crate) struct Writer<'c> {
    at_ms: i64,
    item: Statement<'c>,
    warehouse: Statement<'c>,
    district: Statement<'c>,
    stock: Statement<'c>,
    customer: Statement<'c>,
    history: Statement<'c>,
    order: Statement<'c>,
    new_order: Statement<'c>,
    order_line: Statement<'c>,
}

impl<'c> Writer<'c> {
    pub(crate) fn new(connection: &'c Connection, plan: &Plan) -> Result<Self, OltpError> {
        let insert = |table: &str, columns: usize| {
            let places: Vec<String> = (1..=columns).map(|number| format!("?{number}")).collect();
            prepare(connection, &format!("INSERT INTO {table} VALUES ({})", places.join(", ")))
        };
        let writer = || -> rusqlite::Result<Self> {
            Ok(Self {
                at_ms: plan.at_ms,
                item: insert("item", 5)?,
                warehouse: insert("warehouse", 9)?,
                district: insert("district", 11)?,
                stock: insert("stock", 17)?,
                customer: insert("customer", 21)?,
                history: insert("history", 8)?,
                order: insert("orders", 8)?,
                new_order: insert("new_order", 3)?,
                order_line: insert("order_line", 10)?,
            })
        };
        writer().map_err(OltpError::sql("preparing the load"))
    }

    /// Inserts one batch; gives the number of rows.
    pub(crate) fn write(&mut self, batch: &Batch) -> Result<u64, OltpError> {
        let rows = match batch {
            Batch::Items(rows) => self.items(rows),
            Batch::Warehouse(warehouse, districts) => self.warehouse(warehouse, districts),
            Batch::Stock(warehouse, rows) => self.stock(*warehouse, rows),
            Batch::Customers(warehouse, district, rows) => self.customers(*warehouse, *district, rows),
            Batch::Orders(warehouse, district, rows) => self.orders(*warehouse, *district, rows),
        };
        rows.map_err(OltpError::sql("inserting rows"))
    }

    fn items(&mut self, rows: &[Item]) -> rusqlite::Result<u64> {
        for row in rows {
            self.item.execute(params![
                row.id,
                row.image,
                row.name.as_str(),
                row.price.0,
                row.data.as_str()
            ])?;
        }
        Ok(rows.len() as u64)
    }

    fn warehouse(&mut self, row: &Warehouse, districts: &[District]) -> rusqlite::Result<u64> {
        let a = &row.address;
        let name = row.name.as_str();
        let (street_1, street_2, city) = (a.street_1.as_str(), a.street_2.as_str(), a.city.as_str());
        self.warehouse.execute(params![
            row.id,
            name,
            street_1,
            street_2,
            city,
            a.state.as_str(),
            a.zip.as_str(),
            row.tax.0,
            row.ytd.0
        ])?;
        for row in districts {
            let a = &row.address;
            let name = row.name.as_str();
            let (street_1, street_2, city) = (a.street_1.as_str(), a.street_2.as_str(), a.city.as_str());
            let (state, zip) = (a.state.as_str(), a.zip.as_str());
            self.district.execute(params![
                row.id,
                row.warehouse,
                name,
                street_1,
                street_2,
                city,
                state,
                zip,
                row.tax.0,
                row.ytd.0,
                row.next_order
            ])?;
        }
        Ok(1 + districts.len() as u64)
    }

    fn stock(&mut self, warehouse: u32, rows: &[Stock]) -> rusqlite::Result<u64> {
        for row in rows {
            let [d1, d2, d3, d4, d5, d6, d7, d8, d9, d10] = row.districts.each_ref().map(|d| d.as_str());
            self.stock.execute(params![
                row.item,
                warehouse,
                row.quantity,
                d1,
                d2,
                d3,
                d4,
                d5,
                d6,
                d7,
                d8,
                d9,
                d10,
                0,
                0,
                0,
                row.data.as_str()
            ])?;
        }
        Ok(rows.len() as u64)
    }

    fn customers(&mut self, warehouse: u32, district: u32, rows: &[Customer]) -> rusqlite::Result<u64> {
        for row in rows {
            let a = &row.address;
            // 4.3.3.1: limit 50,000.00, balance -10.00, one payment of 10.00 so far, no delivery.
            self.customer.execute(params![
                row.id,
                district,
                warehouse,
                row.first.as_str(),
                "OE",
                row.last.as_str(),
                a.street_1.as_str(),
                a.street_2.as_str(),
                a.city.as_str(),
                a.state.as_str(),
                a.zip.as_str(),
                row.phone.as_str(),
                self.at_ms,
                if row.bad_credit { "BC" } else { "GC" },
                5_000_000,
                row.discount.0,
                -1_000,
                1_000,
                1,
                0,
                row.data.as_str()
            ])?;
        }
        for row in rows {
            let data = row.history_data.as_str();
            self.history.execute(params![
                row.id, district, warehouse, district, warehouse, self.at_ms, 1_000, data
            ])?;
        }
        Ok(2 * rows.len() as u64)
    }

    fn orders(&mut self, warehouse: u32, district: u32, rows: &[Order]) -> rusqlite::Result<u64> {
        let mut count = 0;
        for row in rows {
            let lines = row.lines.len() as i64;
            self.order.execute(params![
                row.id,
                district,
                warehouse,
                row.customer,
                self.at_ms,
                row.carrier,
                lines,
                1
            ])?;
            count += 1 + lines as u64;
        }
        for row in rows {
            // 4.3.3.1: quantity 5; a delivered line bears the date of its order.
            let delivered_at = row.carrier.map(|_| self.at_ms);
            for (number, line) in (1..).zip(&row.lines) {
                let number: u32 = number;
                self.order_line.execute(params![
                    row.id,
                    district,
                    warehouse,
                    number,
                    line.item,
                    warehouse,
                    delivered_at,
                    5,
                    line.amount.0,
                    line.dist_info.as_str()
                ])?;
            }
        }
        for row in rows.iter().filter(|row| row.carrier.is_none()) {
            self.new_order.execute(params![row.id, district, warehouse])?;
            count += 1;
        }
        Ok(count)
    }
}

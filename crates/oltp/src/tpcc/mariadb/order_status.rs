//! Order-Status (2.6): the status of a customer's last order. Reads only.

use mysql_async::{Row, Value};

use super::codec::cents;
use super::customer::find;
use super::failure::{missing, odd};
use super::sql;
use super::statements::Statements;
use crate::driver::Failure;
use crate::tpcc::ask::input::OrderStatus;
use crate::tpcc::ask::terminal::{StatusLine, StatusScreen};

pub(super) async fn run(statements: &mut Statements, input: &OrderStatus) -> Result<StatusScreen, Failure> {
    let (warehouse, district) = (input.warehouse, input.district);
    let customer = find(statements, warehouse, district, &input.who).await?;
    let parameters = (warehouse, district, customer, warehouse, district, customer);
    screen(statements.rows(sql::ORDER_STATUS, parameters).await?)
}

/// One row for each line, with customer and order in all of them.
pub(super) fn screen(rows: Vec<Row>) -> Result<StatusScreen, Failure> {
    let mut screen: Option<StatusScreen> = None;
    for row in rows {
        let mut values = row.unwrap().into_iter();
        let mut next = || values.next().ok_or_else(|| missing("a column"));
        let number =
            |value: Value| -> Result<u32, Failure> { mysql_async::from_value_opt(value).map_err(odd) };
        let customer = number(next()?)?;
        let balance = cents(next()?).map_err(odd)?;
        let order = number(next()?)?;
        let carrier: Option<u32> = mysql_async::from_value_opt(next()?).map_err(odd)?;
        let line = StatusLine {
            item: number(next()?)?,
            supply_warehouse: number(next()?)?,
            quantity: number(next()?)?,
            amount: cents(next()?).map_err(odd)?,
            delivered: number(next()?)? == 1,
        };
        screen
            .get_or_insert_with(|| StatusScreen {
                customer,
                balance,
                order,
                carrier,
                lines: Vec::with_capacity(15),
            })
            .lines
            .push(line);
    }
    screen.ok_or_else(|| missing("customer or order"))
}

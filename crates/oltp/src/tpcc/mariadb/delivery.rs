//! Delivery (2.7): the oldest order of each district goes out. All ten districts in one database transaction
//! (2.7.2 allows 1 to 10).

use mysql_async::{Row, Value};

use super::codec::{amount, cents, date};
use super::failure::odd;
use super::sql::{BEGIN, delivery as sql};
use super::statements::Statements;
use crate::driver::Failure;
use crate::tpcc::ask::input::Delivery;
use crate::tpcc::ask::terminal::DeliveryScreen;

pub(super) async fn run(statements: &mut Statements, input: &Delivery) -> Result<DeliveryScreen, Failure> {
    let warehouse = input.warehouse;
    let mut delivered = DeliveryScreen::default();
    let mut keys: Vec<Value> = Vec::with_capacity(30);
    statements.run(BEGIN).await?;
    for (district, slot) in (1_u32..).zip(&mut delivered.0) {
        let rows = statements.rows(sql::OLDEST, (warehouse, district)).await?;
        let Some(row) = rows.into_iter().next() else { continue };
        let (order,): (u32,) = mysql_async::from_row_opt(row).map_err(odd)?;
        keys.extend([warehouse, district, order].map(Value::from));
        *slot = Some(order);
    }
    if !keys.is_empty() {
        let places = vec!["(?, ?, ?)"; keys.len() / 3].join(", ");
        let named = |sql: &str| sql.replace("{places}", &places);
        let with = |value: Value| std::iter::once(value).chain(keys.iter().cloned()).collect::<Vec<_>>();
        statements.execute_prepared(&named(sql::DELETE), keys.clone()).await?;
        statements.execute_prepared(&named(sql::ORDERS), with(Value::from(input.carrier))).await?;
        statements.execute_prepared(&named(sql::LINES), with(date(input.at_ms))).await?;
        let amounts: Vec<Row> = statements.rows(&named(sql::AMOUNTS), keys.clone()).await?;
        for row in amounts {
            let (district, customer, sum): (u32, u32, Value) = mysql_async::from_row_opt(row).map_err(odd)?;
            let sum = amount(cents(sum).map_err(odd)?);
            statements.execute_prepared(sql::CUSTOMER, (sum, warehouse, district, customer)).await?;
        }
    }
    statements.commit().await?;
    Ok(delivered)
}

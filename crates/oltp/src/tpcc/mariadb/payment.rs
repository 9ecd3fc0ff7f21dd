//! Payment (2.5): a customer pays; warehouse and district keep the sum. The warehouse, which every Payment of
//! it wants, is locked last.

use mysql_async::{Row, Value};

use super::codec::{amount, cents, date};
use super::customer::find;
use super::failure::{missing, odd};
use super::sql::{BEGIN, payment as sql};
use super::statements::Statements;
use crate::driver::Failure;
use crate::tpcc::ask::input::Payment;
use crate::tpcc::ask::terminal::PaymentScreen;

pub(super) async fn run(statements: &mut Statements, input: &Payment) -> Result<PaymentScreen, Failure> {
    let (warehouse, district) = (input.warehouse, input.district);
    let (customer_warehouse, customer_district) = (input.customer_warehouse, input.customer_district);
    statements.run(BEGIN).await?;
    let customer = find(statements, customer_warehouse, customer_district, &input.who).await?;
    let paid = amount(input.amount);
    let note = format!(
        "{customer} {customer_district} {customer_warehouse} {district} {warehouse} {}|",
        input.amount
    );
    let parameters = (paid.clone(), paid.clone(), note, customer_warehouse, customer_district, customer);
    if statements.execute_prepared(sql::CUSTOMER, parameters).await? == 0 {
        return Err(missing("customer"));
    }
    let row: Row = statements
        .row("customer", sql::CUSTOMER_ROW, (customer_warehouse, customer_district, customer))
        .await?;
    let places: Row = statements.row("warehouse or district", sql::PLACES, (warehouse, district)).await?;
    let name = |column: usize| {
        places.get_opt::<String, _>(column).and_then(Result::ok).ok_or_else(|| missing("a name"))
    };
    // H_DATA is W_NAME and D_NAME with four spaces between them (2.5.2.2).
    let data = format!("{}    {}", name(0)?, name(1)?);
    let parameters = (
        customer,
        customer_district,
        customer_warehouse,
        district,
        warehouse,
        date(input.at_ms),
        paid.clone(),
        data,
    );
    statements.execute_prepared(sql::HISTORY, parameters).await?;
    statements.execute_prepared(sql::DISTRICT, (paid.clone(), warehouse, district)).await?;
    statements.execute_prepared(sql::WAREHOUSE, (paid, warehouse)).await?;
    statements.commit().await?;
    screen(customer, row)
}

/// Balance and, for bad credit, the beginning of C_DATA from the first two columns.
pub(super) fn screen(customer: u32, mut row: Row) -> Result<PaymentScreen, Failure> {
    let balance: Value = row.take(0).ok_or_else(|| missing("a balance"))?;
    let data = row.take_opt::<Option<String>, _>(1).ok_or_else(|| missing("c_data"))?.map_err(odd)?;
    Ok(PaymentScreen { customer, balance: cents(balance).map_err(odd)?, data })
}

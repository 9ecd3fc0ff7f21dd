//! The transactions as functions on the server: their calls, and New-Order's answer, which comes in columns.

use database::with_causes;
use tokio_postgres::{Client, Row, Statement};

use super::codec::Moment;
use super::failure::{failure, missing};
use super::rounds::{Columns, rounds};
use super::sql;
use crate::driver::Failure;
use crate::error::OltpError;
use crate::tpcc::ask::input::NewOrder;
use crate::tpcc::ask::terminal::{OrderLineScreen, OrderScreen};
use crate::tpcc::data::money::{Cents, Rate, order_total};

const SOURCE: &str = include_str!("procedures.sql");

pub(super) const NEW_ORDER: &str = "CALL tpcc_new_order($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";
pub(super) const PAYMENT_BY_ID: &str = "SELECT * FROM tpcc_payment($1, $2, $3, $4, $5, NULL, $6, $7)";
pub(super) const PAYMENT_BY_NAME: &str = "SELECT * FROM tpcc_payment($1, $2, $3, $4, NULL, $5, $6, $7)";
pub(super) const ORDER_STATUS_BY_ID: &str = "SELECT * FROM tpcc_order_status_by_id($1, $2, $3)";
pub(super) const ORDER_STATUS_BY_NAME: &str = "SELECT * FROM tpcc_order_status_by_name($1, $2, $3)";
pub(super) const DELIVERY: &str = "SELECT * FROM tpcc_delivery($1, $2, $3)";
pub(super) const STOCK_LEVEL: &str = "SELECT tpcc_stock_level($1, $2, $3)";

/// Creates the functions, or replaces them by this version's.
pub(crate) async fn install(client: &Client) -> Result<(), OltpError> {
    let name = sql::customer::MIDDLE
        .replace("{warehouse}", "$1")
        .replace("{district}", "$2")
        .replace("{name}", "$3");
    let text = SOURCE
        .replace("{ORDER_STATUS_BY_ID}", &sql::ORDER_STATUS.replace("{customer}", "$3"))
        .replace("{ORDER_STATUS_BY_NAME}", &sql::ORDER_STATUS.replace("{customer}", &name))
        .replace("{DELIVER}", sql::delivery::DELIVER)
        .replace("{STOCK_LEVEL}", sql::STOCK_LEVEL);
    let installed = client.batch_execute(&text).await;
    installed.map_err(|error| OltpError::Server {
        doing: "creating the functions of order entry",
        why: with_causes(&error),
    })
}

/// Calls New-Order. `None` when the server rolled back because of an unused item.
pub(super) async fn new_order(
    client: &Client,
    statement: &Statement,
    input: &NewOrder,
) -> Result<Option<OrderScreen>, Failure> {
    let (warehouse, district, customer) =
        (input.warehouse as i32, input.district as i32, input.customer as i32);
    let (at, all_local) = (Moment(input.at_ms), i32::from(input.all_local()));
    let (lines, firsts) = columns(input);
    let Columns { numbers, items, supplies, quantities, .. } = &lines;
    let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 10] =
        [&warehouse, &district, &customer, &at, numbers, items, supplies, quantities, &firsts, &all_local];
    let row = client.query_one(statement, &parameters).await.map_err(failure)?;
    let answer = read(&row).map_err(failure)?;
    answer.map(|answer| answer.screen(input)).transpose()
}

/// The lines sorted by stock, those that name stock anew before the others, and how many of the former there
/// are.
fn columns(input: &NewOrder) -> (Columns, i32) {
    let all: Vec<(usize, Cents)> = (0..input.lines.len()).map(|number| (number, Cents(0))).collect();
    let mut rounds = rounds(input, &all).into_iter();
    let mut first = rounds.next().unwrap_or_default();
    let firsts = first.numbers.len() as i32;
    for round in rounds {
        first.numbers.extend(round.numbers);
        first.items.extend(round.items);
        first.supplies.extend(round.supplies);
        first.quantities.extend(round.quantities);
    }
    (first, firsts)
}

struct Answer {
    order: i32,
    district_tax: Rate,
    warehouse_tax: Rate,
    discount: Rate,
    last_name: String,
    credit: String,
    numbers: Vec<i32>,
    prices: Vec<Cents>,
    names: Vec<String>,
    stocks: Vec<i32>,
    brands: Vec<String>,
}

fn read(row: &Row) -> Result<Option<Answer>, tokio_postgres::Error> {
    let Some(order) = row.try_get::<_, Option<i32>>(0)? else { return Ok(None) };
    Ok(Some(Answer {
        order,
        district_tax: row.try_get(1)?,
        warehouse_tax: row.try_get(2)?,
        discount: row.try_get(3)?,
        last_name: row.try_get(4)?,
        credit: row.try_get(5)?,
        numbers: row.try_get(6)?,
        prices: row.try_get(7)?,
        names: row.try_get(8)?,
        stocks: row.try_get(9)?,
        brands: row.try_get(10)?,
    }))
}

impl Answer {
    fn screen(self, input: &NewOrder) -> Result<OrderScreen, Failure> {
        let mut lines: Vec<Option<OrderLineScreen>> = vec![None; input.lines.len()];
        let columns = self.numbers.iter().zip(self.prices).zip(self.names).zip(self.stocks).zip(self.brands);
        for ((((&number, price), name), stock), brand) in columns {
            let index = number as usize - 1;
            let amount = Cents(price.0 * i64::from(input.lines[index].quantity));
            let brand_generic = if brand == "B" { 'B' } else { 'G' };
            lines[index] =
                Some(OrderLineScreen { name, price, amount, stock_quantity: stock.into(), brand_generic });
        }
        let lines: Vec<OrderLineScreen> =
            lines.into_iter().collect::<Option<_>>().ok_or_else(|| missing("a line's answer"))?;
        let sum = Cents(lines.iter().map(|line| line.amount.0).sum());
        let total = order_total(sum, self.discount, self.warehouse_tax, self.district_tax);
        let Self { order, last_name, credit, .. } = self;
        Ok(OrderScreen { order: order as u32, total, last_name, credit, lines })
    }
}

//! The transactions as procedures on the server: their calls and their answers.

use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, Row, Value};

use super::codec::{amount, cents, date, rate};
use super::failure::{missing, odd};
use super::statements::Statements;
use super::{order_status, payment, sql};
use crate::admin::mariadb::words;
use crate::driver::Failure;
use crate::error::OltpError;
use crate::tpcc::ask::input::{Delivery, Input, NewOrder, OrderStatus, Payment, StockLevel, Who};
use crate::tpcc::ask::terminal::{DeliveryScreen, OrderLineScreen, OrderScreen, Screen, StatusScreen};
use crate::tpcc::data::money::{Cents, order_total};

const SOURCE: &str = include_str!("procedures.sql");

const NEW_ORDER: &str = "CALL tpcc_new_order(?, ?, ?, ?, ?, ?, ?)";
const PAYMENT: &str = "CALL tpcc_payment(?, ?, ?, ?, ?, ?, ?, ?)";
const ORDER_STATUS: &str = "CALL tpcc_order_status(?, ?, ?, ?)";
const DELIVERY: &str = "CALL tpcc_delivery(?, ?, ?)";
const STOCK_LEVEL: &str = "CALL tpcc_stock_level(?, ?, ?)";

/// Creates the procedures, or replaces them by this version's.
pub(crate) async fn install(connection: &mut Conn) -> Result<(), OltpError> {
    let with =
        |sql: &str, names: &[&str]| names.iter().fold(sql.to_owned(), |sql, name| sql.replacen('?', name, 1));
    let status = with(sql::ORDER_STATUS, &["in_w", "in_d", "var_c", "in_w", "in_d", "var_c"]);
    let level = with(sql::STOCK_LEVEL, &["in_w", "in_d", "in_threshold"]);
    let text = SOURCE.replace("{ORDER_STATUS}", &status).replace("{STOCK_LEVEL}", &level);
    for statement in text.split("\n//\n") {
        connection.query_drop(statement).await.map_err(|error| OltpError::Server {
            doing: "creating the procedures of order entry",
            why: words(&error),
        })?;
    }
    Ok(())
}

pub(super) async fn execute(statements: &mut Statements, request: &Input) -> Result<Screen, Failure> {
    Ok(match request {
        Input::NewOrder(input) => match new_order(statements, input).await? {
            Some(screen) => Screen::NewOrder(screen),
            None => Screen::InvalidItem,
        },
        Input::Payment(input) => pay(statements, input).await?,
        Input::OrderStatus(input) => Screen::OrderStatus(status(statements, input).await?),
        Input::Delivery(input) => Screen::Delivery(deliver(statements, input).await?),
        Input::StockLevel(StockLevel { warehouse, district, threshold }) => {
            let parameters = (*warehouse, *district, *threshold);
            Screen::StockLevel(statements.row::<(u32,)>("a count", STOCK_LEVEL, parameters).await?.0)
        }
    })
}

/// Number or name as the last two parameters that tell a customer.
fn who(who: &Who) -> [Value; 2] {
    match who {
        Who::Id(id) => [Value::from(*id), Value::NULL],
        Who::Name(name) => [Value::NULL, Value::from(name.as_str())],
    }
}

async fn new_order(statements: &mut Statements, input: &NewOrder) -> Result<Option<OrderScreen>, Failure> {
    // Sorted by stock, so that any two orders lock their common rows in the same order.
    let mut sorted: Vec<usize> = (0..input.lines.len()).collect();
    sorted.sort_by_key(|&index| (input.lines[index].supply_warehouse, input.lines[index].item, index));
    let lines: String = sorted
        .iter()
        .map(|&index| {
            let line = &input.lines[index];
            format!("{:010}{:010}{:010}{:010}", index + 1, line.item, line.supply_warehouse, line.quantity)
        })
        .collect();
    let (count, all_local) = (input.lines.len() as u32, u32::from(input.all_local()));
    let parameters =
        (input.warehouse, input.district, input.customer, date(input.at_ms), count, all_local, lines);
    type Answer = (Option<u32>, Value, Value, Value, Option<String>, Option<String>, Option<String>);
    let (order, district_tax, warehouse_tax, discount, last_name, credit, answer): Answer =
        statements.row("an answer", NEW_ORDER, parameters).await?;
    let Some(order) = order else { return Ok(None) };
    let (Some(last_name), Some(credit), Some(answer)) = (last_name, credit, answer) else {
        return Err(missing("warehouse, district or customer"));
    };
    let lines = lines_of(input, &answer).ok_or_else(|| missing("a line's answer"))?;
    let sum = Cents(lines.iter().map(|line| line.amount.0).sum());
    let read = |value: Value| rate(value).map_err(odd);
    let total = order_total(sum, read(discount)?, read(warehouse_tax)?, read(district_tax)?);
    Ok(Some(OrderScreen { order, total, last_name, credit, lines }))
}

/// `number,price,stock,brand,name;` for each line, in the order in which they were sent.
fn lines_of(input: &NewOrder, answer: &str) -> Option<Vec<OrderLineScreen>> {
    let mut lines: Vec<Option<OrderLineScreen>> = vec![None; input.lines.len()];
    for line in answer.split_terminator(';') {
        let mut parts = line.splitn(5, ',');
        let index = parts.next()?.parse::<usize>().ok()?.checked_sub(1)?;
        let price = cents(Value::from(parts.next()?)).ok()?;
        let stock_quantity = parts.next()?.parse().ok()?;
        let brand_generic = parts.next()?.chars().next()?;
        let name = parts.next()?.to_owned();
        let amount = Cents(price.0 * i64::from(input.lines.get(index)?.quantity));
        lines[index] = Some(OrderLineScreen { name, price, amount, stock_quantity, brand_generic });
    }
    lines.into_iter().collect()
}

async fn pay(statements: &mut Statements, input: &Payment) -> Result<Screen, Failure> {
    let [id, name] = who(&input.who);
    let parameters = vec![
        Value::from(input.warehouse),
        Value::from(input.district),
        Value::from(input.customer_warehouse),
        Value::from(input.customer_district),
        id,
        name,
        amount(input.amount),
        date(input.at_ms),
    ];
    let row: Row = statements.row("warehouse, district or customer", PAYMENT, parameters).await?;
    let customer = row.get_opt::<u32, _>(27).ok_or_else(|| missing("a customer's number"))?.map_err(odd)?;
    payment::screen(customer, row).map(Screen::Payment)
}

async fn status(statements: &mut Statements, input: &OrderStatus) -> Result<StatusScreen, Failure> {
    let [id, name] = who(&input.who);
    let parameters = vec![Value::from(input.warehouse), Value::from(input.district), id, name];
    order_status::screen(statements.rows(ORDER_STATUS, parameters).await?)
}

async fn deliver(statements: &mut Statements, input: &Delivery) -> Result<DeliveryScreen, Failure> {
    let parameters = (input.warehouse, input.carrier, date(input.at_ms));
    let (answer,): (String,) = statements.row("an answer", DELIVERY, parameters).await?;
    let mut delivered = DeliveryScreen::default();
    for pair in answer.split_terminator(';') {
        let (district, order) = pair.split_once(',').ok_or_else(|| missing("an order's number"))?;
        let district: usize = district.parse().map_err(odd)?;
        let slot =
            delivered.0.get_mut(district.wrapping_sub(1)).ok_or_else(|| missing("a district of 1 to 10"))?;
        *slot = Some(order.parse().map_err(odd)?);
    }
    Ok(delivered)
}

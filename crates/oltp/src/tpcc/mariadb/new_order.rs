//! New-Order (2.4): enters an order of 5 to 15 lines. Work on all lines is one statement each.

use std::collections::{BTreeMap, BTreeSet};

use mysql_async::{Row, Value};

use super::codec::{amount, cents, date, rate};
use super::failure::{missing, odd};
use super::sql::{BEGIN, ROLLBACK, new_order as sql};
use super::statements::Statements;
use crate::driver::Failure;
use crate::tpcc::ask::input::{Line, NewOrder};
use crate::tpcc::ask::terminal::{OrderLineScreen, OrderScreen};
use crate::tpcc::data::money::{Cents, Rate, order_total};

/// One item of the catalogue.
struct Item {
    price: Cents,
    name: String,
    original: bool,
}

/// One row of stock, and this order's change of it.
struct Stock {
    quantity: i64,
    dist: String,
    original: bool,
    sold: u32,
    orders: u32,
    remote: u32,
}

/// Supplying warehouse and item.
type StockKey = (u32, u32);

/// `None` when a line names an unused item: rolled back, after everything up to that line has been done
/// (2.4.2.3).
pub(super) async fn run(
    statements: &mut Statements,
    input: &NewOrder,
) -> Result<Option<OrderScreen>, Failure> {
    let (warehouse, district) = (input.warehouse, input.district);
    statements.run(BEGIN).await?;
    let (order, district_tax): (u32, Value) =
        statements.row("district", sql::HEAD, (warehouse, district)).await?;
    statements.execute_prepared(sql::DISTRICT, (warehouse, district)).await?;
    let (warehouse_tax, discount, last_name, credit): (Value, Value, String, String) =
        statements.row("warehouse or customer", sql::CUSTOMER, (warehouse, district, input.customer)).await?;
    let count = input.lines.len() as u32;
    let parameters =
        (order, district, warehouse, input.customer, date(input.at_ms), count, u32::from(input.all_local()));
    statements.execute_prepared(sql::ORDER, parameters).await?;
    statements.execute_prepared(sql::NEW_ORDER, (order, district, warehouse)).await?;
    let items = items(statements, &input.lines).await?;
    let valid: Vec<(u32, &Line, &Item)> = (1..)
        .zip(&input.lines)
        .filter_map(|(number, line)| Some((number, line, items.get(&line.item)?)))
        .collect();
    let mut stocks = stocks(statements, input, &valid).await?;
    let mut lines = Vec::with_capacity(valid.len());
    let mut rows: Vec<Value> = Vec::with_capacity(9 * valid.len());
    for &(number, line, item) in &valid {
        let stock =
            stocks.get_mut(&(line.supply_warehouse, line.item)).ok_or_else(|| missing("a row of stock"))?;
        let screen = sell(stock, line, item, input.warehouse);
        rows.extend(
            [order, district, warehouse, number, line.item, line.supply_warehouse, line.quantity]
                .map(Value::from),
        );
        rows.extend([amount(screen.amount), Value::from(stock.dist.as_str())]);
        lines.push(screen);
    }
    update_stock(statements, &stocks).await?;
    let places = vec![sql::LINE; valid.len()].join(", ");
    statements.execute_prepared(&sql::LINES.replace("{rows}", &places), rows).await?;
    if valid.len() < input.lines.len() {
        statements.run(ROLLBACK).await?;
        return Ok(None);
    }
    statements.commit().await?;
    let sum = Cents(lines.iter().map(|line| line.amount.0).sum());
    let read_rate = |value: Value| -> Result<Rate, Failure> { rate(value).map_err(odd) };
    let total = order_total(sum, read_rate(discount)?, read_rate(warehouse_tax)?, read_rate(district_tax)?);
    Ok(Some(OrderScreen { order, total, last_name, credit, lines }))
}

/// The stock rule of 2.4.2.2 for one line.
fn sell(stock: &mut Stock, line: &Line, item: &Item, home: u32) -> OrderLineScreen {
    let quantity = i64::from(line.quantity);
    stock.quantity += if stock.quantity >= quantity + 10 { -quantity } else { 91 - quantity };
    stock.sold += line.quantity;
    stock.orders += 1;
    stock.remote += u32::from(line.supply_warehouse != home);
    OrderLineScreen {
        name: item.name.clone(),
        price: item.price,
        amount: Cents(item.price.0 * quantity),
        stock_quantity: stock.quantity,
        brand_generic: if item.original && stock.original { 'B' } else { 'G' },
    }
}

/// The items of all lines; unused ones are not among them.
async fn items(statements: &mut Statements, lines: &[Line]) -> Result<BTreeMap<u32, Item>, Failure> {
    let sql = sql::ITEMS.replace("{places}", &vec!["?"; lines.len()].join(", "));
    let parameters: Vec<Value> = lines.iter().map(|line| Value::from(line.item)).collect();
    let read = |row: Row| -> Result<(u32, Item), Failure> {
        let (id, price, name, original): (u32, Value, String, bool) =
            mysql_async::from_row_opt(row).map_err(odd)?;
        Ok((id, Item { price: cents(price).map_err(odd)?, name, original }))
    };
    statements.rows(&sql, parameters).await?.into_iter().map(read).collect()
}

/// The rows of stock of all valid lines, locked in the order of their key.
async fn stocks(
    statements: &mut Statements,
    input: &NewOrder,
    valid: &[(u32, &Line, &Item)],
) -> Result<BTreeMap<StockKey, Stock>, Failure> {
    let places: BTreeSet<StockKey> =
        valid.iter().map(|(_, line, _)| (line.supply_warehouse, line.item)).collect();
    let sql = sql::STOCK
        .replace("{district}", &format!("{:02}", input.district))
        .replace("{places}", &vec!["(?, ?)"; places.len()].join(", "));
    let parameters: Vec<Value> =
        places.iter().flat_map(|&(warehouse, item)| [warehouse, item]).map(Value::from).collect();
    let read = |row: Row| -> Result<(StockKey, Stock), Failure> {
        let (warehouse, item, quantity, dist, original) = mysql_async::from_row_opt(row).map_err(odd)?;
        Ok(((warehouse, item), Stock { quantity, dist, original, sold: 0, orders: 0, remote: 0 }))
    };
    statements.rows(&sql, parameters).await?.into_iter().map(read).collect()
}

/// All rows of stock in one statement.
async fn update_stock(
    statements: &mut Statements,
    stocks: &BTreeMap<StockKey, Stock>,
) -> Result<(), Failure> {
    let branches = vec![sql::WHEN; stocks.len()].join(" ");
    let sql = ["{quantities}", "{sold}", "{orders}", "{remote}"]
        .iter()
        .fold(sql::UPDATE_STOCK.to_owned(), |sql, part| sql.replace(part, &branches))
        .replace("{places}", &vec!["(?, ?)"; stocks.len()].join(", "));
    let mut parameters: Vec<Value> = Vec::with_capacity(14 * stocks.len());
    let values: [fn(&Stock) -> Value; 4] = [
        |stock| Value::from(stock.quantity),
        |stock| Value::from(stock.sold),
        |stock| Value::from(stock.orders),
        |stock| Value::from(stock.remote),
    ];
    for value in values {
        for (&(warehouse, item), stock) in stocks {
            parameters.extend([Value::from(item), Value::from(warehouse), value(stock)]);
        }
    }
    parameters.extend(stocks.keys().flat_map(|&(warehouse, item)| [warehouse, item]).map(Value::from));
    statements.execute_prepared(&sql, parameters).await.map(drop)
}

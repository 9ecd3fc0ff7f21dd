//! New-Order (2.4): enters an order of 5 to 15 lines, in two round trips or, as a procedure, in one.

use tokio::join;
use tokio_postgres::{Client, Row, Statement};

use super::codec::Moment;
use super::failure::{failure, missing};
use super::rounds::{Columns, rounds};
use super::sql::{BEGIN, COMMIT, ROLLBACK, new_order as sql};
use super::{prepare, procedures};
use crate::driver::Failure;
use crate::tpcc::ask::commit::CommitClock;
use crate::tpcc::ask::input::NewOrder;
use crate::tpcc::ask::mode::Mode;
use crate::tpcc::ask::terminal::{OrderLineScreen, OrderScreen};
use crate::tpcc::data::money::{Cents, Rate, order_total};

pub(super) enum NewOrderStatements {
    Statements { head: Statement, items: Statement, order: Statement, more: Statement },
    Procedure(Statement),
}

/// The result of the first round trip.
struct Head {
    order: u32,
    district_tax: Rate,
    warehouse_tax: Rate,
    discount: Rate,
    last_name: String,
    credit: String,
}

/// One item of the catalogue.
struct Item {
    id: i32,
    price: Cents,
    name: String,
    original: bool,
}

impl NewOrderStatements {
    pub(super) async fn prepare(client: &Client, mode: Mode) -> Result<Self, Failure> {
        if mode == Mode::Procedures {
            return Ok(Self::Procedure(prepare(client, procedures::NEW_ORDER).await?));
        }
        Ok(Self::Statements {
            head: prepare(client, sql::HEAD).await?,
            items: prepare(client, sql::ITEMS).await?,
            order: prepare(client, &sql::ORDER.replace("{lines}", sql::LINES)).await?,
            more: prepare(client, &sql::MORE.replace("{lines}", sql::LINES)).await?,
        })
    }

    /// `None` when a line names an unused item: rolled back, after everything up to that line has been done
    /// (2.4.2.3).
    pub(super) async fn run(
        &self,
        client: &Client,
        commits: &CommitClock,
        input: &NewOrder,
    ) -> Result<Option<OrderScreen>, Failure> {
        match self {
            Self::Procedure(statement) => procedures::new_order(client, statement, input).await,
            Self::Statements { .. } => {
                let ended = self.statements(client, commits, input).await;
                if matches!(ended, Err(Failure::Retry(_) | Failure::Error { .. })) {
                    // Where the server has rolled back by itself this does nothing.
                    client.batch_execute(ROLLBACK).await.map_err(failure)?;
                }
                ended
            }
        }
    }

    async fn statements(
        &self,
        client: &Client,
        commits: &CommitClock,
        input: &NewOrder,
    ) -> Result<Option<OrderScreen>, Failure> {
        let (head, items) = self.begin(client, input).await?;
        let known =
            |line: &crate::tpcc::ask::input::Line| items.iter().position(|item| item.id == line.item as i32);
        let valid: Vec<(usize, usize)> = input
            .lines
            .iter()
            .enumerate()
            .filter_map(|(number, line)| Some((number, known(line)?)))
            .collect();
        let price = |&(number, item): &(usize, usize)| {
            Cents(items[item].price.0 * i64::from(input.lines[number].quantity))
        };
        let amounts: Vec<(usize, Cents)> = valid.iter().map(|line| (line.0, price(line))).collect();
        let complete = valid.len() == input.lines.len();
        let commits = complete.then_some(commits);
        let stocks = self.end(client, input, &head, rounds(input, &amounts), commits).await?;
        if !complete {
            return Ok(None);
        }
        let mut lines: Vec<OrderLineScreen> = valid
            .iter()
            .zip(&amounts)
            .map(|(&(_, item), &(_, amount))| OrderLineScreen {
                name: items[item].name.clone(),
                price: items[item].price,
                amount,
                stock_quantity: 0,
                brand_generic: 'G',
            })
            .collect();
        if stocks.len() != lines.len() {
            return Err(missing("a row of stock"));
        }
        for row in stocks {
            let get = || -> Result<(i32, i32, bool), tokio_postgres::Error> {
                Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))
            };
            let (number, quantity, original) = get().map_err(failure)?;
            let index = number as usize - 1;
            lines[index].stock_quantity = quantity.into();
            if original && items[valid[index].1].original {
                lines[index].brand_generic = 'B';
            }
        }
        let sum = Cents(amounts.iter().map(|(_, amount)| amount.0).sum());
        let total = order_total(sum, head.discount, head.warehouse_tax, head.district_tax);
        let Head { order, last_name, credit, .. } = head;
        Ok(Some(OrderScreen { order, total, last_name, credit, lines }))
    }

    /// First round trip: takes the order's number and reads the data for the lines.
    async fn begin(&self, client: &Client, input: &NewOrder) -> Result<(Head, Vec<Item>), Failure> {
        let Self::Statements { head, items, .. } = self else { return Err(missing("a statement")) };
        let (warehouse, district, customer) =
            (input.warehouse as i32, input.district as i32, input.customer as i32);
        let numbers: Vec<i32> = input.lines.iter().map(|line| line.item as i32).collect();
        let place: [&(dyn tokio_postgres::types::ToSql + Sync); 3] = [&warehouse, &district, &customer];
        let catalogue: [&(dyn tokio_postgres::types::ToSql + Sync); 1] = [&numbers];
        let (begun, head, items) = join!(
            client.batch_execute(BEGIN),
            client.query_opt(head, &place),
            client.query(items, &catalogue),
        );
        begun.map_err(failure)?;
        let head = head.map_err(failure)?.ok_or_else(|| missing("warehouse, district or customer"))?;
        let items = items.map_err(failure)?;
        Ok((
            read_head(&head).map_err(failure)?,
            items.iter().map(read_item).collect::<Result<_, _>>().map_err(failure)?,
        ))
    }

    /// Second round trip: order, lines, stock, and the end of the transaction: its commit, timed by
    /// `commits`, or else its rollback. Gives the rows of stock.
    async fn end(
        &self,
        client: &Client,
        input: &NewOrder,
        head: &Head,
        rounds: Vec<Columns>,
        commits: Option<&CommitClock>,
    ) -> Result<Vec<Row>, Failure> {
        let Self::Statements { order, more, .. } = self else { return Err(missing("a statement")) };
        let (warehouse, district, number) =
            (input.warehouse as i32, input.district as i32, head.order as i32);
        let (customer, at) = (input.customer as i32, Moment(input.at_ms));
        let (count, all_local) = (input.lines.len() as i32, i32::from(input.all_local()));
        let mut rounds = rounds.iter();
        let empty = Columns::default();
        let Columns { numbers, items, supplies, quantities, amounts } = rounds.next().unwrap_or(&empty);
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 12] = [
            &warehouse, &district, &number, numbers, items, supplies, quantities, amounts, &customer, &at,
            &count, &all_local,
        ];
        let order = client.query(order, &parameters);
        if rounds.len() == 0 {
            let (rows, ended) = match commits {
                Some(clock) => clock.behind(order, client.batch_execute(COMMIT)).await,
                None => join!(order, client.batch_execute(ROLLBACK)),
            };
            let rows = rows.map_err(failure)?;
            ended.map_err(failure)?;
            return Ok(rows);
        }
        // An item named twice from the same stock: rare enough for further round trips.
        let mut rows = order.await.map_err(failure)?;
        for Columns { numbers, items, supplies, quantities, amounts } in rounds {
            let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 8] =
                [&warehouse, &district, &number, numbers, items, supplies, quantities, amounts];
            rows.extend(client.query(more, &parameters).await.map_err(failure)?);
        }
        let ended = match commits {
            Some(clock) => clock.alone(client.batch_execute(COMMIT)).await,
            None => client.batch_execute(ROLLBACK).await,
        };
        ended.map_err(failure)?;
        Ok(rows)
    }
}

fn read_head(row: &Row) -> Result<Head, tokio_postgres::Error> {
    Ok(Head {
        order: row.try_get::<_, i32>(0)? as u32,
        district_tax: row.try_get(1)?,
        warehouse_tax: row.try_get(2)?,
        discount: row.try_get(3)?,
        last_name: row.try_get(4)?,
        credit: row.try_get(5)?,
    })
}

fn read_item(row: &Row) -> Result<Item, tokio_postgres::Error> {
    Ok(Item { id: row.try_get(0)?, price: row.try_get(1)?, name: row.try_get(2)?, original: row.try_get(3)? })
}

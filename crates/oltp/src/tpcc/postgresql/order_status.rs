//! Order-Status (2.6): the status of a customer's last order. Reads only, in one round trip.

use tokio_postgres::{Client, Row, Statement};

use super::failure::{failure, missing};
use super::sql;
use super::{prepare, procedures};
use crate::driver::Failure;
use crate::tpcc::ask::input::{OrderStatus, Who};
use crate::tpcc::ask::mode::Mode;
use crate::tpcc::ask::terminal::{StatusLine, StatusScreen};

pub(super) struct OrderStatusStatements {
    by_id: Statement,
    by_name: Statement,
}

impl OrderStatusStatements {
    pub(super) async fn prepare(client: &Client, mode: Mode) -> Result<Self, Failure> {
        let (by_id, by_name) = match mode {
            Mode::Procedures => {
                (procedures::ORDER_STATUS_BY_ID.to_owned(), procedures::ORDER_STATUS_BY_NAME.to_owned())
            }
            Mode::Statements => {
                let name = sql::customer::MIDDLE
                    .replace("{warehouse}", "$1")
                    .replace("{district}", "$2")
                    .replace("{name}", "$3");
                (
                    sql::ORDER_STATUS.replace("{customer}", "$3"),
                    sql::ORDER_STATUS.replace("{customer}", &name),
                )
            }
        };
        Ok(Self { by_id: prepare(client, &by_id).await?, by_name: prepare(client, &by_name).await? })
    }

    pub(super) async fn run(&self, client: &Client, input: &OrderStatus) -> Result<StatusScreen, Failure> {
        let (warehouse, district) = (input.warehouse as i32, input.district as i32);
        let rows = match &input.who {
            Who::Id(id) => client.query(&self.by_id, &[&warehouse, &district, &(*id as i32)]).await,
            Who::Name(name) => client.query(&self.by_name, &[&warehouse, &district, &name.as_str()]).await,
        };
        let rows = rows.map_err(failure)?;
        let first = rows.first().ok_or_else(|| missing("customer or order"))?;
        read(first, &rows).map_err(failure)
    }
}

fn read(first: &Row, rows: &[Row]) -> Result<StatusScreen, tokio_postgres::Error> {
    let line = |row: &Row| {
        Ok(StatusLine {
            item: row.try_get::<_, i32>(4)? as u32,
            supply_warehouse: row.try_get::<_, i32>(5)? as u32,
            quantity: row.try_get::<_, i32>(6)? as u32,
            amount: row.try_get(7)?,
            delivered: row.try_get(8)?,
        })
    };
    Ok(StatusScreen {
        customer: first.try_get::<_, i32>(0)? as u32,
        balance: first.try_get(1)?,
        order: first.try_get::<_, i32>(2)? as u32,
        carrier: first.try_get::<_, Option<i32>>(3)?.map(|carrier| carrier as u32),
        lines: rows.iter().map(line).collect::<Result<_, _>>()?,
    })
}

//! Payment (2.5): a customer pays; warehouse and district keep the sum. One round trip.

use tokio_postgres::{Client, Row, Statement};

use super::codec::Moment;
use super::failure::{failure, missing};
use super::sql;
use super::{prepare, procedures};
use crate::driver::Failure;
use crate::tpcc::ask::input::{Payment, Who};
use crate::tpcc::ask::mode::Mode;
use crate::tpcc::ask::terminal::PaymentScreen;

pub(super) struct PaymentStatements {
    by_id: Statement,
    by_name: Statement,
}

impl PaymentStatements {
    pub(super) async fn prepare(client: &Client, mode: Mode) -> Result<Self, Failure> {
        let (by_id, by_name) = match mode {
            Mode::Procedures => {
                (procedures::PAYMENT_BY_ID.to_owned(), procedures::PAYMENT_BY_NAME.to_owned())
            }
            Mode::Statements => {
                let name = sql::customer::MIDDLE
                    .replace("{warehouse}", "$3")
                    .replace("{district}", "$4")
                    .replace("{name}", "$5");
                (sql::PAYMENT.replace("{customer}", "$5"), sql::PAYMENT.replace("{customer}", &name))
            }
        };
        Ok(Self { by_id: prepare(client, &by_id).await?, by_name: prepare(client, &by_name).await? })
    }

    pub(super) async fn run(&self, client: &Client, input: &Payment) -> Result<PaymentScreen, Failure> {
        let (warehouse, district) = (input.warehouse as i32, input.district as i32);
        let (customer_warehouse, customer_district) =
            (input.customer_warehouse as i32, input.customer_district as i32);
        let at = Moment(input.at_ms);
        let number: i32;
        let name: &str;
        let (statement, customer): (_, &(dyn tokio_postgres::types::ToSql + Sync)) = match &input.who {
            Who::Id(id) => {
                number = *id as i32;
                (&self.by_id, &number)
            }
            Who::Name(last_name) => {
                name = last_name.as_str();
                (&self.by_name, &name)
            }
        };
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 7] =
            [&warehouse, &district, &customer_warehouse, &customer_district, customer, &input.amount, &at];
        let row = client.query_opt(statement, &parameters).await.map_err(failure)?;
        read(&row.ok_or_else(|| missing("warehouse, district or customer"))?).map_err(failure)
    }
}

fn read(row: &Row) -> Result<PaymentScreen, tokio_postgres::Error> {
    Ok(PaymentScreen {
        customer: row.try_get::<_, i32>(0)? as u32,
        balance: row.try_get(1)?,
        data: row.try_get(2)?,
    })
}

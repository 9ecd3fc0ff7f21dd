//! Order entry on PostgreSQL: one file per transaction, the statements' text in `sql`, the tables in
//! `schema`, the server's functions in `procedures.sql`.

mod binary;
mod codec;
mod delivery;
mod failure;
mod load;
mod new_order;
mod order_status;
mod payment;
mod procedures;
mod rounds;
mod schema;
mod sql;
mod stock_level;

use database::postgresql::PostgreSql;
use tokio_postgres::{Client, Statement};

use super::ask::commit::CommitClock;
use super::ask::input::Input;
use super::ask::mode::Mode;
use super::ask::terminal::Screen;
use super::server::OrderEntryServer;
use crate::admin::postgresql::open;
use crate::driver::{Failure, Session};

use failure::{failure, not_opened};

/// One connection with its statements, prepared once.
pub(crate) struct PostgresqlSession {
    client: Client,
    commits: CommitClock,
    new_order: new_order::NewOrderStatements,
    payment: payment::PaymentStatements,
    order_status: order_status::OrderStatusStatements,
    delivery: delivery::DeliveryStatements,
    stock_level: stock_level::StockLevelStatements,
}

impl PostgresqlSession {
    /// Prepares everything on a new connection.
    pub(crate) async fn prepare(client: Client, mode: Mode) -> Result<Self, Failure> {
        client.batch_execute(sql::SESSION).await.map_err(failure)?;
        Ok(Self {
            new_order: new_order::NewOrderStatements::prepare(&client, mode).await?,
            payment: payment::PaymentStatements::prepare(&client, mode).await?,
            order_status: order_status::OrderStatusStatements::prepare(&client, mode).await?,
            delivery: delivery::DeliveryStatements::prepare(&client, mode).await?,
            stock_level: stock_level::StockLevelStatements::prepare(&client, mode).await?,
            commits: CommitClock::default(),
            client,
        })
    }
}

impl OrderEntryServer for PostgreSql<'_> {
    type Session = PostgresqlSession;

    async fn session(self, mode: Mode) -> Result<PostgresqlSession, Failure> {
        PostgresqlSession::prepare(open(self).await.map_err(not_opened)?, mode).await
    }
}

impl Session for PostgresqlSession {
    type Request = Input;
    type Answer = Screen;

    async fn execute(&mut self, request: &Input) -> Result<Screen, Failure> {
        let client = &self.client;
        Ok(match request {
            Input::NewOrder(input) => match self.new_order.run(client, &self.commits, input).await? {
                Some(screen) => Screen::NewOrder(screen),
                None => Screen::InvalidItem,
            },
            Input::Payment(input) => Screen::Payment(self.payment.run(client, input).await?),
            Input::OrderStatus(input) => Screen::OrderStatus(self.order_status.run(client, input).await?),
            Input::Delivery(input) => {
                Screen::Delivery(self.delivery.run(client, &self.commits, input).await?)
            }
            Input::StockLevel(input) => Screen::StockLevel(self.stock_level.run(client, input).await?),
        })
    }

    fn take_commit_ns(&mut self) -> Option<u64> {
        self.commits.take_ns()
    }

    async fn is_alive(&mut self) -> bool {
        self.client.simple_query("SELECT 1").await.is_ok()
    }
}

/// Prepares one statement.
async fn prepare(client: &Client, sql: &str) -> Result<Statement, Failure> {
    client.prepare(sql).await.map_err(failure)
}

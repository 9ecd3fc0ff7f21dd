//! One connection at work.

use database::mariadb::MariaDb;
use mysql_async::prelude::Queryable as _;

use super::failure::failure;
use super::statements::Statements;
use super::{delivery, new_order, order_status, payment, procedures, sql, stock_level};
use crate::admin::mariadb::open;
use crate::driver::{Failure, Session};
use crate::tpcc::ask::input::Input;
use crate::tpcc::ask::mode::Mode;
use crate::tpcc::ask::terminal::Screen;
use crate::tpcc::server::OrderEntryServer;

/// One connection and where its transactions' logic runs.
pub(crate) struct MariadbSession {
    statements: Statements,
    mode: Mode,
}

impl OrderEntryServer for MariaDb<'_> {
    type Session = MariadbSession;

    async fn session(self, mode: Mode) -> Result<MariadbSession, Failure> {
        let mut connection = open(self).await.map_err(failure)?;
        for sql in sql::SESSION {
            connection.query_drop(*sql).await.map_err(failure)?;
        }
        Ok(MariadbSession { statements: Statements::over(connection), mode })
    }
}

impl Session for MariadbSession {
    type Request = Input;
    type Answer = Screen;

    async fn execute(&mut self, request: &Input) -> Result<Screen, Failure> {
        if self.mode == Mode::Procedures {
            return procedures::execute(&mut self.statements, request).await;
        }
        let answer = by_statements(&mut self.statements, request).await;
        if matches!(answer, Err(Failure::Retry(_) | Failure::Error { .. })) {
            // Where the server has rolled back by itself this does nothing.
            self.statements.run(sql::ROLLBACK).await?;
        }
        answer
    }

    fn take_commit_ns(&mut self) -> Option<u64> {
        self.statements.take_commit_ns()
    }

    async fn is_alive(&mut self) -> bool {
        self.statements.is_alive().await
    }
}

/// One transaction statement by statement.
async fn by_statements(statements: &mut Statements, request: &Input) -> Result<Screen, Failure> {
    Ok(match request {
        Input::NewOrder(input) => match new_order::run(statements, input).await? {
            Some(screen) => Screen::NewOrder(screen),
            None => Screen::InvalidItem,
        },
        Input::Payment(input) => Screen::Payment(payment::run(statements, input).await?),
        Input::OrderStatus(input) => Screen::OrderStatus(order_status::run(statements, input).await?),
        Input::Delivery(input) => Screen::Delivery(delivery::run(statements, input).await?),
        Input::StockLevel(input) => Screen::StockLevel(stock_level::run(statements, input).await?),
    })
}

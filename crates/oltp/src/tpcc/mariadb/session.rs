//! One connection at work.

use database::Endpoint;
use mysql_async::prelude::{FromRow, Queryable as _};
use mysql_async::{Conn, Params, Row};

use super::connect::open;
use super::failure::{failure, missing};
use super::{delivery, new_order, order_status, payment, procedures, sql, stock_level};
use crate::driver::{Connect, Failure, Session};
use crate::tpcc::input::Input;
use crate::tpcc::mode::Mode;
use crate::tpcc::terminal::Screen;

/// One connection. Its statements are prepared at their first use and kept.
pub(crate) struct MariadbSession {
    connection: Conn,
    mode: Mode,
}

/// Where virtual users come in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Door<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) mode: Mode,
}

impl Connect for Door<'_> {
    type Session = MariadbSession;

    async fn connect(&self) -> Result<MariadbSession, Failure> {
        let mut connection = open(self.endpoint).await.map_err(failure)?;
        for sql in sql::SESSION {
            connection.query_drop(*sql).await.map_err(failure)?;
        }
        Ok(MariadbSession { connection, mode: self.mode })
    }
}

impl Session for MariadbSession {
    type Request = Input;
    type Answer = Screen;

    async fn execute(&mut self, request: &Input) -> Result<Screen, Failure> {
        if self.mode == Mode::Procedures {
            return procedures::execute(self, request).await;
        }
        let answer = self.statements(request).await;
        if matches!(answer, Err(Failure::Retry(_) | Failure::Error { .. })) {
            // Where the server has rolled back by itself this does nothing.
            self.run(sql::ROLLBACK).await?;
        }
        answer
    }
}

impl MariadbSession {
    async fn statements(&mut self, request: &Input) -> Result<Screen, Failure> {
        Ok(match request {
            Input::NewOrder(input) => match new_order::run(self, input).await? {
                Some(screen) => Screen::NewOrder(screen),
                None => Screen::InvalidItem,
            },
            Input::Payment(input) => Screen::Payment(payment::run(self, input).await?),
            Input::OrderStatus(input) => Screen::OrderStatus(order_status::run(self, input).await?),
            Input::Delivery(input) => Screen::Delivery(delivery::run(self, input).await?),
            Input::StockLevel(input) => Screen::StockLevel(stock_level::run(self, input).await?),
        })
    }

    /// Executes a statement without parameters and rows.
    pub(super) async fn run(&mut self, sql: &str) -> Result<(), Failure> {
        self.connection.query_drop(sql).await.map_err(failure)
    }

    /// Executes a prepared statement that gives no rows; gives the number of rows that it found.
    pub(super) async fn execute_prepared(
        &mut self,
        sql: &str,
        parameters: impl Into<Params> + Send,
    ) -> Result<u64, Failure> {
        self.connection.exec_drop(sql, parameters).await.map_err(failure)?;
        Ok(self.connection.affected_rows())
    }

    /// The rows of a prepared statement.
    pub(super) async fn rows(
        &mut self,
        sql: &str,
        parameters: impl Into<Params> + Send,
    ) -> Result<Vec<Row>, Failure> {
        self.connection.exec(sql, parameters).await.map_err(failure)
    }

    /// The one row of a prepared statement that must have one.
    pub(super) async fn row<T: FromRow + Send + 'static>(
        &mut self,
        what: &str,
        sql: &str,
        parameters: impl Into<Params> + Send,
    ) -> Result<T, Failure> {
        let row: Option<T> = self.connection.exec_first(sql, parameters).await.map_err(failure)?;
        row.ok_or_else(|| missing(what))
    }
}

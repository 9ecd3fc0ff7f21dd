//! Order entry on SQLite: one file per transaction, the statements' text in `sql`, the tables in `schema`.

mod customer;
mod delivery;
mod load;
mod new_order;
mod note;
mod order_status;
mod payment;
mod prove;
mod read_ahead;
pub(crate) mod run;
mod schema;
mod sql;
mod stock_level;
mod writer;

use database::sqlite::{Connection, Sqlite};
use database::{WriteGate, WriteTurn};
use rusqlite::{ErrorCode, PrepFlags, Statement};

use super::ask::input::Input;
use super::ask::terminal::{Executed, Failure, Screen, Terminal};
use crate::error::OltpError;

#[cfg(test)]
pub(crate) use note::read_note;
use writer::Writer;

/// One virtual user's connection with its statements, prepared once.
pub(crate) struct SqliteTerminal<'c> {
    gate: &'c WriteGate,
    begin_read: Statement<'c>,
    begin_write: Statement<'c>,
    commit: Statement<'c>,
    rollback: Statement<'c>,
    new_order: new_order::NewOrderStatements<'c>,
    payment: payment::PaymentStatements<'c>,
    order_status: order_status::OrderStatusStatements<'c>,
    delivery: delivery::DeliveryStatements<'c>,
    stock_level: stock_level::StockLevelStatements<'c>,
    read_ahead: read_ahead::ReadAhead<'c>,
}

/// The result of a transaction's body.
enum Body {
    Commit(Screen),
    /// The user's mistake: everything is undone.
    RollBack(Screen),
}

impl<'c> SqliteTerminal<'c> {
    /// Prepares everything on `connection`.
    pub(crate) fn new(instance: &'c Sqlite, connection: &'c Connection) -> Result<Self, OltpError> {
        let terminal = || -> rusqlite::Result<Self> {
            Ok(Self {
                gate: instance.gate(),
                begin_read: prepare(connection, sql::BEGIN_READ)?,
                begin_write: prepare(connection, sql::BEGIN_WRITE)?,
                commit: prepare(connection, sql::COMMIT)?,
                rollback: prepare(connection, sql::ROLLBACK)?,
                new_order: new_order::NewOrderStatements::prepare(connection)?,
                payment: payment::PaymentStatements::prepare(connection)?,
                order_status: order_status::OrderStatusStatements::prepare(connection)?,
                delivery: delivery::DeliveryStatements::prepare(connection)?,
                stock_level: stock_level::StockLevelStatements::prepare(connection)?,
                read_ahead: read_ahead::ReadAhead::prepare(connection)?,
            })
        };
        terminal().map_err(OltpError::sql("preparing the transactions"))
    }

    /// The body of a transaction, between its begin and its end.
    fn body(&mut self, input: &Input) -> rusqlite::Result<Body> {
        Ok(match input {
            Input::NewOrder(input) => match self.new_order.run(input)? {
                Some(screen) => Body::Commit(Screen::NewOrder(screen)),
                None => Body::RollBack(Screen::InvalidItem),
            },
            Input::Payment(input) => Body::Commit(Screen::Payment(self.payment.run(input)?)),
            Input::OrderStatus(input) => Body::Commit(Screen::OrderStatus(self.order_status.run(input)?)),
            Input::Delivery(input) => Body::Commit(Screen::Delivery(self.delivery.run(input)?)),
            Input::StockLevel(input) => Body::Commit(Screen::StockLevel(self.stock_level.run(input)?)),
        })
    }

    /// This user's turn to write. While others write, what the transaction needs is read into memory, so that
    /// the drive serves many users at once as it does under a server with row locks, and nobody holds the
    /// gate while waiting for a read.
    fn enter(&mut self, input: &Input) -> Result<WriteTurn<'c>, Failure> {
        if let Some(permit) = self.gate.try_enter() {
            return Ok(permit);
        }
        self.begin_read.execute([]).map_err(failure)?;
        let read = self.read_ahead.run(input);
        self.commit.execute([]).map_err(failure)?;
        read.map_err(failure)?;
        Ok(self.gate.enter())
    }

    fn transaction(&mut self, input: &Input, writes: bool) -> rusqlite::Result<Screen> {
        let begin = if writes { &mut self.begin_write } else { &mut self.begin_read };
        begin.execute([])?;
        let body = self.body(input);
        let ended = match body {
            Ok(Body::Commit(screen)) => self.commit.execute([]).map(|_| screen),
            Ok(Body::RollBack(screen)) => self.rollback.execute([]).map(|_| screen),
            Err(error) => Err(error),
        };
        if ended.is_err() {
            // SQLite may have rolled back by itself; then this one says so, which is no news.
            let _ = self.rollback.execute([]);
        }
        ended
    }
}

impl Terminal for SqliteTerminal<'_> {
    fn execute(&mut self, input: &Input) -> Result<Executed, Failure> {
        let writes = !matches!(input, Input::OrderStatus(_) | Input::StockLevel(_));
        // Held from before BEGIN until after COMMIT or ROLLBACK, so that no writer ever finds the database
        // locked.
        let permit = if writes { Some(self.enter(input)?) } else { None };
        let screen = self.transaction(input, writes).map_err(failure)?;
        Ok(Executed { screen, waited_ns: permit.map(|permit| permit.waited_ns()) })
    }
}

/// Prepares a statement that lives as long as its connection.
fn prepare<'c>(connection: &'c Connection, sql: &str) -> rusqlite::Result<Statement<'c>> {
    connection.prepare_with_flags(sql, PrepFlags::SQLITE_PREPARE_PERSISTENT)
}

/// The meaning of an error of SQLite for the run.
fn failure(error: rusqlite::Error) -> Failure {
    let message = error.to_string();
    let Some(code) = error.sqlite_error_code() else {
        let kind = match error {
            rusqlite::Error::QueryReturnedNoRows => "missing row",
            _ => "unexpected value",
        };
        return Failure::Error { kind, message };
    };
    match code {
        ErrorCode::DatabaseBusy => Failure::Retry("database busy"),
        ErrorCode::DatabaseLocked => Failure::Retry("table locked"),
        ErrorCode::ConstraintViolation => Failure::Error { kind: "constraint violated", message },
        ErrorCode::SystemIoFailure
        | ErrorCode::DatabaseCorrupt
        | ErrorCode::NotADatabase
        | ErrorCode::DiskFull
        | ErrorCode::CannotOpen
        | ErrorCode::ReadOnly
        | ErrorCode::OutOfMemory
        | ErrorCode::SchemaChanged => Failure::Fatal(message),
        _ => Failure::Error { kind: "statement failed", message },
    }
}

#[cfg(test)]
mod tests;

//! PostgreSQL: every statement prepared once for each connection and table.

use std::sync::Arc;

use database::Endpoint;

use super::{Answer, Courtesy, DEADLOCK, DUPLICATE, Ignored, Statements, transact};
use crate::driver::{Connect, Failure, Session};
use crate::sysbench::options::Test;
use crate::sysbench::query::Query;
use crate::sysbench::sql::Dialect;
use crate::sysbench::statement::Statement;
use crate::sysbench::wire::{Outcome, Postgres, Value, Waiting, WireError};

const DIALECT: Dialect = Dialect::PostgreSql;

/// Opens sessions on a PostgreSQL server.
pub(crate) struct PostgreSql<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) test: Test,
    pub(crate) tables: u32,
    pub(crate) waiting: Waiting<'a>,
}

/// One connection.
pub(crate) struct PostgreSqlSession {
    prepared: Prepared,
    ignored: Ignored,
    courtesy: Courtesy,
}

struct Prepared {
    client: Postgres,
    /// Names of the prepared statements: of a table those of [`Statement::OF_TABLES`], then the next table's.
    names: Vec<String>,
}

impl Connect for PostgreSql<'_> {
    type Session = PostgreSqlSession;

    async fn connect(&self) -> Result<PostgreSqlSession, Failure> {
        let mut client = Postgres::connect(self.endpoint, self.waiting).await.map_err(failure)?;
        let used = self.test.statements();
        let mut names = Vec::new();
        let mut texts =
            vec![("begin".to_owned(), "BEGIN".to_owned()), ("commit".to_owned(), "COMMIT".to_owned())];
        for table in 1..=self.tables {
            for (number, &statement) in Statement::OF_TABLES.iter().enumerate() {
                let name = format!("{number}.{table}");
                if used.contains(&statement) {
                    texts.push((name.clone(), DIALECT.statement(statement, table)));
                }
                names.push(name);
            }
        }
        client
            .prepare(texts.iter().map(|(name, sql)| (name.as_str(), sql.as_str())))
            .await
            .map_err(failure)?;
        let courtesy = Courtesy::new(self.waiting);
        Ok(PostgreSqlSession { prepared: Prepared { client, names }, ignored: Ignored::default(), courtesy })
    }

    fn give_up(&self) {
        if let Waiting::Guarded(guard) = self.waiting {
            guard.end_waits();
        }
    }
}

impl Session for PostgreSqlSession {
    type Request = Arc<[Query]>;
    type Answer = Answer;

    async fn execute(&mut self, request: &Arc<[Query]>) -> Result<Answer, Failure> {
        self.courtesy.pay().await;
        transact(&mut self.prepared, request, &mut self.ignored).await
    }

    async fn is_alive(&mut self) -> bool {
        self.prepared.client.row("SELECT 1").await.is_ok()
    }
}

impl Statements for Prepared {
    async fn run(&mut self, query: &Query) -> Result<Outcome, Failure> {
        use Value::{Integer, Text};
        let name = |table: u32| {
            let place = query.statement() as usize - Statement::OF_TABLES[0] as usize;
            self.names[(table as usize - 1) * Statement::OF_TABLES.len() + place].as_str()
        };
        let client = &mut self.client;
        match query {
            Query::Begin => client.execute("begin", &[]).await,
            Query::Commit => client.execute("commit", &[]).await,
            Query::Point { table, id } | Query::IndexUpdate { table, id } | Query::Delete { table, id } => {
                client.execute(name(*table), &[Integer(*id)]).await
            }
            Query::Range { table, low, high, .. } => {
                client.execute(name(*table), &[Integer(*low), Integer(*high)]).await
            }
            Query::NonIndexUpdate { table, id, c } => {
                client.execute(name(*table), &[Text(c.as_bytes()), Integer(*id)]).await
            }
            Query::Insert { table, id, k, c, pad } => {
                let values = [Integer(*id), Integer(*k), Text(c.as_bytes()), Text(pad.as_bytes())];
                client.execute(name(*table), &values).await
            }
        }
        .map_err(failure)
    }

    async fn roll_back(&mut self) -> Result<(), Failure> {
        self.client.text("ROLLBACK").await.map(drop).map_err(failure)
    }
}

/// What a failed statement means for the transaction, by its SQLSTATE.
fn failure(error: WireError) -> Failure {
    let message = error.to_string();
    let Some(state) = error.state() else { return Failure::Lost(message) };
    match (state.as_str(), &state[..2]) {
        ("40P01", _) => Failure::Retry(DEADLOCK),
        ("40001", _) => Failure::Retry("serialization failure"),
        ("23505", _) => Failure::Retry(DUPLICATE),
        ("53300" | "57P01" | "57P02" | "57P03" | "57P05", _) | (_, "08") => Failure::Lost(message),
        // No room, an I/O error, corrupt data.
        ("53100" | "58030", _) | (_, "XX") => Failure::Fatal(message),
        (_, "53") => Failure::Error { kind: "server short of resources", message },
        (_, "57") => Failure::Error { kind: "statement cancelled", message },
        _ => Failure::Error { kind: "statement refused", message },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_sorted() {
        let of = |state: [char; 5]| failure(WireError::Refused { state, number: 0, message: "m".to_owned() });
        assert_eq!(of(['4', '0', 'P', '0', '1']), Failure::Retry(DEADLOCK));
        assert_eq!(of(['2', '3', '5', '0', '5']), Failure::Retry(DUPLICATE));
        assert!(matches!(of(['5', '7', 'P', '0', '1']), Failure::Lost(_)));
        assert!(matches!(of(['5', '3', '1', '0', '0']), Failure::Fatal(_)));
        assert!(matches!(of(['4', '2', 'P', '0', '1']), Failure::Error { kind: "statement refused", .. }));
        let gone = WireError::Io(std::io::Error::from(std::io::ErrorKind::BrokenPipe));
        assert!(matches!(failure(gone), Failure::Lost(_)));
    }
}

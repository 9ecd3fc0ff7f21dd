//! A session on PostgreSQL: every statement prepared once for each connection and table.

use database::postgresql::PostgreSql;

use super::client::Postgres;
use crate::driver::Failure;
use crate::sysbench::options::Options;
use crate::sysbench::server::Prepared;
use crate::sysbench::session::{DEADLOCK, DUPLICATE};
use crate::sysbench::sql;
use crate::sysbench::statement::Statement;
use crate::sysbench::wire::{Outcome, Value, WireError};

/// The statements of one connection.
pub(crate) struct PostgresStatements {
    client: Postgres,
    /// Names of the prepared statements by their [places](Statement::place).
    names: Vec<String>,
}

impl Prepared for PostgresStatements {
    type Client = Postgres;

    async fn prepare(mut client: Postgres, options: &Options) -> Result<Self, Failure> {
        let used = options.test.statements();
        let mut names = Vec::new();
        let mut texts =
            vec![("begin".to_owned(), "BEGIN".to_owned()), ("commit".to_owned(), "COMMIT".to_owned())];
        for table in 1..=options.tables {
            for (number, &statement) in Statement::OF_TABLES.iter().enumerate() {
                let name = format!("{number}.{table}");
                if used.contains(&statement) {
                    texts.push((name.clone(), sql::statement::<PostgreSql<'_>>(statement, table)));
                }
                names.push(name);
            }
        }
        let texts = texts.iter().map(|(name, sql)| (name.as_str(), sql.as_str()));
        client.prepare(texts).await.map_err(failure)?;
        Ok(Self { client, names })
    }

    fn client(&mut self) -> &mut Postgres {
        &mut self.client
    }

    async fn begin(&mut self) -> Result<Outcome, WireError> {
        self.client.execute("begin", &[]).await
    }

    async fn commit(&mut self) -> Result<Outcome, WireError> {
        self.client.execute("commit", &[]).await
    }

    async fn execute(&mut self, place: usize, values: &[Value<'_>]) -> Result<Outcome, WireError> {
        self.client.execute(&self.names[place], values).await
    }

    fn failure(error: WireError) -> Failure {
        failure(error)
    }
}

/// The meaning of a failed statement for the transaction, by its SQLSTATE.
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

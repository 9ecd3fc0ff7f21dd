//! A session on MariaDB or MySQL: every statement prepared once for each connection and table.

use database::mariadb::MariaDb;

use super::client::{MySql, Prepared as MySqlStatement};
use crate::driver::Failure;
use crate::sysbench::options::Options;
use crate::sysbench::server::Prepared;
use crate::sysbench::session::{DEADLOCK, DUPLICATE};
use crate::sysbench::sql;
use crate::sysbench::statement::Statement;
use crate::sysbench::wire::{Client as _, Outcome, Value, WireError};

/// More prepared statements than the server admits.
const TOO_MANY_PREPARED: u16 = 1461;
/// This statement cannot be prepared (MariaDB before 10.6 and MySQL: BEGIN).
const NOT_PREPARABLE: u16 = 1295;

/// The statements of one connection.
pub(crate) struct MySqlStatements {
    client: MySql,
    /// `None` where the server cannot prepare them; they are sent as text then, as sysbench does.
    begin: Option<MySqlStatement>,
    commit: Option<MySqlStatement>,
    /// By their [places](Statement::place); `None` for those that the test does not use.
    statements: Vec<Option<MySqlStatement>>,
}

impl Prepared for MySqlStatements {
    type Client = MySql;

    async fn prepare(mut client: MySql, options: &Options) -> Result<Self, Failure> {
        let used = options.test.statements();
        let (mut begin, mut commit) = (None, None);
        if used.contains(&Statement::Begin) {
            begin = if_preparable(client.prepare("BEGIN").await)?;
            commit = if_preparable(client.prepare("COMMIT").await)?;
        }
        let mut statements = Vec::new();
        for table in 1..=options.tables {
            for &statement in Statement::OF_TABLES {
                let sql = sql::statement::<MariaDb<'_>>(statement, table);
                statements.push(match used.contains(&statement) {
                    true => Some(client.prepare(&sql).await.map_err(|error| not_prepared(options, error))?),
                    false => None,
                });
            }
        }
        Ok(Self { client, begin, commit, statements })
    }

    fn client(&mut self) -> &mut MySql {
        &mut self.client
    }

    async fn begin(&mut self) -> Result<Outcome, WireError> {
        match &mut self.begin {
            Some(statement) => self.client.execute(statement, &[]).await,
            None => self.client.text("BEGIN").await,
        }
    }

    async fn commit(&mut self) -> Result<Outcome, WireError> {
        match &mut self.commit {
            Some(statement) => self.client.execute(statement, &[]).await,
            None => self.client.text("COMMIT").await,
        }
    }

    async fn execute(&mut self, place: usize, values: &[Value<'_>]) -> Result<Outcome, WireError> {
        let statement = self.statements[place].as_mut().expect("every statement of the test was prepared");
        self.client.execute(statement, values).await
    }

    fn failure(error: WireError) -> Failure {
        failure(error)
    }
}

/// The published set-up of 100 tables and 32 threads needs more prepared statements than servers admit by
/// default.
fn not_prepared(options: &Options, error: WireError) -> Failure {
    if !matches!(error, WireError::Refused { number: TOO_MANY_PREPARED, .. }) {
        return failure(error);
    }
    let each = options.test.statements().iter().filter(|s| Statement::OF_TABLES.contains(s)).count() as u64;
    let needed = u64::from(options.threads) * (u64::from(options.tables) * each + 2);
    Failure::Fatal(format!(
        "{error}: {} threads on {} tables prepare {needed} statements; set max_prepared_stmt_count of the server to more than that",
        options.threads, options.tables
    ))
}

fn if_preparable(prepared: Result<MySqlStatement, WireError>) -> Result<Option<MySqlStatement>, Failure> {
    match prepared {
        Ok(statement) => Ok(Some(statement)),
        Err(WireError::Refused { number: NOT_PREPARABLE, .. }) => Ok(None),
        Err(error) => Err(failure(error)),
    }
}

/// The meaning of a failed statement for the transaction, by the server's error number.
fn failure(error: WireError) -> Failure {
    let message = error.to_string();
    let WireError::Refused { number, .. } = error else { return Failure::Lost(message) };
    match number {
        1213 => Failure::Retry(DEADLOCK),
        1205 => Failure::Retry("lock wait timeout"),
        1020 => Failure::Retry("record changed"),
        1062 => Failure::Retry(DUPLICATE),
        // Too many connections, shutting down, killed.
        1040 | 1053 | 1077 | 1079 | 1152 | 1158..=1161 | 1203 | 1927 => Failure::Lost(message),
        // Files that cannot be read or written, no room, a crashed table or engine.
        3 | 1021 | 1023 | 1024 | 1026 | 1030 | 1034 | 1114 | 1194 | 1195 | 1877 => Failure::Fatal(message),
        1317 | 1969 => Failure::Error { kind: "statement cancelled", message },
        _ => Failure::Error { kind: "statement refused", message },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sysbench::options::Test;

    fn refused(number: u16) -> WireError {
        WireError::Refused { state: ['H', 'Y', '0', '0', '0'], number, message: "m".to_owned() }
    }

    #[test]
    fn numbers_are_sorted() {
        assert_eq!(failure(refused(1213)), Failure::Retry(DEADLOCK));
        assert_eq!(failure(refused(1062)), Failure::Retry(DUPLICATE));
        assert!(matches!(failure(refused(1927)), Failure::Lost(_)));
        assert!(matches!(failure(refused(1021)), Failure::Fatal(_)));
        assert!(matches!(failure(refused(1146)), Failure::Error { .. }));
    }

    #[test]
    fn too_many_prepared_statements_say_how_many_are_needed() {
        let options = Options { test: Test::ReadWrite, tables: 100, threads: 32, ..Options::default() };
        let Failure::Fatal(message) = not_prepared(&options, refused(TOO_MANY_PREPARED)) else { panic!() };
        assert!(message.contains("prepare 28864 statements; set max_prepared_stmt_count"), "{message}");
    }
}

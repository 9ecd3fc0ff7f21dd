//! MariaDB and MySQL: every statement prepared once for each connection and table.

use std::sync::Arc;

use database::Endpoint;

use super::{Answer, Courtesy, DEADLOCK, DUPLICATE, Ignored, Statements, transact};
use crate::driver::{Connect, Failure, Session};
use crate::sysbench::options::Test;
use crate::sysbench::query::Query;
use crate::sysbench::sql::Dialect;
use crate::sysbench::statement::Statement;
use crate::sysbench::wire::{MySql, MySqlStatement, Outcome, Value, Waiting, WireError};

const DIALECT: Dialect = Dialect::MariaDb;
/// More prepared statements than the server admits.
const TOO_MANY_PREPARED: u16 = 1461;
/// This statement cannot be prepared (MariaDB before 10.6 and MySQL: BEGIN).
const NOT_PREPARABLE: u16 = 1295;

/// Opens sessions on a MariaDB or MySQL server.
pub(crate) struct MariaDb<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) test: Test,
    pub(crate) tables: u32,
    pub(crate) threads: u32,
    pub(crate) waiting: Waiting<'a>,
}

/// One connection.
pub(crate) struct MariaDbSession {
    prepared: Prepared,
    ignored: Ignored,
    courtesy: Courtesy,
}

struct Prepared {
    client: MySql,
    /// `None` where the server cannot prepare them; they are sent as text then, as sysbench does.
    begin: Option<MySqlStatement>,
    commit: Option<MySqlStatement>,
    /// Of a table those of [`Statement::OF_TABLES`], then the next table's; `None` for those that the test
    /// does not use.
    statements: Vec<Option<MySqlStatement>>,
}

impl Connect for MariaDb<'_> {
    type Session = MariaDbSession;

    async fn connect(&self) -> Result<MariaDbSession, Failure> {
        let mut client = MySql::connect(self.endpoint, self.waiting).await.map_err(failure)?;
        let used = self.test.statements();
        let (mut begin, mut commit) = (None, None);
        if used.contains(&Statement::Begin) {
            begin = if_preparable(client.prepare("BEGIN").await)?;
            commit = if_preparable(client.prepare("COMMIT").await)?;
        }
        let mut statements = Vec::new();
        for table in 1..=self.tables {
            for &statement in Statement::OF_TABLES {
                let sql = DIALECT.statement(statement, table);
                statements.push(match used.contains(&statement) {
                    true => Some(client.prepare(&sql).await.map_err(|error| self.not_prepared(error))?),
                    false => None,
                });
            }
        }
        let prepared = Prepared { client, begin, commit, statements };
        Ok(MariaDbSession { prepared, ignored: Ignored::default(), courtesy: Courtesy::new(self.waiting) })
    }

    fn give_up(&self) {
        if let Waiting::Guarded(guard) = self.waiting {
            guard.end_waits();
        }
    }
}

impl MariaDb<'_> {
    /// The published set-up of 100 tables and 32 threads needs more prepared statements than servers admit by
    /// default.
    fn not_prepared(&self, error: WireError) -> Failure {
        if !matches!(error, WireError::Refused { number: TOO_MANY_PREPARED, .. }) {
            return failure(error);
        }
        let each = self.test.statements().iter().filter(|s| Statement::OF_TABLES.contains(s)).count() as u64;
        let needed = u64::from(self.threads) * (u64::from(self.tables) * each + 2);
        Failure::Fatal(format!(
            "{error}: {} threads on {} tables prepare {needed} statements; set max_prepared_stmt_count of the server to more than that",
            self.threads, self.tables
        ))
    }
}

fn if_preparable(prepared: Result<MySqlStatement, WireError>) -> Result<Option<MySqlStatement>, Failure> {
    match prepared {
        Ok(statement) => Ok(Some(statement)),
        Err(WireError::Refused { number: NOT_PREPARABLE, .. }) => Ok(None),
        Err(error) => Err(failure(error)),
    }
}

impl Session for MariaDbSession {
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

impl Prepared {
    async fn execute(
        &mut self,
        query: &Query,
        table: u32,
        values: &[Value<'_>],
    ) -> Result<Outcome, WireError> {
        let place = query.statement() as usize - Statement::OF_TABLES[0] as usize;
        let statement = &mut self.statements[(table as usize - 1) * Statement::OF_TABLES.len() + place];
        let statement = statement.as_mut().expect("every statement of the test was prepared");
        self.client.execute(statement, values).await
    }
}

impl Statements for Prepared {
    async fn run(&mut self, query: &Query) -> Result<Outcome, Failure> {
        use Value::{Integer, Text};
        match query {
            Query::Begin => match &mut self.begin {
                Some(statement) => self.client.execute(statement, &[]).await,
                None => self.client.text("BEGIN").await,
            },
            Query::Commit => match &mut self.commit {
                Some(statement) => self.client.execute(statement, &[]).await,
                None => self.client.text("COMMIT").await,
            },
            Query::Point { table, id } | Query::IndexUpdate { table, id } | Query::Delete { table, id } => {
                self.execute(query, *table, &[Integer(*id)]).await
            }
            Query::Range { table, low, high, .. } => {
                self.execute(query, *table, &[Integer(*low), Integer(*high)]).await
            }
            Query::NonIndexUpdate { table, id, c } => {
                self.execute(query, *table, &[Text(c.as_bytes()), Integer(*id)]).await
            }
            Query::Insert { table, id, k, c, pad } => {
                let values = [Integer(*id), Integer(*k), Text(c.as_bytes()), Text(pad.as_bytes())];
                self.execute(query, *table, &values).await
            }
        }
        .map_err(failure)
    }

    async fn roll_back(&mut self) -> Result<(), Failure> {
        self.client.text("ROLLBACK").await.map(drop).map_err(failure)
    }
}

/// What a failed statement means for the transaction, by the server's number.
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
        let endpoint = Endpoint {
            socket: None,
            host: String::new(),
            port: 0,
            user: String::new(),
            password: None,
            database: String::new(),
            hang_up: database::HangUp::default(),
        };
        let connect = MariaDb {
            endpoint: &endpoint,
            test: Test::ReadWrite,
            tables: 100,
            threads: 32,
            waiting: Waiting::Shared,
        };
        let Failure::Fatal(message) = connect.not_prepared(refused(TOO_MANY_PREPARED)) else { panic!() };
        assert!(message.contains("prepare 28864 statements; set max_prepared_stmt_count"), "{message}");
    }
}

//! The control connection to MariaDB or MySQL.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, DriverError, Error, IoError, Row, Value};

use words::Engine;

use super::waits::{WAITS, class_of};
use super::{MariaDb, TITLE};
use crate::backup::TableSum;
use crate::client::{
    ANSWER_LIMIT, ANSWER_MOST_BYTES, Blocking, Endpoint, LIFE_LIMIT, Life, SAMPLE_LIMIT, TOO_LONG,
};
use crate::error::{ServerError, bounded_text};
use crate::server::{Control, Look, ServerPlace};
use crate::waits::Waits;

/// The time limit of one attempt to connect.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// The server's counters that can explain a result.
const COUNTERS: &str = "show global status where variable_name in ('Com_commit', 'Com_rollback', 'Queries', 'Handler_commit', \
    'Innodb_buffer_pool_read_requests', 'Innodb_buffer_pool_reads', 'Innodb_buffer_pool_read_ahead', 'Innodb_buffer_pool_pages_flushed', 'Innodb_buffer_pool_wait_free', \
    'Innodb_os_log_written', 'Innodb_os_log_fsyncs', 'Innodb_log_writes', 'Innodb_log_write_requests', 'Innodb_log_waits', \
    'Innodb_data_fsyncs', 'Innodb_data_reads', 'Innodb_data_read', 'Innodb_data_writes', 'Innodb_data_written', 'Innodb_dblwr_writes', \
    'Innodb_row_lock_waits', 'Innodb_row_lock_time', 'Innodb_deadlocks', 'Innodb_checkpoint_age', 'Innodb_rows_inserted', \
    'Innodb_rows_updated', 'Innodb_rows_deleted', 'Innodb_rows_read', 'Created_tmp_disk_tables')";
/// MySQL keeps deadlocks elsewhere; MariaDB has the same table, so that one question does for both.
const DEADLOCKS: &str = "select count from information_schema.innodb_metrics where name = 'lock_deadlocks' and status = 'enabled'";
/// Our names for the server's. A page that is asked for is found, unless it is read: `buffer_hits` is the
/// difference.
const COMMON: [(&str, &str); 11] = [
    ("commits", "Com_commit"),
    ("rollbacks", "Com_rollback"),
    ("buffer_reads", "Innodb_buffer_pool_reads"),
    ("read_ahead", "Innodb_buffer_pool_read_ahead"),
    ("bytes_read", "Innodb_data_read"),
    ("log_bytes", "Innodb_os_log_written"),
    ("log_writes", "Innodb_log_writes"),
    ("log_syncs", "Innodb_os_log_fsyncs"),
    ("data_syncs", "Innodb_data_fsyncs"),
    ("lock_waits", "Innodb_row_lock_waits"),
    ("lock_wait_ms", "Innodb_row_lock_time"),
];

/// For how long the server has been up: a crash ends its only process.
const LIFE: &str = "show global status where variable_name = 'Uptime'";

/// Every table of our database.
const TABLES: &str = "select table_name from information_schema.tables where table_schema = database() and table_type = 'BASE TABLE' \
    order by table_name";

/// Opens one.
pub(crate) fn connect(endpoint: &Endpoint) -> Result<Box<dyn Control>, ServerError> {
    let blocking = Blocking::new(TITLE, &endpoint.hang_up)?;
    let opened = blocking.run("connecting", CONNECT_LIMIT, Conn::new(MariaDb(endpoint).options()))?;
    let conn = opened.map_err(|error| explain(&error, "connecting", endpoint))?;
    Ok(Box::new(MariaDbControl { conn: Some(conn), blocking, endpoint: endpoint.clone() }))
}

pub(super) struct MariaDbControl {
    // None only while it is being dropped.
    conn: Option<Conn>,
    blocking: Blocking,
    pub(super) endpoint: Endpoint,
}

// The driver's own would print the password.
impl fmt::Debug for MariaDbControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MariaDbControl").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Drop for MariaDbControl {
    fn drop(&mut self) {
        // The driver says goodbye from within a runtime; one that is dropped outside of any would panic.
        if let Some(conn) = self.conn.take() {
            let _ = self.blocking.run("leaving", Duration::from_secs(1), conn.disconnect());
        }
    }
}

/// Values of a row as text; nulls are empty.
pub(super) type Texts = Vec<String>;

impl MariaDbControl {
    fn ask<'c, T: Send + 'c, F: Future<Output = Result<T, Error>> + Send + 'c>(
        &'c mut self,
        limit: Duration,
        doing: &'static str,
        work: impl FnOnce(&'c mut Conn) -> F,
    ) -> Result<T, ServerError> {
        let conn = self.conn.as_mut().expect("taken on drop only");
        let answer = self.blocking.run(doing, limit, work(conn))?;
        answer.map_err(|error| explain(&error, doing, &self.endpoint))
    }

    fn ask_until<'c, T: Send + 'c, F: Future<Output = Result<T, Error>> + Send + 'c>(
        &'c mut self,
        stop: &AtomicBool,
        doing: &'static str,
        work: impl FnOnce(&'c mut Conn) -> F,
    ) -> Result<T, ServerError> {
        let conn = self.conn.as_mut().expect("taken on drop only");
        let answer = self.blocking.run_until(doing, stop, work(conn))?;
        answer.map_err(|error| explain(&error, doing, &self.endpoint))
    }

    pub(super) fn rows(&mut self, doing: &'static str, sql: &str) -> Result<Vec<Texts>, ServerError> {
        self.rows_within(ANSWER_LIMIT, doing, sql)
    }

    pub(super) fn rows_within(
        &mut self,
        limit: Duration,
        doing: &'static str,
        sql: &str,
    ) -> Result<Vec<Texts>, ServerError> {
        let rows = self.ask(limit, doing, |conn| whole(conn, sql))?;
        Ok(rows.into_iter().map(texts).collect())
    }

    pub(super) fn run(&mut self, doing: &'static str, sql: &str) -> Result<(), ServerError> {
        self.ask(ANSWER_LIMIT, doing, |conn| conn.query_drop(sql.to_owned()))
    }

    fn value(&mut self, doing: &'static str, sql: &str) -> Result<String, ServerError> {
        let first = self.rows(doing, sql)?.into_iter().next().and_then(|row| row.into_iter().next());
        first.ok_or_else(|| ServerError::Strange {
            engine: TITLE,
            address: self.endpoint.address(),
            doing,
            why: "it came without the row that was asked for".to_owned(),
        })
    }
}

impl Control for MariaDbControl {
    fn set_up(&mut self, endpoint: &Endpoint) -> Result<(), ServerError> {
        let password =
            endpoint.password.as_ref().map(|secret| text(secret.reveal())).unwrap_or_else(|| text(""));
        let database = name(&endpoint.database);
        self.run("creating the database", &format!("create database {database}"))?;
        for host in ["localhost", "127.0.0.1"] {
            let user = format!("{}@{}", text(&endpoint.user), text(host));
            self.run("creating the user", &format!("create user {user} identified by {password}"))?;
            self.run(
                "creating the user",
                &format!("grant all privileges on *.* to {user} with grant option"),
            )?;
        }
        // Whoever else can log in has no password.
        let others = self.rows(
            "listing users",
            "select user, host from mysql.user where user not like 'mysql.%' and user not like 'mariadb.%'",
        )?;
        for other in others {
            if let [user, host] = other.as_slice()
                && *user != endpoint.user
            {
                self.run("removing open users", &format!("drop user {}@{}", text(user), text(host)))?;
            }
        }
        Ok(())
    }

    fn before_copy(&mut self) -> Result<(), ServerError> {
        Ok(()) // A clean stop writes everything, and the redo log always has its full length.
    }

    fn counters(&mut self) -> Result<BTreeMap<String, f64>, ServerError> {
        let doing = "reading counters";
        let mut counters = BTreeMap::new();
        for row in self.rows(doing, COUNTERS)? {
            if let [name, value] = row.as_slice()
                && let Ok(value) = value.parse::<f64>()
            {
                counters.insert(name.clone(), value);
            }
        }
        for (ours, theirs) in COMMON {
            if let Some(&value) = counters.get(theirs) {
                counters.insert(ours.to_owned(), value);
            }
        }
        let asked = counters.get("Innodb_buffer_pool_read_requests").copied().unwrap_or(0.0);
        let read = counters.get("Innodb_buffer_pool_reads").copied().unwrap_or(0.0);
        counters.insert("buffer_hits".to_owned(), (asked - read).max(0.0));
        let deadlocks = match counters.get("Innodb_deadlocks") {
            Some(&deadlocks) => Some(deadlocks),
            None => self.value(doing, DEADLOCKS).ok().and_then(|text| text.parse().ok()),
        };
        counters.extend(deadlocks.map(|count| ("deadlocks".to_owned(), count)));
        Ok(counters)
    }

    fn waits(&mut self) -> Result<Waits, ServerError> {
        let rows = self.rows_within(SAMPLE_LIMIT, "sampling waits", WAITS)?;
        let wait = |row: Texts| match row.as_slice() {
            [state, count] => Some((class_of(state), count.parse().ok()?)),
            _ => None,
        };
        Ok(rows.into_iter().filter_map(wait).collect())
    }

    fn watch(&mut self) -> Result<ServerPlace, ServerError> {
        self.begin_to_watch()
    }

    fn look(&mut self) -> Result<Look, ServerError> {
        self.look_once()
    }

    fn life(&mut self) -> Result<Life, ServerError> {
        let mut life = Life::now();
        for row in self.rows_within(LIFE_LIMIT, "asking who it is", LIFE)? {
            if let [_, value] = row.as_slice() {
                life.up = value.parse().ok().map(Duration::from_secs);
            }
        }
        Ok(life)
    }

    fn effective(&mut self, names: &[&str]) -> Result<BTreeMap<String, String>, ServerError> {
        let list = names.iter().map(|name| text(name)).collect::<Vec<_>>().join(",");
        let rows =
            self.rows("reading settings", &format!("show global variables where variable_name in ({list})"))?;
        let pair = |row: Texts| match row.as_slice() {
            [name, value] => Some((name.clone(), value.clone())),
            _ => None,
        };
        Ok(rows.into_iter().filter_map(pair).collect())
    }

    fn sums(&mut self, stop: &AtomicBool) -> Result<Vec<TableSum>, ServerError> {
        let doing = "summing up the tables";
        let tables = self.rows(doing, TABLES)?;
        let mut sums = Vec::new();
        for table in tables.into_iter().flatten() {
            let count = format!("select count(*) from {}", name(&table));
            let rows: Vec<Row> = self.ask_until(stop, doing, |conn| conn.query(count))?;
            let rows = rows.into_iter().map(texts).next().and_then(|row| row.first()?.parse().ok());
            // A sum over the checksums of rows: their order is no matter.
            let sum = format!("checksum table {} extended", name(&table));
            let sum: Vec<Row> = self.ask_until(stop, doing, |conn| conn.query(sum))?;
            let sum = sum.into_iter().map(texts).next().and_then(|row| row.get(1).cloned());
            sums.push(TableSum { table, rows: rows.unwrap_or(0), sum: sum.unwrap_or_default() });
        }
        Ok(sums)
    }

    fn version(&mut self) -> Result<String, ServerError> {
        self.value("asking for the version", "select version()")
    }

    fn size_bytes(&mut self) -> Result<u64, ServerError> {
        let sql = "select coalesce(sum(data_length + index_length), 0) from information_schema.tables where table_schema = database()";
        Ok(self.value("measuring the database", sql)?.parse().unwrap_or(0))
    }

    fn require_create(&mut self) -> Result<(), ServerError> {
        let grants = self.rows("checking privileges", "show grants")?;
        let database = self.endpoint.database.clone();
        let may = |line: &String| {
            let on_ours = line.contains("ON *.*") || line.contains(&format!("ON `{database}`.*"));
            let privileges = line.split(" ON ").next().unwrap_or_default();
            on_ours
                && (privileges.contains("ALL PRIVILEGES")
                    || privileges.contains(" CREATE,")
                    || privileges.ends_with(" CREATE"))
        };
        if grants.iter().flatten().any(may) {
            return Ok(());
        }
        let user = self.endpoint.user.clone();
        let fix = format!("as its owner: GRANT ALL PRIVILEGES ON {}.* TO {}", name(&database), text(&user));
        Err(ServerError::NoPrivilege {
            doing: "creating tables",
            user,
            why: "no grant of CREATE".to_owned(),
            fix,
        })
    }
}

/// All rows of an answer. Ends with an error once they are more than any of ours has: a server that never
/// ends its answer must not take all memory.
async fn whole(conn: &mut Conn, sql: &str) -> Result<Vec<Row>, Error> {
    let mut answer = conn.query_iter(sql.to_owned()).await?;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = answer.next().await? {
        bytes += size_bytes(&row);
        if bytes > ANSWER_MOST_BYTES {
            return Err(Error::Other(TOO_LONG.into()));
        }
        rows.push(row);
    }
    answer.drop_result().await?;
    Ok(rows)
}

/// Memory of a row.
fn size_bytes(row: &Row) -> u64 {
    let value = |at| match row.as_ref(at) {
        Some(Value::Bytes(bytes)) => bytes.len(),
        _ => 0,
    };
    let own = size_of::<Row>() + row.len() * size_of::<Option<Value>>();
    (own + (0..row.len()).map(value).sum::<usize>()) as u64
}

fn texts(row: Row) -> Texts {
    row.unwrap()
        .into_iter()
        .map(|value| match value {
            mysql_async::Value::NULL => String::new(),
            mysql_async::Value::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            other => other.as_sql(true).trim_matches('\'').to_owned(),
        })
        .collect()
}

/// `text` as an SQL name.
fn name(text: &str) -> String {
    format!("`{}`", text.replace('`', "``"))
}

/// `value` as an SQL text.
pub(super) fn text(value: &str) -> String {
    format!("'{}'", value.replace('\\', "\\\\").replace('\'', "''"))
}

/// An error of the driver in our words. The numbers are those of the server's manual.
fn explain(error: &Error, doing: &'static str, endpoint: &Endpoint) -> ServerError {
    let address = endpoint.address();
    let Error::Server(server) = error else {
        if let Some(why) = strange(error) {
            return ServerError::Strange { engine: TITLE, address, doing, why };
        }
        let why = bounded_text(&error.to_string());
        return if doing == "connecting" {
            ServerError::Unreached { engine: TITLE, address, why }
        } else {
            let why =
                format!("{why}; look into the server's log for the reason, and run this again once it is up");
            ServerError::Statement { engine: TITLE, doing, why }
        };
    };
    let why = bounded_text(&server.message);
    match server.code {
        // Access denied; this host may not connect; the login needs something that we do not have.
        1045 | 1130 | 1251 | 1698 => ServerError::WrongPassword {
            engine: TITLE,
            address,
            user: endpoint.user.clone(),
            why,
            variable: Engine::MariaDb.password_variable(),
        },
        1049 => ServerError::NoDatabase { engine: TITLE, address, database: endpoint.database.clone() },
        // The server goes down, or is not up yet.
        1053 | 1077 if doing == "connecting" => ServerError::Starting { engine: TITLE, address, why },
        // A login to a database of which the user may see nothing.
        1044 if doing == "connecting" => ServerError::NoPrivilege {
            doing,
            user: endpoint.user.clone(),
            why,
            fix: format!(
                "as an administrator, to let it be observed: GRANT SELECT ON {}.* TO that user; or name another database or user in the URL",
                name(&endpoint.database)
            ),
        },
        1044 | 1142 | 1143 | 1227 | 1370 => ServerError::NoPrivilege {
            doing,
            user: endpoint.user.clone(),
            why,
            fix: "grant it, or name another user in the URL".to_owned(),
        },
        code => ServerError::Statement { engine: TITLE, doing, why: format!("{why} (error {code})") },
    }
}

/// The fault of an answer that MariaDB does not give; `None` if the connection ended.
fn strange(error: &Error) -> Option<String> {
    let words = bounded_text(&error.to_string());
    match error {
        // The driver's own words say only that it is another error.
        Error::Other(words) => Some(bounded_text(&words.to_string())),
        // Of the message's own length; its error is of another kind at each place.
        _ if words.contains("larger than max_allowed_packet") => Some(TOO_LONG.to_owned()),
        Error::Driver(DriverError::UnexpectedPacket { payload }) => {
            let said = payload[..payload.len().min(100)].escape_ascii();
            Some(format!("{words} It begins with `{said}`"))
        }
        Error::Driver(
            DriverError::PacketOutOfOrder
            | DriverError::PacketTooLarge
            | DriverError::CantParseServerVersion { .. }
            | DriverError::BadCompressedPacketHeader,
        ) => Some(words),
        Error::Io(IoError::Io(error)) => {
            use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
            matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof).then_some(words)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_server_whose_message_never_ends_is_left() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            // Pieces of the greatest length, which the protocol joins to one message.
            let mut piece = vec![0; 4 + 0xff_ffff];
            piece[..3].fill(0xff);
            let written = (0..=u8::MAX).take_while(|number| {
                piece[3] = *number;
                client.write_all(&piece).is_ok()
            });
            written.count()
        });
        let told = connect(&Endpoint::of_test(port)).err().unwrap().to_string();
        assert!(told.contains("longer than any") && told.contains("check that"), "{told}");
        assert!(server.join().unwrap() < 8, "the client went away early");
    }
}

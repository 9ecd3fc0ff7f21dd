//! Beds for tests, and the least of a client for each engine.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use database::mariadb::MariaDb;
use database::postgresql::PostgreSql;
use database::sqlite::Sqlite;
use database::{
    Access, Backing, DatabaseError, Endpoint, Instance, InstanceSpec, Server, Synchronous, mariadb,
    postgresql,
};
use mysql_async::prelude::Queryable as _;
use tempfile::TempDir;

pub(crate) const MEMORY_BYTES: u64 = 16 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    PostgreSql,
    MariaDb,
}

/// The engines that this machine has.
#[track_caller]
pub(crate) fn engines() -> impl Iterator<Item = Engine> {
    [Engine::Sqlite].into_iter().chain(servers())
}

/// The servers that this machine has.
#[track_caller]
pub(crate) fn servers() -> impl Iterator<Item = Engine> {
    [Engine::PostgreSql, Engine::MariaDb].into_iter().filter(|engine| engine.installed().is_some())
}

/// Storage that a server's account can reach, even when root made it.
pub(crate) struct Storage(TempDir);

impl Storage {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        fs::set_permissions(temp.path(), fs::Permissions::from_mode(0o755)).unwrap();
        Self(temp)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn spec(&self, name: &str) -> InstanceSpec {
        spec(&self.path(name))
    }

    /// None of the directories made here is left.
    pub(crate) fn is_empty(&self) -> bool {
        fs::read_dir(self.0.path()).unwrap().next().is_none()
    }
}

pub(crate) fn spec(dir: &Path) -> InstanceSpec {
    InstanceSpec {
        dir: dir.to_owned(),
        data: Backing::Real,
        log: Backing::Real,
        log_dir: None,
        memory_bytes: MEMORY_BYTES,
        synchronous: Synchronous::Full,
        page_cache: false,
    }
}

impl Engine {
    #[track_caller]
    pub(crate) fn installed(self) -> Option<()> {
        let programs: &[&str] = match self {
            Self::Sqlite => &[],
            Self::PostgreSql => &["initdb"],
            Self::MariaDb => &["mariadbd", "mariadb-backup"],
        };
        programs.iter().try_for_each(|name| testkit::need::program(name).map(drop))
    }

    pub(crate) fn provision(self, spec: InstanceSpec) -> Result<Box<dyn Instance>, DatabaseError> {
        match self {
            Self::Sqlite => Ok(Box::new(Sqlite::new(spec)?)),
            _ => Ok(Box::new(self.server(spec)?)),
        }
    }

    pub(crate) fn server(self, spec: InstanceSpec) -> Result<Server, DatabaseError> {
        match self {
            Self::Sqlite => panic!("SQLite is no server"),
            Self::PostgreSql => postgresql::provision(spec),
            Self::MariaDb => mariadb::provision(spec),
        }
    }

    pub(crate) fn started(self, spec: InstanceSpec) -> Server {
        let mut server = self.server(spec).unwrap();
        server.start().unwrap();
        server
    }

    /// The address of one of our own servers as if it were somebody's.
    pub(crate) fn url(self, endpoint: &Endpoint, user: &str, password: &str) -> String {
        let scheme = if self == Self::PostgreSql { "postgres" } else { "mysql" };
        format!("{scheme}://{user}:{password}@{}:{}/{}", endpoint.host, endpoint.port, endpoint.database)
    }

    pub(crate) fn existing(self, url: &str) -> Result<database::Existing, DatabaseError> {
        let engine = match self {
            Self::Sqlite => database::Engine::Sqlite,
            Self::PostgreSql => database::Engine::PostgreSql,
            Self::MariaDb => database::Engine::MariaDb,
        };
        database::visit(engine, url, database::HangUp::default())
    }
}

/// Runs `sql` on a connection of its own; the first value of the first row as a number, where there is one.
pub(crate) fn run(instance: &dyn Instance, sql: &str) -> Option<i64> {
    match instance.access() {
        Access::Sqlite(sqlite) => {
            let connection = sqlite.connect().unwrap();
            let mut statement = connection.prepare(sql).unwrap();
            let mut rows = statement.query([]).unwrap();
            rows.next().unwrap().and_then(|row| row.get(0).ok())
        }
        Access::PostgreSql(server) => blocking(run_postgresql(server, sql)),
        Access::MariaDb(server) => blocking(run_mariadb(server, sql)),
    }
}

fn blocking<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

async fn run_postgresql(server: PostgreSql<'_>, sql: &str) -> Option<i64> {
    let opened = server.open("test", std::time::Duration::from_secs(10)).await.unwrap();
    tokio::spawn(opened.connection);
    let messages = opened.client.simple_query(sql).await.unwrap();
    messages.iter().find_map(|message| match message {
        tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
        _ => None,
    })
}

async fn run_mariadb(server: MariaDb<'_>, sql: &str) -> Option<i64> {
    let mut connection = mysql_async::Conn::new(server.options()).await.unwrap();
    let row: Option<mysql_async::Row> = connection.query_first(sql.to_owned()).await.unwrap();
    connection.disconnect().await.unwrap();
    row.and_then(|row| row.get_opt(0)?.ok())
}

/// Makes the table and fills it with the numbers below `rows`.
pub(crate) fn fill(instance: &dyn Instance, rows: i64) {
    run(instance, "create table numbers (id int primary key, twice int not null)");
    insert(instance, 0, rows);
}

pub(crate) fn insert(instance: &dyn Instance, from: i64, to: i64) {
    let values: Vec<String> = (from..to).map(|id| format!("({id}, {})", 2 * id)).collect();
    run(instance, &format!("insert into numbers values {}", values.join(",")));
}

/// The sum over the table that [`fill`] with `rows` leaves.
pub(crate) fn sum(instance: &dyn Instance) -> Option<i64> {
    run(instance, "select cast(sum(twice) as bigint) from numbers".replace("bigint", big(instance)).as_str())
}

pub(crate) fn sum_of(rows: i64) -> Option<i64> {
    Some(rows * (rows - 1))
}

fn big(instance: &dyn Instance) -> &'static str {
    if matches!(instance.access(), Access::MariaDb(_)) { "signed" } else { "bigint" }
}

/// True if a process of that id runs.
pub(crate) fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Looks five times a second, for a minute.
pub(crate) fn eventually(mut condition: impl FnMut() -> bool) -> bool {
    (0..300).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(200));
        condition()
    })
}

/// Runs several statements on one connection; a server only.
pub(crate) fn run_all(instance: &dyn Instance, statements: &str) {
    match instance.access() {
        Access::Sqlite(_) => panic!("a server only"),
        Access::PostgreSql(server) => {
            blocking(run_postgresql(server, statements));
        }
        Access::MariaDb(server) => blocking(async {
            let mut connection = mysql_async::Conn::new(server.options()).await.unwrap();
            for statement in statements.split(';') {
                connection.query_drop(statement.to_owned()).await.unwrap();
            }
            connection.disconnect().await.unwrap();
        }),
    }
}

//! The control connection to PostgreSQL.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio_postgres::{Client, SimpleQueryMessage};

use super::opening::Fault;
use super::refusal::{explain, not_opened};
use super::waits::{self, WAITS};
use super::{PostgreSql, TITLE, backup};
use crate::backup::TableSum;
use crate::client::{ANSWER_LIMIT, Blocking, Endpoint, LIFE_LIMIT, Life, SAMPLE_LIMIT};
use crate::error::ServerError;
use crate::server::{Control, Look, ServerPlace};
use crate::waits::Waits;

/// The time limit of one attempt to connect.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// Counters of all versions. The sums are over all databases, as HammerDB's transaction counter is.
const COUNTERS: &str = "select sum(xact_commit) as xact_commit, sum(xact_rollback) as xact_rollback, sum(blks_hit) as blks_hit, \
    sum(blks_read) as blks_read, sum(tup_returned) as tup_returned, sum(tup_fetched) as tup_fetched, sum(tup_inserted) as tup_inserted, \
    sum(tup_updated) as tup_updated, sum(tup_deleted) as tup_deleted, sum(deadlocks) as deadlocks, sum(temp_files) as temp_files, \
    sum(temp_bytes) as temp_bytes, sum(conflicts) as conflicts from pg_stat_database";
/// Bytes of log since the server was created, for version 13 and for standbys.
const LOG_POSITION: &str = "select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end - '0/0' as wal_position";
const LOG_TO_17: &str =
    "select wal_records, wal_fpi, wal_bytes, wal_buffers_full, wal_write, wal_sync from pg_stat_wal";
const LOG_FROM_18: &str = "select w.wal_records, w.wal_fpi, w.wal_bytes, w.wal_buffers_full, i.wal_write, i.wal_sync from pg_stat_wal w, \
    (select sum(writes) as wal_write, sum(fsyncs) as wal_sync from pg_stat_io where object = 'wal') i";
const CHECKPOINTS_TO_16: &str = "select checkpoints_timed, checkpoints_req, checkpoint_write_time, checkpoint_sync_time, buffers_checkpoint, \
    buffers_clean, buffers_backend, buffers_backend_fsync, checkpoints_timed + checkpoints_req as checkpoints from pg_stat_bgwriter";
const CHECKPOINTS_FROM_17: &str = "select num_timed as checkpoints_timed, num_requested as checkpoints_req, write_time as checkpoint_write_time, \
    sync_time as checkpoint_sync_time, buffers_written as buffers_checkpoint, num_timed + num_requested as checkpoints, \
    (select buffers_clean from pg_stat_bgwriter) as buffers_clean from pg_stat_checkpointer";
/// Our names for the server's.
const COMMON: [(&str, &str); 7] = [
    ("commits", "xact_commit"),
    ("rollbacks", "xact_rollback"),
    ("buffer_hits", "blks_hit"),
    ("buffer_reads", "blks_read"),
    ("log_writes", "wal_write"),
    ("log_images", "wal_fpi"),
    ("log_syncs", "wal_sync"),
];
/// Processes without a database are the server's own; everybody may see their numbers.
pub(super) const LIFE: &str = "select extract(epoch from pg_postmaster_start_time())::text as started, pid from pg_stat_activity where datid is null \
    union all select extract(epoch from pg_postmaster_start_time())::text, null";

/// Opens one.
pub(crate) fn connect(endpoint: &Endpoint) -> Result<Box<dyn Control>, ServerError> {
    let blocking = Blocking::new(TITLE, &endpoint.hang_up)?;
    let opening = async {
        let opened = PostgreSql(endpoint).open("drivetrain control", CONNECT_LIMIT).await?;
        tokio::spawn(opened.connection);
        Ok((opened.client, opened.fault))
    };
    let opened = blocking.run("connecting", CONNECT_LIMIT, opening)?;
    let (client, fault) = opened.map_err(|error| not_opened(&error, endpoint))?;
    let mut control = PostgresqlControl {
        client,
        fault,
        blocking,
        endpoint: endpoint.clone(),
        version_number: 0,
        has_statements: false,
    };
    let number = control.value("asking for the version", "show server_version_num")?;
    control.version_number = number.parse().unwrap_or(130_000);
    Ok(Box::new(control))
}

#[derive(Debug)]
pub(super) struct PostgresqlControl {
    // Closed before its runtime: fields drop in this order.
    client: Client,
    /// Why the connection ended, where the driver does not say.
    fault: Fault,
    blocking: Blocking,
    pub(super) endpoint: Endpoint,
    pub(super) version_number: u32,
    /// True if pg_stat_statements answers; known once the server is watched.
    pub(super) has_statements: bool,
}

/// One row of a result, column by name; nulls are absent.
pub(super) type Row = Vec<(String, String)>;

impl PostgresqlControl {
    pub(super) fn rows(&self, doing: &'static str, sql: &str) -> Result<Vec<Row>, ServerError> {
        self.rows_within(ANSWER_LIMIT, doing, sql)
    }

    pub(super) fn rows_within(
        &self,
        limit: Duration,
        doing: &'static str,
        sql: &str,
    ) -> Result<Vec<Row>, ServerError> {
        self.read(doing, self.blocking.run(doing, limit, self.client.simple_query(sql))?)
    }

    fn read(
        &self,
        doing: &'static str,
        answer: Result<Vec<SimpleQueryMessage>, tokio_postgres::Error>,
    ) -> Result<Vec<Row>, ServerError> {
        let messages = answer.map_err(|error| {
            let error = self.fault.ended().filter(|_| error.is_closed()).unwrap_or(&error);
            explain(error, &self.fault.said(), doing, &self.endpoint)
        })?;
        let row = |message: &SimpleQueryMessage| match message {
            SimpleQueryMessage::Row(row) => {
                let cell = |i: usize| Some((row.columns()[i].name().to_owned(), row.get(i)?.to_owned()));
                Some((0..row.len()).filter_map(cell).collect())
            }
            _ => None,
        };
        Ok(messages.iter().filter_map(row).collect())
    }

    pub(super) fn value(&self, doing: &'static str, sql: &str) -> Result<String, ServerError> {
        let mut rows = self.rows(doing, sql)?;
        let first = rows.pop().and_then(|mut row| row.pop());
        first.map(|(_, value)| value).ok_or_else(|| self.without_row(doing))
    }

    /// An answer lacks the row that was asked for.
    fn without_row(&self, doing: &'static str) -> ServerError {
        let why = "it came without the row that was asked for".to_owned();
        ServerError::Strange { engine: TITLE, address: self.endpoint.address(), doing, why }
    }

    pub(super) fn number(&self, doing: &'static str, sql: &str) -> Result<u64, ServerError> {
        Ok(self.value(doing, sql)?.parse().unwrap_or(0))
    }

    pub(super) fn run(&self, doing: &'static str, sql: &str) -> Result<(), ServerError> {
        self.rows(doing, sql).map(|_| ())
    }

    /// The questions for the counters of this version.
    pub(super) fn counter_questions(&self) -> impl Iterator<Item = &'static str> + use<> {
        let log = match self.version_number {
            ..140_000 => None,
            140_000..180_000 => Some(LOG_TO_17),
            _ => Some(LOG_FROM_18),
        };
        let checkpoints = if self.version_number < 170_000 { CHECKPOINTS_TO_16 } else { CHECKPOINTS_FROM_17 };
        [COUNTERS, LOG_POSITION, checkpoints].into_iter().chain(log)
    }
}

/// The numbers among the cells of rows, by their columns.
pub(super) fn counters_of<'a>(rows: impl Iterator<Item = &'a Row>) -> BTreeMap<String, f64> {
    rows.flatten().filter_map(|(name, value)| Some((name.clone(), value.parse().ok()?))).collect()
}

/// `asked` with the marks in the rows of [`LIFE`].
pub(super) fn life_of(mut asked: Life, rows: &[Row]) -> Life {
    for (name, value) in rows.iter().flatten() {
        match name.as_str() {
            "started" => asked.started = Some(value.clone()),
            "pid" => asked.processes.extend(value.parse::<u64>().ok()),
            _ => {}
        }
    }
    asked
}

impl Control for PostgresqlControl {
    fn set_up(&mut self, endpoint: &Endpoint) -> Result<(), ServerError> {
        let password =
            endpoint.password.as_ref().map(|secret| secret.reveal().replace('\'', "''")).unwrap_or_default();
        self.run(
            "setting the password",
            &format!("alter role {} password '{password}'", name(&endpoint.user)),
        )?;
        self.run("creating the database", &format!("create database {}", name(&endpoint.database)))
    }

    /// A server that has run for long writes its log into recycled segments; a new one first writes each full
    /// of zeros. So that copies start like the former, segments are filled up to `min_wal_size` and recycled.
    fn before_copy(&mut self) -> Result<(), ServerError> {
        let doing = "preparing the log";
        let kept = self.number(
            doing,
            "select setting::bigint * 1024 * 1024 from pg_settings where name = 'min_wal_size'",
        )?;
        let segment = self
            .number(doing, "select setting from pg_settings where name = 'wal_segment_size'")?
            .max(1 << 20);
        let present =
            self.number(doing, "select count(*) from pg_ls_waldir() where name ~ '^[0-9A-F]{24}$'")?;
        for _ in present..kept / segment {
            // An empty segment would not be left: this writes a record.
            self.run(doing, "select txid_current()")?;
            self.run(doing, "select pg_switch_wal()")?;
        }
        self.run(doing, "checkpoint")
    }

    fn counters(&mut self) -> Result<BTreeMap<String, f64>, ServerError> {
        let mut rows = Vec::new();
        for sql in self.counter_questions() {
            rows.extend(self.rows("reading counters", sql)?);
        }
        let mut counters = counters_of(rows.iter());
        for (ours, theirs) in COMMON {
            if let Some(&value) = counters.get(theirs) {
                counters.insert(ours.to_owned(), value);
            }
        }
        // The position counts every byte on every version.
        if let Some(&position) = counters.get("wal_position") {
            counters.insert("log_bytes".to_owned(), position);
        }
        Ok(counters)
    }

    fn waits(&mut self) -> Result<Waits, ServerError> {
        let rows = self.rows_within(SAMPLE_LIMIT, "sampling waits", WAITS)?;
        Ok(rows.iter().filter_map(|row| waits::of(row)).collect())
    }

    fn watch(&mut self) -> Result<ServerPlace, ServerError> {
        self.begin_to_watch()
    }

    fn look(&mut self) -> Result<Look, ServerError> {
        self.look_once()
    }

    fn life(&mut self) -> Result<Life, ServerError> {
        let asked = Life::now();
        Ok(life_of(asked, &self.rows_within(LIFE_LIMIT, "asking who it is", LIFE)?))
    }

    fn effective(&mut self, names: &[&str]) -> Result<BTreeMap<String, String>, ServerError> {
        let list = names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(",");
        let sql =
            format!("select name, current_setting(name) as value from pg_settings where name in ({list})");
        let pair = |row: Row| match row.as_slice() {
            [(_, name), (_, value)] => Some((name.clone(), value.clone())),
            _ => None,
        };
        Ok(self.rows("reading settings", &sql)?.into_iter().filter_map(pair).collect())
    }

    fn sums(&mut self, stop: &AtomicBool) -> Result<Vec<TableSum>, ServerError> {
        let doing = "summing up the tables";
        let tables = self.rows(doing, backup::TABLES)?;
        let mut sums = Vec::new();
        for row in tables {
            let [(_, schema), (_, table)] = row.as_slice() else { continue };
            let statement = backup::sum_statement(schema, table);
            let answer = self.blocking.run_until(doing, stop, self.client.simple_query(&statement))?;
            let sum = self.read(doing, answer)?.pop();
            let missing = || self.without_row(doing);
            let [(_, rows), (_, sum)] =
                <[_; 2]>::try_from(sum.ok_or_else(missing)?).map_err(|_| missing())?;
            let table = if schema == "public" { table.clone() } else { format!("{schema}.{table}") };
            sums.push(TableSum { table, rows: rows.parse().unwrap_or(0), sum });
        }
        Ok(sums)
    }

    fn version(&mut self) -> Result<String, ServerError> {
        Ok(format!("{TITLE} {}", self.value("asking for the version", "show server_version")?))
    }

    fn size_bytes(&mut self) -> Result<u64, ServerError> {
        self.number("measuring the database", "select pg_database_size(current_database())")
    }

    fn require_create(&mut self) -> Result<(), ServerError> {
        let doing = "checking privileges";
        let sql = "select coalesce(has_schema_privilege(current_schema(), 'create'), false)";
        if self.value(doing, sql)? == "t" {
            return Ok(());
        }
        let user = &self.endpoint.user;
        Err(ServerError::NoPrivilege {
            doing: "creating tables",
            user: user.clone(),
            why: "it may not create in the schema".to_owned(),
            fix: format!("as the owner: GRANT CREATE ON SCHEMA public TO {}", name(user)),
        })
    }
}

/// `text` as an SQL name.
pub(super) fn name(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

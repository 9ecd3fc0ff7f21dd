//! PostgreSQL under somebody else's load: one question of several statements for each look, which is one
//! transaction of ours, and what its counters mean.

use crate::client::{Life, SAMPLE_LIMIT};
use crate::error::ServerError;
use crate::machine::process;
use crate::server::{Clients, Grown, Look, MAY_SHRINK, ServerPlace, Work};

use super::TITLE;
use super::control::{PostgresqlControl, Row, counters_of, life_of, name};
use super::waits::{self, WAITS};

/// Whoever may see what others do; before version 14 a role had to be named in full as well.
const MAY_LOOK: &str = "select pg_has_role(current_user, 'pg_read_all_stats', 'usage') or \
    (select rolsuper from pg_roles where rolname = current_user)";
/// Only those who may read all settings get a row.
const DATA_DIR: &str = "select setting from pg_settings where name = 'data_directory'";
/// Totals of `pg_stat_statements`; fails without the extension. Its function reads no texts of statements.
const STATEMENTS: &str = "select sum(calls) as statements_calls, sum(total_exec_time) as statements_ms \
    from pg_stat_statements(false)";
/// Transactions that write take a number each; asking takes none.
const NUMBERS: &str = "select pg_snapshot_xmax(pg_current_snapshot())::text as next_transaction";
/// Reading times are zeros unless `track_io_timing` is on.
const READ_TIMES: &str = "select sum(blk_read_time) as blk_read_ms from pg_stat_database";
/// From version 16 every page write is counted with its writer.
const PAGES_FROM_16: &str = "select sum(writes) as page_writes, sum(writes) filter (where backend_type = 'client backend') \
    as page_writes_waited from pg_stat_io where object = 'relation'";
/// Sessions that have just ended a transaction ask again: a second is long for a client without think time.
const CLIENTS: &str = "select count(*) filter (where state = 'active') as clients_active, \
    count(*) filter (where is_between) as clients_between, count(*) filter (where is_recent) as clients_recent, \
    count(*) filter (where is_recent and is_local) as clients_local from (select state, \
    state like 'idle in transaction%' and age < interval '10 seconds' as is_between, \
    state = 'active' or age < interval '1 second' as is_recent, \
    coalesce(client_addr is null or client_addr <<= '127.0.0.0/8' or client_addr = '::1' or client_addr = inet_server_addr(), true) as is_local \
    from (select state, client_addr, clock_timestamp() - state_change as age from pg_stat_activity \
    where backend_type = 'client backend' and pid <> pg_backend_pid()) sessions) clients";
/// The names of its programs, in older packages too.
const PROGRAMS: [&str; 2] = ["postgres", "postmaster"];

impl PostgresqlControl {
    pub(super) fn begin_to_watch(&mut self) -> Result<ServerPlace, ServerError> {
        let doing = "preparing to look";
        self.run(doing, "set default_transaction_read_only = on")?;
        if self.value("checking privileges", MAY_LOOK)? != "t" {
            let user = self.endpoint.user.clone();
            let fix = format!("as a superuser: GRANT pg_monitor TO {}", name(&user));
            let why = "it may not see what the sessions of others do".to_owned();
            return Err(ServerError::NoPrivilege { doing: "watching the server", user, why, fix });
        }
        // Without the extension, and where its library is not loaded, this fails.
        self.has_statements = self.rows(doing, STATEMENTS).is_ok();
        let data_dir = self.rows(doing, DATA_DIR)?.into_iter().flatten().next();
        let session = self.number(doing, "select pg_backend_pid()")?;
        let session = u32::try_from(session).unwrap_or(0);
        Ok(ServerPlace {
            data_dir: data_dir.map(|(_, path)| path.into()),
            process: process::parent_named(session, &PROGRAMS),
        })
    }

    pub(super) fn look_once(&self) -> Result<Look, ServerError> {
        let pages = (self.version_number >= 160_000).then_some(PAGES_FROM_16);
        let statements = self.has_statements.then_some(STATEMENTS);
        let asked =
            self.counter_questions().chain([NUMBERS, READ_TIMES, CLIENTS, WAITS, super::control::LIFE]);
        let asked: Vec<&str> = asked.chain(pages).chain(statements).collect();
        let rows = self.rows_within(SAMPLE_LIMIT, "looking at the server", &asked.join("; "))?;
        let life = life_of(Life::now(), &rows);
        let mut look = Look {
            at_ns: life.asked_ns,
            counters: counters_of(rows.iter().filter(|row| !is_of_clients(row))),
            clients: Clients::default(),
            waits: rows.iter().filter_map(|row| waits::of(row)).collect(),
            life,
        };
        let count = |wanted: &str| {
            let cell = rows.iter().flatten().find(|(name, _)| name == wanted);
            cell.and_then(|(_, value)| value.parse().ok()).ok_or_else(|| ServerError::Strange {
                engine: TITLE,
                address: self.endpoint.address(),
                doing: "looking at the server",
                why: format!("it came without `{wanted}`"),
            })
        };
        look.clients = Clients {
            active: count("clients_active")?,
            between: count("clients_between")?,
            recent: count("clients_recent")?,
            local: count("clients_local")?,
        };
        Ok(look)
    }
}

fn is_of_clients(row: &Row) -> bool {
    row.iter().any(|(name, _)| {
        name.starts_with("clients_") || ["wait", "waiting", "started", "pid"].contains(&name.as_str())
    })
}

/// The work behind the growth of the counters. Each look was a transaction of ours.
pub(crate) fn work(grown: &Grown, looks: u64) -> Work {
    let value = |name: &str| grown.get(name).copied();
    // A sum of nothing is the negative zero.
    let sum = |names: &[&str]| names.iter().filter_map(|name| value(name)).sum::<f64>() + 0.0;
    let statements = |name: &str| value(&format!("{MAY_SHRINK}{name}"));
    let reads_ms = value("blk_read_ms").filter(|ms| *ms > 0.0);
    Work {
        transactions: (sum(&["xact_commit", "xact_rollback"]) - looks as f64).max(0.0),
        writing: value("next_transaction"),
        are_statements: false,
        statements: statements("calls"),
        statement_ms: statements("ms"),
        page_reads: sum(&["blks_read"]),
        page_read_ms: reads_ms,
        page_bytes: 8192.0,
        log_bytes: sum(&["wal_position"]),
        log_images: sum(&["wal_fpi"]),
        log_syncs: value("wal_sync"),
        page_writes: value("page_writes")
            .unwrap_or_else(|| sum(&["buffers_checkpoint", "buffers_clean", "buffers_backend"])),
        waited_writes: value("page_writes_waited").or_else(|| value("buffers_backend")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(counters: &[(&str, f64)]) -> Grown {
        counters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn counters_become_work_without_our_own() {
        let old = [
            ("xact_commit", 1000.0),
            ("xact_rollback", 10.0),
            ("next_transaction", 700.0),
            ("wal_position", 3e6),
            ("buffers_checkpoint", 40.0),
            ("buffers_backend", 2.0),
        ];
        let found = work(&grown(&old), 10);
        assert_eq!((found.transactions, found.writing, found.log_bytes), (1000.0, Some(700.0), 3e6));
        assert_eq!((found.page_writes, found.waited_writes), (42.0, Some(2.0)));
        assert_eq!((found.log_syncs, found.statements, found.page_read_ms), (None, None, None));
        let new = [("page_writes", 9.0), ("page_writes_waited", 1.0), ("buffers_checkpoint", 40.0)];
        let found = work(&grown(&[&new[..], &[("wal_fpi", 2.0), ("statements_calls", 5.0)]].concat()), 10);
        assert_eq!((found.page_writes, found.waited_writes, found.transactions), (9.0, Some(1.0), 0.0));
        assert_eq!((found.log_images, found.statements), (2.0, Some(5.0)));
        let nothing = work(&Grown::new(), 0);
        let zeros = [nothing.transactions, nothing.page_reads, nothing.log_bytes, nothing.page_writes];
        assert!(zeros.iter().all(|zero| zero.is_sign_positive() && *zero == 0.0), "{zeros:?}");
    }
}

//! MariaDB or MySQL under somebody else's load: its status and its sessions, and what its counters mean.

use crate::client::{Life, SAMPLE_LIMIT};
use crate::error::ServerError;
use crate::machine::process;
use crate::server::{Clients, Control as _, Grown, Look, ServerPlace, Work};

use super::control::{MariaDbControl, text};

/// The counters that say what transactions ask for; everybody may read them.
const STATUS: &str = "show global status where variable_name in ('Uptime', 'Com_commit', 'Com_rollback', 'Com_select', 'Com_insert', \
    'Com_insert_select', 'Com_update', 'Com_update_multi', 'Com_delete', 'Com_delete_multi', 'Com_replace', 'Com_replace_select', 'Com_load', \
    'Questions', 'Innodb_max_trx_id', 'Innodb_pages_read', 'Innodb_buffer_pool_reads', 'Innodb_buffer_pool_read_ahead', \
    'Innodb_pages_written', 'Innodb_buffer_pool_wait_free', 'Innodb_os_log_written', 'Innodb_os_log_fsyncs', 'Innodb_log_writes', \
    'Innodb_data_reads', 'Innodb_data_writes', 'Innodb_data_read', 'Innodb_data_written', 'Innodb_dblwr_writes', \
    'Innodb_dblwr_pages_written', 'Innodb_page_size', 'Innodb_row_lock_waits', 'Innodb_row_lock_time', 'Threads_running')";
/// Gauges among them: they are no counters.
const GAUGES: [&str; 3] = ["Uptime", "Innodb_page_size", "Threads_running"];
/// Sessions at work, between two statements of a transaction (which sleep), or asleep since less than a
/// second.
const CLIENTS: &str = "select coalesce(sum(is_active), 0), coalesce(sum(is_between), 0), coalesce(sum(is_active or is_between or is_new), 0), \
    coalesce(sum((is_active or is_between or is_new) and is_local), 0) from (select p.command <> 'Sleep' as is_active, \
    p.command = 'Sleep' and t.trx_id is not null and p.time <= 10 as is_between, p.time < 1 as is_new, \
    p.host = 'localhost' or p.host like 'localhost:%' or p.host like '127.%' or p.host like '::1%' or p.host like '[::1]%' as is_local \
    from information_schema.processlist p left join information_schema.innodb_trx t on t.trx_mysql_thread_id = p.id \
    where p.command not in ('Daemon', 'Binlog Dump', 'Slave_IO', 'Slave_SQL') and p.user not in ('system user', 'event_scheduler') \
    and p.id <> connection_id()) clients";
/// Statements that change rows.
const WRITES: [&str; 9] = [
    "Com_insert",
    "Com_insert_select",
    "Com_update",
    "Com_update_multi",
    "Com_delete",
    "Com_delete_multi",
    "Com_replace",
    "Com_replace_select",
    "Com_load",
];
/// Below this share of the statements, transactions that clients end themselves are exceptions.
const EXPLICIT_LEAST: f64 = 0.01;
const PROGRAMS: [&str; 2] = ["mariadbd", "mysqld"];

impl MariaDbControl {
    pub(super) fn begin_to_watch(&mut self) -> Result<ServerPlace, ServerError> {
        let doing = "preparing to look";
        self.run(doing, "set session transaction read only")?;
        let grants = self.rows("checking privileges", "show grants")?;
        if !grants.iter().flatten().any(|line| may_look(line)) {
            let user = self.endpoint.user.clone();
            let fix = format!("as an administrator: GRANT PROCESS ON *.* TO {}", text(&user));
            let why = "it may not see what the sessions of others do".to_owned();
            return Err(ServerError::NoPrivilege { doing: "watching the server", user, why, fix });
        }
        let place = self.rows(doing, "select @@datadir, @@pid_file")?.into_iter().next().unwrap_or_default();
        let [data_dir, pid_file] =
            [place.first(), place.get(1)].map(|path| path.cloned().unwrap_or_default());
        // A file that we may not read, or of a server elsewhere, names no process here.
        let file = std::path::Path::new(&data_dir).join(pid_file);
        let process = std::fs::read_to_string(file).ok().and_then(|pid| pid.trim().parse().ok());
        Ok(ServerPlace {
            data_dir: (!data_dir.is_empty()).then(|| data_dir.into()),
            process: process.filter(|pid| process::is_named(*pid, &PROGRAMS)),
        })
    }

    pub(super) fn look_once(&mut self) -> Result<Look, ServerError> {
        let doing = "looking at the server";
        let mut life = Life::now();
        let mut counters = Grown::new();
        for row in self.rows_within(SAMPLE_LIMIT, doing, STATUS)? {
            if let [name, value] = row.as_slice()
                && let Ok(value) = value.parse::<f64>()
            {
                match name.as_str() {
                    "Uptime" => life.up = Some(std::time::Duration::from_secs_f64(value.max(0.0))),
                    name if GAUGES.contains(&name) => {}
                    name => drop(counters.insert(name.to_owned(), value)),
                }
            }
        }
        let at_ns = life.asked_ns;
        let address = self.endpoint.address();
        let counts = self.rows_within(SAMPLE_LIMIT, doing, CLIENTS)?.into_iter().next().unwrap_or_default();
        let count = |at: usize| {
            let count = counts.get(at).and_then(|text| text.parse::<f64>().ok());
            count.map(|count| count as u32).ok_or_else(|| ServerError::Strange {
                engine: super::TITLE,
                address: address.clone(),
                doing,
                why: "it says nothing of its sessions".to_owned(),
            })
        };
        let clients = Clients { active: count(0)?, between: count(1)?, recent: count(2)?, local: count(3)? };
        Ok(Look { at_ns, counters, clients, waits: self.waits()?, life })
    }
}

/// True for a grant by which a user sees the sessions of others.
fn may_look(grant: &str) -> bool {
    let Some((privileges, _)) = grant.split_once(" ON *.* ") else { return false };
    let mut privileges = privileges.trim_start_matches("GRANT ").split(", ");
    privileges.any(|privilege| ["PROCESS", "ALL PRIVILEGES"].contains(&privilege.trim()))
}

/// The work behind the growth of the counters. Looks are statements without a transaction of InnoDB: nothing
/// of ours is among its counts but two statements that read.
pub(crate) fn work(grown: &Grown, looks: u64) -> Work {
    let value = |name: &str| grown.get(name).copied();
    // A sum of nothing is the negative zero.
    let sum = |names: &[&str]| names.iter().filter_map(|name| value(name)).sum::<f64>() + 0.0;
    let writes = sum(&WRITES);
    let statements = (writes + sum(&["Com_select"]) - 2.0 * looks as f64).max(0.0);
    let ended = sum(&["Com_commit", "Com_rollback"]);
    // Clients that end no transaction themselves run each statement as one.
    let are_statements = ended <= EXPLICIT_LEAST * statements;
    let transactions = if are_statements { statements } else { ended };
    let pages = sum(&["Innodb_pages_read"]);
    let data_bytes = sum(&["Innodb_data_read"]);
    Work {
        transactions,
        writing: Some(writes.min(transactions)),
        are_statements,
        statements: value("Questions").map(|questions| (questions - 3.0 * looks as f64).max(0.0)),
        statement_ms: None,
        page_reads: pages,
        page_read_ms: None,
        page_bytes: if pages > 0.0 && data_bytes > 0.0 { data_bytes / pages } else { 16_384.0 },
        log_bytes: sum(&["Innodb_os_log_written"]),
        log_images: 0.0,
        log_syncs: value("Innodb_os_log_fsyncs"),
        page_writes: sum(&["Innodb_pages_written"]),
        waited_writes: value("Innodb_buffer_pool_wait_free"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grown(counters: &[(&str, f64)]) -> Grown {
        counters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn transactions_are_those_that_clients_end_or_else_statements() {
        let common = [("Com_select", 1020.0), ("Com_update", 300.0), ("Innodb_os_log_written", 9e5)];
        let alone = work(&grown(&common), 10);
        assert_eq!((alone.transactions, alone.are_statements), (1300.0, true));
        assert_eq!((alone.writing, alone.log_bytes), (Some(300.0), 9e5));
        let ended = work(&grown(&[&common[..], &[("Com_commit", 99.0), ("Com_rollback", 1.0)]].concat()), 10);
        assert_eq!((ended.transactions, ended.are_statements), (100.0, false));
        assert_eq!(ended.writing, Some(100.0), "of transactions, not of statements");
        let read = work(&grown(&[("Innodb_pages_read", 4.0), ("Innodb_data_read", 65_536.0)]), 1);
        assert_eq!((read.page_reads, read.page_bytes), (4.0, 16_384.0));
    }

    #[test]
    fn the_privilege_is_found_among_others() {
        assert!(may_look("GRANT SELECT, PROCESS, SUPER ON *.* TO `u`@`%`"));
        assert!(may_look("GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION"));
        assert!(!may_look("GRANT USAGE ON *.* TO `u`@`%`"));
        assert!(!may_look("GRANT ALL PRIVILEGES ON `d`.* TO `u`@`%`"));
    }
}

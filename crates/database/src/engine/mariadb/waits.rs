//! Classes of the waits of MariaDB's and MySQL's sessions, by their states.

use crate::waits::WaitClass;

/// Clients that work; one that waits for a row is named so, for the server itself calls it updating. (The
/// server looks at its transactions anew only when nobody asked for a tenth of a second.)
pub(super) const WAITS: &str = "select coalesce(if(t.trx_state = 'LOCK WAIT', 'row lock', nullif(p.state, '')), 'CPU'), count(*) \
    from information_schema.processlist p left join information_schema.innodb_trx t on t.trx_mysql_thread_id = p.id \
    where p.command not in ('Sleep', 'Daemon', 'Binlog Dump', 'Slave_IO', 'Slave_SQL') and p.user <> 'system user' and p.id <> connection_id() \
    group by 1";

/// The class of a session's state, or of `row lock`: its states are what a session does, and those without
/// a wait are on a processor.
pub(super) fn class_of(state: &str) -> WaitClass {
    let lower = state.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    match () {
        () if has(&["commit", "sync"]) => WaitClass::Log,
        () if has(&["row lock", "lock wait"]) => WaitClass::Lock,
        () if lower.contains(':') => WaitClass::Other,
        () => WaitClass::Running,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_work_or_waits_for_the_log_or_a_row() {
        for (state, class) in [
            ("CPU", WaitClass::Running),
            ("starting", WaitClass::Running),
            ("Sending data", WaitClass::Running),
            ("Commit", WaitClass::Log),
            ("waiting for handler commit", WaitClass::Log),
            ("Waiting for semi-sync ACK from slave", WaitClass::Log),
            ("row lock", WaitClass::Lock),
        ] {
            assert_eq!(class_of(state), class, "{state}");
        }
    }
}

//! Classes of PostgreSQL's waits, by its wait events.

use crate::waits::WaitClass;

/// The sessions in a statement by their events.
pub(super) const WAITS: &str = "select coalesce(wait_event_type || ':' || wait_event, 'CPU') as wait, count(*) as waiting from pg_stat_activity \
    where backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid() group by 1";

/// The class of an event that [`WAITS`] found, and its sessions; `None` for the row of another question.
pub(super) fn of(row: &[(String, String)]) -> Option<(WaitClass, u64)> {
    match row {
        [(first, event), (_, count)] if first == "wait" => Some((class_of(event), count.parse().ok()?)),
        _ => None,
    }
}

/// The class of an event `type:event`: `IO:DataFileRead`, `IO:WALSync`, `LWLock:WALWrite`,
/// `Lock:transactionid`. A session without one is on a processor.
fn class_of(event: &str) -> WaitClass {
    let lower = event.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    match () {
        () if event == "CPU" => WaitClass::Running,
        () if has(&["wal", "commit", "sync"]) => WaitClass::Log,
        () if lower.starts_with("io:") || has(&["buffer_io", "bufferio"]) => WaitClass::Drive,
        () if lower.starts_with("lock:") => WaitClass::Lock,
        () => WaitClass::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_of_the_log_the_drive_or_a_lock() {
        for (event, class) in [
            ("CPU", WaitClass::Running),
            ("IO:WALSync", WaitClass::Log),
            ("LWLock:WALWrite", WaitClass::Log),
            ("IPC:SyncRep", WaitClass::Log),
            ("IO:DataFileRead", WaitClass::Drive),
            ("LWLock:BufferIO", WaitClass::Drive),
            ("Lock:transactionid", WaitClass::Lock),
            ("LWLock:LockManager", WaitClass::Other),
            ("Client:ClientRead", WaitClass::Other),
        ] {
            assert_eq!(class_of(event), class, "{event}");
        }
    }
}

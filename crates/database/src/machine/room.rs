//! The check that the machine has the resources that an instance requests.

use std::fs;
use std::path::Path;

use crate::error::{DatabaseError, ServerError};

/// A server's memory besides its buffer pool: code, connections, private memory.
const BESIDES_BYTES: u64 = 96 << 20;

/// Checks that a buffer pool of `memory_bytes` can be had. The kernel would promise it and kill somebody
/// later.
pub(crate) fn check_memory(memory_bytes: u64) -> Result<(), DatabaseError> {
    let asked_bytes = memory_bytes.saturating_add(BESIDES_BYTES);
    match available_memory_bytes() {
        Some(available_bytes) if available_bytes < asked_bytes => {
            Err(ServerError::NoMemory { asked_bytes, available_bytes }.into())
        }
        _ => Ok(()),
    }
}

/// The memory available without swapping, or the control group's whole allowance if that is less.
pub(crate) fn available_memory_bytes() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| available(&text));
    let group =
        fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    machine.into_iter().chain(group).min()
}

fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find(|line| line.starts_with("MemAvailable:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Checks that the file system of `path` has `needed_bytes` left for us.
pub(crate) fn check_disk(path: &Path, needed_bytes: u64) -> Result<(), DatabaseError> {
    let room = rustix::fs::statvfs(path).map_err(|error| DatabaseError::io("reading", path)(error.into()))?;
    let free_bytes = room.f_bavail.saturating_mul(room.f_frsize);
    if free_bytes < needed_bytes {
        return Err(DatabaseError::NoSpace { path: path.to_owned(), needed_bytes, free_bytes });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_is_is_refused() {
        let message = check_memory(1 << 50).unwrap_err().to_string();
        assert!(message.contains("are available; ask for less"), "{message}");
        check_memory(1 << 20).unwrap();
        let message = check_disk(Path::new("/"), 1 << 60).unwrap_err().to_string();
        assert!(message.contains("are free"), "{message}");
    }

    #[test]
    fn reads_the_line() {
        assert_eq!(available("MemTotal: 9 kB\nMemAvailable:   17 kB\n"), Some(17 * 1024));
        assert_eq!(available("MemTotal: 9 kB\n"), None);
    }
}

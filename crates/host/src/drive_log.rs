//! A drive's own counters of its wear: the SMART / health log of NVMe.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::syscalls;

/// NVM Express Base Specification 2.0, figure 207: Data Units Written is at byte 48, 16 bytes, in thousands
/// of 512-byte units.
const DATA_UNITS_WRITTEN_AT: usize = 48;
const DATA_UNIT_BYTES: u128 = 512_000;

/// Bytes that the NVMe drive under `path` has been told to write in its life, by its own log. `None` for
/// other drives, and where the log cannot be read: it needs root.
pub fn written_by_own_log_bytes(path: &Path) -> Option<u64> {
    let device = fs::metadata(path).ok()?.dev();
    let place = format!("/sys/dev/block/{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
    let place = fs::canonicalize(place).ok()?;
    let whole = if place.join("partition").exists() { place.parent()?.to_owned() } else { place };
    let name = whole.file_name()?.to_str()?;
    if !name.starts_with("nvme") {
        return None;
    }
    let drive = File::open(PathBuf::from("/dev").join(name)).ok()?;
    written_bytes(&syscalls::nvme_health_log(&drive)?)
}

fn written_bytes(log: &[u8; syscalls::HEALTH_LOG_BYTES]) -> Option<u64> {
    let field = log[DATA_UNITS_WRITTEN_AT..].first_chunk::<16>()?;
    u64::try_from(u128::from_le_bytes(*field).checked_mul(DATA_UNIT_BYTES)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_units_are_thousands_of_sectors() {
        let mut log = [0; syscalls::HEALTH_LOG_BYTES];
        log[DATA_UNITS_WRITTEN_AT] = 3;
        log[DATA_UNITS_WRITTEN_AT + 1] = 1;
        assert_eq!(written_bytes(&log), Some(259 * 512_000));
        log[DATA_UNITS_WRITTEN_AT..][..16].fill(0xff);
        assert_eq!(written_bytes(&log), None, "more than can be is unknown");
        assert_eq!(written_by_own_log_bytes(Path::new("/proc")), None, "what is no drive has no log");
    }
}

//! The bytes that a cell writes to the drives under its bed, from its reset to its check: by the host's
//! counters, and by the drive's own log.

use std::path::Path;

use notebook::Measurement;
use words::Metric;

use crate::metrics::Metrics;
use crate::storage::drives::DriveChoice;
use crate::watch::server::is_drive;
use crate::world::World;

/// The bytes written up to one moment.
pub(crate) struct Written {
    by_host_bytes: Option<u64>,
    by_log_bytes: Option<u64>,
}

impl Written {
    /// The bytes written so far to the drive at a path. Nothing is known of modelled drives, which do not
    /// wear, and without the machine.
    pub(crate) fn so_far(drive: &DriveChoice, path: &Path, world: &World) -> Self {
        if matches!(drive, DriveChoice::Emulated(_)) || !world.has_machine() {
            return Self { by_host_bytes: None, by_log_bytes: None };
        }
        Self { by_host_bytes: by_host_bytes(world), by_log_bytes: host::written_by_own_log_bytes(path) }
    }

    /// The bytes written from then to now.
    pub(crate) fn until(&self, now: &Self) -> Vec<Measurement> {
        let grown = |before: Option<u64>, after: Option<u64>| Some(after?.saturating_sub(before?) as f64);
        let mut metrics = Metrics::default();
        let known = [
            (Metric::CellWrittenBytes, grown(self.by_host_bytes, now.by_host_bytes)),
            (Metric::CellWrittenBytesByLog, grown(self.by_log_bytes, now.by_log_bytes)),
        ];
        for (metric, bytes) in known {
            metrics.add(metric, bytes.unwrap_or(f64::NAN));
        }
        metrics.0
    }
}

/// All drives of the host: a bed's files may lie on several, and other programs' writes are in it.
fn by_host_bytes(world: &World) -> Option<u64> {
    let counters = world.counters.read()?;
    let names: Vec<&str> = counters.disks.iter().map(|disk| disk.name.as_str()).collect();
    let drives = counters.disks.iter().filter(|disk| is_drive(&disk.name, &names));
    Some(drives.map(|disk| disk.write_bytes).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_at_both_ends_is_not_told() {
        let at = |host, log| Written { by_host_bytes: host, by_log_bytes: log };
        let found = at(Some(1000), None).until(&at(Some(5000), Some(7)));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].metric.as_str(), found[0].value), ("cell_written_bytes", 4000.0));
    }
}

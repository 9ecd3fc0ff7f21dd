//! The server's counters of its own work, per transaction, and HammerDB's definitions beside the client's
//! counts.

use host::Usage;
use notebook::Event;
use oltp::tpcc::RunOutcome;
use words::{EventKind, Metric};

use crate::metrics::{Metrics, event};

/// Metrics from the server's counters over the measure phase, and from the host's drives under it. Nothing
/// for the embedded engine.
pub(crate) fn figures(metrics: &mut Metrics, outcome: &RunOutcome, usage: Option<&Usage>) {
    let Some(server) = &outcome.server else { return };
    metrics.add(Metric::ServerTpm, server.tpm);
    metrics.add(Metric::ServerNopm, server.nopm);
    let transactions = (outcome.completed() as f64).max(1.0);
    let grown = |name: &str| Some(server.after.get(name)? - server.before.get(name)?);
    if let (Some(hits), Some(reads)) = (grown("buffer_hits"), grown("buffer_reads"))
        && hits + reads > 0.0
    {
        metrics.add(Metric::CacheHitRatio, hits / (hits + reads) * 100.0);
        metrics.add(Metric::BufferReadsPerTransaction, reads / transactions);
    }
    for (metric, counter, per) in [
        (Metric::LogBytesPerTransaction, "log_bytes", transactions),
        (Metric::LogWritesPerTransaction, "log_writes", transactions),
        (Metric::LogSyncsPerTransaction, "log_syncs", transactions),
        (Metric::LogImagesPerTransaction, "log_images", transactions),
        // Pages that sessions wrote themselves to make room: somebody waited for each.
        (Metric::WaitedWritesPerTransaction, "buffers_backend", transactions),
        (Metric::ServerDeadlocks, "deadlocks", 1.0),
        (Metric::ServerCheckpoints, "checkpoints", 1.0),
    ] {
        metrics.add(metric, grown(counter).map_or(f64::NAN, |value| value / per));
    }
    let cpu_us = grown("processor_ms").map_or(f64::NAN, |ms| ms * 1e3 / transactions);
    metrics.add(Metric::ServerCpuPerTransaction, cpu_us);
    drives(metrics, usage, transactions);
}

/// The bytes that reached the drives in the measure phase, altogether and for each transaction, from the
/// host's counters. These cover all of the host's drives: a server's files may lie on several. They include
/// the I/O of other programs.
pub(crate) fn drives(metrics: &mut Metrics, usage: Option<&Usage>, transactions: f64) {
    let Some(usage) = usage else { return };
    let names: Vec<&str> = usage.disks.iter().map(|disk| disk.name.as_str()).collect();
    let whole = || usage.disks.iter().filter(|disk| is_drive(&disk.name, &names));
    let sum = |of: fn(&host::DiskUsage) -> u64| whole().map(of).sum::<u64>() as f64 / transactions;
    let (reads, writes) = (sum(|d| d.reads), sum(|d| d.writes));
    let (read_bytes, written_bytes) = (sum(|d| d.read_bytes), sum(|d| d.write_bytes));
    metrics.add(Metric::WrittenBytes, written_bytes * transactions);
    metrics.add(Metric::IosPerTransaction, reads + writes);
    metrics.add(Metric::ReadsPerTransaction, reads);
    metrics.add(Metric::WritesPerTransaction, writes);
    metrics.add(Metric::BytesPerTransaction, read_bytes + written_bytes);
    metrics.add(Metric::ReadBytesPerTransaction, read_bytes);
    metrics.add(Metric::WrittenBytesPerTransaction, written_bytes);
}

/// True for a drive of its own: a loop or mapped device is a view of another one, and a partition is a part
/// of one, both counted there.
pub(crate) fn is_drive(name: &str, all: &[&str]) -> bool {
    let view = ["loop", "dm-", "ram", "zram", "md"].iter().any(|prefix| name.starts_with(prefix));
    let part = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let parent = |candidate: &str| candidate != name && all.contains(&candidate);
    let is_part = parent(part) || (part.ends_with('p') && parent(part.trim_end_matches('p')));
    !(view || is_part)
}

/// The differences between the server's counts and the client's.
pub(crate) fn differences(outcome: &RunOutcome) -> impl Iterator<Item = Event> {
    let all = outcome.server.iter().flat_map(|server| &server.differences);
    all.map(|difference| event(EventKind::ServerCounts, difference.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_and_views_are_not_counted_twice() {
        let names = ["sda", "sda1", "nvme0n1", "nvme0n1p2", "loop3", "dm-0", "vda"];
        let whole: Vec<&str> = names.into_iter().filter(|name| is_drive(name, &names)).collect();
        assert_eq!(whole, ["sda", "nvme0n1", "vda"]);
    }
}

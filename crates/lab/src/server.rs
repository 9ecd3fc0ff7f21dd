//! What a server counted of its own work, per transaction, and HammerDB's definitions beside the client's counts.

use host::Usage;
use notebook::Event;
use oltp::tpcc::RunOutcome;

use crate::metrics::Metrics;

/// Metrics from the server's counters over the measure phase, and from the host's drives under it. Nothing for the embedded engine.
pub(crate) fn figures(metrics: &mut Metrics, outcome: &RunOutcome, usage: Option<&Usage>) {
    let Some(server) = &outcome.server else { return };
    metrics.add("server_tpm", server.tpm, "1/min");
    metrics.add("server_nopm", server.nopm, "1/min");
    let transactions = (outcome.completed() as f64).max(1.0);
    let grown = |name: &str| Some(server.after.get(name)? - server.before.get(name)?);
    if let (Some(hits), Some(reads)) = (grown("buffer_hits"), grown("buffer_reads"))
        && hits + reads > 0.0
    {
        metrics.add("cache_hit_ratio", hits / (hits + reads) * 100.0, "%");
        metrics.add("buffer_reads_per_transaction", reads / transactions, "page");
    }
    for (metric, counter, unit) in [
        ("log_bytes_per_transaction", "log_bytes", "B"),
        ("log_writes_per_transaction", "log_writes", "count"),
        ("log_syncs_per_transaction", "log_syncs", "count"),
        ("log_images_per_transaction", "log_images", "page"),
        // Pages that sessions wrote themselves to make room: somebody waited for each.
        ("waited_writes_per_transaction", "buffers_backend", "page"),
        ("server_deadlocks", "deadlocks", "count"),
        ("server_checkpoints", "checkpoints", "count"),
    ] {
        let per = if metric.ends_with("_per_transaction") { transactions } else { 1.0 };
        metrics.add(metric, grown(counter).map_or(f64::NAN, |value| value / per), unit);
    }
    let cpu_us = grown("processor_ms").map_or(f64::NAN, |ms| ms * 1e3 / transactions);
    metrics.add("server_cpu_per_transaction", cpu_us, "us");
    drives(metrics, usage, transactions);
}

/// What reached the drives in the measure phase, altogether and for each transaction, from the host's counters. The host's drives, all of them: a server's files may lie on several, and other programs' I/O is in it.
pub(crate) fn drives(metrics: &mut Metrics, usage: Option<&Usage>, transactions: f64) {
    let Some(usage) = usage else { return };
    let names: Vec<&str> = usage.disks.iter().map(|disk| disk.name.as_str()).collect();
    let whole = || usage.disks.iter().filter(|disk| is_drive(&disk.name, &names));
    let sum = |of: fn(&host::DiskUsage) -> u64| whole().map(of).sum::<u64>() as f64 / transactions;
    let (reads, writes) = (sum(|d| d.reads), sum(|d| d.writes));
    let (read_bytes, written_bytes) = (sum(|d| d.read_bytes), sum(|d| d.write_bytes));
    metrics.add("written_bytes", written_bytes * transactions, "B");
    metrics.add("ios_per_transaction", reads + writes, "I/O");
    metrics.add("reads_per_transaction", reads, "I/O");
    metrics.add("writes_per_transaction", writes, "I/O");
    metrics.add("bytes_per_transaction", read_bytes + written_bytes, "B");
    metrics.add("read_bytes_per_transaction", read_bytes, "B");
    metrics.add("written_bytes_per_transaction", written_bytes, "B");
}

/// Whether it is a drive of its own: a loop or mapped device is a view of another one, and a partition is a part of one, both counted there.
pub(crate) fn is_drive(name: &str, all: &[&str]) -> bool {
    let view = ["loop", "dm-", "ram", "zram", "md"].iter().any(|prefix| name.starts_with(prefix));
    let part = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let parent = |candidate: &str| candidate != name && all.contains(&candidate);
    let is_part = parent(part) || (part.ends_with('p') && parent(part.trim_end_matches('p')));
    !(view || is_part)
}

/// Where the server's counts differ from the client's, in words.
pub(crate) fn note(outcome: &RunOutcome) -> Option<Event> {
    let server = outcome.server.as_ref().filter(|server| !server.note.is_empty())?;
    Some(Event { kind: "server-counts".to_owned(), count: 1, message: server.note.clone() })
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

//! Latencies and the statistics that are kept of them. All are milliseconds.

use super::Metric;
use crate::word::words;

words! {
    /// A latency by the beginning of its metrics' names.
    pub enum Latency {
        /// From the intended start of whatever the workload asks to its answer.
        Answer = "latency",
        /// Of new orders.
        NewOrder = "new_order_latency",
        /// Of payments.
        Payment = "payment_latency",
        /// Of order-status transactions.
        OrderStatus = "order_status_latency",
        /// Of delivery transactions.
        Delivery = "delivery_latency",
        /// Of stock-level transactions.
        StockLevel = "stock_level_latency",
        /// From the actual start to the answer.
        Service = "service",
        /// Of reads.
        Read = "read_latency",
        /// Of writes.
        Write = "write_latency",
        /// Of discards.
        Discard = "discard_latency",
        /// Of flushes.
        Flush = "flush_latency",
        /// Of reads inside the bursts of another stream.
        ReadInsideBursts = "read_latency_inside_bursts",
        /// Of reads between the bursts of another stream.
        ReadBetweenBursts = "read_latency_between_bursts",
        /// Of writes inside the bursts of another stream.
        WriteInsideBursts = "write_latency_inside_bursts",
        /// Of writes between the bursts of another stream.
        WriteBetweenBursts = "write_latency_between_bursts",
        /// By how much I/Os were started later than intended.
        Lag = "lag",
        /// By how much transactions were started later than intended.
        Lateness = "lateness",
        /// Waiting for a connection of the pool.
        PoolWait = "pool_wait",
        /// Waiting for the lock that lets one writer in.
        LockWait = "lock_wait",
        /// Of commits.
        Commit = "commit_latency",
        /// Of reads at the drive.
        DriveRead = "drive_read_latency",
        /// Of writes at the drive.
        DriveWrite = "drive_write_latency",
        /// Of syncs at the drive.
        DriveSync = "drive_sync_latency",
        /// Of a backup's transfers.
        BackupTransfer = "backup_latency",
        /// Of a restore's transfers.
        RestoreTransfer = "restore_latency",
        /// Of all victims' I/O together.
        Baseline = "baseline_latency",
        /// Of all victims' reads together.
        BaselineRead = "baseline_read_latency",
        /// Of all victims' writes together.
        BaselineWrite = "baseline_write_latency",
    }
}

words! {
    /// The statistic of a latency: the end of the metric's name.
    pub enum Statistic {
        /// The arithmetic mean.
        Mean = "mean",
        /// The median.
        P50 = "p50",
        /// The 90th percentile.
        P90 = "p90",
        /// The 95th percentile: what sysbench and HammerDB report.
        P95 = "p95",
        /// The 99th percentile.
        P99 = "p99",
        /// The 99.9th percentile.
        P999 = "p999",
        /// The 99.99th percentile.
        P9999 = "p9999",
        /// The 99.999th percentile.
        P99999 = "p99999",
        /// The longest.
        Max = "max",
        /// The standard deviation, as pgbench reports it.
        Stddev = "stddev",
        /// The number of samples.
        Count = "count",
    }
}

impl Latency {
    pub(super) fn metric_name(self, statistic: Statistic) -> String {
        format!("{}_{}", self.name(), statistic.name())
    }

    pub(super) fn metric_of(name: &str) -> Option<Metric> {
        let (of, statistic) = name.rsplit_once('_')?;
        Some(Metric::Latency(Latency::of(of)?, Statistic::of(statistic)?))
    }
}

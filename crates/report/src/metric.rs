//! What the report knows of each metric: its words, its unit on paper, which direction is better and which
//! axis suits it.
//!
//! The names are those of the notebook; a metric that is not listed here is stored and exported, but not
//! drawn.

mod operations;

use measure::Direction;

/// How the value axis of a figure is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    /// From zero to a round number.
    FromZero,
    /// Zero to one hundred.
    Percent,
    /// Logarithmic when the values span more than [`LOG_AXIS_FROM`], else from zero.
    LogWhenWide,
}

/// A latency axis becomes logarithmic when its largest value is this many times its smallest.
pub(crate) const LOG_AXIS_FROM: f64 = 12.0;

/// One metric as it is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Metric {
    /// Name in the notebook.
    pub(crate) name: &'static str,
    /// Short name for tables: `NOPM`, `p99`.
    pub(crate) short: &'static str,
    /// Title of its figure and its name in prose: `New orders per minute`.
    pub(crate) title: &'static str,
    /// Unit in tables and after numbers: `ms`.
    pub(crate) unit: &'static str,
    /// What the axis says.
    pub(crate) axis_label: &'static str,
    /// Which direction is better; `None` where neither is in itself.
    pub(crate) direction: Option<Direction>,
    /// How its axis is laid out.
    pub(crate) axis: Axis,
}

const HIGHER: Option<Direction> = Some(Direction::HigherIsBetter);
const LOWER: Option<Direction> = Some(Direction::LowerIsBetter);

const fn metric(
    name: &'static str,
    short: &'static str,
    title: &'static str,
    (unit, axis_label): (&'static str, &'static str),
    direction: Option<Direction>,
    axis: Axis,
) -> Metric {
    Metric { name, short, title, unit, axis_label, direction, axis }
}

/// Every metric that the report shows, in the order of tables.
static METRICS: &[Metric] = &[
    metric(
        "nopm",
        "NOPM",
        "New orders per minute",
        ("1/min", "new orders per minute"),
        HIGHER,
        Axis::FromZero,
    ),
    metric(
        "tpm",
        "TPM",
        "Transactions per minute",
        ("1/min", "transactions per minute"),
        HIGHER,
        Axis::FromZero,
    ),
    metric(
        "tpm_per_user",
        "TPM per user",
        "Transactions per minute and user",
        ("1/min", "transactions per minute and user"),
        None,
        Axis::FromZero,
    ),
    metric(
        "tpm_batches",
        "TPM (batch requests)",
        "Batch requests per minute",
        ("1/min", "batch requests per minute"),
        HIGHER,
        Axis::FromZero,
    ),
    metric(
        "tpm_batches_per_user",
        "TPM per user (batch requests)",
        "Batch requests per minute and user",
        ("1/min", "batch requests per minute and user"),
        None,
        Axis::FromZero,
    ),
    metric(
        "tps",
        "TPS",
        "Transactions per second",
        ("1/s", "transactions per second"),
        HIGHER,
        Axis::FromZero,
    ),
    metric("qps", "QPS", "Statements per second", ("1/s", "statements per second"), HIGHER, Axis::FromZero),
    metric(
        "iops",
        "IOPS",
        "I/O operations per second",
        ("1/s", "I/O operations per second"),
        HIGHER,
        Axis::FromZero,
    ),
    metric("read_iops", "read IOPS", "Reads per second", ("1/s", "reads per second"), HIGHER, Axis::FromZero),
    metric(
        "write_iops",
        "write IOPS",
        "Writes per second",
        ("1/s", "writes per second"),
        HIGHER,
        Axis::FromZero,
    ),
    metric("bandwidth", "bandwidth", "Bandwidth", ("MB/s", "MB per second"), HIGHER, Axis::FromZero),
    metric("latency_mean", "mean", "Mean latency", ("ms", "ms"), LOWER, Axis::LogWhenWide),
    metric("latency_p50", "p50", "Median latency", ("ms", "ms"), LOWER, Axis::LogWhenWide),
    metric("latency_p90", "p90", "p90 latency", ("ms", "ms"), LOWER, Axis::LogWhenWide),
    metric("latency_p99", "p99", "p99 latency", ("ms", "ms"), LOWER, Axis::LogWhenWide),
    metric("latency_p999", "p99.9", "p99.9 latency", ("ms", "ms"), LOWER, Axis::LogWhenWide),
    metric(
        "new_order_latency_mean",
        "new-order mean",
        "Mean new-order latency",
        ("ms", "ms"),
        LOWER,
        Axis::LogWhenWide,
    ),
    metric(
        "new_order_latency_p99",
        "new-order p99",
        "p99 new-order latency",
        ("ms", "ms"),
        LOWER,
        Axis::LogWhenWide,
    ),
    metric("service_p99", "service p99", "p99 service time", ("ms", "ms"), LOWER, Axis::LogWhenWide),
    metric("cpu_idle", "CPU idle", "CPU idle", ("%", "% of CPU time"), None, Axis::Percent),
    metric("cpu_iowait", "CPU iowait", "CPU waiting for I/O", ("%", "% of CPU time"), None, Axis::Percent),
    metric("cpu_per_io", "CPU per I/O", "Client CPU per I/O", ("ns", "ns"), LOWER, Axis::FromZero),
    metric(
        "ios_per_transaction",
        "I/O per tx",
        "I/O per transaction",
        ("I/O", "I/O per transaction"),
        LOWER,
        Axis::FromZero,
    ),
    metric(
        "reads_per_transaction",
        "reads per tx",
        "Reads per transaction",
        ("I/O", "reads"),
        LOWER,
        Axis::FromZero,
    ),
    metric(
        "writes_per_transaction",
        "writes per tx",
        "Writes per transaction",
        ("I/O", "writes"),
        LOWER,
        Axis::FromZero,
    ),
    metric(
        "bytes_per_transaction",
        "bytes per tx",
        "Bytes per transaction",
        ("B", "bytes per transaction"),
        LOWER,
        Axis::FromZero,
    ),
    metric(
        "read_bytes_per_transaction",
        "bytes read per tx",
        "Bytes read per transaction",
        ("B", "bytes"),
        LOWER,
        Axis::FromZero,
    ),
    metric(
        "written_bytes_per_transaction",
        "bytes written per tx",
        "Bytes written per transaction",
        ("B", "bytes"),
        LOWER,
        Axis::FromZero,
    ),
    metric(
        "log_bytes_per_transaction",
        "log bytes per tx",
        "Log bytes per transaction",
        ("B", "bytes"),
        LOWER,
        Axis::FromZero,
    ),
    metric(
        "buffer_reads_per_transaction",
        "pool misses per tx",
        "Pages that the buffer pool did not hold, per transaction",
        ("pages", "pages per transaction"),
        LOWER,
        Axis::FromZero,
    ),
    metric("cache_hit_ratio", "cache hits", "Cache hit ratio", ("%", "% of page reads"), None, Axis::Percent),
    metric("drive_busy", "drive busy", "Drive busy", ("%", "% of time"), None, Axis::Percent),
    metric("late_completions", "late", "Late completions", ("%", "% of I/O"), LOWER, Axis::FromZero),
    metric(
        "client_cpu_per_transaction",
        "client CPU per tx",
        "Client CPU per transaction",
        ("us", "us"),
        LOWER,
        Axis::FromZero,
    ),
    metric("commit_latency_mean", "commit mean", "Mean commit", ("ms", "ms"), LOWER, Axis::LogWhenWide),
    metric("commit_latency_p99", "commit p99", "p99 commit", ("ms", "ms"), LOWER, Axis::LogWhenWide),
    metric("lock_wait_mean", "lock wait", "Mean lock wait", ("ms", "ms"), LOWER, Axis::LogWhenWide),
    metric("errors", "errors", "Errors", ("", "errors"), LOWER, Axis::FromZero),
    metric(
        "orders_acknowledged",
        "acknowledged",
        "Orders acknowledged before the crash",
        ("", "orders acknowledged"),
        None,
        Axis::FromZero,
    ),
    metric("orders_lost", "lost", "Acknowledged orders lost", ("", "orders lost"), LOWER, Axis::FromZero),
    metric(
        "conditions_violated",
        "conditions violated",
        "Consistency conditions violated",
        ("", "conditions"),
        LOWER,
        Axis::FromZero,
    ),
    metric("recovery_s", "recovery", "Time to recover", ("s", "seconds"), LOWER, Axis::FromZero),
];

/// The metric of this name, if the report knows it.
pub(crate) fn find(name: &str) -> Option<&'static Metric> {
    METRICS.iter().chain(operations::METRICS).find(|metric| metric.name == name)
}

/// What kind of workload a set of cells ran; decides which metrics are primary and which figures are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Order entry derived from TPC-C.
    Transactions,
    /// sysbench's tests: their tables and statements are others, so their transactions are never compared with order entry.
    Sysbench,
    /// Block load.
    Block,
    /// Crashes under load: a promise is kept or it is not, and nothing is compared.
    Durability,
    /// Backup and restore.
    Backup,
    /// Scans against lookups.
    Scan,
    /// Cold scans of fragmented files.
    Fragmentation,
    /// Databases beside a noisy neighbour.
    Neighbour,
}

impl Kind {
    /// The metric of the answer sentence: what the system under test completed.
    pub(crate) fn throughput(self) -> &'static str {
        match self {
            Kind::Transactions => "nopm",
            Kind::Sysbench => "tps",
            Kind::Block => "iops",
            Kind::Durability => "orders_acknowledged",
            Kind::Backup => "backup_bandwidth",
            Kind::Scan => "lookup_cold_time",
            Kind::Fragmentation => "cold_scan_time",
            Kind::Neighbour => "nopm",
        }
    }

    /// Metrics declared before the run; the verdict stands on these alone.
    pub(crate) fn primary(self) -> &'static [&'static str] {
        match self {
            Kind::Transactions => &["nopm", "latency_p99"],
            Kind::Sysbench => &["tps", "latency_p99"],
            Kind::Block => &["iops", "latency_p99"],
            Kind::Durability => &[],
            Kind::Backup => &["backup_bandwidth", "restore_bandwidth"],
            Kind::Scan => &["lookup_cold_time", "scan_cold_time"],
            Kind::Fragmentation => &["cold_scan_time"],
            Kind::Neighbour => &["nopm", "latency_p99"],
        }
    }

    /// Metrics compared besides, corrected for their number.
    pub(crate) fn exploratory(self) -> &'static [&'static str] {
        match self {
            Kind::Transactions => &[
                "tpm",
                "latency_mean",
                "new_order_latency_p99",
                "ios_per_transaction",
                "reads_per_transaction",
                "bytes_per_transaction",
                "buffer_reads_per_transaction",
            ],
            Kind::Sysbench => &["qps", "latency_mean", "latency_p50", "client_cpu_per_transaction"],
            Kind::Block => &["bandwidth", "latency_mean", "latency_p50", "cpu_per_io"],
            Kind::Durability | Kind::Backup | Kind::Scan | Kind::Fragmentation | Kind::Neighbour => &[],
        }
    }
}

/// Whether the smallest effect of latency (rather than of throughput) applies to a metric.
pub(crate) fn is_latency(name: &str) -> bool {
    name.contains("latency") || name.starts_with("service") || name.contains("wait")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Kind; 8] = [
        Kind::Transactions,
        Kind::Sysbench,
        Kind::Block,
        Kind::Durability,
        Kind::Backup,
        Kind::Scan,
        Kind::Fragmentation,
        Kind::Neighbour,
    ];

    #[test]
    fn every_compared_metric_is_known_and_has_a_direction() {
        for kind in ALL {
            for name in kind.primary().iter().chain(kind.exploratory()) {
                let metric = find(name).unwrap_or_else(|| panic!("{name} is not in the table"));
                assert!(metric.direction.is_some(), "{name} has no direction");
            }
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> =
            METRICS.iter().chain(operations::METRICS).map(|metric| metric.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), METRICS.len() + operations::METRICS.len());
    }
}

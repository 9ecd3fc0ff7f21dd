//! What the report knows of each metric: its words, its unit on paper, which direction is better and which
//! axis suits it.
//!
//! The names are those of the notebook; a metric that is not listed in `metric/table.md` is stored and
//! exported, but not drawn.

use std::sync::LazyLock;

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

/// Every metric that the report shows, in the order of tables.
static METRICS: LazyLock<Vec<Metric>> = LazyLock::new(|| rows(include_str!("metric/table.md")));

/// The rows of the Markdown tables in `text`, which is ours: a row that cannot be read is a mistake of whoever wrote it.
fn rows(text: &'static str) -> Vec<Metric> {
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    text.lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| name in"))
        .map(|line| row(&cells(line)).unwrap_or_else(|| panic!("metric/table.md: cannot read `{line}`")))
        .collect()
}

fn row(cells: &[&'static str]) -> Option<Metric> {
    let &[name, short, title, unit, axis_label, better, axis] = cells else { return None };
    let direction = match better {
        "higher" => Some(Direction::HigherIsBetter),
        "lower" => Some(Direction::LowerIsBetter),
        "neither" => None,
        _ => return None,
    };
    let axis = match axis {
        "zero" => Axis::FromZero,
        "percent" => Axis::Percent,
        "log" => Axis::LogWhenWide,
        _ => return None,
    };
    Some(Metric { name, short, title, unit, axis_label, direction, axis })
}

/// The metric of this name, if the report knows it.
pub(crate) fn find(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name == name)
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

/// Whether a metric is a latency.
pub(crate) fn is_latency(name: &str) -> bool {
    name.contains("latency") || name.starts_with("service") || name.contains("wait")
}

/// The key of `smallest_effect` that applies to a metric of a workload.
pub(crate) fn effect_key(kind: Kind, name: &str) -> &'static str {
    if is_latency(name) {
        return "p99";
    }
    match kind {
        Kind::Transactions | Kind::Neighbour | Kind::Durability => "nopm",
        Kind::Sysbench => "tps",
        Kind::Block => "iops",
        Kind::Backup | Kind::Scan | Kind::Fragmentation => "time",
    }
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
        let mut names: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), METRICS.len());
    }
}

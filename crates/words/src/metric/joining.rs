//! The way in which a fleet has a metric from the figures of its hosts.

use super::{Latency, Metric, ReadFigure, Statistic};

/// The way in which the figure of a fleet comes from the figures of its hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joining {
    /// Work and counts: the sum.
    Sum,
    /// Times until something was over, and peaks: the largest.
    Largest,
    /// Yes or no, true if all say so: the smallest.
    Smallest,
    /// Shares of a machine: the mean of the machines.
    Mean,
    /// A figure per piece of work: the mean, weighted by this metric.
    Weighted(Metric),
    /// Of a latency: from the merged histogram.
    FromHistogram(Latency, Statistic),
    /// A figure of the whole server that all ranks load: that of the first rank, which watches the server.
    OfServer,
    /// The same, per transaction of the first rank, and to be one per transaction of all.
    OfServerPerTransaction,
    /// It has no meaning for the fleet; each rank's notebook has it.
    Absent,
}

/// The column of a row: the joining by what the metric counts.
pub(super) enum OfHosts {
    /// Work, counts, bytes and rates.
    Sum,
    /// Times until something was over, and peaks.
    Largest,
    /// Yes or no, true if all say so.
    Smallest,
    /// Shares of a machine.
    Mean,
    /// Per transaction of a host.
    PerTransaction,
    /// Transactions of a user.
    PerUser,
    /// Per I/O of a host.
    PerIo,
    /// Per action of a neighbour.
    PerAction,
    /// A count or rate of the server.
    ServerSum,
    /// A share of the server.
    ServerMean,
    /// Of the server, per transaction.
    ServerPerTransaction,
    /// Of one host's instances, cycles, search or clock, or of loads that no fleet has.
    Absent,
}

impl OfHosts {
    /// The joining; `shares` for a bed that all ranks load together.
    const fn joining(self, shares: bool) -> Joining {
        match self {
            OfHosts::ServerSum | OfHosts::ServerMean if shares => Joining::OfServer,
            OfHosts::ServerPerTransaction if shares => Joining::OfServerPerTransaction,
            OfHosts::Sum | OfHosts::ServerSum => Joining::Sum,
            OfHosts::Largest => Joining::Largest,
            OfHosts::Smallest => Joining::Smallest,
            OfHosts::Mean | OfHosts::ServerMean => Joining::Mean,
            OfHosts::PerTransaction | OfHosts::ServerPerTransaction | OfHosts::PerUser => {
                Joining::Weighted(Metric::Tpm)
            }
            OfHosts::PerIo => Joining::Weighted(Metric::Iops),
            OfHosts::PerAction => Joining::Weighted(Metric::NeighbourActions),
            OfHosts::Absent => Joining::Absent,
        }
    }
}

impl Metric {
    /// The way in which a fleet has the metric; `shares` for a bed that all ranks load together.
    pub fn joining(self, shares: bool) -> Joining {
        match (super::table::row(self), self) {
            (Some((.., of_hosts)), _) => of_hosts.joining(shares),
            (None, Metric::Latency(latency, statistic)) => Joining::FromHistogram(latency, statistic),
            (None, Metric::Read(_, ReadFigure::Time | ReadFigure::Cpu)) => Joining::Largest,
            (None, _) => Joining::Sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unit;

    #[test]
    fn no_ratio_percentile_or_mean_is_summed() {
        let is_ratio = |metric: &Metric| {
            let (name, unit) = (metric.name(), metric.unit());
            let of_name = ["_per_", "_ratio", "_share", "_over_", "_mean", "fairness", "precision"];
            let of_unit = [Unit::Percent, Unit::Times, Unit::Index, Unit::Flag];
            metric.is_latency() || of_unit.contains(&unit) || of_name.iter().any(|part| name.contains(part))
        };
        let ratios: Vec<Metric> = Metric::all().filter(is_ratio).collect();
        assert!(ratios.contains(&Metric::LogBytesPerTransaction) && ratios.contains(&Metric::CacheHitRatio));
        for (metric, shares) in ratios.into_iter().flat_map(|metric| [(metric, false), (metric, true)]) {
            assert_ne!(metric.joining(shares), Joining::Sum, "{metric}");
        }
    }

    #[test]
    fn only_what_a_server_counts_depends_on_who_shares_it() {
        let depends = |metric: &Metric| metric.joining(false) != metric.joining(true);
        for metric in Metric::all().filter(depends) {
            let shared = metric.joining(true);
            assert!(matches!(shared, Joining::OfServer | Joining::OfServerPerTransaction), "{metric}");
        }
        assert_eq!(Metric::ServerTpm.joining(true), Joining::OfServer);
        assert_eq!(Metric::ClientCpuPerTransaction.joining(true), Joining::Weighted(Metric::Tpm));
    }
}

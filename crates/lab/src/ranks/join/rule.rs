//! The way in which the figure of a fleet comes from the figures of its hosts.

use words::{Latency, Metric, Statistic, Unit};

/// The way in which a figure is joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Work and counts: the sum.
    Sum,
    /// Times until something was over, and peaks: the largest.
    Largest,
    /// Whether all did: the smallest.
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
    None,
}

/// The rule of a metric; `shares` for a bed that all ranks load together.
pub(super) fn of(metric: Metric, shares: bool) -> Rule {
    use Metric as M;
    match metric {
        M::Latency(latency, statistic) => Rule::FromHistogram(latency, statistic),
        M::ServerTpm | M::ServerNopm | M::ServerDeadlocks | M::ServerCheckpoints if shares => Rule::OfServer,
        M::CacheHitRatio | M::DriveBusy if shares => Rule::OfServer,
        M::ServerCpuPerTransaction
        | M::IosPerTransaction
        | M::ReadsPerTransaction
        | M::WritesPerTransaction
        | M::BytesPerTransaction
        | M::ReadBytesPerTransaction
        | M::WrittenBytesPerTransaction
        | M::LogBytesPerTransaction
        | M::LogWritesPerTransaction
        | M::LogSyncsPerTransaction
        | M::LogImagesPerTransaction
        | M::WaitedWritesPerTransaction
        | M::BufferReadsPerTransaction
        | M::SyncsPerTransaction
            if shares =>
        {
            Rule::OfServerPerTransaction
        }
        M::CpuPerIo => Rule::Weighted(M::Iops),
        M::BaselineNopm | M::BaselineTpm => Rule::Mean,
        M::NeighbourActionTime => Rule::Weighted(M::NeighbourActions),
        M::TpmPerUser => Rule::Weighted(M::Tpm),
        M::BackupBandwidth | M::RestoreBandwidth | M::ColdScanBandwidth => Rule::Sum,
        // Of one host's instances, cycles or search; the fairness of the hosts is computed anew.
        M::Fairness | M::FoundDepth | M::FoundRate | M::WorstSecond | M::Precision | M::FragmentSize => {
            Rule::None
        }
        M::SteadyRounds | M::MemoryPeak => Rule::Largest,
        // Of loads that were observed: no fleet has them.
        M::WritingShare | M::ActiveClients | M::PageReadTime => Rule::None,
        _ if metric.name().ends_with("_per_transaction") => Rule::Weighted(M::Tpm),
        _ => of_unit(metric.unit()),
    }
}

fn of_unit(unit: Unit) -> Rule {
    match unit {
        Unit::PerMinute | Unit::PerSecond | Unit::MegabytesPerSecond | Unit::Count | Unit::Bytes => Rule::Sum,
        Unit::Operations | Unit::Pages | Unit::Megabytes => Rule::Sum,
        Unit::Seconds => Rule::Largest,
        Unit::Percent => Rule::Mean,
        Unit::Flag => Rule::Smallest,
        _ => Rule::None,
    }
}

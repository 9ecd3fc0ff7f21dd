//! Every metric with a name of its own: its name in a notebook, its unit and its title; those that a report
//! shows also have a short name, the text of an axis, the better direction and the layout of the axis. One
//! row each, in the order of tables.

use super::{Axis, Direction, Latency, Read, ReadFigure, Shown, Statistic};
use crate::unit::Unit;

macro_rules! direction {
    (Higher) => {
        Some(Direction::HigherIsBetter)
    };
    (Lower) => {
        Some(Direction::LowerIsBetter)
    };
    (Neither) => {
        None
    };
}

macro_rules! metrics {
    ($($Variant:ident = $name:literal, $Unit:ident, $title:literal $(, ($short:literal, $axis_label:literal, $better:ident, $Axis:ident))?;)*) => {
        /// A metric with one name, whatever cell it is of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Metric {
            $(#[doc = concat!($title, ".")] $Variant,)*
            /// A statistic of a latency.
            Latency(Latency, Statistic),
            /// A figure of a read of a table.
            Read(Read, ReadFigure),
        }

        /// The metrics that are neither of a latency nor of a read.
        pub(super) const PLAIN: &[Metric] = &[$(Metric::$Variant),*];

        /// The row of a plain metric: name, unit and title.
        pub(super) const fn row(metric: Metric) -> Option<(&'static str, Unit, &'static str)> {
            match metric {
                $(Metric::$Variant => Some(($name, Unit::$Unit, $title)),)*
                Metric::Latency(..) | Metric::Read(..) => None,
            }
        }

        fn shown_row(metric: Metric) -> Option<Shown> {
            match metric {
                $($(Metric::$Variant => Some(Shown {
                    metric,
                    short: $short,
                    title: $title,
                    unit: Unit::$Unit.shown(),
                    axis_label: $axis_label,
                    direction: direction!($better),
                    axis: Axis::$Axis,
                }),)?)*
                _ => None,
            }
        }
    };
}

#[rustfmt::skip] // One row each.
metrics! {
    Nopm = "nopm", PerMinute, "New orders per minute", ("NOPM", "new orders per minute", Higher, FromZero);
    Tpm = "tpm", PerMinute, "Transactions per minute", ("TPM", "transactions per minute", Higher, FromZero);
    TpmPerUser = "tpm_per_user", PerMinute, "Transactions per minute and user", ("TPM per user", "transactions per minute and user", Neither, FromZero);
    TpmBatches = "tpm_batches", PerMinute, "Batch requests per minute", ("TPM (batch requests)", "batch requests per minute", Higher, FromZero);
    TpmBatchesPerUser = "tpm_batches_per_user", PerMinute, "Batch requests per minute and user", ("TPM per user (batch requests)", "batch requests per minute and user", Neither, FromZero);
    Tps = "tps", PerSecond, "Transactions per second", ("TPS", "transactions per second", Higher, FromZero);
    Qps = "qps", PerSecond, "Statements per second", ("QPS", "statements per second", Higher, FromZero);
    Iops = "iops", PerSecond, "I/O operations per second", ("IOPS", "I/O operations per second", Higher, FromZero);
    ReadIops = "read_iops", PerSecond, "Reads per second", ("read IOPS", "reads per second", Higher, FromZero);
    WriteIops = "write_iops", PerSecond, "Writes per second", ("write IOPS", "writes per second", Higher, FromZero);
    Bandwidth = "bandwidth", MegabytesPerSecond, "Bandwidth", ("bandwidth", "MB per second", Higher, FromZero);
    CpuIdle = "cpu_idle", Percent, "CPU idle", ("CPU idle", "% of CPU time", Neither, Percent);
    CpuIowait = "cpu_iowait", Percent, "CPU waiting for I/O", ("CPU iowait", "% of CPU time", Neither, Percent);
    CpuOthers = "cpu_others", Percent, "CPU taken by other programs", ("other programs", "% of CPU time", Neither, Percent);
    CpuPerIo = "cpu_per_io", Nanoseconds, "Client CPU per I/O", ("CPU per I/O", "ns", Lower, FromZero);
    IosPerTransaction = "ios_per_transaction", Operations, "I/O per transaction", ("I/O per tx", "I/O per transaction", Lower, FromZero);
    ReadsPerTransaction = "reads_per_transaction", Operations, "Reads per transaction", ("reads per tx", "reads", Lower, FromZero);
    WritesPerTransaction = "writes_per_transaction", Operations, "Writes per transaction", ("writes per tx", "writes", Lower, FromZero);
    BytesPerTransaction = "bytes_per_transaction", Bytes, "Bytes per transaction", ("bytes per tx", "bytes per transaction", Lower, FromZero);
    ReadBytesPerTransaction = "read_bytes_per_transaction", Bytes, "Bytes read per transaction", ("bytes read per tx", "bytes", Lower, FromZero);
    WrittenBytesPerTransaction = "written_bytes_per_transaction", Bytes, "Bytes written per transaction", ("bytes written per tx", "bytes", Lower, FromZero);
    LogBytesPerTransaction = "log_bytes_per_transaction", Bytes, "Log bytes per transaction", ("log bytes per tx", "bytes", Lower, FromZero);
    BufferReadsPerTransaction = "buffer_reads_per_transaction", Pages, "Pages that the buffer pool did not hold, per transaction", ("pool misses per tx", "pages per transaction", Lower, FromZero);
    CacheHitRatio = "cache_hit_ratio", Percent, "Cache hit ratio", ("cache hits", "% of page reads", Neither, Percent);
    DriveBusy = "drive_busy", Percent, "Drive busy", ("drive busy", "% of time", Neither, Percent);
    LateCompletions = "late_completions", Percent, "I/O later than the drive model", ("later than the drive", "% of I/O", Lower, FromZero);
    ClientCpuPerTransaction = "client_cpu_per_transaction", Microseconds, "Client CPU per transaction", ("client CPU per tx", "us", Lower, FromZero);
    Errors = "errors", Count, "Errors", ("errors", "errors", Lower, FromZero);
    RequestsDue = "requests_due", Count, "Requests that were due", ("requests", "requests", Neither, FromZero);
    RequestsAnsweredLate = "requests_answered_late", Count, "Requests answered after the measure phase", ("answered late", "requests", Neither, FromZero);
    RequestsUnfinished = "requests_unfinished", Count, "Requests without an answer at the drain limit", ("unfinished", "requests", Lower, FromZero);
    RequestsUnknown = "requests_unknown", Count, "Requests whose connection died", ("unknown", "requests", Lower, FromZero);
    LongestGap = "longest_gap", Seconds, "Longest time without any answer", ("longest gap", "s", Lower, FromZero);
    StoodStill = "stood_still", Seconds, "Time without an answer while requests waited", ("stood still", "s", Lower, FromZero);
    OrdersAcknowledged = "orders_acknowledged", Count, "Orders acknowledged before the crash", ("acknowledged", "orders acknowledged", Neither, FromZero);
    OrdersLost = "orders_lost", Count, "Acknowledged orders lost", ("lost", "orders lost", Lower, FromZero);
    ConditionsViolated = "conditions_violated", Count, "Consistency conditions violated", ("conditions violated", "conditions", Lower, FromZero);
    RecoveryTime = "recovery_time", Seconds, "Time to recover", ("recovery", "seconds", Lower, FromZero);
    BackupTime = "backup_time", Seconds, "Time of a backup", ("backup", "seconds", Lower, FromZero);
    RestoreTime = "restore_time", Seconds, "Time of a restore", ("restore", "seconds", Lower, FromZero);
    BackupBandwidth = "backup_bandwidth", MegabytesPerSecond, "Database backed up per second", ("backup rate", "MB of the database per second", Higher, FromZero);
    RestoreBandwidth = "restore_bandwidth", MegabytesPerSecond, "Database restored per second", ("restore rate", "MB of the database per second", Higher, FromZero);
    ProvenRestores = "proven_restores", Count, "Proven restores", ("proven", "restores", Higher, FromZero);
    Cycles = "cycles", Count, "Cycles", ("cycles", "cycles", Neither, FromZero);
    NopmUnderBackup = "nopm_under_backup", PerMinute, "New orders during backups", ("NOPM meanwhile", "new orders per minute", Higher, FromZero);
    LookupOverScanCold = "lookup_over_scan_cold", Times, "Cold lookups in times of a scan", ("lookup / scan, cold", "times the scan", Lower, LogWhenWide);
    ColdScanTime = "cold_scan_time", Seconds, "Time of a cold scan of the file", ("cold scan", "seconds", Lower, FromZero);
    Fragments = "fragments", Count, "Fragments of the table's files", ("fragments", "pieces", Neither, FromZero);
    FragmentSize = "fragment_size", Kibibytes, "Mean size of a piece", ("mean piece", "KiB", Neither, FromZero);
    Fairness = "fairness", Index, "Fairness among victims (Jain)", ("fairness", "index", Higher, FromZero);
    NeighbourRate = "neighbour_rate", MegabytesPerSecond, "The neighbour's own progress", ("neighbour", "MB per second", Neither, FromZero);
    NeighbourRecoveryTime = "neighbour_recovery_time", Seconds, "Recovery after a neighbour's action", ("recovery", "seconds", Lower, FromZero);
    BaselineNopm = "baseline_nopm", PerMinute, "New orders of a victim, all together", ("NOPM of a victim", "new orders per minute", Higher, FromZero);
    BaselineTpm = "baseline_tpm", PerMinute, "Transactions of a victim, all together", ("TPM of a victim", "transactions per minute", Neither, FromZero);
    BaselineTpmBatches = "baseline_tpm_batches", PerMinute, "Batch requests of a victim, all together", ("TPM of a victim (batch requests)", "batch requests per minute", Neither, FromZero);
    BaselineReadIops = "baseline_read_iops", PerSecond, "Reads of all victims together", ("reads, all together", "reads per second", Neither, FromZero);
    BaselineWriteIops = "baseline_write_iops", PerSecond, "Writes of all victims together", ("writes, all together", "writes per second", Neither, FromZero);
    WrittenBytes = "written_bytes", Bytes, "Written to the drive", ("written", "bytes", Neither, FromZero);

    // Kept and exported, not shown.
    NopmWithRollbacks = "nopm_with_rollbacks", PerMinute, "New orders per minute, rolled-back ones included";
    TpmWithRollbacks = "tpm_with_rollbacks", PerMinute, "Transactions per minute, rolled-back ones included";
    Retries = "retries", Count, "Transactions that were tried again";
    Rollbacks = "rollbacks", Count, "Transactions that rolled back as the input asked";
    Reconnects = "reconnects", Count, "Connections made anew";
    ConnectionsLost = "connections_lost", Count, "Connections lost";
    Instances = "instances", Count, "Instances under load together";
    WorstSecond = "worst_second", PerMinute, "Transactions per minute in the worst second of a hundred";
    EngineCpuPerTransaction = "engine_cpu_per_transaction", Microseconds, "CPU of the embedded engine per transaction";
    OwnCpuPerTransaction = "own_cpu_per_transaction", Microseconds, "CPU of this program per transaction";
    ServerCpuPerTransaction = "server_cpu_per_transaction", Microseconds, "CPU of the server per transaction";
    SyncsPerTransaction = "syncs_per_transaction", Count, "Syncs per transaction";
    DriveReadDelay = "drive_read_delay_mean", Milliseconds, "Mean time by which reads came later than the model";
    DriveWriteDelay = "drive_write_delay_mean", Milliseconds, "Mean time by which writes came later than the model";
    DriveSyncDelay = "drive_sync_delay_mean", Milliseconds, "Mean time by which syncs came later than the model";
    CpuUser = "cpu_user", Percent, "CPU in programs";
    CpuSystem = "cpu_system", Percent, "CPU in the kernel";
    CpuSteal = "cpu_steal", Percent, "CPU taken by other guests of the hypervisor";
    OwnCpu = "own_cpu", Percent, "CPU of this program";
    ServerTpm = "server_tpm", PerMinute, "Transactions per minute by the server's own count";
    ServerNopm = "server_nopm", PerMinute, "New orders per minute by the server's own count";
    ServerDeadlocks = "server_deadlocks", Count, "Deadlocks by the server's own count";
    ServerCheckpoints = "server_checkpoints", Count, "Checkpoints by the server's own count";
    LogWritesPerTransaction = "log_writes_per_transaction", Count, "Log writes per transaction";
    LogSyncsPerTransaction = "log_syncs_per_transaction", Count, "Log syncs per transaction";
    LogImagesPerTransaction = "log_images_per_transaction", Pages, "Whole pages in the log per transaction";
    WaitedWritesPerTransaction = "waited_writes_per_transaction", Pages, "Pages that sessions wrote themselves, per transaction";
    ReadBytes = "read_bytes", Bytes, "Read from the drive";
    Reads = "reads", Operations, "Reads at the drive";
    Writes = "writes", Operations, "Writes at the drive";
    DriveReads = "drive_reads", PerSecond, "Reads at the drive per second";
    DriveWrites = "drive_writes", PerSecond, "Writes at the drive per second";
    ReadBandwidth = "read_bandwidth", MegabytesPerSecond, "Read from the drive per second";
    WriteBandwidth = "write_bandwidth", MegabytesPerSecond, "Written to the drive per second";
    CellWrittenBytes = "cell_written_bytes", Bytes, "Written by the drive to its cells, by its count of host writes";
    CellWrittenBytesByLog = "cell_written_bytes_by_drive_log", Bytes, "Written by the drive to its cells, by its own log";
    HeldBackTime = "held_back_time", Seconds, "Time for which a limit held instances back";
    MemoryPeak = "memory_peak", Megabytes, "Most memory of an instance under a limit";
    ResetTime = "reset_time", Seconds, "Time of the reset before the cell";
    IopsAsked = "iops_asked", PerSecond, "I/O operations per second that were asked for";
    DiscardIops = "discard_iops", PerSecond, "Discards per second";
    BurstShare = "burst_share", Percent, "Share of the time inside bursts";
    ReadIopsInsideBursts = "read_iops_inside_bursts", PerSecond, "Reads per second inside bursts";
    ReadIopsBetweenBursts = "read_iops_between_bursts", PerSecond, "Reads per second between bursts";
    WriteIopsInsideBursts = "write_iops_inside_bursts", PerSecond, "Writes per second inside bursts";
    WriteIopsBetweenBursts = "write_iops_between_bursts", PerSecond, "Writes per second between bursts";
    SteadyAttained = "steady_attained", Flag, "1 where the steady state was reached";
    SteadyRounds = "steady_rounds", Count, "Rounds until the steady state";
    FoundDepth = "found_depth", Operations, "Queue depth that a search found";
    FoundRate = "found_rate", PerSecond, "Rate that a search found";
    SimulatedTime = "simulated_time", Seconds, "Virtual time that was measured";
    Precision = "precision", Percent, "Half width of the 95 % interval of a simulated rate";
    DatabaseSize = "database_size", Megabytes, "Size of the database";
    BackupSize = "backup_size", Megabytes, "Size of a backup";
    BackupRate = "backup_rate", MegabytesPerSecond, "Copied by a backup or restore per second";
    VerifyTime = "verify_time", Seconds, "Time to verify a backup";
    ProofTime = "proof_time", Seconds, "Time to prove a restore";
    CyclesAsked = "cycles_asked", Count, "Cycles that were asked for";
    TpmUnderBackup = "tpm_under_backup", PerMinute, "Transactions during backups";
    ColdScanBandwidth = "cold_scan_bandwidth", MegabytesPerSecond, "Scanned per second from a cold cache";
    FragmentsAsCopied = "fragments_as_copied", Count, "Fragments before the file was laid out";
    Extents = "extents", Count, "Extents of the table's files";
    RowsAsked = "rows_asked", Count, "Rows that the query asks for";
    LookupColdLost = "lookup_cold_lost", Seconds, "Time after which cold lookups were ended, as the scan had won";
    LookupWarmLost = "lookup_warm_lost", Seconds, "Time after which warm lookups were ended, as the scan had won";
    LookupOverScanWarm = "lookup_over_scan_warm", Times, "Warm lookups in times of a scan";
    NeighbourActions = "neighbour_deeds", Count, "Actions that the neighbour finished";
    NeighbourActionTime = "neighbour_deed_time", Seconds, "Time of one of the neighbour's actions";
    NeighbourNopm = "neighbour_nopm", PerMinute, "The neighbour's own new orders";
    Victims = "victims", Count, "Databases under load";
}

macro_rules! shown {
    ($($Of:ident::$Variant:ident($which:path, $what:path), $unit:path, $title:literal = ($short:literal, $axis_label:literal, $better:ident, $Axis:ident);)*) => {
        fn shown_of_families(metric: Metric) -> Option<Shown> {
            match metric {
                $($Of::$Variant($which, $what) => Some(Shown {
                    metric,
                    short: $short,
                    title: $title,
                    unit: $unit.shown(),
                    axis_label: $axis_label,
                    direction: direction!($better),
                    axis: Axis::$Axis,
                }),)*
                _ => None,
            }
        }
    };
}

#[rustfmt::skip] // One row each.
shown! {
    Metric::Latency(Latency::Answer, Statistic::Mean), Unit::Milliseconds, "Mean latency" = ("mean", "ms", Lower, LogWhenWide);
    Metric::Latency(Latency::Answer, Statistic::P50), Unit::Milliseconds, "Median latency" = ("p50", "ms", Lower, LogWhenWide);
    Metric::Latency(Latency::Answer, Statistic::P90), Unit::Milliseconds, "p90 latency" = ("p90", "ms", Lower, LogWhenWide);
    Metric::Latency(Latency::Answer, Statistic::P99), Unit::Milliseconds, "p99 latency" = ("p99", "ms", Lower, LogWhenWide);
    Metric::Latency(Latency::Answer, Statistic::P999), Unit::Milliseconds, "p99.9 latency" = ("p99.9", "ms", Lower, LogWhenWide);
    Metric::Latency(Latency::NewOrder, Statistic::Mean), Unit::Milliseconds, "Mean new-order latency" = ("new-order mean", "ms", Lower, LogWhenWide);
    Metric::Latency(Latency::NewOrder, Statistic::P99), Unit::Milliseconds, "p99 new-order latency" = ("new-order p99", "ms", Lower, LogWhenWide);
    Metric::Latency(Latency::Service, Statistic::P99), Unit::Milliseconds, "p99 service time" = ("service p99", "ms", Lower, LogWhenWide);
    Metric::Latency(Latency::Commit, Statistic::Mean), Unit::Milliseconds, "Mean commit" = ("commit mean", "ms", Lower, LogWhenWide);
    Metric::Latency(Latency::Commit, Statistic::P99), Unit::Milliseconds, "p99 commit" = ("commit p99", "ms", Lower, LogWhenWide);
    Metric::Latency(Latency::LockWait, Statistic::Mean), Unit::Milliseconds, "Mean lock wait" = ("lock wait", "ms", Lower, LogWhenWide);
    Metric::Latency(Latency::BackupTransfer, Statistic::Mean), Unit::Milliseconds, "Mean latency of a backup's transfers" = ("backup transfer", "milliseconds", Neither, FromZero);
    Metric::Latency(Latency::RestoreTransfer, Statistic::Mean), Unit::Milliseconds, "Mean latency of a restore's transfers" = ("restore transfer", "milliseconds", Neither, FromZero);
    Metric::Latency(Latency::Baseline, Statistic::Mean), Unit::Milliseconds, "Mean latency of the victims' I/O" = ("I/O latency, all together", "milliseconds", Neither, FromZero);
    Metric::Latency(Latency::BaselineRead, Statistic::Mean), Unit::Milliseconds, "Mean latency of the victims' reads" = ("read latency, all together", "milliseconds", Neither, FromZero);
    Metric::Latency(Latency::BaselineWrite, Statistic::Mean), Unit::Milliseconds, "Mean latency of the victims' writes" = ("write latency, all together", "milliseconds", Neither, FromZero);
    Metric::Read(Read::ScanCold, ReadFigure::Time), Unit::Seconds, "Time of a cold scan" = ("scan, cold", "seconds", Lower, LogWhenWide);
    Metric::Read(Read::ScanWarm, ReadFigure::Time), Unit::Seconds, "Time of a warm scan" = ("scan, warm", "seconds", Lower, LogWhenWide);
    Metric::Read(Read::LookupCold, ReadFigure::Time), Unit::Seconds, "Time of cold lookups" = ("lookup, cold", "seconds", Lower, LogWhenWide);
    Metric::Read(Read::LookupWarm, ReadFigure::Time), Unit::Seconds, "Time of warm lookups" = ("lookup, warm", "seconds", Lower, LogWhenWide);
}

/// The form in which a report shows the metric; `None` for one that is only stored and exported.
pub(super) fn shown(metric: Metric) -> Option<Shown> {
    shown_row(metric).or_else(|| shown_of_families(metric))
}

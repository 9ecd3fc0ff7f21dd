//! Every metric with a name of its own: its name in a notebook, its unit, and the way in which a fleet has it
//! from the figures of its hosts; those that a report shows also have the better direction, the layout of the
//! axis, and the messages of `locales`: title, short name and text of an axis. One row each, in the order of
//! tables.

use super::joining::OfHosts;
use super::{Axis, Direction, Latency, Read, ReadFigure, Shown, Statistic};
use crate::say::text;
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
    (
        shown { $($Variant:ident = $name:literal, $Unit:ident, $Hosts:ident, $better:ident, $Axis:ident;)* }
        kept { $($Kept:ident = $kept_name:literal, $KeptUnit:ident, $KeptHosts:ident, $about:literal;)* }
    ) => {
        /// A metric with one name, whatever cell it is of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Metric {
            $(#[doc = concat!("`", $name, "`, as the message `metric-", $name, "` says.")] $Variant,)*
            $(#[doc = concat!($about, ".")] $Kept,)*
            /// A statistic of a latency.
            Latency(Latency, Statistic),
            /// A figure of a read of a table.
            Read(Read, ReadFigure),
        }

        /// The metrics that are neither of a latency nor of a read.
        pub(super) const PLAIN: &[Metric] = &[$(Metric::$Variant,)* $(Metric::$Kept),*];

        /// The row of a plain metric: name, unit and joining.
        pub(super) const fn row(metric: Metric) -> Option<(&'static str, Unit, OfHosts)> {
            match metric {
                $(Metric::$Variant => Some(($name, Unit::$Unit, OfHosts::$Hosts)),)*
                $(Metric::$Kept => Some(($kept_name, Unit::$KeptUnit, OfHosts::$KeptHosts)),)*
                Metric::Latency(..) | Metric::Read(..) => None,
            }
        }

        fn drawn(metric: Metric) -> Option<(Option<Direction>, Axis)> {
            match metric {
                $(Metric::$Variant => Some((direction!($better), Axis::$Axis)),)*
                _ => None,
            }
        }
    };
}

#[rustfmt::skip] // One row each.
metrics! {
    shown {
        Nopm = "nopm", PerMinute, Sum, Higher, FromZero;
        Tpm = "tpm", PerMinute, Sum, Higher, FromZero;
        TpmPerUser = "tpm_per_user", PerMinute, PerUser, Neither, FromZero;
        TpmBatches = "tpm_batches", PerMinute, Sum, Higher, FromZero;
        TpmBatchesPerUser = "tpm_batches_per_user", PerMinute, Absent, Neither, FromZero;
        Tps = "tps", PerSecond, Sum, Higher, FromZero;
        Qps = "qps", PerSecond, Sum, Higher, FromZero;
        Iops = "iops", PerSecond, Sum, Higher, FromZero;
        ReadIops = "read_iops", PerSecond, Sum, Higher, FromZero;
        WriteIops = "write_iops", PerSecond, Sum, Higher, FromZero;
        Bandwidth = "bandwidth", MegabytesPerSecond, Sum, Higher, FromZero;
        CpuIdle = "cpu_idle", Percent, Mean, Neither, Percent;
        CpuIowait = "cpu_iowait", Percent, Mean, Neither, Percent;
        CpuOthers = "cpu_others", Percent, Mean, Neither, Percent;
        CpuPerIo = "cpu_per_io", Nanoseconds, PerIo, Lower, FromZero;
        IosPerTransaction = "ios_per_transaction", Operations, ServerPerTransaction, Lower, FromZero;
        ReadsPerTransaction = "reads_per_transaction", Operations, ServerPerTransaction, Lower, FromZero;
        WritesPerTransaction = "writes_per_transaction", Operations, ServerPerTransaction, Lower, FromZero;
        BytesPerTransaction = "bytes_per_transaction", Bytes, ServerPerTransaction, Lower, FromZero;
        ReadBytesPerTransaction = "read_bytes_per_transaction", Bytes, ServerPerTransaction, Lower, FromZero;
        WrittenBytesPerTransaction = "written_bytes_per_transaction", Bytes, ServerPerTransaction, Lower, FromZero;
        LogBytesPerTransaction = "log_bytes_per_transaction", Bytes, ServerPerTransaction, Lower, FromZero;
        LogSyncsPerTransaction = "log_syncs_per_transaction", Count, ServerPerTransaction, Lower, FromZero;
        PageWritesPerTransaction = "page_writes_per_transaction", Pages, PerTransaction, Lower, FromZero;
        WritingShare = "writing_share", Percent, Absent, Neither, Percent;
        ActiveClients = "active_clients", Count, Absent, Neither, FromZero;
        CpuPerTransaction = "cpu_per_transaction", Microseconds, PerTransaction, Lower, FromZero;
        BufferReadsPerTransaction = "buffer_reads_per_transaction", Pages, ServerPerTransaction, Lower, FromZero;
        CacheHitRatio = "cache_hit_ratio", Percent, ServerMean, Neither, Percent;
        DriveBusy = "drive_busy", Percent, ServerMean, Neither, Percent;
        LateCompletions = "late_completions", Percent, Mean, Lower, FromZero;
        ClientCpuPerTransaction = "client_cpu_per_transaction", Microseconds, PerTransaction, Lower, FromZero;
        Errors = "errors", Count, Sum, Lower, FromZero;
        RequestsDue = "requests_due", Count, Sum, Neither, FromZero;
        RequestsAnsweredLate = "requests_answered_late", Count, Sum, Neither, FromZero;
        RequestsUnfinished = "requests_unfinished", Count, Sum, Lower, FromZero;
        RequestsUnknown = "requests_unknown", Count, Sum, Lower, FromZero;
        LongestGap = "longest_gap", Seconds, Largest, Lower, FromZero;
        StoodStill = "stood_still", Seconds, Largest, Lower, FromZero;
        OrdersAcknowledged = "orders_acknowledged", Count, Sum, Neither, FromZero;
        OrdersLost = "orders_lost", Count, Sum, Lower, FromZero;
        ConditionsViolated = "conditions_violated", Count, Sum, Lower, FromZero;
        RecoveryTime = "recovery_time", Seconds, Largest, Lower, FromZero;
        BackupTime = "backup_time", Seconds, Largest, Lower, FromZero;
        RestoreTime = "restore_time", Seconds, Largest, Lower, FromZero;
        BackupBandwidth = "backup_bandwidth", MegabytesPerSecond, Sum, Higher, FromZero;
        RestoreBandwidth = "restore_bandwidth", MegabytesPerSecond, Sum, Higher, FromZero;
        ProvenRestores = "proven_restores", Count, Sum, Higher, FromZero;
        Cycles = "cycles", Count, Sum, Neither, FromZero;
        NopmUnderBackup = "nopm_under_backup", PerMinute, Sum, Higher, FromZero;
        LookupOverScanCold = "lookup_over_scan_cold", Times, Absent, Lower, LogWhenWide;
        ColdScanTime = "cold_scan_time", Seconds, Largest, Lower, FromZero;
        Fragments = "fragments", Count, Sum, Neither, FromZero;
        FragmentSize = "fragment_size", Kibibytes, Absent, Neither, FromZero;
        Fairness = "fairness", Index, Absent, Higher, FromZero;
        NeighbourRate = "neighbour_rate", MegabytesPerSecond, Sum, Neither, FromZero;
        NeighbourRecoveryTime = "neighbour_recovery_time", Seconds, Largest, Lower, FromZero;
        BaselineNopm = "baseline_nopm", PerMinute, Mean, Higher, FromZero;
        BaselineTpm = "baseline_tpm", PerMinute, Mean, Neither, FromZero;
        BaselineTpmBatches = "baseline_tpm_batches", PerMinute, Sum, Neither, FromZero;
        BaselineReadIops = "baseline_read_iops", PerSecond, Sum, Neither, FromZero;
        BaselineWriteIops = "baseline_write_iops", PerSecond, Sum, Neither, FromZero;
        WrittenBytes = "written_bytes", Bytes, Sum, Neither, FromZero;
    }
    // Not shown.
    kept {
        NopmWithRollbacks = "nopm_with_rollbacks", PerMinute, Sum, "New orders per minute, rolled-back ones included";
        TpmWithRollbacks = "tpm_with_rollbacks", PerMinute, Sum, "Transactions per minute, rolled-back ones included";
        Retries = "retries", Count, Sum, "Transactions that were tried again";
        Rollbacks = "rollbacks", Count, Sum, "Transactions that rolled back as the input asked";
        Reconnects = "reconnects", Count, Sum, "Connections made anew";
        ConnectionsLost = "connections_lost", Count, Sum, "Connections lost";
        Instances = "instances", Count, Sum, "Instances under load together";
        WorstSecond = "worst_second", PerMinute, Absent, "Transactions per minute in the worst second of a hundred";
        EngineCpuPerTransaction = "engine_cpu_per_transaction", Microseconds, PerTransaction, "CPU of the embedded engine per transaction";
        OwnCpuPerTransaction = "own_cpu_per_transaction", Microseconds, PerTransaction, "CPU of this program per transaction";
        ServerCpuPerTransaction = "server_cpu_per_transaction", Microseconds, ServerPerTransaction, "CPU of the server per transaction";
        SyncsPerTransaction = "syncs_per_transaction", Count, ServerPerTransaction, "Syncs per transaction";
        DriveReadDelay = "drive_read_delay_mean", Milliseconds, Absent, "Mean time by which reads came later than the model";
        DriveWriteDelay = "drive_write_delay_mean", Milliseconds, Absent, "Mean time by which writes came later than the model";
        DriveSyncDelay = "drive_sync_delay_mean", Milliseconds, Absent, "Mean time by which syncs came later than the model";
        DriveReadModel = "drive_read_model_mean", Milliseconds, Absent, "Mean time of reads by the model";
        DriveWriteModel = "drive_write_model_mean", Milliseconds, Absent, "Mean time of writes by the model";
        DriveSyncModel = "drive_sync_model_mean", Milliseconds, Absent, "Mean time of syncs by the model";
        LateTime = "late_time", Percent, Mean, "Share of the callers' time by which I/Os completed later than the model";
        DriveOthers = "drive_others", MegabytesPerSecond, Absent, "Bytes that other programs moved to and from the drive";
        DriveCallerWaits = "drive_caller_waits_mean", Milliseconds, Absent, "Mean time per I/O for which threads that use a modelled drive waited for a processor";
        DriveLayerCpuPerIo = "drive_layer_cpu_per_io", Microseconds, Absent, "CPU of the threads that answer for modelled drives, per I/O";
        CpuUser = "cpu_user", Percent, Mean, "CPU in programs";
        CpuSystem = "cpu_system", Percent, Mean, "CPU in the kernel";
        CpuSteal = "cpu_steal", Percent, Mean, "CPU taken by other guests of the hypervisor";
        OwnCpu = "own_cpu", Percent, Mean, "CPU of this program";
        ServerTpm = "server_tpm", PerMinute, ServerSum, "Transactions per minute by the server's own count";
        ServerNopm = "server_nopm", PerMinute, ServerSum, "New orders per minute by the server's own count";
        ServerDeadlocks = "server_deadlocks", Count, ServerSum, "Deadlocks by the server's own count";
        ServerCheckpoints = "server_checkpoints", Count, ServerSum, "Checkpoints by the server's own count";
        LogWritesPerTransaction = "log_writes_per_transaction", Count, ServerPerTransaction, "Log writes per transaction";
        LogImagesPerTransaction = "log_images_per_transaction", Pages, ServerPerTransaction, "Whole pages in the log per transaction";
        StatementsPerTransaction = "statements_per_transaction", Count, PerTransaction, "Statements per transaction by the server's own count";
        StatementTimePerTransaction = "statement_time_per_transaction", Milliseconds, PerTransaction, "Time in statements per transaction by the server's own count";
        PageReadTime = "page_read_time", Milliseconds, Absent, "Time of reading a page that the buffer pool did not hold, by the server's own count";
        WaitedWritesPerTransaction = "waited_writes_per_transaction", Pages, ServerPerTransaction, "Pages that sessions wrote themselves, per transaction";
        ReadBytes = "read_bytes", Bytes, Sum, "Read from the drive";
        Reads = "reads", Operations, Sum, "Reads at the drive";
        Writes = "writes", Operations, Sum, "Writes at the drive";
        DriveReads = "drive_reads", PerSecond, Sum, "Reads at the drive per second";
        DriveWrites = "drive_writes", PerSecond, Sum, "Writes at the drive per second";
        ReadThroughput = "read_throughput", MegabytesPerSecond, Sum, "Read by the load per second";
        WriteThroughput = "write_throughput", MegabytesPerSecond, Sum, "Written by the load per second";
        ReadBandwidth = "read_bandwidth", MegabytesPerSecond, Sum, "Read from the drive per second";
        WriteBandwidth = "write_bandwidth", MegabytesPerSecond, Sum, "Written to the drive per second";
        CellWrittenBytes = "cell_written_bytes", Bytes, Sum, "Written by the drive to its cells, by its count of host writes";
        CellWrittenBytesByLog = "cell_written_bytes_by_drive_log", Bytes, Sum, "Written by the drive to its cells, by its own log";
        HeldBackTime = "held_back_time", Seconds, Largest, "Time for which a limit held instances back";
        MemoryPeak = "memory_peak", Megabytes, Largest, "Most memory of an instance under a limit";
        ResetTime = "reset_time", Seconds, Largest, "Time of the reset before the cell";
        HostsTogether = "hosts_together", Count, Sum, "Ranks of a fleet";
        StartDelay = "start_delay", Milliseconds, Absent, "Time from the agreed moment to the start of a host, the longest of a fleet";
        StartSkew = "start_skew", Milliseconds, Absent, "Time between the first and the last start in a fleet";
        MeasureSkew = "measure_skew", Milliseconds, Absent, "Time between the first and the last begin of the measure phase in a fleet, beside the error of the clocks";
        ClockOffset = "clock_offset", Milliseconds, Absent, "The date of a host minus that of the lead";
        ClockError = "clock_error", Milliseconds, Absent, "Bound of the error of a measured clock offset, the largest of a fleet";
        FirstDone = "first_done", Seconds, Largest, "Time from the agreed moment until the first host was done";
        LastDone = "last_done", Seconds, Largest, "Time from the agreed moment until the last host was done";
        IopsAsked = "iops_asked", PerSecond, Sum, "I/O operations per second that were asked for";
        IosUnfinished = "ios_unfinished", Count, Sum, "I/Os of the measure phase that were not finished at the drain limit";
        IosAfterEnd = "ios_after_end", Count, Sum, "I/Os that were due in the measure phase and came back after its end";
        DiscardIops = "discard_iops", PerSecond, Sum, "Discards per second";
        BurstShare = "burst_share", Percent, Mean, "Share of the time inside bursts";
        ReadIopsInsideBursts = "read_iops_inside_bursts", PerSecond, Sum, "Reads per second inside bursts";
        ReadIopsBetweenBursts = "read_iops_between_bursts", PerSecond, Sum, "Reads per second between bursts";
        WriteIopsInsideBursts = "write_iops_inside_bursts", PerSecond, Sum, "Writes per second inside bursts";
        WriteIopsBetweenBursts = "write_iops_between_bursts", PerSecond, Sum, "Writes per second between bursts";
        SteadyAttained = "steady_attained", Flag, Smallest, "1 where the steady state was reached";
        SteadyRounds = "steady_rounds", Count, Largest, "Rounds until the steady state";
        FoundDepth = "found_depth", Operations, Absent, "Queue depth that a search found";
        FoundRate = "found_rate", PerSecond, Absent, "Rate that a search found";
        SimulatedTime = "simulated_time", Seconds, Largest, "Virtual time that was measured";
        Precision = "precision", Percent, Absent, "Half width of the 95 % interval of a rate that was simulated or observed";
        DatabaseSize = "database_size", Megabytes, Sum, "Size of the database";
        BackupSize = "backup_size", Megabytes, Sum, "Size of a backup";
        BackupRate = "backup_rate", MegabytesPerSecond, Sum, "Copied by a backup or restore per second";
        VerifyTime = "verify_time", Seconds, Largest, "Time to verify a backup";
        BackupReadTime = "backup_read_time", Seconds, Largest, "Part of a backup: reading the database";
        BackupWriteTime = "backup_write_time", Seconds, Largest, "Part of a backup: writing the copy";
        BackupFlushTime = "backup_flush_time", Seconds, Largest, "Part of a backup: putting the copy onto the drive";
        BackupCopyTime = "backup_copy_time", Seconds, Largest, "Part of a backup: copying by a tool that tells no parts";
        BackupProcessorTime = "backup_processor_time", Seconds, Largest, "Part of a simulated backup: the processor between reads and writes";
        RestoreReadTime = "restore_read_time", Seconds, Largest, "Part of a restore: reading the backup";
        RestoreWriteTime = "restore_write_time", Seconds, Largest, "Part of a restore: writing the database";
        RestoreFlushTime = "restore_flush_time", Seconds, Largest, "Part of a restore: putting the database onto the drive";
        RestoreCopyTime = "restore_copy_time", Seconds, Largest, "Part of a restore: copying that is not told in parts";
        RestoreProcessorTime = "restore_processor_time", Seconds, Largest, "Part of a simulated restore: the processor between reads and writes";
        RestoreRecoverTime = "restore_recover_time", Seconds, Largest, "Part of a restore: applying the log by a tool of its own";
        RestoreStartTime = "restore_start_time", Seconds, Largest, "Part of a restore: starting until the instance answers, recovery included";
        ProofTime = "proof_time", Seconds, Largest, "Time to prove a restore";
        CyclesAsked = "cycles_asked", Count, Sum, "Cycles that were asked for";
        TpmUnderBackup = "tpm_under_backup", PerMinute, Sum, "Transactions during backups";
        ColdScanBandwidth = "cold_scan_bandwidth", MegabytesPerSecond, Sum, "Scanned per second from a cold cache";
        FragmentsAsCopied = "fragments_as_copied", Count, Sum, "Fragments before the file was laid out";
        Extents = "extents", Count, Sum, "Extents of the table's files";
        RowsAsked = "rows_asked", Count, Sum, "Rows that the query asks for";
        LookupColdLost = "lookup_cold_lost", Seconds, Largest, "Time after which cold lookups were ended, as the scan had won";
        LookupWarmLost = "lookup_warm_lost", Seconds, Largest, "Time after which warm lookups were ended, as the scan had won";
        LookupOverScanWarm = "lookup_over_scan_warm", Times, Absent, "Warm lookups in times of a scan";
        NeighbourActions = "neighbour_deeds", Count, Sum, "Actions that the neighbour finished";
        NeighbourActionTime = "neighbour_deed_time", Seconds, PerAction, "Time of one of the neighbour's actions";
        NeighbourNopm = "neighbour_nopm", PerMinute, Sum, "The neighbour's own new orders";
        Victims = "victims", Count, Sum, "Databases under load";
    }
}

macro_rules! shown {
    ($($Of:ident::$Variant:ident($which:path, $what:path) = $better:ident, $Axis:ident;)*) => {
        fn drawn_of_families(metric: Metric) -> Option<(Option<Direction>, Axis)> {
            match metric {
                $($Of::$Variant($which, $what) => Some((direction!($better), Axis::$Axis)),)*
                _ => None,
            }
        }
    };
}

#[rustfmt::skip] // One row each.
shown! {
    Metric::Latency(Latency::Answer, Statistic::Mean) = Lower, LogWhenWide;
    Metric::Latency(Latency::Answer, Statistic::P50) = Lower, LogWhenWide;
    Metric::Latency(Latency::Answer, Statistic::P90) = Lower, LogWhenWide;
    Metric::Latency(Latency::Answer, Statistic::P95) = Lower, LogWhenWide;
    Metric::Latency(Latency::Answer, Statistic::P99) = Lower, LogWhenWide;
    Metric::Latency(Latency::Answer, Statistic::P999) = Lower, LogWhenWide;
    Metric::Latency(Latency::NewOrder, Statistic::Mean) = Lower, LogWhenWide;
    Metric::Latency(Latency::NewOrder, Statistic::P99) = Lower, LogWhenWide;
    Metric::Latency(Latency::Service, Statistic::P99) = Lower, LogWhenWide;
    Metric::Latency(Latency::Commit, Statistic::Mean) = Lower, LogWhenWide;
    Metric::Latency(Latency::Commit, Statistic::P99) = Lower, LogWhenWide;
    Metric::Latency(Latency::LockWait, Statistic::Mean) = Lower, LogWhenWide;
    Metric::Latency(Latency::BackupTransfer, Statistic::Mean) = Neither, FromZero;
    Metric::Latency(Latency::RestoreTransfer, Statistic::Mean) = Neither, FromZero;
    Metric::Latency(Latency::Baseline, Statistic::Mean) = Neither, FromZero;
    Metric::Latency(Latency::BaselineRead, Statistic::Mean) = Neither, FromZero;
    Metric::Latency(Latency::BaselineWrite, Statistic::Mean) = Neither, FromZero;
    Metric::Read(Read::ScanCold, ReadFigure::Time) = Lower, LogWhenWide;
    Metric::Read(Read::ScanWarm, ReadFigure::Time) = Lower, LogWhenWide;
    Metric::Read(Read::LookupCold, ReadFigure::Time) = Lower, LogWhenWide;
    Metric::Read(Read::LookupWarm, ReadFigure::Time) = Lower, LogWhenWide;
}

/// The form in which a report shows the metric; `None` for one that is only stored and exported.
pub(super) fn shown(metric: Metric) -> Option<Shown> {
    let (direction, axis) = drawn(metric).or_else(|| drawn_of_families(metric))?;
    let [title, short, axis_label] = metric.messages().map(|id| text(&id));
    Some(Shown { metric, short, title, unit: metric.unit().shown(), axis_label, direction, axis })
}

//! Reads of a whole table, and the figures that are kept of each.

use super::Metric;
use crate::unit::Unit;
use crate::word::words;

words! {
    /// A read by the beginning of its metrics' names.
    pub enum Read {
        /// A scan from a cold cache.
        ScanCold = "scan_cold",
        /// The same scan again.
        ScanWarm = "scan_warm",
        /// Lookups from a cold cache.
        LookupCold = "lookup_cold",
        /// The same lookups again.
        LookupWarm = "lookup_warm",
        /// The last cold scan of a fragmented file.
        LastScan = "last_scan",
    }
}

words! {
    /// A figure of a read: the end of the metric's name.
    pub enum ReadFigure {
        /// Time from the query to its last row.
        Time = "time",
        /// Processor time of the engine.
        Cpu = "cpu",
        /// Pages that the query asked for.
        LogicalReads = "logical_reads",
        /// Pages that the cache did not hold.
        PhysicalReads = "physical_reads",
        /// Pages that the engine read before they were asked for.
        ReadAhead = "read_ahead",
        /// Bytes that the engine read.
        ReadBytes = "read_bytes",
    }
}

impl ReadFigure {
    pub(super) fn unit(self) -> Unit {
        match self {
            ReadFigure::Time | ReadFigure::Cpu => Unit::Seconds,
            ReadFigure::LogicalReads | ReadFigure::PhysicalReads | ReadFigure::ReadAhead => Unit::Pages,
            ReadFigure::ReadBytes => Unit::Bytes,
        }
    }
}

impl Read {
    pub(super) fn metric_of(name: &str) -> Option<Metric> {
        Read::ALL.iter().find_map(|read| {
            let figure = name.strip_prefix(read.name())?.strip_prefix('_')?;
            Some(Metric::Read(*read, ReadFigure::of(figure)?))
        })
    }
}

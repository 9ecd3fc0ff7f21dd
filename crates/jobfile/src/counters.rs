//! Counters of other tools: Windows perfmon, vSphere esxtop and sar, as series beside the cells of a run.
//!
//! Invariant: the file is read line by line and only the chosen counters are kept, so that memory depends on
//! them and not on the length of the file or its thousands of columns.

mod pattern;
mod pdh;
mod place;
mod reader;
mod sadf;
mod sar;
mod unit;

use std::io::{self, BufRead};

use jiff::Timestamp;

use crate::fault::FileFault;
use crate::moment::Zone;
use reader::{Collector, Lines};

pub use pattern::Pattern;
pub use place::CellTime;
pub(crate) use {pdh::HEAD as PDH_HEAD, sadf::HEAD as SADF_HEAD, sar::HEAD as SAR_HEAD};

words::words! {
    /// A form of counters, by the tool that writes it.
    pub enum CounterFormat {
        /// The CSV of Windows' performance monitor, `relog` and `typeperf`.
        Perfmon = "perfmon",
        /// The CSV of vSphere's `esxtop -b`.
        Esxtop = "esxtop",
        /// The table of `sadf -d`.
        Sadf = "sadf",
        /// The text of `sar`.
        Sar = "sar",
    }
}

/// The counters of a file that its reader asks for.
#[derive(Clone, Debug)]
pub enum Choice {
    /// Their names alone, of those that match the built-in patterns for drives and processors.
    Names,
    /// Those that match one of these patterns, with their values.
    Matching(Vec<Pattern>),
}

/// The chosen counters of a file.
#[derive(Clone, Debug)]
pub struct Counters {
    /// The zone of the file's times.
    pub zone: Zone,
    /// True if the file itself states the zone.
    pub zone_is_stated: bool,
    /// The number of counters in the file.
    pub in_all: usize,
    /// The names of the first of them, at most 200.
    pub first: Vec<String>,
    /// The chosen ones in the order of the file.
    pub chosen: Vec<Counter>,
    /// The moment from which readings count their seconds.
    origin: Option<Timestamp>,
    /// The first and the last moment of the file; `None` for a file without a sample.
    pub span: Option<(Timestamp, Timestamp)>,
}

/// One counter.
#[derive(Clone, Debug)]
pub struct Counter {
    /// Its name, with its host: `\\HOST\PhysicalDisk(0 C:)\Disk Reads/sec`.
    pub name: String,
    /// Its unit, as far as the name states it.
    pub unit: &'static str,
    /// Seconds since the first line with samples, and values; ascending.
    pub(crate) readings: Vec<(f64, f64)>,
}

/// The reasons why counters are not read.
#[derive(Debug)]
pub enum CountersError {
    /// The file cannot be read.
    Io(io::Error),
    /// A fault in the file.
    Fault(FileFault),
}

impl From<io::Error> for CountersError {
    fn from(error: io::Error) -> CountersError {
        CountersError::Io(error)
    }
}

impl From<FileFault> for CountersError {
    fn from(fault: FileFault) -> CountersError {
        CountersError::Fault(fault)
    }
}

/// Reads the chosen counters. `zone` is that of the file's times; `None` is for files that state it.
///
/// # Errors
/// The first fault of the file with its line; what reading it says.
pub fn read_counters(
    format: CounterFormat,
    input: impl BufRead,
    choice: &Choice,
    zone: Option<&Zone>,
) -> Result<Counters, CountersError> {
    let mut lines = Lines::of(input);
    let collector = Collector::new(choice, zone);
    let counters = match format {
        CounterFormat::Perfmon | CounterFormat::Esxtop => pdh::read(&mut lines, collector)?,
        CounterFormat::Sadf => sadf::read(&mut lines, collector)?,
        CounterFormat::Sar => sar::read(&mut lines, collector)?,
    };
    Ok(counters)
}

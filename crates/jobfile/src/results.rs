//! Results of other tools: what they measured, in this program's metrics and units.
//!
//! Invariant: bytes in, a result or a fault with its place out. Nothing is made up: what the file does not
//! state is left out, and what a reader must know of it is a remark.

mod agree;
mod fio;
mod hammerdb;
mod pgbench;
mod sysbench;
mod text;

use std::collections::HashMap;

use jiff::Timestamp;
use measure::{Histogram, Series};
use words::{Latency, LevelName, Metric, NoteKind, PhaseName, Remark, WorkloadKind};

use crate::fault::{FileFault, text_of};
use crate::moment::Zone;
use crate::steps::LONGEST_S;

pub(crate) use {
    fio::VERSION as FIO_KEY, hammerdb::SCHEMA as HAMMERDB_SCHEMA, pgbench::BANNER as PGBENCH_BANNER,
    pgbench::SUMMARY as PGBENCH_SUMMARY, sysbench::BANNER as SYSBENCH_BANNER,
    sysbench::STATISTICS as SYSBENCH_STATISTICS,
};

words::words! {
    /// A form of results, by the tool that writes it.
    pub enum ResultFormat {
        /// The job report of HammerDB (`jobs JOBID summaryjson`), `hammerdb-job-report-v1`.
        HammerDb = "hammerdb",
        /// fio's `--output-format=json` and `json+`.
        Fio = "fio",
        /// The output of sysbench's OLTP tests.
        Sysbench = "sysbench",
        /// The output of pgbench.
        Pgbench = "pgbench",
    }
}

/// A result of another tool: one run.
#[derive(Clone, Debug)]
pub struct ToolResult {
    /// The name of the tool.
    pub tool: &'static str,
    /// Its version, as it states it; `None` where it does not.
    pub version: Option<String>,
    /// The load and its conditions in a few words.
    pub title: String,
    /// The start, where the file states a time.
    pub started_at: Option<Timestamp>,
    /// The requested loads, as TOML: results are compared where it is the same.
    pub asked: toml::Table,
    /// The host, as far as the file describes it.
    pub host: Vec<(String, String)>,
    /// The loads in the order of the file.
    pub cells: Vec<ToolCell>,
    /// Remarks that a reader of the figures needs.
    pub remarks: Vec<(NoteKind, Remark)>,
}

/// One load with its figures.
#[derive(Clone, Debug)]
pub struct ToolCell {
    /// The name of the job or test.
    pub workload: String,
    /// Its kind.
    pub kind: WorkloadKind,
    /// The load, in the unit of `level_name`.
    pub level: f64,
    /// The unit of the load.
    pub level_name: LevelName,
    /// The number of the repeat, from 0.
    pub repeat: u32,
    /// The start, seconds after that of the run.
    pub start_s: f64,
    /// The phases on the cell's clock: name, start and end in seconds.
    pub phases: Vec<(PhaseName, f64, f64)>,
    /// The figures, each metric once.
    pub values: Vec<(Metric, f64)>,
    /// Figures second by second, each metric once.
    pub series: Vec<Series>,
    /// Distributions of latencies.
    pub histograms: Vec<(Latency, Histogram)>,
    /// The reason why the figures do not count.
    pub failed: Option<String>,
}

impl ToolCell {
    /// Seconds until the end of the last phase.
    #[must_use]
    pub fn length_s(&self) -> f64 {
        self.phases.iter().map(|(_, _, end_s)| *end_s).fold(0.0, f64::max)
    }
}

/// Reads a result. `zone` is that of times without one; `None` takes them as UTC, with a remark.
///
/// # Errors
/// The first fault of the file with its place.
pub fn read_result(format: ResultFormat, bytes: &[u8], zone: Option<&Zone>) -> Result<ToolResult, FileFault> {
    let text = text_of(bytes)?;
    if let Some((line, other)) = another(format, text) {
        let message = format!("an output of {other} begins here, and the file begins as one of {format}");
        return Err(FileFault::line(line, message, "import the outputs from a file each"));
    }
    let mut result = match format {
        ResultFormat::HammerDb => hammerdb::read(text, zone)?,
        ResultFormat::Fio => fio::read(text)?,
        ResultFormat::Sysbench => sysbench::read(text)?,
        ResultFormat::Pgbench => pgbench::read(text)?,
    };
    number_repeats(&mut result.cells);
    Ok(result)
}

/// The first line in which another tool than that of `format` begins its output, and the tool: one file is
/// one run of one tool.
fn another(format: ResultFormat, text: &str) -> Option<(usize, ResultFormat)> {
    let of_line = |line: &str| crate::detect::begins(line).filter(|found| *found != format);
    (1..).zip(text.lines()).find_map(|(number, line)| Some((number, of_line(line)?)))
}

/// Loads that occur again are repeats of the first, in the order of the file.
fn number_repeats(cells: &mut [ToolCell]) {
    let mut seen: HashMap<(String, u64), u32> = HashMap::new();
    for cell in cells {
        let count = seen.entry((cell.workload.clone(), cell.level.to_bits())).or_default();
        cell.repeat = *count;
        *count += 1;
    }
}

/// The most loads of one file: each is a cell, and compared with all before it.
const CELLS_MOST: usize = 4096;

/// Refuses files with more loads than anybody runs.
fn check_count(count: usize, what: &str) -> Result<(), FileFault> {
    if count > CELLS_MOST {
        let message = format!("holds {count} {what}");
        return Err(FileFault::whole(message, format!("split it into files of at most {CELLS_MOST}")));
    }
    Ok(())
}

/// Refuses outputs that together last longer than anybody's test: their series are kept second by second.
fn check_length(from: usize, all_s: f64) -> Result<(), FileFault> {
    if all_s > LONGEST_S {
        let message = "ends more than a week after the first output of the file began";
        return Err(FileFault::line(from, message, "mend its times, or import the outputs one by one"));
    }
    Ok(())
}

/// The metric of a percentile of all answers, where this program has one.
fn percentile(percent: f64) -> Option<Metric> {
    use words::{Latency, Statistic};
    let statistic = match percent {
        50.0 => Statistic::P50,
        90.0 => Statistic::P90,
        95.0 => Statistic::P95,
        99.0 => Statistic::P99,
        99.9 => Statistic::P999,
        99.99 => Statistic::P9999,
        99.999 => Statistic::P99999,
        _ => return None,
    };
    Some(Metric::Latency(Latency::Answer, statistic))
}

/// A series of a metric in its own unit, from readings at the end of each interval, within a cell of this
/// length.
fn series_of(metric: Metric, readings: &[(f64, f64)], length_s: f64) -> Option<Series> {
    let samples = crate::steps::samples(readings);
    crate::steps::series(&metric.name(), metric.unit().name(), &samples, (0.0, length_s))
}

//! The OLTP tests of sysbench: its tables, its statements and its random numbers.

use schemars::JsonSchema;
use serde::Serialize;
use words::{LevelName, WorkloadKind};

use crate::check::Checker;
use crate::data_size::sysbench_bytes;
use crate::file::Experiment;
use crate::keys::{keys, levels, whole};
use crate::reader::Reader;
use crate::scale::rule::{MEASURE_MIN, RAMP_UP_MIN, scale_levels, scale_rate, scale_times, shrink};
use crate::structure::NO_SPAN;
use crate::units::Span;
use crate::words::written_words;
use crate::workload::{FileKind, numbers};

/// An OLTP test of sysbench 1.0.20, with its table shape, data pattern, statements and defaults.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sysbench {
    /// What tables call this workload; `sysbench` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Which of sysbench's tests.
    pub test: SysbenchTest,
    /// Tables of each instance, `sbtest1` and on (sysbench's `--tables`); 1 when left out, as in sysbench.
    #[serde(default = "one_table")]
    #[schemars(range(min = 1, max = 10_000))]
    pub tables: u32,
    /// Rows of each table, roughly 250 bytes each (sysbench's `--table-size`); 10,000 when left out, as in
    /// sysbench. So small a table never leaves the buffer pool.
    #[serde(default = "ten_thousand_rows")]
    #[schemars(range(min = 1, max = 2_000_000_000))]
    pub rows: u32,
    /// The levels: how many threads send transactions to each instance at the same time, each over a
    /// connection of its own.
    #[schemars(length(min = 1), inner(range(min = 1)))]
    pub threads: Vec<u32>,
    /// Time under load before measuring begins.
    pub ramp_up: Span,
    /// Time that is measured, at least one second.
    pub measure: Span,
    /// How rows are drawn (sysbench's `--rand-type`). `special` when left out, as in sysbench 1.0.20;
    /// sysbench 1.1 draws uniformly by default, so the same command there makes other I/O.
    #[serde(default)]
    pub distribution: Distribution,
    /// Rows that a range query reads (sysbench's `--range-size`); 100 when left out.
    #[serde(default = "hundred_rows")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub range_size: u32,
    /// Open loop: transactions per second to each instance, at times drawn from a Poisson process (sysbench's
    /// `--rate`). Latency then counts from the intended start. Closed loop when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
}

pub(crate) fn one_table() -> u32 {
    1
}

pub(crate) fn ten_thousand_rows() -> u32 {
    10_000
}

pub(crate) fn hundred_rows() -> u32 {
    100
}

/// A test of sysbench, by the name of its script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SysbenchTest {
    /// Ten reads by key, four range reads, two updates, a delete and an insert in one transaction: 20 queries
    /// with begin and commit.
    OltpReadWrite,
    /// Ten reads by key and four range reads in one transaction.
    OltpReadOnly,
    /// Two updates, a delete and an insert in one transaction.
    OltpWriteOnly,
    /// One read by key, without a transaction around it.
    OltpPointSelect,
    /// One update of the indexed column `k`, without a transaction around it.
    OltpUpdateIndex,
    /// One update of the column `c`, which no index holds, without a transaction around it.
    OltpUpdateNonIndex,
}

/// How rows are drawn, with the parameters of sysbench 1.0.20.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// Every row equally often: the default of sysbench 1.1.
    Uniform,
    /// 1 % of the rows, in the middle of the table, get about three quarters of the accesses: the default of
    /// sysbench 1.0.20, which keeps most reads in the buffer pool.
    #[default]
    Special,
    /// Pareto's law with h = 0.2: a fifth of the rows get four fifths of the accesses.
    Pareto,
    /// Zipf's law with exponent 0.8 (sysbench's `zipfian`).
    Zipf,
}

written_words! {
    SysbenchTest {
        OltpReadWrite => "oltp_read_write",
        OltpReadOnly => "oltp_read_only",
        OltpWriteOnly => "oltp_write_only",
        OltpPointSelect => "oltp_point_select",
        OltpUpdateIndex => "oltp_update_index",
        OltpUpdateNonIndex => "oltp_update_non_index"
    }
    Distribution { Special => "special", Uniform => "uniform", Pareto => "pareto", Zipf => "zipf" }
}

const TABLES_MAX: u32 = 10_000;
/// Keys of sysbench's rows are integers of 32 bits with a sign.
const ROWS_MAX: u32 = 2_000_000_000;
const THREADS_MAX: u32 = 10_000;
const RANGE_MAX: u32 = 1_000_000;
/// Ten range queries' worth of rows: fewer, and ranges overlap all the time.
const ROWS_MIN: u32 = 1_000;

impl FileKind for Sysbench {
    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn kind(&self) -> WorkloadKind {
        WorkloadKind::Sysbench
    }

    fn levels(&self) -> Vec<f64> {
        numbers(&self.threads)
    }

    fn level_name(&self) -> LevelName {
        LevelName::Threads
    }

    fn level_key(&self) -> &'static str {
        "threads"
    }

    fn ramp_up(&self) -> Span {
        self.ramp_up
    }

    fn measure(&self) -> Span {
        self.measure
    }

    fn database_bytes(&self) -> u64 {
        sysbench_bytes(self.tables, self.rows)
    }

    fn check(&self, checker: &mut Checker<'_>, path: &str, _experiment: &Experiment) {
        checker.sysbench(path, self)
    }

    fn scale(&mut self, factor: f64, changes: &mut Vec<String>) {
        scale_sysbench(self, factor, changes)
    }
}

keys! {
    Sysbench, "sysbench workload" beside "kind" {
        name: optional(Reader::text),
        test: required("\"oltp_read_write\"", Reader::word) or SysbenchTest::OltpReadWrite,
        tables: optional(whole(1, TABLES_MAX)) or one_table(),
        rows: optional(whole(1, ROWS_MAX)) or ten_thousand_rows(),
        threads: required("[1, 8, 32]", levels(THREADS_MAX)) or Vec::new(),
        ramp_up: required("\"5s\"", Reader::span) or NO_SPAN,
        measure: required("\"20s\"", Reader::span) or NO_SPAN,
        distribution: optional(Reader::word) or Distribution::default(),
        range_size: optional(whole(1, RANGE_MAX)) or hundred_rows(),
        rate: optional(Reader::number),
    }
}

impl Checker<'_> {
    fn sysbench(&mut self, path: &str, sysbench: &Sysbench) {
        self.levels(&format!("{path}.threads"), &sysbench.threads, "[1, 8, 32]");
        if let Some(rate) = sysbench.rate {
            self.rate(&format!("{path}.rate"), rate);
        }
    }
}

fn scale_sysbench(sysbench: &mut Sysbench, factor: f64, changes: &mut Vec<String>) {
    let rows = (f64::from(sysbench.rows) * factor).round() as u32;
    shrink(&mut sysbench.rows, rows.max(ROWS_MIN), "rows of a table", u32::to_string, changes);
    scale_levels(&mut sysbench.threads, factor.sqrt(), "threads", changes);
    if let Some(rate) = &mut sysbench.rate {
        scale_rate(rate, factor, changes);
    }
    scale_times(&mut sysbench.ramp_up, &mut sysbench.measure, factor, [RAMP_UP_MIN, MEASURE_MIN], changes);
}

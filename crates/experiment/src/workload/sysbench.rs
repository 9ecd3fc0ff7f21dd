//! The OLTP tests of sysbench: its tables, its statements and its random numbers.

use words::{LevelName, ScaleChange, ScaledPart};

use crate::checker::Checker;
use crate::data_size::sysbench_bytes;
use crate::file::Experiment;
use crate::keys::choice::written_words;
use crate::keys::table::table;
use crate::shrink::{MEASURE_MIN, RAMP_UP_MIN, Rule, scale_levels, scale_rate, scale_times, shrink};
use crate::units::Span;
use crate::workload::{FileKind, RATES, numbers};

/// Keys of sysbench's rows are integers of 32 bits with a sign.
const ROWS_MAX: u32 = 2_000_000_000;
/// Ten range queries' worth of rows: fewer, and ranges overlap all the time.
const ROWS_MIN: u32 = 1_000;

table! {
    /// An OLTP test of sysbench 1.0.20, with its table shape, data pattern, statements and defaults.
    pub struct Sysbench "sysbench workload" {
        /// The name of this workload in tables; `sysbench` by default.
        name: Option<String>;
        /// The test of sysbench.
        test: SysbenchTest = required("\"oltp_read_write\"");
        /// Tables of each instance, from `sbtest1` (sysbench's `--tables`); 1 by default, as in sysbench.
        tables: u32 = or(1).within(1, 10_000);
        /// Rows of each table, roughly 250 bytes each (sysbench's `--table-size`); 10,000 by default, as in
        /// sysbench. So small a table stays in the buffer pool.
        rows: u32 = or(10_000).within(1, ROWS_MAX);
        /// The levels: the number of concurrent threads of each instance, each with its own connection.
        threads: Vec<u32> = levels("[1, 8, 32]").within(1, 10_000);
        /// Time under load before the measurement.
        ramp_up: Span = required("\"5s\"");
        /// Measured time, at least one second.
        measure: Span = required("\"20s\"");
        /// The distribution of the rows (sysbench's `--rand-type`). `special` by default, as in sysbench
        /// 1.0.20; the default of sysbench 1.1 is uniform, so the same command there makes different I/O.
        distribution: Distribution = or(Distribution::Special);
        /// Rows that a range query reads (sysbench's `--range-size`); 100 by default.
        range_size: u32 = or(100).within(1, 1_000_000);
        /// Open loop: transactions per second to each instance, at times drawn from a Poisson process
        /// (sysbench's `--rate`). Latency then counts from the intended start. By default a closed loop.
        rate: Option<f64> = optional().within(RATES.0, RATES.1);
    }
}

written_words! {
    /// A test of sysbench, by the name of its script.
    pub enum SysbenchTest {
        /// Ten reads by key, four range reads, two updates, a delete and an insert in one transaction: 20
        /// queries with begin and commit.
        OltpReadWrite = "oltp_read_write",
        /// Ten reads by key and four range reads in one transaction.
        OltpReadOnly = "oltp_read_only",
        /// Two updates, a delete and an insert in one transaction.
        OltpWriteOnly = "oltp_write_only",
        /// One read by key, without a transaction around it.
        OltpPointSelect = "oltp_point_select",
        /// One update of the indexed column `k`, without a transaction around it.
        OltpUpdateIndex = "oltp_update_index",
        /// One update of the column `c`, which no index holds, without a transaction around it.
        OltpUpdateNonIndex = "oltp_update_non_index",
    }

    /// The distribution of the rows, with the parameters of sysbench 1.0.20.
    pub enum Distribution {
        /// 1 % of the rows, in the middle of the table, get about three quarters of the accesses: the default
        /// of sysbench 1.0.20, which keeps most reads in the buffer pool.
        Special = "special",
        /// Every row equally often: the default of sysbench 1.1.
        Uniform = "uniform",
        /// Pareto's law with h = 0.2: a fifth of the rows get four fifths of the accesses.
        Pareto = "pareto",
        /// Zipf's law with exponent 0.8 (sysbench's `zipfian`).
        Zipf = "zipf",
    }
}

impl FileKind for Sysbench {
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

    fn users(&self) -> Option<&[u32]> {
        Some(&self.threads)
    }

    fn check(&self, _checker: &mut Checker<'_>, _path: &str, _experiment: &Experiment) {}

    fn scale(&mut self, factor: f64, changes: &mut Vec<ScaleChange>) {
        let rows = (f64::from(self.rows) * factor).round() as u32;
        shrink(&mut self.rows, rows.max(ROWS_MIN), ScaledPart::Rows, u32::to_string, changes);
        scale_levels(&mut self.threads, factor.sqrt(), ScaledPart::Threads, changes);
        if let Some(rate) = &mut self.rate {
            scale_rate(rate, factor, changes);
        }
        scale_times(&mut self.ramp_up, &mut self.measure, factor, [RAMP_UP_MIN, MEASURE_MIN], changes);
    }

    fn rule(&self) -> Rule {
        let loads: &[ScaledPart] = match self.rate {
            Some(_) => &[ScaledPart::Threads, ScaledPart::Arrivals],
            None => &[ScaledPart::Threads],
        };
        let stays = &[ScaledPart::Tables];
        Rule { sizes: &[ScaledPart::Rows], loads, has_times: true, stays, ..Rule::default() }
    }
}

//! The OLTP tests of sysbench: its tables, its statements and its random numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Span;
use crate::words::displayed_as_written;

/// An OLTP test of sysbench 1.0.20, with its table shape, data pattern, statements and defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Rows of each table, roughly 250 bytes each (sysbench's `--table-size`); 10,000 when left out, as in sysbench. So small a table
    /// never leaves the buffer pool.
    #[serde(default = "ten_thousand_rows")]
    #[schemars(range(min = 1, max = 2_000_000_000))]
    pub rows: u32,
    /// The levels: how many threads send transactions to each instance at the same time, each over a connection of its own.
    #[schemars(length(min = 1), inner(range(min = 1)))]
    pub threads: Vec<u32>,
    /// Time under load before measuring begins.
    pub ramp_up: Span,
    /// Time that is measured, at least one second.
    pub measure: Span,
    /// How rows are drawn (sysbench's `--rand-type`). `special` when left out, as in sysbench 1.0.20; sysbench 1.1 draws uniformly by
    /// default, so the same command there makes other I/O.
    #[serde(default)]
    pub distribution: Distribution,
    /// Rows that a range query reads (sysbench's `--range-size`); 100 when left out.
    #[serde(default = "hundred_rows")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub range_size: u32,
    /// Open loop: transactions per second to each instance, at times drawn from a Poisson process (sysbench's `--rate`). Latency then
    /// counts from the intended start. Closed loop when left out.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SysbenchTest {
    /// Ten reads by key, four range reads, two updates, a delete and an insert in one transaction: 20 queries with begin and commit.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Distribution {
    /// Every row equally often: the default of sysbench 1.1.
    Uniform,
    /// 1 % of the rows, in the middle of the table, get about three quarters of the accesses: the default of sysbench 1.0.20, which
    /// keeps most reads in the buffer pool.
    #[default]
    Special,
    /// Pareto's law with h = 0.2: a fifth of the rows get four fifths of the accesses.
    Pareto,
    /// Zipf's law with exponent 0.8 (sysbench's `zipfian`).
    Zipf,
}

displayed_as_written! {
    SysbenchTest {
        OltpReadWrite => "oltp_read_write",
        OltpReadOnly => "oltp_read_only",
        OltpWriteOnly => "oltp_write_only",
        OltpPointSelect => "oltp_point_select",
        OltpUpdateIndex => "oltp_update_index",
        OltpUpdateNonIndex => "oltp_update_non_index"
    }
    Distribution { Uniform => "uniform", Special => "special", Pareto => "pareto", Zipf => "zipf" }
}

//! The options of a run, with sysbench's defaults.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::distribution::Distribution;
use super::error::SysbenchError;
use super::statement::Statement;
use crate::driver::Asking;

/// Ids are SQL INTEGERs.
const ROWS_MAX: u32 = i32::MAX as u32 - RANGE_MAX;
/// A range's end is an INTEGER too.
const RANGE_MAX: u32 = 1_000_000;
/// Each connection prepares up to nine statements for each table.
const TABLES_MAX: u32 = 100_000;
/// More connections than servers admit.
const THREADS_MAX: u32 = 100_000;

/// One of sysbench's OLTP tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Test {
    /// 10 point selects, 4 ranges, 2 updates, a delete and an insert in a transaction: 20 queries.
    #[default]
    ReadWrite,
    /// 10 point selects and 4 ranges in a transaction: 16 queries.
    ReadOnly,
    /// 2 updates, a delete and an insert in a transaction: 6 queries.
    WriteOnly,
    /// 1 point select, no transaction around it.
    PointSelect,
    /// 1 update of the indexed column, no transaction around it.
    UpdateIndex,
    /// 1 update of a column without an index, no transaction around it.
    UpdateNonIndex,
}

impl Test {
    /// All, in the order in which they are documented.
    pub const ALL: [Self; 6] = [
        Self::ReadWrite,
        Self::ReadOnly,
        Self::WriteOnly,
        Self::PointSelect,
        Self::UpdateIndex,
        Self::UpdateNonIndex,
    ];

    /// sysbench's name of the test.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadWrite => "oltp_read_write",
            Self::ReadOnly => "oltp_read_only",
            Self::WriteOnly => "oltp_write_only",
            Self::PointSelect => "oltp_point_select",
            Self::UpdateIndex => "oltp_update_index",
            Self::UpdateNonIndex => "oltp_update_non_index",
        }
    }

    /// Statements of one transaction as sysbench counts them: reads, writes, other (BEGIN and COMMIT).
    #[must_use]
    pub fn queries(self) -> (u32, u32, u32) {
        match self {
            Self::ReadWrite => (14, 4, 2),
            Self::ReadOnly => (14, 0, 2),
            Self::WriteOnly => (0, 4, 2),
            Self::PointSelect => (1, 0, 0),
            Self::UpdateIndex | Self::UpdateNonIndex => (0, 1, 0),
        }
    }

    /// The kinds of statement that it uses.
    pub(crate) fn statements(self) -> &'static [Statement] {
        use Statement as S;
        match self {
            Self::ReadWrite => &S::ALL,
            Self::ReadOnly => &[
                S::Begin,
                S::PointSelect,
                S::SimpleRange,
                S::SumRange,
                S::OrderRange,
                S::DistinctRange,
                S::Commit,
            ],
            Self::WriteOnly => {
                &[S::Begin, S::IndexUpdate, S::NonIndexUpdate, S::Delete, S::Insert, S::Commit]
            }
            Self::PointSelect => &[S::PointSelect],
            Self::UpdateIndex => &[S::IndexUpdate],
            Self::UpdateNonIndex => &[S::NonIndexUpdate],
        }
    }

    /// True if it changes rows.
    #[must_use]
    pub fn writes(self) -> bool {
        self.queries().1 > 0
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Test {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|test| test.name() == text).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|test| test.name()).collect();
            format!("`{text}` is not a test; use one of {}", names.join(", "))
        })
    }
}

/// A run. The default is sysbench's, but for the seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The test.
    pub test: Test,
    /// Number of tables, `sbtest1` and so on.
    pub tables: u32,
    /// Rows of each table.
    pub rows: u32,
    /// Connections, each with one transaction at a time.
    pub threads: u32,
    /// The distribution of the requested rows.
    pub distribution: Distribution,
    /// Ids that a range covers.
    pub range_size: u32,
    /// Transactions per second of all threads together, arriving at random times; without it each thread asks
    /// as fast as it is answered.
    pub rate: Option<f64>,
    /// The manner of asking.
    pub asking: Asking,
    /// Time under load that is not counted.
    pub ramp_up: Duration,
    /// Time under load that is counted.
    pub measure: Duration,
    /// Seed of every random value.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            test: Test::default(),
            tables: 1,
            rows: 10_000,
            threads: 1,
            asking: Asking::default(),
            distribution: Distribution::default(),
            range_size: 100,
            rate: None,
            ramp_up: Duration::ZERO,
            measure: Duration::from_secs(10),
            seed: 1,
        }
    }
}

impl Options {
    pub(crate) fn validate(&self) -> Result<(), SysbenchError> {
        tables_and_rows(self.tables, self.rows)?;
        within("threads", self.threads, THREADS_MAX)?;
        within("range_size", self.range_size, RANGE_MAX)?;
        match self.rate {
            Some(rate) if !(rate > 0.0 && rate <= 1e9) => Err(SysbenchError::Options(format!(
                "rate {rate} is not a number of transactions per second; use a number above 0, or leave it out for as fast as possible"
            ))),
            _ => Ok(()),
        }
    }
}

/// Bounds that loads and runs share.
pub(crate) fn tables_and_rows(tables: u32, rows: u32) -> Result<(), SysbenchError> {
    within("tables", tables, TABLES_MAX)?;
    within("rows", rows, ROWS_MAX)
}

fn within(what: &str, value: u32, max: u32) -> Result<(), SysbenchError> {
    if (1..=max).contains(&value) {
        return Ok(());
    }
    Err(SysbenchError::Options(format!("{what} = {value} is outside of 1 to {max}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_what_they_print() {
        for test in Test::ALL {
            assert_eq!(test.to_string().parse(), Ok(test));
        }
        assert!("oltp".parse::<Test>().unwrap_err().contains("oltp_read_write, oltp_read_only"));
    }

    #[test]
    fn bad_options_are_named() {
        let refused = |change: fn(&mut Options)| {
            let mut options = Options::default();
            change(&mut options);
            options.validate().unwrap_err().to_string()
        };
        assert!(Options::default().validate().is_ok());
        assert_eq!(refused(|o| o.tables = 0), "tables = 0 is outside of 1 to 100000");
        assert!(refused(|o| o.rows = u32::MAX).starts_with("rows = 4294967295 is outside"));
        assert!(refused(|o| o.threads = 0).starts_with("threads = 0"));
        assert!(refused(|o| o.range_size = 0).starts_with("range_size = 0"));
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let options = Options { rate: Some(rate), ..Options::default() };
            assert!(options.validate().unwrap_err().to_string().contains("above 0"));
        }
    }
}

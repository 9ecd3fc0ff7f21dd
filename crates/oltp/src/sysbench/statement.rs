//! The kinds of statement: their order in a transaction, their names in results.

use std::fmt;

/// The kinds of statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Statement {
    /// `BEGIN`.
    Begin,
    /// One row by its id.
    PointSelect,
    /// A range of rows by id.
    SimpleRange,
    /// The sum over a range.
    SumRange,
    /// A range in the order of its texts.
    OrderRange,
    /// The different texts of a range in order.
    DistinctRange,
    /// One row's indexed number goes up by one.
    IndexUpdate,
    /// One row gets a new text.
    NonIndexUpdate,
    /// One row is deleted.
    Delete,
    /// The deleted row's id is inserted with new values.
    Insert,
    /// `COMMIT`.
    Commit,
}

impl Statement {
    /// All, in the order of a transaction of `oltp_read_write`.
    pub const ALL: [Self; 11] = [
        Self::Begin,
        Self::PointSelect,
        Self::SimpleRange,
        Self::SumRange,
        Self::OrderRange,
        Self::DistinctRange,
        Self::IndexUpdate,
        Self::NonIndexUpdate,
        Self::Delete,
        Self::Insert,
        Self::Commit,
    ];

    /// Those that are prepared for each table.
    pub(crate) const OF_TABLES: &'static [Self] = Self::ALL.split_at(1).1.split_at(9).0;

    /// Place of this statement on a table, from 1, among the prepared ones: of a table those of
    /// [`Statement::OF_TABLES`], then the next table's.
    pub(crate) fn place(self, table: u32) -> usize {
        (table as usize - 1) * Self::OF_TABLES.len() + self as usize - Self::OF_TABLES[0] as usize
    }

    /// The name of the class in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::PointSelect => "point_select",
            Self::SimpleRange => "simple_range",
            Self::SumRange => "sum_range",
            Self::OrderRange => "order_range",
            Self::DistinctRange => "distinct_range",
            Self::IndexUpdate => "index_update",
            Self::NonIndexUpdate => "non_index_update",
            Self::Delete => "delete",
            Self::Insert => "insert",
            Self::Commit => "commit",
        }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

//! The journal of a verified run: the write of each block that the target has made durable, kept on another
//! device. After a crash it gives the data that the target must still hold.
//!
//! A record is written after the target has acknowledged the flush that the write was followed by. A head
//! says how many records the journal's own device had made durable, so that a journal that lost any of those
//! is not taken for one that a crash cut short.

mod claims;
mod format;
#[cfg(any(test, fuzzing))]
mod image;
#[cfg(any(test, fuzzing))]
pub(crate) mod changed;
mod place;
mod read;
mod report;
mod window;
mod write;

#[cfg(test)]
mod tests;

pub use format::is_journal;
pub use place::JournalPlace;
pub(crate) use read::Journal;
pub use report::{JournalEnd, JournalReport};
pub(crate) use write::{JournalSender, JournalWriter};

/// A block after a failed write: anything may be there from then on.
pub(crate) const NOTHING: u32 = 0;

/// The summary of a run's journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalSummary {
    /// Durable writes of blocks that it holds.
    pub records: u64,
    /// Durable writes that it does not hold: its device was too slow, or too many writes waited for one
    /// flush.
    pub left_out: u64,
    /// The error that ended it early, if any.
    pub error: Option<String>,
}

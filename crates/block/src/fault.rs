//! What can be wrong with a block that was written.

/// One block that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockFault {
    /// Where the block begins.
    pub offset_bytes: u64,
    /// What is wrong.
    pub kind: FaultKind,
    /// What was expected and what was found.
    pub detail: String,
}

/// Ways in which stored data can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Bits differ from what was written.
    Flipped,
    /// Parts of two writes.
    Torn,
    /// After a crash: a write that was made durable is not there, an older one is.
    Lost,
    /// The last acknowledged write is not there, something older is.
    Stale,
    /// Data that was written to another offset.
    Misplaced,
    /// The read failed.
    Unreadable,
}

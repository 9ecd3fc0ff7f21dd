//! The faults of a written block.

/// One block that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockFault {
    /// The start of the block.
    pub offset_bytes: u64,
    /// The kind of fault.
    pub kind: FaultKind,
    /// The expected and the found contents.
    pub detail: String,
}

/// Ways in which stored data can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Bits differ from the written ones.
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

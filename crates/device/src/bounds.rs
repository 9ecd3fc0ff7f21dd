//! Bounds of the model that several of its parts hold to.

/// Bytes of the smallest transfer the model knows; shorter ones cost as much (drives map flash in 4 KiB).
pub(crate) const PAGE_BYTES: u64 = 4096;

/// No single part of an operation takes longer than this, about 69 s: it keeps every product of times and
/// multipliers inside 64 bits, whatever the specification says.
pub(crate) const TIME_MAX_NS: u64 = 1 << 36;

/// More units than any drive has.
pub(crate) const UNITS_MAX: u32 = 65_536;

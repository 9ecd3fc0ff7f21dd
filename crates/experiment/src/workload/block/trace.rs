//! The trace of a replay, as its run records it.

use crate::keys::table::table;

/// Speeds between a standstill and more than any target follows.
const SPEEDS: (f64, f64) = (1e-6, 1e6);

table! {
    /// The trace that a replay followed, in place of streams.
    pub struct Trace "trace" {
        /// The name of its file.
        file: String = required("\"io.log\"").filled();
        /// 64-bit FNV-1a of its bytes: another trace may have the same name.
        checksum: String = required("\"af63dc4c8601ec8c\"").filled();
        /// The speed relative to the recording; without it I/Os start as soon as `depth_max` allows.
        speed: Option<f64> = optional().within(SPEEDS.0, SPEEDS.1);
        /// True if writes and discards were left out.
        reads_only: bool = implied(false);
    }
}

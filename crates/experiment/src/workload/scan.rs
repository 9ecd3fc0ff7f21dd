//! Reading whole tables: scans against lookups by an index, and scans of fragmented files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Share, Size};
use crate::words::displayed_as_written;

/// A full scan against lookups by an index that reads the same rows: where does the one overtake the other?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scan {
    /// What tables call this workload; `scan` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Rows of the table, each of roughly `row_bytes`. Below a few times the memory, a cold cache is the only one that reads the drive.
    #[schemars(range(min = 1000, max = 2_000_000_000))]
    pub rows: u32,
    /// Bytes of a row's payload; 100 when left out, as in the published test.
    #[serde(default = "hundred_bytes")]
    #[schemars(range(min = 1, max = 4000))]
    pub row_bytes: u32,
    /// The levels: shares of the rows that are asked for, for example `["0.01%", "1%", "100%"]`.
    #[schemars(length(min = 1))]
    pub selectivity: Vec<Share>,
}

/// Cold scans of a table whose file was grown in pieces, in turn with another file, against one that was allocated at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fragmentation {
    /// What tables call this workload; `fragmentation` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Rows of the table, each of roughly `row_bytes`.
    #[schemars(range(min = 1000, max = 2_000_000_000))]
    pub rows: u32,
    /// Bytes of a row's payload; 100 when left out, as in the published test.
    #[serde(default = "hundred_bytes")]
    #[schemars(range(min = 1, max = 4000))]
    pub row_bytes: u32,
    /// The levels: the pieces in which the file grows, for example `["1MiB", "64KiB"]`. A file that is allocated at once is always
    /// measured beside them, as level 0.
    #[schemars(length(min = 1))]
    pub fragments: Vec<Size>,
    /// A file system that is made for the test in an image below the bed's storage, for which the run must be root; the storage's own
    /// when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filesystem: Option<Filesystem>,
}

pub(crate) fn hundred_bytes() -> u32 {
    100
}

/// A file system that a test can make for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Filesystem {
    /// The most common one; extents, delayed allocation.
    Ext4,
    /// Extents, allocation groups, speculative preallocation.
    Xfs,
    /// Copy on write.
    Btrfs,
}

displayed_as_written! {
    Filesystem { Ext4 => "ext4", Xfs => "xfs", Btrfs => "btrfs" }
}

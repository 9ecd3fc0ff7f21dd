//! Loads for the tests of this module's files.

use study::profile::LoadShape;

/// Random 4 KiB reads and writes at depth 4, with this share of reads.
pub(super) fn shape(read_share: f64) -> LoadShape {
    LoadShape {
        read_share,
        block_bytes: 4096,
        is_sequential: false,
        depth: 4,
        offered_per_s: None,
        flush_every: None,
        is_from_rest: false,
    }
}

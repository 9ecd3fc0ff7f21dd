//! Dates as order entry stores them.

use std::time::{SystemTime, UNIX_EPOCH};

/// Wall clock, ms since 1970: what order entry stores as dates.
pub(crate) fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

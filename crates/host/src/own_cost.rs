//! The resources that this process has used.

use serde::Serialize;

/// The resources that this process has used since its start, all threads together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct OwnCost {
    /// CPU time in user mode.
    pub user_ns: u64,
    /// CPU time in the kernel.
    pub system_ns: u64,
    /// Times it gave up the CPU to wait.
    pub voluntary_switches: u64,
    /// Times the CPU was taken from it.
    pub involuntary_switches: u64,
    /// Largest memory it ever held.
    pub max_rss_bytes: u64,
}

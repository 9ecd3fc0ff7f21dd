//! What this process itself has cost the machine.

use serde::Serialize;

/// What this process has used since it started, all threads together.
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

//! The ways in which requests of the kernel reach a mount.

use std::fmt;

/// The way of requests to the server of a mount, and of answers to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Reads and writes of `/dev/fuse` by many threads, each of which waits for one completion.
    Device {
        /// Their number: the deepest queue that is served in time.
        threads: usize,
    },
    /// io_uring: a ring for each processor.
    Rings {
        /// Their number.
        rings: usize,
        /// Requests that each takes at a time.
        depth: usize,
    },
}

impl Transport {
    /// The operations that it takes at a time. Further ones wait in the kernel; so do those of one processor
    /// that are more than its ring takes.
    #[must_use]
    pub fn room(self) -> usize {
        match self {
            Transport::Device { threads } => threads,
            Transport::Rings { depth, .. } => depth,
        }
    }

    /// The word for it in documents.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Transport::Device { .. } => "device",
            Transport::Rings { .. } => "io_uring",
        }
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Transport::Device { threads } => write!(f, "/dev/fuse, {threads} threads"),
            Transport::Rings { rings, .. } => write!(f, "io_uring, rings for {rings} processors"),
        }
    }
}

/// The variable that names the transport: `device` keeps to `/dev/fuse` even where the kernel has io_uring
/// for mounts, for comparisons.
pub const TRANSPORT_VARIABLE: &str = "DRIVETRAIN_MOUNT_TRANSPORT";

/// True if this process asks for `/dev/fuse`.
pub(super) fn keeps_to_device() -> bool {
    std::env::var_os(TRANSPORT_VARIABLE).is_some_and(|value| value == "device")
}

//! The same drives under any program: a FUSE file system over a backing directory that makes every read,
//! write and flush last as long as it would on a modelled drive.
//!
//! Bytes live in ordinary files of the backing directory, so they survive the end of the mount. What the
//! kernel's page cache answers costs nothing, as on a real drive; what reaches this file system is charged:
//! `O_DIRECT` reads and writes one by one, buffered writes when the kernel writes them back (at `fsync`, or
//! on its own schedule), and every `fsync` as one flush. A backing directory may be its own mount point: the
//! files then lie under the mount and are back in sight when it ends.
//!
//! Invariant: the path of a read or write takes no lock of ours but the drive's (held for one computation)
//! and the counters', and allocates nothing. Over `/dev/fuse` a worker that waits for a modelled completion
//! waits in place, and there are enough of them for the deepest queue that a drive takes; over io_uring
//! completions are moments in a heap, and the thread of a ring waits for the next one.
//!
//! Read in this order: whether this machine can ([`support`]), and whether over io_uring (`switch`), who
//! unmounts for ordinary users (`helper`), which mounts there are (`table`), the directories that can be
//! mount points (`point`), mounts that do not answer (`answering`), how mounts end ([`ending`]), the kernel's
//! pages in front of a mount (`pages`), files and folders as the kernel knows them (`node`), what a power cut
//! takes back (`volatile`), what the scheduler knows of threads (`scheduled`): of ours (`servants`) and of
//! those that call (`callers`), the way to a mount and back (`ways`), charging (`charge`), contents, names,
//! what both transports share (`front`), the one over `/dev/fuse` (`calls`), the one over io_uring
//! ([`rings`]), a caller of our own (`probe`), what a mount adds (`rehearsal`) and what it adds while
//! programs use it (`witness`), what answers, and why a kill hangs nobody (`server`), the mount.

mod support;
mod switch;
mod helper;
mod memory;
mod table;
mod system;
mod point;
mod answering;
mod ending;
mod pages;
mod node;
mod volatile;
mod scheduled;
mod servants;
mod callers;
mod ways;
mod charge;
mod contents;
mod names;
mod front;
mod calls;
mod rings;
mod probe;
mod rehearsal;
mod witness;
mod transport;
mod server;
mod mount;

/// A door for `fuzz/` and for tests into the parser of requests.
#[cfg(any(test, fuzzing))]
pub mod fuzzing {
    /// Reads bytes as header and payload of a request.
    ///
    /// # Panics
    /// When the parser passes on what it must not.
    pub fn request(bytes: &[u8]) {
        super::rings::check_request(bytes);
    }
}

#[cfg(test)]
mod tests;

pub use answering::{Silent, check_answers};
pub use ending::{Departure, Hidden, Repaired, is_stale, repair_exactly, repair_stale};
pub use mount::{FuseMount, FuseOptions, measure_floor};
pub use rehearsal::Rehearsal;
pub use support::check;
pub use switch::{RingSwitch, is_left_on, rings_are_on, turn_back};
pub use transport::{TRANSPORT_VARIABLE, Transport};
pub(crate) use ways::size_class;

//! Real bytes, modelled time: every read, write and sync of a program lasts as long as it would on a modelled
//! drive, while the bytes lie in ordinary files.
//!
//! There are two ways in, on the same [`EmulatedDrive`]s. [`Mount`] puts a directory of SQLite databases,
//! opened with the VFS [`VFS_NAME`], on a drive for the databases and one for the logs; reads pass a page
//! cache of a set size, the buffer pool. [`FuseMount`] mounts a file system over a directory for any program:
//! a database server, a load generator. Both count what went through, can cut the power so that unsynced
//! writes are lost, and can be made to [fail](Fault). A [`Backing`] may also be real storage, for comparison.
//!
//! Invariant: bytes are never modelled. A write is in the file when the call returns, so it survives the
//! death of the process; the model decides only when the call returns and what a power cut takes back. An
//! acknowledged sync survives a power cut, a panic never reaches SQLite, and no mount outlives its process.
//! The `device` crate knows nothing of any of this.
//!
//! Read in this order: the drive that waits ([`EmulatedDrive`]), the way through a mount (`way`), the
//! counters and what follows from them (`seen`), faults and undo information that both ways share, `vfs`,
//! [`floor`](measure_floor), [`fuse`].

mod aside;
mod drive;

mod way;
mod counters;
mod seen;
mod error;
mod fault;
mod recorder;
mod undo;

mod vfs;

mod floor;
mod floor_files;
mod beyond;
pub mod fuse;

pub use counters::{Counters, Counts, Io, IoCounts};
pub use drive::charge_block;
pub use drive::{Backing, Charge, EmulatedDrive, LATE_NS, LATE_SHARE, idle_processors_stay_awake};
pub use error::EmulateError;
pub use fault::Fault;
pub use floor::{Floor, Timing, measure_floor};
pub use floor_files::remove_floor_files;
pub use fuse::{FuseMount, FuseOptions};
pub use seen::{Judged, NEAR, Seen};
pub use vfs::{CallTimes, Mount, MountOptions, VFS_NAME, time_calls};
pub use way::{CallersSeen, WAYS, Way};

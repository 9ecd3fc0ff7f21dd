//! Real bytes, modelled time, under SQLite: a VFS that keeps databases in ordinary files and makes every
//! read, write and sync last as long as it would on a modelled drive.
//!
//! A directory is [mounted](Mount) with a drive for its databases and one for its logs (or real storage, for
//! comparison); databases in it are opened with the VFS [`VFS_NAME`]. Reads pass a page cache of a set size,
//! the buffer pool. The mount counts what went through, can [cut the power](Mount::cut_power) so that
//! unsynced writes are lost, and can be made to [fail](Fault).
//!
//! Invariant: bytes are never modelled. What SQLite wrote is in the file when the call returns, so it
//! survives the death of the process; the model decides only when the call returns and what a power cut takes
//! back. The `device` crate knows nothing of SQLite.
//!
//! Read in this order: the [`EmulatedDrive`] that waits, the pool, the undo information and the locks, one
//! shared file, the files of a mount, the [`Mount`] itself, and last the translation to C.

mod aside;
mod awake;
mod clock;
mod counters;
mod drive;
mod error;
mod fault;
mod recorder;

mod locks;
mod oslock;
mod pool;
mod store;
mod undo;
mod urgent;

mod common;
mod file;
mod gather;
mod write;

mod cut;
mod handle;
mod state;

mod registry;

mod mount;
mod boundary;
mod open_file;
mod vfs;

mod floor;
pub mod fuse;

#[cfg(test)]
mod model_test;

pub use awake::idle_processors_stay_awake;
pub use boundary::VFS_NAME;
pub use counters::{Counters, Counts, Io, IoCounts};
pub use drive::charge_block;
pub use drive::{Backing, Charge, DriveTraffic, EmulatedDrive, LATE_NS, LATE_SHARE};
pub use error::EmulateError;
pub use fault::Fault;
pub use floor::{FLOOR_BYTE, Floor, Timing, is_floor_name, measure_floor};
pub use fuse::{FuseMount, FuseOptions};
pub use mount::{Mount, MountOptions};

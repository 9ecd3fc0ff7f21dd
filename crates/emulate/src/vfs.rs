//! The drives under SQLite: a VFS that keeps databases in ordinary files and charges all misses of its page
//! cache to the drives of a mount.
//!
//! Read in this order: the page cache ([`pool`]) and the locks, one shared file, the files of a mount, the
//! [`Mount`] itself, and last the translation to C ([`calls`], [`open_file`]).

mod locks;
mod oslock;
pub(crate) mod pool;
pub(crate) mod store;

mod common;
mod file;
mod gather;
mod write;

mod cut;
pub(crate) mod handle;
pub(crate) mod state;

mod registry;

mod boundary;
mod calls;
mod mount;
mod open_file;
mod timed;

#[cfg(test)]
mod model_test;

pub use boundary::VFS_NAME;
pub use mount::{Mount, MountOptions};
pub use timed::{CallTimes, time_calls};

//! Changes of a file system that hold through errors, crashes and full disks: files made exclusively,
//! replaced whole, and recognised again; and the [outputs](Outputs) that a user names.
//!
//! Invariant: each call of the kernel that makes, writes, syncs, renames or removes a file first passes a
//! [`fault::point`], and so do nearly all that read. A test can make the n-th one fail, for each n, so that
//! no path of failure is left to luck. No file is written through a symbolic link at the last component of
//! its path; functions that only read by a path ([`read`], [`Dir::open`], [`Input`]) follow links.

mod calls;
mod dir;
pub mod fault;
mod file;
mod input;
mod nonce;
mod output;
mod replace;
mod stamp;

pub use calls::{
    canonicalize, create_dir, create_dir_all, is_writable, list, metadata, metadata_if_any, parent, read,
    read_to_string, remove_dir, remove_file, rename, room_bytes, sync_dir,
};
pub use dir::{Dir, Facts, FileKind};
pub use fault::Call;
pub use file::File;
pub use input::{Input, text_of_file};
pub use nonce::nonce;
pub use output::{Output, OutputError, OutputFile, OutputKind, Outputs, Precious};
pub use replace::{Partial, replace};
pub use stamp::{Moved, Stamp};

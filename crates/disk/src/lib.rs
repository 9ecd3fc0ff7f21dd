//! Changes of a file system that hold through errors, crashes and full disks: files made exclusively,
//! replaced whole, and recognised again.
//!
//! Invariant: each call of the kernel that this crate makes first passes a [`fault::point`]. A test can make
//! the n-th one fail, for each n, so that no path of failure is left to luck. Nothing here follows a symbolic
//! link at the last component of a path.

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

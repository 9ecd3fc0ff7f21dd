//! The common part of SQLite's callbacks: their name, and the rule that no panic crosses into C.

use std::ffi::{CStr, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::ffi;

use crate::recorder::Failed;

/// Name under which SQLite knows the VFS: `Connection::open_with_flags_and_vfs(path, flags, VFS_NAME)`.
pub const VFS_NAME: &str = "drivetrain";
/// The same for C.
pub(crate) const VFS_NAME_C: &CStr = c"drivetrain";

/// Runs a callback's body; a failure or a panic becomes its code.
pub(crate) fn guarded(body: impl FnOnce() -> Result<(), Failed>) -> c_int {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => ffi::SQLITE_OK,
        Ok(Err(Failed(code))) => code,
        Err(_) => ffi::SQLITE_IOERR,
    }
}

//! The mounted directories, in which SQLite's file names are looked up.

use std::path::Path;
use std::sync::Arc;

use parking_lot::RwLock;

use super::state::State;
use crate::error::EmulateError;

/// All mounts of the process. SQLite finds the one with the longest prefix of a file's path.
static MOUNTS: RwLock<Vec<Arc<State>>> = RwLock::new(Vec::new());

/// Adds a mount.
///
/// # Errors
/// Its directory is mounted already.
pub(crate) fn add(state: &Arc<State>) -> Result<(), EmulateError> {
    let mut mounts = MOUNTS.write();
    if mounts.iter().any(|mounted| mounted.dir == state.dir) {
        return Err(EmulateError::AlreadyMounted { path: state.dir.clone() });
    }
    mounts.push(Arc::clone(state));
    Ok(())
}

/// Takes it out: no file of it can be opened any more.
pub(crate) fn remove(state: &Arc<State>) {
    MOUNTS.write().retain(|mounted| !Arc::ptr_eq(mounted, state));
}

/// The mount that a path belongs to.
pub(crate) fn find(path: &Path) -> Option<Arc<State>> {
    let mounts = MOUNTS.read();
    let inside = mounts.iter().filter(|mounted| path.starts_with(&mounted.dir));
    inside.max_by_key(|mounted| mounted.dir.as_os_str().len()).cloned()
}

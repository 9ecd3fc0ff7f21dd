//! Files that loads without an experiment make as their targets, and the treatment of those that a kill left.

use std::path::Path;

use remains::{EntryKind, Note};

/// Notes that a target is about to be made at `path`, for the command that comes after a kill. An existing
/// file already has an owner.
pub(crate) fn note(path: &Path) -> Option<Note> {
    let is_free = path.symlink_metadata().is_err() && !lab::clean::is_target(path);
    // A note says where the file is whatever links and folders become.
    let path = disk::parent(path).canonicalize().ok()?.join(path.file_name()?);
    is_free.then(|| Note::before(EntryKind::Target, &path, ""))
}

//! Files that loads without an experiment make as their targets, and what becomes of them when they are killed.

use std::path::Path;

use remains::{Kind, Note};

/// Notes that a target is about to be made at `path`, for the command that comes after a kill. What is there already has an owner.
pub(crate) fn note(path: &Path) -> Option<Note> {
    let is_free = path.symlink_metadata().is_err() && !lab::clean::is_target(path);
    let path = std::path::absolute(path).ok().filter(|_| is_free)?;
    Some(Note::before(Kind::Target, &path, ""))
}

//! Removal of a killed drivetrain's remains, by its notes ([`remains`]): a note only gives a place, and the
//! thing found there must prove itself.

use std::io;
use std::path::Path;

use remains::{Entry, EntryKind};

use crate::error::DatabaseError;
use crate::marker::Marker;
use crate::{group, image, server};

/// Removes the thing that a dead process noted. Whether there was one; [`EntryKind::Data`] and
/// [`EntryKind::Target`] are not known here and never there.
///
/// - A server is ended when its directory bears our marker, nobody has the directory's lock, and number,
///   start and command line of the process are those that were recorded.
/// - A mount is taken down when it is a modelled drive that nobody serves; files of its own measurement go
///   from the backing directory, which is the detail of its note.
/// - A file system in an image is unmounted when the image is the one in a directory that bears our marker.
/// - A control group is removed when it is empty, a folder of sockets when it is the same one by inode and
///   birth.
/// - A setting of the machine is turned back when it is one that we turn, and no living process of ours wants
///   it.
///
/// # Errors
/// When it is ours and cannot be removed.
pub fn remove(entry: &Entry) -> Result<bool, DatabaseError> {
    let path = entry.path.as_path();
    let doing = |what| DatabaseError::io(what, path);
    match entry.kind {
        EntryKind::Server => end_server(path),
        EntryKind::Mount => {
            let was_there = emulate::fuse::repair_exactly(path).map_err(doing("unmounting"))?;
            emulate::remove_floor_files(Path::new(&entry.detail));
            Ok(was_there)
        }
        EntryKind::Image => image::unmount_dead(path).map_err(doing("unmounting the image in")),
        EntryKind::ControlGroup => group::remove_dead(path).map_err(doing("removing the control group")),
        EntryKind::SocketFolder => {
            server::remove_dead_socket_folder(path, entry.stamp.as_deref()).map_err(doing("removing"))
        }
        EntryKind::Setting => emulate::fuse::turn_back(path).map_err(doing("turning back")),
        EntryKind::Data | EntryKind::Target => Ok(false),
    }
}

/// True if the thing that a dead process noted seems to exist; nothing is touched.
#[must_use]
pub fn is_there(entry: &Entry) -> bool {
    let path = entry.path.as_path();
    match entry.kind {
        EntryKind::Server => Marker::is_ours(path) && server::is_left_behind(path),
        EntryKind::Mount => emulate::fuse::is_stale(path),
        EntryKind::Image => image::is_mounted(path),
        EntryKind::ControlGroup => group::is_dead(path),
        EntryKind::SocketFolder => server::is_dead_socket_folder(path, entry.stamp.as_deref()),
        EntryKind::Setting => emulate::fuse::is_left_on(path),
        EntryKind::Data | EntryKind::Target => path.symlink_metadata().is_ok(),
    }
}

fn end_server(dir: &Path) -> Result<bool, DatabaseError> {
    let is_dir = dir.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    if !is_dir || !Marker::is_ours(dir) || !server::is_left_behind(dir) {
        return Ok(false);
    }
    match server::end_left_behind(dir) {
        // Another drivetrain works in it by now, and has ended the remains.
        Err(DatabaseError::Server(crate::error::ServerError::Busy { .. })) => Ok(false),
        ended => ended.map(|()| true),
    }
}

/// True if a thing could not be removed because something uses it.
#[must_use]
pub fn is_busy(error: &DatabaseError) -> bool {
    matches!(error, DatabaseError::Io { source, .. } if source.kind() == io::ErrorKind::ResourceBusy)
}

/// The words of an error for a list.
#[must_use]
pub fn in_words(error: &DatabaseError) -> String {
    match error {
        busy if is_busy(busy) => "it is still in use".to_owned(),
        DatabaseError::Io { source, .. } => source.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_somebody_else_is_neither_said_to_be_ours_nor_removed() {
        let temp = tempfile::tempdir().unwrap();
        assert!(!group::is_dead(temp.path()) && !group::remove_dead(temp.path()).unwrap());
        for stamp in [None, Some("no stamp")] {
            assert!(!server::is_dead_socket_folder(temp.path(), stamp), "{stamp:?}");
            assert!(!server::remove_dead_socket_folder(temp.path(), stamp).unwrap(), "{stamp:?}");
        }
        assert!(temp.path().is_dir());
    }
}

//! The folder of notes: one for each user, closed to all others.

use std::fs::{DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use disk::Call;
use disk::fault::point;

/// Names a folder that is used instead of the usual ones.
pub const VARIABLE: &str = "DRIVETRAIN_RUNTIME_DIR";
/// Bits of a mode that let others in.
const OTHERS: u32 = 0o077;
/// Bits of a mode that let others write.
const OTHERS_WRITE: u32 = 0o022;
/// In such a directory nobody removes or renames a file of another user.
const STICKY: u32 = 0o1000;
/// The mode of a folder that this program makes. The sticky bit changes nothing in a private folder: it tells
/// the folder from one that the user has made, from the moment at which it is there.
const MADE: u32 = STICKY | 0o700;

/// The possible places of this user's notes, the usual one first. They do not depend on the session's
/// environment, so that a command in one session finds the notes of another.
pub(crate) fn candidates() -> Vec<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return vec![PathBuf::from(named)];
    }
    let uid = rustix::process::geteuid().as_raw();
    let first = match uid {
        0 => PathBuf::from("/run/drivetrain"),
        uid => PathBuf::from(format!("/run/user/{uid}/drivetrain")),
    };
    let shared =
        ["/tmp", "/var/tmp", "/dev/shm"].map(|base| Path::new(base).join(format!(".drivetrain-{uid}")));
    std::iter::once(first).chain(shared).collect()
}

/// The folders that are there and can be trusted.
pub(crate) fn trusted() -> Vec<PathBuf> {
    candidates().into_iter().filter(|dir| is_trusted(dir)).collect()
}

/// The first folder that can be trusted, made where there is none.
///
/// # Errors
/// When no place takes one.
pub(crate) fn make() -> io::Result<PathBuf> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for dir in candidates() {
        match make_in(&dir) {
            Ok(()) if is_trusted(&dir) => return Ok(dir),
            // Somebody else may have laid it there.
            Ok(()) => last = io::ErrorKind::PermissionDenied.into(),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn make_in(dir: &Path) -> io::Result<()> {
    point(Call::MakeDir, dir)?;
    match DirBuilder::new().mode(MADE).create(dir) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Removes a folder whose last note is gone, if this program made it. One that the user has made stays.
pub(crate) fn remove(dir: &Path) {
    if disk::metadata(dir).is_ok_and(|own| own.is_dir() && own.mode() & STICKY != 0) {
        let _ = disk::remove_dir(dir); // Other notes are in it, as a rule.
    }
}

/// True if `dir` itself, not the target of a link, is a directory of our own user that nobody else can read
/// or replace.
fn is_trusted(dir: &Path) -> bool {
    let (Ok(own), Some(Ok(above))) = (disk::metadata(dir), dir.parent().map(std::fs::metadata)) else {
        return false;
    };
    let uid = rustix::process::geteuid().as_raw();
    own.is_dir() && own.uid() == uid && own.mode() & OTHERS == 0 && holds_still(&above, uid)
}

/// True if names in a directory with these facts can be changed only by root and us.
fn holds_still(above: &Metadata, uid: u32) -> bool {
    let mode = above.mode();
    let is_trusted = above.uid() == 0 || above.uid() == uid;
    is_trusted && (mode & OTHERS_WRITE == 0 || mode & STICKY != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    fn set(dir: &Path, mode: u32) {
        fs::set_permissions(dir, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_folder_that_others_could_have_a_hand_in_is_not_trusted() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("notes");
        make_in(&dir).unwrap();
        make_in(&dir).unwrap();
        assert!(is_trusted(&dir));
        for mode in [0o777, 0o750, 0o701] {
            set(&dir, mode);
            assert!(!is_trusted(&dir), "{mode:o}");
        }
        set(&dir, 0o700);
        set(temp.path(), 0o777);
        assert!(!is_trusted(&dir), "anybody can put another in its place");
        set(temp.path(), 0o1777);
        assert!(is_trusted(&dir));
        let link = temp.path().join("link");
        std::os::unix::fs::symlink(&dir, &link).unwrap();
        assert!(!is_trusted(&link));
        fs::write(temp.path().join("file"), "").unwrap();
        assert!(!is_trusted(&temp.path().join("file")));
    }

    #[test]
    fn only_a_folder_that_this_program_made_is_removed() {
        let temp = tempfile::tempdir().unwrap();
        let (own, users) = (temp.path().join("own"), temp.path().join("users"));
        DirBuilder::new().mode(0o700).create(&users).unwrap();
        for dir in [&own, &users] {
            make_in(dir).unwrap();
            fs::write(dir.join("a.note"), "").unwrap();
            remove(dir);
            assert!(is_trusted(dir) && dir.join("a.note").exists(), "{}", dir.display());
            fs::remove_file(dir.join("a.note")).unwrap();
            remove(dir);
        }
        assert!(!own.exists() && users.exists());
        let link = temp.path().join("link");
        make_in(&own).unwrap();
        std::os::unix::fs::symlink(&own, &link).unwrap();
        remove(&link);
        assert!(own.exists() && link.exists());
    }

    #[test]
    fn another_users_folder_is_not_trusted() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("notes");
        make_in(&dir).unwrap();
        // Only root can give something away; anybody else finds root's own folder foreign.
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&dir, Some(65_534), None).unwrap();
            assert!(!is_trusted(&dir));
        } else {
            assert!(!is_trusted(Path::new("/")));
        }
    }
}

//! The folder of notes: one for each user, closed to all others.

use std::fmt;
use std::fs::{DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use disk::Call;
use disk::fault::point;

/// Names a folder that is used instead of the usual ones.
pub const VARIABLE: &str = "DRIVETRAIN_RUNTIME_DIR";
/// Attempts to use a folder while another process removes it, empty.
const ATTEMPTS: u32 = 5;
/// Bits of a mode that say who may do what.
const MODE: u32 = 0o7777;
/// Bits of a mode that let others in.
const OTHERS: u32 = 0o077;
/// Bits of a mode that let others write.
const OTHERS_WRITE: u32 = 0o022;
/// In such a directory nobody removes or renames a file of another user.
const STICKY: u32 = 0o1000;
/// The mode of a folder that this program makes. The sticky bit changes nothing in a private folder: it tells
/// the folder from one that the user has made, from the moment at which it is there.
const MADE: u32 = STICKY | 0o700;

/// The folder that the user names.
fn named() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).filter(|named| !named.is_empty()).map(PathBuf::from)
}

/// The possible places of this user's notes, the usual one first. They do not depend on the session's
/// environment, so that a command in one session finds the notes of another.
fn candidates() -> Vec<PathBuf> {
    if let Some(named) = named() {
        return vec![named];
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
    candidates().into_iter().filter(|dir| why_not_trusted(dir).is_none()).collect()
}

/// The folder that takes no note, the last one that was tried, and why.
#[derive(Debug)]
pub struct NoPlace {
    dir: PathBuf,
    why: io::Error,
}

impl NoPlace {
    /// True if the user named the folder. Otherwise none of the usual ones takes a note.
    #[must_use]
    pub fn is_named(&self) -> bool {
        named().is_some()
    }
}

impl fmt::Display for NoPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dir, why) = (self.dir.display(), &self.why);
        let lost = "a kill would leave things that no command finds";
        match self.is_named() {
            true => write!(
                f,
                "{dir}, which {VARIABLE} names, takes no notes of this program: {why}; {lost}: name a directory \
                 of your own with mode 700, or one that is not there yet"
            ),
            false => write!(
                f,
                "no directory takes the notes of this program, at last {dir}: {why}; {lost}: name a directory of \
                 your own by {VARIABLE}"
            ),
        }
    }
}

impl std::error::Error for NoPlace {}

/// Success if the notes of this user can be read, should there be any.
///
/// # Errors
/// The folder that the user names is there and is not trusted: nothing in it counts.
pub fn check_trust() -> Result<(), NoPlace> {
    let there = named().filter(|dir| dir.symlink_metadata().is_ok());
    match there.and_then(|dir| why_not_trusted(&dir).map(|why| (dir, why))) {
        Some((dir, why)) => Err(NoPlace { dir, why: why.into() }),
        None => Ok(()),
    }
}

/// Does `work` in the first folder that can be trusted and lets it be done, made where there is none.
///
/// # Errors
/// When no place takes it.
pub(crate) fn in_the_first<T>(mut work: impl FnMut(&Path) -> io::Result<T>) -> Result<T, NoPlace> {
    let mut last = None;
    for dir in candidates() {
        match in_one(&dir, &mut work) {
            Ok(done) => return Ok(done),
            Err(why) => last = Some(NoPlace { dir, why }),
        }
    }
    let nowhere = || NoPlace { dir: PathBuf::new(), why: io::ErrorKind::NotFound.into() };
    Err(last.unwrap_or_else(nowhere))
}

fn in_one<T>(dir: &Path, work: &mut impl FnMut(&Path) -> io::Result<T>) -> io::Result<T> {
    if !dir.is_absolute() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "its path is not absolute"));
    }
    let mut attempt = 1;
    loop {
        make_in(dir)?;
        let done = match why_not_trusted(dir) {
            // Somebody else may have laid it there.
            Some(why) => Err(why.into()),
            None => work(dir),
        };
        match done {
            // Whoever removed the last note has removed the folder as well.
            Err(error) if error.kind() == io::ErrorKind::NotFound && attempt < ATTEMPTS => attempt += 1,
            done => return done,
        }
    }
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

/// Why a folder is not trusted.
struct Doubt {
    kind: io::ErrorKind,
    text: String,
}

impl From<Doubt> for io::Error {
    fn from(doubt: Doubt) -> Self {
        io::Error::new(doubt.kind, doubt.text)
    }
}

/// `None` if `dir` itself, not the target of a link, is a directory of our own user that nobody else can read
/// or replace.
fn why_not_trusted(dir: &Path) -> Option<Doubt> {
    let doubt = |text: String| Some(Doubt { kind: io::ErrorKind::PermissionDenied, text });
    let (Ok(own), Some(Ok(above))) = (disk::metadata(dir), dir.parent().map(std::fs::metadata)) else {
        return Some(Doubt { kind: io::ErrorKind::NotFound, text: "it cannot be looked at".to_owned() });
    };
    let uid = rustix::process::geteuid().as_raw();
    match own.mode() & MODE {
        _ if !own.is_dir() => doubt("it is no directory".to_owned()),
        _ if own.uid() != uid => doubt(format!("it belongs to user {}", own.uid())),
        mode if mode & OTHERS != 0 => doubt(format!("its mode {mode:o} lets other users in")),
        _ if !holds_still(&above, uid) => doubt("other users can put another in its place".to_owned()),
        _ => None,
    }
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

    fn is_trusted(dir: &Path) -> bool {
        why_not_trusted(dir).is_none()
    }

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

    #[test]
    fn a_folder_that_takes_nothing_says_why() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("notes");
        let mut write = |dir: &Path| fs::write(dir.join("a"), "");
        in_one(&dir, &mut write).unwrap();
        set(&dir, 0o755);
        let error = in_one(&dir, &mut write).unwrap_err();
        assert_eq!(error.to_string(), "its mode 755 lets other users in");
        set(&dir, 0o700);
        in_one(&dir, &mut write).unwrap();
        let error = in_one(Path::new("relative"), &mut write).unwrap_err();
        assert_eq!(error.to_string(), "its path is not absolute");
        let full = |_: &Path| Err::<(), _>(io::ErrorKind::StorageFull.into());
        assert_eq!(in_one(&dir, &mut { full }).unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}

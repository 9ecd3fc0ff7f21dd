//! A file system of our own in an image file: made, mounted and removed. Needs root.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use remains::{EntryKind, Note};

use crate::error::DatabaseError;
pub use crate::error::ImageError;
use crate::marker::Marker;

/// The image, and where it is mounted.
const FILE: &str = "filesystem.image";
const MOUNTED: &str = "mounted";

/// A mounted file system. Dropping it unmounts it; the image goes with its directory.
#[derive(Debug)]
pub struct Image {
    mounted: PathBuf,
    note: Option<Note>,
}

impl Image {
    /// Makes a file system of `kind` (ext4, xfs, btrfs) and `bytes` in directory `dir`, which is claimed, and
    /// mounts it. The remains of an older one there are unmounted and removed.
    ///
    /// # Errors
    /// When we are not root, the program that makes it is missing, or there is no room or no loop device.
    pub fn make(dir: &Path, kind: &str, bytes: u64) -> Result<Self, DatabaseError> {
        if !rustix::process::geteuid().is_root() {
            return Err(ImageError::NotRoot.into());
        }
        release(dir);
        Marker::remove_ours(dir)?;
        let marker = Marker::claim(dir)?;
        let (image, mounted) = (dir.join(FILE), dir.join(MOUNTED));
        let file = marker.create(FILE, 0o644)?;
        file.set_len(bytes).map_err(DatabaseError::io("sizing", &image))?;
        let quiet = if kind == "ext4" { "-F" } else { "-f" };
        run(Command::new(format!("mkfs.{kind}")).args(["-q", quiet]).arg(&image))?;
        // Unmarked while it is mounted over: only an empty directory of ours is ever removed by this name.
        disk::create_dir(&mounted).map_err(DatabaseError::io("creating", &mounted))?;
        Marker::claim(&mounted)?;
        let note = fs::canonicalize(dir).ok().map(|dir| Note::before(EntryKind::Image, &dir, ""));
        run(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(&mounted))?;
        Ok(Self { mounted, note })
    }

    /// The root of the file system.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.mounted
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        if unmount(&self.mounted).is_err()
            && let Some(note) = self.note.take()
        {
            note.leave();
        }
    }
}

/// Unmounts the image that a kill left mounted in `dir`.
pub fn release(dir: &Path) {
    let _ = unmount_dead(dir); // A file system that is still in use is found by whoever removes the directory next.
}

/// Unmounts the image in `dir`, which bears our marker. Whether it was mounted.
pub(crate) fn unmount_dead(dir: &Path) -> io::Result<bool> {
    if !is_mounted(dir) {
        return Ok(false);
    }
    unmount(&dir.join(MOUNTED)).map(|()| true)
}

/// True if the image in `dir`, which bears our marker, is mounted there: by a loop device over that very
/// file, and nothing else.
pub(crate) fn is_mounted(dir: &Path) -> bool {
    let Ok(dir) = fs::canonicalize(dir) else { return false };
    let (image, target) = (dir.join(FILE), dir.join(MOUNTED));
    let table = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let mut lines = table.lines().map(|line| line.split(' '));
    let device = lines.find_map(|mut fields| {
        let device = fields.next()?;
        (fields.next().map(unescape)?.as_str() == target.to_str()?).then(|| device.to_owned())
    });
    let name = device.as_deref().and_then(|device| device.strip_prefix("/dev/"));
    let backing =
        name.and_then(|name| fs::read_to_string(format!("/sys/block/{name}/loop/backing_file")).ok());
    Marker::is_ours(&dir) && backing.is_some_and(|backing| Path::new(backing.trim_end_matches('\n')) == image)
}

/// Blanks and the like are written as three octal digits.
fn unescape(text: &str) -> String {
    text.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

fn unmount(path: &Path) -> io::Result<()> {
    let output = Command::new("umount").arg(path).stdin(Stdio::null()).output()?;
    let words = || String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() { Ok(()) } else { Err(io::Error::other(words())) }
}

fn run(command: &mut Command) -> Result<(), ImageError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |why: String| ImageError::Program { program: program.clone(), why };
    let output = command.stdin(Stdio::null()).output().map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let words = [output.stdout, output.stderr].concat();
    Err(failed(String::from_utf8_lossy(&words).trim().to_owned()))
}

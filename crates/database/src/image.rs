//! A file system of our own in an image file: made, mounted and removed. Needs root.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{DatabaseError, Marker};

/// The image, and where it is mounted.
const FILE: &str = "filesystem.image";
const MOUNTED: &str = "mounted";

/// A mounted file system. Dropping it unmounts it; the image goes with its directory.
#[derive(Debug)]
pub struct Image {
    mounted: PathBuf,
}

/// Why there is no file system of our own.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// Somebody else would have to do it.
    #[error("making a file system needs root; run as root, or leave `filesystem` out")]
    NotRoot,
    /// A program failed or is not there.
    #[error("{program}: {why}")]
    Program {
        /// Which program.
        program: String,
        /// Its words.
        why: String,
    },
}

impl Image {
    /// Makes a file system of `kind` (ext4, xfs, btrfs) and `bytes` in directory `dir`, which is claimed, and mounts it. What an older
    /// one left there is unmounted and thrown away.
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
        let (image, mounted) = (marker.own(FILE)?, dir.join(MOUNTED));
        let file = File::create(&image).map_err(DatabaseError::io("creating", &image))?;
        file.set_len(bytes).map_err(DatabaseError::io("sizing", &image))?;
        let quiet = if kind == "ext4" { "-F" } else { "-f" };
        run(Command::new(format!("mkfs.{kind}")).args(["-q", quiet]).arg(&image))?;
        // Unmarked while it is mounted over: only an empty directory of ours is ever removed by this name.
        fs::create_dir(&mounted).map_err(DatabaseError::io("creating", &mounted))?;
        Marker::claim(&mounted)?;
        run(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(&mounted))?;
        Ok(Self { mounted })
    }

    /// The root of the file system.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.mounted
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        unmount(&self.mounted);
    }
}

/// Unmounts what a kill left mounted in `dir`.
pub fn release(dir: &Path) {
    unmount(&dir.join(MOUNTED));
}

/// Nothing happens where nothing is mounted.
fn unmount(path: &Path) {
    let is_mounted = fs::read_to_string("/proc/self/mounts").is_ok_and(|mounts| {
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        mounts.lines().any(|line| line.split(' ').nth(1) == target.to_str())
    });
    if is_mounted {
        // A file system that is still in use is found by whoever removes the directory next.
        let _ = Command::new("umount").arg(path).stderr(Stdio::null()).status();
    }
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

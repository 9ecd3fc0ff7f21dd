//! The existing files at the places of outputs.

use std::fs;
use std::io::{self, Read as _};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

use super::OutputError;
use crate::calls::parent;
use crate::fault::{Call, point};
use crate::file::File;
use crate::stamp::Stamp;

/// The ways of writing an output.
#[derive(Debug)]
pub(super) enum Sink {
    /// As a new file.
    New,
    /// In place of a file that may go, as it was when it was looked at.
    Ours(Stamp),
    /// Through an open terminal, null device, stdout or stderr.
    Through(fs::File),
}

/// A file by its device and inode, or the place of one that is not there by the directory and a hash of its
/// name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputPlace {
    File { device: u64, inode: u64 },
    Absent { device: u64, inode: u64, name: u64 },
}

impl OutputPlace {
    /// The place of the file at `path` itself.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        Self::by(path, fs::symlink_metadata(path))
    }

    /// The place of what `path` leads to.
    pub(super) fn of_target(path: &Path) -> io::Result<Self> {
        Self::by(path, fs::metadata(path))
    }

    fn by(path: &Path, found: io::Result<fs::Metadata>) -> io::Result<Self> {
        match found {
            Ok(found) => Ok(Self::of_metadata(&found)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let dir = fs::metadata(parent(path))?;
                let mut hasher = std::hash::DefaultHasher::new();
                std::hash::Hash::hash(&path.file_name(), &mut hasher);
                let name = std::hash::Hasher::finish(&hasher);
                Ok(Self::Absent { device: dir.dev(), inode: dir.ino(), name })
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn of_metadata(found: &fs::Metadata) -> Self {
        Self::File { device: found.dev(), inode: found.ino() }
    }

    pub(super) fn of_open(file: &fs::File) -> io::Result<Self> {
        Ok(Self::of_metadata(&file.metadata()?))
    }

    /// The place of an open regular file; an error for anything else.
    pub(super) fn of_open_file(file: impl AsFd) -> io::Result<Self> {
        let found = fs::File::from(file.as_fd().try_clone_to_owned()?).metadata()?;
        if found.is_file() { Ok(Self::of_metadata(&found)) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }
}

/// True if `path` is a name of the process's own stdout.
pub(super) fn is_stdout(path: &Path) -> bool {
    path.to_str().is_some_and(|path| STDOUT.contains(&path))
}

/// Names of stdout.
const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// The process's own stdout or stderr, where `path` is a name of it.
pub(super) fn standard(path: &Path) -> Option<io::Result<fs::File>> {
    let copy = match path.to_str()? {
        stdout if STDOUT.contains(&stdout) => io::stdout().as_fd().try_clone_to_owned(),
        "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => io::stderr().as_fd().try_clone_to_owned(),
        _ => return None,
    };
    Some(copy.map(fs::File::from))
}

/// True if writing to it is harmless: a terminal, or one of the devices of `mem(4)` that discard data. Other
/// character devices can be whole drives or the memory of the machine.
pub(super) fn is_harmless_device(found: &fs::Metadata) -> bool {
    let (major, minor) = (rustix::fs::major(found.rdev()), rustix::fs::minor(found.rdev()));
    // Numbers of Linux's devices.txt: null, zero and full; consoles (not serial lines, which others listen
    // on), tty and the slaves of Unix98 pseudo-terminals.
    found.file_type().is_char_device()
        && matches!((major, minor), (1, 3 | 5 | 7) | (4, 0..64) | (5, 0) | (136..=143, _))
}

/// The reason why an existing file is never written to, if it is not.
pub(super) fn never(found: &fs::Metadata) -> Option<&'static str> {
    let kind = found.file_type();
    if kind.is_symlink() {
        Some("a symbolic link is there")
    } else if kind.is_dir() {
        Some("a directory is there")
    } else if kind.is_block_device() {
        Some("it is a block device")
    } else if kind.is_char_device() {
        Some("it is a device that is no terminal")
    } else if kind.is_fifo() {
        Some("it is a pipe")
    } else if kind.is_socket() {
        Some("it is a socket")
    } else {
        None
    }
}

pub(super) fn open_device(path: &Path) -> io::Result<fs::File> {
    point(Call::Open, path)?;
    let flags = OFlags::NOFOLLOW | OFlags::NOCTTY;
    let file = fs::OpenOptions::new().write(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    match is_harmless_device(&file.metadata()?) {
        true => Ok(file),
        false => Err(io::Error::other("something else took its place")),
    }
}

/// The first bytes of the file at `path`, and its stamp.
pub(super) fn head(path: &Path) -> io::Result<(Vec<u8>, Stamp)> {
    let file = File::open(path)?;
    let stamp = Stamp::of(&file)?;
    let mut head = Vec::new();
    file.take(4096).read_to_end(&mut head)?;
    Ok((head, stamp))
}

/// The directory of a new file must be there: making it is the user's.
pub(super) fn require_parent(path: &Path) -> Result<(), OutputError> {
    let dir = parent(path);
    let missing = |problem: String| OutputError { path: path.to_owned(), is_refusal: false, problem };
    if path.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(missing("it names no file".to_owned()));
    }
    match fs::metadata(dir) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(missing(format!("{} is no directory", dir.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(missing(format!("the directory {} does not exist; make it first", dir.display())))
        }
        Err(error) => Err(OutputError::failed(path, "made", &error)),
    }
}

//! The only way to write: a permit, given for files that the tool makes itself, and for devices that the user names to be destroyed.
//!
//! A permit is proof that the file at a path was created by this tool. A sidecar file, `NAME.drivetrain-owned`, carries
//! that proof from one process to the next: it names the inode and size of the file, so a file that somebody put in its
//! place is foreign again and stays untouched.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::device::DestroyOrder;
use crate::error::BlockError;
use crate::fill::{self, FillProgress};

/// Target files are multiples of this many bytes, so that the last block takes direct I/O on any device.
pub const FILE_GRAIN_BYTES: u64 = 4096;

const RAW_DEVICE_HELP: &str = "overwriting a raw device needs --destroy /dev/disk/by-id/NAME=SERIAL; to keep it, \
                               name a path for a file instead";

/// Permission to write to one file that this tool made and filled, or to one device that the user named to be destroyed. Obtained from
/// [`create_file`](WritePermit::create_file), [`claim`](WritePermit::claim) or [`claim_device`](WritePermit::claim_device), never from a path
/// alone.
#[derive(Debug, PartialEq, Eq)]
pub struct WritePermit {
    path: PathBuf,
    size_bytes: u64,
    device: u64,
    /// 0 for a device.
    inode: u64,
    /// A device is held as long as it may be written to.
    exclusive: Option<Exclusive>,
}

/// An exclusive open of a device.
#[derive(Debug)]
struct Exclusive(File);

impl PartialEq for Exclusive {
    fn eq(&self, other: &Exclusive) -> bool {
        self.0.as_raw_fd() == other.0.as_raw_fd()
    }
}

impl Eq for Exclusive {}

impl WritePermit {
    /// Makes a new file of `size_bytes` (a multiple of 4096) full of incompressible data and durable on its device.
    ///
    /// # Errors
    /// [`BlockError::Refused`] when anything is at the path already, [`BlockError::NoSpace`], [`BlockError::BadJob`] for
    /// a bad size, [`BlockError::Io`] for a missing or read-only directory. Nothing is left behind on an error.
    pub fn create_file(path: &Path, size_bytes: u64) -> Result<WritePermit, BlockError> {
        WritePermit::create_file_with(path, size_bytes, &mut |_| true)
    }

    /// [`create_file`](WritePermit::create_file) with progress and the chance to stop.
    ///
    /// # Errors
    /// As `create_file`; [`BlockError::Stopped`] when `progress` says no.
    pub fn create_file_with(
        path: &Path,
        size_bytes: u64,
        progress: &mut FillProgress<'_>,
    ) -> Result<WritePermit, BlockError> {
        check_size(size_bytes)?;
        if let Ok(found) = fs::symlink_metadata(path) {
            return Err(refuse_existing(path, &found));
        }
        check_space(path, size_bytes)?;
        Marker { state: State::Creating, size_bytes, device: 0, inode: 0 }.write(path)?;
        let made = make(path, size_bytes, progress);
        if made.is_err() {
            // Only what this call made: the file was opened with O_EXCL after the marker was written.
            let _ = fs::remove_file(marker_path(path));
        }
        made
    }

    /// The file of this size that an earlier run made at this path, or a new one when nothing is there. One of ours with
    /// another size, or one that was not filled to its end, is made anew.
    ///
    /// # Errors
    /// As [`create_file_with`](WritePermit::create_file_with); a foreign file is refused.
    pub fn claim(
        path: &Path,
        size_bytes: u64,
        progress: &mut FillProgress<'_>,
    ) -> Result<WritePermit, BlockError> {
        check_size(size_bytes)?;
        let found = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return WritePermit::create_file_with(path, size_bytes, progress);
            }
            Err(error) => return Err(BlockError::io(path, "look at it", error)),
            Ok(found) => found,
        };
        let Some(marker) = Marker::read(path).filter(|marker| marker.describes(&found)) else {
            return Err(refuse_existing(path, &found));
        };
        if marker.state == State::Filled && marker.size_bytes == size_bytes && found.len() == size_bytes {
            return Ok(WritePermit {
                path: path.to_owned(),
                size_bytes,
                device: found.dev(),
                inode: found.ino(),
                exclusive: None,
            });
        }
        fs::remove_file(path).map_err(|error| BlockError::io(path, "remove our unfinished file", error))?;
        WritePermit::create_file_with(path, size_bytes, progress)
    }

    /// The device of an order, held exclusively from now on. Nothing is written to it here.
    ///
    /// # Errors
    /// [`BlockError::Refused`] unless it is named by its identity and serial, nothing on it or above it is in use, and every signature on it
    /// was named; [`BlockError::Missing`] when it is not there.
    pub fn claim_device(order: &DestroyOrder) -> Result<WritePermit, BlockError> {
        let claimed = order.claim()?;
        Ok(WritePermit {
            path: order.path.clone(),
            size_bytes: claimed.size_bytes,
            device: claimed.device,
            inode: 0,
            exclusive: Some(Exclusive(claimed.exclusive)),
        })
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is for a device rather than a file.
    pub fn is_device(&self) -> bool {
        self.exclusive.is_some()
    }

    /// How large it is.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Deletes the file and its marker, if it is still the file that the permit was given for. A device is let go.
    ///
    /// # Errors
    /// [`BlockError::Refused`] when another file has taken its place, [`BlockError::Io`] when it cannot be removed.
    pub fn remove(self) -> Result<(), BlockError> {
        self.open(false).map(drop)?;
        if self.exclusive.is_some() {
            return Ok(());
        }
        fs::remove_file(&self.path).map_err(|error| BlockError::io(&self.path, "remove it", error))?;
        let marker = marker_path(&self.path);
        fs::remove_file(&marker).map_err(|error| BlockError::io(&marker, "remove it", error))
    }

    /// Opens the file, for writing only when asked, and makes sure that it is the one the permit is for.
    pub(crate) fn open(&self, write: bool) -> Result<File, BlockError> {
        self.open_with(write, 0)
    }

    /// [`open`](Self::open) with further `O_` flags.
    pub(crate) fn open_with(&self, write: bool, flags: i32) -> Result<File, BlockError> {
        let file = OpenOptions::new()
            .read(true)
            .write(write)
            // Names of devices are links by nature; which device it is, is looked at below.
            .custom_flags(if self.exclusive.is_some() { flags } else { flags | libc::O_NOFOLLOW })
            .open(&self.path)
            .map_err(|error| {
                if error.raw_os_error() == Some(libc::EINVAL) && flags & libc::O_DIRECT != 0 {
                    BlockError::NoDirect { path: self.path.clone() }
                } else {
                    BlockError::io(&self.path, "open it", error)
                }
            })?;
        let found = file.metadata().map_err(|error| BlockError::io(&self.path, "look at it", error))?;
        let same = match self.exclusive {
            Some(_) => found.rdev() == self.device,
            None => (found.dev(), found.ino()) == (self.device, self.inode),
        };
        if !same {
            return Err(BlockError::refused(
                &self.path,
                "another file has taken the place of the one this tool made",
                "move it away or name another path",
            ));
        }
        Ok(file)
    }
}

fn check_size(size_bytes: u64) -> Result<(), BlockError> {
    if size_bytes == 0 || !size_bytes.is_multiple_of(FILE_GRAIN_BYTES) || size_bytes > i64::MAX as u64 {
        return Err(BlockError::job(
            format!("target file of {size_bytes} bytes"),
            format!("use a multiple of {FILE_GRAIN_BYTES} bytes above 0"),
        ));
    }
    Ok(())
}

fn refuse_existing(path: &Path, found: &fs::Metadata) -> BlockError {
    if found.file_type().is_block_device() {
        return BlockError::refused(path, "it is a block device", RAW_DEVICE_HELP);
    }
    if let Ok(target) = fs::metadata(path)
        && target.file_type().is_block_device()
    {
        return BlockError::refused(path, "it leads to a block device", RAW_DEVICE_HELP);
    }
    let what = if found.is_dir() {
        "a directory is there"
    } else if found.is_symlink() {
        "a symbolic link is there"
    } else {
        "a file is there that this tool did not make"
    };
    BlockError::refused(path, what, "name a path where nothing is, or read it with a job that does not write")
}

/// The directory that holds `path`.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn check_space(path: &Path, needed_bytes: u64) -> Result<(), BlockError> {
    let directory = parent(path);
    let space =
        rustix::fs::statvfs(directory).map_err(|error| BlockError::io(directory, "look at it", error))?;
    let available_bytes = space.f_bavail.saturating_mul(space.f_frsize);
    if available_bytes < needed_bytes {
        return Err(BlockError::NoSpace { path: path.to_owned(), needed_bytes, available_bytes });
    }
    Ok(())
}

fn make(path: &Path, size_bytes: u64, progress: &mut FillProgress<'_>) -> Result<WritePermit, BlockError> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)
        .map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                BlockError::refused(path, "a file appeared there just now", "name another path")
            }
            _ => BlockError::io(path, "create it", error),
        })?;
    let filled = finish(path, &file, size_bytes, progress);
    if filled.is_err() {
        let _ = fs::remove_file(path);
    }
    filled
}

fn finish(
    path: &Path,
    file: &File,
    size_bytes: u64,
    progress: &mut FillProgress<'_>,
) -> Result<WritePermit, BlockError> {
    let found = file.metadata().map_err(|error| BlockError::io(path, "look at it", error))?;
    let (device, inode) = (found.dev(), found.ino());
    let permit = WritePermit { path: path.to_owned(), size_bytes, device, inode, exclusive: None };
    let marker = Marker { state: State::Filling, size_bytes, device: found.dev(), inode: found.ino() };
    marker.write(path)?;
    // A second descriptor: the first stays usable for the final sync on filesystems without O_DIRECT.
    let direct = permit.open_with(true, libc::O_DIRECT).ok();
    fill::fill(path, size_bytes, (file, direct.as_ref()), progress)?;
    let directory = parent(path);
    File::open(directory)
        .and_then(|directory| directory.sync_all())
        .map_err(|error| BlockError::io(directory, "make the new file durable in it", error))?;
    Marker { state: State::Filled, ..marker }.write(path)?;
    Ok(permit)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Creating,
    Filling,
    Filled,
}

impl State {
    const ALL: [(State, &'static str); 3] =
        [(State::Creating, "creating"), (State::Filling, "filling"), (State::Filled, "filled")];
}

/// Content of the sidecar file.
#[derive(Clone, Copy, Debug)]
struct Marker {
    state: State,
    size_bytes: u64,
    device: u64,
    inode: u64,
}

const MARKER_HEADER: &str = "# Made by drivetrain: the file named without \".drivetrain-owned\" is a block load target\n\
                             # that it created and may overwrite or delete.\n";

fn marker_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".drivetrain-owned");
    PathBuf::from(name)
}

impl Marker {
    /// Replaces the sidecar in one step. A sidecar that is not a marker of ours is left alone.
    fn write(&self, path: &Path) -> Result<(), BlockError> {
        let marker = marker_path(path);
        if fs::symlink_metadata(&marker).is_ok() && Marker::read(path).is_none() {
            return Err(BlockError::refused(&marker, "it is not a marker of this tool", "name another path"));
        }
        let state = State::ALL.iter().find(|(state, _)| *state == self.state).map_or("", |(_, name)| name);
        let text = format!(
            "{MARKER_HEADER}state = \"{state}\"\nsize_bytes = {}\ndevice = {}\ninode = {}\n",
            self.size_bytes, self.device, self.inode
        );
        let mut partial = marker.clone().into_os_string();
        partial.push(".new");
        let partial = PathBuf::from(partial);
        let written = File::create(&partial)
            .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&partial, &marker));
        written.map_err(|error| {
            let _ = fs::remove_file(&partial);
            BlockError::io(&marker, "write the marker that says the file is ours", error)
        })
    }

    fn read(path: &Path) -> Option<Marker> {
        let text = fs::read_to_string(marker_path(path)).ok()?;
        let fields = text.strip_prefix(MARKER_HEADER)?;
        let value = |key: &str| {
            fields.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = ")).map(str::to_owned)
        };
        let number = |key: &str| value(key)?.parse().ok();
        let name = value("state")?;
        let state = State::ALL.iter().find(|(_, known)| name.trim_matches('"') == *known)?.0;
        Some(Marker {
            state,
            size_bytes: number("size_bytes")?,
            device: number("device")?,
            inode: number("inode")?,
        })
    }

    /// Whether the file found is the one that this marker speaks of. Before its inode was known it can only be empty.
    fn describes(&self, found: &fs::Metadata) -> bool {
        found.is_file()
            && match self.state {
                State::Creating => found.len() == 0,
                State::Filling | State::Filled => (found.dev(), found.ino()) == (self.device, self.inode),
            }
    }
}

#[cfg(test)]
mod tests;

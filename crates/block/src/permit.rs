//! The only way to write: a permit, given for files that the tool makes itself, and for devices that the user
//! names to be destroyed.
//!
//! A permit is proof that the file at a path was created by this tool and that nobody has put anything into
//! it since. A sidecar file, `NAME.drivetrain-owned`, carries that proof from one process to the next
//! ([`marker`]); [`proof`] says what counts as proof in which state. Whatever does not pass is foreign and
//! stays untouched.

mod marker;
mod own;
mod proof;

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::device::DestroyOrder;
use crate::error::BlockError;
use crate::fill::FillProgress;
pub use marker::{MARKER_SUFFIX, marker_of};
use own::{Found, OwnFile};

/// Target files are multiples of this many bytes, so that the last block takes direct I/O on any device.
pub const FILE_GRAIN_BYTES: u64 = 4096;

const RAW_DEVICE_HELP: &str = "overwriting a raw device needs --destroy /dev/disk/by-id/NAME=SERIAL; to keep it, \
                               name a path for a file instead";

/// Permission to write to one file that this tool made and filled, or to one device that the user named to be
/// destroyed. Obtained from [`create_file`](WritePermit::create_file), [`claim`](WritePermit::claim) or
/// [`claim_device`](WritePermit::claim_device), never from a path alone. Dropped, it leaves a file behind
/// that can be claimed again as long as nobody touches it.
#[derive(Debug)]
pub struct WritePermit {
    path: PathBuf,
    size_bytes: u64,
    hold: Hold,
}

/// The resources that are held as long as the target may be written.
#[derive(Debug)]
enum Hold {
    /// `None` once it was removed or let go.
    File(Mutex<Option<Box<OwnFile>>>),
    /// A device with its number, opened exclusively.
    Device { number: u64, _exclusive: File },
}

impl WritePermit {
    /// Makes a new file of `size_bytes` (a multiple of 4096) full of incompressible data and durable on its
    /// device.
    ///
    /// # Errors
    /// [`BlockError::Refused`] when anything is at the path already, [`BlockError::NoSpace`],
    /// [`BlockError::BadJob`] for a bad size, [`BlockError::Io`] for a missing or read-only directory.
    /// Nothing is left behind on an error.
    pub fn create_file(path: &Path, size_bytes: u64) -> Result<WritePermit, BlockError> {
        WritePermit::create_file_with(path, size_bytes, &mut |_| true)
    }

    /// [`create_file`](WritePermit::create_file) with progress and the chance to stop. The file has its name
    /// only when it is full.
    ///
    /// # Errors
    /// As `create_file`; [`BlockError::Stopped`] when `progress` says no.
    pub fn create_file_with(
        path: &Path,
        size_bytes: u64,
        progress: &mut FillProgress<'_>,
    ) -> Result<WritePermit, BlockError> {
        check_size(size_bytes)?;
        if fs::symlink_metadata(path).is_ok() {
            return Err(refuse_existing(path, None));
        }
        match OwnFile::find(path, progress)? {
            Found::Nothing(dir, name) => {
                OwnFile::create((dir, name), path, size_bytes, progress).map(of_new_file)
            }
            // It appeared between the two looks.
            Found::Ours(_) => Err(refuse_existing(path, None)),
        }
    }

    /// The file of this size that an earlier run made at this path, or a new one when nothing is there. One
    /// of ours with another size is made anew.
    ///
    /// # Errors
    /// As [`create_file_with`](WritePermit::create_file_with); a file that is not provably ours is refused.
    pub fn claim(
        path: &Path,
        size_bytes: u64,
        progress: &mut FillProgress<'_>,
    ) -> Result<WritePermit, BlockError> {
        check_size(size_bytes)?;
        let mut was_kept = false;
        let place = match OwnFile::find(path, progress)? {
            Found::Ours(own) if own.size_bytes() == size_bytes => return Ok(of_file(own)),
            Found::Ours(own) => {
                was_kept = own.was_kept;
                own.remove()?;
                disk::Dir::holding(path)
                    .map_err(|error| BlockError::io(disk::parent(path), "open the directory", error))?
            }
            Found::Nothing(dir, name) => (dir, name),
        };
        let mut own = OwnFile::create(place, path, size_bytes, progress)?;
        own.was_kept = was_kept;
        Ok(of_new_file(own))
    }

    /// The device of an order, held exclusively from now on. Nothing is written to it here.
    ///
    /// # Errors
    /// [`BlockError::Refused`] unless it is named by its identity and serial, nothing on it or above it is in
    /// use, and every signature on it was named; [`BlockError::Missing`] when it is not there.
    pub fn claim_device(order: &DestroyOrder) -> Result<WritePermit, BlockError> {
        let claimed = order.claim()?;
        Ok(WritePermit {
            path: order.path.clone(),
            size_bytes: claimed.size_bytes,
            hold: Hold::Device { number: claimed.device, _exclusive: claimed.exclusive },
        })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True for a device, false for a file.
    pub fn is_device(&self) -> bool {
        matches!(self.hold, Hold::Device { .. })
    }

    /// True if the file at the path was kept by an earlier command: its owner removes it.
    pub fn was_kept(&self) -> bool {
        self.own().is_some_and(|own| own.as_ref().is_some_and(|own| own.was_kept))
    }

    /// Its size.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Deletes the file and its marker, if it is still the file that the permit was given for. A device is
    /// let go.
    ///
    /// # Errors
    /// [`BlockError::Refused`] when another file has taken its place, [`BlockError::Io`] when it cannot be
    /// removed.
    pub fn remove(self) -> Result<(), BlockError> {
        self.take().map_or(Ok(()), |own| own.remove())
    }

    /// Leaves the file behind so that it can be claimed again as long as nobody touches it. Dropping the
    /// permit does the same, but hides errors. A device is released.
    ///
    /// # Errors
    /// [`BlockError::Io`] when its marker cannot be written; the file can still be claimed as long as all
    /// that it holds is of this tool.
    pub fn keep(self) -> Result<(), BlockError> {
        self.take().map_or(Ok(()), |mut own| own.release())
    }

    /// Key of the marks of data written to the file; `None` for a device.
    pub(crate) fn key(&self) -> Option<u64> {
        self.own()?.as_ref().map(|own| own.key())
    }

    /// Notes that marks of this key may be in the file from now on.
    pub(crate) fn admit(&self, key: u64) -> Result<(), BlockError> {
        self.own().and_then(|mut own| own.as_mut().map(|own| own.admit(key))).unwrap_or(Ok(()))
    }

    /// The file, of a permit for one.
    fn own(&self) -> Option<MutexGuard<'_, Option<Box<OwnFile>>>> {
        match &self.hold {
            Hold::File(own) => Some(own.lock().unwrap_or_else(PoisonError::into_inner)),
            Hold::Device { .. } => None,
        }
    }

    /// Takes the file out of the permit, which is over then.
    fn take(&self) -> Option<Box<OwnFile>> {
        self.own()?.take()
    }

    /// Opens the file, for writing only when asked, and makes sure that it is the one the permit is for.
    pub(crate) fn open(&self, write: bool) -> Result<File, BlockError> {
        self.open_with(write, 0)
    }

    /// [`open`](Self::open) with further `O_` flags.
    pub(crate) fn open_with(&self, write: bool, flags: i32) -> Result<File, BlockError> {
        let opened = match &self.hold {
            Hold::Device { number, .. } => open_device(&self.path, *number, write, flags)?,
            Hold::File(own) => match &*own.lock().unwrap_or_else(PoisonError::into_inner) {
                Some(own) => own.open(write, flags)?,
                None => return Err(BlockError::Missing { path: self.path.clone() }),
            },
        };
        opened.map_err(|error| {
            if error.raw_os_error() == Some(libc::EINVAL) && flags & libc::O_DIRECT != 0 {
                BlockError::NoDirect { path: self.path.clone() }
            } else {
                BlockError::io(&self.path, "open it", error)
            }
        })
    }
}

impl Drop for WritePermit {
    fn drop(&mut self) {
        if let Some(mut own) = self.take() {
            // Without its stamp the next claim reads whether all that it holds is of this tool.
            let _ = own.release();
        }
    }
}

/// Opens a device. Names of devices are links by nature; which device it is, is looked at afterwards.
fn open_device(
    path: &Path,
    number: u64,
    write: bool,
    flags: i32,
) -> Result<std::io::Result<File>, BlockError> {
    let opened = OpenOptions::new().read(true).write(write).custom_flags(flags).open(path);
    if let Ok(file) = &opened {
        let found = file.metadata().map_err(|error| BlockError::io(path, "look at it", error))?;
        if found.rdev() != number {
            return Err(own::taken(path));
        }
    }
    Ok(opened)
}

/// Removes the target file that an ended or killed run left at `path`, with its marker and the remains of an
/// unfinished creation. A missing file is fine.
///
/// # Errors
/// [`BlockError::Refused`] when what is there is not provably ours or another run is using it;
/// [`BlockError::Io`].
pub fn remove_left_over(path: &Path) -> Result<(), BlockError> {
    match OwnFile::find(path, &mut |_| true)? {
        Found::Ours(own) => own.remove(),
        Found::Nothing(..) => Ok(()),
    }
}

/// Success if [`remove_left_over`] may remove the file at `path`. This call removes only the remains of an
/// unfinished creation. The proof holds as long as nobody touches the file.
///
/// # Errors
/// As `remove_left_over`.
pub fn check_left_over(path: &Path) -> Result<(), BlockError> {
    match OwnFile::find(path, &mut |_| true)? {
        Found::Ours(mut own) => own.release(),
        Found::Nothing(..) => Ok(()),
    }
}

/// Removes the target of a load that was killed, with its marker and what an unfinished making left. A file
/// that was kept on purpose is not the one that the kill left, and stays. Whether nothing is there any more.
///
/// # Errors
/// As [`remove_left_over`].
pub fn remove_killed(path: &Path) -> Result<bool, BlockError> {
    match OwnFile::find(path, &mut |_| true)? {
        Found::Ours(mut own) if own.was_kept => own.release().map(|()| false),
        Found::Ours(own) => own.remove().map(|()| true),
        Found::Nothing(..) => Ok(true),
    }
}

/// True if [`remove_killed`] would remove the file at `path`. The file and the state in its marker stay as
/// they are.
///
/// # Errors
/// As [`remove_left_over`].
pub fn check_killed(path: &Path) -> Result<bool, BlockError> {
    match OwnFile::find(path, &mut |_| true)? {
        Found::Ours(mut own) if own.was_kept => own.release().map(|()| false),
        Found::Ours(_) | Found::Nothing(..) => Ok(true),
    }
}

/// True if another file lies at `path` by now than the one that the marker beside it speaks of. Nothing is
/// written, and no bytes of the file are read.
pub fn is_replaced(path: &Path) -> bool {
    own::is_replaced(path).unwrap_or(false)
}

fn of_new_file(own: OwnFile) -> WritePermit {
    of_file(Box::new(own))
}

fn of_file(own: Box<OwnFile>) -> WritePermit {
    let (path, size_bytes) = (own.path().to_owned(), own.size_bytes());
    WritePermit { path, size_bytes, hold: Hold::File(Mutex::new(Some(own))) }
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

/// The refusal of something that this tool did not make; `marker` says why a file of a marker's name beside
/// it is not believed.
fn refuse_existing(path: &Path, marker: Option<&str>) -> BlockError {
    let kind = fs::symlink_metadata(path).map(|found| found.file_type());
    if kind.as_ref().is_ok_and(FileTypeExt::is_block_device) {
        return BlockError::refused(path, "it is a block device", RAW_DEVICE_HELP);
    }
    if fs::metadata(path).is_ok_and(|found| found.file_type().is_block_device()) {
        return BlockError::refused(path, "it leads to a block device", RAW_DEVICE_HELP);
    }
    let why = match kind {
        Ok(kind) if kind.is_dir() => "a directory is there".to_owned(),
        Ok(kind) if kind.is_symlink() => "a symbolic link is there".to_owned(),
        Ok(kind) if !kind.is_file() => "something is there that is no regular file".to_owned(),
        _ => match marker {
            None => "a file is there that this tool did not make".to_owned(),
            Some(why) => format!("a file is there, and its marker is not believed: {why}"),
        },
    };
    BlockError::refused(path, why, "name a path where nothing is, or read it with a job that does not write")
}

#[cfg(test)]
mod tests;

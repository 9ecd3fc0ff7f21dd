//! A file of our own: made under a name that only its marker knows, put in its place when it is full,
//! recognised there again, and removed.
//!
//! It is held open and locked as long as the permit lives. Its directory is held open, too, so that nobody
//! can lead a removal elsewhere.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use disk::{Dir, File, Stamp};

use super::marker::{self, Marker, Record, Sidecar, State};
use super::proof;
use super::refuse_existing;
use crate::displaced::Whereabouts;
use crate::error::BlockError;
use crate::fill::{self, FillProgress};

/// A file that is ours, open and locked.
#[derive(Debug)]
pub(super) struct OwnFile {
    dir: Dir,
    name: OsString,
    path: PathBuf,
    file: File,
    marker: Marker,
    /// By which it is known while it is held.
    stamp: Stamp,
    /// True if somebody had kept it on purpose; false for the remains of a kill.
    pub(super) was_kept: bool,
}

/// The existing file at a path where a file of ours is wanted.
pub(super) enum Found {
    /// Nothing, and a marker of a file that is no more, or none.
    Nothing(Dir, OsString),
    /// A file of ours; nobody else uses it.
    Ours(Box<OwnFile>),
}

/// True if the marker beside this name speaks of another file than the one that has the name.
pub(super) fn is_replaced(path: &Path) -> Result<bool, BlockError> {
    let (dir, name) = holding(path)?;
    let Sidecar::Ours(marker) = Marker::beside(&dir, &name)? else { return Ok(false) };
    let found = dir.facts(&name).map_err(|error| BlockError::io(path, "look at it", error))?;
    let stamp = marker.record.stamp;
    Ok(found.zip(stamp).is_some_and(|(facts, stamp)| !stamp.is_same_birth(&facts.stamp)))
}

impl OwnFile {
    /// Examines the file at the path, and takes it if it is ours. The remains of an unfinished creation or
    /// removal are cleared away.
    pub(super) fn find(path: &Path, progress: &mut FillProgress<'_>) -> Result<Found, BlockError> {
        let (dir, name) = holding(path)?;
        let sidecar = Marker::beside(&dir, &name)?;
        if let Sidecar::Ours(marker) = &sidecar {
            clear_aside(&dir, path, marker)?;
        }
        let found = dir.facts(&name).map_err(|error| BlockError::io(path, "look at it", error))?;
        match (found, sidecar) {
            (None, Sidecar::Absent) => Ok(Found::Nothing(dir, name)),
            (None, Sidecar::Ours(marker)) => {
                marker.remove(&dir)?;
                Ok(Found::Nothing(dir, name))
            }
            (None, Sidecar::Foreign(why)) => Err(marker::refused(&dir.join(marker::name_for(&name)), why)),
            (Some(_), Sidecar::Absent) => Err(refuse_existing(path, None)),
            (Some(_), Sidecar::Foreign(why)) => Err(refuse_existing(path, Some(&why))),
            (Some(facts), Sidecar::Ours(marker)) if facts.kind == disk::FileKind::File => {
                OwnFile::take(dir, name, path, marker, progress).map(|own| Found::Ours(Box::new(own)))
            }
            (Some(_), Sidecar::Ours(_)) => Err(refuse_existing(path, None)),
        }
    }

    /// Takes the file that the marker speaks of, if it is provably that.
    fn take(
        dir: Dir,
        name: OsString,
        path: &Path,
        mut marker: Marker,
        progress: &mut FillProgress<'_>,
    ) -> Result<OwnFile, BlockError> {
        let file = dir.open_file(&name, true).map_err(|error| BlockError::io(path, "open it", error))?;
        lock(&file, path)?;
        if let Some(why) = proof::why_not_ours(path, &marker.record, &file, progress)? {
            return Err(not_ours(path, &name, why));
        }
        let stamp = stamp_of(&file, path)?;
        let was_kept = marker.record.state == State::Kept;
        let record = Record { state: State::InUse, stamp: Some(stamp), ..marker.record.clone() };
        marker.set(record, true).map_err(|error| cannot_mark(&dir, &name, error))?;
        Ok(OwnFile { dir, name, path: path.to_owned(), file, marker, stamp, was_kept })
    }

    /// Makes the file where nothing is.
    pub(super) fn create(
        (dir, name): (Dir, OsString),
        path: &Path,
        size_bytes: u64,
        progress: &mut FillProgress<'_>,
    ) -> Result<OwnFile, BlockError> {
        let record =
            Record { state: State::Making, nonce: nonce(), size_bytes, stamp: None, others: Vec::new() };
        let mut marker = Marker::create(&dir, &name, record)?;
        match make(&dir, &name, path, &mut marker, progress) {
            Ok((file, stamp)) => {
                let (path, was_kept) = (path.to_owned(), false);
                Ok(OwnFile { dir, name, path, file, marker, stamp, was_kept })
            }
            Err(error) => {
                // The error that led here is the one to report; the next run clears the remains.
                let _ = abandon(&dir, &name, &marker);
                Err(error)
            }
        }
    }

    /// Opens it once more, with further `O_` flags, if the name still refers to it.
    pub(super) fn open(&self, write: bool, flags: i32) -> Result<io::Result<std::fs::File>, BlockError> {
        if self.is_it(&self.name)? { Ok(again(&self.file, write, flags)) } else { Err(taken(&self.path)) }
    }

    fn is_it(&self, name: &OsStr) -> Result<bool, BlockError> {
        let found = self.dir.facts(name).map_err(|error| BlockError::io(&self.path, "look at it", error))?;
        Ok(found.is_some_and(|found| found.stamp.is_same_file(&self.stamp)))
    }

    /// Bytes that it was made with.
    pub(super) fn size_bytes(&self) -> u64 {
        self.marker.record.size_bytes
    }

    /// Key of its marks.
    pub(super) fn key(&self) -> u64 {
        self.marker.record.nonce
    }

    /// Notes that marks of this key may be in it from now on.
    pub(super) fn admit(&mut self, key: u64) -> Result<(), BlockError> {
        let mut record = self.marker.record.clone();
        if record.admit(key) {
            self.marker.set(record, true).map_err(|error| cannot_mark(&self.dir, &self.name, error))?;
        }
        Ok(())
    }

    /// Lets go of it: whatever anybody does to it from now on will show.
    pub(super) fn release(&mut self) -> Result<(), BlockError> {
        let stamp =
            Stamp::settled(&self.file).map_err(|error| BlockError::io(&self.path, "look at it", error))?;
        let record = Record { state: State::Kept, stamp: Some(stamp), ..self.marker.record.clone() };
        self.marker.set(record, false).map_err(|error| cannot_mark(&self.dir, &self.name, error))?;
        self.file.unlock();
        Ok(())
    }

    /// Removes it with its marker, if the name still refers to it: first it gets a unique name, so that a
    /// file that takes its place at this moment is not removed with it.
    pub(super) fn remove(&self) -> Result<(), BlockError> {
        let failed = |error: io::Error| BlockError::io(&self.path, "remove it", error);
        let aside = self.marker.record.aside();
        if !self.is_it(&self.name)? {
            return self.forget_displaced();
        }
        self.dir.rename_new(&self.name, &aside).map_err(failed)?;
        if !self.is_it(&aside)? {
            self.dir.rename_new(&aside, &self.name).map_err(failed)?;
            return Err(taken(&self.path));
        }
        self.dir.remove_file(&aside).map_err(failed)?;
        self.marker.remove(&self.dir)?;
        self.file.unlock();
        Ok(())
    }

    /// Clears away the marker of a file that its name no longer leads to, if the file is gone.
    fn forget_displaced(&self) -> Result<(), BlockError> {
        let looked = self.dir.facts(&self.name);
        let found = looked.map_err(|error| BlockError::io(&self.path, "look at it", error))?;
        match Whereabouts::of(self.file.as_std(), &self.path) {
            Ok(Whereabouts::Deleted) if found.is_none() => self.marker.remove(&self.dir),
            Ok(Whereabouts::Moved(now)) => Err(BlockError::refused(
                &self.path,
                format!("the file that this tool made there was moved to {}", now.display()),
                "delete it there if you do not need it",
            )),
            _ => Err(taken(&self.path)),
        }
    }

    /// Gives its lock back and forgets it, as the kernel does when its holder is killed.
    #[cfg(test)]
    pub(super) fn unlock(self) {
        self.file.unlock();
    }

    /// Its path, for calls that take a path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// The directory of a path and the name in it.
fn holding(path: &Path) -> Result<(Dir, OsString), BlockError> {
    Dir::holding(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidInput => refuse_existing(path, None),
        _ => BlockError::io(disk::parent(path), "open the directory", error),
    })
}

/// Makes, fills and places the file; its marker tells each step.
fn make(
    dir: &Dir,
    name: &OsStr,
    path: &Path,
    marker: &mut Marker,
    progress: &mut FillProgress<'_>,
) -> Result<(File, Stamp), BlockError> {
    let (aside, size_bytes) = (marker.record.aside(), marker.record.size_bytes);
    check_room(dir, path, size_bytes)?;
    let file = dir.create_new(&aside, 0o600).map_err(|error| BlockError::io(path, "create it", error))?;
    lock(&file, path)?;
    // A second descriptor: the first stays usable for the final sync on file systems without O_DIRECT.
    let direct = again(&file, true, libc::O_DIRECT).ok();
    fill::fill(path, size_bytes, marker.record.nonce, (file.as_std(), direct.as_ref()), progress)?;
    let stamp = stamp_of(&file, path)?;
    let record = Record { state: State::InUse, stamp: Some(stamp), ..marker.record.clone() };
    marker.set(record, true).map_err(|error| cannot_mark(dir, name, error))?;
    dir.rename_new(&aside, name).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            BlockError::refused(path, "a file appeared there just now", "name another path")
        }
        _ => BlockError::io(path, "give it its name", error),
    })?;
    if let Err(error) = dir.sync() {
        let _ = dir.rename_new(name, &aside);
        return Err(BlockError::io(dir.path(), "make the new file durable in it", error));
    }
    Ok((file, stamp))
}

/// The open file once more: whatever has its name by now, this is the same one.
fn again(file: &File, write: bool, flags: i32) -> io::Result<std::fs::File> {
    let open = format!("/proc/self/fd/{}", file.as_std().as_raw_fd());
    OpenOptions::new().read(true).write(write).custom_flags(flags).open(open)
}

/// Removes the remains of an unfinished creation: only its own files, and the marker if none of them stays.
fn abandon(dir: &Dir, name: &OsStr, marker: &Marker) -> Result<(), BlockError> {
    let failed = |error: io::Error| BlockError::io(dir.path(), "remove what was begun in it", error);
    dir.remove_file(&marker.record.aside()).map_err(failed)?;
    let placed = dir.facts(name).map_err(failed)?.zip(marker.record.stamp);
    if placed.is_some_and(|(found, stamp)| found.stamp.is_same_file(&stamp)) {
        return Ok(());
    }
    marker.remove(dir)
}

fn check_room(dir: &Dir, path: &Path, needed_bytes: u64) -> Result<(), BlockError> {
    let available_bytes =
        dir.room_bytes().map_err(|error| BlockError::io(dir.path(), "look at it", error))?;
    if available_bytes < needed_bytes {
        return Err(BlockError::NoSpace { path: path.to_owned(), needed_bytes, available_bytes });
    }
    Ok(())
}

/// Removes the file that an unfinished making or removal left under the name that only the marker knows.
fn clear_aside(dir: &Dir, of: &Path, marker: &Marker) -> Result<(), BlockError> {
    let aside = marker.record.aside();
    let path = dir.join(&aside);
    let failed = |error: io::Error| BlockError::io(&path, "remove our unfinished file", error);
    let Some(facts) = dir.facts(&aside).map_err(failed)? else { return Ok(()) };
    let is_known = |stamp: Stamp| stamp.is_same_birth(&facts.stamp);
    if !facts.is_private() || !marker.record.stamp.is_none_or(is_known) {
        return Err(BlockError::refused(
            &path,
            "it has the name of an unfinished file of ours, but is none",
            "move it away",
        ));
    }
    let file = dir.open_file(&aside, false).map_err(failed)?;
    lock(&file, of)?;
    dir.remove_file(&aside).map_err(failed)
}

fn lock(file: &File, path: &Path) -> Result<(), BlockError> {
    match file.try_lock() {
        Ok(true) => Ok(()),
        Ok(false) => Err(BlockError::refused(
            path,
            "another run of this tool is using it",
            "wait until it has ended, or name another path",
        )),
        Err(error) => Err(BlockError::io(path, "lock it", error)),
    }
}

fn stamp_of(file: &File, path: &Path) -> Result<Stamp, BlockError> {
    Stamp::of(file).map_err(|error| BlockError::io(path, "look at it", error))
}

fn cannot_mark(dir: &Dir, name: &OsStr, error: io::Error) -> BlockError {
    let path = dir.join(marker::name_for(name));
    BlockError::io(&path, "write the marker that says the file is ours", error)
}

/// The refusal of a file that was ours and may hold somebody else's data by now.
fn not_ours(path: &Path, name: &OsStr, why: String) -> BlockError {
    let marker = marker::name_for(name);
    let help = format!(
        "move it away, or, if you do not need it, delete it and {} beside it",
        marker.to_string_lossy()
    );
    BlockError::refused(path, why, help)
}

/// The refusal of a file that has the name of ours by now.
pub(super) fn taken(path: &Path) -> BlockError {
    BlockError::refused(
        path,
        "another file has taken the place of the one this tool made",
        "move it away or name another path",
    )
}

/// 64 bits that nobody can guess.
fn nonce() -> u64 {
    u64::from_str_radix(&disk::nonce(), 16).unwrap_or_default()
}

//! A living note: written before the thing is made, removed after it is gone.

use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use disk::fault::point;
use disk::{Call, File};
use rustix::fs::FlockOperation;

use crate::entry::{Entry, EntryKind, is_plain};
use crate::home::{self, NoPlace};
use crate::process::Process;

/// The ending of the names of notes, and of incomplete ones.
pub(crate) const ENDING: &str = ".note";
pub(crate) const ENDING_UNFINISHED: &str = ".unfinished";
/// The length of a long note: what a folder has to have room for.
const TRIAL: [u8; 4096] = [b'\n'; 4096];

/// Held while a thing may be there. Dropping it says that the thing is gone.
#[derive(Debug)]
#[must_use = "dropping the note says that the thing is gone"]
pub struct Note {
    // Absent where this machine has no place for notes: then what a kill leaves has to be found by other
    // means.
    held: Option<Held>,
}

/// A locked file and the name that it has by now.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) file: File,
    pub(crate) path: PathBuf,
}

impl Note {
    /// Notes that a thing of this kind is about to be made at `path`; `detail` is for the process that
    /// removes it. If it cannot be noted, the work goes on all the same.
    pub fn before(kind: EntryKind, path: &Path, detail: &str) -> Note {
        Note { held: write(kind, path, detail).ok().flatten() }
    }

    /// As [`before`](Self::before), for a thing that must not be made without its note.
    ///
    /// # Errors
    /// No folder takes the note. The thing must not be made.
    pub fn required(kind: EntryKind, path: &Path, detail: &str) -> Result<Note, NoPlace> {
        Ok(Note { held: write(kind, path, detail)? })
    }

    /// Adds what tells the thing, which is there now, from another in its place.
    pub fn stamp(&mut self, stamp: &str) {
        if let Some(held) = &mut self.held {
            let _ = held.file.write_all(Entry::stamp_line(stamp).as_bytes()); // Without it the thing is left alone later.
        }
    }

    /// Leaves the note behind: the thing could not be removed, and a later process tries again.
    pub fn leave(mut self) {
        self.held = None;
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            held.remove();
        }
    }
}

impl Held {
    /// Removes the note while it is locked, and with the last one the folder that was made for it.
    pub(crate) fn remove(self) {
        let _ = disk::remove_file(&self.path); // A note that stays is found dead later on, with nothing to remove.
        if let Some(folder) = self.path.parent() {
            home::remove(folder);
        }
    }
}

/// `None` for a path that no note can name.
fn write(kind: EntryKind, path: &Path, detail: &str) -> Result<Option<Held>, NoPlace> {
    if !is_plain(path) {
        return Ok(None);
    }
    let (path, detail) = (path.to_owned(), detail.to_owned());
    let text = Entry { kind, path, detail, stamp: None, process: Process::own() }.to_text();
    home::in_the_first(|folder| write_in(folder, &text)).map(Some)
}

/// Success if a folder takes notes at this moment: a command asks before it makes anything.
///
/// # Errors
/// None does, or the one that the user names does not.
pub fn check() -> Result<(), NoPlace> {
    home::in_the_first(|folder| {
        let trial = folder.join(format!("{}{ENDING_UNFINISHED}", disk::nonce()));
        let mut file = File::create_new(&trial)?;
        let written = file.write_all(&TRIAL);
        Held { file, path: trial }.remove();
        written
    })
}

/// The note appears locked and whole, or not at all.
fn write_in(folder: &Path, text: &str) -> io::Result<Held> {
    let name = disk::nonce();
    let unfinished = folder.join(format!("{name}{ENDING_UNFINISHED}"));
    let path = folder.join(format!("{name}{ENDING}"));
    let mut file = File::create_new(&unfinished)?;
    let written = lock(&file)
        .and_then(|()| file.write_all(text.as_bytes()))
        .and_then(|()| disk::rename(&unfinished, &path));
    match written {
        Ok(()) => Ok(Held { file, path }),
        Err(error) => {
            let _ = disk::remove_file(&unfinished); // The error is told.
            Err(error)
        }
    }
}

/// Takes the lock that says whether the process lives.
pub(crate) fn lock(file: &File) -> io::Result<()> {
    point(Call::Lock, file.path())?;
    Ok(rustix::fs::flock(file.as_std().as_fd(), FlockOperation::NonBlockingLockExclusive)?)
}

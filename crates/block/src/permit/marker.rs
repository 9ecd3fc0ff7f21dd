//! The marker of a target file: `NAME.drivetrain-owned`, which names the file that is ours and the facts by
//! which it is recognised.
//!
//! The file has a header and two lines, each in a sector of its own. A new state goes into the line that is
//! not the newest, with a checksum, so that a write that was cut off leaves the state before. It is made
//! whole under a name that nothing has, opened without following a link, and believed only when it is a
//! regular file of the user that runs us, with one name, that nobody else may write to.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use disk::{Dir, Facts, File, FileKind, Stamp};

use crate::error::BlockError;

/// The ending of a marker's name, after the name of its target file.
pub const MARKER_SUFFIX: &str = ".drivetrain-owned";
const LINE_BYTES: usize = 512;
const CHECKSUM_BYTES: usize = ";checksum=01234567\n".len();
const HEADER: &str = "# Made by drivetrain: the file named without \".drivetrain-owned\" is a block load target\n\
                      # that it created and may overwrite or delete.\n";
/// Begins the first line of a marker that says more than where its file lies; earlier ones did not.
const VERSION: &str =
    "# Version 2: by the stamp below the file is recognised again. Delete both to give it up.\n";
/// Most keys besides the file's own.
const KEYS_MAX: usize = 8;

/// The progress of the file's creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It is being filled under a name of its own.
    Making,
    /// A load may be writing to it, or was killed while it did.
    InUse,
    /// Nobody has touched it since its stamp was taken.
    Kept,
}

impl State {
    const ALL: [(State, &'static str); 3] =
        [(State::Making, "making"), (State::InUse, "in-use"), (State::Kept, "kept")];

    fn name(self) -> &'static str {
        State::ALL.iter().find(|(state, _)| *state == self).map_or("", |(_, name)| name)
    }
}

/// The contents of a marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) state: State,
    /// Known to nobody else: the key of the marks in the file, and part of the name that the file has while
    /// it is made or removed.
    pub(super) nonce: u64,
    pub(super) size_bytes: u64,
    /// Of the file: whole while it is kept, by inode and birth while it is in use, absent while it is made.
    pub(super) stamp: Option<Stamp>,
    /// Keys of other files that loads wrote to together with this one: their marks may be in it.
    pub(super) others: Vec<u64>,
}

impl Record {
    /// Keys of the marks that the file may bear.
    pub(super) fn keys(&self) -> Vec<u64> {
        std::iter::once(self.nonce).chain(self.others.iter().copied()).collect()
    }

    /// Name of the file while it is made or removed.
    pub(super) fn aside(&self) -> OsString {
        format!(".drivetrain-{:016x}", self.nonce).into()
    }

    /// Takes up the key of another file; the oldest one goes when there are too many. Whether it is new.
    pub(super) fn admit(&mut self, key: u64) -> bool {
        if self.keys().contains(&key) {
            return false;
        }
        if self.others.len() == KEYS_MAX {
            self.others.remove(0);
        }
        self.others.push(key);
        true
    }

    fn to_line(&self, number: u64) -> String {
        let keys: Vec<String> = self.others.iter().map(|key| format!("{key:016x}")).collect();
        let fields = format!(
            "number={number};state={};nonce={:016x};size_bytes={};keys={};stamp={}",
            self.state.name(),
            self.nonce,
            self.size_bytes,
            keys.join(","),
            self.stamp.map(|stamp| stamp.to_string()).unwrap_or_default()
        );
        // The checksum is at the very end: a line that was cut off has the old one.
        let fields = format!("{fields:width$}", width = LINE_BYTES - CHECKSUM_BYTES);
        format!("{fields};checksum={:08x}\n", crc32fast::hash(fields.as_bytes()))
    }

    /// The record in a line and its number; `None` for a line that was not written, or not to its end.
    fn parse(line: &[u8]) -> Option<(u64, Record)> {
        let (fields, checksum) = std::str::from_utf8(line).ok()?.trim_end().rsplit_once(";checksum=")?;
        if u32::from_str_radix(checksum, 16).ok()? != crc32fast::hash(fields.as_bytes()) {
            return None;
        }
        let value = |key: &str| {
            fields
                .trim_end()
                .split(';')
                .find_map(|field| field.split_once('=').filter(|(name, _)| *name == key)?.1.into())
        };
        let hexadecimal = |text: &str| u64::from_str_radix(text, 16).ok();
        let name = value("state")?;
        let record = Record {
            state: State::ALL.iter().find(|(_, known)| *known == name)?.0,
            nonce: hexadecimal(value("nonce")?)?,
            size_bytes: value("size_bytes")?.parse().ok()?,
            stamp: match value("stamp")? {
                "" => None,
                text => Some(text.parse().ok()?),
            },
            others: value("keys")?
                .split(',')
                .filter(|key| !key.is_empty())
                .map(hexadecimal)
                .collect::<Option<_>>()?,
        };
        Some((value("number")?.parse().ok()?, record))
    }
}

/// A marker of ours, open.
#[derive(Debug)]
pub(super) struct Marker {
    file: File,
    name: OsString,
    pub(super) record: Record,
    number: u64,
}

/// The file beside a target.
#[derive(Debug)]
pub(super) enum Sidecar {
    Absent,
    Ours(Marker),
    /// Something else of the name, and why it is not believed.
    Foreign(String),
}

/// Path of the marker of the target file at `path`, whether either is there or not.
#[must_use]
pub fn marker_of(path: &Path) -> PathBuf {
    let mut marker = path.as_os_str().to_owned();
    marker.push(MARKER_SUFFIX);
    marker.into()
}

/// Name of the marker of a file.
pub(super) fn name_for(name: &OsStr) -> OsString {
    marker_of(Path::new(name)).into_os_string()
}

impl Marker {
    /// Makes the marker of a file that is about to be made. Nothing may have its name.
    pub(super) fn create(dir: &Dir, of: &OsStr, record: Record) -> Result<Marker, BlockError> {
        let name = name_for(of);
        let path = dir.join(&name);
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => refused(&path, "it appeared there just now".to_owned()),
            _ => BlockError::io(&path, "write the marker that says the file is ours", error),
        };
        let mut bytes = format!("{:width$}", format!("{HEADER}{VERSION}"), width = LINE_BYTES - 1);
        bytes.push('\n');
        bytes.push_str(&record.to_line(1));
        bytes.push_str(&format!("{:width$}\n", "", width = LINE_BYTES - 1));
        dir.write_new(&name, bytes.as_bytes(), 0o600).map_err(failed)?;
        let file = dir.open_file(&name, true).map_err(failed)?;
        Ok(Marker { file, name, record, number: 1 })
    }

    /// The marker beside a file of this name.
    pub(super) fn beside(dir: &Dir, of: &OsStr) -> Result<Sidecar, BlockError> {
        let name = name_for(of);
        let path = dir.join(&name);
        let failed = |error: io::Error| BlockError::io(&path, "read the marker of the file", error);
        let Some(facts) = dir.facts(&name).map_err(failed)? else { return Ok(Sidecar::Absent) };
        if let Some(why) = why_not_believed(&facts) {
            return Ok(Sidecar::Foreign(why));
        }
        let mut file = dir.open_file(&name, true).map_err(failed)?;
        let opened = Facts::of(&file).map_err(failed)?;
        if !opened.is_private() || !opened.stamp.is_same_file(&facts.stamp) {
            return Ok(Sidecar::Foreign("it was exchanged just now".to_owned()));
        }
        let mut bytes = Vec::new();
        (&mut file).take(4 * LINE_BYTES as u64).read_to_end(&mut bytes).map_err(failed)?;
        Ok(match newest(&bytes) {
            Ok((number, record)) => Sidecar::Ours(Marker { file, name, record, number }),
            Err(why) => Sidecar::Foreign(why.to_owned()),
        })
    }

    /// Writes a new state; durable when `durably`. If this fails, the old state remains.
    pub(super) fn set(&mut self, record: Record, durably: bool) -> io::Result<()> {
        let number = self.number + 1;
        // The lines take turns, the first one has the odd numbers.
        let line = if number.is_multiple_of(2) { 2 } else { 1 };
        self.file.seek(SeekFrom::Start(line * LINE_BYTES as u64))?;
        self.file.write_all(record.to_line(number).as_bytes())?;
        if durably {
            self.file.sync_all()?;
        }
        (self.record, self.number) = (record, number);
        Ok(())
    }

    /// Removes it, unless something else has its name by now.
    pub(super) fn remove(&self, dir: &Dir) -> Result<(), BlockError> {
        let path = dir.join(&self.name);
        let failed = |error: io::Error| BlockError::io(&path, "remove the marker of the file", error);
        let own = Facts::of(&self.file).map_err(failed)?;
        match dir.facts(&self.name).map_err(failed)? {
            Some(found) if found.stamp.is_same_file(&own.stamp) => {
                dir.remove_file(&self.name).map_err(failed)
            }
            _ => Ok(()),
        }
    }
}

/// The reason why another user could have written it; `None` if nobody could.
fn why_not_believed(facts: &Facts) -> Option<String> {
    let why = match facts.kind {
        FileKind::Link => "it is a link",
        FileKind::Dir => "it is a directory",
        FileKind::Other => "it is no regular file",
        FileKind::File if facts.owner != rustix::process::geteuid().as_raw() => {
            return Some(format!("it belongs to user {}", facts.owner));
        }
        FileKind::File if facts.mode & 0o022 != 0 => "other users may write to it",
        FileKind::File if facts.links != 1 => "it has another name as well",
        FileKind::File => return None,
    };
    Some(why.to_owned())
}

/// The newer of the two records.
fn newest(bytes: &[u8]) -> Result<(u64, Record), &'static str> {
    if !bytes.starts_with(HEADER.as_bytes()) {
        return Err("this tool did not write it");
    }
    let lines = (1..=2).filter_map(|line| bytes.get(line * LINE_BYTES..(line + 1) * LINE_BYTES));
    let newest = lines.filter_map(Record::parse).max_by_key(|(number, _)| *number);
    match newest {
        Some(newest) if bytes[HEADER.len()..].starts_with(VERSION.as_bytes()) => Ok(newest),
        Some(_) | None if bytes[HEADER.len()..].starts_with(VERSION.as_bytes()) => Err("it is damaged"),
        _ => Err("an earlier version of this tool wrote it, and it says too little to recognise the file by"),
    }
}

/// The refusal of a file beside the target that is no marker of ours.
pub(super) fn refused(marker: &Path, why: String) -> BlockError {
    BlockError::refused(
        marker,
        format!("it has the name of a marker of this tool, but is not believed: {why}"),
        "move it away, or name another target",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use disk::fault::{self, Failure, Plan};

    fn record(state: State) -> Record {
        let stamp = Stamp { device: 1, inode: 2, size_bytes: 4096, changed_ns: 3, born_ns: Some(4) };
        Record { state, nonce: u64::MAX, size_bytes: 4096, stamp: Some(stamp), others: vec![1, 2] }
    }

    fn read(dir: &Dir) -> Record {
        match Marker::beside(dir, OsStr::new("a")).unwrap() {
            Sidecar::Ours(marker) => marker.record,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn reads_what_it_wrote_and_keeps_its_length() {
        let temp = tempfile::tempdir().unwrap();
        let dir = Dir::open(temp.path()).unwrap();
        let first = Record { stamp: None, others: Vec::new(), ..record(State::Making) };
        let mut marker = Marker::create(&dir, OsStr::new("a"), first.clone()).unwrap();
        assert_eq!(read(&dir), first);
        for state in [State::InUse, State::Kept, State::InUse] {
            marker.set(record(state), true).unwrap();
            assert_eq!(read(&dir), record(state));
        }
        let mut full = record(State::Kept);
        (0..100).for_each(|key| assert!(full.admit(1000 + key)));
        assert!(!full.admit(1099) && !full.admit(u64::MAX));
        full.size_bytes = u64::MAX;
        full.stamp = full.stamp.map(|_| Stamp {
            device: u64::MAX,
            inode: u64::MAX,
            size_bytes: u64::MAX,
            changed_ns: i128::from(i64::MAX) * 1_000_000_000,
            born_ns: Some(i128::from(i64::MAX) * 1_000_000_000),
        });
        marker.set(full.clone(), false).unwrap();
        assert_eq!(read(&dir), full);
        assert_eq!(std::fs::metadata(temp.path().join("a.drivetrain-owned")).unwrap().len(), 3 * 512);
        marker.remove(&dir).unwrap();
        assert_eq!(dir.names().unwrap().len(), 0);
    }

    #[test]
    fn the_state_before_stands_when_a_write_fails() {
        let temp = tempfile::tempdir().unwrap();
        let dir = Dir::open(temp.path()).unwrap();
        let mut marker = Marker::create(&dir, OsStr::new("a"), record(State::Making)).unwrap();
        for failure in Failure::ALL {
            for (state, next) in [(State::InUse, State::Kept), (State::Kept, State::InUse)] {
                marker.set(record(state), false).unwrap();
                let (result, _) = fault::with(Plan { failure, at: 1 }, || marker.set(record(next), false));
                assert!(result.is_err());
                assert_eq!(read(&dir), record(state), "{failure:?}");
            }
        }
    }

    #[test]
    fn a_damaged_or_older_marker_is_not_believed() {
        let temp = tempfile::tempdir().unwrap();
        let dir = Dir::open(temp.path()).unwrap();
        let path = temp.path().join("a.drivetrain-owned");
        let older = format!("{HEADER}state = \"filled\"\nsize_bytes = 4096\ndevice = 1\ninode = 2\n");
        let whole = {
            Marker::create(&dir, OsStr::new("a"), record(State::Kept)).unwrap();
            std::fs::read(&path).unwrap()
        };
        let mut flipped = whole.clone();
        flipped[520] ^= 1;
        for (bytes, said) in [
            (older.into_bytes(), "earlier version"),
            (whole[..600].to_vec(), "damaged"),
            (flipped, "damaged"),
            (Vec::new(), "did not write"),
            (b"my notes".to_vec(), "did not write"),
        ] {
            std::fs::write(&path, bytes).unwrap();
            match Marker::beside(&dir, OsStr::new("a")).unwrap() {
                Sidecar::Foreign(why) => assert!(why.contains(said), "{why}"),
                other => panic!("{other:?}"),
            }
        }
    }
}

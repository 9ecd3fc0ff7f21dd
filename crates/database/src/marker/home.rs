//! A directory that may be ours, opened: its marker is read and believed only here.

use std::ffi::{OsStr, OsString};
use std::io::{Read as _, Write as _};
use std::path::Path;

use disk::{Dir, Facts, FileKind};

use super::NAME;
use super::record::{self, CUT_OFF, FIRST_LINE, Identity, MarkerRecord, Way};
use crate::error::DatabaseError;

/// The first bytes of a write-ahead log of SQLite, with either order of its checksums' bytes; the last digit
/// tells.
const LOG_HEAD: [u8; 3] = [0x37, 0x7f, 0x06];
/// The first bytes of a rollback journal of SQLite.
const JOURNAL_HEAD: [u8; 3] = [0xd9, 0xd5, 0x05];

/// A directory, opened without following a link.
#[derive(Debug)]
pub(super) struct Home(Dir);

/// The owner of a directory.
#[derive(Debug)]
pub(super) enum Found {
    /// Ours, by its own marker.
    Ours(MarkerRecord),
    /// Nobody's: empty but for these parts of a marker, which a crash left.
    Free(Vec<OsString>),
    /// Somebody else's.
    Foreign(DatabaseError),
}

impl Home {
    pub(super) fn open(path: &Path) -> Result<Self, DatabaseError> {
        Dir::open_no_follow(path).map(Self).map_err(DatabaseError::io("opening", path))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn dir(&self) -> &Dir {
        &self.0
    }

    pub(super) fn names(&self) -> Result<Vec<OsString>, DatabaseError> {
        self.0.names().map_err(DatabaseError::io("listing", self.path()))
    }

    pub(super) fn facts(&self, name: &OsStr) -> Result<Option<Facts>, DatabaseError> {
        self.0.facts(name).map_err(|error| DatabaseError::io("reading", &self.0.join(name))(error))
    }

    /// The marker of a directory that is ours.
    pub(super) fn record(&self) -> Result<MarkerRecord, DatabaseError> {
        match self.look()? {
            Found::Ours(record) => Ok(record),
            Found::Foreign(error) => Err(error),
            Found::Free(_) => {
                Err(DatabaseError::Refused { dir: self.path().to_owned(), found: "no marker".to_owned() })
            }
        }
    }

    /// The owner of the directory.
    pub(super) fn look(&self) -> Result<Found, DatabaseError> {
        let foreign =
            |why: String| Found::Foreign(DatabaseError::NotOurs { dir: self.path().to_owned(), why });
        let Some(facts) = self.facts(OsStr::new(NAME))? else { return self.look_without_marker() };
        let failed = |error| DatabaseError::io("reading", &self.0.join(NAME))(error);
        if !facts.is_private() {
            return Ok(foreign("it is a link, or others can write it".to_owned()));
        }
        let mut file = self.0.open_file(OsStr::new(NAME), false).map_err(failed)?;
        if !Facts::of(&file).map_err(failed)?.is_private() {
            return Ok(foreign("it is a link, or others can write it".to_owned()));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let record = match MarkerRecord::parse(&String::from_utf8_lossy(&bytes)) {
            Ok(record) => record,
            Err(why) => return Ok(foreign(why.to_owned())),
        };
        let (directory, place) = self.who()?;
        if record.place != place {
            return Ok(foreign(format!("it is of {}, from where it was copied or moved", record.place)));
        }
        if record.directory != directory {
            return Ok(foreign("it is of another directory, which was at this place before".to_owned()));
        }
        Ok(Found::Ours(record))
    }

    fn who(&self) -> Result<(Identity, String), DatabaseError> {
        let failed = |error| DatabaseError::io("reading", self.path())(error);
        let facts = self.0.own_facts().map_err(failed)?;
        let place = disk::canonicalize(self.path()).map_err(failed)?;
        Ok((Identity::of(&facts.stamp), record::in_one_line(&place)))
    }

    fn look_without_marker(&self) -> Result<Found, DatabaseError> {
        let names = self.names()?;
        for name in &names {
            if !self.is_part(name)? {
                let found = name.to_string_lossy().into_owned();
                return Ok(Found::Foreign(DatabaseError::Refused { dir: self.path().to_owned(), found }));
            }
        }
        Ok(Found::Free(names))
    }

    /// True for a marker that was not yet renamed to its name when a crash came; only on file systems without
    /// unnamed files.
    fn is_part(&self, name: &OsStr) -> Result<bool, DatabaseError> {
        let is_named = name.to_str().is_some_and(|name| {
            let nonce =
                name.strip_prefix(&format!(".{NAME}.")).and_then(|rest| rest.strip_suffix(".partial"));
            nonce.is_some_and(|nonce| nonce.len() == 16 && nonce.bytes().all(|b| b.is_ascii_hexdigit()))
        });
        if !is_named || !self.facts(name)?.is_some_and(|facts| facts.is_private()) {
            return Ok(false);
        }
        let head = self.head(name, FIRST_LINE.len())?;
        Ok(FIRST_LINE.as_bytes().starts_with(&head))
    }

    /// The first bytes of a file, or all where it is shorter.
    fn head(&self, name: &OsStr, bytes: usize) -> Result<Vec<u8>, DatabaseError> {
        let failed = |error| DatabaseError::io("reading", &self.0.join(name))(error);
        let file = self.0.open_file(name, false).map_err(failed)?;
        let mut head = Vec::new();
        file.take(bytes as u64).read_to_end(&mut head).map_err(failed)?;
        Ok(head)
    }

    /// Makes a free directory ours; `left` are the remains of a crash in it.
    pub(super) fn mark(&self, left: &[OsString]) -> Result<(), DatabaseError> {
        let path = self.0.join(NAME);
        for name in left {
            self.0.remove_file(name).map_err(DatabaseError::io("replacing", &path))?;
        }
        let facts = self.0.own_facts().map_err(DatabaseError::io("reading", self.path()))?;
        let place = disk::canonicalize(self.path()).map_err(DatabaseError::io("resolving", self.path()))?;
        let text = record::new_text(&facts.stamp, &place);
        let written = self.0.write_new(OsStr::new(NAME), text.as_bytes(), 0o644);
        written.and_then(|()| self.0.sync()).map_err(DatabaseError::io("writing", &path))
    }

    /// Adds lines to the marker, whose last one may be cut off. Before something is made they must be
    /// durable: after a power cut it would be nobody's.
    pub(super) fn add(&self, is_torn: bool, lines: &str, durable: bool) -> Result<(), DatabaseError> {
        let path = self.0.join(NAME);
        let text = format!("{}{lines}", if is_torn { CUT_OFF } else { "" });
        let mut file = disk::File::open_to_append(&path).map_err(DatabaseError::io("opening", &path))?;
        let written = file.write_all(text.as_bytes());
        written
            .and_then(|()| if durable { file.sync_all() } else { Ok(()) })
            .map_err(DatabaseError::io("writing", &path))
    }

    /// Refuses an entry that we did not make.
    pub(super) fn check(
        &self,
        record: &MarkerRecord,
        name: &OsStr,
        facts: &Facts,
    ) -> Result<(), DatabaseError> {
        let why = match name.to_str().and_then(|name| record.way(name)) {
            _ if facts.kind != FileKind::File => "is nothing that drivetrain put there",
            None | Some(Way::Tree | Way::Target) => "is nothing that drivetrain put there",
            Some(_) if record.has_made(facts) => return Ok(()),
            Some(Way::Making) if self.is_younger(facts)? => return Ok(()),
            Some(Way::Log) if self.is_younger(facts)? && self.is_log(name)? => return Ok(()),
            Some(_) => "is not the file that drivetrain made there: another has taken its place",
        };
        let (dir, path) = (self.path().to_owned(), self.0.join(name));
        Err(DatabaseError::Foreign { dir, path, why: why.to_owned() })
    }

    /// True if a file was made after the marker and has only one name. For a file whose making was cut off,
    /// no more can be known.
    fn is_younger(&self, facts: &Facts) -> Result<bool, DatabaseError> {
        let marker = self.facts(OsStr::new(NAME))?;
        let since_ns = marker.and_then(|marker| marker.stamp.born_ns);
        Ok(facts.links == 1 && (since_ns.is_none() || facts.stamp.born_ns >= since_ns))
    }

    /// True for a file that begins like a log or journal of SQLite, is empty, or begins with bytes that were
    /// never written to the drive.
    fn is_log(&self, name: &OsStr) -> Result<bool, DatabaseError> {
        let head = self.head(name, LOG_HEAD.len())?;
        Ok(head.iter().all(|byte| *byte == 0) || head == LOG_HEAD || head == JOURNAL_HEAD)
    }

    /// Removes the file of a name that is ours. An absent one is fine.
    pub(super) fn remove_ours(&self, record: &MarkerRecord, name: &OsStr) -> Result<(), DatabaseError> {
        let Some(facts) = self.facts(name)? else { return Ok(()) };
        self.check(record, name, &facts)?;
        self.0.remove_file(name).map_err(|error| DatabaseError::io("removing", &self.0.join(name))(error))
    }
}

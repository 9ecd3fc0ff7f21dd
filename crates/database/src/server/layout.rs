//! The places of an own instance's parts, and the files that are ours.

use std::fs;
use std::path::{Path, PathBuf};

use super::clearing::remove_trees;
use super::record;
use crate::error::DatabaseError;
use crate::marker::Marker;

/// Exists while an instance is created or restored; holds which. The directory holds no database until this
/// file is gone.
const UNFINISHED_FILE: &str = "unfinished";
/// The password of our user: as much a part of the database's state as its files.
pub(crate) const SECRET_FILE: &str = "secret";
/// Written last into a copy; without it the copy is not whole. Holds the engine and version that can read it.
pub(crate) const COMPLETE_FILE: &str = "complete";
/// The server's data files.
pub(crate) const DATA: &str = "data";
/// The server's log of changes (not the text that it prints).
pub(crate) const LOG: &str = "log";
/// The server's temporary files, where it keeps them apart.
const TEMPORARY: &str = "tmp";
/// Engine and version that the files are of.
pub(crate) const VERSION_FILE: &str = "server.version";
/// The server's output.
const PRINTED: &str = "server.log";
/// The server's earlier output, moved here when it became long.
const PRINTED_BEFORE: &str = "server.log.old";

/// The paths of an instance. All absolute: servers run in `/`.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The instance's directory.
    pub(crate) dir: PathBuf,
    /// The place of the log's directory: the same, or one on another storage.
    pub(crate) log_home: PathBuf,
}

/// The work that was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfinished {
    Creation,
    Restore,
}

impl Layout {
    /// Claims the directories and notes their future contents; `configuration` names the engine's
    /// configuration files.
    pub(crate) fn claim(
        dir: &Path,
        log_dir: Option<&Path>,
        configuration: &[&str],
    ) -> Result<Self, DatabaseError> {
        let marker = Marker::claim(dir)?;
        let own =
            [UNFINISHED_FILE, SECRET_FILE, VERSION_FILE, PRINTED, record::LOCK_FILE, record::RECORD_FILE];
        let names: Vec<&str> = own.iter().chain(configuration).chain(&[PRINTED_BEFORE]).copied().collect();
        marker.own(&names)?;
        marker.own_tree(DATA)?;
        marker.own_tree(TEMPORARY)?;
        let log_marker = log_dir.map_or(Ok(marker), Marker::claim)?;
        log_marker.own(&[record::LOCK_FILE])?;
        log_marker.own_tree(LOG)?;
        let absolute = |dir: &Path| fs::canonicalize(dir).map_err(DatabaseError::io("resolving", dir));
        Ok(Self { dir: absolute(dir)?, log_home: absolute(log_dir.unwrap_or(dir))? })
    }

    /// Claims `dir` for a copy, which is not whole from now on.
    pub(crate) fn claim_copy(dir: &Path) -> Result<Self, DatabaseError> {
        let marker = Marker::claim(dir)?;
        let names = [COMPLETE_FILE, SECRET_FILE];
        marker.own(&names)?;
        names.iter().try_for_each(|name| marker.remove(name))?;
        marker.own_tree(DATA)?;
        marker.own_tree(LOG)?;
        Ok(Self { dir: dir.to_owned(), log_home: dir.to_owned() })
    }

    /// The data files.
    pub(crate) fn data(&self) -> PathBuf {
        self.dir.join(DATA)
    }

    /// The log of changes.
    pub(crate) fn log(&self) -> PathBuf {
        self.log_home.join(LOG)
    }

    /// Temporary files.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.dir.join(TEMPORARY)
    }

    /// The server's output.
    pub(crate) fn printed(&self) -> PathBuf {
        self.dir.join(PRINTED)
    }

    /// The engine and version of the files.
    pub(crate) fn version_file(&self) -> PathBuf {
        self.dir.join(VERSION_FILE)
    }

    /// A file in the instance's directory.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Makes the entry of the data directory that leads to the log, of engines that have one.
    pub(crate) fn link_log(&self, link: Option<&str>) -> Result<(), DatabaseError> {
        let Some(link) = link.map(|name| self.data().join(name)) else { return Ok(()) };
        std::os::unix::fs::symlink(self.log(), &link).map_err(DatabaseError::io("linking", &link))
    }

    /// True if there is a database.
    pub(crate) fn is_created(&self) -> bool {
        self.data().exists()
    }

    /// The work that was cut off here, if any.
    pub(crate) fn unfinished(&self) -> Option<Unfinished> {
        let text = fs::read_to_string(self.file(UNFINISHED_FILE)).ok()?;
        Some(if text.trim() == "restore" { Unfinished::Restore } else { Unfinished::Creation })
    }

    /// Notes that `what` begins.
    pub(crate) fn begin(&self, what: Unfinished) -> Result<(), DatabaseError> {
        let text = if what == Unfinished::Restore { "restore\n" } else { "creation\n" };
        self.write(UNFINISHED_FILE, text)
    }

    /// Writes a file in the instance's directory, in the place of an own one.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<(), DatabaseError> {
        Marker::open(&self.dir)?.write(name, text.as_bytes(), 0o644).map(drop)
    }

    /// Removes a file in the instance's directory, which must be ours.
    fn remove(&self, name: &str) -> Result<(), DatabaseError> {
        Marker::open(&self.dir)?.remove(name)
    }

    /// Notes that it has ended well.
    pub(crate) fn finish(&self) -> Result<(), DatabaseError> {
        self.remove(UNFINISHED_FILE)
    }

    /// Removes the database's files; the directories stay ours. Where somebody has put something between
    /// them, all stays.
    pub(crate) fn wipe(&self) -> Result<(), DatabaseError> {
        remove_trees(&[self.data(), self.log(), self.temporary()])?;
        self.remove(VERSION_FILE)?;
        self.remove(SECRET_FILE)
    }
}

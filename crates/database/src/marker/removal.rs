//! Removal of our own files: all are examined before any is removed.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use disk::{Dir, FileKind};

use super::home::{Found, Home};
use super::record::Way;
use super::{Marker, NAME};
use crate::error::DatabaseError;
use crate::server;

impl Marker {
    /// Removes our own files in `dir`: the files and directories that its marker names, every directory below
    /// that bears a marker, and `dir` itself. A server that was left behind in it is ended first. An absent
    /// directory is fine.
    ///
    /// # Errors
    /// [`DatabaseError::Refused`], [`DatabaseError::NotOurs`] or [`DatabaseError::Foreign`] when `dir` bears
    /// no marker of its own, or when something foreign lies in it: then nothing was removed.
    /// [`crate::error::ServerError::Busy`] when another drivetrain has a server in it.
    pub fn remove_ours(dir: &Path) -> Result<(), DatabaseError> {
        match disk::metadata_if_any(dir).map_err(DatabaseError::io("reading", dir))? {
            None => return Ok(()),
            Some(found) if !found.is_dir() => {
                let found = "no directory".to_owned();
                return Err(DatabaseError::Refused { dir: dir.to_owned(), found });
            }
            Some(_) => {}
        }
        let home = Home::open(dir)?;
        let record = match home.look()? {
            Found::Free(left) => return home.remove_with(&left),
            Found::Foreign(error) => return Err(error),
            Found::Ours(record) => record,
        };
        let marker = Self { dir: dir.to_owned() };
        server::end_left_behind(&marker.dir)?;
        marker.check(true)?;
        server::remove_trees(&marker.trees()?)?;
        for name in record.names(Way::Target) {
            block::remove_left_over(&dir.join(name))
                .map_err(|error| DatabaseError::Refused { dir: dir.to_owned(), found: error.to_string() })?;
        }
        for name in home.names()? {
            let Some(facts) = home.facts(&name)? else { continue };
            if facts.kind == FileKind::Dir {
                Self::remove_ours(&dir.join(&name))?;
            } else if name != NAME {
                home.remove_ours(&record, &name)?;
            }
        }
        home.remove_with(&[NAME.into()])
    }

    /// Looks at everything in `dir` and below it as [`remove_ours`](Self::remove_ours) does first, and
    /// touches nothing: targets of block I/O, whose proof is taken by writing, are passed by name.
    ///
    /// # Errors
    /// As `remove_ours`.
    pub fn survey(dir: &Path) -> Result<(), DatabaseError> {
        Self::open(dir)?.check(false)
    }

    /// Looks at everything in the directory and below it before anything is removed. To prove, servers below
    /// that were left behind are ended first, and targets show that they are ours.
    fn check(&self, proves: bool) -> Result<(), DatabaseError> {
        let home = Home::open(&self.dir)?;
        let record = home.record()?;
        for name in record.names(Way::Target).filter(|_| proves) {
            let path = self.dir.join(name);
            block::check_left_over(&path).map_err(|error| DatabaseError::Foreign {
                dir: self.dir.clone(),
                path,
                why: format!("is not what a load left: {error}"),
            })?;
        }
        for name in home.names()? {
            let Some(facts) = home.facts(&name)? else { continue };
            let path = self.dir.join(&name);
            let is_of_target = name.to_str().is_some_and(|name| record.is_of_target(name));
            if name == NAME || (facts.kind == FileKind::File && is_of_target) {
                continue;
            }
            if facts.kind != FileKind::Dir {
                home.check(&record, &name, &facts)?;
            } else if name.to_str().and_then(|name| record.way(name)) == Some(Way::Tree) {
                server::survey(&path)?;
            } else {
                self.check_below(path, proves)?;
            }
        }
        Ok(())
    }

    fn check_below(&self, path: PathBuf, proves: bool) -> Result<(), DatabaseError> {
        match Home::open(&path)?.look()? {
            Found::Ours(_) => {
                if proves {
                    server::end_left_behind(&path)?;
                }
                Self { dir: path }.check(proves)
            }
            Found::Free(_) => Ok(()),
            Found::Foreign(error @ DatabaseError::NotOurs { .. }) => Err(error),
            Found::Foreign(_) => {
                let why = "is nothing that drivetrain put there".to_owned();
                Err(DatabaseError::Foreign { dir: self.dir.clone(), path, why })
            }
        }
    }

    /// The directories that servers fill. A link of such a name is not ours.
    fn trees(&self) -> Result<Vec<PathBuf>, DatabaseError> {
        let home = Home::open(&self.dir)?;
        let record = home.record()?;
        let mut trees = Vec::new();
        for name in record.names(Way::Tree) {
            if home.facts(OsStr::new(name))?.is_some_and(|facts| facts.kind == FileKind::Dir) {
                trees.push(self.dir.join(name));
            }
        }
        Ok(trees)
    }
}

impl Home {
    /// Removes the directory with the entries of these names, the last things in it.
    fn remove_with(&self, names: &[std::ffi::OsString]) -> Result<(), DatabaseError> {
        let path = self.path().to_owned();
        let failed = |error: io::Error| DatabaseError::io("removing", &path)(error);
        let above = Dir::holding(&path);
        // Looked at before the marker goes: without it nobody would know the directory again.
        let strangers: Vec<_> = self.names()?.into_iter().filter(|name| !names.contains(name)).collect();
        if let Some(name) = strangers.first() {
            let why = "came there just now".to_owned();
            return Err(DatabaseError::Foreign { dir: path.clone(), path: path.join(name), why });
        }
        for name in names {
            self.dir().remove_file(name).map_err(failed)?;
        }
        match above {
            Ok((above, name)) => above.remove_dir(&name).map_err(failed),
            Err(_) => disk::remove_dir(&path).map_err(failed), // `..` and the like have no name.
        }
    }
}

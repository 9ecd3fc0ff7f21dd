//! The file that says which directories, and which files in them, are ours to delete.
//!
//! A directory is claimed only when it is new, empty or claimed before, and its marker is good for that
//! directory at that place alone: copied or moved it says nothing. A file is named in the marker before it is
//! made, and recognised afterwards by inode and birth; whatever else takes its name, or lies beside it, is
//! somebody's and stays. A directory that a server fills is named as a whole and removed only while it holds
//! nothing that a server would not put there.

mod record;
mod home;
mod removal;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use disk::Stamp;

use crate::error::DatabaseError;
use home::{Found, Home};
use record::{MarkerRecord, Way, made_line};

/// Name of the marker file.
pub(crate) const NAME: &str = ".drivetrain";

/// Proof that a directory is ours.
#[derive(Clone, Debug)]
pub struct Marker {
    dir: PathBuf,
}

impl Marker {
    /// Makes `dir` ours: creates it, or takes an empty one, or one that was claimed before.
    ///
    /// # Errors
    /// [`DatabaseError::Refused`] when it holds anything foreign, [`DatabaseError::NotOurs`] when its marker
    /// is of another directory; I/O errors when it cannot be created or written.
    pub fn claim(dir: &Path) -> Result<Self, DatabaseError> {
        disk::create_dir_all(dir).map_err(DatabaseError::io("creating", dir))?;
        let home = Home::open(dir)?;
        match home.look()? {
            Found::Ours(_) => {}
            Found::Free(left) => home.mark(&left)?,
            Found::Foreign(error) => return Err(error),
        }
        Ok(Self { dir: dir.to_owned() })
    }

    /// The marker of a directory that is ours already.
    ///
    /// # Errors
    /// As [`claim`](Self::claim); also when there is no marker.
    pub fn open(dir: &Path) -> Result<Self, DatabaseError> {
        Home::open(dir)?.record().map(|_| Self { dir: dir.to_owned() })
    }

    /// True if `dir` bears our marker, and one of its own.
    #[must_use]
    pub fn is_ours(dir: &Path) -> bool {
        Self::open(dir).is_ok()
    }

    /// True if `dir` bears a marker, even that of another directory: one that was copied or moved.
    #[must_use]
    pub fn is_marked(dir: &Path) -> bool {
        let is_there = |path: &Path| disk::metadata_if_any(path).is_ok_and(|found| found.is_some());
        disk::metadata_if_any(dir).is_ok_and(|found| found.is_some_and(|found| found.is_dir()))
            && is_there(&dir.join(NAME))
    }

    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Notes that files of these names in this directory will be ours. Noting it twice is harmless.
    ///
    /// # Errors
    /// When one of the names is taken by something that is not ours; when the marker cannot be written.
    ///
    /// # Panics
    /// When a name is not a plain file name.
    pub fn own(&self, names: &[&str]) -> Result<(), DatabaseError> {
        self.note(Way::File, names.iter().copied())
    }

    /// Notes the same of logs and journals that SQLite makes and removes by itself: known by their first
    /// bytes.
    ///
    /// # Errors
    /// As [`own`](Self::own).
    pub(crate) fn own_logs(&self, names: &[&str]) -> Result<(), DatabaseError> {
        self.note(Way::Log, names.iter().copied())
    }

    /// Notes that targets of block I/O of these names will be made here, which keep proofs of their own
    /// beside them. Thousands at once.
    ///
    /// # Errors
    /// As [`own`](Self::own).
    pub fn own_targets(&self, names: &[String]) -> Result<(), DatabaseError> {
        self.note(Way::Target, names.iter().map(String::as_str))
    }

    /// Notes that the directory `name` in this directory, with all that a server puts into it, is ours, to be
    /// called before it is created. Noting it twice is harmless.
    ///
    /// # Errors
    /// When something of that name is there already and is not ours; when the marker cannot be written.
    ///
    /// # Panics
    /// When `name` is not a plain name.
    pub fn own_tree(&self, name: &str) -> Result<PathBuf, DatabaseError> {
        self.note(Way::Tree, std::iter::once(name)).map(|()| self.dir.join(name))
    }

    fn note<'a>(&self, way: Way, names: impl Iterator<Item = &'a str>) -> Result<(), DatabaseError> {
        let home = Home::open(&self.dir)?;
        let record = home.record()?;
        let mut lines = String::new();
        for name in names {
            assert!(is_plain(name), "`{name}` must be a plain file name");
            let (known, there) = (record.way(name), home.facts(OsStr::new(name))?);
            match (known, there) {
                (Some(known), None) if known == way => continue,
                (Some(known), Some(_)) if known == way && matches!(way, Way::Tree | Way::Target) => continue,
                (Some(Way::File | Way::Making | Way::Log), Some(facts)) => {
                    home.check(&record, OsStr::new(name), &facts)?;
                    continue;
                }
                (_, Some(_)) => {
                    return Err(DatabaseError::Refused { dir: self.dir.clone(), found: name.to_owned() });
                }
                (_, None) => lines.push_str(&way.line(name)),
            }
        }
        if lines.is_empty() { Ok(()) } else { home.add(record.is_torn, &lines, true) }
    }

    /// Makes the file `name` with these permissions, less those that the process's mask takes, in the place
    /// of an own one. It is noted before and afterwards: a crash in between leaves a file that can still be
    /// removed.
    ///
    /// # Errors
    /// When the name is taken by something that is not ours; I/O errors. Then nothing was left.
    ///
    /// # Panics
    /// When `name` is not a plain file name.
    pub fn create(&self, name: &str, mode: u32) -> Result<disk::File, DatabaseError> {
        assert!(is_plain(name), "`{name}` must be a plain file name");
        let home = Home::open(&self.dir)?;
        let record = home.record()?;
        if record.way(name).is_none() && home.facts(OsStr::new(name))?.is_some() {
            return Err(DatabaseError::Refused { dir: self.dir.clone(), found: name.to_owned() });
        }
        home.remove_ours(&record, OsStr::new(name))?;
        make(&home, &record, name, mode)
    }

    /// Makes the file `name` with these bytes, in the place of an own one.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn write(&self, name: &str, bytes: &[u8], mode: u32) -> Result<PathBuf, DatabaseError> {
        let mut file = self.create(name, mode)?;
        file.write_all(bytes).map_err(|error| DatabaseError::io("writing", file.path())(error))?;
        Ok(self.dir.join(name))
    }

    /// Sees to it that the file `name` is there and ours; makes it, empty, when it is absent.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn ensure(&self, name: &str, mode: u32) -> Result<PathBuf, DatabaseError> {
        let home = Home::open(&self.dir)?;
        let record = home.record()?;
        match home.facts(OsStr::new(name))? {
            Some(facts) => home.check(&record, OsStr::new(name), &facts)?,
            None => drop(make(&home, &record, name, mode)?),
        }
        Ok(self.dir.join(name))
    }

    /// Refuses a foreign file of the name `name`. An absent file is fine.
    ///
    /// # Errors
    /// [`DatabaseError::Foreign`]; as [`open`](Self::open).
    pub fn check_file(&self, name: &str) -> Result<(), DatabaseError> {
        let home = Home::open(&self.dir)?;
        let record = home.record()?;
        home.facts(OsStr::new(name))?.map_or(Ok(()), |facts| home.check(&record, OsStr::new(name), &facts))
    }

    /// Refuses whatever has the name of one of our files unless we made it.
    ///
    /// # Errors
    /// As [`check_file`](Self::check_file).
    pub fn check_files(&self) -> Result<(), DatabaseError> {
        let home = Home::open(&self.dir)?;
        let record = home.record()?;
        let names = [Way::File, Way::Making, Way::Log].into_iter().flat_map(|way| record.names(way));
        for name in names.map(OsStr::new) {
            home.facts(name)?.map_or(Ok(()), |facts| home.check(&record, name, &facts))?;
        }
        Ok(())
    }

    /// Renames an own file to a name that is ours, replacing the own file there.
    ///
    /// # Errors
    /// When what has one of the names is not ours; I/O errors.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), DatabaseError> {
        self.own(&[to])?;
        self.check_file(from)?;
        let to = self.dir.join(to);
        disk::rename(&self.dir.join(from), &to).map_err(DatabaseError::io("renaming to", &to))
    }

    /// Removes the file `name`, which must be ours. An absent one is fine.
    ///
    /// # Errors
    /// [`DatabaseError::Foreign`] when somebody else's has taken its place; I/O errors.
    pub fn remove(&self, name: &str) -> Result<(), DatabaseError> {
        let home = Home::open(&self.dir)?;
        let record = home.record()?;
        home.remove_ours(&record, OsStr::new(name))
    }
}

fn make(home: &Home, record: &MarkerRecord, name: &str, mode: u32) -> Result<disk::File, DatabaseError> {
    let path = home.path().join(name);
    home.add(record.is_torn, &Way::Making.line(name), true)?;
    let made = home.dir().create_new(OsStr::new(name), mode).map_err(DatabaseError::io("creating", &path));
    let noted = made.and_then(|file| {
        let stamp = Stamp::of(&file).map_err(DatabaseError::io("reading", &path));
        let noted = stamp.and_then(|stamp| home.add(false, &made_line(name, &stamp), false));
        noted.map(|()| file).inspect_err(|_| drop(home.dir().remove_file(OsStr::new(name)))) // The error is told.
    });
    // A file that takes the name from now on is not ours. If even that cannot be written, one made after the
    // marker is taken for ours.
    noted.inspect_err(|_| {
        drop(home.record().and_then(|record| home.add(record.is_torn, &Way::File.line(name), false)));
    })
}

/// The marker of the directory that holds `path`, and the name of `path` there.
///
/// # Errors
/// As [`Marker::open`].
pub(crate) fn of(path: &Path) -> Result<(Marker, &str), DatabaseError> {
    let name = path.file_name().and_then(OsStr::to_str).filter(|name| is_plain(name));
    let name =
        name.ok_or_else(|| DatabaseError::io("opening", path)(std::io::ErrorKind::InvalidInput.into()))?;
    Ok((Marker::open(disk::parent(path))?, name))
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && name != NAME && !name.contains(['/', '\n', '\0'])
}

//! The file that says which directories, and which files in them, are ours to delete.
//!
//! A directory is claimed only when it is new, empty or claimed before. Files are written into the marker by name before they are
//! created, and only files named there are ever removed; whatever a user puts beside them stays. A directory that a server fills is
//! named as a whole (`data/`) and removed only while it holds nothing that a server would not put there.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use disk::{Dir, Facts};

use crate::DatabaseError;
use crate::server;

/// Name of the marker file.
pub(crate) const NAME: &str = ".drivetrain";
/// First line of every marker; a file of that name without it is not ours.
const FIRST_LINE: &str = "drivetrain created this directory and the files named below, and may remove them.";

/// Proof that a directory is ours.
#[derive(Clone, Debug)]
pub struct Marker {
    dir: PathBuf,
}

impl Marker {
    /// Makes `dir` ours: creates it, or takes an empty one, or one that was claimed before.
    ///
    /// # Errors
    /// [`DatabaseError::Refused`] when it holds anything foreign; I/O errors when it cannot be created or written.
    pub fn claim(dir: &Path) -> Result<Self, DatabaseError> {
        fs::create_dir_all(dir).map_err(DatabaseError::io("creating", dir))?;
        let marker = Self { dir: dir.to_owned() };
        if Self::is_ours(dir) {
            return Ok(marker);
        }
        if let Some(found) = entries(dir)?.into_iter().next()
            && !is_half_claimed(dir)?
        {
            return Err(DatabaseError::Refused { dir: dir.to_owned(), found });
        }
        let path = dir.join(NAME);
        let opened = Dir::open(dir).map_err(DatabaseError::io("opening", dir))?;
        // Empty: a claim was cut short there.
        opened.remove_file(NAME.as_ref()).map_err(DatabaseError::io("replacing", &path))?;
        let text = format!("{FIRST_LINE}\n");
        opened
            .write_new(NAME.as_ref(), text.as_bytes(), 0o644)
            .map_err(DatabaseError::io("writing", &path))?;
        Ok(marker)
    }

    /// Whether `dir` bears our marker.
    #[must_use]
    pub fn is_ours(dir: &Path) -> bool {
        marker_in(dir).is_some_and(|text| text.lines().next() == Some(FIRST_LINE))
    }

    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Notes that the file `name` in this directory is ours, to be called before the file is created. Noting it twice is harmless.
    ///
    /// # Errors
    /// When a file of that name is there already and is not ours; when the marker cannot be written.
    ///
    /// # Panics
    /// When `name` is not a plain file name.
    pub fn own(&self, name: &str) -> Result<PathBuf, DatabaseError> {
        assert!(is_plain(name), "`{name}` must be a plain file name");
        self.note(name, name)
    }

    /// Notes that these files in this directory are ours, as [`own`](Self::own) does for one: thousands at once.
    ///
    /// # Errors
    /// When something of one of the names is there already and is not ours; when the marker cannot be written.
    ///
    /// # Panics
    /// When a name is not a plain file name.
    pub fn own_all(&self, names: &[String]) -> Result<(), DatabaseError> {
        let known: std::collections::BTreeSet<String> = self.lines()?.into_iter().collect();
        let mut lines = String::new();
        for name in names.iter().filter(|name| !known.contains(*name)) {
            assert!(is_plain(name), "`{name}` must be a plain file name");
            if self.dir.join(name).symlink_metadata().is_ok() {
                return Err(DatabaseError::Refused { dir: self.dir.clone(), found: name.clone() });
            }
            lines.push_str(&format!("{name}\n"));
        }
        self.append(&lines)
    }

    /// Notes that the directory `name` in this directory, with all that a server puts into it, is ours, to be called before it is
    /// created. Noting it twice is harmless.
    ///
    /// # Errors
    /// When something of that name is there already and is not ours; when the marker cannot be written.
    ///
    /// # Panics
    /// When `name` is not a plain name.
    pub fn own_tree(&self, name: &str) -> Result<PathBuf, DatabaseError> {
        assert!(is_plain(name), "`{name}` must be a plain name");
        self.note(name, &format!("{name}/"))
    }

    fn note(&self, name: &str, line: &str) -> Result<PathBuf, DatabaseError> {
        let path = self.dir.join(name);
        if self.lines()?.iter().any(|known| known == line) {
            return Ok(path);
        }
        if path.symlink_metadata().is_ok() {
            return Err(DatabaseError::Refused { dir: self.dir.clone(), found: name.to_owned() });
        }
        self.append(&format!("{line}\n"))?;
        Ok(path)
    }

    fn append(&self, lines: &str) -> Result<(), DatabaseError> {
        let marker = self.dir.join(NAME);
        let mut file = disk::File::open_to_append(&marker).map_err(DatabaseError::io("opening", &marker))?;
        file.write_all(lines.as_bytes()).map_err(DatabaseError::io("writing", &marker))
    }

    /// Removes what is ours in `dir`: the files and directories that its marker names, every directory below that bears a marker, and
    /// `dir` itself. A server that was left behind in it is ended first. An absent directory is fine.
    ///
    /// # Errors
    /// [`DatabaseError::Refused`] when `dir` bears no marker, or when something foreign lies in it: that stays, and so does the
    /// directory around it. [`crate::ServerError::Busy`] when another drivetrain has a server in it.
    pub fn remove_ours(dir: &Path) -> Result<(), DatabaseError> {
        let kind = match dir.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(DatabaseError::io("reading", dir)(error)),
            Ok(metadata) => metadata.file_type(),
        };
        if kind.is_dir() && is_half_claimed(dir)? {
            return remove_marker_and_dir(dir);
        }
        if !kind.is_dir() || !Self::is_ours(dir) {
            let found = entries(dir).ok().and_then(|e| e.into_iter().next());
            return Err(DatabaseError::Refused {
                dir: dir.to_owned(),
                found: found.unwrap_or_else(|| "no marker".to_owned()),
            });
        }
        let marker = Self { dir: dir.to_owned() };
        marker.check()?;
        marker.remove_trees()?;
        let names = marker.names()?;
        for name in &names {
            let path = dir.join(name);
            if names.contains(&format!("{name}.drivetrain-owned")) {
                // A target of block I/O, whose own marker says whether it is ours.
                block::remove_left_over(&path).map_err(|error| DatabaseError::Refused {
                    dir: dir.to_owned(),
                    found: error.to_string(),
                })?;
                continue;
            }
            match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(DatabaseError::io("removing", &path)(error));
                }
                _ => {}
            }
        }
        for name in entries(dir)? {
            let below = dir.join(&name);
            if below.symlink_metadata().is_ok_and(|m| m.is_dir())
                && (Self::is_ours(&below) || is_half_claimed(&below)?)
            {
                Self::remove_ours(&below)?;
            }
        }
        if let Some(found) = entries(dir)?.into_iter().next() {
            return Err(DatabaseError::Refused { dir: dir.to_owned(), found });
        }
        remove_marker_and_dir(dir)
    }

    /// Looks at everything in the directory and below it before anything is removed. Servers that were left behind are ended first.
    fn check(&self) -> Result<(), DatabaseError> {
        server::end_left_behind(&self.dir)?;
        let (names, trees) = (self.names()?, self.trees()?);
        for name in entries(&self.dir)? {
            let path = self.dir.join(&name);
            let kind = path.symlink_metadata().map_err(DatabaseError::io("reading", &path))?.file_type();
            if kind.is_dir() && trees.contains(&path) {
                server::survey(&path)?;
            } else if kind.is_dir() && Self::is_ours(&path) {
                Self { dir: path }.check()?;
            } else if !((kind.is_file() && names.contains(&name))
                || (kind.is_dir() && is_half_claimed(&path)?)
                || is_aside(&name, &names))
            {
                let why = "is nothing that drivetrain put there".to_owned();
                return Err(DatabaseError::Foreign { dir: self.dir.clone(), path, why });
            }
        }
        Ok(())
    }

    /// Removes the directories that servers fill, all or none. One that holds something foreign stays whole, and is an error.
    fn remove_trees(&self) -> Result<(), DatabaseError> {
        server::remove_trees(&self.trees()?)
    }

    /// The directories that servers fill. A link of such a name is not what we made.
    fn trees(&self) -> Result<Vec<PathBuf>, DatabaseError> {
        let lines = self.lines()?;
        let names = lines.iter().filter_map(|line| line.strip_suffix('/')).filter(|name| is_plain(name));
        let paths = names.map(|name| self.dir.join(name));
        Ok(paths.filter(|path| path.symlink_metadata().is_ok_and(|found| found.is_dir())).collect())
    }

    /// The files that the marker calls ours. Lines that are not plain names are passed over: a damaged marker must not reach outside.
    fn names(&self) -> Result<Vec<String>, DatabaseError> {
        Ok(self.lines()?.into_iter().filter(|line| is_plain(line)).collect())
    }

    fn lines(&self) -> Result<Vec<String>, DatabaseError> {
        let text = marker_in(&self.dir).ok_or_else(|| DatabaseError::Refused {
            dir: self.dir.clone(),
            found: format!("{NAME}, a marker that is not ours"),
        })?;
        Ok(text.lines().skip(1).map(str::to_owned).collect())
    }
}

/// The text of the marker in a directory, if nobody else can have written it: neither a link nor another user's file is believed.
fn marker_in(dir: &Path) -> Option<String> {
    let opened = Dir::open_no_follow(dir).ok()?;
    if !opened.facts(NAME.as_ref()).ok()??.is_private() {
        return None;
    }
    let mut file = opened.open_file(NAME.as_ref(), false).ok()?;
    if !Facts::of(&file).ok()?.is_private() {
        return None;
    }
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    Some(text)
}

/// Whether the name is the one that a target of block I/O has while it is made or removed: its own marker tells more.
fn is_aside(name: &str, names: &[String]) -> bool {
    let nonce = name.strip_prefix(".drivetrain-").unwrap_or_default();
    nonce.len() == 16
        && nonce.bytes().all(|byte| byte.is_ascii_hexdigit())
        && names.iter().any(|known| known.ends_with(".drivetrain-owned"))
}

fn remove_marker_and_dir(dir: &Path) -> Result<(), DatabaseError> {
    let path = dir.join(NAME);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(DatabaseError::io("removing", &path)(error));
        }
        _ => {}
    }
    fs::remove_dir(dir).map_err(DatabaseError::io("removing", dir))
}

/// Whether a kill interrupted a claim: the directory is empty, or holds nothing but a marker that was not written yet.
fn is_half_claimed(dir: &Path) -> Result<bool, DatabaseError> {
    let names = entries(dir)?;
    let unwritten = || dir.join(NAME).symlink_metadata().is_ok_and(|m| m.is_file() && m.len() == 0);
    Ok(!Marker::is_ours(dir) && (names.is_empty() || (names == [NAME] && unwritten())))
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && name != NAME && !name.contains(['/', '\n', '\0'])
}

/// Names in `dir` besides the marker, sorted.
fn entries(dir: &Path) -> Result<Vec<String>, DatabaseError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).map_err(DatabaseError::io("listing", dir))? {
        let name = entry.map_err(DatabaseError::io("listing", dir))?.file_name();
        if name != NAME || !Marker::is_ours(dir) {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_cut_short_by_a_kill_can_be_repeated_and_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join("bed");
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join(NAME), "").unwrap();
        Marker::claim(&dir).unwrap();
        assert!(Marker::is_ours(&dir));
        fs::write(dir.join(NAME), "").unwrap();
        Marker::remove_ours(&dir).unwrap();
        assert!(!dir.exists());
    }

    #[test]
    fn claims_new_empty_and_own_directories() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("a/b");
        let marker = Marker::claim(&dir).unwrap();
        fs::write(marker.own("data").unwrap(), "x").unwrap();
        marker.own("data").unwrap();
        Marker::claim(&dir).unwrap();
        Marker::claim(&dir.join("inner")).unwrap();
        Marker::remove_ours(&dir).unwrap();
        assert!(!dir.exists());
        assert!(dir.parent().unwrap().exists());
        Marker::remove_ours(&dir).unwrap();
    }

    #[test]
    fn refuses_a_foreign_directory_and_touches_nothing() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("thesis.tex"), "work of years").unwrap();
        let error = Marker::claim(temp.path()).unwrap_err();
        assert!(error.is_refusal());
        assert!(error.to_string().contains("thesis.tex"), "{error}");
        assert!(Marker::remove_ours(temp.path()).unwrap_err().is_refusal());
        assert_eq!(entries(temp.path()).unwrap(), ["thesis.tex"]);
    }

    #[test]
    fn a_foreign_file_of_the_markers_name_does_not_claim() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join(NAME), "something else").unwrap();
        assert!(Marker::claim(temp.path()).unwrap_err().is_refusal());
        assert!(Marker::remove_ours(temp.path()).unwrap_err().is_refusal());
        assert_eq!(fs::read_to_string(temp.path().join(NAME)).unwrap(), "something else");
    }

    #[test]
    fn removes_only_what_it_named() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("d");
        let marker = Marker::claim(&dir).unwrap();
        fs::write(marker.own("ours").unwrap(), "x").unwrap();
        fs::write(dir.join("theirs"), "y").unwrap();
        fs::create_dir(dir.join("their-dir")).unwrap();
        fs::write(dir.join("their-dir/file"), "z").unwrap();
        let error = Marker::remove_ours(&dir).unwrap_err();
        assert!(error.is_refusal());
        assert_eq!(
            entries(&dir).unwrap(),
            ["ours", "their-dir", "theirs"],
            "all is looked at before anything goes"
        );
        assert_eq!(fs::read_to_string(dir.join("their-dir/file")).unwrap(), "z");
        assert!(marker.own("theirs").unwrap_err().is_refusal());
    }

    #[test]
    fn a_servers_directory_goes_as_a_whole_unless_somebody_put_something_into_it() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("d");
        let marker = Marker::claim(&dir).unwrap();
        let data = marker.own_tree("data").unwrap();
        marker.own_tree("data").unwrap();
        fs::create_dir_all(data.join("base/1")).unwrap();
        fs::write(data.join("PG_VERSION"), "15").unwrap();
        fs::write(data.join("thesis.tex"), "work of years").unwrap();
        let message = Marker::remove_ours(&dir).unwrap_err().to_string();
        assert!(message.contains("thesis.tex"), "{message}");
        assert!(data.join("thesis.tex").exists() && data.join("base/1").exists());
        fs::remove_file(data.join("thesis.tex")).unwrap();
        Marker::remove_ours(&dir).unwrap();
        assert!(!dir.exists());
    }

    #[test]
    fn a_directory_that_was_there_before_is_not_taken() {
        let temp = tempfile::tempdir().unwrap();
        let marker = Marker::claim(&temp.path().join("d")).unwrap();
        fs::create_dir(marker.dir().join("data")).unwrap();
        assert!(marker.own_tree("data").unwrap_err().is_refusal());
    }

    #[test]
    fn a_damaged_marker_reaches_nothing_outside() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("precious"), "x").unwrap();
        let dir = temp.path().join("d");
        Marker::claim(&dir).unwrap();
        fs::write(dir.join(NAME), format!("{FIRST_LINE}\n../precious\n..\n../\n/\n/etc/hostname\n\n"))
            .unwrap();
        Marker::remove_ours(&dir).unwrap();
        assert!(temp.path().join("precious").exists());
    }

    #[test]
    fn a_marker_of_somebody_else_or_a_link_claims_nothing() {
        use std::os::unix::fs::PermissionsExt as _;
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("d");
        let marker = Marker::claim(&dir).unwrap();
        fs::write(marker.own("ours").unwrap(), "x").unwrap();
        let whole = temp.path().join("whole");
        fs::rename(dir.join(NAME), &whole).unwrap();
        std::os::unix::fs::symlink(&whole, dir.join(NAME)).unwrap();
        assert!(!Marker::is_ours(&dir));
        assert!(Marker::claim(&dir).unwrap_err().is_refusal());
        assert!(Marker::remove_ours(&dir).unwrap_err().is_refusal());
        fs::remove_file(dir.join(NAME)).unwrap();
        fs::rename(&whole, dir.join(NAME)).unwrap();
        fs::set_permissions(dir.join(NAME), fs::Permissions::from_mode(0o666)).unwrap();
        assert!(!Marker::is_ours(&dir));
        fs::set_permissions(dir.join(NAME), fs::Permissions::from_mode(0o644)).unwrap();
        Marker::remove_ours(&dir).unwrap();
        // A dangling link of the name is not written through.
        fs::create_dir(&dir).unwrap();
        std::os::unix::fs::symlink(temp.path().join("thesis"), dir.join(NAME)).unwrap();
        assert!(Marker::claim(&dir).unwrap_err().is_refusal());
        assert!(!temp.path().join("thesis").exists());
    }

    #[test]
    fn follows_no_link() {
        let temp = tempfile::tempdir().unwrap();
        let other = temp.path().join("other");
        let claimed = Marker::claim(&other).unwrap();
        fs::write(claimed.own("data").unwrap(), "x").unwrap();
        let dir = temp.path().join("d");
        Marker::claim(&dir).unwrap();
        std::os::unix::fs::symlink(&other, dir.join("link")).unwrap();
        assert!(Marker::remove_ours(&dir).unwrap_err().is_refusal());
        assert!(other.join("data").exists());
        let linked = temp.path().join("linked");
        std::os::unix::fs::symlink(&other, &linked).unwrap();
        assert!(Marker::remove_ours(&linked).unwrap_err().is_refusal());
    }
}

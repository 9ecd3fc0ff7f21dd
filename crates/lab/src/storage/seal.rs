//! The seal of a golden copy: the facts of every file in it when the copy was whole.
//!
//! All cells start from the copy, and it is removed with the run. Nobody has a reason to change it in
//! between: a file that was written over, even in its place and with its length, is somebody's by then. It is
//! neither measured nor removed.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use database::{DatabaseError, Marker};
use disk::{File, Stamp};

/// Written into a golden copy's folder when it is whole; a copy without it is loaded anew.
const NAME: &str = "whole";
/// First line of a seal.
const FIRST_LINE: &str = "inode, bytes, last write and birth of every file of this copy";
/// Last line: a seal that was cut off is none.
const LAST_LINE: &str = "whole\n";
/// Begins the name of our markers, which say for themselves whether they are ours.
const MARKER: &str = ".drivetrain";

/// Seals a copy that is whole.
///
/// # Errors
/// I/O errors; when the seal's name is taken by a foreign file.
pub(crate) fn put(copy: &Path) -> Result<(), DatabaseError> {
    let marker = Marker::open(copy)?;
    let mut text = format!("{FIRST_LINE}\n");
    for (name, stamp) in files(copy, true)? {
        text.push_str(&format!("{stamp} {name}\n"));
    }
    text.push_str(LAST_LINE);
    let path = marker.write(NAME, text.as_bytes(), 0o644)?;
    let durable =
        disk::File::open(&path).and_then(|file| file.sync_all()).and_then(|()| disk::sync_dir(copy));
    durable.map_err(failed("writing", &path))
}

/// True if the folder holds a copy that was sealed.
pub(crate) fn is_on(copy: &Path) -> bool {
    read(copy).is_ok_and(|seal| seal.is_some())
}

/// Refuses to use a copy in which a file was changed or taken away since it was sealed; what was added is
/// nobody's business then. One without a seal is fine: it is not whole.
///
/// # Errors
/// [`DatabaseError::Foreign`] with the first such file; I/O errors.
pub(crate) fn check(copy: &Path) -> Result<(), DatabaseError> {
    match differences(copy)?.gone.first() {
        Some(name) => Err(foreign(copy, name, "is gone, which belongs to the copy that drivetrain made")),
        None => Ok(()),
    }
}

/// Refuses to remove a copy in which a file was changed or added since it was sealed. A removal that was cut
/// off may have taken some away.
///
/// # Errors
/// As [`check`].
pub(crate) fn check_removal(copy: &Path) -> Result<(), DatabaseError> {
    match differences(copy)?.added.first() {
        Some(name) => Err(foreign(copy, name, "was not there when drivetrain made the copy")),
        None => Ok(()),
    }
}

/// The differences of a sealed copy, in names.
#[derive(Default)]
struct Differences {
    added: Vec<String>,
    gone: Vec<String>,
}

/// The added and the removed files. A changed file is an error.
fn differences(copy: &Path) -> Result<Differences, DatabaseError> {
    let Some(mut sealed) = read(copy)? else { return Ok(Differences::default()) };
    let mut added = Vec::new();
    for (name, now) in files(copy, false)? {
        match sealed.remove(&name) {
            Some(then) if then == now => {}
            Some(_) => {
                let why = "was changed after drivetrain had made the copy that it belongs to";
                return Err(foreign(copy, &name, why));
            }
            None => added.push(name),
        }
    }
    Ok(Differences { added, gone: sealed.into_keys().collect() })
}

fn foreign(copy: &Path, name: &str, why: &str) -> DatabaseError {
    DatabaseError::Foreign { dir: copy.to_owned(), path: copy.join(name), why: why.to_owned() }
}

/// Refuses to remove a run's folder in which a copy is not as it was sealed.
///
/// # Errors
/// As [`check_removal`].
pub(crate) fn check_below(folder: &Path) -> Result<(), DatabaseError> {
    for name in disk::list(folder).map_err(failed("reading", folder))? {
        let dir = folder.join(name);
        if dir.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            check_removal(&dir)?;
        }
    }
    Ok(())
}

/// The files of a seal; `None` where there is none, or one that is not finished.
fn read(copy: &Path) -> Result<Option<BTreeMap<String, String>>, DatabaseError> {
    let path = copy.join(NAME);
    if disk::metadata_if_any(&path).map_err(failed("reading", &path))?.is_none() {
        return Ok(None);
    }
    Marker::open(copy)?.check_file(NAME)?;
    let text = disk::read_to_string(&path).map_err(failed("reading", &path))?;
    let entries =
        text.strip_prefix(FIRST_LINE).and_then(|rest| rest.strip_suffix(LAST_LINE)?.strip_prefix('\n'));
    let Some(entries) = entries else { return Ok(None) };
    // `INODE BYTES WRITTEN BIRTH NAME`.
    let entry = |line: &str| {
        let (at, _) = line.match_indices(' ').nth(3)?;
        Some((line[at + 1..].to_owned(), line[..at].to_owned()))
    };
    Ok(entries.split_terminator('\n').map(entry).collect())
}

/// Every file below `copy` by its name from there, with what tells it from every other and from itself after
/// a change. `settle`: waits until any change to come shows.
fn files(copy: &Path, settle: bool) -> Result<BTreeMap<String, String>, DatabaseError> {
    let mut found = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let folder = copy.join(&below);
        for name in disk::list(&folder).map_err(failed("reading", &folder))? {
            let below = below.join(&name);
            let path = copy.join(&below);
            let kind = path.symlink_metadata().map_err(failed("reading", &path))?;
            let is_our_word =
                below.parent() == Some(Path::new("")) && name.as_encoded_bytes() == NAME.as_bytes();
            if kind.is_dir() {
                folders.push(below);
            } else if !is_our_word && !name.as_encoded_bytes().starts_with(MARKER.as_bytes()) {
                let stamp = stamp(&path, settle && kind.is_file()).map_err(failed("reading", &path))?;
                found.insert(in_one_line(&below), stamp);
            }
        }
    }
    Ok(found)
}

/// Without the number of the device, which can be another one after every mount, and with the time of the
/// last write: a file that was moved away and back is what it was.
fn stamp(path: &Path, settle: bool) -> std::io::Result<String> {
    let stamp = if settle { Stamp::settled(&File::open(path)?)? } else { Stamp::at(path)? };
    let born = stamp.born_ns.map_or("-".to_owned(), |born_ns| born_ns.to_string());
    let found = path.symlink_metadata()?;
    let (seconds, nanoseconds) = (found.mtime(), found.mtime_nsec());
    Ok(format!("{} {} {seconds}.{nanoseconds:09} {born}", stamp.inode, stamp.size_bytes))
}

fn in_one_line(name: &Path) -> String {
    name.to_string_lossy().replace('\\', "\\\\").replace('\n', "\\n")
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> DatabaseError {
    let path = path.to_owned();
    move |source| DatabaseError::Io { doing, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::FileExt as _;

    /// A copy of three files, one of them further below.
    fn copy() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let copy = temp.path().join("golden-0");
        let marker = Marker::claim(&copy).unwrap();
        marker.write("database.sqlite", b"of the copy", 0o644).unwrap();
        let tree = marker.own_tree("data").unwrap();
        fs::create_dir_all(tree.join("base")).unwrap();
        fs::write(tree.join("base/1"), "of the copy").unwrap();
        fs::write(tree.join("with a space\nand a line"), "of the copy").unwrap();
        (temp, copy)
    }

    #[test]
    fn a_copy_stays_as_it_was_sealed() {
        let (_temp, copy) = copy();
        assert!(!is_on(&copy));
        check(&copy).unwrap();
        put(&copy).unwrap();
        assert!(is_on(&copy));
        check(&copy).unwrap();
        check_below(copy.parent().unwrap()).unwrap();
        assert_eq!(fs::read(copy.join("data/base/1")).unwrap(), b"of the copy");
        fs::rename(copy.join("data/base/1"), copy.join("moved")).unwrap();
        fs::rename(copy.join("moved"), copy.join("data/base/1")).unwrap();
        check(&copy).unwrap();
    }

    #[test]
    fn whatever_somebody_does_to_a_copy_shows() {
        let in_place = |path: PathBuf| {
            fs::OpenOptions::new().write(true).open(path).unwrap().write_all_at(b"of a user!!", 0).unwrap();
        };
        type Change<'a> = (&'a str, &'a dyn Fn(&Path));
        let changes: [Change<'_>; 6] = [
            ("was changed", &|copy| in_place(copy.join("database.sqlite"))),
            ("was changed", &|copy| in_place(copy.join("data/base/1"))),
            ("was changed", &|copy| fs::write(copy.join("data/base/1"), "shorter").unwrap()),
            ("was not there", &|copy| fs::write(copy.join("data/base/2"), "letters").unwrap()),
            ("is gone", &|copy| fs::remove_file(copy.join("data/base/1")).unwrap()),
            ("was changed", &|copy| {
                fs::write(copy.join("other"), "of the copy").unwrap();
                fs::rename(copy.join("other"), copy.join("data/base/1")).unwrap();
            }),
        ];
        for (number, (why, change)) in changes.into_iter().enumerate() {
            let (_temp, copy) = copy();
            put(&copy).unwrap();
            change(&copy);
            let (used, removed) = (check(&copy), check_below(copy.parent().unwrap()));
            assert_eq!(used.is_ok(), why == "was not there", "what was added is not read: {number}");
            assert_eq!(removed.is_ok(), why == "is gone", "a removal that was cut off goes on: {number}");
            for error in [used.err(), removed.err()].into_iter().flatten() {
                assert!(error.is_refusal() && error.to_string().contains(why), "{number}: {error}");
            }
        }
    }

    #[test]
    fn a_seal_that_was_never_finished_is_none() {
        let (_temp, copy) = copy();
        put(&copy).unwrap();
        let whole = fs::read_to_string(copy.join(NAME)).unwrap();
        for cut in 0..whole.len() {
            fs::write(copy.join(NAME), &whole[..cut]).unwrap();
            assert!(!is_on(&copy), "{cut}");
            check(&copy).unwrap();
            check_removal(&copy).unwrap();
        }
        fs::write(copy.join(NAME), &whole).unwrap();
        assert!(is_on(&copy));
    }
}

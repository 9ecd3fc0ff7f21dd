//! Scratch files that a kill left while the floor of an emulated drive's layer was measured: known by their
//! names and bytes, and removed.

use std::path::{Path, PathBuf};

/// As [`remove_floor_files`], in a folder of a run, its beds, and their directories of data and logs: each of
/// them can be mounted in place, and a mount is measured when it begins.
pub(crate) fn remove_all_floor_files(folder: &Path) {
    remove_floor_files(folder);
    for bed in directories_in(folder) {
        remove_floor_files(&bed);
        directories_in(&bed).for_each(|dir| remove_floor_files(&dir));
    }
}

/// Removes the remains of a kill during a floor measurement: files by their names and contents, and the
/// directory of a trial mount, once it is empty.
fn remove_floor_files(folder: &Path) {
    for path in floor_files_in(folder) {
        let is_dir = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        if is_dir {
            let below = floor_files_in(&path).filter(|below| is_floor_file(below));
            below.for_each(|below| drop(disk::remove_file(&below)));
        }
        // The removal of the directory finds and names the remains.
        let _ = match is_dir {
            true => disk::remove_dir(&path),
            false if is_floor_file(&path) => disk::remove_file(&path),
            false => Ok(()),
        };
    }
}

/// True if a file is empty or holds only the bytes that the measuring of a floor writes.
fn is_floor_file(path: &Path) -> bool {
    const SIZE_MAX_BYTES: u64 = 64 << 20;
    let found = path.symlink_metadata();
    found.is_ok_and(|found| found.is_file() && found.len() <= SIZE_MAX_BYTES)
        && disk::read(path)
            .is_ok_and(|bytes| bytes.iter().all(|byte| [0, emulate::FLOOR_BYTE].contains(byte)))
}

fn floor_files_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let left = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    left.filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(emulate::is_floor_name))
}

/// The directories that lie in a folder; links are none.
pub(crate) fn directories_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use database::Marker;

    use crate::storage::workdir::{DATA_FOLDER, remove_folder};

    #[test]
    fn a_file_with_the_name_of_a_scratch_file_stays_unless_it_is_one() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join(DATA_FOLDER).join("run");
        Marker::claim(&folder).unwrap();
        let (file, tried) = (folder.join(".drivetrain-floor-1-2"), folder.join(".drivetrain-floor-1-mount"));
        fs::create_dir(&tried).unwrap();
        let bed = folder.join("bed-a-1");
        Marker::claim(&bed).unwrap();
        let log = bed.join("log");
        fs::create_dir(&log).unwrap();
        let below = [
            tried.join(".drivetrain-floor-7-files"),
            tried.join(".drivetrain-floor-7-crowd"),
            bed.join(".drivetrain-floor-7-crowd"),
            log.join(".drivetrain-floor-7-crowd"),
        ];
        let all = || below.iter().chain([&file]);
        for path in all() {
            fs::write(path, "work of years").unwrap();
        }
        remove_folder(&folder).unwrap_err();
        for path in all() {
            assert_eq!(fs::read(path).unwrap(), b"work of years");
            fs::write(path, [0, emulate::FLOOR_BYTE]).unwrap();
        }
        remove_folder(&folder).unwrap();
        assert!(!folder.exists());
    }
}

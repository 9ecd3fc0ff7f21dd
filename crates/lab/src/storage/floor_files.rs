//! Scratch files that a kill left while the floor of an emulated drive's layer was measured: known by their
//! names and bytes, and removed.

use std::path::{Path, PathBuf};

use emulate::remove_floor_files;

/// Removes those of dead processes in a folder of a run, its beds, and their directories of data and logs:
/// each of them can be mounted in place, and a mount is measured when it begins.
pub(crate) fn remove_all_floor_files(folder: &Path) {
    remove_floor_files(folder);
    for bed in directories_in(folder) {
        remove_floor_files(&bed);
        directories_in(&bed).for_each(|dir| remove_floor_files(&dir));
    }
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
            fs::write(path, [0, 0xA5]).unwrap();
        }
        remove_folder(&folder).unwrap();
        assert!(!folder.exists());
    }
}

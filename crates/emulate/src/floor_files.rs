//! Scratch files that a kill left while a floor was measured: known by their names and bytes, and removed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::floor::{FLOOR_BYTE, process_of};

/// Removes the remains of a kill during a floor measurement in `folder`: files by their names and contents,
/// and the directory of a trial mount, once it is empty. Those of living processes stay.
pub fn remove_floor_files(folder: &Path) {
    for path in floor_files_in(folder) {
        let is_dir = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        if is_dir {
            let below = floor_files_in(&path).filter(|below| is_floor_file(below));
            below.for_each(|below| drop(fs::remove_file(below)));
        }
        // What cannot be removed stays: it is a few files, and the next removal tries again.
        let _ = match is_dir {
            true => fs::remove_dir(&path),
            false if is_floor_file(&path) => fs::remove_file(&path),
            false => Ok(()),
        };
    }
}

/// True if a file is empty or holds only the bytes that the measuring of a floor writes.
fn is_floor_file(path: &Path) -> bool {
    const SIZE_MAX_BYTES: u64 = 64 << 20;
    let found = path.symlink_metadata();
    found.is_ok_and(|found| found.is_file() && found.len() <= SIZE_MAX_BYTES)
        && fs::read(path).is_ok_and(|bytes| bytes.iter().all(|byte| [0, FLOOR_BYTE].contains(byte)))
}

fn floor_files_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let left = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let process = |path: &Path| path.file_name().and_then(|name| process_of(name.to_str()?));
    left.filter(move |path| process(path).is_some_and(|pid| !runs_this_program(pid)))
}

/// True if the process is there and runs the program that we are: its measurement is under way.
fn runs_this_program(pid: u32) -> bool {
    let program = |of: &str| fs::read_link(format!("/proc/{of}/exe")).ok();
    let other = program(&pid.to_string());
    other.is_some() && other == program("self")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_dead_processes_that_hold_nothing_else_go() {
        let temp = tempfile::tempdir().unwrap();
        let path = |pid: u32, what: &str| temp.path().join(format!(".drivetrain-floor-{pid}-{what}"));
        // The numbers of processes end before this one.
        let dead = 1 << 30;
        let (own, left) = (std::process::id(), [path(dead, "files"), path(dead, "3"), path(dead, "mount")]);
        let stays = [path(own, "files"), path(dead, "crowd"), path(dead, "other")];
        fs::create_dir(&left[2]).unwrap();
        for path in left.iter().take(2).chain([&stays[0], &left[2].join(".drivetrain-floor-1-crowd")]) {
            fs::write(path, [FLOOR_BYTE, 0]).unwrap();
        }
        stays[1..].iter().for_each(|path| fs::write(path, "somebody's").unwrap());
        remove_floor_files(temp.path());
        assert!(left.iter().all(|path| !path.exists()) && stays.iter().all(|path| path.exists()));
    }
}

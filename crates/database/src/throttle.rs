//! A limit that the kernel puts on a process's I/O: control groups, version 2 (`io.max`) or version 1 (`blkio.throttle`). Needs root.
//!
//! Version 1 sees a write only where it goes to the drive at once: what a process leaves in the page cache is written by the kernel in
//! the kernel's own name and is not held back. Version 2 attributes it.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::DatabaseError;

/// Why a limit could not be set.
#[derive(Debug, thiserror::Error)]
pub enum ThrottleError {
    /// Neither version has a controller for I/O here.
    #[error("not available here: no control group controls I/O ({why})")]
    NotAvailable {
        /// What was looked for.
        why: String,
    },
    /// The machine does not let us.
    #[error("not permitted here: writing `{text}` to {path}: {source}; run as root on a machine that lets root limit I/O", path = path.display())]
    NotPermitted {
        /// The file.
        path: PathBuf,
        /// What was to be written.
        text: String,
        /// The system's answer.
        source: std::io::Error,
    },
}

/// A group of ours with a limit. Dropping it removes it; it must be empty by then.
#[derive(Debug)]
pub struct Throttle {
    group: PathBuf,
}

impl Throttle {
    /// Makes a group whose members read and write no more than `bytes_per_s` each way on the drive that holds `path`.
    ///
    /// # Errors
    /// [`ThrottleError`] in words that say what the machine lacks.
    pub fn make(path: &Path, bytes_per_s: u64) -> Result<Self, DatabaseError> {
        let metadata = fs::metadata(path).map_err(DatabaseError::io("reading", path))?;
        Ok(Self::make_in(Path::new("/sys/fs/cgroup"), &drive_of(metadata.dev()), bytes_per_s)?)
    }

    fn make_in(root: &Path, device: &str, bytes_per_s: u64) -> Result<Self, ThrottleError> {
        let name = format!("drivetrain-{}", std::process::id());
        let two = [root.to_owned(), root.join("unified")].into_iter().find(|top| has_io_controller(top));
        let (group, limits) = match two {
            Some(top) => {
                let limit = format!("{device} rbps={bytes_per_s} wbps={bytes_per_s}");
                // A controller is for the groups below only when the group above says so; where it does already, this changes nothing.
                let _ = fs::write(top.join("cgroup.subtree_control"), "+io");
                (top.join(name), vec![("io.max", limit)])
            }
            None if root.join("blkio").is_dir() => {
                let limit = format!("{device} {bytes_per_s}");
                let files = ["blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device"];
                (root.join("blkio").join(name), files.map(|file| (file, limit.clone())).to_vec())
            }
            None => {
                let why = format!("neither {0}/cgroup.controllers with `io` nor {0}/blkio", root.display());
                return Err(ThrottleError::NotAvailable { why });
            }
        };
        let refused = |path: &Path, text: &str| {
            let (path, text) = (path.to_owned(), text.to_owned());
            move |source| ThrottleError::NotPermitted { path, text, source }
        };
        fs::create_dir_all(&group).map_err(refused(&group, "a new group"))?;
        let throttle = Self { group };
        for (file, limit) in limits {
            let path = throttle.group.join(file);
            fs::write(&path, &limit).map_err(refused(&path, &limit))?;
        }
        Ok(throttle)
    }

    /// The group's directory; a process joins by its number in `cgroup.procs`.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.group
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.group); // A member that has not ended keeps it; it limits nobody else.
    }
}

fn has_io_controller(top: &Path) -> bool {
    fs::read_to_string(top.join("cgroup.controllers"))
        .is_ok_and(|names| names.split_whitespace().any(|name| name == "io"))
}

/// `major:minor` of the whole drive: limits are not for partitions.
fn drive_of(device: u64) -> String {
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let place = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
    let parent = fs::canonicalize(&place).ok().filter(|_| place.join("partition").exists());
    let whole = parent.and_then(|path| fs::read_to_string(path.parent()?.join("dev")).ok());
    whole.map_or_else(|| format!("{major}:{minor}"), |text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_spoken_to_in_their_own_words() {
        let temp = tempfile::tempdir().unwrap();
        let one = temp.path().join("one");
        fs::create_dir_all(one.join("blkio")).unwrap();
        let throttle = Throttle::make_in(&one, "254:0", 1000).unwrap();
        let read = |file: &str| fs::read_to_string(throttle.path().join(file)).unwrap();
        assert_eq!(read("blkio.throttle.read_bps_device"), "254:0 1000");
        assert_eq!(read("blkio.throttle.write_bps_device"), "254:0 1000");

        let two = temp.path().join("two");
        fs::create_dir_all(&two).unwrap();
        fs::write(two.join("cgroup.controllers"), "cpu io memory\n").unwrap();
        let throttle = Throttle::make_in(&two, "254:0", 1000).unwrap();
        assert_eq!(fs::read_to_string(throttle.path().join("io.max")).unwrap(), "254:0 rbps=1000 wbps=1000");

        let none = temp.path().join("none");
        fs::create_dir_all(&none).unwrap();
        let message = Throttle::make_in(&none, "254:0", 1000).unwrap_err().to_string();
        assert!(message.contains("not available here"), "{message}");
        fs::write(none.join("blkio"), "").unwrap();
        fs::remove_file(none.join("blkio")).unwrap();
        fs::create_dir(none.join("blkio")).unwrap();
        let group = none.join("blkio").join(format!("drivetrain-{}", std::process::id()));
        fs::create_dir_all(group.join("blkio.throttle.read_bps_device")).unwrap();
        let message = Throttle::make_in(&none, "254:0", 1000).unwrap_err().to_string();
        assert!(message.contains("not permitted here"), "{message}");
    }
}

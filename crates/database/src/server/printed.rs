//! A server's output, kept in a file beside its data for the case of a failure.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::error::DatabaseError;
use crate::marker;

/// Lines of it that go into an error.
pub(crate) const LINES_IN_ERRORS: usize = 12;
/// A longer file is put aside at the next start.
const LONG_BYTES: u64 = 4 << 20;
/// The part at the end of the output in which lines are searched.
const TAIL_BYTES: u64 = 64 << 10;

/// Opens the file at `path` for a server to add to.
pub(crate) fn open(path: &Path) -> Result<File, DatabaseError> {
    let (marker, name) = marker::of(path)?;
    if fs::metadata(path).is_ok_and(|metadata| metadata.len() > LONG_BYTES) {
        marker.rename(name, &format!("{name}.old"))?;
    }
    marker.ensure(name, 0o644)?;
    fs::OpenOptions::new().append(true).open(path).map_err(DatabaseError::io("opening", path))
}

/// The last `lines` lines that were printed from byte `from` on, where there are any.
pub(crate) fn tail(path: &Path, from: u64, lines: usize) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(from.max(length.saturating_sub(TAIL_BYTES)))).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = all.get(all.len().saturating_sub(lines)..).unwrap_or_default();
    (!last.is_empty()).then(|| last.join("\n"))
}

/// The same as an appendix to an error.
pub(crate) fn appendix(path: &Path, from: u64) -> String {
    match tail(path, from, LINES_IN_ERRORS) {
        Some(lines) => format!("\nthe end of {}:\n{lines}", path.display()),
        None => format!("\n({} holds nothing about it)", path.display()),
    }
}

/// Length of the file now: where the next start's words begin.
pub(crate) fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marker::Marker;
    use std::io::Write as _;

    #[test]
    fn the_last_lines_of_this_start() {
        let temp = tempfile::tempdir().unwrap();
        Marker::claim(temp.path()).unwrap();
        let path = temp.path().join("server.log");
        assert_eq!(tail(&path, 0, 3), None);
        writeln!(open(&path).unwrap(), "one\ntwo").unwrap();
        let from = length(&path);
        assert_eq!(tail(&path, from, 3), None);
        writeln!(open(&path).unwrap(), "three\n\nfour\nfive").unwrap();
        assert_eq!(tail(&path, from, 2).as_deref(), Some("four\nfive"));
        assert_eq!(tail(&path, 0, 9).as_deref(), Some("one\ntwo\nthree\nfour\nfive"));
        assert!(appendix(&path, from).contains("five"));
    }

    #[test]
    fn a_long_one_is_put_aside() {
        let temp = tempfile::tempdir().unwrap();
        let long = vec![b'x'; usize::try_from(LONG_BYTES).unwrap() + 1];
        let path = Marker::claim(temp.path()).unwrap().write("server.log", &long, 0o644).unwrap();
        open(&path).unwrap();
        assert_eq!(length(&path), 0);
        assert!(temp.path().join("server.log.old").exists());
    }
}

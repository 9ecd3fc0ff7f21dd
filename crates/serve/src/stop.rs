//! Requests to stop: a file beside the notebook, which the run looks for.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use disk::File;

use crate::feed::beside;

/// The longest request.
const REQUEST_MAX_BYTES: u64 = 16;

/// The path of a request to stop.
pub(crate) fn stop_path(notebook: &Path) -> PathBuf {
    beside(notebook, "-stop")
}

/// A request to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Once the running cell is complete.
    AfterCell,
    /// As Ctrl-C does: the phase ends, and the measurements are kept.
    Now,
}

impl Stop {
    /// The word in the file and in the address.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::AfterCell => "cell",
            Self::Now => "now",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [Self::AfterCell, Self::Now].into_iter().find(|stop| stop.word() == word.trim())
    }
}

/// Leaves a request to stop for the run that writes the notebook. One that the run has not read yet is
/// replaced; a file of somebody else's stays.
///
/// # Errors
/// `AlreadyExists` when something else has the name; as the kernel reports.
pub(crate) fn leave_request(notebook: &Path, stop: Stop) -> std::io::Result<()> {
    let path = stop_path(notebook);
    take_request(&path);
    File::create_new(&path)?.write_all(stop.word().as_bytes())
}

/// Takes a request to stop away and gives it.
pub(crate) fn take_request(path: &Path) -> Option<Stop> {
    let found = disk::metadata_if_any(path).ok()??;
    // Others may be able to make a file here, and must not end a run by it.
    let is_trusted = found.uid() == 0 || found.uid() == rustix::process::geteuid().as_raw();
    if !found.is_file() || !is_trusted {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(REQUEST_MAX_BYTES).read_to_string(&mut text).ok()?;
    let stop = Stop::from_word(&text)?;
    disk::remove_file(path).ok()?;
    Some(stop)
}

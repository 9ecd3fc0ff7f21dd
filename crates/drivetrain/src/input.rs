//! Files that a command line names to be read. All of them are opened here, so that none is waited for out of
//! reach of Ctrl-C.

use std::io::{ErrorKind, Read};
use std::path::Path;

use anyhow::Context;
use disk::Input;

use crate::exit::Coded;
use crate::signals;

/// No text that is read whole is longer: more is a device or a mistake.
const BYTES_MAX: u64 = 256 << 20;

/// The text of a file.
///
/// # Errors
/// Exit code 2 for what is no such file: not there, a directory, a device, a pipe that somebody may never
/// write to, not to be read by this user, no text, too long. Exit code 1 for a device that fails.
pub(crate) fn text(path: &Path) -> anyhow::Result<String> {
    String::from_utf8(bytes(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        let name = path.display();
        Coded::usage(format!("{name}: is not UTF-8 text: line {line} holds other bytes; save it as UTF-8"))
    })
}

/// The bytes of a file; errors as of [`text`].
pub(crate) fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut input = at_hand(path)?;
    (&mut input).take(BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|error| explained(path, error))?;
    if input.was_stopped() {
        return Err(stopped(path));
    }
    if bytes.len() as u64 > BYTES_MAX {
        return Err(Coded::usage(format!("{}: is longer than {} MiB", path.display(), BYTES_MAX >> 20)));
    }
    Ok(bytes)
}

/// Opens a file for which nobody waits; errors as of [`text`].
pub(crate) fn at_hand(path: &Path) -> anyhow::Result<Input> {
    let input = open(path)?;
    match input.is_at_hand() {
        true => Ok(input),
        false => {
            let name = path.display();
            Err(Coded::usage(format!("{name}: is a pipe or a device; name a regular file")))
        }
    }
}

/// The error of a file that was to be read when the end was asked for.
pub(crate) fn stopped(path: &Path) -> anyhow::Error {
    Coded::interrupted(format!("{}: stopped before it was read", path.display()))
}

/// Opens a file, device or pipe for reading; errors as of [`text`]. It ends where a request to stop comes
/// while it is waited for.
pub(crate) fn open(path: &Path) -> anyhow::Result<Input> {
    let input = Input::open(path, signals::flag()).map_err(|error| explained(path, error))?;
    let kind = input.file().metadata().with_context(|| format!("reading {}", path.display()))?;
    if kind.is_dir() {
        return Err(Coded::usage(format!("{}: is a directory; name a file", path.display())));
    }
    Ok(input)
}

fn explained(path: &Path, error: std::io::Error) -> anyhow::Error {
    let name = path.display();
    match error.kind() {
        ErrorKind::NotFound
        | ErrorKind::NotADirectory
        | ErrorKind::IsADirectory
        | ErrorKind::PermissionDenied
        | ErrorKind::InvalidFilename
        | ErrorKind::InvalidInput => Coded::usage(format!("{name}: {error}")),
        _ => anyhow::Error::from(error).context(format!("reading {name}")),
    }
}

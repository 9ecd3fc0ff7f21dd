//! An output while it is written: beside its place until it is whole.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use super::place::Sink;
use super::{OutputError, OutputKind, recheck};
use crate::fault::{Call, point};
use crate::replace::Partial;
use crate::stamp::Stamp;

/// Permissions of a new output, less those that the process's mask takes.
pub(super) const MODE: u32 = 0o666;

/// An output that is being written. Dropped before it is finished, it leaves the old file.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    kind: OutputKind,
    sink: Open,
}

#[derive(Debug)]
enum Open {
    Beside { partial: Partial, replaces: Option<Stamp> },
    Through(fs::File),
}

impl OutputFile {
    pub(super) fn begin(path: PathBuf, kind: OutputKind, sink: Sink) -> Result<Self, OutputError> {
        let beside = |replaces| {
            let partial = Partial::create(&path, MODE);
            partial.map(|partial| Open::Beside { partial, replaces })
        };
        let sink = match sink {
            Sink::New => beside(None),
            Sink::Ours(stamp) => beside(Some(stamp)),
            Sink::Through(file) => Ok(Open::Through(file)),
        };
        match sink {
            Ok(sink) => Ok(Self { path, kind, sink }),
            Err(error) => Err(OutputError::failed(&path, "made", &error)),
        }
    }

    /// Puts it in its place.
    ///
    /// # Errors
    /// A refusal when something else took the place since it was planned; otherwise as the kernel reports.
    pub fn finish(self) -> Result<(), OutputError> {
        self.put().map(drop)
    }

    /// Puts it in its place, and returns it open at its end.
    pub(super) fn place_and_keep(self) -> Result<fs::File, OutputError> {
        self.put()
    }

    fn put(self) -> Result<fs::File, OutputError> {
        let Self { path, kind, sink } = self;
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => OutputError::refused(
                &path,
                format!("a file appeared there while {} was being written", kind.name),
            ),
            _ => OutputError::failed(&path, "written", &error),
        };
        match sink {
            Open::Through(file) => Ok(file),
            Open::Beside { partial, replaces: None } => partial.put_new().map_err(failed),
            Open::Beside { partial, replaces: Some(stamp) } => {
                if let Ok(replaced) = crate::metadata(&path) {
                    partial.take_after(&replaced);
                }
                recheck(&path, kind, &stamp)?;
                partial.put_over().map_err(failed)
            }
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Open::Beside { partial, .. } => partial.write(bytes),
            Open::Through(file) => {
                point(Call::Write, &self.path)?;
                file.write(bytes)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

//! The one way to write a file that a user names: a report, an export, a trace, a journal, a page of a
//! manual.
//!
//! Rules: a new file is made exclusively. One that is there is replaced only where it is ours by its own
//! words, or where the user said so, and then whole: by a file without a name that takes its place. A link, a
//! block device, a pipe, a socket and a directory are refused always. A terminal, `/dev/null` and the
//! process's own stdout and stderr are written to and never replaced. A file that the same command reads,
//! measures or writes elsewhere is refused by its device and inode, however it is spelled.

mod place;
mod writer;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::calls::metadata_if_any;
use crate::replace::Partial;
use crate::stamp::Stamp;

use place::{OutputPlace, Sink};
pub use writer::OutputFile;

/// A kind of file that is written, and how one of ours is recognised.
#[derive(Clone, Copy, Debug)]
pub struct OutputKind {
    /// Its name, for messages: "a report".
    pub name: &'static str,
    /// True if a file that begins with these bytes (up to 4096) was written by this tool and is not edited by
    /// people.
    pub is_ours: fn(&[u8]) -> bool,
    /// False if nothing in such a file tells whether somebody edited it.
    pub is_marked: bool,
    /// True if `--force` may replace a foreign file.
    pub yields: bool,
    /// True if the output may also be a terminal, `/dev/null` or stdout, from which nobody can read it again.
    pub flows: bool,
    /// Another way, for the message about a file that may not go.
    pub remedy: &'static str,
}

impl OutputKind {
    /// A kind whose files bear no mark: one that is there is replaced only when the user says so.
    #[must_use]
    pub const fn unmarked(name: &'static str) -> Self {
        Self { is_marked: false, ..Self::marked(name, |_| false) }
    }

    /// A kind whose files say that they are ours.
    #[must_use]
    pub const fn marked(name: &'static str, is_ours: fn(&[u8]) -> bool) -> Self {
        let remedy = "name another file, or add --force to replace it";
        Self { name, is_ours, is_marked: true, yields: true, flows: true, remedy }
    }
}

/// The reason why a file is never replaced, whatever the user says: its kind, from its path and its first
/// bytes (up to 4096).
pub type Precious = fn(&Path, &[u8]) -> Option<&'static str>;

/// All that one command writes and may not write to.
#[derive(Debug, Default)]
pub struct Outputs {
    force: bool,
    /// True if stdout is reserved for something else.
    stdout_is_taken: bool,
    precious: Option<Precious>,
    kept: Vec<(OutputPlace, String)>,
}

/// The checked place of one output; nothing has been written yet.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    kind: OutputKind,
    sink: Sink,
}

/// A file that cannot be written, or may not be.
#[derive(Debug)]
pub struct OutputError {
    /// The file.
    pub path: PathBuf,
    /// True if it was refused for safety: this tool must not replace the existing file.
    pub is_refusal: bool,
    problem: String,
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.problem)
    }
}

impl std::error::Error for OutputError {}

impl OutputError {
    fn refused(path: &Path, problem: impl Into<String>) -> Self {
        Self { path: path.to_owned(), is_refusal: true, problem: problem.into() }
    }

    fn failed(path: &Path, doing: &str, error: &io::Error) -> Self {
        Self { path: path.to_owned(), is_refusal: false, problem: format!("cannot be {doing}: {error}") }
    }
}

impl Outputs {
    /// The outputs of a command; with `force` the user lets files go that are not ours.
    #[must_use]
    pub fn new(force: bool) -> Self {
        Self { force, ..Self::default() }
    }

    /// Protects files that this command must not replace even with `force`, unless they are of the very kind
    /// that is written.
    pub fn spare(&mut self, precious: Precious) {
        self.precious = Some(precious);
    }

    /// Keeps stdout, and the file that it leads to, for the command's own answer.
    pub fn keep_stdout(&mut self) {
        self.stdout_is_taken = true;
        if let Ok(place) = OutputPlace::of_open_file(std::io::stdout()) {
            self.kept.push((place, "where the answer of this command goes".to_owned()));
        }
    }

    /// Keeps a file from being written: `role` says what the command needs it for, as "the notebook". A file
    /// that is not there is kept by its place. What cannot be looked at is not kept: the command that needs
    /// it fails on it.
    pub fn keep(&mut self, path: &Path, role: &str) {
        if let Ok(place) = OutputPlace::of_target(path) {
            self.kept.push((place, role.to_owned()));
        }
    }

    /// Checks where an output goes, before anything is run. Its place is kept from the command's later
    /// outputs.
    ///
    /// # Errors
    /// A refusal for what is there and may not be replaced or written to; an error when the directory is
    /// missing or cannot be looked at.
    pub fn plan(&mut self, path: &Path, kind: OutputKind) -> Result<Output, OutputError> {
        let sink = self.sink(path, kind)?;
        if let Sink::New | Sink::Ours(_) = sink {
            let place =
                OutputPlace::of(path).map_err(|error| OutputError::failed(path, "looked at", &error))?;
            self.refuse_kept(path, place)?;
            // An unwritable directory is found before the work begins.
            Partial::create(path, writer::MODE).map_err(|error| OutputError::failed(path, "made", &error))?;
            self.kept.push((place, format!("another output of this command ({})", kind.name)));
        }
        Ok(Output { path: path.to_owned(), kind, sink })
    }

    fn sink(&self, path: &Path, kind: OutputKind) -> Result<Sink, OutputError> {
        if let Some(standard) = place::standard(path) {
            if self.stdout_is_taken && place::is_stdout(path) {
                let problem =
                    "stdout has the JSON document of this command; name a file, or leave out --json";
                return Err(OutputError::refused(path, problem));
            }
            require_flow(path, kind)?;
            let file = standard.map_err(|error| OutputError::failed(path, "written to", &error))?;
            self.refuse_kept(
                path,
                OutputPlace::of_open(&file).map_err(|e| OutputError::failed(path, "looked at", &e))?,
            )?;
            return Ok(Sink::Through(file));
        }
        let found = metadata_if_any(path).map_err(|error| OutputError::failed(path, "looked at", &error))?;
        let Some(found) = found else {
            place::require_parent(path)?;
            return Ok(Sink::New);
        };
        if place::is_harmless_device(&found) {
            require_flow(path, kind)?;
            let file =
                place::open_device(path).map_err(|error| OutputError::failed(path, "opened", &error))?;
            return Ok(Sink::Through(file));
        }
        if let Some(what) = place::never(&found) {
            return Err(OutputError::refused(
                path,
                format!("{what}; name a regular file, or one that is not there yet"),
            ));
        }
        // Before its content is read: a file that the command needs is named as such.
        self.refuse_kept(path, OutputPlace::of_metadata(&found))?;
        let (head, stamp) = place::head(path).map_err(|error| OutputError::failed(path, "read", &error))?;
        if (kind.is_ours)(&head) {
            return Ok(Sink::Ours(stamp));
        }
        if let Some(what) = self.precious.and_then(|precious| precious(path, &head)) {
            return Err(OutputError::refused(
                path,
                format!("it is {what}, which is never replaced; name another file"),
            ));
        }
        if self.force && kind.yields {
            return Ok(Sink::Ours(stamp));
        }
        let (name, remedy) = (kind.name, kind.remedy);
        let reason = match kind.is_marked {
            true => "no mark in it says that drivetrain made it",
            false => "nothing in it tells whether drivetrain made it, and whether somebody edited it since",
        };
        Err(OutputError::refused(path, format!("a file is there, and {reason} ({name}); {remedy}")))
    }

    fn refuse_kept(&self, path: &Path, place: OutputPlace) -> Result<(), OutputError> {
        match self.kept.iter().find(|(kept, _)| *kept == place) {
            None => Ok(()),
            Some((_, role)) => Err(OutputError::refused(path, format!("it is {role}; name another file"))),
        }
    }
}

impl Output {
    /// The path as it was named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if the output replaces or creates a file; false for a terminal, `/dev/null` and stdout.
    #[must_use]
    pub fn is_file(&self) -> bool {
        !matches!(self.sink, Sink::Through(_))
    }

    /// Writes it whole.
    ///
    /// # Errors
    /// A refusal when somebody put another file there since it was planned; otherwise as the kernel reports.
    /// The existing file is then kept.
    pub fn write(self, bytes: &[u8]) -> Result<(), OutputError> {
        let path = self.path.clone();
        let mut file = self.begin()?;
        io::Write::write_all(&mut file, bytes)
            .map_err(|error| OutputError::failed(&path, "written", &error))?;
        file.finish()
    }

    /// Begins a file that appears in its place once it is [finished](OutputFile::finish).
    ///
    /// # Errors
    /// As the kernel reports.
    pub fn begin(self) -> Result<OutputFile, OutputError> {
        OutputFile::begin(self.path, self.kind, self.sink)
    }

    /// Puts a file with these first bytes in its place now, and returns it open behind them: for what must be
    /// there while it grows.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn grow(self, head: &[u8]) -> Result<std::fs::File, OutputError> {
        let path = self.path.clone();
        let mut file = self.begin()?;
        io::Write::write_all(&mut file, head)
            .map_err(|error| OutputError::failed(&path, "written", &error))?;
        file.place_and_keep()
    }
}

/// Refuses a kind that has to be a file.
fn require_flow(path: &Path, kind: OutputKind) -> Result<(), OutputError> {
    if kind.flows {
        return Ok(());
    }
    Err(OutputError::refused(path, format!("{} has to be a file; name one", kind.name)))
}

/// An error unless the file at `path` is unchanged since it was planned.
fn recheck(path: &Path, kind: OutputKind, planned: &Stamp) -> Result<(), OutputError> {
    let now = Stamp::at(path).map_err(|error| OutputError::failed(path, "looked at", &error))?;
    planned.check(&now).map_err(|moved| {
        OutputError::refused(
            path,
            format!("{moved} while {} was being written; it was left as it is", kind.name),
        )
    })
}

#[cfg(test)]
mod tests;

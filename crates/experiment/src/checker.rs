//! The collector of faults of meaning, each with its place in the text.

use std::ops::Range;

use tomlfile::Fault;

use crate::keys::reader::Reader;

/// The origin of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// That of a person who asks for a run: what would be of no effect is a fault, too.
    Asked,
    /// That of a program: every key is written, older versions passed over what has no effect, and a load
    /// without an experiment may be of any length and follow a trace.
    Stored,
}

/// Collects faults of meaning. Nothing is reported at or from paths that could not be read.
pub(crate) struct Checker<'r> {
    reader: &'r Reader,
    reading: Reading,
    faults: Vec<Fault>,
}

impl<'r> Checker<'r> {
    /// No fault yet.
    pub(crate) fn new(reader: &'r Reader, reading: Reading) -> Checker<'r> {
        Checker { reader, reading, faults: Vec::new() }
    }

    /// All faults, in the order in which they were found.
    pub(crate) fn into_faults(self) -> Vec<Fault> {
        self.faults
    }

    /// True if a value at, above or below `path` could not be read.
    pub(crate) fn is_broken(&self, path: &str) -> bool {
        self.reader.is_broken(path)
    }

    /// True if the value at `path` itself could not be read.
    pub(crate) fn is_unread(&self, path: &str) -> bool {
        self.reader.broken.contains(path)
    }

    /// The place of `path`, or of the nearest table around it.
    fn place(&self, path: &str) -> Range<usize> {
        let mut path = path;
        loop {
            if let Some(span) = self.reader.spans.get(path) {
                return span.clone();
            }
            match path.rfind('.') {
                Some(end) => path = &path[..end],
                None => return 0..0,
            }
        }
    }

    /// True if a person asks for a run by this text.
    pub(crate) fn is_asked(&self) -> bool {
        self.reading == Reading::Asked
    }

    /// True if the file has a key.
    pub(crate) fn is_there(&self, path: &str) -> bool {
        self.reader.spans.contains_key(path)
    }

    /// Adds a fault of the value at `path`.
    pub(crate) fn fault(
        &mut self,
        path: &str,
        message: String,
        label: impl Into<String>,
        help: impl Into<String>,
    ) {
        if !self.is_broken(path) {
            let help = Some(help.into()).filter(|help| !help.is_empty());
            self.faults.push(Fault { span: self.place(path), message, label: label.into(), help });
        }
    }
}

//! The inputs and results of reading another tool's file: its texts, the surroundings it refers to, faults
//! and notes.

use std::collections::HashSet;
use std::ops::Range;

use tomlfile::{Diagnostics, Fault, Lines};

use super::Note;

/// A place: a file of the reading and the bytes in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SourcePlace {
    pub(crate) file: usize,
    pub(crate) span: Range<usize>,
}

/// The surroundings of job files. Given by the caller, because this crate touches no device and no file.
pub trait Surroundings {
    /// The text of the file that is included as `path` by the file `from`.
    ///
    /// # Errors
    /// The reason why it cannot be read, in words.
    fn include(&self, path: &str, from: &str) -> Result<String, String>;

    /// A variable of the environment.
    fn variable(&self, name: &str) -> Option<String>;

    /// Size of a page of memory, in bytes.
    fn page_bytes(&self) -> u64;

    /// Memory of the machine, in MiB.
    fn memory_mebibytes(&self) -> u64;

    /// Number of processors.
    fn processors(&self) -> u64;

    /// Size in bytes of a file or device that is there; jobs without a size and sizes in per cent mean it.
    fn size_bytes(&self, path: &str) -> Option<u64>;
}

/// The reasons why a file of another tool is no experiment: faults by file, each with line, reason and
/// remedy.
#[derive(Debug)]
pub struct ImportError {
    files: Vec<Diagnostics>,
}

impl ImportError {
    /// The faults as a reader sees them. With ANSI colours when `color`.
    pub fn render(&self, color: bool) -> String {
        self.files.iter().map(|file| file.render(color)).collect::<Vec<_>>().join("\n\n")
    }

    /// The faults, file by file.
    pub fn files(&self) -> &[Diagnostics] {
        &self.files
    }
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for ImportError {}

/// The handling of an option or keyword of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handling {
    /// It is carried over.
    Used,
    /// It changes nothing here, and everybody expects that: names, reports, the tool's own bookkeeping.
    Silent,
    /// It changes nothing here, which a reader should know.
    Noted(&'static str),
    /// The job cannot mean the same here.
    Refused(&'static str),
}

/// One reading under way.
pub(crate) struct Reading<'s> {
    surroundings: &'s dyn Surroundings,
    /// Name and text of the file itself and of every file that it includes.
    files: Vec<(String, String)>,
    /// The starts of the lines of each file.
    lines: Vec<Lines>,
    faults: Vec<(usize, Fault)>,
    notes: Vec<Note>,
    noted: HashSet<(usize, usize, String)>,
}

impl<'s> Reading<'s> {
    pub(crate) fn new(name: &str, text: &str, surroundings: &'s dyn Surroundings) -> Reading<'s> {
        let files = vec![(name.to_owned(), text.to_owned())];
        let lines = vec![Lines::of(text)];
        Reading { surroundings, files, lines, faults: Vec::new(), notes: Vec::new(), noted: HashSet::new() }
    }

    pub(crate) fn surroundings(&self) -> &'s dyn Surroundings {
        self.surroundings
    }

    pub(crate) fn text(&self, file: usize) -> &str {
        &self.files[file].1
    }

    /// Opens an included file and gives its number.
    pub(crate) fn open(&mut self, path: &str, from: usize) -> Result<usize, String> {
        let text = self.surroundings.include(path, &self.files[from].0)?;
        self.lines.push(Lines::of(&text));
        self.files.push((path.to_owned(), text));
        Ok(self.files.len() - 1)
    }

    /// Says what is wrong; the same at the same place once, whoever finds it again.
    pub(crate) fn fault(&mut self, place: &SourcePlace, message: &str, label: &str, help: &str) {
        let is_same = |(file, known): &(usize, Fault)| {
            (*file, &known.span, known.message.as_str()) == (place.file, &place.span, message)
        };
        if self.faults.iter().any(is_same) {
            return;
        }
        let help = (!help.is_empty()).then(|| help.to_owned());
        let fault =
            Fault { span: place.span.clone(), message: message.to_owned(), label: label.to_owned(), help };
        self.faults.push((place.file, fault));
    }

    /// Notes something a reader should know; said once for each line.
    pub(crate) fn note(&mut self, place: &SourcePlace, text: impl Into<String>) {
        let text = text.into();
        let line = self.lines[place.file].line_of(place.span.start);
        if self.noted.insert((place.file, line, text.clone())) {
            let file = self.files[place.file].0.clone();
            self.notes.push(Note { file, line, text });
        }
    }

    pub(crate) fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }

    /// The notes, or the faults when there are any.
    pub(crate) fn end(self) -> Result<Vec<Note>, ImportError> {
        if self.faults.is_empty() {
            return Ok(self.notes);
        }
        let mut files = Vec::new();
        let mut of_file: Vec<Vec<Fault>> = vec![Vec::new(); self.files.len()];
        self.faults.into_iter().for_each(|(file, fault)| of_file[file].push(fault));
        for ((name, text), own) in self.files.iter().zip(of_file) {
            if !own.is_empty() {
                files.push(Diagnostics::new(name, text, own));
            }
        }
        Err(ImportError { files })
    }

    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        self.faults.iter().map(|(_, fault)| fault.message.clone()).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Surroundings that are the same on every machine.
    pub(crate) struct Fixed(Vec<(String, String)>);

    impl Fixed {
        pub(crate) fn with(files: &[(&str, &str)]) -> Fixed {
            Fixed(files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
        }
    }

    impl Surroundings for Fixed {
        fn include(&self, path: &str, _from: &str) -> Result<String, String> {
            let found = self.0.iter().find(|(name, _)| name == path);
            found.map(|(_, text)| text.clone()).ok_or_else(|| "no such file".to_owned())
        }

        fn variable(&self, name: &str) -> Option<String> {
            (name == "DISK").then(|| "nvme9n1".to_owned())
        }

        fn page_bytes(&self) -> u64 {
            4096
        }

        fn memory_mebibytes(&self) -> u64 {
            8192
        }

        fn processors(&self) -> u64 {
            4
        }

        fn size_bytes(&self, path: &str) -> Option<u64> {
            path.starts_with("/dev/").then_some(100_000_000_000)
        }
    }

    #[test]
    fn faults_of_an_included_file_are_shown_in_it() {
        let fixed = Fixed::with(&[("b", "one\ntwo\n")]);
        let mut reading = Reading::new("a", "x\n", &fixed);
        let file = reading.open("b", 0).unwrap();
        reading.fault(&SourcePlace { file, span: 4..7 }, "two is wrong", "", "write one");
        let error = reading.end().unwrap_err();
        assert!(error.to_string().contains("b:2:1"), "{error}");
    }
}

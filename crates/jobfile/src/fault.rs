//! Faults in files of other tools' results: where, what, and what to do.

use std::fmt;

/// A fault that keeps a file from being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFault {
    /// The place in the file.
    pub place: FilePlace,
    /// The fault.
    pub message: String,
    /// The remedy.
    pub help: String,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilePlace {
    /// The file as a whole.
    Whole,
    /// A line, from 1.
    Line(usize),
    /// A line and the column in it, both from 1.
    Column(usize, usize),
    /// A value of a JSON document: `jobs[0].read.iops`.
    Path(String),
}

impl FileFault {
    /// A fault at a place.
    pub(crate) fn at(place: FilePlace, message: impl Into<String>, help: impl Into<String>) -> FileFault {
        FileFault { place, message: message.into(), help: help.into() }
    }

    /// A fault of the file as a whole.
    pub(crate) fn whole(message: impl Into<String>, help: impl Into<String>) -> FileFault {
        FileFault::at(FilePlace::Whole, message, help)
    }

    /// A fault in a line.
    pub(crate) fn line(number: usize, message: impl Into<String>, help: impl Into<String>) -> FileFault {
        FileFault::at(FilePlace::Line(number), message, help)
    }

    /// The fault with the name of its file, as a command line prints it: `fio.json:3:1: ...`.
    #[must_use]
    pub fn in_file(&self, name: &str) -> String {
        match &self.place {
            FilePlace::Whole => format!("{name}: {self}"),
            FilePlace::Line(line) => format!("{name}:{line}: {self}"),
            FilePlace::Column(line, column) => format!("{name}:{line}:{column}: {self}"),
            FilePlace::Path(path) => format!("{name}: {path}: {self}"),
        }
    }
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.help.is_empty() { Ok(()) } else { write!(f, "; {}", self.help) }
    }
}

impl std::error::Error for FileFault {}

/// The remedy of a file whose numbers contradict each other.
pub(crate) const AS_WRITTEN: &str = "import the file as its tool wrote it, not an edited or damaged one";

/// The most characters of a file's text that an error repeats.
const QUOTED_MOST: usize = 60;

/// A text of the file in an error: in backquotes, shortened.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_MOST) {
        None => format!("`{text}`"),
        Some((end, _)) => format!("`{}...`", &text[..end]),
    }
}

/// The text of a file, without a byte-order mark.
///
/// # Errors
/// The first line that is no UTF-8.
pub(crate) fn text_of(bytes: &[u8]) -> Result<&str, FileFault> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(utf16());
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        not_utf8(line)
    })
}

/// The fault of a file in UTF-16, as PowerShell writes by default.
pub(crate) fn utf16() -> FileFault {
    FileFault::whole("is UTF-16", "convert it to UTF-8: iconv -f UTF-16 -t UTF-8 FILE > NEW")
}

/// The fault of a line with bytes that are no UTF-8.
pub(crate) fn not_utf8(line: usize) -> FileFault {
    let help = "convert the file to UTF-8, for example iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW";
    FileFault::line(line, "holds bytes that are not UTF-8", help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_names_its_file_place_and_remedy() {
        let fault = FileFault::line(3, "is no number", "give one");
        assert_eq!(fault.in_file("a.txt"), "a.txt:3: is no number; give one");
        let path = FileFault::at(FilePlace::Path("jobs[0].iops".into()), "is negative", "");
        assert_eq!(path.in_file("a.json"), "a.json: jobs[0].iops: is negative");
        assert_eq!(quoted(&"x".repeat(61)).len(), 65);
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_with_their_line() {
        assert_eq!(text_of(b"\xef\xbb\xbfa\n"), Ok("a\n"));
        assert_eq!(text_of(b"a\nb\xe4\n").unwrap_err().place, FilePlace::Line(2));
        assert!(text_of(b"\xff\xfea\0").unwrap_err().to_string().contains("iconv -f UTF-16"));
    }
}

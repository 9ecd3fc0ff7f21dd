//! The files of an import: their form, from their first bytes.

use std::io::{Cursor, Read};
use std::path::Path;

use disk::Input;
use jobfile::{HEAD_BYTES, ToolFormat, detect};

use super::Form;
use crate::exit::Coded;
use crate::input;

/// The first bytes of every notebook.
const NOTEBOOK: &[u8] = b"SQLite format 3\0";

/// The content of a file.
pub(super) enum Content {
    /// A notebook, opened by its path.
    Notebook,
    /// A file of another program, at its beginning.
    Tool(ToolFormat, Begun),
}

/// A file of which the first bytes were read: it reads from its beginning all the same.
pub(super) struct Begun {
    head: Cursor<Vec<u8>>,
    rest: Input,
}

impl Begun {
    /// True if it ended because a request to stop came.
    pub(super) fn was_stopped(&self) -> bool {
        self.rest.was_stopped()
    }
}

impl Read for Begun {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.head.read(buffer)? {
            0 => self.rest.read(buffer),
            read => Ok(read),
        }
    }
}

/// Opens a file and finds its form, or takes the one that its user states.
///
/// # Errors
/// As [`input::at_hand`]; exit code 2 for a content of no known form.
pub(super) fn open(path: &Path, stated: Option<Form>) -> anyhow::Result<Content> {
    // The notebook's own errors tell about a file that is said to be one.
    if stated == Some(Form::Notebook) {
        return Ok(Content::Notebook);
    }
    let mut rest = input::at_hand(path)?;
    let mut head = Vec::new();
    (&mut rest)
        .take(HEAD_BYTES as u64)
        .read_to_end(&mut head)
        .map_err(|error| anyhow::Error::from(error).context(format!("reading {}", path.display())))?;
    if rest.was_stopped() {
        return Err(input::stopped(path));
    }
    let form = match stated {
        Some(Form::Tool(format)) => Some(format),
        _ if head.starts_with(NOTEBOOK) => return Ok(Content::Notebook),
        _ => detect(&head),
    };
    let Some(form) = form else { return Err(unknown(path, &head)) };
    Ok(Content::Tool(form, Begun { head: Cursor::new(head), rest }))
}

/// True for a file that begins as notebooks do.
pub(super) fn is_notebook(path: &Path) -> bool {
    matches!(open(path, None), Ok(Content::Notebook)) && path.exists()
}

fn unknown(path: &Path, head: &[u8]) -> anyhow::Error {
    let what = match head {
        [] => "is empty",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "is UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW",
        _ => "has the form of no file that is imported",
    };
    let known: Vec<&str> = ToolFormat::all().map(ToolFormat::name).collect();
    Coded::usage(format!(
        "{}: {what}; known are notebook, {} (drivetrain import --help), and --format states one",
        path.display(),
        known.join(", ")
    ))
}

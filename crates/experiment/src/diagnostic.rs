//! Faults of an experiment file, shown where they are.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::secret;

/// More faults than this are counted, not shown: the first ones explain the rest.
const SHOWN_MAX: usize = 20;

/// The width that long source lines are cut to, so that plain text does not depend on the terminal.
const WIDTH_COLUMNS: usize = 120;

/// One fault of an experiment file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong, in one line.
    pub message: String,
    /// What stands at the caret, in a few words; may be empty.
    pub label: String,
    /// What to do next.
    pub help: Option<String>,
    /// The bytes of the text that are at fault.
    pub span: Range<usize>,
}

/// Every fault that was found in one reading of an experiment file, in the file's order. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    file: String,
    /// The text of the file, passwords hidden.
    text: String,
    faults: Vec<Diagnostic>,
}

/// A fault before its line and column are known.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) label: String,
    pub(crate) help: Option<String>,
}

/// `span` moved to character boundaries within `text`, and widened to one character where it is empty and can be.
fn clamp(text: &str, span: &Range<usize>) -> Range<usize> {
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = span.end.clamp(start, text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    if start == end {
        let next = text[start..].chars().next();
        end += next.filter(|c| *c != '\n' && *c != '\r').map_or(0, char::len_utf8);
    }
    start..end
}

fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

impl Diagnostics {
    pub(crate) fn new(file: &str, text: &str, mut faults: Vec<Fault>) -> Diagnostics {
        faults.sort_by_key(|fault| (fault.span.start, fault.span.end));
        let place = |fault: Fault| {
            let span = clamp(text, &fault.span);
            let (line, column) = line_and_column(text, span.start);
            Diagnostic { line, column, message: fault.message, label: fault.label, help: fault.help, span }
        };
        Diagnostics {
            file: file.to_owned(),
            text: secret::hidden(text),
            faults: faults.into_iter().map(place).collect(),
        }
    }

    /// The name of the file as it was given to [`crate::parse`].
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The faults in the file's order; there is at least one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Diagnostic> {
        self.faults.iter()
    }

    /// The faults as a reader sees them: source line, caret, help. With ANSI colours when `color`.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.term_width(WIDTH_COLUMNS);
        let mut shown: Vec<String> =
            self.faults.iter().take(SHOWN_MAX).map(|fault| self.render_one(&renderer, fault)).collect();
        if self.faults.len() > SHOWN_MAX {
            shown.push(format!("... and {} more in {}", self.faults.len() - SHOWN_MAX, self.file));
        }
        shown.join("\n\n")
    }

    fn render_one(&self, renderer: &Renderer, fault: &Diagnostic) -> String {
        let annotation = AnnotationKind::Primary.span(fault.span.clone());
        let annotation = if fault.label.is_empty() { annotation } else { annotation.label(&*fault.label) };
        let snippet = Snippet::source(&*self.text).path(&*self.file).annotation(annotation);
        let mut group = Level::ERROR.primary_title(&*fault.message).element(snippet);
        if let Some(help) = &fault.help {
            group = group.element(Level::HELP.message(&**help));
        }
        renderer.render(&[group])
    }
}

impl fmt::Display for Diagnostics {
    /// As [`Diagnostics::render`] without colours.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

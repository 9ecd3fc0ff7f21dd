//! Faults of a file, shown where they are.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::secret;

/// More faults than this are counted, not shown: the first ones explain the rest.
const SHOWN_MAX: usize = 20;

/// The option before a setting on the command line.
const SETTING: &str = "--set ";

/// The width that long source lines are cut to, so that plain text does not depend on the terminal.
const WIDTH_COLUMNS: usize = 120;

/// One fault of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The fault, in one line.
    pub message: String,
    /// The label at the caret, in a few words; may be empty.
    pub label: String,
    /// The next step for the user.
    pub help: Option<String>,
    /// The bytes of the text that are at fault.
    pub span: Range<usize>,
    /// The `--set` that is at fault, passwords hidden: place and bytes are in it, not in the file.
    pub setting: Option<String>,
}

/// Every fault that was found in one reading of a file, in the file's order. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    file: String,
    /// The text of the file, passwords hidden.
    text: String,
    faults: Vec<Diagnostic>,
}

/// A fault before its line and column are known.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The bytes that are at fault.
    pub span: Range<usize>,
    /// The fault, in one line.
    pub message: String,
    /// The label at the caret, in a few words; may be empty.
    pub label: String,
    /// The next step for the user.
    pub help: Option<String>,
}

/// `span` moved to character boundaries within `text`, and widened to one character where it is empty and can
/// be.
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

/// The starts of a text's lines, in bytes: found once, used for every fault.
#[derive(Clone, Debug, Default)]
pub struct Lines(Vec<usize>);

impl Lines {
    /// The lines of a text.
    pub fn of(text: &str) -> Lines {
        Lines(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// The line that holds a byte, from 1.
    pub fn line_of(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset).max(1)
    }

    /// The bytes of a line's beginning and of its end without the line end, by its number from 1.
    fn range(&self, text: &str, line: usize) -> Range<usize> {
        let start = self.0.get(line - 1).copied().unwrap_or(text.len());
        let end = self.0.get(line).map_or(text.len(), |next| next - 1);
        // A line may end in CR LF.
        start..if end > start && text.as_bytes()[end - 1] == b'\r' { end - 1 } else { end }
    }
}

/// Characters that make a terminal do something: a file must not speak to it through its faults. Line ends
/// stay.
fn is_order(c: char) -> bool {
    let turns =
        matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && c != '\n')
}

/// True for a text without control characters, the common case.
fn is_harmless(text: &str) -> bool {
    // Without an early end, which lets the processor look at many bytes at once.
    let is_plain =
        text.bytes().fold(true, |plain, byte| plain & (matches!(byte, b' '..=b'~') | (byte == b'\n')));
    is_plain || !text.contains(is_order)
}

fn harmless(text: &str) -> String {
    if is_harmless(text) {
        return text.to_owned();
    }
    text.chars().fold(String::new(), |mut shown, c| {
        if is_order(c) {
            shown.extend(c.escape_unicode())
        } else {
            shown.push(c)
        }
        shown
    })
}

impl Diagnostics {
    /// The faults of `text`, which messages call `file`, in the order of their places.
    pub fn new(file: &str, text: &str, mut faults: Vec<Fault>) -> Diagnostics {
        faults.sort_by_key(|fault| (fault.span.start, fault.span.end));
        let lines = Lines::of(text);
        // Line, byte and column of the fault before: a line may be long and hold thousands.
        let mut last = (0, 0, 1);
        let place = |fault: Fault| {
            let span = clamp(text, &fault.span);
            let line = lines.line_of(span.start);
            if line != last.0 || span.start < last.1 {
                last = (line, lines.range(text, line).start, 1);
            }
            let column = last.2 + text[last.1..span.start].chars().count();
            last = (line, span.start, column);
            Diagnostic {
                line,
                column,
                message: harmless(&fault.message),
                label: harmless(&fault.label),
                help: fault.help.as_deref().map(harmless),
                span,
                setting: None,
            }
        };
        Diagnostics {
            file: harmless(file).replace('\n', "\\n"),
            text: secret::hidden(text),
            faults: faults.into_iter().map(place).collect(),
        }
    }

    /// The same with the faults of `--set` arguments, each with its argument, in front.
    pub fn with_settings(mut self, faults: Vec<(&str, Fault)>) -> Diagnostics {
        let of_setting = |(argument, fault): (&str, Fault)| {
            let span = clamp(argument, &fault.span);
            Diagnostic {
                line: 1,
                column: 1 + argument[..span.start].chars().count(),
                message: harmless(&fault.message),
                label: harmless(&fault.label),
                help: fault.help.as_deref().map(harmless),
                span,
                setting: Some(secret::hidden(argument)),
            }
        };
        self.faults.splice(0..0, faults.into_iter().map(of_setting).collect::<Vec<_>>());
        self
    }

    /// The name of the file as it was given to [`Diagnostics::new`].
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The faults in the file's order; there is at least one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Diagnostic> {
        self.faults.iter()
    }

    /// The faults as a reader sees them: source line, caret, help. With ANSI colours when `color`; whatever
    /// else a terminal obeys is written out.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.term_width(WIDTH_COLUMNS);
        let lines = Lines::of(&self.text);
        let mut shown: Vec<String> = self
            .faults
            .iter()
            .take(SHOWN_MAX)
            .map(|fault| self.render_one(&renderer, &lines, fault))
            .collect();
        if self.faults.len() > SHOWN_MAX {
            shown.push(format!("... and {} more in {}", self.faults.len() - SHOWN_MAX, self.file));
        }
        shown.join("\n\n")
    }

    /// Renders the lines of the fault alone: the renderer looks at all the text that it is given.
    fn render_one(&self, renderer: &Renderer, lines: &Lines, fault: &Diagnostic) -> String {
        if let Some(setting) = &fault.setting {
            let source = format!("{SETTING}{setting}");
            let span = fault.span.start + SETTING.len()..fault.span.end + SETTING.len();
            return rendered(renderer, fault, (&source, 1, "command line"), span);
        }
        let last = lines.line_of(fault.span.end.saturating_sub(1).max(fault.span.start));
        let part =
            lines.range(&self.text, fault.line).start..lines.range(&self.text, last).end.max(fault.span.end);
        let span = fault.span.start - part.start..fault.span.end - part.start;
        rendered(renderer, fault, (&self.text[part], fault.line, &self.file), span)
    }
}

/// A fault at `span` of a source text, of which the first line's number and the name are given.
fn rendered(
    renderer: &Renderer,
    fault: &Diagnostic,
    (source, line, name): (&str, usize, &str),
    span: Range<usize>,
) -> String {
    let source = pictured(source);
    let annotation = AnnotationKind::Primary.span(span);
    let annotation = if fault.label.is_empty() { annotation } else { annotation.label(&*fault.label) };
    let snippet = Snippet::source(&*source).line_start(line).path(name).annotation(annotation);
    let mut group = Level::ERROR.primary_title(&*fault.message).element(snippet);
    if let Some(help) = &fault.help {
        group = group.element(Level::HELP.message(&**help));
    }
    renderer.render(&[group])
}

/// A source line with replacements of equal length for control characters, so that places stay.
fn pictured(source: &str) -> Cow<'_, str> {
    if is_harmless(source) {
        return Cow::Borrowed(source);
    }
    let stand_in = |c: char| match c {
        '\t' | '\r' => c, // The renderer knows these.
        c if !is_order(c) => c,
        c if c.len_utf8() == 1 => '?',
        c if c.len_utf8() == 2 => '¿',
        _ => '\u{fffd}',
    };
    Cow::Owned(source.chars().map(stand_in).collect())
}

impl fmt::Display for Diagnostics {
    /// As [`Diagnostics::render`] without colours.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

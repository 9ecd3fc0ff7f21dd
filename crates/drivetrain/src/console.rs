//! The two streams: the answer on stdout, everything else on stderr.

#![allow(clippy::print_stdout, clippy::print_stderr)] // The one place that prints.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use clap::ValueEnum;
use indicatif::ProgressBar;

use crate::exit::{Coded, Exit};
use crate::printable::{ascii_json, in_one_line, printable, styled, without_colours};

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

/// True once the one document of this process has been printed.
static DOCUMENTED: AtomicBool = AtomicBool::new(false);

/// The live line at the bottom of the terminal, while there is one.
static LIVE: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// True if an answer was lost on its way to a waiting reader.
static UNTOLD: AtomicBool = AtomicBool::new(false);

/// True if an answer could not be written, for example to a full disk.
pub(crate) fn answer_was_lost() -> bool {
    UNTOLD.load(Ordering::Relaxed)
}

/// True for the kernel's errors about a pipe without a reader and about a closed terminal.
fn is_nobody_there(error: &std::io::Error) -> bool {
    const CLOSED_TERMINAL: i32 = 5; // EIO.
    error.kind() == std::io::ErrorKind::BrokenPipe || error.raw_os_error() == Some(CLOSED_TERMINAL)
}

/// An error with its causes. Most say what caused them themselves; it is not said twice.
pub(crate) fn with_causes(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

/// True if the lines of an error's text are of its own making.
fn is_laid_out(error: &anyhow::Error) -> bool {
    let of_lab = matches!(
        error.downcast_ref(),
        Some(
            lab::LabError::Experiment { .. }
                | lab::LabError::Option { .. }
                | lab::LabError::Places { .. }
                | lab::LabError::Drive { .. }
        )
    );
    of_lab || error.is::<report::ReportError>() || error.is::<Coded>()
}

/// Knows where and how to print.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    json: bool,
    quiet: bool,
    color: bool,
}

impl Console {
    pub(crate) fn new(json: bool, quiet: bool, color: Color) -> Self {
        let wanted = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            }
        };
        Self { json, quiet, color: wanted }
    }

    /// True if the answer is to be one JSON document.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// True if stderr stays silent.
    pub(crate) fn quiet(&self) -> bool {
        self.quiet
    }

    /// True if colours are wanted.
    pub(crate) fn color(&self) -> bool {
        self.color
    }

    /// Prints the answer, with the control characters of quoted text made visible.
    pub(crate) fn answer(&self, text: &str) {
        if self.json {
            return self.document(&serde_json::json!({ "text": text }));
        }
        self.write(&printable(text));
    }

    /// Prints what other programs read (tables, scripts, files to come): to the byte as it is, except on a
    /// terminal.
    pub(crate) fn raw(&self, text: &str) {
        if self.json || std::io::stdout().is_terminal() { self.answer(text) } else { self.write(text) }
    }

    /// Nobody may be left to read it: a closed pipe (`| head`) or terminal is no reason to end otherwise than
    /// in order.
    fn write(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        if let Err(error) = write!(stdout, "{text}{end}").and_then(|()| stdout.flush())
            && !is_nobody_there(&error)
        {
            UNTOLD.store(true, Ordering::Relaxed);
            let _ = writeln!(std::io::stderr(), "error: the answer could not be written: {error}");
        }
    }

    /// Prints the answer as one JSON document. There is one: what comes after it was said on stderr as well.
    pub(crate) fn document(&self, document: &serde_json::Value) {
        if DOCUMENTED.swap(true, Ordering::AcqRel) {
            return;
        }
        self.write(&ascii_json(&format!("{document:#}")));
    }

    /// Says from now on everything above this line, or there is none any more.
    pub(crate) fn set_live(line: Option<ProgressBar>) {
        *LIVE.lock().unwrap_or_else(PoisonError::into_inner) = line;
    }

    /// Says something beside the answer.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            say(&printable(text));
        }
    }

    /// Says something that the user cannot find elsewhere, however quiet the rest is.
    pub(crate) fn must_know(&self, text: &str) {
        say(&printable(text));
    }

    /// Answers a request that was typed, on a line of its own.
    pub(crate) fn reply(&self, text: &str) {
        if self.quiet {
            return;
        }
        let is_live = LIVE.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        // The terminal has written `^C` where the cursor was.
        let line_end = if !is_live && std::io::stderr().is_terminal() { "\n" } else { "" };
        say(&format!("{line_end}{text}"));
    }

    /// Prints a message that the user must act on, however quiet the rest is.
    pub(crate) fn warn(&self, text: &str) {
        say(&format!("warning: {}", printable(text)));
    }

    /// Prints an error with its causes; as JSON as well when a document was asked for.
    pub(crate) fn error(&self, error: &anyhow::Error) {
        let text = with_causes(error);
        let is_styled = error.downcast_ref::<Coded>().is_some_and(|coded| coded.styled);
        let shown = match () {
            () if is_styled => styled(&text).into_owned(),
            () if is_laid_out(error) => printable(&text).into_owned(),
            // A server's or a file's words must not look like a line of ours.
            () => in_one_line(&text),
        };
        // Rendered faults bring their own "error:" lines.
        say(&if is_styled { shown } else { format!("error: {shown}") });
        if self.json {
            let mut document = Self::error_document(&text, Exit::of(error));
            if let Some(report::ReportError::Refused(refusal)) = error.downcast_ref() {
                document["refused"] = refusal.to_json();
            }
            self.document(&document);
        }
    }

    /// As [`Console::error`], of wrong usage in the words of clap, which begin with "error:".
    pub(crate) fn fault(&self, text: &str, exit: Exit) {
        say(&printable(text));
        if self.json {
            self.document(&Self::error_document(text, exit));
        }
    }

    /// The end of a verb: where a document was asked for and none was printed, its exit code is one.
    pub(crate) fn end(&self, exit: Exit) {
        if self.json {
            self.document(&serde_json::json!({ "exit_code": exit as u8 }));
        }
    }

    fn error_document(text: &str, exit: Exit) -> serde_json::Value {
        serde_json::json!({ "error": without_colours(text), "exit_code": exit as u8 })
    }
}

/// Prints a line on stderr, above the live line. A closed stderr is no reason to stop measuring.
fn say(text: &str) {
    let live = LIVE.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let write = || {
        let _ = writeln!(std::io::stderr(), "{text}");
    };
    match live {
        Some(line) => line.suspend(write),
        None => write(),
    }
}

//! The two streams: the answer on stdout, everything else on stderr.

#![allow(clippy::print_stdout, clippy::print_stderr)] // The one place that prints.

use std::io::{IsTerminal, Write};

use clap::ValueEnum;

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
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

    /// Whether the answer is to be one JSON document.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// Whether stderr stays silent.
    pub(crate) fn quiet(&self) -> bool {
        self.quiet
    }

    /// Whether colours are wanted.
    pub(crate) fn color(&self) -> bool {
        self.color
    }

    /// Prints the answer. A reader that closed the pipe (`| head`) has seen enough: that ends the program quietly.
    pub(crate) fn answer(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        if write!(stdout, "{text}{end}").and_then(|()| stdout.flush()).is_err() {
            std::process::exit(0);
        }
    }

    /// Prints the answer as one JSON document.
    pub(crate) fn document(&self, document: &serde_json::Value) {
        self.answer(&format!("{document:#}"));
    }

    /// Says something beside the answer.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "{text}"); // A closed stderr is no reason to stop measuring.
        }
    }

    /// Says what the user has to see to, however quiet the rest is to be.
    pub(crate) fn warn(&self, text: &str) {
        let _ = writeln!(std::io::stderr(), "warning: {text}"); // As above.
    }

    /// Prints an error with its causes; as JSON as well when a document was asked for.
    pub(crate) fn error(&self, error: &anyhow::Error) {
        let text = format!("{error:#}");
        // Rendered diagnostics bring their own "error:" lines.
        let prefix = if text.trim_start().starts_with("error") { "" } else { "error: " };
        let _ = writeln!(std::io::stderr(), "{prefix}{text}");
        if self.json {
            self.document(
                &serde_json::json!({ "error": text, "exit_code": crate::exit::Exit::of(error) as u8 }),
            );
        }
    }
}

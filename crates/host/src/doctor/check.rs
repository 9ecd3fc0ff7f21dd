//! One finding, and the rule that it applies.

use std::fmt;

use serde::Serialize;

use crate::usage::Usage;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Ok,
    /// This machine does not say it; not held against it.
    Unknown,
    /// Results will be noisier, or mean less than they seem to.
    Warn,
    /// A run would fail or mean nothing.
    Block,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Level::Ok => "ok",
            Level::Unknown => "unknown",
            Level::Warn => "warn",
            Level::Block => "block",
        })
    }
}

/// One finding. A check of the storage comes once for each target, which `read` names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Dotted name, the same in every version.
    pub id: &'static str,
    /// The severity.
    pub level: Level,
    /// The reading, and its source.
    pub read: String,
    /// The reason why it matters to a measurement.
    pub why: String,
    /// The remedy; empty if none is needed.
    pub fix: String,
}

/// The parts of a check that are the same whatever was read.
pub(super) struct Rule {
    pub(super) id: &'static str,
    pub(super) why: &'static str,
    pub(super) fix: &'static str,
}

impl Rule {
    pub(super) fn ok(&self, read: impl Into<String>) -> Check {
        self.check(Level::Ok, read)
    }

    pub(super) fn warn(&self, read: impl Into<String>) -> Check {
        self.check(Level::Warn, read)
    }

    pub(super) fn block(&self, read: impl Into<String>) -> Check {
        self.check(Level::Block, read)
    }

    /// Nothing is known: said, and not held against the machine.
    pub(super) fn unknown(&self, source: &str) -> Check {
        self.check(Level::Unknown, format!("cannot read {source}"))
    }

    pub(super) fn warn_if(&self, bad: bool, read: impl Into<String>) -> Check {
        self.check(if bad { Level::Warn } else { Level::Ok }, read)
    }

    fn check(&self, level: Level, read: impl Into<String>) -> Check {
        let fix = if level < Level::Warn { String::new() } else { self.fix.to_owned() };
        Check { id: self.id, level, read: read.into(), why: self.why.to_owned(), fix }
    }
}

/// Share as a percentage with one digit.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Time watched, for the sentences.
pub(super) fn watched(usage: &Usage) -> String {
    format!("{} ms", usage.elapsed_ns / 1_000_000)
}

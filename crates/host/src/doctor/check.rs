//! One finding, and the rule that it applies.

use std::fmt;

use serde::Serialize;

use words::{Reading, Readings};

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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// Dotted name, the same in every version.
    pub id: &'static str,
    /// The severity.
    pub level: Level,
    /// The reading, and its source.
    pub read: Readings,
    /// The reason why it matters to a measurement, in English.
    pub why: &'static str,
    /// The remedy; empty if none is needed.
    pub fix: String,
}

/// The parts of a check that are the same whatever was read.
pub(super) struct Rule {
    pub(super) id: &'static str,
    pub(super) fix: &'static str,
}

impl Rule {
    pub(super) fn ok(&self, read: impl Into<Readings>) -> Check {
        self.check(Level::Ok, read)
    }

    pub(super) fn warn(&self, read: impl Into<Readings>) -> Check {
        self.check(Level::Warn, read)
    }

    pub(super) fn block(&self, read: impl Into<Readings>) -> Check {
        self.check(Level::Block, read)
    }

    /// Nothing is known: said, and not held against the machine.
    pub(super) fn unknown(&self, source: &str) -> Check {
        self.check(Level::Unknown, format!("cannot read {source}"))
    }

    pub(super) fn warn_if(&self, bad: bool, read: impl Into<Readings>) -> Check {
        self.check(if bad { Level::Warn } else { Level::Ok }, read)
    }

    fn check(&self, level: Level, read: impl Into<Readings>) -> Check {
        let fix = if level < Level::Warn { String::new() } else { self.fix.to_owned() };
        Check { id: self.id, level, read: read.into(), why: words::in_english(&self.message()), fix }
    }

    /// The message that says why it matters: `doctor-why-load-cpu`.
    fn message(&self) -> String {
        format!("doctor-why-{}", self.id.replace(['.', '_'], "-"))
    }
}

/// Time watched.
pub(super) fn watched_ms(usage: &Usage) -> u64 {
    usage.elapsed_ns / 1_000_000
}

/// A value that reads alike in every language, and the file or call that tells it.
pub(super) fn from(value: impl Into<String>, source: impl Into<String>) -> Reading {
    Reading::From { value: value.into(), source: source.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_rule_has_its_message_and_every_message_its_rule() {
        let sources = [
            include_str!("processors.rs"),
            include_str!("load.rs"),
            include_str!("memory.rs"),
            include_str!("storage.rs"),
            include_str!("limits.rs"),
            include_str!("time.rs"),
        ];
        let ids = sources.iter().flat_map(|source| source.split(" id: \"").skip(1));
        let ids = ids.filter_map(|rest| rest.split('"').next());
        let rules: BTreeSet<String> = ids.map(|id| Rule { id, fix: "" }.message()).collect();
        let messages = words::messages().map(|(id, _)| id).filter(|id| id.starts_with("doctor-why-"));
        assert_eq!(rules, messages.collect::<BTreeSet<_>>());
        assert!(rules.len() >= 39, "{}", rules.len());
    }
}

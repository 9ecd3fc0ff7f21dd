//! What would spoil a measurement on this machine, and what to do about it.
//!
//! Every check says what was read and from where, why it matters to a measurement, and what to do. What cannot be read is
//! told as unknown and never held against the machine. Nothing is changed: the fixes are for the user to apply.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::counters::Counters;
use crate::tree::Tree;
use crate::usage::Usage;

mod processors;

mod load;

mod memory;

mod storage;

mod limits;

mod time;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be, or unknown.
    Ok,
    /// Results will be noisier, or mean less than they seem to.
    Warn,
    /// A run would fail or mean nothing.
    Block,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Level::Ok => "ok",
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
    /// How bad it is.
    pub level: Level,
    /// What was read, and from where.
    pub read: String,
    /// Why it matters to a measurement.
    pub why: String,
    /// What to do about it; empty where nothing need be done.
    pub fix: String,
}

/// Examines the machine and the storage under each target. Takes about a third of a second, in which it watches what else
/// the machine is doing.
pub fn examine(targets: &[&Path]) -> Vec<Check> {
    examine_machine(&Tree::machine(), targets)
}

/// The worst level among the checks; [`Level::Ok`] when there are none.
pub fn worst(checks: &[Check]) -> Level {
    checks.iter().map(|check| check.level).max().unwrap_or(Level::Ok)
}

/// Long enough for thirty ticks of the kernel's clock.
const WATCH: Duration = Duration::from_millis(300);

fn examine_machine(tree: &Tree, targets: &[&Path]) -> Vec<Check> {
    let before = Counters::read_from(tree).ok();
    std::thread::sleep(WATCH);
    let usage = before.and_then(|before| Some(Counters::read_from(tree).ok()?.since(&before)));
    let mut checks = processors::examine(tree, usage.as_ref());
    checks.extend(load::examine(tree, usage.as_ref()));
    checks.extend(memory::examine(tree));
    checks.extend(limits::examine(tree));
    checks.extend(time::examine(tree));
    for target in targets {
        checks.extend(storage::examine(tree, target));
    }
    checks
}

/// The parts of a check that are the same whatever was read.
struct Rule {
    id: &'static str,
    why: &'static str,
    fix: &'static str,
}

impl Rule {
    fn ok(&self, read: impl Into<String>) -> Check {
        self.check(Level::Ok, read)
    }

    fn warn(&self, read: impl Into<String>) -> Check {
        self.check(Level::Warn, read)
    }

    fn block(&self, read: impl Into<String>) -> Check {
        self.check(Level::Block, read)
    }

    /// Nothing is known: said, and not held against the machine.
    fn unknown(&self, source: &str) -> Check {
        self.ok(format!("unknown: cannot read {source}"))
    }

    fn warn_if(&self, bad: bool, read: impl Into<String>) -> Check {
        self.check(if bad { Level::Warn } else { Level::Ok }, read)
    }

    fn check(&self, level: Level, read: impl Into<String>) -> Check {
        let fix = if level == Level::Ok { String::new() } else { self.fix.to_owned() };
        Check { id: self.id, level, read: read.into(), why: self.why.to_owned(), fix }
    }
}

/// Share as a percentage with one digit.
fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Time watched, for the sentences.
fn watched(usage: &Usage) -> String {
    format!("{} ms", usage.elapsed_ns / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fixture;
    use std::collections::BTreeSet;

    #[test]
    fn this_machine_is_examined_in_full() {
        let dir = tempfile::tempdir().unwrap();
        let checks = examine(&[dir.path()]);
        let ids: BTreeSet<&str> = checks.iter().map(|check| check.id).collect();
        assert_eq!(ids.len(), checks.len(), "one target: every check once");
        assert!(ids.len() >= 20, "{} checks", ids.len());
        for check in &checks {
            assert!(!check.read.is_empty() && !check.why.is_empty(), "{check:?}");
            assert_eq!(check.fix.is_empty(), check.level == Level::Ok, "{check:?}");
        }
        assert!(worst(&checks) < Level::Block, "a test machine can run: {checks:#?}");
    }

    #[test]
    fn a_machine_of_which_nothing_is_known_is_not_blamed() {
        let (_dir, tree) = fixture(&[]);
        for check in examine_machine(&tree, &[]) {
            // These ask the kernel or the program itself, not files below the root.
            let asks_elsewhere =
                ["time.sleep", "time.timer_slack", "limits.", "io_uring.allowed", "tool.build"]
                    .iter()
                    .any(|prefix| check.id.starts_with(prefix));
            assert!(asks_elsewhere || check.level == Level::Ok, "{check:?}");
        }
    }

    #[test]
    fn levels_are_ordered_and_named() {
        assert!(Level::Ok < Level::Warn && Level::Warn < Level::Block);
        assert_eq!(format!("{:>6}", Level::Warn), "  warn");
        assert_eq!(worst(&[]), Level::Ok);
    }
}

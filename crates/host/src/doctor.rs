//! Conditions that would spoil a measurement on this machine, with their remedies.
//!
//! Every check reports the reading and its source, its importance for a measurement, and the remedy. An
//! unreadable value is reported as unknown and never counts against the machine. Nothing is changed: the
//! fixes are for the user to apply.

use std::path::Path;
use std::time::Duration;

use ground::Clock;

use crate::counters::Counters;
use crate::tree::Tree;

mod check;

mod processors;

mod load;

mod memory;

mod storage;

mod limits;

mod time;

pub use check::{Check, Level};

/// Examines the machine and the storage under each target. Takes about half a second: it watches the
/// machine's other work, and how late waits end.
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
    Clock::Wall.sleep(WATCH);
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
            assert!(!check.read.to_string().is_empty() && !check.why.is_empty(), "{check:?}");
            assert_eq!(check.fix.is_empty(), check.level < Level::Warn, "{check:?}");
        }
        assert!(worst(&checks) < Level::Block, "a test machine can run: {checks:#?}");
    }

    #[test]
    fn a_machine_of_which_nothing_is_known_is_not_blamed() {
        let (_dir, tree) = fixture(&[]);
        for check in examine_machine(&tree, &[]) {
            // These ask the kernel or the program itself, not files below the root.
            let asks_elsewhere = [
                "time.sleep",
                "time.stalls",
                "time.timer_slack",
                "limits.",
                "io_uring.allowed",
                "tool.build",
            ]
            .iter()
            .any(|prefix| check.id.starts_with(prefix));
            assert!(asks_elsewhere || check.level < Level::Warn, "{check:?}");
        }
    }

    #[test]
    fn levels_are_ordered_and_named() {
        assert!(Level::Ok < Level::Unknown && Level::Unknown < Level::Warn && Level::Warn < Level::Block);
        assert_eq!(format!("{:>6}", Level::Warn), "  warn");
        assert_eq!(worst(&[]), Level::Ok);
    }
}

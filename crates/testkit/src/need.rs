//! Needs of a test. A test whose need is not met returns at once: the need has said so and counted it.
//!
//! ```text
//! let Some(()) = testkit::need::root() else { return };
//! ```

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::panic::Location;
use std::path::PathBuf;

use crate::programs;

/// Names the file to which each skip adds a line, as `cargo xtask test` sets it: test, tab, reason.
pub const SKIPS: &str = "DRIVETRAIN_SKIPS";

/// The rights of root.
#[track_caller]
pub fn root() -> Option<()> {
    if is_root() { Some(()) } else { skipped("it needs root") }
}

/// The path of a program of [`programs::NEEDED`].
///
/// # Panics
/// When the list does not have it, and as [`missing`] does.
#[track_caller]
pub fn program(name: &str) -> Option<PathBuf> {
    let wanted = programs::NEEDED.iter().find(|wanted| wanted.program == name);
    let wanted = wanted.unwrap_or_else(|| panic!("{name} is not in the list of programs::NEEDED"));
    if let Some(path) = wanted.find() {
        return Some(path);
    }
    missing(&format!("{name} is missing: sudo apt-get install {}", wanted.package))
}

/// A skip for want of a program. Always `None`.
///
/// # Panics
/// For root in CI (`CI` is set), where everything that a test needs was installed.
#[track_caller]
pub fn missing<T>(why: &str) -> Option<T> {
    assert!(!is_equipped(), "CI installs every program, but {why}");
    skipped(why)
}

/// The value, where the machine gave it; the error is the reason of the skip.
#[track_caller]
pub fn given<T>(result: Result<T, impl Display>) -> Option<T> {
    result.map_or_else(|why| skipped(&why.to_string()), Some)
}

/// [`skip`] where a value was expected. Always `None`.
#[track_caller]
pub fn skipped<T>(why: &str) -> Option<T> {
    skip(why);
    None
}

/// Says that the running test, or a part of it, is skipped, and counts it.
///
/// # Panics
/// When the file of [`SKIPS`] cannot be written.
#[track_caller]
pub fn skip(why: &str) {
    let place = Location::caller();
    let thread = std::thread::current();
    // The harness names a thread after its test.
    let test = thread.name().filter(|name| *name != "main");
    let test = test.map_or_else(|| place.file().to_owned(), str::to_owned);
    // Past the harness, which hides the output of a test that passes.
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {why}");
    if let Some(path) = std::env::var_os(SKIPS) {
        let line = format!("{test}\t{}\n", why.replace(['\n', '\t'], " "));
        let file = OpenOptions::new().append(true).create(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

/// True on a machine where everything that a test needs was installed: for root in CI (`CI` is set).
fn is_equipped() -> bool {
    is_root() && std::env::var_os("CI").is_some()
}

/// True when the process has the rights of root.
#[must_use]
pub fn is_root() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| {
        status.lines().any(|line| line.starts_with("Uid:") && line.split_whitespace().nth(2) == Some("0"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_that_are_met_give_what_was_asked_for() {
        assert_eq!(given(Ok::<_, String>(7)), Some(7));
        assert_eq!(root().is_some(), is_root());
        assert!(std::panic::catch_unwind(|| program("no-such-program")).is_err());
    }
}

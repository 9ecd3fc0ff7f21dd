//! `cargo xtask test`: all tests of the workspace, and those of a target that failed once more, by
//! themselves.
//!
//! Many tests run real servers, kill them, and wait for what follows. A machine that does other things can
//! starve one of them; a fault fails again. What passed only by itself is named, so that it is looked into.

#![allow(clippy::print_stderr)] // A part of a command line program, which says what cargo says.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;

/// How many tests of one binary run at once, for Rust's test harness.
const THREADS: &str = "RUST_TEST_THREADS";
/// What cargo says before the arguments that name a target whose tests failed.
const RERUN: &str = "to rerun pass `";

/// Runs the tests with further arguments of `cargo test`; true when all passed.
///
/// # Errors
/// When cargo cannot be started.
pub fn run(root: &Path, arguments: &[String]) -> anyhow::Result<bool> {
    trial(root, arguments, |line| eprintln!("{line}"), Stdio::inherit)
}

fn trial(
    root: &Path,
    arguments: &[String],
    say: impl Fn(&str),
    answers: impl Fn() -> Stdio,
) -> anyhow::Result<bool> {
    // The tests through the built binary wait for the time of their loads more than for a processor.
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = std::env::var(THREADS).unwrap_or_else(|_| (2 * processors).to_string());
    let whole = ["--workspace", "--no-fail-fast"].map(str::to_owned);
    let (passed, failed) = once(root, &[&whole, arguments].concat(), &threads, &say, answers())?;
    if passed || failed.is_empty() {
        return Ok(passed);
    }
    let mut lasting = Vec::new();
    for target in &failed {
        say(&format!("\nonce more, one test at a time: {target}"));
        let words: Vec<String> = target.split_whitespace().map(str::to_owned).collect();
        if !once(root, &[&words, arguments].concat(), "1", &say, answers())?.0 {
            lasting.push(target);
        }
    }
    say("");
    for target in &failed {
        let outcome =
            if lasting.contains(&target) { "FAILED TWICE" } else { "failed among others, passed alone" };
        say(&format!("{outcome}: {target}"));
    }
    Ok(lasting.is_empty())
}

/// Whether all passed, and the targets whose tests did not.
fn once(
    root: &Path,
    arguments: &[String],
    threads: &str,
    say: &impl Fn(&str),
    answers: Stdio,
) -> anyhow::Result<(bool, BTreeSet<String>)> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut test = Command::new(cargo);
    test.arg("test")
        .args(arguments)
        .env(THREADS, threads)
        .current_dir(root)
        .stdout(answers)
        .stderr(Stdio::piped());
    let mut child = test.spawn().context("running cargo test")?;
    let mut failed = BTreeSet::new();
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).split(b'\n') {
            let line = String::from_utf8_lossy(&line.context("reading what cargo says")?).into_owned();
            say(&line);
            failed.extend(target_in(&line).map(str::to_owned));
        }
    }
    Ok((child.wait().context("waiting for cargo test")?.success(), failed))
}

/// The arguments that name a target, where cargo says that its tests failed.
fn target_in(line: &str) -> Option<&str> {
    line.strip_prefix("error: ")?.split_once(RERUN)?.1.strip_suffix('`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_that_failed_are_named_by_cargo() {
        let said = "error: test failed, to rerun pass `-p drivetrain --test alike`";
        assert_eq!(target_in(said), Some("-p drivetrain --test alike"));
        assert_eq!(
            target_in("error: doctest failed, to rerun pass `-p block --doc`"),
            Some("-p block --doc")
        );
        for other in ["error: could not compile `block`", "    `-p drivetrain --test alike`", "test x ... ok"]
        {
            assert_eq!(target_in(other), None, "{other}");
        }
    }

    #[test]
    fn a_test_that_fails_twice_fails() {
        let temp = tempfile::tempdir().unwrap();
        let (manifest, marker) = (temp.path().join("Cargo.toml"), temp.path().join("once"));
        std::fs::write(
            manifest,
            "[package]\nname = \"tried\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n",
        )
        .unwrap();
        let of = |body: &str| format!("#[test]\nfn tried() {{ {body} }}\n");
        let outcome = |body: &str| {
            std::fs::write(temp.path().join("lib.rs"), of(body)).unwrap();
            trial(temp.path(), &["--quiet".to_owned()], |_| (), Stdio::null).unwrap()
        };
        assert!(!outcome("panic!()"));
        assert!(!outcome("does not compile"));
        let path = marker.display();
        assert!(
            outcome(&format!("std::fs::create_dir(\"{path}\").unwrap_err();")),
            "it passes at the second time"
        );
        assert!(outcome(""));
    }
}

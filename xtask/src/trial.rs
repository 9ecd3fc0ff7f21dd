//! `cargo xtask test`: all tests of the workspace, or the fast ones; those that failed once more, by
//! themselves; and at the end the tests that passed, the time, the skips and their reasons.
//!
//! Many tests run real servers, kill them, and wait for the result, so several programs of tests run side by
//! side. A machine that does other things can starve one of the tests, and the bytes that the others wrote
//! reach the drive for a while after them; a fault fails again. The tests that passed only by themselves
//! are named, so that somebody looks into them.

#![allow(clippy::print_stdout)] // A part of a command line program: its answer goes to stdout.

mod program;
mod scratch;
mod session;

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};
use ground::Clock;

use crate::{crowd, fast, features, packages};
use program::{Outcome, Program};
use session::Session;

/// The program whose tests take the longest.
const LONGEST: &str = "drivetrain it";
/// Programs of tests that run at once: while the tests of one wait, those of the others work.
const AT_ONCE: usize = 3;

/// Runs all tests, or the fast ones for `--fast`; true when all passed.
///
/// # Errors
/// When packages cannot be installed, tests cannot be built or started, or an argument is not known.
pub fn run(root: &Path, arguments: &[String]) -> anyhow::Result<bool> {
    let chosen = match arguments {
        [] => {
            packages::install_missing()?;
            if let Some(ended) = scratch::again()? {
                return Ok(ended.success());
            }
            let (features, left_out) = features::of_tests();
            left_out.inspect(|why| println!("{why}"));
            vec!["--workspace".to_owned(), "--features".to_owned(), features]
        }
        [fast] if fast == "--fast" => fast::arguments(),
        _ => bail!("`cargo xtask test` takes `--fast` or nothing; `cargo test` runs single tests"),
    };
    let session = Session::begin(root)?;
    println!("seed {0}: DRIVETRAIN_SEED={0} repeats it", session.seed);
    let begun = Clock::Wall.stopwatch();
    let programs = Program::build(root, &chosen)?;
    println!("built in {:.0} s", begun.seconds());
    let mut tally = trial(&session, &programs)?;
    if arguments.is_empty() {
        // Examples in the documentation.
        tally.sound &= cargo(root).args(["test", "--doc", "--quiet"]).args(&chosen).status()?.success();
    }
    println!("\n{} tests passed in {:.0} s", tally.passed, begun.seconds());
    print!("{}", session.skips()?);
    Ok(tally.sound)
}

/// The cargo that runs us.
fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

/// All programs together.
struct Tally {
    /// All passed, some perhaps only alone.
    sound: bool,
    passed: usize,
}

/// Tests of a program that run at once, for each processor. Those through the built binary wait for the time
/// of their loads more than for a processor, and take so long that they are alone in the end.
fn threads_of(program: &Program) -> usize {
    if program.name == LONGEST { 3 } else { 2 }
}

fn trial(session: &Session, programs: &[Program]) -> anyhow::Result<Tally> {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut tally = Tally { sound: true, passed: 0 };
    let outcomes = crowd::each(programs, AT_ONCE, |program| {
        program.run(session, &[], threads_of(program) * processors)
    })?;
    for (program, outcome) in programs.iter().zip(outcomes) {
        tally.passed += outcome.passed;
        if outcome.sound {
            continue;
        }
        let failed = outcome.failed.join(" ");
        println!("\nonce more, one test at a time: {} {failed}", program.name);
        // The writes of the others reach the drive first.
        Command::new("sync").status().context("starting sync")?;
        let alone: Outcome = program.run(session, &outcome.failed, 1)?;
        tally.passed += alone.passed;
        tally.sound &= alone.sound;
        let came = if alone.sound { "failed among others, passed alone" } else { "FAILED TWICE" };
        println!("{came}: {} {failed}", program.name);
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_fails_twice_fails() {
        let temp = tempfile::tempdir().unwrap();
        let (manifest, marker) = (temp.path().join("Cargo.toml"), temp.path().join("once"));
        std::fs::write(
            manifest,
            "[package]\nname = \"tried\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n",
        )
        .unwrap();
        let session = Session::begin(temp.path()).unwrap();
        let outcome = |body: &str| {
            let tests = format!("#[test]\nfn tried() {{ {body} }}\n#[test]\nfn other() {{}}\n");
            std::fs::write(temp.path().join("lib.rs"), tests).unwrap();
            let programs = Program::build(temp.path(), &[])?;
            trial(&session, &programs).map(|tally| (tally.sound, tally.passed))
        };
        assert_eq!(outcome("panic!()").unwrap(), (false, 1));
        assert!(outcome("does not compile").is_err());
        let path = marker.display();
        let second = outcome(&format!("std::fs::create_dir(\"{path}\").unwrap_err();"));
        assert_eq!(second.unwrap(), (true, 2), "it passes at the second time");
        assert_eq!(outcome("").unwrap(), (true, 2));
    }
}

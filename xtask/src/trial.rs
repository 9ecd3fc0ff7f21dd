//! `cargo xtask test`: all tests of the workspace, or the fast ones; those that failed once more, by
//! themselves; and at the end the tests that passed, the time, the skips and their reasons.
//!
//! Many tests run real servers, kill them, and wait for the result, so several programs of tests run side by
//! side. A machine that does other things can starve one of the tests, and the bytes that the others wrote
//! reach the drive for a while after them; a fault fails each time. The tests that passed only by themselves
//! are named, so that somebody looks into them.

#![allow(clippy::print_stdout)] // A part of a command line program: its answer goes to stdout.

mod program;
mod scratch;
mod session;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, bail};

use crate::{crowd, fast, features, packages};
use program::Program;
use session::Session;

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
    let begun = Instant::now();
    let programs = Program::build(root, &chosen)?;
    println!("built in {:.0} s", begun.elapsed().as_secs_f64());
    let mut tally = trial(&session, &programs)?;
    if arguments.is_empty() {
        // Examples in the documentation.
        tally.sound &= cargo(root).args(["test", "--doc", "--quiet"]).args(&chosen).status()?.success();
    }
    println!("\n{} tests passed in {:.0} s", tally.passed, begun.elapsed().as_secs_f64());
    print!("{}", session.skips()?);
    Ok(tally.sound)
}

/// The cargo that runs us.
fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root);
    cargo
}

/// Times that a failed test runs by itself before it counts as failed.
const TIMES_ALONE: usize = 2;

/// All programs together.
struct Tally {
    /// All passed, some perhaps only alone.
    sound: bool,
    passed: usize,
}

fn trial(session: &Session, programs: &[Program]) -> anyhow::Result<Tally> {
    // The tests through the built binary wait for the time of their loads more than for a processor.
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut tally = Tally { sound: true, passed: 0 };
    let outcomes = crowd::each(programs, AT_ONCE, |program| program.run(session, &[], 2 * processors))?;
    for (program, outcome) in programs.iter().zip(outcomes) {
        tally.passed += outcome.passed;
        if outcome.sound {
            continue;
        }
        let mut last = outcome;
        for time in 1..=TIMES_ALONE {
            let failed = last.failed.join(" ");
            println!("\nalone, one test at a time ({time} of {TIMES_ALONE}): {} {failed}", program.name);
            // What the others wrote is on the drive first.
            Command::new("sync").status().context("starting sync")?;
            last = program.run(session, &last.failed, 1)?;
            tally.passed += last.passed;
            if last.sound {
                println!("failed among others, passed alone: {} {failed}", program.name);
                break;
            }
        }
        if !last.sound {
            println!("FAILED ALONE, TOO: {} {}", program.name, last.failed.join(" "));
        }
        tally.sound &= last.sound;
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_fails_each_time_fails() {
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

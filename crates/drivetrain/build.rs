//! Tells the program the commit and the target that it is built from, for `--version`.

#![allow(clippy::print_stdout)] // Cargo reads the answers of a build script from its stdout.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-env-changed=DRIVETRAIN_COMMIT");
    println!("cargo::rustc-env=DRIVETRAIN_COMMIT={}", commit().unwrap_or_else(|| "unknown".to_owned()));
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=DRIVETRAIN_TARGET={target}");
}

/// The commit of the checkout; for sources without one, the packager's value in `DRIVETRAIN_COMMIT`.
fn commit() -> Option<String> {
    if let Ok(commit) = std::env::var("DRIVETRAIN_COMMIT") {
        return Some(commit);
    }
    for file in ["HEAD", "logs/HEAD"] {
        println!("cargo::rerun-if-changed={}", git(&["rev-parse", "--git-path", file])?);
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let answer =
        Command::new("git").args(arguments).output().ok().filter(|answer| answer.status.success())?;
    String::from_utf8(answer.stdout).ok().map(|text| text.trim().to_owned())
}

//! Developers' commands: `cargo xtask test` installs what the tests need and runs them all, `cargo xtask tidy` checks the house rules,
//! `cargo xtask schema` writes the experiment file's JSON Schema, `cargo xtask fuzz` feeds the parsers what nobody wrote.

#![allow(clippy::print_stdout)] // A command line program: its answer goes to stdout.

use std::process::{Command, ExitCode};

use anyhow::Context;
use xtask::{fuzz, packages, schema, tidy, workspace_root};

/// How many tests of one binary run at once, for Rust's test harness.
const THREADS: &str = "RUST_TEST_THREADS";

fn main() -> anyhow::Result<ExitCode> {
    match std::env::args().nth(1).as_deref() {
        Some("test") => {
            packages::install_missing()?;
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let mut test = Command::new(cargo);
            test.args(["test", "--workspace"]).args(std::env::args().skip(2)).current_dir(workspace_root());
            // The tests through the built binary wait for the time of their loads more than for a processor.
            if std::env::var_os(THREADS).is_none() {
                let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
                test.env(THREADS, (2 * processors).to_string());
            }
            let status = test.status().context("running cargo test")?;
            Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Some("tidy") => {
            let faults = tidy::examine(&workspace_root())?;
            for fault in &faults {
                println!("{fault}");
            }
            println!("{} faults", faults.len());
            Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Some("schema") => {
            let path = schema::write(&workspace_root())?;
            println!("wrote {}", path.display());
            Ok(ExitCode::SUCCESS)
        }
        Some("fuzz") => {
            let asked = fuzz::Asked::from_arguments(std::env::args().skip(2))?;
            let sound = fuzz::run(&workspace_root(), &asked)?;
            Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        _ => {
            println!(
                "usage: cargo xtask test [ARGUMENT OF cargo test ...] | tidy | schema | fuzz [--seconds N | --runs N] [TARGET ...]"
            );
            Ok(ExitCode::from(2))
        }
    }
}

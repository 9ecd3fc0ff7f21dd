//! Developers' commands: `cargo xtask test` installs what the tests need and runs them all, `--fast` those
//! that need nothing, `cargo xtask tidy` checks the house rules, `cargo xtask schema` writes the experiment
//! file's JSON Schema, `cargo xtask fuzz` feeds the parsers what nobody wrote, `cargo xtask golden` holds the
//! answers of the program to what they were, `cargo xtask licences` checks the dependencies, `cargo xtask
//! features` prints the optional features that the tests are built with, `cargo xtask dist` makes what users
//! install.

#![allow(clippy::print_stdout)] // A command line program: its answer goes to stdout.

use std::process::ExitCode;

use xtask::{dist, features, fuzz, golden, licences, schema, tidy, trial, workspace_root};

fn main() -> anyhow::Result<ExitCode> {
    match std::env::args().nth(1).as_deref() {
        Some("test") => {
            let arguments: Vec<String> = std::env::args().skip(2).collect();
            let passed = trial::run(&workspace_root(), &arguments)?;
            Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Some("tidy") => Ok(told(&tidy::examine(&workspace_root())?)),
        Some("licences") => Ok(told(&licences::examine(&workspace_root())?)),
        Some("dist") => {
            dist::run(&workspace_root(), &dist::Asked::from_arguments(std::env::args().skip(2))?)?;
            Ok(ExitCode::SUCCESS)
        }
        Some("features") => {
            println!("{}", features::of_tests().0);
            Ok(ExitCode::SUCCESS)
        }
        Some("schema") => {
            for path in schema::write(&workspace_root())? {
                println!("wrote {}", path.display());
            }
            Ok(ExitCode::SUCCESS)
        }
        Some("fuzz") => {
            let asked = fuzz::Asked::from_arguments(std::env::args().skip(2))?;
            let sound = fuzz::run(&workspace_root(), &asked)?;
            Ok(if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Some("golden") => {
            let asked = golden::Asked::from_arguments(std::env::args().skip(2))?;
            let same = golden::run(&workspace_root(), &asked)?;
            Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        _ => {
            println!(
                "usage: cargo xtask test [--fast] | tidy | schema | fuzz [--seconds N | --runs N] [TARGET ...]\n                    | golden keep|compare [DIR] [--program FILE] [--at-once N] [--only NAME ...]\n                    | licences | features | dist [--profile NAME] [--check]"
            );
            Ok(ExitCode::from(2))
        }
    }
}

/// Prints faults and their number.
fn told(faults: &[impl std::fmt::Display]) -> ExitCode {
    for fault in faults {
        println!("{fault}");
    }
    println!("{} faults", faults.len());
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

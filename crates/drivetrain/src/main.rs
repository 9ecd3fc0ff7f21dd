//! `drivetrain`: what does this storage do for my database?
//!
//! Invariant: nothing but wiring and printing. stdout is the answer, stderr is progress and log.

mod cli;
mod console;
mod destroy;
mod exit;
mod job_file;
mod notebooks;
mod progress;
mod signals;
mod source;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let console = console::Console::new(cli.json, cli.quiet, cli.color);
    match verbs::dispatch(&cli, &console) {
        Ok(exit) => exit.into(),
        Err(error) => {
            console.error(&error);
            exit::Exit::of(&error).into()
        }
    }
}

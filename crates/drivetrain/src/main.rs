//! `drivetrain`: what does this storage do for my database?
//!
//! Invariant: nothing but wiring and printing. stdout is the answer, stderr is progress and log.

mod aligned;
mod allow_uring;
mod cli;
mod confirm;
mod console;
mod destroy;
mod details;
mod ending;
mod exit;
mod help;
mod hosts;
mod input;
mod job_file;
mod kept;
mod language;
mod notebooks;
mod printable;
mod otlp;
mod outputs;
mod progress;
mod signals;
mod source;
mod targets;
mod usage;
mod verbs;

use std::process::ExitCode;

use clap::FromArgMatches as _;

fn main() -> ExitCode {
    let parsed = help::command().try_get_matches().and_then(|matches| cli::Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return usage::answer(&error).into(),
    };
    language::speak(language::chosen(cli.language.and_then(|wanted| wanted.0)), cli.json);
    let console = console::Console::new(cli.json, cli.quiet, cli.color);
    let exit = verbs::dispatch(&cli, &console).unwrap_or_else(|error| {
        console.error(&error);
        exit::Exit::of(&error)
    });
    console.end(exit);
    let lost = exit == exit::Exit::Done && console::answer_was_lost();
    if lost { exit::Exit::Error.into() } else { exit.into() }
}

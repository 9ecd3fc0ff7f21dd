//! `drivetrain completions`: completion scripts for shells.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::console::Console;
use crate::exit::Exit;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// Which shell
    shell: Shell,
}

/// Prints the script.
pub(crate) fn completions(args: &CompletionsArgs, console: &Console) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "drivetrain", &mut script);
    console.answer(&String::from_utf8(script)?);
    Ok(Exit::Done)
}

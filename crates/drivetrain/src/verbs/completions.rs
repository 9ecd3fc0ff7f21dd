//! `drivetrain completions`: completion scripts for shells.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::console::Console;
use crate::exit::Exit;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Prints the script for `command`, the whole command line.
pub(crate) fn completions(
    args: &CompletionsArgs,
    mut command: Command,
    console: &Console,
) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "drivetrain", &mut script);
    let script = String::from_utf8(script)?;
    match console.json() {
        true => console.document(&serde_json::json!({ "shell": args.shell.to_string(), "script": script })),
        false => console.raw(&script),
    }
    Ok(Exit::Done)
}

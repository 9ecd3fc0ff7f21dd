//! `drivetrain help`: the help of the program or of a verb, the options of every verb, the exit codes.

use clap::Args;

use crate::console::Console;
use crate::exit::{EXIT_CODES, Exit};
use crate::{help, usage};

/// Arguments of `help`.
#[derive(Debug, Args)]
pub(crate) struct HelpArgs {
    /// A verb, or `options` or `exit-codes` (default: the whole program)
    #[arg(value_name = "VERB")]
    about: Option<String>,
}

/// Prints it.
pub(crate) fn help(args: &HelpArgs, console: &Console) -> anyhow::Result<Exit> {
    match args.about.as_deref() {
        Some("options") => tell(&help::options(), console),
        Some("exit-codes") => tell(EXIT_CODES, console),
        about => {
            // The same text as that of the flag; an unknown verb is answered as everywhere.
            let words = ["drivetrain"].into_iter().chain(about).chain(["--help"]);
            if let Err(said) = help::command().try_get_matches_from(words) {
                return Ok(usage::answer_to(&said, console));
            }
        }
    }
    Ok(Exit::Done)
}

fn tell(text: &str, console: &Console) {
    match console.json() {
        true => console.document(&serde_json::json!({ "help": text })),
        false => console.answer(text),
    }
}

//! `drivetrain init`: a commented experiment file to start from, or a built-in one to change.

mod listing;

use std::path::{Path, PathBuf};

use clap::Args;
use words::shell;

use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::outputs::{self, ForceArgs};

/// Arguments of `init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Start from this built-in experiment instead of the commented template; with --list, words to search
    /// for
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// List the built-in experiments by the question that they answer, or those with all of the words
    #[arg(long)]
    list: bool,

    /// File to write (default: experiment.toml); "-" prints it
    #[arg(long, short, value_name = "FILE", default_value = "experiment.toml")]
    output: PathBuf,

    #[command(flatten)]
    force: ForceArgs,
}

/// Lists, prints or writes.
pub(crate) fn init(args: &InitArgs, notebook: &Path, console: &Console) -> anyhow::Result<Exit> {
    if args.list {
        listing::list(&args.names, console)?;
        return Ok(Exit::Done);
    }
    let text = match &args.names[..] {
        [] => experiment::template(),
        [name] => experiment::find_named(name).map(|n| n.text).ok_or_else(|| unknown(name))?,
        [_, second, ..] => {
            let text = format!("`{second}`: name one experiment (words to search for go with --list)");
            return Err(Coded::usage(text));
        }
    };
    let text = by_itself(text);
    if args.output.as_os_str() == "-" {
        match console.json() {
            true => console.document(&serde_json::json!({ "toml": text })),
            false => console.raw(text),
        }
        return Ok(Exit::Done);
    }
    let force = ForceArgs { force: args.force.force || is_untouched(&args.output) };
    let output = outputs::beside_notebook(notebook, force, console).plan(&args.output, outputs::EXPERIMENT);
    output.and_then(|output| output.write(text.as_bytes())).map_err(outputs::coded)?;
    let path = args.output.display();
    match console.json() {
        true => console.document(&serde_json::json!({ "written": path.to_string() })),
        false => {
            let word = shell::path(&args.output);
            console.answer(&format!("wrote {path}\nnext: drivetrain plan {word}; drivetrain run {word}"));
        }
    }
    Ok(Exit::Done)
}

/// True for a file that `init` wrote and nobody has changed.
fn is_untouched(path: &Path) -> bool {
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    let text = is_file.then(|| disk::text_of_file(path).ok()).flatten();
    let written = experiment::named().iter().map(|named| named.text).chain([experiment::template()]);
    text.is_some_and(|text| written.into_iter().any(|known| known == text || by_itself(known) == text))
}

/// An experiment without the line that names its schema for editors: that file is beside it only in the
/// source tree.
fn by_itself(text: &str) -> &str {
    match text.split_once('\n') {
        Some((line, rest)) if line.starts_with("#:schema ") => rest,
        _ => text,
    }
}

fn unknown(name: &str) -> anyhow::Error {
    let hint = match experiment::suggest_named(name) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if name.ends_with(".toml") => {
            format!("; `drivetrain init -o {}` writes the template to that file", shell::word(name))
        }
        None => String::new(),
    };
    Coded::usage(format!("no built-in experiment `{name}`{hint} (`drivetrain init --list` lists them)"))
}

//! `drivetrain init`: a commented experiment file to start from, or a built-in one to change.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::outputs::{self, ForceArgs};

/// Arguments of `init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Start from this built-in experiment instead of the commented template
    name: Option<String>,

    /// List the built-in experiments
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
        list(console);
        return Ok(Exit::Done);
    }
    let text = match &args.name {
        None => experiment::template(),
        Some(name) => experiment::find_named(name).map(|n| n.text).ok_or_else(|| unknown(name))?,
    };
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
            console.answer(&format!("wrote {path}\nnext: drivetrain plan {path}; drivetrain run {path}"))
        }
    }
    Ok(Exit::Done)
}

/// True for a file that `init` wrote and nobody has changed.
fn is_untouched(path: &Path) -> bool {
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    let text = is_file.then(|| disk::text_of_file(path).ok()).flatten();
    let written = experiment::named().iter().map(|named| named.text).chain([experiment::template()]);
    text.is_some_and(|text| written.into_iter().any(|known| known == text))
}

fn unknown(name: &str) -> anyhow::Error {
    let hint = experiment::suggest_named(name).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
    Coded::usage(format!("no built-in experiment `{name}`{hint} (`drivetrain init --list` lists them)"))
}

fn list(console: &Console) {
    if console.json() {
        let entry = |n: &experiment::Named| serde_json::json!({ "name": n.name, "title": n.title(), "summary": n.summary });
        console.document(&experiment::named().iter().map(entry).collect::<Vec<_>>().into());
        return;
    }
    let width = experiment::named().iter().map(|n| n.name.len()).max().unwrap_or(0);
    let line =
        |n: &experiment::Named| format!("{:width$}  {}\n{:width$}  {}\n", n.name, n.title(), "", n.summary);
    console.answer(&experiment::named().iter().map(line).collect::<String>());
}

//! `drivetrain note`: remarks of the user, kept with a run.

use std::path::Path;

use clap::Args;
use words::NoteKind;

use crate::console::Console;
use crate::exit::Exit;
use crate::notebooks;
use crate::printable::counted;

/// Arguments of `note`.
#[derive(Debug, Args)]
pub(crate) struct NoteArgs {
    /// The run: number, id, tag or name; `latest`
    run: String,

    /// The remark (default: print the remarks of the run)
    text: Option<String>,
}

/// Keeps a remark, or prints all.
pub(crate) fn note(args: &NoteArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let notebook = notebooks::open(path)?;
    let run = notebooks::the_one(&notebook, &args.run)?;
    if let Some(text) = &args.text {
        notebook.add_note(run, NoteKind::User, text.as_str())?;
    }
    let notes = notebook.notes(run)?;
    let own: Vec<&str> =
        notes.iter().filter(|note| note.kind == NoteKind::User).map(|note| note.text.as_str()).collect();
    if console.json() {
        console.document(&serde_json::json!({ "run": run.0, "notes": own }));
    } else if args.text.is_none() {
        console.answer(&own.iter().map(|note| format!("{note}\n")).collect::<String>());
    } else {
        console.answer(&format!("run {run} has {}", counted(own.len(), "remark")));
    }
    Ok(Exit::Done)
}

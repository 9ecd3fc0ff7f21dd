//! `drivetrain man`: the man pages, one per verb.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};

use crate::console::Console;
use crate::exit::Exit;

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Directory that receives the pages (default: print the main page)
    directory: Option<PathBuf>,
}

/// Writes the pages into a directory, or prints the main one; `command` is the whole command line.
pub(crate) fn man(args: &ManArgs, command: Command, console: &Console) -> anyhow::Result<Exit> {
    let Some(directory) = &args.directory else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        let page = String::from_utf8(page)?;
        match console.json() {
            true => console.document(&serde_json::json!({ "page": page })),
            false => console.raw(&page),
        }
        return Ok(Exit::Done);
    };
    std::fs::create_dir_all(directory).with_context(|| format!("creating {}", directory.display()))?;
    clap_mangen::generate_to(command, directory)
        .with_context(|| format!("writing into {}", directory.display()))?;
    let written = directory.display().to_string();
    match console.json() {
        true => console.document(&serde_json::json!({ "written": written })),
        false => console.answer(&format!("man pages in {written}")),
    }
    Ok(Exit::Done)
}

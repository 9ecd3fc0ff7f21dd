//! `drivetrain man`: the man pages, one per verb.

use std::path::{Path, PathBuf};

use clap::{Args, Command};

use crate::console::Console;
use crate::exit::Exit;
use crate::outputs::{self, ForceArgs};

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Directory for the pages (default: print the main page)
    directory: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,
}

/// Writes the pages into a directory, or prints the main one; `command` is the whole command line.
pub(crate) fn man(
    args: &ManArgs,
    command: Command,
    notebook: &Path,
    console: &Console,
) -> anyhow::Result<Exit> {
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
    outputs::directory(directory)?;
    let mut outputs = outputs::beside_notebook(notebook, args.force, console);
    let mut pages = Vec::new();
    pages_of(command.name("drivetrain").bin_name("drivetrain"), "drivetrain", &mut pages)?;
    // All places are checked before the first page is written.
    let planned =
        pages.iter().map(|(name, page)| Ok((outputs.plan(&directory.join(name), outputs::MANUAL)?, page)));
    let planned: Vec<_> = planned.collect::<Result<_, disk::OutputError>>().map_err(outputs::coded)?;
    for (output, page) in planned {
        output.write(page).map_err(outputs::coded)?;
    }
    let written = directory.display().to_string();
    match console.json() {
        true => console.document(&serde_json::json!({ "written": written })),
        false => console.answer(&format!("man pages in {written}")),
    }
    Ok(Exit::Done)
}

/// The pages of a command and of those below it: names of files with their contents.
fn pages_of(mut command: Command, name: &str, pages: &mut Vec<(String, Vec<u8>)>) -> anyhow::Result<()> {
    command.build();
    let below: Vec<Command> =
        command.get_subcommands().filter(|below| !below.is_hide_set()).cloned().collect();
    for verb in below {
        let name = format!("{name}-{}", verb.get_name());
        pages_of(verb.display_name(name.clone()), &name, pages)?;
    }
    let page = clap_mangen::Man::new(command);
    let mut bytes = Vec::new();
    page.render(&mut bytes)?;
    pages.push((page.get_filename(), bytes));
    Ok(())
}

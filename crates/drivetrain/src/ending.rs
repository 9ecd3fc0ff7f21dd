//! The end of a command that has a result: twenty lines, the path of the report, the next command.

use std::path::Path;

use clap::Args;
use notebook::{Notebook, RunId};
use words::{say, shell};

use crate::console::Console;

/// The length of the answer.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct FullArgs {
    /// Print everything that is known instead of the result in twenty lines
    #[arg(long)]
    pub(crate) full: bool,
}

/// A command line that goes on from a run.
pub(crate) fn command(verb: &str, run: RunId, more: &str, path: &Path) -> String {
    let notebook = if path == Path::new("drivetrain.db") {
        String::new()
    } else {
        format!(" --notebook {}", shell::path(path))
    };
    let more = if more.is_empty() { String::new() } else { format!(" {more}") };
    format!("drivetrain {verb} {run}{more}{notebook}")
}

/// What to do next with a run, where nothing is left of it to be done.
pub(crate) fn next(verb: &str, run: RunId, repeats_to_settle: Option<usize>, path: &Path) -> String {
    match repeats_to_settle {
        Some(repeats) => {
            let resume = command("resume", run, &format!("--repeats {repeats}"), path);
            say!("ending-next-settles", command = resume)
        }
        None => say!("ending-next", command = command(verb, run, "--full", path)),
    }
}

/// Prints the result of a run in twenty lines, with the path of its report, if any.
pub(crate) fn print(
    notebook: &Notebook,
    run: RunId,
    (verb, path): (&str, &Path),
    report: Option<&Path>,
    console: &Console,
) -> anyhow::Result<()> {
    let brief = report::brief(notebook, run)?;
    console.answer(&brief.text);
    if let Some(file) = report {
        console.answer(&say!("ending-report", file = file.display().to_string()));
    }
    // One bed is described, not compared.
    let verb = if notebook.beds(run)?.len() < 2 { "show" } else { verb };
    console.answer(&next(verb, run, brief.repeats_to_settle, path));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notebook_of_another_name_is_named_as_one_word() {
        let run = RunId(3);
        assert_eq!(command("show", run, "", Path::new("drivetrain.db")), "drivetrain show 3");
        assert_eq!(
            command("resume", run, "--repeats 9", Path::new("a b's.db")),
            "drivetrain resume 3 --repeats 9 --notebook 'a b'\\''s.db'"
        );
    }
}

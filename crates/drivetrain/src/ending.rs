//! The end of a command that has a result: twenty lines, the path of the report, the next command.

use std::path::Path;

use clap::Args;
use notebook::{Notebook, RunId, RunState};
use words::{say, shell};

use crate::console::Console;
use crate::printable::in_one_line;

/// The length of the answer.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct FullArgs {
    /// Print all results instead of twenty lines
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

/// Refuses to end a run as if all were well when the path of its notebook leads to another file, or to none:
/// what was recorded is saved first.
pub(crate) fn require_notebook(notebook: &Notebook, run: RunId) -> anyhow::Result<()> {
    let told = |lost| anyhow::anyhow!(in_one_line(&format!("{lost}; {}", saved(notebook, run))));
    notebook.require_in_place().map_err(told)
}

/// Saves what the notebook of a run holds whose path no longer leads to it, and says where it is.
pub(crate) fn saved(notebook: &Notebook, run: RunId) -> String {
    match notebook.rescue() {
        Ok(file) => {
            let show = command("show", run, "", &file);
            let is_moved = file.file_name() == notebook.path().file_name();
            let next = match notebook.run(run).map(|run| run.state) {
                Ok(RunState::Finished) => show,
                // Data that was moved with it is known at its old place alone.
                _ if is_moved => format!("{show}; move its directory back to go on with the run"),
                _ => format!("{show}, or {}", command("resume", run, "", &file)),
            };
            format!("what was recorded is in {}: {next}", file.display())
        }
        Err(error) => format!("what was recorded could not be saved: {error}"),
    }
}

/// The next step for a run that is complete.
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
    // Such a run asks how well a drive is predicted from another one.
    if verb != "show" && notebook.run(run)?.name.starts_with("predict/") {
        console.answer(&say!("ending-next", command = command("predict", run, "", path)));
        return Ok(());
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
    fn a_run_whose_notebook_was_removed_ends_with_an_error_that_names_the_saved_one() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().canonicalize().unwrap().join("f.db");
        let notebook = Notebook::open_or_create(&path).unwrap();
        let (bed, cell) = (notebook::Bed::default(), notebook::PlannedCell::default());
        let run = notebook.start_run(&notebook::RunPlan::default(), &[bed], &[cell]).unwrap();
        require_notebook(&notebook, run).unwrap();
        notebook.finish_run(run, RunState::Finished).unwrap();
        for name in ["f.db", "f.db-wal", "f.db-shm"] {
            std::fs::remove_file(path.with_file_name(name)).unwrap();
        }
        let error = require_notebook(&notebook, run).unwrap_err();
        let (told, saved) = (error.to_string(), path.with_file_name("f-rescued.db"));
        assert_eq!(crate::exit::Exit::of(&error), crate::exit::Exit::Error);
        assert!(told.starts_with(&format!("the notebook {} is gone", path.display())), "{told}");
        let show = format!("drivetrain show 1 --notebook {}", saved.display());
        assert!(told.ends_with(&show) && saved.is_file(), "{told}");
    }

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

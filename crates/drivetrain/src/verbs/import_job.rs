//! `drivetrain import-job`: the experiment equivalent to a job file of fio or vdbench.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::console::Console;
use crate::exit::Exit;
use crate::input;
use crate::job_file;
use crate::outputs::{self, ForceArgs};

/// Arguments of `import-job`.
#[derive(Debug, Args)]
#[command(after_help = "\
What cannot mean the same is refused with its line and the reason. Notes on stderr say what makes no difference here.
${SIZE} in the file comes from the environment.")]
pub(crate) struct ImportJobArgs {
    #[arg(help = job_file::forms(" or "))]
    file: PathBuf,

    /// File for the experiment (default: stdout)
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,
}

/// Prints or writes the experiment.
pub(crate) fn import_job(args: &ImportJobArgs, notebook: &Path, console: &Console) -> anyhow::Result<Exit> {
    let bytes = input::bytes(&args.file)?;
    // A byte that is no text can only occur in a comment or a name; it is shown as such.
    let text = String::from_utf8_lossy(&bytes);
    let imported = job_file::read(&text, &args.file.display().to_string(), console)?;
    let toml = experiment::to_toml(&imported.experiment);
    if let Some(path) = &args.output {
        let mut outputs = outputs::beside_notebook(notebook, args.force, console);
        outputs.keep(&args.file, "the job file");
        let output = outputs.plan(path, outputs::EXPERIMENT);
        output.and_then(|output| output.write(toml.as_bytes())).map_err(outputs::coded)?;
        console.note(&format!("wrote {}", path.display()));
    }
    if console.json() {
        let note = |note: &jobfile::Note| serde_json::json!({ "file": note.file, "line": note.line, "text": note.text });
        console.document(&serde_json::json!({
            "experiment": imported.experiment,
            "toml": toml,
            "notes": imported.notes.iter().map(note).collect::<Vec<_>>(),
        }));
        return Ok(Exit::Done);
    }
    imported.notes.iter().for_each(|note| console.note(&job_file::in_words(note)));
    if args.output.is_none() {
        console.raw(toml.trim_end());
    }
    Ok(Exit::Done)
}

//! `drivetrain check`: a gate for CI. A loss against the baseline fails; inconclusive has its own exit code.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use disk::{Output, OutputKind};
use notebook::{Notebook, Run, RunId, Tag};
use report::{Comparison, Declared, Outcome, ReportError, Taken};
use words::shell;

use crate::console::{self, Console};
use crate::exit::{Coded, Exit};
use crate::outputs::{self, ForceArgs};
use crate::verbs::compare::{CompareArgs, TreatArgs};
use crate::{language, notebooks};

const AFTER: &str = "\
The first line is the verdict about losses beyond the smallest effect that the experiment declares:
  PASS       excluded for every declared metric, on every bed at every level; exit code 0
  FAIL       shown for at least one; exit code 3
  UNDECIDED  neither; the text says how many more repeats would decide; exit code 4, or 0 with `--inconclusive pass`
Runs that cannot be compared are refused, with all of their differences; exit code 2.

The guide page docs/guide/in-ci.md has a whole pipeline.";

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub(crate) struct CheckArgs {
    /// The run to judge: number, id, tag or name (default: the latest)
    #[arg(long)]
    run: Option<String>,

    /// The run to compare with: number, id, tag or name; `last-good` is the latest other run of the same
    /// experiment with the tag `good` (default: last-good, or the latest run of another notebook)
    #[arg(long)]
    baseline: Option<String>,

    /// The notebook of the baseline, if it is another one
    #[arg(long, value_name = "FILE")]
    baseline_notebook: Option<PathBuf>,

    /// Meaning of an inconclusive comparison
    #[arg(long, value_enum, default_value_t = Inconclusive::Fail)]
    inconclusive: Inconclusive,

    #[command(flatten)]
    treat: TreatArgs,

    /// Print the whole comparison after the verdict
    #[arg(long)]
    full: bool,

    /// Also write the verdict as Markdown, for a pull request
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,

    /// Also write the verdict as JUnit XML, for a CI system
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,
}

/// The meaning of an inconclusive comparison for the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Inconclusive {
    /// Exit code 0
    Pass,
    /// Exit code 4
    Fail,
}

/// Judges the declared metrics; the exit code is the verdict.
pub(crate) fn check(args: &CheckArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let (comparison, exit, taken) = language::for_people(|| judged(args, path, console))?;
    if console.json() {
        // The document of programs is in English, whatever the others are.
        let comparison = asked(args, path)?.comparison(path, Declared::ToBeNamed)?;
        let mut document = comparison.to_json();
        document["gate"] = comparison.gate().to_json();
        document["exit_code"] = (exit as u8).into();
        console.document(&document);
    } else {
        console.answer(&told(&comparison, taken, args.full));
    }
    Ok(exit)
}

/// Compares, and writes the files that repeat the verdict.
fn judged(args: &CheckArgs, path: &Path, console: &Console) -> anyhow::Result<(Comparison, Exit, Taken)> {
    let documents = Documents::plan(args, path, console)?;
    let comparison = match asked(args, path).and_then(|asked| asked.comparison(path, Declared::ToBeNamed)) {
        Ok(comparison) => comparison,
        Err(error) => {
            // A file of an earlier check would pass for the answer to this one.
            match error.downcast_ref() {
                Some(ReportError::Refused(refusal)) => {
                    documents.write(&report::refused_markdown(refusal), &report::refused_junit(refusal))?;
                }
                _ => {
                    let said = console::with_causes(&error);
                    documents.write(&report::failed_markdown(&said), &report::failed_junit(&said))?;
                }
            }
            return Err(error);
        }
    };
    let gate = comparison.gate();
    let exit = exit_of(gate.outcome, args.inconclusive);
    let taken = Taken { exit_code: exit as u8, open_passes: args.inconclusive == Inconclusive::Pass };
    documents.write(&gate.to_markdown(taken), &gate.to_junit(taken))?;
    Ok((comparison, exit, taken))
}

/// The two runs, with the baseline by its number.
fn asked(args: &CheckArgs, path: &Path) -> anyhow::Result<CompareArgs> {
    let notebook = notebooks::open(path)?;
    let judged = notebook.run(notebooks::chosen(&notebook, args.run.as_deref())?)?;
    let other = args.baseline_notebook.as_deref().map(notebooks::open).transpose()?;
    let from = other.as_ref().unwrap_or(&notebook);
    let baseline = match args.baseline.as_deref() {
        None if other.is_some() => notebooks::chosen(from, None)?,
        None | Some("last-good") => last_tagged(from, &Tag::good(), &judged)?,
        Some(name) => {
            match Tag::new(name).ok().filter(|tag| from.tagged(tag).is_ok_and(|runs| !runs.is_empty())) {
                Some(tag) => last_tagged(from, &tag, &judged)?,
                None => notebooks::chosen(from, Some(name))?,
            }
        }
    };
    Ok(CompareArgs {
        run: Some(judged.id.to_string()),
        baseline: Some(baseline.to_string()),
        baseline_notebook: args.baseline_notebook.clone(),
        treat: args.treat.clone(),
        full: crate::ending::FullArgs::default(),
    })
}

/// The latest run with a tag that is of the judged run's experiment and is not the judged run itself.
fn last_tagged(from: &Notebook, tag: &Tag, judged: &Run) -> anyhow::Result<RunId> {
    let mut latest: Option<Run> = None;
    for id in from.tagged(tag)? {
        let run = from.run(id)?;
        // An import adds runs that are older than others of the notebook.
        let is_later = latest.as_ref().is_none_or(|known| run.started_at > known.started_at);
        if run.name == judged.name && run.key() != judged.key() && is_later {
            latest = Some(run);
        }
    }
    latest.map(|run| run.id).ok_or_else(|| Coded::usage(format!(
        "no other run of `{}` in {} has the tag `{tag}`; give one to a run that you trust: `drivetrain tag RUN {tag} --notebook {}`",
        judged.name,
        from.path().display(),
        shell::path(from.path())
    )))
}

fn told(comparison: &Comparison, taken: Taken, full: bool) -> String {
    let mut text = comparison.gate().to_text(taken);
    // The whole comparison has the warnings, too.
    if full {
        text.push('\n');
        text.push_str(&comparison.to_text());
    } else {
        comparison.warnings.iter().for_each(|warning| text.push_str(&format!("note: {warning}\n")));
    }
    text
}

/// The files that repeat the verdict for other programs.
struct Documents {
    markdown: Option<Output>,
    junit: Option<Output>,
}

impl Documents {
    /// Checks the places of the files that were named, before anything is compared.
    fn plan(args: &CheckArgs, notebook: &Path, console: &Console) -> anyhow::Result<Self> {
        let mut outputs = outputs::beside_notebook(notebook, args.force, console);
        if let Some(other) = &args.baseline_notebook {
            outputs.keep(other, "the notebook of the baseline");
        }
        let mut plan = |file: &Option<PathBuf>, kind: OutputKind| {
            file.as_deref().map(|file| outputs.plan(file, kind)).transpose().map_err(outputs::coded)
        };
        Ok(Self {
            markdown: plan(&args.markdown, outputs::CHECK)?,
            junit: plan(&args.junit, outputs::JUNIT)?,
        })
    }

    fn write(self, markdown: &str, junit: &str) -> anyhow::Result<()> {
        for (output, text) in [(self.markdown, markdown), (self.junit, junit)] {
            output.map_or(Ok(()), |output| output.write(text.as_bytes())).map_err(outputs::coded)?;
        }
        Ok(())
    }
}

fn exit_of(outcome: Outcome, inconclusive: Inconclusive) -> Exit {
    match outcome {
        Outcome::Passed => Exit::Done,
        Outcome::Regressed => Exit::Regression,
        Outcome::Open if inconclusive == Inconclusive::Pass => Exit::Done,
        Outcome::Open => Exit::Inconclusive,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_open_gate_can_be_taken_as_a_pass() {
        let code = |outcome, inconclusive| exit_of(outcome, inconclusive) as u8;
        assert_eq!(code(Outcome::Regressed, Inconclusive::Pass), 3);
        assert_eq!(code(Outcome::Open, Inconclusive::Fail), 4);
        assert_eq!(code(Outcome::Open, Inconclusive::Pass), 0);
        assert_eq!(code(Outcome::Passed, Inconclusive::Fail), 0);
    }
}

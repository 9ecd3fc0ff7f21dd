//! `drivetrain import`: runs of other notebooks and results of other programs into this notebook, and
//! counters of other programs beside a run.

mod beside;
mod file;
mod result;

use std::path::{Path, PathBuf};

use clap::Args;
use jobfile::{Pattern, ToolFormat, Zone};
use notebook::{ImportedRun, Notebook, RunId, RunKey};
use serde_json::{Value, json};

use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::notebooks;
use crate::verbs::tag::LabelArgs;
use file::Content;

const EXAMPLES: &str = "\
The form of a file is found from its content. Results become runs of the realm `imported`; a file that was imported before is known by its
content and not imported again.

  notebook   runs of another notebook
  hammerdb   HammerDB's job report: hammerdbcli> jobs JOBID summaryjson
  fio        fio --output-format=json or json+
  sysbench   the output of sysbench oltp_... run; several outputs in one file are levels and repeats
  pgbench    the output of pgbench, as sysbench's
With --beside:
  perfmon    CSV of Windows' performance monitor: relog LOG -f CSV -o FILE, typeperf -o FILE
  esxtop     CSV of vSphere: esxtop -b > FILE
  sadf       sadf -d
  sar        the text of sar

Examples:
  drivetrain import other.db                         all runs of another notebook; with --run 3 one of them
  drivetrain import fio.json sysbench.txt            a run of each file
  drivetrain import job.json --zone local --tag lab  HammerDB states its times without a zone
  drivetrain import --beside latest perfmon.csv      lists the counters of drives and processors in the file, and adds none
  drivetrain import --beside latest perfmon.csv --counter '*PhysicalDisk(* D:)*' --counter '\\Processor(_Total)\\*'
  drivetrain import --beside 3 sar.txt --zone UTC --offset -2.5 --counter '\\DEV(*)\\await'

Counters are placed on the cells of the run by the time of day, to about a second; --offset is added to the times of the file.";

/// Arguments of `import`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ImportArgs {
    /// Notebooks, results of other programs, or with --beside a file of counters
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Of a notebook only this run: number, id, tag or name (default: all runs)
    #[arg(long)]
    run: Option<String>,

    /// The form of the files (default: found from their content)
    #[arg(long, value_name = "FORMAT", value_parser = format_of)]
    format: Option<Form>,

    /// The time zone of the file's times, if it states none or a wrong one: UTC, local, +09:00, Europe/Berlin
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    zone: Option<Zone>,

    /// The start of the test where the file states no time: 2026-05-04T10:07:00Z
    #[arg(long, value_name = "TIME", conflicts_with = "beside")]
    started: Option<jiff::Timestamp>,

    /// Add the counters of the file to this run, as series beside its cells
    #[arg(long, value_name = "RUN", conflicts_with_all = ["run", "name", "tag", "note"])]
    beside: Option<String>,

    /// Counters to add: a name, in which * stands for any text and ? for any letter (may be repeated);
    /// without it names are listed and the exit code is 2
    #[arg(long, value_name = "PATTERN", requires = "beside")]
    counter: Vec<Pattern>,

    /// Seconds to add to the times of the counters
    #[arg(long, value_name = "SECONDS", requires = "beside", allow_negative_numbers = true)]
    offset: Option<f64>,

    #[command(flatten)]
    labels: LabelArgs,
}

/// The form of a file, stated by its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Notebook,
    Tool(ToolFormat),
}

fn format_of(name: &str) -> Result<Form, String> {
    if name == "notebook" {
        return Ok(Form::Notebook);
    }
    ToolFormat::of(name).map(Form::Tool).ok_or_else(|| {
        let known: Vec<&str> = ToolFormat::all().map(ToolFormat::name).collect();
        format!("no form of files is called so; known are notebook, {}", known.join(", "))
    })
}

/// Imports every file.
pub(crate) fn import(args: &ImportArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    if let Some(run) = &args.beside {
        return beside::import(args, run, path, console);
    }
    let (files, run) = args.files_and_run();
    // Every file is read before the first is stored: a fault in one of them leaves the notebook as it was.
    let mut sources = Vec::new();
    for file in files {
        sources.push(args.source(file)?);
    }
    if let (Some(run), true) = (run, sources.iter().all(|source| matches!(source, Source::Result(..)))) {
        return Err(Coded::usage(format!("--run {run} chooses a run of a notebook, and no file is one")));
    }
    let is_new = path.symlink_metadata().is_err();
    let mut notebook = Notebook::open_or_create(path)?;
    let stored = sources.iter().map(|source| source.store(&mut notebook, run, args));
    let stored = match stored.collect::<anyhow::Result<Vec<_>>>() {
        Ok(stored) => stored,
        Err(error) => {
            if is_new {
                let _ = notebook.discard_empty(); // The error that led here is the one to tell.
            }
            return Err(error);
        }
    };
    let stored: Vec<Stored> = stored.into_iter().flatten().collect();
    if console.json() {
        console.document(&stored.iter().map(|one| one.document.clone()).collect::<Vec<_>>().into());
    } else {
        console.answer(&stored.iter().map(|one| one.line.as_str()).collect::<String>());
        if let Some(shown) = stored.iter().rev().find_map(|one| one.next) {
            console.note(&format!("drivetrain show {shown} shows it"));
        }
    }
    Ok(Exit::Done)
}

/// A file to import.
enum Source {
    /// A notebook.
    Notebook(PathBuf, Box<Notebook>),
    /// A result, as a run.
    Result(PathBuf, Box<ImportedRun>),
}

/// One run that is in the notebook now.
struct Stored {
    line: String,
    document: Value,
    /// The run to be looked at, where it came just now from a file.
    next: Option<RunId>,
}

impl ImportArgs {
    /// The files, and the run of a notebook. `import OTHER.db RUN` is the older form of `--run RUN`.
    fn files_and_run(&self) -> (&[PathBuf], Option<&str>) {
        match self.files.as_slice() {
            [first, second] if self.run.is_none() && second.symlink_metadata().is_err() => {
                let run = second.to_str().filter(|_| file::is_notebook(first));
                if run.is_some() { (&self.files[..1], run) } else { (&self.files, None) }
            }
            files => (files, self.run.as_deref()),
        }
    }

    fn source(&self, path: &Path) -> anyhow::Result<Source> {
        match file::open(path, self.format)? {
            Content::Notebook => Ok(Source::Notebook(path.to_owned(), Box::new(notebooks::open(path)?))),
            Content::Tool(ToolFormat::Counters(format), _) => Err(Coded::usage(format!(
                "{}: holds counters ({format}), which are no run; add them to one: drivetrain import --beside RUN {}",
                path.display(),
                path.display()
            ))),
            Content::Tool(ToolFormat::Result(format), input) => {
                let run = result::read(path, format, input, self)?;
                Ok(Source::Result(path.to_owned(), Box::new(run)))
            }
        }
    }
}

impl Source {
    fn store(
        &self,
        notebook: &mut Notebook,
        run: Option<&str>,
        args: &ImportArgs,
    ) -> anyhow::Result<Vec<Stored>> {
        match self {
            Source::Notebook(path, from) => copy((path, from, run), notebook, &args.labels),
            Source::Result(path, imported) => {
                notebook.label_next_run(args.labels.labels());
                let (number, was_here) = notebook.add_imported(imported)?;
                let labelled = was_here && args.labels.give(notebook, number)?;
                Ok(vec![Stored::of(path, number, (was_here, labelled), imported)])
            }
        }
    }
}

/// Copies runs of another notebook.
fn copy(
    (path, from, run): (&Path, &Notebook, Option<&str>),
    notebook: &Notebook,
    labels: &LabelArgs,
) -> anyhow::Result<Vec<Stored>> {
    let runs = match run {
        Some(_) => vec![notebooks::chosen(from, run)?],
        None => from.runs()?.into_iter().map(|r| r.id).collect(),
    };
    if labels.has_name() && runs.len() != 1 {
        let message = "--name names one run, and the notebook has several; choose one with --run";
        return Err(Coded::usage(format!("{}: {message}", path.display())));
    }
    let known: Vec<RunId> = notebook.runs()?.into_iter().map(|run| run.id).collect();
    let numbers = notebook.import_runs(from, &runs)?;
    let stored = runs.iter().zip(numbers).map(|(old, new)| {
        let was_here = known.contains(&new);
        let labelled = labels.give(notebook, new)?;
        let line =
            format!("run {old} of {} is run {new} here{}\n", path.display(), already(was_here, labelled));
        let document = json!({ "from": old.0, "run": new.0, "was_here": was_here });
        Ok(Stored { line, document, next: None })
    });
    stored.collect()
}

impl Stored {
    fn of(path: &Path, number: RunId, (was_here, labelled): (bool, bool), run: &ImportedRun) -> Stored {
        let (cells, key): (usize, RunKey) = (run.cells.len(), run.key());
        let (plural, program) = (if cells == 1 { "" } else { "s" }, &run.plan.tool_version);
        let file = path.display();
        let line = format!(
            "{file} ({program}, {cells} cell{plural}) is run {number} here, {key}, imported{}\n",
            already(was_here, labelled)
        );
        let document = json!({
            "file": file.to_string(), "program": program, "run": number.0, "id": key, "realm": run.plan.realm,
            "cells": cells, "was_here": was_here,
        });
        Stored { line, document, next: (!was_here).then_some(number) }
    }
}

/// The end of a sentence about a run that was here before, and got the labels of the command.
fn already(was_here: bool, labelled: bool) -> &'static str {
    match (was_here, labelled) {
        (true, true) => " already; it was not copied, and has the given name, tags and remark now",
        (true, false) => " already; it was not copied (remove it with `drivetrain rm` to copy it anew)",
        (false, _) => "",
    }
}

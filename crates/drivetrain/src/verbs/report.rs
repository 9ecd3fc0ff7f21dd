//! `drivetrain report`: the HTML page of a run, its result as Markdown, or its figures as files.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use disk::{Output, Outputs};
use notebook::{Notebook, Run, RunId};

use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::outputs::{self, ForceArgs};
use crate::{language, notebooks};

/// Arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The run: number, id, tag or name (default: the latest)
    run: Option<String>,

    /// File to write (default: drivetrain-report-RUN-ID.html beside the notebook, Markdown to stdout;
    /// /dev/null for none)
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The form: a page, or the result in short for a pull request
    #[arg(long, value_enum, default_value_t = Form::Html)]
    format: Form,

    /// Write every figure of the page into this directory, as SVG and as PNG, and no page
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "format"])]
    figures: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// One HTML file
    Html,
    /// Answer, table and warnings
    Markdown,
}

/// Writes the report and prints its path.
pub(crate) fn report(args: &ReportArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let notebook = notebooks::open(path)?;
    let run = notebooks::chosen(&notebook, args.run.as_deref())?;
    let mut outputs = outputs::beside_notebook(path, args.force, console);
    if let Some(dir) = &args.figures {
        return figures(&notebook, run, (dir, &mut outputs), console);
    }
    if args.format == Form::Markdown {
        return markdown(&notebook, run, (args.output.as_deref(), &mut outputs), console);
    }
    let place = ReportFile::plan(args.output.as_deref(), &mut outputs)?;
    let file = place.write(&notebook, path, run, console)?;
    if console.json() {
        console.document(&serde_json::json!({ "run": run.0, "report": file.display().to_string() }));
    } else {
        console.answer(&file.display().to_string());
    }
    Ok(Exit::Done)
}

/// Prints the result as Markdown, or writes it into the file that was named.
fn markdown(
    notebook: &Notebook,
    run: RunId,
    (file, outputs): (Option<&Path>, &mut Outputs),
    console: &Console,
) -> anyhow::Result<Exit> {
    let text = language::for_people(|| report::markdown(notebook, run))?;
    let Some(file) = file else {
        if console.json() {
            return Err(Coded::usage("--json and Markdown both want stdout: name a file with --output"));
        }
        console.answer(&text);
        return Ok(Exit::Done);
    };
    let output = outputs.plan(file, outputs::MARKDOWN).map_err(outputs::coded)?;
    output.write(text.as_bytes()).map_err(outputs::coded)?;
    if console.json() {
        console.document(&serde_json::json!({ "run": run.0, "report": file.display().to_string() }));
    } else {
        console.answer(&file.display().to_string());
    }
    Ok(Exit::Done)
}

/// Writes every figure twice and lists the files. A place that holds a file of somebody else is found before
/// the first is written.
fn figures(
    notebook: &Notebook,
    run: RunId,
    (dir, outputs): (&Path, &mut Outputs),
    console: &Console,
) -> anyhow::Result<Exit> {
    let figures = language::for_people(|| report::figures(notebook, run))?;
    let painter = report::Painter::new()?;
    outputs::directory(dir)?;
    let prefix = format!("run-{}-{}", run, notebook.run(run)?.key());
    let plan = |figure: &report::FigureFile, end: &str, kind, outputs: &mut Outputs| {
        outputs.plan(&dir.join(format!("{prefix}-{}.{end}", figure.name)), kind).map_err(outputs::coded)
    };
    let mut planned: Vec<(&report::FigureFile, [Output; 2])> = Vec::new();
    for figure in &figures {
        let svg = plan(figure, "svg", outputs::SVG, outputs)?;
        planned.push((figure, [svg, plan(figure, "png", outputs::PNG, outputs)?]));
    }
    let mut files = Vec::new();
    for (figure, [svg, png]) in planned {
        let names = [&svg, &png].map(|output| output.path().display().to_string());
        svg.write(figure.svg.as_bytes()).map_err(outputs::coded)?;
        png.write(&painter.paint(figure)?).map_err(outputs::coded)?;
        files.push((figure, names));
    }
    if console.json() {
        let file = |(figure, [svg, png]): &(&report::FigureFile, [String; 2])| serde_json::json!({ "id": figure.name, "title": figure.title, "svg": svg, "png": png });
        let files: Vec<_> = files.iter().map(file).collect();
        console.document(&serde_json::json!({ "run": run.0, "figures": files }));
    } else {
        for (figure, names) in &files {
            console.answer(&format!("{}\n  {}\n  {}", figure.title, names[0], names[1]));
        }
        console.answer(&format!("{} figures in {}", files.len(), dir.display()));
    }
    Ok(Exit::Done)
}

/// The place of a run's report, checked before the run begins.
pub(crate) enum ReportFile {
    /// The place that the user named.
    Named(Output),
    /// Beside the notebook, under a name that depends on the run.
    Beside,
}

impl ReportFile {
    /// Checks the file that was named, if one was.
    pub(crate) fn plan(output: Option<&Path>, outputs: &mut Outputs) -> anyhow::Result<Self> {
        output.map_or(Ok(Self::Beside), |file| {
            outputs.plan(file, outputs::REPORT).map(Self::Named).map_err(outputs::coded)
        })
    }

    /// Renders the page first and puts it in place whole, so that a kill never leaves half a report. Where
    /// the named place was taken since it was checked, the page goes beside the notebook: a run of hours has
    /// a report.
    pub(crate) fn write(
        self,
        notebook: &Notebook,
        path: &Path,
        run: RunId,
        console: &Console,
    ) -> anyhow::Result<PathBuf> {
        let html = language::for_people(|| report::render_html(notebook, run))?;
        let named = match self {
            Self::Named(output) => Some(output),
            Self::Beside => None,
        };
        if let Some(output) = named {
            let file = output.path().to_owned();
            match output.write(html.as_bytes()) {
                Ok(()) => return Ok(std::path::absolute(&file).unwrap_or(file)),
                Err(error) if error.is_refusal => {
                    console.warn(&format!("{error}; the report is written beside the notebook"));
                }
                Err(error) => return Err(outputs::coded(error)),
            }
        }
        let output = beside(path, &notebook.run(run)?, console)?;
        let file = output.path().to_owned();
        output.write(html.as_bytes()).map_err(outputs::coded)?;
        Ok(std::path::absolute(&file).unwrap_or(file))
    }
}

/// The fate of the files that hold the report of a run which is about to be removed.
#[derive(Debug, Default)]
pub(crate) struct OldReports {
    /// They were as drivetrain writes them, and are gone.
    pub(crate) removed: Vec<PathBuf>,
    /// They are there and differ: somebody may have written into them.
    pub(crate) kept: Vec<PathBuf>,
}

/// Removes the reports of a run beside its notebook, as far as they are what would be written now, in any
/// language. To be called while the notebook has the run.
pub(crate) fn remove_beside(notebook: &Notebook, path: &Path, run: RunId) -> anyhow::Result<OldReports> {
    let mut found = OldReports::default();
    let stored = notebook.run(run)?;
    let mut pages: Option<Vec<String>> = None;
    for number in 1..NAMES_MAX {
        let file = path.with_file_name(name_beside(path, &stored, number));
        let Ok(Some(facts)) = disk::metadata_if_any(&file) else { break };
        if !facts.is_file() {
            continue;
        }
        let pages = match &pages {
            Some(pages) => pages,
            None => pages.insert(language::for_each(|| report::render_html(notebook, run))?),
        };
        let is_whole = disk::read(&file).is_ok_and(|bytes| pages.iter().any(|page| page.as_bytes() == bytes));
        if is_whole && disk::remove_file(&file).is_ok() {
            found.removed.push(file);
        } else {
            found.kept.push(file);
        }
    }
    Ok(found)
}

/// The name of a run's report beside its notebook, the first or a further one.
fn name_beside(path: &Path, run: &Run, number: u32) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let prefix = if stem == "drivetrain" { String::new() } else { format!("{stem}-") };
    let again = if number == 1 { String::new() } else { format!("-{number}") };
    format!("{prefix}drivetrain-report-{}-{}{again}.html", run.id, run.key())
}

/// The most names that are tried for the report of one run.
const NAMES_MAX: u32 = 1000;

/// The first name beside the notebook that is free or holds the report of this very run: the id of the run
/// is a part of it.
fn beside(path: &Path, run: &Run, console: &Console) -> anyhow::Result<Output> {
    let mut outputs = outputs::beside_notebook(path, ForceArgs::default(), console);
    let mut number = 1;
    loop {
        match outputs.plan(&path.with_file_name(name_beside(path, run, number)), outputs::REPORT) {
            // Something of the user's has that name; the next one may be free.
            Err(error) if error.is_refusal && number < NAMES_MAX => number += 1,
            planned => return planned.map_err(outputs::coded),
        }
    }
}

//! The certificate of a drive: a text in its file, with the mark of the numbers that it was measured with.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use device::catalogue::{self, Entry};
use disk::{Output, Outputs};
use experiment::Workload;
use notebook::{Notebook, RunId};
use serde_json::{Value, json};
use study::profile::{TwinFigure, surroundings_of_run, twin_figures};
use toml_edit::{Array, DocumentMut, Item, value};
use words::{Latency, Metric, shell};

use crate::console::Console;
use crate::exit::Coded;
use crate::outputs;
use crate::verbs::drives::{self, own};

/// The place of a certificate, known before the measurement begins.
pub(super) struct Place {
    /// The drive's file, whose text gets the certificate.
    source: PathBuf,
    /// The mark of the numbers that are measured.
    numbers_mark: String,
    output: Output,
}

impl Place {
    /// Plans the certificate of a drive in `output`, which may be the drive's own file; nothing else that is
    /// written later may.
    ///
    /// # Errors
    /// For a drive without a file, or whose file has no table `[profile]`, and for an output that cannot be.
    pub(super) fn plan(
        output: Option<&Path>,
        (given, entry): (&str, &Entry),
        outputs: &mut Outputs,
    ) -> anyhow::Result<Option<Place>> {
        let place = output.map(|output| Place::of(output, (given, entry), outputs)).transpose();
        outputs::keep_drives(outputs, [given]);
        place
    }

    fn of(output: &Path, (given, entry): (&str, &Entry), outputs: &mut Outputs) -> anyhow::Result<Place> {
        if entry.accuracy.is_none() {
            return Err(Coded::usage(format!(
                "{given} was not profiled: a certificate belongs to the table [profile] of a drive's file; leave -o out"
            )));
        }
        let source = source(given, entry)?;
        let kind = if same_file(output, &source) { outputs::SAME_DRIVE } else { outputs::DRIVE };
        let output = outputs.plan(output, kind).map_err(outputs::coded)?;
        Ok(Place { source, numbers_mark: entry.numbers_mark.clone(), output })
    }

    /// Writes the drive's file with the certificate, in place of one that is there. The file is read anew, so
    /// that nothing is lost that was written meanwhile; its numbers have to be those that were measured.
    fn write(self, certificate: &str, console: &Console) -> anyhow::Result<String> {
        let given = self.source.display().to_string();
        let path = self.output.path().to_owned();
        // The drive's own file may have been edited since it was planned: looked at again before it is read.
        let output = match same_file(&path, &self.source) {
            true => Outputs::new(false).plan(&path, outputs::SAME_DRIVE).map_err(outputs::coded)?,
            false => self.output,
        };
        let (entry, text) = drives::of_file(&self.source)?;
        if entry.numbers_mark != self.numbers_mark {
            return Err(Coded::usage(format!(
                "{given}: its numbers were changed while its certificate was measured; put the numbers back or measure anew"
            )));
        }
        let mut document: DocumentMut = text.parse().with_context(|| format!("reading {given}"))?;
        let profile = document.get_mut("profile").and_then(Item::as_table_like_mut);
        let profile = profile.ok_or_else(|| Coded::usage(format!("{given}: has no table [profile]")))?;
        profile.insert("certificate", value(in_lines(certificate)));
        profile.remove("certified_numbers");
        let parse = |document: &DocumentMut| {
            catalogue::parse(&document.to_string(), &given)
                .map_err(|faults| Coded::faulty(faults.render(false)))
        };
        let mark = parse(&document)?.certificate_mark();
        let mark = mark.with_context(|| format!("{given}: the certificate is not in the file"))?;
        document["profile"]["certified_numbers"] = value(mark);
        parse(&document)?;
        let text = document.to_string();
        output.write(text.as_bytes()).map_err(outputs::coded)?;
        if let Some(old) = entry.certificate().and_then(|old| old.lines().next()) {
            console.note(&format!("this certificate takes the place of that of {old}"));
        }
        warn_of_copy(&entry.name, &path, console);
        Ok(path.display().to_string())
    }
}

/// A list with a line of the file for each line.
fn in_lines(text: &str) -> Array {
    let mut list: Array = text.lines().collect();
    list.iter_mut().for_each(|line| line.decor_mut().set_prefix("\n    "));
    list.set_trailing("\n");
    list.set_trailing_comma(true);
    list
}

/// The result of a run of both.
pub(super) struct Certified {
    figures: Vec<TwinFigure>,
    /// All that changes how far the result holds.
    cautions: Vec<String>,
    /// The certificate; none of a run with cells that do not count or without two pairs of any load.
    text: Option<String>,
    /// The file that has it now, where one was asked for. The results are told before its fault.
    pub(super) file: anyhow::Result<Option<String>>,
}

impl Certified {
    /// Reads the figures of a run, and writes the certificate into its place.
    ///
    /// # Errors
    /// When the notebook cannot be read.
    pub(super) fn of(
        (notebook, run): (&Notebook, RunId),
        place: Option<Place>,
        is_whole: bool,
        console: &Console,
    ) -> anyhow::Result<Certified> {
        let figures = twin_figures(notebook, run)?;
        let is_told = is_whole && !figures.is_empty();
        let text = is_told.then(|| text((notebook, run), &figures)).transpose()?;
        let file = match (place, &text) {
            (Some(place), Some(text)) => place.write(text, console).map(Some),
            (Some(_), None) if is_whole => {
                Err(Coded::usage(format!("no certificate of run {run}: no load has two pairs of cells")))
            }
            _ => Ok(None),
        };
        Ok(Certified { figures, cautions: cautions(notebook, run)?, text, file })
    }

    /// Adds the result to the document of the run.
    pub(super) fn add_to(&self, document: &mut Value) {
        document["twin"] = self.figures.iter().map(figure_document).collect();
        document["cautions"] = self.cautions.iter().map(String::as_str).collect();
        document["certificate"] = self.text.as_deref().into();
        document["certified"] = self.file.as_ref().ok().and_then(|file| file.as_deref()).into();
    }

    /// Says how far the result holds, where the certificate is, and the certificate itself where it could not
    /// be written.
    pub(super) fn tell(&self, console: &Console) {
        self.cautions.iter().for_each(|caution| console.answer(&format!("caution: {caution}")));
        match (&self.file, &self.text) {
            (Ok(Some(file)), _) => console.answer(&format!("certificate written to {file}")),
            (Err(_), Some(text)) => {
                console.answer(&format!("the certificate, which is not written: {text}"));
            }
            _ => {}
        }
    }
}

/// All that changes how far the result of a run holds: its scale first.
fn cautions(notebook: &Notebook, run: RunId) -> anyhow::Result<Vec<String>> {
    let scale = surroundings_of_run(notebook, run)?.circumstances.scale;
    Ok(scale.into_iter().chain(report::cautions(notebook, run)?).collect())
}

fn figure_document(figure: &TwinFigure) -> Value {
    json!({
        "workload": figure.workload,
        "level": figure.level,
        "level_name": figure.level_name,
        "metric": figure.metric.to_string(),
        "drive": figure.drive,
        "twin": figure.twin,
        "ratio": figure.ratio.value,
        "low": figure.ratio.low,
        "high": figure.ratio.high,
        "pairs": figure.ratio.pairs_or_runs.0,
    })
}

/// The file of a drive: the one that was given, or that of the user's own catalogue.
fn source(given: &str, entry: &Entry) -> anyhow::Result<PathBuf> {
    if given.ends_with(".toml") && catalogue::find(given).is_none() {
        return Ok(given.into());
    }
    let is_own = catalogue::own().iter().any(|own| own.name == entry.name);
    own::place_of(&entry.name).filter(|_| is_own).ok_or_else(|| {
        Coded::usage(format!(
            "{given} is a drive of the catalogue, and a certificate is kept in a drive's own file; leave -o out"
        ))
    })
}

/// True if both lead to one file.
fn same_file(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(std::fs::canonicalize);
    matches!((one, other), (Ok(one), Ok(other)) if one == other)
}

/// Warns of a copy in the user's own catalogue that has another certificate or none.
fn warn_of_copy(name: &str, written: &Path, console: &Console) {
    let is_own = catalogue::own().iter().any(|own| own.name == name);
    let copy = own::place_of(name).filter(|copy| is_own && !same_file(copy, written));
    if copy.is_some() {
        console.warn(&format!(
            "your own catalogue has a copy of {name} without this certificate; replace it with: drivetrain drives --add {} --force",
            shell::path(written)
        ));
    }
}

/// The certificate: a line with the day, the machine and the loads, then a line for each level of each load
/// with its figures and their intervals, and one for each thing that changes how far it holds.
///
/// # Errors
/// When the notebook cannot be read.
fn text((notebook, run): (&Notebook, RunId), figures: &[TwinFigure]) -> anyhow::Result<String> {
    let surroundings = surroundings_of_run(notebook, run)?.circumstances;
    // Every figure has two at least.
    let pairs = figures.iter().map(|figure| figure.ratio.pairs_or_runs.0).min().unwrap_or(0);
    let scale = surroundings.scale.map(|scale| scale.trim_end_matches('.').to_owned());
    let of_day = [surroundings.date, surroundings.machine, Some(loads(notebook, run, pairs)?), scale];
    let mut lines = vec![of_day.into_iter().flatten().collect::<Vec<_>>().join(", ")];
    for level in figures.chunk_by(|a, b| a.workload == b.workload && a.level == b.level) {
        let [TwinFigure { workload, level_name, level: at, .. }, ..] = level else { continue };
        let shown: Vec<String> =
            level.iter().map(|figure| format!("{} {}", name(figure.metric), error(figure))).collect();
        lines.push(format!("{workload}, {level_name} {at}: {}", shown.join("; ")));
    }
    let cautions = words::english(|| report::cautions(notebook, run))?;
    lines.extend(cautions.iter().map(|caution| format!("caution: {caution}")));
    // Names of machines and loads may have anything in them.
    let lines: Vec<String> = lines.iter().map(|line| line.replace(char::is_control, " ")).collect();
    Ok(lines.join("\n"))
}

/// The engine, the time of the cells and the size of their data, and the pairs of cells: a certificate that
/// was made shorter has less.
fn loads(notebook: &Notebook, run: RunId, pairs: usize) -> anyhow::Result<String> {
    let stored = notebook.run(run)?;
    let experiment = experiment::parse(&stored.experiment_toml, &stored.name)
        .map_err(|faults| Coded::faulty(faults.render(false)))?;
    let mut parts: Vec<String> =
        experiment.database.iter().map(|database| database.engine.to_string()).collect();
    let sized = |load: &Workload| match load {
        Workload::Block(block) => format!(" on {}", block.size),
        Workload::Tpcc(tpcc) if tpcc.warehouses == 1 => " with 1 warehouse".to_owned(),
        Workload::Tpcc(tpcc) => format!(" with {} warehouses", tpcc.warehouses),
        _ => String::new(),
    };
    let loads = experiment.workload.iter();
    parts.extend(loads.map(|load| format!("{} of {}{}", load.name(), load.measure(), sized(load))));
    parts.push(format!("{pairs} pairs"));
    Ok(parts.join(", "))
}

/// The error of a figure, signed, with its interval, per cent.
fn error(figure: &TwinFigure) -> String {
    let percent = |ratio: f64| format!("{:+.1}", (ratio - 1.0) * 1e2);
    let ratio = &figure.ratio;
    format!("{} % ({})", percent(ratio.value), drives::interval([ratio.low, ratio.high], percent))
}

/// A figure as people call it.
fn name(metric: Metric) -> String {
    words::english(|| match metric {
        Metric::Latency(Latency::Commit, statistic) => format!("{} of commits", statistic.name()),
        metric => metric.short(),
    })
}

//! The certificate of a drive: a line in its file, with the mark of the numbers that it was measured with.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use device::catalogue::{self, Entry};
use disk::{Output, Outputs};
use notebook::{Notebook, RunId};
use study::profile::{TwinFigure, surroundings_of_run};
use toml_edit::{DocumentMut, Item, value};
use words::shell;

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
    /// Plans the certificate of a drive in `output`, which may be the drive's own file.
    ///
    /// # Errors
    /// For a drive without a file, or whose file has no table `[profile]`, and for an output that cannot be.
    pub(super) fn plan(
        (given, entry): (&str, &Entry),
        output: &Path,
        outputs: &mut Outputs,
    ) -> anyhow::Result<Place> {
        if entry.accuracy.is_none() {
            return Err(Coded::usage(format!(
                "{given} was not profiled: a certificate belongs to the table [profile] of a drive's file; leave -o out"
            )));
        }
        let source = source(given, entry)?;
        let is_same = same_file(output, &source);
        let kind = if is_same { outputs::SAME_DRIVE } else { outputs::DRIVE };
        let output = outputs.plan(output, kind).map_err(outputs::coded)?;
        Ok(Place { source, numbers_mark: entry.numbers_mark.clone(), output })
    }

    /// Writes the drive's file with the certificate, in place of one that is there. The file is read anew, so
    /// that nothing is lost that was written meanwhile; its numbers have to be those that were measured.
    pub(super) fn write(self, line: &str, console: &Console) -> anyhow::Result<String> {
        let given = self.source.display().to_string();
        let (entry, text) = drives::of_file(&self.source)?;
        if entry.numbers_mark != self.numbers_mark {
            return Err(Coded::usage(format!(
                "{given}: its numbers were changed while its certificate was measured; put the numbers back or measure anew"
            )));
        }
        let mut document: DocumentMut = text.parse().with_context(|| format!("reading {given}"))?;
        let profile = document.get_mut("profile").and_then(Item::as_table_like_mut);
        let profile = profile.ok_or_else(|| Coded::usage(format!("{given}: has no table [profile]")))?;
        profile.insert("certificate", value(line.replace(char::is_control, " ")));
        profile.insert("certified_numbers", value(entry.numbers_mark));
        let text = document.to_string();
        catalogue::parse(&text, &given).map_err(|faults| Coded::faulty(faults.render(false)))?;
        let path = self.output.path().to_owned();
        self.output.write(text.as_bytes()).map_err(outputs::coded)?;
        warn_of_copy(&entry.name, &path, console);
        Ok(path.display().to_string())
    }
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

/// The certificate in one line: the day, the machine, the loads, and every figure with its interval.
///
/// # Errors
/// When the notebook cannot be read.
pub(super) fn line(
    (notebook, run): (&Notebook, RunId),
    figures: &[TwinFigure],
    left: usize,
) -> anyhow::Result<String> {
    let surroundings = surroundings_of_run(notebook, run)?.circumstances;
    // Every figure has two at least.
    let pairs = figures.iter().map(|figure| figure.ratio.pairs_or_runs.0).min().unwrap_or(0);
    let cut_short = (left > 0).then(|| format!("interrupted: {left} cells not measured"));
    let of_day = [surroundings.date, surroundings.machine, surroundings.scale];
    let of_day = of_day.into_iter().chain([Some(loads(notebook, run, pairs)?), cut_short]);
    let of_day = of_day.flatten().collect::<Vec<_>>().join(", ");
    let one = |figure: &TwinFigure| {
        format!("{} {} {} {}", figure.workload, figure.level, figure.metric, error(figure))
    };
    Ok(format!("{of_day}: {}", figures.iter().map(one).collect::<Vec<_>>().join("; ")))
}

/// The engine, the time of each cell and the pairs of cells: a certificate that was made shorter has less.
fn loads(notebook: &Notebook, run: RunId, pairs: usize) -> anyhow::Result<String> {
    let stored = notebook.run(run)?;
    let experiment = experiment::parse(&stored.experiment_toml, &stored.name)
        .map_err(|faults| Coded::faulty(faults.render(false)))?;
    let mut parts: Vec<String> =
        experiment.database.iter().map(|database| database.engine.to_string()).collect();
    parts.extend(experiment.workload.iter().map(|load| format!("{} of {}", load.name(), load.measure())));
    parts.push(format!("{pairs} pairs"));
    Ok(parts.join(", "))
}

/// The error of a figure, signed, with its interval, per cent.
fn error(figure: &TwinFigure) -> String {
    let percent = |ratio: f64| format!("{:+.1}", (ratio - 1.0) * 1e2);
    let ratio = &figure.ratio;
    format!("{} % ({} to {})", percent(ratio.value), percent(ratio.low), percent(ratio.high))
}

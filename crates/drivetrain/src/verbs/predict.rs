//! `drivetrain predict`: the figures of a measured load on another drive.

mod cautions;
mod observed;

use std::path::Path;

use clap::Args;
use experiment::{Bed, Experiment, Storage};
use notebook::RunId;
use serde_json::{Value, json};
use study::{Accuracy, Observation, Predicted, PredictedBed, PredictedLevel, Question, Taken};

use self::cautions::{Cautions, OF_DATABASES};
use super::drives;
use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::notebooks;

/// Arguments of `predict`.
#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    /// Number of the measured run (default: the latest)
    run: Option<String>,

    /// The drive to predict for: a name of the catalogue, or the path of a drive's TOML file (default: every
    /// bed's drive, from every bed that differs only in the drive)
    #[arg(long, visible_alias = "to", value_name = "DRIVE")]
    drive: Option<String>,

    /// The measured bed (default: the first; without --drive all)
    #[arg(long)]
    bed: Option<String>,

    /// The drive of a measured bed on real storage, or below a server that was observed
    #[arg(long, visible_alias = "from", value_name = "DRIVE")]
    measured_on: Option<String>,

    /// Predict for the drive itself, without the emulation layer of the measured bed
    #[arg(long)]
    real: bool,

    /// The bed of the same run that judges the prediction of --drive (default: another one on that drive with
    /// as much memory)
    #[arg(long, value_name = "BED")]
    judge: Option<String>,

    /// Seed of the simulations
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl PredictArgs {
    /// An option that was given and is of runs with beds alone.
    fn of_beds_alone(&self) -> Option<&'static str> {
        let given = [("--bed", self.bed.is_some()), ("--judge", self.judge.is_some()), ("--real", self.real)];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }
}

/// Predicts and prints.
pub(crate) fn predict(args: &PredictArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let notebook = notebooks::open(path)?;
    let id = notebooks::chosen(&notebook, args.run.as_deref())?;
    let run = notebook.run(id)?;
    if let Some(observation) = Observation::of_run(&notebook, id)? {
        return observed::predict(&observation, args, id, console);
    }
    notebooks::require_own(&run, "predicted for another drive")?;
    let mut experiment = experiment::parse(&run.experiment_toml, &run.name)
        .map_err(|faults| Coded::faulty(faults.render(false)))?;
    if let Some(directory) = &run.directory {
        experiment.make_paths_absolute(directory.as_ref());
    }
    let question = Question {
        drive: args.drive.as_deref(),
        bed: args.bed.as_deref(),
        measured_on: args.measured_on.as_deref(),
        real: args.real,
        judge: args.judge.as_deref(),
        processors: std::thread::available_parallelism().map_or(1, |count| count.get() as u32),
        seed: args.seed,
    };
    let mut cautions = Cautions::new(console);
    for given in [&args.drive, &args.measured_on].into_iter().flatten() {
        cautions.of_error(given, &drives::find(given)?);
    }
    overridden(args, &experiment).for_each(|words| cautions.add(words));
    let taken = Taken::of_run(&notebook, id)?;
    cautions.of_run((&notebook, path), &run, &taken)?;
    let started = |bed: &Bed, drive: &str| console.note(&format!("bed {} on {drive}", bed.name));
    let find = |name: &str| drives::find(name).map_err(|error| of_bed(error, id, &experiment, name));
    let mut all = study::predict_run(&notebook, id, &experiment, &question, &find, &started)?;
    for told in &mut all {
        cautions.of_numbers((&notebook, id), args.measured_on.is_some(), told)?;
        let measured_on = args.measured_on.as_deref().or(emulated(told.bed));
        for drive in measured_on.into_iter().chain([told.drive.as_str()]) {
            cautions.of_gaps(&drives::find(drive)?, &OF_DATABASES);
        }
    }
    let accuracy = study::accuracy(&all);
    let (outside, judged) = outside(&all);
    if console.json() {
        let one = |told: &PredictedBed<'_>| {
            json!({ "bed": told.bed.name, "drive": told.drive, "judged_by": told.judge.map(|judge| &judge.name),
                "levels": told.levels.iter().map(document).collect::<Vec<_>>() })
        };
        console.document(&json!({ "run": id.0, "predictions": all.iter().map(one).collect::<Vec<_>>(),
            "cpu_others_most_percent": taken.others_percent, "cpu_steal_most_percent": taken.steal_percent,
            "verdict": accuracy.iter().map(accuracy_document).collect::<Vec<_>>(),
            "outside_interval": outside, "measured_values": judged, "cautions": cautions.told() }));
    } else {
        let tables: Vec<String> = all.iter().map(text).collect();
        console.answer(&(tables.join("\n") + &accuracy_text(&accuracy) + &outside_text(outside, judged)));
    }
    Ok(Exit::Done)
}

/// The emulated drive below a bed, as the experiment names it.
fn emulated(bed: &Bed) -> Option<&str> {
    match &bed.storage {
        Storage::Emulated { drive, .. } => Some(drive),
        Storage::Real { .. } => None,
    }
}

/// The error of a drive that cannot be found, with the bed that ran on it.
fn of_bed(error: anyhow::Error, run: RunId, experiment: &Experiment, drive: &str) -> anyhow::Error {
    let is_on = |bed: &&Bed| emulated(bed) == Some(drive);
    let is_styled = error.downcast_ref::<Coded>().is_some_and(|coded| coded.styled);
    match experiment.bed.iter().find(is_on).filter(|_| !is_styled) {
        Some(bed) => Coded::usage(format!(
            "{error:#}: bed {} of run {run} was measured on that drive; put its file back, or predict from another bed (--bed)",
            bed.name
        )),
        None => error,
    }
}

/// Warnings about a drive in place of the known one of emulated beds: of one bed if a drive is predicted for,
/// else of all of them.
fn overridden(args: &PredictArgs, experiment: &Experiment) -> impl Iterator<Item = String> {
    let asked = experiment.bed.iter().filter(|bed| args.bed.as_ref().is_none_or(|name| *name == bed.name));
    let asked = asked.take(if args.drive.is_some() { 1 } else { usize::MAX });
    let name_of = |drive: &str| drives::find(drive).ok().map(|entry| entry.name);
    let of_bed = move |bed: &Bed| {
        let (given, drive, name) = (args.measured_on.as_ref()?, emulated(bed)?, &bed.name);
        (name_of(drive) != name_of(given)).then(|| {
            format!("bed {name} ran on the model of {drive}; --from {given} takes its place: leave --from out to predict from {drive}")
        })
    };
    asked.filter_map(of_bed)
}

fn text(told: &PredictedBed<'_>) -> String {
    let (bed, drive, levels) = (&told.bed.name, &told.drive, &told.levels);
    let mut text = format!(
        "bed {bed}, predicted on {drive} (here: as measured on its own drive; 95 % interval: measurement and model together)\n"
    );
    if let Some(judge) = told.judge {
        text.push_str(&format!(
            "bed {} uses that drive: its measured values and the error of the prediction. NOPM and means are arithmetic means of the repeats, percentiles those of all repeats together; `show` and `compare` have geometric means of the repeats\n",
            judge.name
        ));
    }
    text.push_str(&format!(
        "\n{:>5}  {:18} {:>9}  {:>9}  {:>22}{}\n",
        "users",
        "",
        "here",
        "predicted",
        "interval",
        told.judge.map_or_else(String::new, |_| format!("  {:>9}  {:>7}", "measured", "error"))
    ));
    for level in levels {
        for predicted in level.figures() {
            let (title, figure) = (predicted.title, predicted.figure);
            let digits = if predicted.name == Predicted::Nopm { 0 } else { 3 };
            let number = |value: f64| format!("{value:.digits$}");
            let here = predicted.here.map_or_else(String::new, number);
            let seen = predicted.measured.map_or_else(String::new, number);
            let error =
                predicted.error().map_or_else(String::new, |error| format!("{:+.1} %", error * 100.0));
            let interval = format!("{} to {}", number(figure.low), number(figure.high));
            let outside = if predicted.is_within_interval() == Some(false) { "outside" } else { "" };
            let line = format!(
                "{:>5}  {title:18} {here:>9}  {:>9}  {interval:>22}  {seen:>9}  {error:>7}  {outside}",
                level.level,
                number(figure.value)
            );
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}

fn document(level: &PredictedLevel) -> Value {
    let mut document = json!({
        "level": level.level, "source_nopm": level.measured_nopm,
        "unexplained_ms": level.prediction.unexplained_ns / 1e6,
    });
    for predicted in level.figures() {
        let figure = predicted.figure;
        document[predicted.name.name()] = json!({ "here": predicted.here, "value": figure.value, "low": figure.low, "high": figure.high,
            "measured": predicted.measured, "error": predicted.error(), "is_within_interval": predicted.is_within_interval() });
    }
    document
}

fn accuracy_document(accuracy: &Accuracy) -> Value {
    json!({ "figure": accuracy.name.name(), "allowed": accuracy.allowed, "kept": accuracy.kept(), "of": accuracy.judged(),
        "worst_error": accuracy.worst() })
}

/// The number of predictions that were near enough, as sentences; nothing where none was judged.
fn accuracy_text(all: &[Accuracy]) -> String {
    let mut text = String::new();
    for accuracy in all {
        let (kept, judged) = (accuracy.kept(), accuracy.judged());
        let word = if kept == judged { "kept" } else { "MISSED" };
        text.push_str(&format!(
            "{}{}: {kept} of {judged} within {:.0} % (worst {:+.1} %): {word}\n",
            if text.is_empty() { "\n" } else { "" },
            accuracy.title,
            accuracy.allowed * 100.0,
            accuracy.worst() * 100.0
        ));
    }
    if !all.is_empty() {
        text.push_str(LEGEND);
    }
    text
}

/// The number of measured values outside of the predicted intervals, and of all of them.
fn outside(all: &[PredictedBed<'_>]) -> (usize, usize) {
    let figures = all.iter().flat_map(|bed| &bed.levels).flat_map(PredictedLevel::figures);
    let judged: Vec<bool> = figures.filter_map(|figure| figure.is_within_interval()).collect();
    (judged.iter().filter(|is_within| !**is_within).count(), judged.len())
}

/// That number in words; nothing where nothing was measured.
fn outside_text(outside: usize, judged: usize) -> String {
    if judged == 0 {
        return String::new();
    }
    let expected = judged as f64 * 0.05;
    format!("outside of the 95 % interval: {outside} of {judged} measured values (expected: {expected:.0})\n")
}

/// The meaning of the last words of the lines.
const LEGEND: &str = "kept: each prediction of the figure was within that share of what the other bed measured; MISSED: at least one was not, \
                      so do not base a purchase on it\n";

//! `drivetrain predict`: what a measured load would do on another drive.

mod measured;
mod verdict;

use std::path::Path;

use clap::Args;
use device::DriveSpec;
use experiment::{Bed, Experiment, Storage};
use notebook::{Notebook, RunId};
use serde_json::json;
use simulate::{Figure, Latency, Layer, Prediction};

use super::drives;
use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::notebooks;
use measured::Measured;

/// Arguments of `predict`.
#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    /// Number of the measured run (default: the latest)
    run: Option<i64>,

    /// The drive to predict for: a name of the catalogue, or the path of a drive's TOML file (default: every
    /// bed's drive from every bed that differs from it in the drive alone)
    #[arg(long, value_name = "DRIVE")]
    drive: Option<String>,

    /// The bed that was measured (default: the first; without --drive all)
    #[arg(long)]
    bed: Option<String>,

    /// The drive that a bed on real storage was measured on
    #[arg(long, value_name = "DRIVE")]
    measured_on: Option<String>,

    /// Predict for the drive itself: without the layer that an emulated bed was measured behind
    #[arg(long)]
    real: bool,

    /// The bed of the same run to judge the prediction by (default: one that stands on that drive with as
    /// much memory)
    #[arg(long, value_name = "BED")]
    judge: Option<String>,

    /// Seed of the simulations
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// One level of the measured load and what is predicted for it.
struct Level {
    level: f64,
    measured_nopm: f64,
    nopm_per_s: f64,
    prediction: Prediction,
    /// The same level on a bed that stands on the other drive.
    there: Option<Measured>,
}

/// One bed predicted on one drive.
struct Told<'a> {
    bed: &'a Bed,
    drive: String,
    /// The bed that stands on that drive.
    judge: Option<&'a Bed>,
    levels: Vec<Level>,
}

/// Predicts and prints.
pub(crate) fn predict(args: &PredictArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let notebook = notebooks::open(path)?;
    let id = notebooks::chosen(&notebook, args.run)?;
    let run = notebook.run(id)?;
    let experiment = experiment::parse(&run.experiment_toml, &run.name)
        .map_err(|d| Coded::usage(format!("run {}: {}", id.0, d.render(false))))?;
    let mut all = Vec::new();
    for (bed, drive, judge) in pairs(&experiment, id, args)? {
        let (from, to) = (drive_of(bed, args)?, drives::find(&drive)?.spec);
        console.note(&format!("bed {} on {drive}", bed.name));
        let levels = levels(&notebook, id, &experiment, (bed, judge), (&from, &to), args)?;
        all.push(Told { bed, drive, judge, levels });
    }
    let figures = all.iter().flat_map(|told| &told.levels).flat_map(Level::figures);
    let verdicts =
        verdict::of(figures.map(|(name, title, figure, measured)| (name, title, figure.value, measured)));
    if console.json() {
        let one = |told: &Told<'_>| {
            json!({ "run": id.0, "bed": told.bed.name, "drive": told.drive,
                "judged_by": told.judge.map(|judge| &judge.name),
                "levels": told.levels.iter().map(document).collect::<Vec<_>>() })
        };
        let document = match (&args.drive, all.as_slice()) {
            (Some(_), [told]) => one(told),
            _ => json!({ "predictions": all.iter().map(one).collect::<Vec<_>>(),
                "verdict": verdicts.iter().map(verdict::Verdict::document).collect::<Vec<_>>() }),
        };
        console.document(&document);
    } else {
        let tables: Vec<String> = all.iter().map(text).collect();
        console.answer(&(tables.join("\n") + &verdict::text(&verdicts)));
    }
    Ok(Exit::Done)
}

/// What is asked for: beds, the drives they are predicted on, and the beds that judge it.
fn pairs<'a>(
    experiment: &'a Experiment,
    run: RunId,
    args: &PredictArgs,
) -> anyhow::Result<Vec<(&'a Bed, String, Option<&'a Bed>)>> {
    let named = |name: &str| {
        experiment.find_bed(name).ok_or_else(|| Coded::usage(format!("run {} has no bed `{name}`", run.0)))
    };
    let measured = args.bed.as_deref().map(named).transpose()?;
    let judge = args.judge.as_deref().map(named).transpose()?;
    if let Some(drive) = &args.drive {
        let none = || Coded::usage(format!("run {} has no bed", run.0));
        let bed = measured.or(experiment.bed.first()).ok_or_else(none)?;
        let name = drives::find(drive)?.name;
        let like = || experiment.bed.iter().find(|other| is_like(experiment, bed, other, &name));
        return Ok(vec![(bed, drive.clone(), judge.or_else(like))]);
    }
    let mut pairs = Vec::new();
    for bed in experiment.bed.iter().filter(|bed| measured.is_none_or(|only| only.name == bed.name)) {
        for other in experiment.bed.iter().filter(|other| !other.storage.same_kind(&bed.storage)) {
            let Storage::Emulated { drive, .. } = &other.storage else { continue };
            let name = drives::find(drive)?.name;
            if is_like(experiment, bed, other, &name) {
                pairs.push((bed, name, Some(other)));
            }
        }
    }
    if pairs.is_empty() {
        return Err(Coded::usage(format!(
            "run {} has no two beds that differ in their emulated drive alone: say with --drive which drive to predict for (`drivetrain drives`)",
            run.0
        )));
    }
    Ok(pairs)
}

/// The drive that a bed was measured on.
fn drive_of(bed: &Bed, args: &PredictArgs) -> anyhow::Result<DriveSpec> {
    match (&args.measured_on, &bed.storage) {
        (Some(name), _) => Ok(drives::find(name)?.spec),
        (None, Storage::Emulated { drive, .. }) => Ok(drives::find(drive)?.spec),
        (None, _) => Err(Coded::usage(format!(
            "bed `{}` stands on real storage: say with --measured-on which drive of the catalogue (or which .toml file) that is",
            bed.name
        ))),
    }
}

/// Whether `other` differs from `bed` in its drive alone, which is `drive`.
fn is_like(experiment: &Experiment, bed: &Bed, other: &Bed, drive: &str) -> bool {
    let stands_there = matches!(&other.storage, Storage::Emulated { drive: name, .. }
        if drives::find(name).is_ok_and(|entry| entry.name == drive));
    let limits = |bed: &Bed| (bed.cpus, experiment.memory_of(bed), experiment.memory_limit_of(bed));
    stands_there && other.log.is_none() && limits(bed) == limits(other)
}

fn levels(
    notebook: &Notebook,
    run: RunId,
    experiment: &Experiment,
    (bed, judge): (&Bed, Option<&Bed>),
    (from, to): (&DriveSpec, &DriveSpec),
    args: &PredictArgs,
) -> anyhow::Result<Vec<Level>> {
    let here = Measured::of_bed(notebook, run, experiment, bed)?;
    if here.is_empty() {
        let bed = &bed.name;
        return Err(Coded::usage(format!("run {} has no valid cell of order entry on bed `{bed}`", run.0)));
    }
    let mut there = match judge {
        Some(judge) => Measured::of_bed(notebook, run, experiment, judge)?,
        None => Default::default(),
    };
    let processors = processors(notebook, run)?;
    let mut levels = Vec::new();
    for (level, measured) in here {
        let mut demand = measured.demand(experiment, level as u32, processors)?;
        if args.real {
            demand.layer = Layer::default();
        }
        let prediction = simulate::predict(&demand, from, to, args.seed)?;
        let measured_nopm = measured.nopm();
        let nopm_per_s = measured_nopm / demand.measured_per_s;
        let there = there.remove(&level);
        levels.push(Level { level: level as f64, measured_nopm, nopm_per_s, prediction, there });
    }
    Ok(levels)
}

/// Processors of the machine that the run was measured on.
fn processors(notebook: &Notebook, run: RunId) -> anyhow::Result<u32> {
    let facts = notebook.fact_sets(run)?;
    let host = facts.iter().find(|(scope, _)| scope == "host");
    let count = host.and_then(|(_, facts)| {
        facts.iter().find(|(key, _)| key.ends_with("cpus") || key.ends_with("threads"))
    });
    let known = count.and_then(|(_, value)| value.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
    Ok(known.or_else(|| std::thread::available_parallelism().ok().map(|n| n.get() as u32)).unwrap_or(1))
}

impl Level {
    /// Name, predicted figure and what was measured on the judge, of everything that is predicted.
    fn figures(&self) -> [(&'static str, &'static str, Figure, Option<f64>); 5] {
        let p = &self.prediction;
        let scaled = |f: Figure, by: f64| Figure { value: f.value * by, low: f.low * by, high: f.high * by };
        let ms = |f: Figure| scaled(f, 1e-6);
        let of = |latency: fn(&Measured) -> Option<Latency>, part: fn(Latency) -> f64| {
            self.there.as_ref().and_then(latency).map(|latency| part(latency) / 1e6)
        };
        let nopm = self.there.as_ref().map(Measured::nopm);
        [
            ("nopm", "NOPM", scaled(p.per_s, self.nopm_per_s), nopm),
            (
                "latency_mean_ms",
                "latency mean, ms",
                ms(p.latency_mean_ns),
                of(Measured::latency, |l| l.mean_ns),
            ),
            ("latency_p99_ms", "latency p99, ms", ms(p.latency_p99_ns), of(Measured::latency, |l| l.p99_ns)),
            ("commit_mean_ms", "commit mean, ms", ms(p.commit_mean_ns), of(Measured::commit, |l| l.mean_ns)),
            ("commit_p99_ms", "commit p99, ms", ms(p.commit_p99_ns), of(Measured::commit, |l| l.p99_ns)),
        ]
    }
}

fn text(told: &Told<'_>) -> String {
    let (bed, drive, levels) = (&told.bed.name, &told.drive, &told.levels);
    let mut text =
        format!("bed {bed}, predicted on {drive} (95 % interval: measurement and model together)\n");
    if let Some(judge) = told.judge {
        text.push_str(&format!(
            "bed {} stands on that drive: measured there, and the error of the prediction\n",
            judge.name
        ));
    }
    text.push_str(&format!(
        "\n{:>5}  {:18} {:>12}  {:>22}  {:>12}  {:>7}\n",
        "users", "", "predicted", "interval", "measured", "error"
    ));
    for level in levels {
        for (name, title, figure, measured) in level.figures() {
            let digits = if name == "nopm" { 0 } else { 3 };
            let number = |value: f64| format!("{value:.digits$}");
            let (seen, error) = measured.map_or_else(Default::default, |seen| {
                (number(seen), format!("{:+.1} %", (figure.value / seen - 1.0) * 100.0))
            });
            let interval = format!("{} to {}", number(figure.low), number(figure.high));
            let line = format!(
                "{:>5}  {title:18} {:>12}  {interval:>22}  {seen:>12}  {error:>7}",
                level.level,
                number(figure.value)
            );
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}

fn document(level: &Level) -> serde_json::Value {
    let mut document = json!({
        "level": level.level, "measured_nopm": level.measured_nopm,
        "unexplained_ms": level.prediction.unexplained_ns / 1e6,
    });
    for (name, _, figure, measured) in level.figures() {
        document[name] = json!({ "value": figure.value, "low": figure.low, "high": figure.high,
            "measured": measured, "error": measured.map(|seen| figure.value / seen - 1.0) });
    }
    document
}

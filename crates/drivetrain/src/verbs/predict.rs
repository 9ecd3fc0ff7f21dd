//! `drivetrain predict`: what a measured load would do on another drive.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use device::DriveSpec;
use experiment::{Experiment, Storage, Workload};
use notebook::{Cell, CellState, Notebook, RunId};
use serde_json::json;
use simulate::{Demand, Figure, Prediction};

use super::drives;
use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::notebooks;

/// Arguments of `predict`.
#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    /// Number of the measured run (default: the latest)
    run: Option<i64>,

    /// The drive to predict for: a name of the catalogue, or the path of a drive's TOML file
    #[arg(long, value_name = "DRIVE")]
    drive: String,

    /// The bed that was measured (default: the first)
    #[arg(long)]
    bed: Option<String>,

    /// The drive that a bed on real storage was measured on
    #[arg(long, value_name = "DRIVE")]
    measured_on: Option<String>,

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
}

/// Predicts and prints.
pub(crate) fn predict(args: &PredictArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let notebook = notebooks::open(path)?;
    let id = notebooks::chosen(&notebook, args.run)?;
    let run = notebook.run(id)?;
    let experiment = experiment::parse(&run.experiment_toml, &run.name)
        .map_err(|d| Coded::usage(format!("run {}: {}", id.0, d.render(false))))?;
    let bed = match &args.bed {
        Some(name) => experiment.find_bed(name),
        None => experiment.bed.first(),
    };
    let bed = bed.ok_or_else(|| Coded::usage(format!("run {} has no such bed", id.0)))?;
    let from = match (&args.measured_on, &bed.storage) {
        (Some(name), _) => drives::find(name)?.spec,
        (None, Storage::Emulated { drive, .. }) => drives::find(drive)?.spec,
        (None, _) => {
            return Err(Coded::usage(format!(
                "bed `{}` stands on real storage: say with --measured-on which drive of the catalogue (or which .toml file) that is",
                bed.name
            )));
        }
    };
    let to = drives::find(&args.drive)?.spec;
    let levels = levels(&notebook, id, &experiment, &bed.name, (&from, &to), args.seed)?;
    if console.json() {
        console.document(&json!({ "run": id.0, "bed": bed.name, "drive": args.drive,
            "levels": levels.iter().map(document).collect::<Vec<_>>() }));
    } else {
        console.answer(&text(&levels, &bed.name, &args.drive));
    }
    Ok(Exit::Done)
}

fn levels(
    notebook: &Notebook,
    run: RunId,
    experiment: &Experiment,
    bed: &str,
    (from, to): (&DriveSpec, &DriveSpec),
    seed: u64,
) -> anyhow::Result<Vec<Level>> {
    let mut cells: BTreeMap<u64, Vec<Cell>> = BTreeMap::new();
    for cell in notebook.cells(run)? {
        let is_order_entry =
            experiment.workload.iter().any(|w| matches!(w, Workload::Tpcc(_)) && w.name() == cell.workload);
        if cell.bed == bed && cell.state == CellState::Done && is_order_entry {
            cells.entry(cell.level as u64).or_default().push(cell);
        }
    }
    if cells.is_empty() {
        return Err(Coded::usage(format!("run {} has no valid cell of order entry on bed `{bed}`", run.0)));
    }
    let processors = processors(notebook, run)?;
    let mut levels = Vec::new();
    for (level, cells) in cells {
        let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for cell in &cells {
            for m in notebook.measurements(cell.id)? {
                values.entry(m.metric).or_default().push(m.value);
            }
        }
        let demand = demand(experiment, &values, level as u32, processors)?;
        let prediction = simulate::predict(&demand, from, to, seed)?;
        let measured_nopm = mean(&values, "nopm").unwrap_or(0.0);
        let nopm_per_s = measured_nopm / demand.measured_per_s;
        levels.push(Level { level: level as f64, measured_nopm, nopm_per_s, prediction });
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

fn mean(values: &BTreeMap<String, Vec<f64>>, metric: &str) -> Option<f64> {
    let all = values.get(metric)?;
    Some(all.iter().sum::<f64>() / all.len() as f64)
}

/// The demands of an average transaction, from what the cells of one level measured.
fn demand(
    experiment: &Experiment,
    values: &BTreeMap<String, Vec<f64>>,
    users: u32,
    processors: u32,
) -> anyhow::Result<Demand> {
    let get = |metric: &str| mean(values, metric);
    let need = |metric: &str| {
        get(metric).ok_or_else(|| {
            Coded::usage(format!("the run has no `{metric}`: it cannot say what its transactions asked for"))
        })
    };
    let tpm = get("tpm_with_rollbacks").map_or_else(|| need("tpm"), Ok)?;
    let (reads, writes) = (need("reads_per_transaction")?, need("writes_per_transaction")?);
    let syncs = get("syncs_per_transaction").or_else(|| get("log_syncs_per_transaction")).unwrap_or(0.92);
    let log_bytes = get("log_bytes_per_transaction").unwrap_or(8000.0);
    let engine = experiment.database.as_ref().map(|database| database.engine).unwrap_or_default();
    let per_s = tpm / 60.0;
    // A server's processor time is what the machine was busy, shared among its transactions.
    let busy = get("cpu_idle").map_or(0.0, |idle| (1.0 - idle / 100.0) * f64::from(processors) / per_s * 1e9);
    let own = (get("client_cpu_per_transaction").unwrap_or(0.0)
        + get("engine_cpu_per_transaction").unwrap_or(0.0))
        * 1e3;
    let cpu_ns = if engine.is_server() { busy } else { own };
    let size = |bytes: &str, count: f64| {
        get(bytes).filter(|_| count > 0.01).map_or(8192.0, |bytes| (bytes / count).clamp(512.0, 1e6))
    };
    let spread = values
        .get("tpm")
        .and_then(|all| measure::mean_interval(all))
        .map_or(0.0, |e| (e.high - e.low) / 2.0 / e.value);
    let warehouses = experiment.workload.iter().find_map(|w| match w {
        Workload::Tpcc(tpcc) => Some(u64::from(tpcc.warehouses)),
        _ => None,
    });
    Ok(Demand {
        users,
        processors,
        cpu_ns,
        reads,
        read_bytes: size("read_bytes_per_transaction", reads) as u32,
        syncs: syncs.min(1.0),
        log_bytes,
        writes: (writes - syncs).max(0.0),
        write_bytes: size("written_bytes_per_transaction", writes) as u32,
        data_bytes: warehouses.unwrap_or(1) * 92_000_000,
        one_writer: !engine.is_server(),
        measured_per_s: per_s,
        measured_spread: if spread.is_finite() { spread.min(0.5) } else { 0.0 },
    })
}

fn text(levels: &[Level], bed: &str, drive: &str) -> String {
    let mut text =
        format!("bed {bed}, predicted on {drive} (95 % interval: measurement and model together)\n\n");
    text.push_str(&format!(
        "{:>6}  {:>13}  {:>14}  {:>22}  {:>20}  {:>20}\n",
        "users",
        "NOPM measured",
        "NOPM predicted",
        "interval",
        "latency mean (p99) ms",
        "commit mean (p99) ms"
    ));
    for level in levels {
        let nopm = |per_s: f64| per_s * level.nopm_per_s;
        let p = &level.prediction;
        let pair = |mean: Figure, p99: Figure| format!("{:.2} ({:.2})", mean.value / 1e6, p99.value / 1e6);
        text.push_str(&format!(
            "{:>6}  {:>13.0}  {:>14.0}  {:>22}  {:>20}  {:>20}\n",
            level.level,
            level.measured_nopm,
            nopm(p.per_s.value),
            format!("{:.0} to {:.0}", nopm(p.per_s.low), nopm(p.per_s.high)),
            pair(p.latency_mean_ns, p.latency_p99_ns),
            pair(p.commit_mean_ns, p.commit_p99_ns)
        ));
    }
    text
}

fn document(level: &Level) -> serde_json::Value {
    let figure = |f: Figure, factor: f64| json!({ "value": f.value * factor, "low": f.low * factor, "high": f.high * factor });
    let p = &level.prediction;
    json!({
        "level": level.level, "measured_nopm": level.measured_nopm, "nopm": figure(p.per_s, level.nopm_per_s),
        "latency_mean_ms": figure(p.latency_mean_ns, 1e-6), "latency_p99_ms": figure(p.latency_p99_ns, 1e-6),
        "commit_mean_ms": figure(p.commit_mean_ns, 1e-6), "commit_p99_ms": figure(p.commit_p99_ns, 1e-6),
        "unexplained_ms": p.unexplained_ns / 1e6,
    })
}

//! Runs in fio's words and files: the cells, fio's names for their loads, the places of the files.

use std::path::{Path, PathBuf};

use disk::{Output, Outputs};
use experiment::{Block, Discard, OneOrMix, Pattern, Share, Workload};
use notebook::{Cell, FIO_LOGS, FioCell, FioJob, Measurement, Notebook, RunId};
use words::Metric;

use crate::console::Console;
use crate::exit::Coded;
use crate::{notebooks, outputs};

/// The block cells of a run, in fio's words.
///
/// # Errors
/// Exit code 2 when there are none.
pub(super) fn cells(notebook: &Notebook, run: RunId) -> anyhow::Result<Vec<FioCell>> {
    let record = notebook.run(run)?;
    notebooks::require_own(&record, "exported in fio's words")?;
    let experiment = experiment::parse(&record.experiment_toml, &record.name)
        .map_err(|faults| anyhow::anyhow!("the run's experiment cannot be read: {faults}"))?;
    let words = |cell: &Cell| {
        experiment.workload.iter().find_map(|workload| match workload {
            Workload::Block(block) if workload.name() == cell.workload && block.trace.is_some() => {
                notebook.measurements(cell.id).ok().map(|measured| replay(cell, block, &measured))
            }
            Workload::Block(block) if workload.name() == cell.workload => {
                // Each rank of a fleet has the workers of the file, unless they were dealt.
                let measured = notebook.measurements(cell.id).ok().filter(|_| !experiment.is_dealt());
                let ranks = measured.map_or(0.0, |measured| value(&measured, Metric::HostsTogether));
                let numjobs = block.workers * (ranks as u32).max(1);
                Some(FioJob { numjobs, ..job(cell, block) })
            }
            _ => None,
        })
    };
    let cells = notebook.fio_cells(run, words)?;
    if cells.is_empty() {
        return Err(Coded::usage(format!(
            "run {run} has no measured cell of block I/O, and fio's formats hold nothing else"
        )));
    }
    Ok(cells)
}

fn job(cell: &Cell, block: &Block) -> FioJob {
    let weights: f64 = block.streams.iter().map(|stream| stream.weight).sum();
    let read =
        block.streams.iter().map(|s| s.read.0 * s.weight).sum::<f64>() / weights.max(f64::MIN_POSITIVE);
    let is_sequential =
        |pattern: &Pattern| pattern.is_walk() && !matches!(pattern, Pattern::Zones(zones) if zones.random);
    let random = block.streams.iter().any(|stream| !is_sequential(&stream.pattern));
    let only = |wanted: fn(&Discard) -> bool| {
        block.streams.iter().all(|stream| stream.discard.as_ref().is_some_and(wanted))
    };
    let direction = if only(|discard| *discard == Discard::Share(Share(1.0))) {
        "trim"
    } else if only(|discard| matches!(discard, Discard::Rule(_))) {
        "trimwrite"
    } else if read >= 1.0 {
        "read"
    } else if read <= 0.0 {
        "write"
    } else {
        "rw"
    };
    let mean = |mix: &OneOrMix| mix.parts().iter().map(|part| part.size.0 as f64 * part.share.0).sum::<f64>();
    let mean_bytes = block.streams.iter().map(|s| mean(&s.block_size) * s.weight).sum::<f64>()
        / weights.max(f64::MIN_POSITIVE);
    FioJob {
        name: cell.workload.clone(),
        rw: format!("{}{direction}", if random { "rand" } else { "" }),
        bs: size(mean_bytes as u64),
        mean_bytes,
        iodepth: match cell.level_name.as_str() {
            "depth" => cell.level as u32,
            // The number of ranks is the level, and the depth is one.
            "ranks" => block.depth.first().copied().unwrap_or(block.depth_max),
            _ => block.depth_max,
        },
        numjobs: block.workers,
        ioengine: block.engine.to_string(),
        direct: block.direct,
    }
}

/// A replay, which fio names by what a job does: by what the trace did.
fn replay(cell: &Cell, block: &Block, measured: &[Measurement]) -> FioJob {
    let value = |metric: Metric| value(measured, metric);
    let (reads, writes) = (value(Metric::ReadIops), value(Metric::WriteIops));
    let direction = match (reads > 0.0, writes > 0.0) {
        (true, true) => "randrw",
        (false, true) => "randwrite",
        _ => "randread",
    };
    let mean_bytes = value(Metric::Bandwidth) * 1e6 / value(Metric::Iops).max(f64::MIN_POSITIVE);
    FioJob {
        name: cell.workload.clone(),
        rw: direction.to_owned(),
        bs: size(mean_bytes as u64),
        mean_bytes,
        iodepth: block.depth_max,
        numjobs: 1,
        ioengine: block.engine.to_string(),
        direct: block.direct,
    }
}

/// A figure of a cell; 0 where it has none.
fn value(measured: &[Measurement], metric: Metric) -> f64 {
    measured.iter().find_map(|one| one.of(metric)).unwrap_or(0.0)
}

/// A size as fio writes it: 4k, 1m, 512.
fn size(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 20 && b.is_multiple_of(1 << 20) => format!("{}m", b >> 20),
        b if b >= 1 << 10 && b.is_multiple_of(1 << 10) => format!("{}k", b >> 10),
        b => b.to_string(),
    }
}

/// One JSON document to stdout or a `.json` file, or a directory with a file for each cell, named as fio-plot
/// looks for them.
pub(super) fn json(
    notebook: &Notebook,
    run: RunId,
    output: Option<&Path>,
    outputs: &mut Outputs,
    console: &Console,
) -> anyhow::Result<()> {
    let cells = cells(notebook, run)?;
    match output {
        None => console.document(&notebook.fio_json(run, &cells)?),
        Some(path) if path.extension().is_some_and(|extension| extension == "json") => {
            let output = outputs.plan(path, outputs::OF_OTHERS).map_err(outputs::coded)?;
            super::fill(output, |out| anyhow::Ok(writeln!(out, "{:#}", notebook.fio_json(run, &cells)?)?))?;
            super::written(console, path, 1);
        }
        Some(directory) => {
            // All places are checked before the first file is written.
            let mut place = |cell: &FioCell| place(directory, &cell.directory(), &cell.json_name(), outputs);
            let places = cells.iter().map(&mut place).collect::<anyhow::Result<Vec<_>>>()?;
            for (cell, output) in cells.iter().zip(places) {
                let document = notebook.fio_json(run, std::slice::from_ref(cell))?;
                super::fill(output, |out| writeln!(out, "{document:#}"))?;
            }
            super::written(console, directory, cells.len());
        }
    }
    Ok(())
}

/// Logs of every cell below a directory: fio's five kinds, or one HdrHistogram log.
pub(super) fn logs(
    notebook: &Notebook,
    run: RunId,
    hdr: bool,
    (output, outputs): (Option<&Path>, &mut Outputs),
    console: &Console,
) -> anyhow::Result<()> {
    let directory = output.map_or_else(|| PathBuf::from(format!("drivetrain-logs-{run}")), Path::to_path_buf);
    let cells = cells(notebook, run)?;
    let kinds: &[&str] = if hdr { &["latency"] } else { &FIO_LOGS };
    // All places are checked before the first file is written.
    let mut places = Vec::new();
    for cell in &cells {
        for kind in kinds {
            let name = cell.log_name(kind);
            let name = if hdr { name.replace(".1.log", ".hlog") } else { name };
            places.push((cell, *kind, place(&directory, &cell.directory(), &name, outputs)?));
        }
    }
    let files = places.len();
    for (cell, kind, output) in places {
        super::fill(output, |out| match hdr {
            true => notebook.export_hdr_log(cell, out),
            false => notebook.export_fio_log(cell, kind, out),
        })?;
    }
    super::written(console, &directory, files);
    Ok(())
}

/// A file of a cell: the directory that was named and those of the cell are made, if the one above is there.
fn place(directory: &Path, of_cell: &Path, name: &str, outputs: &mut Outputs) -> anyhow::Result<Output> {
    let mut dir = directory.to_path_buf();
    outputs::directory(&dir)?;
    for below in of_cell {
        dir.push(below);
        outputs::directory(&dir)?;
    }
    outputs.plan(&dir.join(name), outputs::OF_OTHERS).map_err(outputs::coded)
}

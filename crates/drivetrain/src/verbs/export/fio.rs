//! Runs in fio's words and files: which cells, what fio calls their loads, where the files go.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use experiment::{Block, Discard, OneOrMix, Pattern, Share, Workload};
use notebook::{Cell, FIO_LOGS, FioCell, FioJob, Notebook, RunId};

use crate::console::Console;
use crate::exit::Coded;

/// The block cells of a run, in fio's words.
///
/// # Errors
/// Exit code 2 when there are none.
pub(super) fn cells(notebook: &Notebook, run: RunId) -> anyhow::Result<Vec<FioCell>> {
    let record = notebook.run(run)?;
    let experiment = experiment::parse(&record.experiment_toml, &record.name)
        .map_err(|faults| anyhow::anyhow!("the run's experiment cannot be read: {faults}"))?;
    let words = |cell: &Cell| {
        experiment.workload.iter().find_map(|workload| match workload {
            Workload::Block(block) if workload.name() == cell.workload => Some(job(cell, block)),
            _ => None,
        })
    };
    let cells = notebook.fio_cells(run, words)?;
    if cells.is_empty() {
        return Err(Coded::usage(format!(
            "run {run} has no measured cell of block I/O, which is what fio's formats say"
        )));
    }
    Ok(cells)
}

fn job(cell: &Cell, block: &Block) -> FioJob {
    let weights: f64 = block.streams.iter().map(|stream| stream.weight).sum();
    let read =
        block.streams.iter().map(|s| s.read.0 * s.weight).sum::<f64>() / weights.max(f64::MIN_POSITIVE);
    let is_sequential = |pattern: &Pattern| {
        matches!(pattern, Pattern::Sequential | Pattern::Stride(_) | Pattern::Backward(_))
            || matches!(pattern, Pattern::Zones(zones) if !zones.random)
    };
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
        iodepth: if cell.level_name == "depth" { cell.level as u32 } else { block.depth_max },
        numjobs: block.workers,
        ioengine: block.engine.to_string(),
        direct: block.direct,
    }
}

/// A size as fio writes it: 4k, 1m, 512.
fn size(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 20 && b.is_multiple_of(1 << 20) => format!("{}m", b >> 20),
        b if b >= 1 << 10 && b.is_multiple_of(1 << 10) => format!("{}k", b >> 10),
        b => b.to_string(),
    }
}

/// One JSON document to stdout or a `.json` file, or a directory with a file for each cell, named as fio-plot looks for them.
pub(super) fn json(
    notebook: &Notebook,
    run: RunId,
    output: Option<&Path>,
    console: &Console,
) -> anyhow::Result<()> {
    let cells = cells(notebook, run)?;
    match output {
        None => console.document(&notebook.fio_json(run, &cells)?),
        Some(path) if path.extension().is_some_and(|extension| extension == "json") => {
            write(path, |out| Ok(writeln!(out, "{:#}", notebook.fio_json(run, &cells)?)?))?;
            super::written(console, path, 1);
        }
        Some(directory) => {
            for cell in &cells {
                let path = directory.join(cell.directory()).join(cell.json_name());
                let document = notebook.fio_json(run, std::slice::from_ref(cell))?;
                write(&path, |out| Ok(writeln!(out, "{document:#}")?))?;
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
    output: Option<&Path>,
    console: &Console,
) -> anyhow::Result<()> {
    let directory = output.map_or_else(|| PathBuf::from(format!("drivetrain-logs-{run}")), Path::to_path_buf);
    let cells = cells(notebook, run)?;
    for cell in &cells {
        let own = directory.join(cell.directory());
        if hdr {
            write(&own.join(cell.log_name("latency").replace(".1.log", ".hlog")), |out| {
                Ok(notebook.export_hdr_log(cell, out)?)
            })?;
            continue;
        }
        for kind in FIO_LOGS {
            write(&own.join(cell.log_name(kind)), |out| Ok(notebook.export_fio_log(cell, kind, out)?))?;
        }
    }
    super::written(console, &directory, cells.len() * if hdr { 1 } else { FIO_LOGS.len() });
    Ok(())
}

fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(|| format!("creating {}", parent.display()))?;
    }
    let file = File::create(path).with_context(|| format!("creating {}", path.display()))?;
    let mut out = BufWriter::new(file);
    fill(&mut out)?;
    out.flush().with_context(|| format!("writing {}", path.display()))
}

//! `drivetrain export`: a run as a table (CSV, Parquet), as JSON lines, or in the formats of fio and
//! HdrHistogram, for other programs.

mod fio;
mod rows;

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use disk::{Output, Outputs};
use notebook::{Notebook, RunId};

use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::notebooks;
use crate::outputs::{self, ForceArgs};

/// Arguments of `export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The run: number, id, tag or name (default: the latest)
    run: Option<String>,

    /// Format of the export
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,

    /// File to write (default: stdout; for logs a directory)
    #[arg(long, short, value_name = "PATH")]
    output: Option<PathBuf>,

    #[command(flatten)]
    force: ForceArgs,
}

/// Formats for other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One row per cell and metric
    Csv,
    /// One row per cell, one column per metric
    WideCsv,
    /// One row per second, cell and series
    SeriesCsv,
    /// The table of wide-csv as Parquet, into -o FILE; needs a build with the feature `parquet`
    Parquet,
    /// One JSON object per line: run, cells, measurements, series, histograms
    Jsonl,
    /// fio's json+ of block cells: one document, or with -o DIRECTORY a file per cell for fio-plot
    FioJson,
    /// fio's bw, iops, lat, clat and slat logs of block cells, below -o DIRECTORY
    FioLog,
    /// HdrHistogram logs of block cells, below -o DIRECTORY
    HdrLog,
}

/// Writes the export.
pub(crate) fn export(args: &ExportArgs, path: &Path, console: &Console) -> anyhow::Result<Exit> {
    let notebook = notebooks::open(path)?;
    let run = notebooks::chosen(&notebook, args.run.as_deref())?;
    let mut outputs = outputs::beside_notebook(path, args.force, console);
    match args.format {
        Format::FioJson => {
            fio::json(&notebook, run, args.output.as_deref(), &mut outputs, console)?;
            return Ok(Exit::Done);
        }
        Format::FioLog | Format::HdrLog => {
            let hdr = args.format == Format::HdrLog;
            fio::logs(&notebook, run, hdr, (args.output.as_deref(), &mut outputs), console)?;
            return Ok(Exit::Done);
        }
        Format::Parquet => {
            parquet(&notebook, run, args.output.as_deref(), &mut outputs, console)?;
            return Ok(Exit::Done);
        }
        Format::Csv | Format::WideCsv | Format::SeriesCsv | Format::Jsonl => {}
    }
    let write = |out: &mut dyn Write| match args.format {
        Format::Csv => notebook.export_csv(run, out),
        Format::WideCsv => notebook.export_wide_csv(run, out),
        Format::SeriesCsv => notebook.export_series_csv(run, out),
        _ => notebook.export_json_lines(run, out),
    };
    match &args.output {
        None => {
            let mut text = Vec::new();
            write(&mut text)?;
            let text = String::from_utf8(text)?;
            match console.json() {
                true => console.document(&serde_json::json!({ "run": run.0, "rows": rows::of(&text, args.format == Format::Jsonl)? })),
                false => console.raw(&text),
            }
        }
        Some(file) => {
            let kind = if args.format == Format::Jsonl { outputs::JSON_LINES } else { outputs::CSV };
            fill(outputs.plan(file, kind).map_err(outputs::coded)?, write)?;
            written(console, file, 1);
        }
    }
    Ok(Exit::Done)
}

/// The wide table as Parquet, into a file: it is no text.
#[cfg(feature = "parquet")]
fn parquet(
    notebook: &Notebook,
    run: RunId,
    output: Option<&Path>,
    outputs: &mut Outputs,
    console: &Console,
) -> anyhow::Result<()> {
    let Some(file) = output else {
        return Err(Coded::usage("Parquet is no text for a terminal: give the file by -o FILE"));
    };
    let output = outputs.plan(file, outputs::OF_OTHERS).map_err(outputs::coded)?;
    fill(output, |out| notebook.export_parquet(run, out))?;
    written(console, file, 1);
    Ok(())
}

/// This build has no writer of Parquet.
#[cfg(not(feature = "parquet"))]
fn parquet(_: &Notebook, _: RunId, _: Option<&Path>, _: &mut Outputs, _: &Console) -> anyhow::Result<()> {
    Err(Coded::usage(
        "this build of drivetrain writes no Parquet: it was built without the feature `parquet` (cargo build --release --features parquet); \
         --format wide-csv is the same table",
    ))
}

/// Reports the written files.
fn written(console: &Console, path: &Path, files: usize) {
    let shown = path.display().to_string();
    match files {
        1 => console.note(&format!("wrote {shown}")),
        _ => console.note(&format!("wrote {files} files below {shown}")),
    }
    if console.json() {
        console.document(&serde_json::json!({ "written": shown, "files": files }));
    }
}

/// Writes an output whole.
fn fill<E: Into<anyhow::Error>>(
    output: Output,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> anyhow::Result<()> {
    let path = output.path().to_owned();
    let mut out = BufWriter::new(output.begin().map_err(outputs::coded)?);
    write(&mut out).map_err(Into::into)?;
    let file =
        out.into_inner().map_err(|error| anyhow::anyhow!("writing {}: {}", path.display(), error.error()))?;
    file.finish().map_err(outputs::coded)
}

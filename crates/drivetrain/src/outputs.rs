//! The files that verbs write: which kinds there are, how one of ours is recognised, and what no output may touch.

use std::path::Path;

use clap::Args;
use disk::{OutputError, OutputKind, Outputs};

use crate::exit::Coded;

/// The option of every verb that writes a file.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct ForceArgs {
    /// Replace an output file that drivetrain did not write
    #[arg(long)]
    pub(crate) force: bool,
}

/// The HTML page of a run.
pub(crate) const REPORT: OutputKind =
    OutputKind::marked("a report", |head| contains(head, b"<meta name=\"generator\" content=\"drivetrain "));
/// Rows of a run.
pub(crate) const CSV: OutputKind =
    OutputKind::marked("an export", |head| head.starts_with(b"run,cell,bed,workload,level,repeat,"));
/// Lines of JSON.
pub(crate) const JSON_LINES: OutputKind =
    OutputKind::marked("an export", |head| head.starts_with(b"{\"type\":\"run\",\"run\":"));
/// fio's documents and logs, and those of HdrHistogram: other programs write the same.
pub(crate) const OF_OTHERS: OutputKind = OutputKind::unmarked("an export");
/// fio's iolog.
pub(crate) const TRACE: OutputKind = OutputKind::unmarked("a trace");
/// An experiment, which its user goes on to change.
pub(crate) const EXPERIMENT: OutputKind = OutputKind::unmarked("an experiment");
/// The parameters of a calibration.
pub(crate) const PARAMETERS: OutputKind = OutputKind::marked("a calibration", |head| {
    head.starts_with(b"# Calibrated parameters of the simulated beds.")
});
/// A page of the manual.
pub(crate) const MANUAL: OutputKind =
    OutputKind::marked("a page of the manual", |head| contains(head, b".TH drivetrain"));

fn contains(head: &[u8], mark: &[u8]) -> bool {
    head.windows(mark.len()).any(|window| window == mark)
}

/// The outputs of a verb that has a notebook, which none of them may be.
pub(crate) fn beside_notebook(notebook: &Path, force: ForceArgs) -> Outputs {
    let mut outputs = Outputs::new(force.force);
    outputs.keep(notebook, "the notebook");
    // SQLite lays its files beside the real one, where a link leads.
    let real = notebook.canonicalize().ok();
    for notebook in std::iter::once(notebook).chain(real.as_deref()) {
        for suffix in ["-wal", "-shm", "-journal", "-lock"] {
            let mut path = notebook.as_os_str().to_owned();
            path.push(suffix);
            outputs.keep(Path::new(&path), "a part of the notebook");
        }
    }
    outputs
}

/// A refusal for safety has an exit code of its own.
pub(crate) fn coded(error: OutputError) -> anyhow::Error {
    if error.is_refusal { Coded::refused(error.to_string()) } else { error.into() }
}

//! The trace of a cell: every I/O of its loads, as fio's iolog, in a file of its own.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use block::{Job, Target, TraceRecorder};
use disk::{OutputKind, Outputs};
use words::{Happening, Reason, Reasons, Step};

use super::place::BlockStorage;
use crate::conductor::Conductor;
use crate::order::CellKey;

/// A trace that is being written.
pub(super) struct Recording {
    recorder: TraceRecorder,
    path: PathBuf,
    thread: JoinHandle<io::Result<(u64, u64)>>,
    /// Number of the first log target: the data's come before.
    log_from: u16,
}

impl Recording {
    /// Begins the trace of a cell, when traces are asked for.
    pub(super) fn begin(
        conductor: &Conductor<'_>,
        key: CellKey,
        place: &BlockStorage,
    ) -> Result<Option<Recording>, Reasons> {
        let Some(directory) = &conductor.world.record else { return Ok(None) };
        let (bed, workload) =
            (&conductor.experiment.bed[key.bed], &conductor.experiment.workload[key.workload]);
        let plain = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_");
        let name = format!(
            "{}-{}-level-{}-repeat-{}",
            plain(&bed.name),
            plain(workload.name()),
            key.level + 1,
            key.repeat + 1
        );
        let (path, file) = new_file(directory, &name).map_err(|error| Step::Trace.failed(error))?;
        let names: Vec<String> = place.data.targets.iter().chain(&place.log.targets).map(name_of).collect();
        let (recorder, writer) = block::recording();
        let thread = thread::spawn(move || writer.write(&names, &mut BufWriter::new(file)));
        let log_from = u16::try_from(place.data.targets.len()).unwrap_or(u16::MAX);
        Ok(Some(Recording { recorder, path, thread, log_from }))
    }

    /// Lets a job note its I/Os.
    pub(super) fn attach(&self, job: &mut Job, is_on_log: bool) {
        job.record = Some(self.recorder.from_target(if is_on_log { self.log_from } else { 0 }));
    }

    /// Ends the trace, and says what it holds. Every job must be gone.
    pub(super) fn end(self) -> Result<Happening, Reason> {
        drop(self.recorder);
        let written = self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let path = self.path.display().to_string();
        let (ios, left_out) = written.map_err(|error| Step::Trace.failed(format!("{path}: {error}")))?;
        Ok(Happening::Trace { ios, path, left_out })
    }
}

/// A file with a new name: the file of an interrupted attempt at the same cell stays beside it.
fn new_file(directory: &Path, name: &str) -> Result<(PathBuf, File), String> {
    if disk::metadata_if_any(directory)
        .map_err(|error| format!("{}: {error}", directory.display()))?
        .is_none()
    {
        disk::create_dir(directory).map_err(|error| format!("making {}: {error}", directory.display()))?;
    }
    let mut path = directory.join(format!("{name}.iolog"));
    let mut number = 1_u64;
    while path.symlink_metadata().is_ok() {
        number += 1;
        path = directory.join(format!("{name}-{number}.iolog"));
    }
    let planned = Outputs::new(false).plan(&path, OutputKind::unmarked("a trace"));
    let file = planned.and_then(|output| output.grow(&[])).map_err(|error| error.to_string())?;
    Ok((path, file))
}

fn name_of(target: &Target) -> String {
    match target {
        Target::ReadOnly(path) => path.display().to_string(),
        Target::Permitted(permit) => permit.path().display().to_string(),
        Target::AddressSpace { .. } => "/drive".to_owned(),
    }
}

//! vdbench parameter files: storage, workload and run definitions, said as an experiment.
//!
//! The rules are those of its user's guide (5.04.07). Workloads on files and devices (`sd`, `wd`, `rd`) and
//! the reads and writes of file system workloads (`fsd`, `fwd`) are carried over; operations on directories,
//! names and attributes are refused.

mod catalogue;
mod definitions;
mod filesystem;
mod hotband;
mod lines;
mod meant;
mod run;
mod trees;
mod values;
mod work;

use experiment::Experiment;

use super::source::{Reading, SourcePlace};
use crate::fio::{bed_on, once, tell_apart};

pub(crate) use catalogue::DEFINITIONS;

/// Reads the parameter file that `reading` was made for. With the place of each workload.
pub(super) fn read(reading: &mut Reading<'_>, name: &str) -> (Experiment, Vec<SourcePlace>) {
    let lines = lines::lines(reading);
    let definitions = definitions::gather(reading, &lines);
    let mut workloads = Vec::new();
    let mut places = Vec::new();
    for run in definitions.runs() {
        for block in run::blocks(reading, &definitions, run) {
            places.push(run.place.clone());
            workloads.push(block);
        }
    }
    if workloads.is_empty()
        && !reading.has_faults()
        && let Some(run) = definitions.runs().next()
    {
        let help = "add a run with a load: here, files are made before each run";
        reading.fault(&run.place, "every run of the file does nothing but make files", "", help);
    }
    tell_apart(&mut workloads);
    let short = name.rsplit('/').next().unwrap_or(name);
    let experiment = Experiment {
        schema: experiment::SCHEMA_VERSION,
        title: format!("vdbench runs of {short}"),
        question: None,
        description: Some(format!("Made from the vdbench parameter file {name}.")),
        published: None,
        bed: vec![bed_on(definitions.anchor().unwrap_or(".").into())],
        database: None,
        workload: workloads.into_iter().map(experiment::Workload::Block).collect(),
        design: once(None),
        fleet: None,
    };
    (experiment, places)
}

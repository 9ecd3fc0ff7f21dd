//! fio job files: read into jobs, and said as an experiment.
//!
//! The rules are those of fio's HOWTO and of fio 3.33 itself. An option that fio does not know is a fault
//! with its place, and so is one that cannot mean the same here; one that changes nothing that is measured is
//! a note.

mod catalogue;
mod convert;
mod expression;
mod files;
mod job;
mod lines;
mod load;
mod number;
mod pattern;
mod step;
mod streams;
mod workload;

use experiment::Experiment;

use super::source::{Reading, SourcePlace};

pub(crate) use convert::{bed_on, once, tell_apart};
pub(crate) use pattern::mix;

/// Reads the job file that `reading` was made for. With the place of each workload.
pub(super) fn read(reading: &mut Reading<'_>, name: &str) -> (Experiment, Vec<SourcePlace>) {
    let sections = lines::sections(reading, 0);
    let jobs = job::jobs(reading, &sections);
    convert::experiment(reading, &jobs, name)
}

//! Files of other tools: job files of fio and vdbench as experiments, results as cells with their figures,
//! counters as series.
//!
//! [`import`] answers with an experiment that does what the file says, and with notes on what makes no
//! difference here, or with [`ImportError`]: every line that cannot mean the same, and why. Nothing is
//! dropped silently. [`read_result`] and [`read_counters`] answer with what was measured, or with a
//! [`FileFault`] and its place.
//!
//! Invariant: contents of files in, an experiment, results or faults out. References to the outside come
//! through [`Surroundings`].

// Job files.
mod fio;
mod source;
mod vdbench;

// Results and counters.
mod fault;
mod moment;
mod steps;
mod tree;

mod results;
mod counters;
mod detect;

use experiment::{Block, Diagnostics, Experiment, Span, parse, to_toml};

pub use counters::{
    CellTime, Choice, Counter, CounterFormat, Counters, CountersError, Pattern, read_counters,
};
pub use detect::{HEAD_BYTES, ToolFormat, detect};
pub use fault::{FileFault, FilePlace};
pub use moment::Zone;
pub use results::{ResultFormat, ToolCell, ToolResult, read_result};
pub use source::{ImportError, Surroundings};

use source::{Reading, SourcePlace};

/// An experiment made from another tool's file.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The equivalent experiment.
    pub experiment: Experiment,
    /// Remarks for the reader, in the file's order.
    pub notes: Vec<Note>,
}

/// Something in the file that is carried over in a way of its own, or makes no difference here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The remark.
    pub text: String,
}

words::words! {
    /// A form of job files, by the words that help has for such a file.
    pub enum JobFormat {
        /// Sections in brackets.
        Fio = "fio job file",
        /// Lines of definitions.
        Vdbench = "vdbench parameter file",
    }
}

/// True if a text is a job file of another tool and not an experiment, by the name of its file or by its
/// first lines.
pub fn is_job_file(name: &str, text: &str) -> bool {
    !name.ends_with(".toml") && (name.ends_with(".fio") || format(text).is_some())
}

/// Reads a fio job file or a vdbench parameter file; which of them is seen from the text.
///
/// # Errors
/// Every line that cannot be carried over, with the reason and what to do.
pub fn import(text: &str, name: &str, surroundings: &dyn Surroundings) -> Result<Imported, ImportError> {
    let mut reading = Reading::new(name, text, surroundings);
    let (experiment, places) = match format(text) {
        Some(JobFormat::Vdbench) => vdbench::read(&mut reading, name),
        Some(JobFormat::Fio) | None => fio::read(&mut reading, name),
    };
    if !reading.has_faults() {
        check(&mut reading, &experiment, &places);
    }
    let mut notes = reading.end()?;
    notes.sort_by(|a, b| (a.file != name, &a.file, a.line).cmp(&(b.file != name, &b.file, b.line)));
    Ok(Imported { experiment, notes })
}

/// Checks it like every experiment: a fault is reported at the line from which the workload comes.
fn check(reading: &mut Reading<'_>, experiment: &Experiment, places: &[SourcePlace]) {
    let faults = |experiment: &Experiment| parse(&to_toml(experiment), "the equivalent experiment").err();
    let Some(all) = faults(experiment) else { return };
    let mut told = false;
    for (workload, place) in experiment.workload.iter().zip(places) {
        let alone = Experiment { workload: vec![workload.clone()], ..experiment.clone() };
        for fault in faults(&alone).iter().flat_map(Diagnostics::iter) {
            reading.fault(place, &fault.message, "", fault.help.as_deref().unwrap_or_default());
            told = true;
        }
    }
    if let (false, Some(first)) = (told, all.iter().next()) {
        reading.fault(&SourcePlace::default(), &first.message, "", first.help.as_deref().unwrap_or_default());
    }
}

/// A block workload of which only the length of the measurement is known; all else is as in an experiment
/// that leaves it out.
fn plain_block(measure: Span) -> Block {
    Block { direct: false, ..Block::new(Span::default(), measure) }
}

/// fio has sections in brackets; vdbench has lines that begin with sd=, fsd=, wd=, rd= or hd=. An experiment
/// has its schema or a list of tables before either.
fn format(text: &str) -> Option<JobFormat> {
    let told = text.lines().find_map(|line| {
        let line = line.trim();
        let key = line.split('=').next().unwrap_or_default().trim();
        if line.starts_with("[[") || (key == "schema" && line.contains('=')) {
            return Some(None);
        }
        if line.starts_with('[') {
            return Some(Some(JobFormat::Fio));
        }
        let is_definition = line.contains('=') && vdbench::DEFINITIONS.contains(&key);
        is_definition.then_some(Some(JobFormat::Vdbench))
    });
    told.flatten()
}

#[cfg(test)]
mod tests;

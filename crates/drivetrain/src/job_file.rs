//! Job files of fio and vdbench in place of an experiment: the surroundings that they refer to, and their
//! conversion.

use std::io::Seek;
use std::path::Path;

use jobfile::{Imported, JobFormat, Note, Surroundings};

use crate::console::Console;
use crate::exit::Coded;

/// The machine that the program runs on.
struct Here;

impl Surroundings for Here {
    fn include(&self, path: &str, from: &str) -> Result<String, String> {
        let directory = Path::new(from).parent().unwrap_or(Path::new(""));
        disk::text_of_file(&directory.join(path)).map_err(|error| error.to_string())
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn page_bytes(&self) -> u64 {
        host::machine::page_bytes()
    }

    fn memory_mebibytes(&self) -> u64 {
        host::machine::memory_bytes() >> 20
    }

    fn processors(&self) -> u64 {
        std::thread::available_parallelism().map_or(1, |count| count.get() as u64)
    }

    fn size_bytes(&self, path: &str) -> Option<u64> {
        let found = std::fs::metadata(path).ok()?;
        if found.is_file() {
            return Some(found.len());
        }
        // The end of a block device is its size. Nothing else is opened: a FIFO would wait for its other end.
        if !std::os::unix::fs::FileTypeExt::is_block_device(&found.file_type()) {
            return None;
        }
        std::fs::File::open(path).ok()?.seek(std::io::SeekFrom::End(0)).ok()
    }
}

/// The forms of job files, with this text between two of them.
pub(crate) fn forms(between: &str) -> String {
    JobFormat::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().join(between)
}

/// Reads a job file.
///
/// # Errors
/// Exit code 2 with every line that cannot be carried over.
pub(crate) fn read(text: &str, name: &str, console: &Console) -> anyhow::Result<Imported> {
    jobfile::import(text, name, &Here).map_err(|error| Coded::faulty(error.render(console.color())))
}

/// The text of an experiment: the one given, or the equivalent of a job file, with its notes on stderr and in
/// its description, so that the page of the run has them, too.
pub(crate) fn as_experiment(text: String, name: &str, console: &Console) -> anyhow::Result<String> {
    if !jobfile::is_job_file(name, &text) {
        return Ok(text);
    }
    let mut imported = read(&text, name, console)?;
    imported.notes.iter().for_each(|note| console.note(&in_words(note)));
    let notes: Vec<String> = imported.notes.iter().map(in_words).collect();
    if !notes.is_empty() {
        let parts = imported.experiment.description.take().into_iter().chain([notes.join("; ")]);
        imported.experiment.description = Some(parts.collect::<Vec<String>>().join(" "));
    }
    Ok(experiment::to_toml(&imported.experiment))
}

/// A note as a line.
pub(crate) fn in_words(note: &Note) -> String {
    format!("{}:{}: {}", note.file, note.line, note.text)
}

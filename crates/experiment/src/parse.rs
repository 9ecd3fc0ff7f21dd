//! From text to an experiment: syntax, then structure, then meaning.

use crate::check::check;
use crate::checker::Reading;
use crate::file::{Experiment, read_experiment};
use crate::keys::reader::Reader;
use tomlfile::{Diagnostics, Fault, Node, document};

/// Reads an experiment from TOML text. `file` is the name that messages show; nothing is opened.
///
/// # Errors
/// Every fault that can be told apart in one reading. Text that is not TOML gets syntax faults only; a file
/// of an unknown schema version gets that one fault; otherwise faults of structure and of meaning come
/// together.
pub fn parse(text: &str, file: &str) -> Result<Experiment, Diagnostics> {
    read(text, Reading::Stored).map_err(|faults| Diagnostics::new(file, text, faults))
}

/// As [`parse`], with the faults as they were found.
pub(crate) fn read(text: &str, reading: Reading) -> Result<Experiment, Vec<Fault>> {
    let document = document(text)?;
    let mut reader = Reader::default();
    let experiment = read_experiment(&mut reader, &Node::root(&document));
    let mut faults = std::mem::take(&mut reader.faults);
    if let Some(experiment) = &experiment {
        faults.extend(check(experiment, &reader, reading));
    }
    match experiment {
        Some(experiment) if faults.is_empty() => Ok(experiment),
        _ => Err(faults),
    }
}

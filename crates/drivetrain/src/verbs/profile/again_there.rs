//! The file of a drive that a run made before: made anew from the same run, it may go without `--force`,
//! unless somebody changed it.

use std::path::Path;

use notebook::{Facts, Notebook, RunId};

use crate::console::Console;
use crate::outputs::ForceArgs;

/// The scope of the facts about the file in a notebook, and their one key.
const SCOPE: &str = "fit-file";
const HASH: &str = "hash";
/// No file of a drive is longer; a longer one is another file.
const BYTES_MAX: u64 = 16 << 20;

/// The leave to replace the file: that of the user, or that of the run that made it just so.
pub(super) fn leave(force: ForceArgs, (notebook, run): (&Notebook, RunId), file: &Path) -> ForceArgs {
    ForceArgs { force: force.force || is_as_made(notebook, run, file) }
}

fn is_as_made(notebook: &Notebook, run: RunId, file: &Path) -> bool {
    let sets = notebook.fact_sets(run).unwrap_or_default();
    let made = sets.iter().find(|(scope, _)| scope == SCOPE).and_then(|(_, facts)| facts.get(HASH));
    let is_plain = file.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= BYTES_MAX);
    is_plain && disk::text_of_file(file).is_ok_and(|text| Some(&hash(&text)) == made)
}

fn hash(text: &str) -> String {
    let hash = text.bytes().fold(ground::FNV_START, |hash, byte| ground::fnv1a(hash, byte.into()));
    format!("{:016x}", ground::mix(hash))
}

/// Notes what the run wrote. Without the note `--force` is asked for the next time, and nothing else is lost.
pub(super) fn note(text: &str, (notebook, run): (&Notebook, RunId), console: &Console) {
    let facts = Facts::from([(HASH.to_owned(), hash(text))]);
    if let Err(error) = notebook.add_fact_set(run, SCOPE, &facts) {
        console.warn(&format!("run {run} does not know the file that was written of it: {error}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_known_by_its_hash() {
        assert_eq!(hash("a drive"), hash("a drive"));
        assert_ne!(hash("a drive"), hash("a Drive"));
    }
}

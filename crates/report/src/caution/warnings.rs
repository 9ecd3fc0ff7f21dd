//! The warnings that are kept with a run.

use crate::loaded_run::LoadedRun;
use notebook::Note;
use words::{NoteKind, Remark, say};

/// Folders that a warning names; of more it says how many.
const NAMED_MOST: usize = 2;

/// The warnings in their order.
pub(super) fn of(loaded: &LoadedRun) -> Vec<String> {
    let warnings: Vec<&Note> = loaded.notes.iter().filter(|note| note.kind == NoteKind::Warning).collect();
    merged(&warnings)
}

/// Those about runs on the same storage are one, at the place of the first.
fn merged(warnings: &[&Note]) -> Vec<String> {
    let mut folders: Vec<&str> = warnings.iter().filter_map(|note| shared(note)).collect();
    let mut told = Vec::new();
    for note in warnings {
        match shared(note) {
            None => told.push(note.text.clone()),
            Some(_) if folders.is_empty() => {}
            Some(_) => {
                told.push(Remark::StorageShared { folder: named(&std::mem::take(&mut folders)) }.to_string())
            }
        }
    }
    told
}

/// The folder of a warning about another run on the same storage.
fn shared(note: &Note) -> Option<&str> {
    match &note.remark {
        Some(Remark::StorageShared { folder }) => Some(folder),
        _ => None,
    }
}

/// `/a, /b and 2 more`.
fn named(folders: &[&str]) -> String {
    let told = words::list(folders.iter().copied().take(NAMED_MOST));
    match folders.len().saturating_sub(NAMED_MOST) {
        0 => told,
        more => say!("caution-and-more", told, more),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(remark: Remark) -> Note {
        Note { kind: NoteKind::Warning.into(), text: remark.to_string(), remark: Some(remark) }
    }

    #[test]
    fn warnings_about_one_storage_are_one_and_a_text_stays_as_it_is() {
        let on = |folder: &str| note(Remark::StorageShared { folder: folder.to_owned() });
        let other = note(Remark::Told { text: "late: a; never: b".to_owned() });
        let old = |folder: &str| Note { remark: None, ..on(folder) };
        let of = |notes: &[Note]| merged(&notes.iter().collect::<Vec<_>>());
        let told = of(&[on("/a"), other.clone(), on("/b"), on("/c"), on("/d")]);
        assert_eq!(told, [on("/a, /b and 2 more").text, other.text]);
        assert_eq!(of(&[on("/a")]), [on("/a").text]);
        assert_eq!(of(&[old("/a"), old("/b")]), [on("/a").text, on("/b").text]);
        assert_eq!(of(&[]), [""; 0]);
    }
}

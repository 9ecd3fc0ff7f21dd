//! The user's own catalogue: a directory of drive files, which every verb takes by their names.

use std::path::{Path, PathBuf};

use device::catalogue::{self, Entry};
use words::shell;

use super::{by_words, checked, of_file};
use crate::console::Console;
use crate::exit::{Coded, Exit};
use crate::outputs::{self, ForceArgs};

/// The variable that names the directory.
const VARIABLE: &str = "DRIVETRAIN_DRIVES";
/// More drives than anybody has.
const FILES_MAX: usize = 1000;

/// The directory: that of the variable, else below the user's data (XDG base directory specification).
fn directory() -> Option<PathBuf> {
    let of = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = || of("XDG_DATA_HOME").or_else(|| of("HOME").map(|home| home.join(".local/share")));
    of(VARIABLE).or_else(|| data().map(|data| data.join("drivetrain/drives")))
}

/// The place that a drive of this name has in the directory.
pub(crate) fn place_of(name: &str) -> Option<PathBuf> {
    directory().map(|directory| directory.join(format!("{name}.toml")))
}

/// Takes the user's own drives into the catalogue of this process. A file that cannot be used is named and
/// left out: it must not keep other verbs from their work.
pub(crate) fn load(console: &Console) {
    let Some(directory) = directory() else { return };
    let Ok(mut names) = disk::list(&directory) else { return };
    names.sort();
    names.retain(|name| Path::new(name).extension().is_some_and(|end| end == "toml"));
    let (mut entries, mut seen): (Vec<Entry>, Vec<String>) = (Vec::new(), Vec::new());
    for name in names.into_iter().take(FILES_MAX) {
        let path = directory.join(&name);
        // Nobody waits for a pipe that another verb's user left there.
        if !path.is_file() {
            console.warn(&format!("{} is left out: it is no regular file", path.display()));
            continue;
        }
        match of_file(&path) {
            Ok((entry, _)) if is_taken(&entry.name) || seen.contains(&entry.name) => {
                console.warn(&format!(
                    "{}: another drive is called {}; this one is left out",
                    path.display(),
                    entry.name
                ));
            }
            Ok((entry, _)) => {
                seen.push(entry.name.clone());
                entries.push(entry);
            }
            Err(error) => {
                console.warn(&format!(
                    "{} is left out: drivetrain drives --check says why ({})",
                    path.display(),
                    first_line(&error)
                ));
            }
        }
    }
    catalogue::add_own(entries);
}

fn first_line(error: &anyhow::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// True if a drive or a volume of the catalogue has this name.
pub(super) fn is_taken(name: &str) -> bool {
    let own = catalogue::own().iter().any(|entry| entry.name == name);
    (catalogue::find(name).is_some() && !own) || catalogue::is_volume(name)
}

/// The built-in drive that every verb finds under this name, because it is whole words of its name. A drive
/// of one's own that is called so would give the short name another meaning.
pub(super) fn is_short_for(name: &str) -> Option<&'static str> {
    let built_in = || catalogue::all().take(catalogue::names().len() - catalogue::own().len());
    by_words(name, built_in()).map(|entry| entry.name.as_str()).filter(|found| *found != name)
}

/// Refuses a drive whose name is none for a catalogue.
pub(super) fn has_a_proper_name(entry: &Entry, file: &Path) -> anyhow::Result<()> {
    if entry.name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Ok(());
    }
    Err(Coded::usage(format!(
        "{}: a drive in the catalogue has a name that begins with a letter, not `{}`; change `name`",
        file.display(),
        entry.name.escape_debug()
    )))
}

/// Checks a file and copies it into the directory.
pub(super) fn add(file: &Path, notebook: &Path, force: ForceArgs, console: &Console) -> anyhow::Result<Exit> {
    let (entry, text) = of_file(file)?;
    checked::holds_together(&entry, file)?;
    has_a_proper_name(&entry, file)?;
    if is_taken(&entry.name) {
        return Err(Coded::usage(format!(
            "the catalogue has a drive called {}; give yours another name in {}",
            entry.name,
            file.display()
        )));
    }
    if let Some(meant) = is_short_for(&entry.name) {
        return Err(Coded::usage(format!(
            "{} is short for {meant}, a drive of the catalogue: give yours another name in {}, so that the short name keeps its meaning",
            entry.name,
            file.display()
        )));
    }
    let Some(directory) = directory() else {
        return Err(Coded::usage(format!(
            "there is no place for your drives: set {VARIABLE} to a directory, or HOME"
        )));
    };
    disk::create_dir_all(&directory)
        .map_err(|error| anyhow::anyhow!("{}: cannot be made: {error}", directory.display()))?;
    let place = directory.join(format!("{}.toml", entry.name));
    if let Ok((_, there)) = of_file(&place)
        && !force.force
    {
        let place = place.display();
        return match there == text {
            true => Ok(told(&entry.name, &format!("{place}"), "is in your catalogue already", console)),
            false => Err(Coded::refused(format!(
                "your catalogue has another drive called {}: {place}; give yours another name in {}, or add --force to replace it",
                entry.name,
                file.display()
            ))),
        };
    }
    let mut outputs = outputs::beside_notebook(notebook, force, console);
    outputs.keep(file, "an input");
    let output = outputs.plan(&place, outputs::DRIVE);
    let output = output.map_err(outputs::coded)?;
    let path = output.path().display().to_string();
    output.write(text.as_bytes()).map_err(outputs::coded)?;
    Ok(told(&entry.name, &path, "is in your catalogue", console))
}

/// Says where a drive of the user's own is.
fn told(name: &str, path: &str, is: &str, console: &Console) -> Exit {
    if console.json() {
        console.document(&serde_json::json!({ "name": name, "file": path }));
    } else {
        console.answer(&format!("{name} {is}: {path}\nnext: drivetrain drives {}", shell::word(name)));
    }
    Exit::Done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_of_a_built_in_drive_is_known_as_one() {
        assert_eq!(is_short_for("dc1500m"), Some("kingston-dc1500m-960g"));
        assert_eq!(is_short_for("dc1500m-960g"), Some("kingston-dc1500m-960g"));
        // A whole name is no short one; parts of words are none, and words of several drives mean no one.
        for name in ["kingston-dc1500m-960g", "free", "dc1500", "kingston", "my-sata"] {
            assert_eq!(is_short_for(name), None, "{name}");
        }
    }
}

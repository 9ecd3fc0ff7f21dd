//! What a bed's drives are known by: of modelled ones every number, of real ones what lies under their path.
//!
//! A name does not say which drive answered: a drive's file can be edited, a disk replaced. So that two runs can be told apart, and a run
//! is not resumed on another drive than it began on, this is kept with the run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use device::catalogue::Entry;
use experiment::{Bed, Experiment, Workload};
use notebook::{Notebook, RunId};

use crate::LabError;
use crate::beds::{DriveChoice, Drives};

/// Facts by key: `data.read.latency_4k` of a model, `data.mount` and `data.serial` of real storage, the same under `log.`, and under
/// `path.NAME.` of the files and devices that block loads name.
type Facts = BTreeMap<String, String>;

/// Keeps the facts of every bed.
pub(crate) fn keep(
    notebook: &Notebook,
    run: RunId,
    experiment: &Experiment,
    drives: &[Drives],
) -> Result<(), LabError> {
    for (bed, drives) in experiment.bed.iter().zip(drives) {
        notebook.add_fact_set(run, &scope(bed), &of(experiment, bed, drives))?;
    }
    Ok(())
}

/// Keeps the numbers of one modelled drive, of a bed in virtual time.
pub(crate) fn keep_model(notebook: &Notebook, run: RunId, bed: &Bed, entry: &Entry) -> Result<(), LabError> {
    let mut facts = Facts::new();
    add(&mut facts, "data", numbers(entry));
    Ok(notebook.add_fact_set(run, &scope(bed), &facts)?)
}

/// Refuses to go on with a run on modelled drives whose numbers are no longer those it began with.
///
/// # Errors
/// [`LabError::Resume`] with the first number that changed.
pub(crate) fn check(
    notebook: &Notebook,
    run: RunId,
    experiment: &Experiment,
    drives: &[Drives],
) -> Result<(), LabError> {
    let kept = notebook.fact_sets(run)?;
    for (bed, drives) in experiment.bed.iter().zip(drives) {
        let Some((_, kept)) = kept.iter().find(|(name, _)| *name == scope(bed)) else { continue };
        for (role, drive) in roles(drives) {
            let DriveChoice::Emulated(entry) = drive else { continue };
            let mut now = Facts::new();
            add(&mut now, role, numbers(entry));
            let changed = now.iter().find(|(key, value)| kept.get(*key).is_some_and(|old| old != *value));
            if let Some((key, value)) = changed {
                let old = kept.get(key).map_or("", String::as_str);
                let why = format!(
                    "the drive `{}` of bed `{}` is no longer the one it began with: {key} was {old} and is {value}; give the file its \
                     numbers back, or run the experiment anew",
                    entry.name, bed.name
                );
                return Err(LabError::Resume { run: run.0, why });
            }
        }
    }
    Ok(())
}

fn scope(bed: &Bed) -> String {
    format!("drive:{}", bed.name)
}

fn of(experiment: &Experiment, bed: &Bed, drives: &Drives) -> Facts {
    let mut facts = Facts::new();
    for (role, drive) in roles(drives) {
        match drive {
            DriveChoice::Emulated(entry) => add(&mut facts, role, numbers(entry)),
            DriveChoice::Real => {
                let storage = if role == "log" { bed.log.as_ref() } else { Some(&bed.storage) };
                let path = storage.map(crate::workdir::path_of);
                add(&mut facts, role, path.map(host::under).unwrap_or_default());
            }
            DriveChoice::Unknown(_) => {}
        }
    }
    for path in named_paths(experiment) {
        add(&mut facts, &format!("path.{}", path.display()), host::under(&path));
    }
    facts
}

fn roles(drives: &Drives) -> impl Iterator<Item = (&'static str, &DriveChoice)> {
    [Some(("data", &drives.data)), drives.log.as_ref().map(|log| ("log", log))].into_iter().flatten()
}

/// Files and devices that block loads name by a path of their own, beside the storage of a bed.
fn named_paths(experiment: &Experiment) -> Vec<PathBuf> {
    let of = |workload: &Workload| match workload {
        Workload::Block(block) => block.paths.clone(),
        _ => Vec::new(),
    };
    let mut paths: Vec<PathBuf> = experiment.workload.iter().flat_map(of).map(PathBuf::from).collect();
    paths.retain(|path| path.is_absolute() && !is_pattern(path));
    paths.sort();
    paths.dedup();
    paths
}

/// Whether a path stands for several.
fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains('%')
}

fn numbers(entry: &Entry) -> Facts {
    let text = |fact: &device::catalogue::Fact| {
        let unit = if fact.unit.is_empty() { String::new() } else { format!(" {}", fact.unit) };
        (fact.key.clone(), format!("{}{unit}", fact.value))
    };
    entry.facts.iter().map(text).collect()
}

fn add(facts: &mut Facts, role: &str, of: Facts) {
    facts.extend(of.into_iter().map(|(key, value)| (format!("{role}.{key}"), value)));
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "[drive]\nname = \"a\"\ncapacity_gb = 1\n[link]\nduplex = \"half\"\nqueue_limit = 32\n\
        read_bandwidth_mb_per_s = 550\nwrite_bandwidth_mb_per_s = 520\n[read]\nlatency_4k_us = 120\nrate_4k_per_s = 95_000\n\
        [write]\nack_us = 45\nrate_4k_per_s = 30_000\n[flush]\npower_loss_protection = true\n";

    fn of_file(text: &str) -> Facts {
        numbers(&device::catalogue::parse(text, "a.toml").unwrap())
    }

    /// A number that is not among the facts would let an edited drive pass for the old one.
    #[test]
    fn every_number_of_a_drive_is_among_its_facts() {
        let edits = [
            ("\"half\"", "\"full\""),
            ("queue_limit = 32", "queue_limit = 31"),
            ("= 550", "= 551"),
            ("= 520", "= 521"),
            ("= 120", "= 121"),
            ("= 95_000", "= 95_001"),
            ("= 30_000", "= 30_001"),
            ("capacity_gb = 1", "capacity_gb = 2"),
            ("ack_us = 45", "ack_us = 46"),
            // Without protection a flush costs time, which the catalogue then asks for.
            ("= true", "= false\ncost_us = 900"),
        ];
        for (from, to) in edits {
            assert_ne!(of_file(FILE), of_file(&FILE.replace(from, to)), "{to}");
        }
        assert_eq!(
            of_file(FILE),
            of_file(&FILE.replace("name = \"a\"", "name = \"b\"")),
            "a name is no number"
        );
    }

    #[test]
    fn a_pattern_is_no_path() {
        assert!(is_pattern(Path::new("/dev/sd%c")) && !is_pattern(Path::new("/dev/sda")));
    }
}

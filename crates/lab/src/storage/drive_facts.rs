//! The identity of a bed's drives: every number of modelled ones, the devices under the path of real ones.
//!
//! A name does not identify a drive: a drive's file can be edited, a disk replaced. These facts are stored
//! with the run, so that two runs can be distinguished, and a run is not resumed on another drive.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use device::catalogue::Entry;
use experiment::{Bed, Experiment, Storage};
use notebook::{Notebook, RunId};

use crate::error::LabError;
use crate::needs;
use crate::storage::drives::{DriveChoice, Drives};
use crate::storage::workdir::WorkDir;

/// Facts by key: `data.read.latency_4k` of a model, `data.mount` and `data.serial` of real storage, the same
/// under `log.`, and under `path.NAME.` of the files and devices that block loads name.
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

/// The facts of the real drives of the beds on this machine, by scope: a rank of a fleet tells them to its
/// lead.
pub(crate) fn of_real(experiment: &Experiment) -> BTreeMap<String, Facts> {
    let mut scopes = BTreeMap::new();
    for bed in experiment.bed.iter().filter(|bed| experiment.url_of(bed).is_none()) {
        let mut facts = Facts::new();
        for role in ["data", "log"] {
            if let Some(storage @ Storage::Real { .. }) = storage_of(bed, role) {
                add(&mut facts, role, host::under(crate::storage::targets::path_of(storage)));
            }
        }
        if !facts.is_empty() {
            add_named(&mut facts, experiment);
            scopes.insert(scope(bed), facts);
        }
    }
    scopes
}

/// Facts of a real drive that stay when its firmware, its queue and its name change.
const LASTING: [&str; 4] = ["model", "serial", "size_bytes", "layer"];
/// The facts that distinguish file systems whose drive reports no model and serial number.
const PLACE: [&str; 3] = ["source", "mount", "fs"];

/// Refuses to go on with a run on modelled drives whose numbers are no longer those it began with, or on real
/// storage that is another by now: a path below which nothing is mounted any more leads to the drive of the
/// system.
///
/// # Errors
/// [`LabError::Resume`] with the first fact that changed.
pub(crate) fn check(
    notebook: &Notebook,
    run: RunId,
    experiment: &Experiment,
    drives: &[Drives],
    work: &WorkDir,
) -> Result<(), LabError> {
    let kept = notebook.fact_sets(run)?;
    for (bed, drives) in experiment.bed.iter().zip(drives) {
        let Some((_, kept)) = kept.iter().find(|(name, _)| *name == scope(bed)) else { continue };
        let now = of(experiment, bed, drives);
        for (role, drive) in roles(drives) {
            let (changed, whose, fix) = match drive {
                DriveChoice::Emulated(entry) => (
                    number_changed(kept, &now, role),
                    format!("the drive `{}` of bed `{}`", entry.name, bed.name),
                    "give the file its numbers back",
                ),
                // The run's own folder proves the place, whatever number its device has by now.
                DriveChoice::Real if storage_of(bed, role).is_some_and(|storage| work.is_on(storage)) => {
                    continue;
                }
                DriveChoice::Real => (
                    place_changed(kept, &now, role),
                    format!(
                        "the {} of bed `{}`",
                        if role == "log" { "log storage" } else { "storage" },
                        bed.name
                    ),
                    "mount it as it was",
                ),
                DriveChoice::Unknown(_) => continue,
            };
            if let Some(key) = changed {
                let fact = |facts: &Facts| facts.get(&key).cloned().unwrap_or_default();
                let (was, is) = (fact(kept), fact(&now));
                let why = format!(
                    "{whose} is no longer the one it began with: {key} was {was} and is {is}; {fix}, or run the experiment anew"
                );
                return Err(LabError::Resume { run: run.0, why });
            }
        }
    }
    Ok(())
}

/// The difference between a drive and the modelled drive of a bed as a run began with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unlike {
    /// The notebook, of an older version, has no numbers of that drive.
    NotKept,
    /// A number is another one.
    Number {
        /// Its key.
        key: String,
        /// In the run.
        was: String,
        /// Of the drive.
        is: String,
    },
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unlike::NotKept => f.write_str("the notebook has no numbers of its drive"),
            Unlike::Number { key, was, is } => write!(f, "{key} was {was} and is {is}"),
        }
    }
}

/// The first difference between `entry` and the modelled drive that the bed `bed` had when the run began;
/// `None` where all numbers are the same.
///
/// # Errors
/// The notebook's own.
pub fn number_unlike(
    notebook: &Notebook,
    run: RunId,
    bed: &Bed,
    entry: &Entry,
) -> Result<Option<Unlike>, LabError> {
    let sets = notebook.fact_sets(run)?;
    let kept = sets.into_iter().find(|(name, _)| *name == scope(bed)).map(|(_, facts)| facts);
    let Some(kept) = kept else { return Ok(Some(Unlike::NotKept)) };
    let mut now = Facts::new();
    add(&mut now, "data", numbers(entry));
    let of = |facts: &Facts, key: &str| facts.get(key).cloned().unwrap_or_else(|| "missing".to_owned());
    let keys = kept.keys().filter(|key| key.starts_with("data.")).chain(now.keys());
    let mut unlike = keys.map(|key| (key, of(&kept, key), of(&now, key))).filter(|(_, was, is)| was != is);
    Ok(unlike.next().map(|(key, was, is)| {
        let key = key.strip_prefix("data.").unwrap_or(key).to_owned();
        Unlike::Number { key, was, is }
    }))
}

/// The first number of a modelled drive that is another one.
fn number_changed(kept: &Facts, now: &Facts, role: &str) -> Option<String> {
    let of_role =
        now.iter().filter(|(key, _)| key.strip_prefix(role).is_some_and(|rest| rest.starts_with('.')));
    let mut changed = of_role.filter(|(key, value)| kept.get(*key).is_some_and(|old| old != *value));
    changed.next().map(|(key, _)| key.clone())
}

/// The first fact by which real storage is another. Kernels number their devices anew, so a drive that
/// reports its model and serial number is known by them, and another by its mount.
fn place_changed(kept: &Facts, now: &Facts, role: &str) -> Option<String> {
    let of = |key: &&str| {
        let key = format!("{role}.{key}");
        Some((kept.get(&key)?, now.get(&key)?)).map(|(old, new)| (old == new, key.clone()))
    };
    let first_unlike =
        |keys: &[&str]| keys.iter().filter_map(of).find(|(is_same, _)| !is_same).map(|(_, key)| key);
    first_unlike(&LASTING).or_else(|| {
        let is_known = ["model", "serial"].iter().all(|key| of(key).is_some());
        if is_known { None } else { first_unlike(&PLACE) }
    })
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
                let path = storage_of(bed, role).map(crate::storage::targets::path_of);
                add(&mut facts, role, path.map(host::under).unwrap_or_default());
            }
            DriveChoice::Unknown(_) => {}
        }
    }
    add_named(&mut facts, experiment);
    facts
}

fn add_named(facts: &mut Facts, experiment: &Experiment) {
    for path in named_paths(experiment) {
        add(facts, &format!("path.{}", path.display()), host::under(&path));
    }
}

fn storage_of<'a>(bed: &'a Bed, role: &str) -> Option<&'a Storage> {
    if role == "log" { bed.log.as_ref() } else { Some(&bed.storage) }
}

fn roles(drives: &Drives) -> impl Iterator<Item = (&'static str, &DriveChoice)> {
    [Some(("data", &drives.data)), drives.log.as_ref().map(|log| ("log", log))].into_iter().flatten()
}

/// Files and devices that block loads name by a path of their own, beside the storage of a bed.
fn named_paths(experiment: &Experiment) -> Vec<PathBuf> {
    let of = |workload| needs::of(workload).paths();
    let mut paths: Vec<PathBuf> = experiment.workload.iter().flat_map(of).map(PathBuf::from).collect();
    paths.retain(|path| path.is_absolute() && !is_pattern(path));
    paths.sort();
    paths.dedup();
    paths
}

/// True if a path is a pattern for several.
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

    #[test]
    fn real_storage_is_known_by_its_drive_or_by_its_place() {
        let facts = |text: &str| -> Facts {
            let pairs = text.split_whitespace().map(|pair| pair.split_once('=').unwrap());
            pairs.map(|(key, value)| (format!("data.{key}"), value.to_owned())).collect()
        };
        let began = facts("source=/dev/sdb1 mount=/data fs=ext4 size_bytes=100");
        let named = facts("source=/dev/sdb1 mount=/data fs=ext4 size_bytes=100 model=a serial=1");
        for (kept, now, changed) in [
            (&began, "source=/dev/sdb1 mount=/data fs=ext4 size_bytes=100", None),
            (&began, "source=tmpfs mount=/data fs=tmpfs", Some("data.source")),
            (&began, "source=/dev/sda1 mount=/ fs=ext4 size_bytes=200", Some("data.size_bytes")),
            (&began, "source=/dev/sda1 mount=/ fs=ext4 size_bytes=100", Some("data.source")),
            (&named, "source=/dev/sdc1 mount=/other fs=xfs size_bytes=100 model=a serial=1", None),
            (
                &named,
                "source=/dev/sdb1 mount=/data fs=ext4 size_bytes=100 model=a serial=2",
                Some("data.serial"),
            ),
            (&named, "source=tmpfs mount=/data fs=tmpfs", Some("data.source")),
        ] {
            assert_eq!(place_changed(kept, &facts(now), "data").as_deref(), changed, "{now}");
        }
        assert_eq!(place_changed(&Facts::new(), &began, "data"), None, "an older notebook does not know");
    }

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

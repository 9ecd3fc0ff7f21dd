//! The systems under a run: the engine's version, the numbers of modelled drives, the device below a real
//! path, the parameters of a simulation.
//!
//! A name is not enough: a drive's file can be edited under its name, and a server can be replaced at its
//! address. What an older notebook does not hold is taken from the experiment's text where that settles it;
//! elsewhere it is not known, and said to be so.

use super::{Path, Unlike, asked};
use crate::loaded_run::{Facts, LoadedRun, Measured};
use experiment::Storage;
use notebook::{Bed, CellState};
use std::collections::BTreeSet;
use words::{Engine, say};

/// Facts of a drive that stay when its firmware, its queue and its name change.
const LASTING: [&str; 4] = ["model", "serial", "size_bytes", "layer"];
/// More numbers of one drive than this are counted, not told one by one.
const NUMBERS_TOLD_MOST: usize = 6;

/// Everything that answered otherwise in one run than in the other.
pub(super) fn differences(run: &LoadedRun, baseline: &LoadedRun) -> Vec<Unlike> {
    let mut found = Vec::new();
    if run.run.realm != baseline.run.realm {
        // Then all of this differs, and the realm says so.
        return found;
    }
    if run.is_simulated() {
        found.extend(models(run, baseline));
    }
    // A bed that one of them lacks is told as a whole.
    let has_both = |bed: &&Bed| baseline.beds.iter().any(|other| other.name == bed.name);
    for bed in run.beds.iter().filter(has_both) {
        let pair = Pair { run, baseline, bed: &bed.name };
        if !run.is_simulated() {
            found.extend(pair.engine());
            found.extend(pair.buffer());
        }
        found.extend(pair.drive(false));
        found.extend(pair.drive(true));
        found.extend(pair.named_paths());
    }
    found
}

/// Every place at which the system under a run can differ.
pub(super) fn places(loaded: &LoadedRun) -> Vec<Path> {
    let below = |at: &Path, facts: &Facts| facts.keys().map(|key| at.key(key)).collect::<Vec<_>>();
    let mut all = vec![Path::of("tool").key("version"), Path::of("model")];
    all.extend(
        loaded.scope("simulated-parameters").into_iter().flat_map(|facts| below(&Path::of("model"), facts)),
    );
    for bed in &loaded.beds {
        let at = Path::of("bed").name(&bed.name);
        all.extend(["version", "buffer"].map(|key| at.key("engine").key(key)));
        all.push(at.key("path"));
        all.extend(below(&at.key("path"), &recorded(loaded, &bed.name, "path.")));
        for (role, facts) in [("storage", "data."), ("log", "log.")] {
            all.push(at.key(role));
            all.extend(below(&at.key(role).key("drive"), &recorded(loaded, &bed.name, facts)));
        }
    }
    all
}

/// The program and the parameters of a simulation: a model is part of the request.
fn models(run: &LoadedRun, baseline: &LoadedRun) -> Vec<Unlike> {
    let version = |loaded: &LoadedRun| Some(loaded.run.tool_version.clone());
    let (old, new) = (version(baseline), version(run));
    let mut found = Vec::new();
    if old != new {
        found.push(Unlike::new(&Path::of("tool").key("version"), old, new));
    }
    let parameters = |loaded: &LoadedRun| loaded.scope("simulated-parameters").cloned().unwrap_or_default();
    found.extend(numbers(&Path::of("model"), &parameters(baseline), &parameters(run)));
    found
}

/// Facts that are not the same on both sides: each, or their number and the first when they are many.
fn numbers(at: &Path, old: &Facts, new: &Facts) -> Vec<Unlike> {
    let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let unlike: Vec<&String> = keys.into_iter().filter(|key| old.get(*key) != new.get(*key)).collect();
    let told = |key: &String| Unlike::new(&at.key(key), old.get(key).cloned(), new.get(key).cloned());
    let [first, .., _] = unlike[..] else { return unlike.into_iter().map(told).collect() };
    if unlike.len() <= NUMBERS_TOLD_MOST {
        return unlike.into_iter().map(told).collect();
    }
    let shown = |facts: &Facts| {
        let value = facts.get(first).map_or(say!("not-recorded"), String::as_str);
        Some(say!("alike-numbers", count = unlike.len(), first, value))
    };
    vec![Unlike::new(at, shown(old), shown(new))]
}

/// The same bed in two runs.
struct Pair<'a> {
    run: &'a LoadedRun,
    baseline: &'a LoadedRun,
    bed: &'a str,
}

impl Pair<'_> {
    fn at(&self) -> Path {
        Path::of("bed").name(self.bed)
    }

    /// The version of the engine, as the valid cells recorded it. Only databases have one.
    fn engine(&self) -> Option<Unlike> {
        let (old, new) = (self.setting(self.baseline, is_version), self.setting(self.run, is_version));
        let database = asked::has_database(self.run) || asked::has_database(self.baseline);
        let unlike = old != new || (old.is_none() && database);
        let new = match (&old, new) {
            (None, None) => say!("alike-not-recorded-either").to_owned(),
            (_, new) => new.unwrap_or(say!("not-recorded").to_owned()),
        };
        let old = old.unwrap_or(say!("not-recorded").to_owned());
        unlike.then(|| Unlike::new(&self.at().key("engine").key("version"), Some(old), Some(new)))
    }

    /// The buffer pool of a server that the run did not set up itself: there `memory` only records.
    fn buffer(&self) -> Option<Unlike> {
        let is_buffer =
            |key: &str| Engine::servers().filter_map(Engine::buffer_setting).any(|name| key.ends_with(name));
        let (old, new) = (self.setting(self.baseline, is_buffer), self.setting(self.run, is_buffer));
        (old != new).then(|| Unlike::new(&self.at().key("engine").key("buffer").treated("memory"), old, new))
    }

    /// All values that a setting had in the cells of the bed that count.
    fn setting(&self, loaded: &LoadedRun, wanted: impl Fn(&str) -> bool) -> Option<String> {
        let cells = loaded.cells.iter().filter(|m| m.cell.bed == self.bed && m.cell.state == CellState::Done);
        let settings = cells.flat_map(Measured::settings).filter(|(key, _)| wanted(key));
        let values: BTreeSet<&str> = settings.map(|(_, value)| value).collect();
        (!values.is_empty()).then(|| values.into_iter().collect::<Vec<_>>().join(", "))
    }

    /// The drive of the data, or of the log.
    fn drive(&self, log: bool) -> Vec<Unlike> {
        let (role, treatment) = if log { ("log", "log") } else { ("storage", "storage") };
        let at = self.at().key(role).treated(treatment);
        let side = |loaded: &LoadedRun| Side {
            storage: asked::storage(loaded, self.bed, log),
            facts: recorded(loaded, self.bed, if log { "log." } else { "data." }),
        };
        let (old, new) = (side(self.baseline), side(self.run));
        match (&old.storage, &new.storage) {
            // No log of its own, an address in place of a storage, or a text that cannot be read: said
            // elsewhere.
            (None, None) => Vec::new(),
            (Some(Storage::Emulated { drive: a, .. }), Some(Storage::Emulated { drive: b, .. })) => {
                self.modelled(&at, (a, &old.facts), (b, &new.facts))
            }
            (Some(Storage::Real { .. }), Some(Storage::Real { .. })) if self.run.is_simulated() => {
                // No byte went there.
                Vec::new()
            }
            (Some(Storage::Real { .. }), Some(Storage::Real { .. })) if old.is_place_of(&new) => Vec::new(),
            _ => vec![Unlike::new(&at, old.shown(), new.shown())],
        }
    }

    /// The drives below files and devices that block loads name by their paths.
    fn named_paths(&self) -> Vec<Unlike> {
        let lasting = |loaded: &LoadedRun| {
            let mut facts = recorded(loaded, self.bed, "path.");
            facts.retain(|key, _| LASTING.iter().any(|fact| key.ends_with(&format!(".{fact}"))));
            facts
        };
        let at = self.at().key("path").treated("storage");
        numbers(&at, &lasting(self.baseline), &lasting(self.run))
    }

    /// Two modelled drives: by their numbers where both are recorded, else by their names.
    fn modelled(&self, at: &Path, old: (&str, &Facts), new: (&str, &Facts)) -> Vec<Unlike> {
        let emulated = |name: &str| Some(say!("alike-emulated", name));
        if !old.1.is_empty() && !new.1.is_empty() {
            return match old.0 == new.0 {
                _ if old.1 == new.1 => Vec::new(),
                true => numbers(&at.key("drive"), old.1, new.1),
                false => vec![Unlike::new(at, emulated(old.0), emulated(new.0))],
            };
        }
        let same_program = self.run.run.tool_version == self.baseline.run.tool_version;
        // A name of the catalogue means the same numbers in the same program; a file can have been edited.
        if old.0 == new.0 && same_program && !old.0.ends_with(".toml") {
            return Vec::new();
        }
        let known = |(name, facts): (&str, &Facts)| match facts.is_empty() && old.0 == new.0 {
            true => Some(say!("alike-emulated-unknown", name)),
            false => emulated(name),
        };
        vec![Unlike::new(at, known(old), known(new))]
    }
}

/// The recorded facts of a bed's drive, by role.
fn recorded(loaded: &LoadedRun, bed: &str, role: &str) -> Facts {
    let scope = loaded.scope(&format!("drive:{bed}")).into_iter().flatten();
    scope.filter_map(|(key, value)| Some((key.strip_prefix(role)?.to_owned(), value.clone()))).collect()
}

fn is_version(key: &str) -> bool {
    key.ends_with(".version")
}

/// One run's storage of one role.
struct Side {
    storage: Option<Storage>,
    facts: Facts,
}

impl Side {
    fn shown(&self) -> Option<String> {
        let storage = self.storage.as_ref()?;
        if matches!(storage, Storage::Real { .. }) && self.facts.is_empty() {
            return Some(say!("alike-drive-unknown", storage = storage.to_string()));
        }
        let below = ["model", "source", "serial"].iter().filter_map(|key| self.facts.get(*key));
        let below = below.map(String::as_str).collect::<Vec<_>>().join(" ");
        Some(if below.is_empty() {
            storage.to_string()
        } else {
            say!("alike-storage-on", storage = storage.to_string(), below)
        })
    }

    /// True if two real paths lie on one drive. Firmware, queue and file system may have changed: they are
    /// the subject of such comparisons. Kernels number their devices anew, so a drive that reports model and
    /// serial number is known by them; another by its mount.
    fn is_place_of(&self, other: &Side) -> bool {
        let fact = |key: &str| (self.facts.get(key), other.facts.get(key));
        let agrees = |key: &str| matches!(fact(key), (Some(a), Some(b)) if a == b);
        let contradicts = |key: &str| matches!(fact(key), (Some(a), Some(b)) if a != b);
        if LASTING.into_iter().any(contradicts) {
            return false;
        }
        if agrees("model") && agrees("serial") {
            return true;
        }
        let mounted = agrees("mount") && agrees("source");
        // Device nodes all lie on one file system: they are known by their names.
        let nodes = self.facts.get("fs").is_some_and(|fs| fs == "devtmpfs");
        if nodes {
            return self.storage == other.storage && mounted;
        }
        mounted || (self.storage == other.storage && agrees("source"))
    }
}

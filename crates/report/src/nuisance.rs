//! In what the beds differ besides the treatment. If there is anything, a difference in results cannot be put
//! down to the treatment.

use crate::loaded_run::{Facts, LoadedRun};
use notebook::{Bed, COMMAND, CellState};
use std::collections::BTreeSet;
use study::profile::FIT;
use words::Realm;

/// One factor in which beds differ although the experiment does not vary it on purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nuisance {
    /// The fact's key, with its scope before it where that is not the bed: `database.page_size`.
    pub fact: String,
    /// Bed and value, in the order of the beds; `None` where the fact was not recorded.
    pub values: Vec<(String, Option<String>)>,
}

/// Last words of keys that name a bed rather than describe it: they differ by necessity.
const IDENTITY: [&str; 14] = [
    "name",
    "label",
    "title",
    "path",
    "dir",
    "directory",
    "file",
    "uuid",
    "serial",
    "seed",
    "port",
    "pid",
    "id",
    "summary",
];
/// Words of keys that stay nuisances although they are close to storage: the file system and the layers under
/// it are not the drive.
const NEVER_TREATMENT: [&str; 8] =
    ["fs", "filesystem", "scheduler", "options", "encryption", "raid", "synchronous", "journal"];
/// Words that belong to a treatment besides its own name.
const ALIASES: [(&str, &[&str]); 2] = [
    ("storage", &["drive", "device", "disk", "emulated", "real", "realm"]),
    ("memory", &["cache", "buffer", "pool"]),
];

/// Facts of every bed that differ, split into those of the treatment and the rest.
pub(crate) struct Differences {
    pub(crate) treatment: Vec<Nuisance>,
    pub(crate) nuisances: Vec<Nuisance>,
}

/// Compares the facts of the beds of one run.
///
/// Facts are those of the scopes `bed:NAME` and `database:NAME`. What a bed's own description says counts
/// only for real beds: the description of an emulated bed is that of the published study and is not part of
/// this run.
pub(crate) fn between_beds(loaded: &LoadedRun) -> Differences {
    let mut facts: Vec<(String, Facts)> =
        loaded.beds.iter().map(|bed| (bed.name.clone(), facts_of(loaded, bed))).collect();
    for key in FILE_SYSTEM {
        let of = |(bed, _): &(String, Facts)| file_system(loaded, bed, key);
        // The storage of some kinds of beds tells nothing: that is no difference.
        let Some(told) = facts.iter().map(of).collect::<Option<Vec<String>>>() else { continue };
        for ((_, facts), value) in facts.iter_mut().zip(told) {
            facts.insert(format!("storage.{key}"), value);
        }
    }
    let (treatment, nuisances) = differing(&facts).into_iter().partition(|difference| {
        loaded.run.treatment.iter().any(|treatment| belongs_to(&difference.fact, treatment))
    });
    Differences { treatment, nuisances }
}

/// The facts of the file system that holds the data of a bed.
const FILE_SYSTEM: [&str; 2] = ["fs", "options"];

/// A fact of the file system below the data of a bed, as the host recorded it.
fn file_system(loaded: &LoadedRun, bed: &str, key: &str) -> Option<String> {
    let drive = loaded.scope(&format!("drive:{bed}"))?;
    if let Some(value) = drive.get(&format!("data.{key}")) {
        return Some(value.clone());
    }
    loaded.scope("host")?.get(&format!("storage.{}.{key}", drive.get("data.mount")?)).cloned()
}

/// The facts of a bed that could change its results.
fn facts_of(loaded: &LoadedRun, bed: &Bed) -> Facts {
    let mut facts = if bed.realm != Realm::Emulated { bed.facts.clone() } else { Facts::new() };
    facts.extend(loaded.scope(&format!("bed:{}", bed.name)).cloned().unwrap_or_default());
    let database = loaded.scope(&format!("database:{}", bed.name)).into_iter().flatten();
    facts.extend(database.map(|(key, value)| (format!("database.{key}"), value.clone())));
    facts.retain(|key, _| !is_identity(key) && !key.starts_with("setup."));
    facts
}

/// Pairs of beds between which nothing differs: what their results differ in is noise (an A/A comparison).
///
/// The path of real storage is the storage itself, so real beds are the same only on the same path.
pub(crate) fn same_beds(loaded: &LoadedRun) -> Vec<(&Bed, &Bed)> {
    let whole = |bed: &Bed| {
        let scope = format!("bed:{}", bed.name);
        let path = |key: &str| loaded.scope(&scope).and_then(|facts| facts.get(key)).cloned();
        let paths = (bed.realm != Realm::Emulated).then(|| (path("storage.path"), path("log.path")));
        (facts_of(loaded, bed), bed.realm.clone(), bed.storage_summary.clone(), paths)
    };
    let mut pairs = Vec::new();
    for (index, second) in loaded.beds.iter().enumerate() {
        let known = !facts_of(loaded, second).is_empty();
        let earlier = loaded.beds[..index].iter().filter(|first| known && whole(first) == whole(second));
        pairs.extend(earlier.map(|first| (first, second)));
    }
    pairs
}

/// True if a set of facts is about the emulation layer, the study, or the experiment itself, which is
/// compared before anything is judged.
fn is_no_surrounding(scope: &str) -> bool {
    ["floor:", "attribution:", "bed:", "drive:", "beside:", "simulated-parameters", COMMAND, FIT]
        .iter()
        .any(|prefix| scope.starts_with(prefix))
}

/// The settings that the databases of a run told: bed, name and value, each once.
fn settings(loaded: &LoadedRun) -> BTreeSet<(&str, &str, &str)> {
    let mut told = BTreeSet::new();
    for measured in loaded.cells.iter().filter(|measured| measured.cell.state == CellState::Done) {
        told.extend(measured.settings().map(|(key, value)| (measured.cell.bed.as_str(), key, value)));
    }
    told
}

/// Compares the surroundings of two runs with the same request: host, tool, order, settings of the databases.
/// `names` are the runs' names.
pub(crate) fn between_runs(a: &LoadedRun, b: &LoadedRun, names: [&str; 2]) -> Vec<Nuisance> {
    let surroundings = |loaded: &LoadedRun| {
        let mut facts = Facts::new();
        for (scope, set) in &loaded.facts {
            let prefix = if scope == "host" { String::new() } else { format!("{scope}.") };
            let told = set.iter().filter(|(key, _)| !is_volatile(key) && !is_no_surrounding(scope));
            facts.extend(told.map(|(key, value)| (format!("{prefix}{key}"), value.clone())));
        }
        facts.insert("tool.version".to_owned(), loaded.run.tool_version.clone());
        facts.insert("run.order".to_owned(), loaded.run.order.clone());
        for (bed, key, value) in settings(loaded) {
            let values: &mut String = facts.entry(format!("database:{bed}.{key}")).or_default();
            values.push_str(if values.is_empty() { "" } else { ", " });
            values.push_str(value);
        }
        facts.retain(|key, _| !is_identity(key));
        facts
    };
    differing(&[(names[0].to_owned(), surroundings(a)), (names[1].to_owned(), surroundings(b))])
}

/// Every fact that is not the same in all sets.
fn differing(sets: &[(String, Facts)]) -> Vec<Nuisance> {
    let mut keys: Vec<&String> = sets.iter().flat_map(|(_, facts)| facts.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let of = |key: &String| Nuisance {
        fact: key.clone(),
        values: sets.iter().map(|(name, facts)| (name.clone(), facts.get(key).cloned())).collect(),
    };
    let differs = |nuisance: &Nuisance| nuisance.values.windows(2).any(|pair| pair[0].1 != pair[1].1);
    keys.into_iter().map(of).filter(differs).collect()
}

fn words(key: &str) -> impl Iterator<Item = &str> {
    key.split(['.', '_', '-', ':', ' '])
}

fn is_identity(key: &str) -> bool {
    words(key).last().is_some_and(|word| IDENTITY.contains(&word))
}

/// Facts of a host that change by themselves and explain nothing.
fn is_volatile(key: &str) -> bool {
    const VOLATILE: [&str; 10] =
        ["available", "free", "uptime", "loadavg", "load", "dirty", "used", "mhz", "time", "temperature"];
    words(key).any(|word| VOLATILE.contains(&word))
}

/// True if a fact describes the treatment: one of its words is the treatment's name or one of its aliases.
/// Facts of the log belong to the log alone: its place is a treatment of its own.
fn belongs_to(key: &str, treatment: &str) -> bool {
    if words(key).next() == Some("log") && treatment != "log" {
        return false;
    }
    if words(key).any(|word| NEVER_TREATMENT.contains(&word)) {
        return false;
    }
    let aliases = ALIASES.iter().find(|(name, _)| *name == treatment).map_or(&[][..], |(_, aliases)| aliases);
    words(key).any(|word| word == treatment || aliases.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_belongs_to_the_treatment_by_its_words() {
        for key in ["storage", "storage.drive", "drive.read_latency_us", "emulated_drive"] {
            assert!(belongs_to(key, "storage"), "{key}");
        }
        for key in
            ["memory_bytes", "storage.fs", "database.synchronous", "cpu.model", "log.storage.scheduler"]
        {
            assert!(!belongs_to(key, "storage"), "{key}");
        }
        assert!(belongs_to("log.drive", "log"));
        assert!(!belongs_to("log.drive", "storage") && !belongs_to("storage.drive", "log"));
        assert!(belongs_to("database.cache_size", "memory"));
        assert!(!belongs_to("storage", "memory"));
    }

    #[test]
    fn what_one_set_lacks_is_a_difference() {
        let facts = |pairs: &[(&str, &str)]| -> Facts {
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
        };
        let sets = [
            ("a".to_owned(), facts(&[("cpu", "x"), ("ram", "1"), ("os", "l")])),
            ("b".to_owned(), facts(&[("cpu", "y"), ("os", "l")])),
        ];
        let found = differing(&sets);
        assert_eq!(found.iter().map(|n| n.fact.as_str()).collect::<Vec<_>>(), ["cpu", "ram"]);
        assert_eq!(found[1].values, [("a".to_owned(), Some("1".to_owned())), ("b".to_owned(), None)]);
    }

    #[test]
    fn names_and_paths_describe_nothing() {
        assert!(is_identity("storage.path") && is_identity("name") && is_identity("work_dir"));
        assert!(!is_identity("storage.drive"));
        assert!(is_volatile("memory.available_bytes") && !is_volatile("memory.total_bytes"));
    }
}

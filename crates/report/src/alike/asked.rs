//! The request of a run: its experiment as it was run, taken apart into names and values.
//!
//! The notebook keeps the experiment after `--set`, `--storage` and `--scale`, so only the scale
//! distinguishes a written value from a scaled one. Values on which no load depends are left out: titles,
//! labels, seeds, repeats, the published set-up.

use super::{Path, Unlike};
use crate::loaded_run::LoadedRun;
use experiment::{Bed, Experiment, Storage, Workload};
use serde_json::Value;
use std::collections::BTreeMap;
use words::{EffectKey, say};

/// Values by their place.
type Asked = BTreeMap<Path, String>;

/// The differences between the requests of a run and of the baseline.
pub(super) fn differences(run: &LoadedRun, baseline: &LoadedRun) -> Vec<Unlike> {
    let one_realm = run.run.realm == baseline.run.realm;
    let mut found = values(&about(baseline, one_realm), &about(run, one_realm));
    match (read(baseline), read(run)) {
        (Ok(old), Ok(new)) => found.extend(experiments(run, baseline, &old, &new)),
        // One text is one question, whether or not this program can read it.
        _ if run.run.experiment_toml == baseline.run.experiment_toml => {}
        _ if run.is_imported() && baseline.is_imported() => {
            found.extend(values(&stated(baseline), &stated(run)));
        }
        (old, new) => {
            let said = |read: Result<Experiment, String>| {
                Some(read.err().unwrap_or(say!("alike-another-text").to_owned()))
            };
            found.push(Unlike::new(&Path::of("experiment"), said(old), said(new)));
        }
    }
    found
}

/// Every place at which a request can differ from that of a run.
pub(super) fn places(loaded: &LoadedRun) -> Vec<Path> {
    let mut asked = about(loaded, true);
    if loaded.is_imported() {
        asked.extend(stated(loaded));
    }
    if let Ok(experiment) = read(loaded) {
        asked.extend(whole(&experiment, true));
        asked.extend(experiment.bed.iter().flat_map(|bed| of_bed(&experiment, bed, true)));
        asked.extend(experiment.workload.iter().flat_map(|load| of_workload(&experiment, load)));
        // Levels that only one run has are refused by themselves.
        let levels = |load: &Workload| Path::of("workload").name(load.name()).key(load.level_key());
        asked.extend(experiment.workload.iter().map(|load| (levels(load), String::new())));
    }
    let bed = Path::of("bed");
    let left_out = ["cpus", "memory", "memory_limit", "simulated", "url"].map(|key| bed.key(key));
    let keys = ["experiment", "published"].map(Path::of);
    asked.into_keys().chain(left_out).chain(keys).collect()
}

/// The experiment of a run, or why it is not known.
fn read(loaded: &LoadedRun) -> Result<Experiment, String> {
    experiment::parse(&loaded.run.experiment_toml, &loaded.run.name).map_err(|_| match loaded.is_imported() {
        true => say!("alike-imported-text").to_owned(),
        false => say!("alike-unreadable-text").to_owned(),
    })
}

/// The values of the run itself; of its beds, their realms where those of the runs do not say it already.
fn about(loaded: &LoadedRun, one_realm: bool) -> Asked {
    let mut asked = Asked::from([
        (Path::of("realm"), loaded.run.realm.clone()),
        (Path::of("scale"), scale(loaded.run.scale)),
        (Path::of("smallest_effect").key("throughput"), loaded.run.smallest_effect_throughput.to_string()),
        (Path::of("smallest_effect").key(EffectKey::P99.name()), loaded.run.smallest_effect_p99.to_string()),
    ]);
    asked.extend(loaded.ranks().map(|ranks| (Path::of("fleet").key("ranks"), ranks.to_string())));
    for bed in loaded.beds.iter().filter(|_| one_realm) {
        asked.insert(Path::of("bed").name(&bed.name).key("realm").treated("storage"), bed.realm.clone());
    }
    asked
}

/// The loads that the file of an imported run states.
fn stated(loaded: &LoadedRun) -> Asked {
    let mut asked = Asked::new();
    if let Ok(table) = loaded.run.experiment_toml.parse::<toml::Table>() {
        flatten(&Path::of("asked"), &json(&table), &mut asked);
    }
    asked
}

/// The scale, exactly: `1/600` where it is that, else all its digits.
fn scale(scale: f64) -> String {
    let parts = (1.0 / scale).round();
    if parts >= 1.0 && 1.0 / parts == scale { format!("1/{parts}") } else { scale.to_string() }
}

fn experiments(run: &LoadedRun, baseline: &LoadedRun, old: &Experiment, new: &Experiment) -> Vec<Unlike> {
    let simulated = run.is_simulated() && baseline.is_simulated();
    let mut found = values(&whole(old, simulated), &whole(new, simulated));
    for bed in &new.bed {
        let Some(other) = old.find_bed(&bed.name) else { continue };
        found.extend(values(&of_bed(old, other, simulated), &of_bed(new, bed, simulated)));
    }
    for workload in &new.workload {
        let Some(other) = old.workload.iter().find(|other| other.name() == workload.name()) else { continue };
        found.extend(values(&of_workload(old, other), &of_workload(new, workload)));
    }
    found
}

/// The common values of all beds and workloads.
fn whole(experiment: &Experiment, simulated: bool) -> Asked {
    let mut asked = Asked::new();
    // Two keys are in the run itself.
    for (key, share) in experiment
        .design
        .smallest_effect
        .all()
        .into_iter()
        .filter(|(key, _)| !matches!(key, EffectKey::Nopm | EffectKey::P99))
    {
        asked.insert(Path::of("smallest_effect").key(key.name()), share.0.to_string());
    }
    if let Some(Value::Object(mut database)) = experiment.database.as_ref().map(json) {
        // Of each bed, as it is there.
        for key in ["memory", "memory_limit", "cpus", "url"] {
            database.remove(key);
        }
        flatten(&Path::of("database"), &Value::Object(database), &mut asked);
    }
    if simulated {
        // The test says which beds and which procedure are simulated.
        asked.extend(experiment.published.clone().map(|test| (Path::of("published"), test)));
    }
    asked
}

fn of_bed(experiment: &Experiment, bed: &Bed, simulated: bool) -> Asked {
    let at = Path::of("bed").name(&bed.name);
    let mut asked = Asked::new();
    let mut add = |path: Path, value: Option<String>| asked.extend(value.map(|value| (path, value)));
    add(at.key("memory").treated("memory"), experiment.memory_of(bed).map(|size| size.to_string()));
    add(
        at.key("memory_limit").treated("memory"),
        experiment.memory_limit_of(bed).map(|size| size.to_string()),
    );
    add(at.key("cpus"), experiment.cpus_of(bed).map(|cpus| cpus.to_string()));
    add(at.key("url").treated("storage"), experiment.url_of(bed).map(str::to_owned));
    if simulated {
        // A host with all that is in it, not only its storage.
        add(at.key("simulated"), bed.simulated.clone());
    }
    // Here only the presence of a separate log is asked; its storage and that of the data are found out
    // elsewhere.
    let log = if bed.log.is_some() { say!("alike-own-log") } else { say!("alike-log-with-data") };
    add(at.key("log").treated("log"), Some(log.to_owned()));
    asked
}

fn of_workload(experiment: &Experiment, workload: &Workload) -> Asked {
    let at = Path::of("workload").name(workload.name());
    let mut asked = Asked::from([(at.key("level"), experiment.level_name_of(workload).into())]);
    if let Value::Object(mut table) = json(workload) {
        table.remove("name");
        if experiment.scale_out().is_empty() {
            table.remove(workload.level_key());
        }
        flatten(&at, &Value::Object(table), &mut asked);
    }
    asked
}

/// Values that are not the same on both sides.
fn values(old: &Asked, new: &Asked) -> Vec<Unlike> {
    let mut paths: Vec<&Path> = old.keys().chain(new.keys()).collect();
    paths.sort_unstable();
    paths.dedup();
    let differs = |path: &&Path| old.get(*path) != new.get(*path);
    let unlike = |path: &Path| Unlike::new(path, old.get(path).cloned(), new.get(path).cloned());
    paths.into_iter().filter(differs).map(unlike).collect()
}

fn json<T: serde::Serialize>(value: &T) -> Value {
    // A value that cannot be written as JSON differs from everything, itself included, so that nothing passes
    // unseen.
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// Takes a value apart; a list of tables by their names, or by their numbers from 1.
fn flatten(at: &Path, value: &Value, into: &mut Asked) {
    match value {
        Value::Null => {}
        Value::Object(table) => table.iter().for_each(|(key, value)| flatten(&at.key(key), value, into)),
        Value::Array(list) if list.iter().any(Value::is_object) => {
            for (number, element) in (1..).zip(list) {
                let name = element.get("name").and_then(Value::as_str);
                let deeper = name.map_or_else(|| at.name(&format!("{number}")), |name| at.name(name));
                flatten(&deeper, element, into);
            }
        }
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(plain).collect();
            into.insert(at.clone(), format!("[{}]", items.join(", ")));
        }
        scalar => {
            into.insert(at.clone(), plain(scalar));
        }
    }
}

/// A value without the quotation marks of a text.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The requested storage of a bed's data, or of its log; `None` for no log of its own and for an existing
/// server, which has an address.
pub(super) fn storage(loaded: &LoadedRun, bed: &str, log: bool) -> Option<Storage> {
    let experiment = read(loaded).ok()?;
    let bed = experiment.find_bed(bed)?;
    if experiment.url_of(bed).is_some() {
        return None;
    }
    if log { bed.log.clone() } else { Some(bed.storage.clone()) }
}

/// True if the experiment has a database, whose engine then has a version.
pub(super) fn has_database(loaded: &LoadedRun) -> bool {
    read(loaded).is_ok_and(|experiment| experiment.database.is_some())
}

//! Beds of a storage comparison that keep their data on one drive all the same: two folders of one file
//! system differ in nothing, and a difference between them is chance or drift.

use crate::comparison::Comparison;
use crate::loaded_run::{Facts, LoadedRun};
use notebook::Bed;
use words::Realm;

/// A sentence about the first beds that share a drive, where the run declares the storage to be its
/// treatment.
pub(super) fn caution(loaded: &LoadedRun, comparison: &Comparison) -> Option<String> {
    if loaded.is_simulated() || !loaded.run.treatment.iter().any(|name| name == "storage") {
        return None;
    }
    let placed: Vec<(&Bed, &Facts)> = loaded
        .beds
        .iter()
        .filter(|bed| bed.realm == Realm::Real)
        .filter_map(|bed| Some((bed, loaded.scope(&format!("drive:{}", bed.name))?)))
        .collect();
    let shared = placed.iter().find_map(|(_, facts)| {
        let beds: Vec<&Bed> =
            placed.iter().filter(|(_, other)| is_one_place(facts, other)).map(|(bed, _)| *bed).collect();
        (beds.len() > 1).then_some((beds, *facts))
    });
    let (beds, facts) = shared?;
    let names: Vec<&str> = beds.iter().map(|bed| comparison.shown(&bed.name)).collect();
    let fact = |key: &str| facts.get(key).map_or("", String::as_str);
    Some(format!(
        "{} keep their data on one file system ({}, mounted at {}): a difference between them is not one of their drives.",
        names.join(" and "),
        fact("data.source"),
        fact("data.mount")
    ))
}

/// True if two beds lie on one file system. Device nodes all lie on one and are drives of their own.
fn is_one_place(a: &Facts, b: &Facts) -> bool {
    let agrees = |key: &str| a.get(key).is_some_and(|value| b.get(key) == Some(value));
    agrees("data.source") && agrees("data.mount") && a.get("data.fs").is_some_and(|fs| fs != "devtmpfs")
}

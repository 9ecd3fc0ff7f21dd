//! The hosts of a fleet before the start: their facts and the findings of their doctors, kept and compared.

use std::collections::{BTreeMap, BTreeSet};

use notebook::{Notebook, RunId};
use words::{NoteKind, Remark};

use crate::error::LabError;
use crate::membership::Found;

/// Facts that are named by a path differ with the paths, and say nothing.
const OF_PATHS: &str = "storage.";

/// Keeps what the ranks found: the facts of every host and of all drives of a bed, each finding with the
/// hosts that have it, and the facts in which hosts differ. The differences in words.
pub(super) fn keep(
    notebook: &Notebook,
    run: RunId,
    hosts: &[String],
    found: &[Found],
) -> Result<Vec<String>, LabError> {
    for (rank, facts) in
        found.iter().enumerate().filter_map(|(rank, found)| Some((rank, found.host.as_ref()?)))
    {
        if rank == 0 {
            notebook.add_fact_set(run, "host", facts)?;
        }
        notebook.add_fact_set(run, &format!("host:{}", rank + 1), facts)?;
    }
    for (scope, facts) in drives(found) {
        notebook.add_fact_set(run, &scope, &facts)?;
    }
    if found.iter().all(|found| found.host.is_none()) {
        notebook.add_note(run, NoteKind::Model, Remark::VirtualTime)?;
    }
    for remark in findings(hosts, found) {
        notebook.add_note(run, NoteKind::Doctor, remark)?;
    }
    let differences = differences(found);
    for remark in &differences {
        notebook.add_note(run, NoteKind::Warning, remark.clone())?;
    }
    Ok(differences.iter().map(ToString::to_string).collect())
}

/// A finding of all hosts once, that of some with each host.
fn findings(hosts: &[String], found: &[Found]) -> Vec<Remark> {
    let mut all: Vec<&Remark> = Vec::new();
    for finding in found.iter().flat_map(|found| &found.findings) {
        if !all.contains(&finding) {
            all.push(finding);
        }
    }
    let mut told = Vec::new();
    for finding in all {
        if found.iter().all(|found| found.findings.contains(finding)) {
            told.push(finding.clone());
            continue;
        }
        let has = |(rank, _): &(usize, &String)| found[*rank].findings.contains(finding);
        told.extend(hosts.iter().enumerate().filter(has).map(|(rank, host)| Remark::OfHost {
            rank: rank as u32,
            host: host.clone(),
            found: Box::new(finding.clone()),
        }));
    }
    told
}

/// The facts in which hosts differ, each value with its ranks.
fn differences(found: &[Found]) -> Vec<Remark> {
    let facts: Vec<&BTreeMap<String, String>> =
        found.iter().filter_map(|found| found.host.as_ref()).collect();
    let keys: BTreeSet<&String> = facts.iter().flat_map(|facts| facts.keys()).collect();
    let keys = keys.into_iter().filter(|key| !key.starts_with(OF_PATHS));
    let differs = |key: &&String| facts.iter().any(|of| of.get(*key) != facts[0].get(*key));
    let told = |key: &String| {
        let mut ranks: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (rank, facts) in facts.iter().enumerate() {
            ranks.entry(facts.get(key).map_or("-", String::as_str)).or_default().push(rank.to_string());
        }
        let values = ranks.iter().map(|(value, ranks)| format!("{value} ({})", ranks.join(", ")));
        let values = words::list(values);
        Remark::HostsDiffer { fact: key.clone(), values }
    };
    keys.filter(differs).map(told).collect()
}

/// The real drives of all ranks by the scope of their bed: each value once, in the order of the ranks, so
/// that a fleet on the same drives is known again.
fn drives(found: &[Found]) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut values: BTreeMap<(&String, &String), Vec<&str>> = BTreeMap::new();
    for (scope, facts) in found.iter().flat_map(|found| &found.drives) {
        for (key, value) in facts {
            let of_all = values.entry((scope, key)).or_default();
            if !of_all.contains(&value.as_str()) {
                of_all.push(value);
            }
        }
    }
    let mut drives: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for ((scope, key), of_all) in values {
        drives.entry(scope.clone()).or_default().insert(key.clone(), of_all.join(", "));
    }
    drives
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(cpu: &str, finding: Option<&str>) -> Found {
        let facts = [("cpu.model", cpu), ("storage./a.fs", cpu), ("kernel.release", "6")];
        let host = facts.map(|(key, value)| (key.to_owned(), value.to_owned()));
        Found {
            host: Some(host.into_iter().collect()),
            findings: finding.into_iter().map(Remark::from).collect(),
            ..Found::default()
        }
    }

    #[test]
    fn the_odd_one_out_is_named() {
        let found = [found("x", Some("slow")), found("y", None), found("x", None)];
        let told: Vec<String> = differences(&found).iter().map(ToString::to_string).collect();
        assert_eq!(told, ["the hosts differ in cpu.model: x (0, 2), y (1)"]);
        let hosts = ["a", "b", "c"].map(str::to_owned);
        let told: Vec<String> = findings(&hosts, &found).iter().map(ToString::to_string).collect();
        assert_eq!(told, ["rank 0 (a): slow"]);
        assert!(differences(&found[..1]).is_empty());
    }

    #[test]
    fn the_drives_of_a_bed_are_those_of_all_ranks() {
        let on = |serial: &str| Found {
            drives: BTreeMap::from([(
                "drive:a".to_owned(),
                [("data.model", "X"), ("data.serial", serial)]
                    .map(|(key, is)| (key.to_owned(), is.to_owned()))
                    .into(),
            )]),
            ..Found::default()
        };
        let all = drives(&[on("1"), on("2"), on("1"), Found::default()]);
        assert_eq!(
            (all["drive:a"]["data.model"].as_str(), all["drive:a"]["data.serial"].as_str()),
            ("X", "1, 2")
        );
    }
}

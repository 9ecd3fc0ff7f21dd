//! Factors other than the one under test in which a study's beds differ.

use std::collections::BTreeMap;

use published::Testbed;
use words::say;

use super::{Finding, Rating};

/// The facts of a bed by their names.
type BedFacts = BTreeMap<String, String>;

/// A text of the list.
type Text = fn() -> &'static str;

/// Facts that can move a result, by the words that their names hold, and what each can do.
const FACTORS: [(Text, &[&str], Text); 9] = [
    (|| say!("factor-processor"), &["cpu"], || say!("factor-processor.effect")),
    (|| say!("factor-nodes"), &["nodes"], || say!("factor-nodes.effect")),
    (|| say!("factor-drives"), &["drives_total", "disk_groups"], || say!("factor-drives.effect")),
    (|| say!("factor-drive"), &["drive"], || say!("factor-drive.effect")),
    (
        || say!("factor-storage-network"),
        &["vsan_network", "vsan_switch"],
        || say!("factor-storage-network.effect"),
    ),
    (|| say!("factor-memory"), &["ram_gb_per_node", "dimms"], || say!("factor-memory.effect")),
    (|| say!("factor-storage-path"), &["storage_controller"], || say!("factor-storage-path.effect")),
    (|| say!("factor-server"), &["server"], || say!("factor-server.effect")),
    (|| say!("factor-software"), &["hypervisor", "guest_os", "db"], || say!("factor-software.effect")),
];

/// Pairs of beds of one study and what they differ in; facts of one bed that contradict each other.
pub(super) fn examine(beds: &[Testbed]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, Testbed { id, study, facts }) in beds.iter().enumerate() {
        findings.extend(within(study, id, facts));
        for other in &beds[at + 1..] {
            if other.study == *study && same_kind(facts, &other.facts) {
                findings.extend(between(study, (id, facts), (&other.id, &other.facts)));
            }
        }
    }
    findings
}

/// Beds of one comparison: both clusters, or both single machines.
fn same_kind(a: &BedFacts, b: &BedFacts) -> bool {
    let many = |facts: &BedFacts| facts.get("nodes").and_then(|n| n.parse::<u32>().ok()).unwrap_or(1) > 1;
    many(a) == many(b)
}

fn between(study: &str, (a, ours): (&str, &BedFacts), (b, theirs): (&str, &BedFacts)) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (factor, names, effect) in FACTORS {
        let differing = names.iter().find_map(|name| match (ours.get(*name), theirs.get(*name)) {
            (Some(x), Some(y)) if x != y => Some((x.clone(), y.clone())),
            (None, Some(y)) if *name == "storage_controller" => {
                Some((say!("factor-none").to_owned(), y.clone()))
            }
            (Some(x), None) if *name == "storage_controller" => {
                Some((x.clone(), say!("factor-none").to_owned()))
            }
            _ => None,
        });
        if let Some((x, y)) = differing {
            findings.push(Finding {
                study: study.to_owned(),
                rating: Rating::NotAlike,
                claim: say!("factor-differ", a, b, factor = factor()),
                check: say!("factor-effect", x, y, effect = effect()),
                about: vec![a.to_owned(), b.to_owned()],
                is_claim: false,
            });
        }
    }
    findings
}

/// Counts of one bed against each other, and remarks on contradictions in its description.
fn within(study: &str, name: &str, facts: &BedFacts) -> Vec<Finding> {
    let number = |key: &str| facts.get(key).and_then(|value| value.parse::<f64>().ok());
    let mut findings = Vec::new();
    let mut add = |rating, claim: String, check: String| {
        findings.push(Finding {
            study: study.to_owned(),
            rating,
            claim,
            check,
            about: vec![name.to_owned()],
            is_claim: false,
        });
    };
    for (whole, part) in [
        ("cpus_total", "cpus_per_node"),
        ("cores_total", "cores_per_node"),
        ("threads_total", "threads_per_node"),
    ] {
        if let (Some(total), Some(each), Some(nodes)) = (number(whole), number(part), number("nodes"))
            && total != each * nodes
        {
            add(
                Rating::Inconsistent,
                format!("{name}: {whole} {total}"),
                say!(
                    "factor-count",
                    nodes = nodes.to_string(),
                    each = each.to_string(),
                    total = (each * nodes).to_string()
                ),
            );
        }
    }
    for (key, note) in facts.iter().filter(|(key, _)| key.ends_with("_note")) {
        add(Rating::Inconsistent, format!("{name}: {}", key.trim_end_matches("_note")), note.clone());
    }
    if facts.get("storage_policy").is_some_and(|policy| policy.contains("FTT=0")) {
        let check = say!("factor-no-mirror");
        add(Rating::NotAlike, say!("factor-no-replica", name), check.to_owned());
    }
    findings
}

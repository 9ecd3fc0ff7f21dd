//! Factors other than the one under test in which a study's beds differ.

use super::{BedFacts, Finding, Rating};

/// Facts that can move a result, by the words that their names hold, and what each can do.
const FACTORS: [(&str, &[&str], &str); 9] = [
    ("processor", &["cpu"], "the same work costs another amount of processor time"),
    ("nodes", &["nodes"], "more hosts, links and disk groups"),
    ("number of drives", &["drives_total", "disk_groups"], "more drives serve the load"),
    ("drive and its capacity", &["drive"], "the drive under test, and with it its size"),
    ("storage network", &["vsan_network", "vsan_switch"], "bandwidth and latency between hosts"),
    ("memory", &["ram_gb_per_node", "dimms"], "processor cost of a transaction, and what is cached"),
    ("storage path", &["storage_controller"], "controller queue and latency belong to one side"),
    ("server", &["server"], "another machine"),
    ("software", &["hypervisor", "guest_os", "db"], "another version behaves otherwise"),
];

/// Pairs of beds of one study and what they differ in; facts of one bed that contradict each other.
pub(super) fn examine(beds: &[(String, String, BedFacts)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, (study, name, facts)) in beds.iter().enumerate() {
        findings.extend(within(study, name, facts));
        for (other_study, other, theirs) in &beds[at + 1..] {
            if other_study == study && same_kind(facts, theirs) {
                findings.extend(between(study, (name, facts), (other, theirs)));
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
            (None, Some(y)) if *name == "storage_controller" => Some(("none".to_owned(), y.clone())),
            (Some(x), None) if *name == "storage_controller" => Some((x.clone(), "none".to_owned())),
            _ => None,
        });
        if let Some((x, y)) = differing {
            findings.push(Finding {
                study: study.to_owned(),
                rating: Rating::NotAlike,
                claim: format!("{a} against {b} differ in {factor}"),
                check: format!("{x} against {y}: {effect}"),
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
                format!("{nodes} nodes x {each} = {}", each * nodes),
            );
        }
    }
    for (key, note) in facts.iter().filter(|(key, _)| key.ends_with("_note")) {
        add(Rating::Inconsistent, format!("{name}: {}", key.trim_end_matches("_note")), note.clone());
    }
    if facts.get("storage_policy").is_some_and(|policy| policy.contains("FTT=0")) {
        let check = "no mirrored writes over the network: not a production setting; it flatters every bed and hides the network's cost";
        add(Rating::NotAlike, format!("{name}: no replica (FTT=0)"), check.to_owned());
    }
    findings
}

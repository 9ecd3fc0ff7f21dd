//! Laws that printed numbers of one run must obey: Little's law, bytes over time, and two counts of the same
//! transactions.

use super::ratios::number_before;
use super::{Finding, Rating, shown};
use published::Number;
use words::say;

/// The findings of these laws about the printed numbers of each run.
pub(super) fn examine(numbers: &[Number]) -> Vec<Finding> {
    let mut findings = little(numbers);
    findings.extend(bytes_and_time(numbers));
    findings.extend(two_counts(numbers));
    findings
}

fn finding(of: &Number, rating: Rating, claim: String, check: String, about: Vec<String>) -> Finding {
    Finding { study: of.study.clone(), rating, claim, check, about, is_claim: false }
}

/// Bytes of the block that conditions name, such as `4k` or `128k`.
fn block_bytes(conditions: &str) -> Option<f64> {
    let lower = conditions.to_lowercase();
    lower.split(|c: char| !c.is_ascii_alphanumeric()).find_map(|word| {
        let kib: f64 = word.strip_suffix("kb").or_else(|| word.strip_suffix('k'))?.parse().ok()?;
        Some(kib * 1024.0)
    })
}

/// Operations per second of a number, where it is a rate or a bandwidth of known blocks.
fn per_second(number: &Number) -> Option<f64> {
    let metric = number.metric.to_lowercase();
    if number.unit == "IOPS" && metric.contains("iops") {
        return Some(number.value);
    }
    let bytes = match number.unit.as_str() {
        "GB/s" => 1e9,
        "MB/s" => 1e6,
        _ => return None,
    };
    block_bytes(&number.conditions).map(|block| number.value * bytes / block)
}

/// Requests under way that conditions set, where they say how many: machines x depth x threads, or threads a
/// drive x drives.
fn set_in_flight(number: &Number) -> Option<f64> {
    let conditions = &number.conditions;
    let after = |word: &str| {
        let rest = &conditions[conditions.find(word)? + word.len()..];
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<f64>().ok()
    };
    if let (Some(machines), Some(depth), Some(threads)) =
        (number_before(conditions, " VMs"), after("QD="), after("threads="))
    {
        return Some(machines * depth * threads);
    }
    let drives = number_before(&number.system, " x ")?;
    Some(number_before(conditions, " threads/drive")? * drives)
}

fn little(numbers: &[Number]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for latency in
        numbers.iter().filter(|n| n.kind.is_measured() && n.unit == "ms" && n.metric.contains("latency"))
    {
        let over = latency.metric.contains("over-saturation");
        let same_run = |n: &&Number| {
            n.kind.is_measured()
                && n.study == latency.study
                && n.test == latency.test
                && n.system == latency.system
                && n.conditions == latency.conditions
                && per_second(n).is_some()
                && n.metric.contains("over-saturation") == over
        };
        let Some(rate) = numbers.iter().find(same_run) else { continue };
        let (Some(per_s), Some(set)) = (per_second(rate), set_in_flight(latency)) else { continue };
        let in_flight = per_s * latency.value / 1e3;
        let off = in_flight / set - 1.0;
        let (rating, why) = match off {
            _ if off > 0.05 => (Rating::Inconsistent, say!("law-more-than-can-be")),
            _ if off < -0.1 => (Rating::Inconsistent, say!("law-fewer-than-set")),
            _ => (Rating::Holds, say!("law-as-set")),
        };
        let claim =
            say!("audit-two-of", throughput = rate.metric, latency = latency.metric, system = latency.system);
        let check = say!(
            "law-little",
            per_s = shown(per_s),
            ms = latency.value.to_string(),
            in_flight = format!("{in_flight:.0}"),
            set = format!("{set:.0}"),
            why
        );
        findings.push(finding(latency, rating, claim, check, vec![rate.id.clone(), latency.id.clone()]));
    }
    findings
}

/// Time x throughput must be the bytes that conditions name.
fn bytes_and_time(numbers: &[Number]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for time in
        numbers.iter().filter(|n| n.kind.is_measured() && n.unit == "s" && n.metric.ends_with(" time"))
    {
        let what = time.metric.trim_end_matches(" time");
        let rate = numbers.iter().find(|n| {
            n.study == time.study
                && n.test == time.test
                && n.system == time.system
                && n.metric.starts_with(what)
                && n.metric.contains("throughput")
        });
        let (Some(rate), Some(size_gb)) = (rate, number_before(&time.conditions, " GB")) else { continue };
        let gb_per_s = if rate.unit == "MB/s" { rate.value / 1e3 } else { rate.value };
        let moved = time.value * gb_per_s;
        let off = (moved / size_gb - 1.0) * 100.0;
        let rating = if off.abs() < 2.0 { Rating::Holds } else { Rating::Inconsistent };
        let check = say!(
            "law-bytes",
            time = time.value.to_string(),
            gb_per_s = gb_per_s.to_string(),
            moved = words::decimals(moved, 1),
            size_gb = size_gb.to_string(),
            off = format!("{:+.0}", off),
            needed = words::decimals(size_gb / time.value, 3)
        );
        let claim = say!(
            "law-bytes-claim",
            what,
            size_gb = size_gb.to_string(),
            s = time.value.to_string(),
            rate = rate.value.to_string(),
            unit = rate.unit
        );
        findings.push(finding(time, rating, claim, check, vec![time.id.clone(), rate.id.clone()]));
    }
    findings
}

/// New orders over all transactions is one number for a workload; pairs that are off are suspect.
fn two_counts(numbers: &[Number]) -> Vec<Finding> {
    let mut pairs: Vec<(&Number, &Number, f64)> = Vec::new();
    for nopm in numbers.iter().filter(|n| n.kind.is_measured() && n.metric.contains("NOPM")) {
        let name = nopm.metric.replace("NOPM", "TPM");
        let tpm = numbers.iter().find(|n| {
            n.study == nopm.study && n.test == nopm.test && n.system == nopm.system && n.metric == name
        });
        pairs.extend(tpm.map(|tpm| (nopm, tpm, nopm.value / tpm.value)));
    }
    let mut sorted: Vec<f64> = pairs.iter().map(|(.., share)| *share).collect();
    sorted.sort_by(f64::total_cmp);
    let Some(&median) = sorted.get(sorted.len() / 2) else { return Vec::new() };
    pairs
        .into_iter()
        .filter(|(.., share)| (share / median - 1.0).abs() > 0.02)
        .map(|(nopm, tpm, share)| {
            let claim =
                say!("law-counts-claim", tpm = shown(tpm.value), nopm = shown(nopm.value), test = nopm.test);
            let check =
                say!("law-counts", share = words::decimals(share, 4), median = words::decimals(median, 4));
            finding(nopm, Rating::Inconsistent, claim, check, vec![tpm.id.clone(), nopm.id.clone()])
        })
        .collect()
}

//! Numbers of a study that must fit together: throughput and latency of two systems, totals and users, drives
//! and ratios.

use super::{Finding, Rating, shown};
use published::{Number, NumberKind};
use words::say;

/// The kind of metric of a number or a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MetricKind {
    Throughput,
    Latency,
}

fn kind_of(metric: &str) -> Option<MetricKind> {
    let metric = metric.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| metric.contains(word));
    if says(&["latency", "faster", "elapsed", "time ratio"]) {
        Some(MetricKind::Latency)
    } else if says(&["iops", "throughput", "tpm", "transactions", "bandwidth"]) {
        Some(MetricKind::Throughput)
    } else {
        None
    }
}

/// Throughput against latency, every number per user, drives that are said to match others, runs told twice.
pub(super) fn examine(numbers: &[Number]) -> Vec<Finding> {
    let mut findings = concurrency(numbers);
    findings.extend(numbers.iter().filter_map(|number| per_user(number, numbers)));
    findings.extend(drives_to_match(numbers));
    findings.extend(printed_twice(numbers));
    findings
}

fn finding(of: &Number, rating: Rating, claim: String, check: String, about: Vec<String>) -> Finding {
    Finding { study: of.study.clone(), rating, claim, check, about, is_claim: of.kind == NumberKind::Claim }
}

/// The numbers of both sides that a claim "A vs B" can rest on: the same test and conditions, or tests of one
/// name but the letter.
fn sides<'n>(claim: &Number, numbers: &'n [Number], kind: MetricKind) -> Option<(&'n Number, &'n Number)> {
    let (left, right) = claim.system.split_once(" vs ")?;
    let words = |side: &str| -> Vec<String> {
        side.split(|c: char| !c.is_alphanumeric()).filter(|w| w.len() > 3).map(str::to_lowercase).collect()
    };
    let group = |test: &str| test.trim_end_matches(|c: char| c.is_ascii_lowercase()).to_owned();
    let find = |side: &str| {
        let wanted = words(side);
        let fits = |n: &&Number| {
            let system = n.system.to_lowercase();
            let same =
                (n.test == claim.test || group(&n.test) == group(&claim.test)) && n.study == claim.study;
            same && n.kind.is_measured()
                && n.conditions == claim.conditions
                && kind_of(&n.metric) == Some(kind)
                && !n.metric.contains("per ")
                && wanted.iter().filter(|w| system.contains(w.as_str())).count() * 2 >= wanted.len().max(1)
        };
        numbers.iter().find(fits)
    };
    let (a, b) = (find(left)?, find(right)?);
    (a.id != b.id && a.system != b.system).then_some((a, b))
}

/// At equal concurrency throughput and latency of two systems must differ by the same factor.
fn concurrency(numbers: &[Number]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let claims = numbers.iter().filter(|n| n.kind == NumberKind::Claim && n.system.contains(" vs "));
    let mut done: Vec<(&str, &str)> = Vec::new();
    for claim in claims {
        let key = (claim.test.as_str(), claim.conditions.as_str());
        let (Some((ta, tb)), Some((la, lb))) =
            (sides(claim, numbers, MetricKind::Throughput), sides(claim, numbers, MetricKind::Latency))
        else {
            continue;
        };
        let block = claim.conditions.contains("QD") || claim.conditions.contains("threads");
        if done.contains(&key) || !block {
            continue;
        }
        done.push(key);
        let (faster, shorter) = (ta.value / tb.value, lb.value / la.value);
        if (faster / shorter - 1.0).abs() > 0.1 {
            let said =
                say!("audit-two-of", throughput = ta.metric, latency = la.metric, system = claim.system);
            let check = say!(
                "audit-needs-latency",
                faster = shown(faster),
                lower = words::decimals((1.0 - 1.0 / faster) * 100.0, 0),
                shorter = shown(shorter),
                printed = words::decimals((1.0 - 1.0 / shorter) * 100.0, 0)
            );
            let about = [ta, tb, la, lb].map(|n| n.id.clone()).to_vec();
            findings.push(finding(claim, Rating::Inconsistent, said, check, about));
        }
    }
    findings
}

/// A number per user against the total and the users of its conditions.
fn per_user(number: &Number, numbers: &[Number]) -> Option<Finding> {
    let total = number.metric.split(" per virtual user").next().filter(|total| *total != number.metric)?;
    let users = number_before(&number.conditions, " VU")?;
    let whole =
        numbers.iter().find(|n| n.test == number.test && n.metric == total && n.study == number.study)?;
    let each = whole.value / users;
    let rating = if (each - number.value).abs() <= 1.0 { Rating::Holds } else { Rating::Inconsistent };
    let check = format!("{} / {users} = {each:.1}", shown(whole.value));
    Some(finding(
        number,
        rating,
        format!("{}: {}", number.metric, shown(number.value)),
        check,
        vec![number.id.clone(), whole.id.clone()],
    ))
}

/// Drives that are said to match another must be as many as the ratio, rounded up.
fn drives_to_match(numbers: &[Number]) -> Vec<Finding> {
    let claims = numbers.iter().filter(|n| n.unit == "drives");
    claims
        .filter_map(|claim| {
            let ratio = numbers.iter().find(|n| {
                n.study == claim.study
                    && n.test == claim.test
                    && n.unit == "x"
                    && n.metric.contains("throughput")
            })?;
            let needed = ratio.value.ceil();
            let rating = if needed == claim.value { Rating::Holds } else { Rating::Loose };
            let said = format!("{}: {}", claim.metric, shown(claim.value));
            Some(finding(
                claim,
                rating,
                said,
                say!("audit-drives-needed", ratio = ratio.value.to_string(), needed = needed.to_string()),
                vec![claim.id.clone(), ratio.id.clone()],
            ))
        })
        .collect()
}

/// The same value to the last digit in two tests is one run, told twice.
fn printed_twice(numbers: &[Number]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, number) in numbers.iter().enumerate() {
        let exact = number.kind.is_measured() && number.value >= 1e6 && number.value % 10.0 == 0.0;
        let twin = numbers[..at].iter().find(|n| {
            n.value == number.value
                && n.metric == number.metric
                && n.test != number.test
                && n.system == number.system
        });
        if let Some(twin) = twin.filter(|twin| exact && twin.kind.is_measured()) {
            let said =
                say!("audit-of-two-tests", metric = number.metric, first = twin.test, second = number.test);
            let check = say!("audit-printed-twice", value = shown(number.value));
            findings.push(finding(
                number,
                Rating::NotAlike,
                said,
                check,
                vec![twin.id.clone(), number.id.clone()],
            ));
        }
    }
    findings
}

/// The whole number before `word`.
pub(super) fn number_before(text: &str, word: &str) -> Option<f64> {
    let end = text.find(word)?;
    let start = text[..end].rfind(|c: char| !(c.is_ascii_digit() || c == '.')).map_or(0, |at| at + 1);
    text[start..end].parse().ok()
}

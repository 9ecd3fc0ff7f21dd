//! Checks a study's printed numbers against each other and against arithmetic: ratios and percentages, Little's law, bytes against time,
//! two counts of the same transactions, and factors other than the one under test in which its beds differ.
//!
//! A file is audited by rules that know nothing of the study; sentences of the text that no number stands for are written as
//! `[[statement]]` with a formula over the numbers' ids.

mod expression;
mod factors;
mod laws;
mod ratios;
mod statements;

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use crate::published;

/// How a claim fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The arithmetic or the meaning does not hold.
    Wrong,
    /// Two printed numbers contradict each other.
    Inconsistent,
    /// Nothing printed supports it.
    Unsupported,
    /// The compared sides differ in more than the factor under test.
    NotAlike,
    /// Near, but beyond what rounding explains, or true of a part only.
    Loose,
    /// It holds.
    Holds,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Wrong => "wrong",
            Verdict::Inconsistent => "inconsistent",
            Verdict::Unsupported => "unsupported",
            Verdict::NotAlike => "not like for like",
            Verdict::Loose => "loose",
            Verdict::Holds => "holds",
        })
    }
}

/// One thing that the audit found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The study.
    pub study: String,
    /// How it fares.
    pub verdict: Verdict,
    /// What is claimed or printed.
    pub claim: String,
    /// The arithmetic.
    pub check: String,
    /// Ids of the numbers, statements or beds it rests on.
    pub about: Vec<String>,
}

/// One printed number as the audit reads it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Printed {
    id: String,
    #[serde(default)]
    study: String,
    #[serde(default)]
    test: String,
    #[serde(default)]
    system: String,
    metric: String,
    value: f64,
    #[serde(default)]
    unit: String,
    #[serde(default)]
    conditions: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    note: String,
}

/// A sentence of a study's text, with a formula that checks it where there is one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Statement {
    id: String,
    #[serde(default)]
    study: String,
    text: String,
    /// The number in the text.
    printed: Option<f64>,
    /// Arithmetic over ids of numbers that should give it, for example `K044 / K054`.
    formula: Option<String>,
    #[serde(default)]
    unit: String,
    /// What follows from the formula, or why none can be.
    #[serde(default)]
    note: String,
    /// `unsupported`, `wrong`, `loose`, `not-alike` where no formula can say it, or where the formula's result does not.
    verdict: Option<String>,
}

/// A test bed, every fact by its name.
pub(crate) type BedFacts = BTreeMap<String, String>;

/// Everything that an audit can rest on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Material {
    numbers: Vec<Printed>,
    statements: Vec<Statement>,
    /// Study, name and facts of each bed.
    beds: Vec<(String, String, BedFacts)>,
}

/// Why a file cannot be audited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct AuditError {
    /// The file.
    pub file: String,
    /// What is wrong and what would do.
    pub problem: String,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    study: String,
    #[serde(default)]
    number: Vec<Printed>,
    #[serde(default)]
    result: Vec<Printed>,
    #[serde(default)]
    statement: Vec<Statement>,
    #[serde(default)]
    bed: Vec<toml::Table>,
    #[serde(default)]
    testbed: Vec<toml::Table>,
}

/// Audits a file of printed numbers; `name` is the file's name, for messages. What we know besides of a study that is in our data (its
/// beds, its statements) is used as well.
///
/// # Errors
/// TOML that does not parse; a number without id, metric or value; a file without anything to audit.
pub fn file(text: &str, name: &str) -> Result<Vec<Finding>, AuditError> {
    let fault = |problem: String| AuditError { file: name.to_owned(), problem };
    let mut material = Material::default();
    add(&mut material, text).map_err(&fault)?;
    if material.numbers.is_empty() && material.statements.is_empty() && material.beds.is_empty() {
        return Err(fault(
            "it holds nothing to audit; give [[number]] tables with id, metric, value, and test, system, unit, conditions, kind where known"
                .to_owned(),
        ));
    }
    for known in published::texts() {
        let ours: File = toml::from_str(known).map_err(|error| fault(error.to_string()))?;
        let is_known = material.numbers.iter().any(|number| number.study == ours.study);
        if is_known {
            let mut besides = Material::default();
            add(&mut besides, known).map_err(&fault)?;
            let new =
                |statement: &Statement| !material.statements.iter().any(|other| other.id == statement.id);
            besides.statements.retain(new);
            material.statements.extend(besides.statements);
            let bed_is_known = material.beds.iter().any(|(study, ..)| *study == ours.study);
            if !bed_is_known {
                material.beds.extend(besides.beds);
            }
        }
    }
    let mut findings = ratios::examine(&material.numbers);
    findings.extend(laws::examine(&material.numbers));
    findings.extend(statements::examine(&material.statements, &material.numbers));
    findings.extend(factors::examine(&material.beds));
    findings.sort_by(|a, b| (&a.study, a.verdict, &a.about).cmp(&(&b.study, b.verdict, &b.about)));
    Ok(findings)
}

/// The text of a study of our data by its name.
#[must_use]
pub fn study(name: &str) -> Option<&'static str> {
    published::texts().find(|text| toml::from_str::<File>(text).is_ok_and(|file| file.study == name))
}

fn add(material: &mut Material, text: &str) -> Result<(), String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
    let study = file.study;
    for mut number in file.number.into_iter().chain(file.result) {
        if number.study.is_empty() {
            number.study.clone_from(&study);
        }
        material.numbers.push(number);
    }
    for mut statement in file.statement {
        if statement.study.is_empty() {
            statement.study.clone_from(&study);
        }
        material.statements.push(statement);
    }
    for bed in file.bed.into_iter().chain(file.testbed) {
        let text_of = |value: &toml::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let id = bed.get("id").map(text_of).unwrap_or_default();
        let of = bed.get("study").map(text_of).unwrap_or_else(|| study.clone());
        let facts = bed.get("facts").and_then(toml::Value::as_table).unwrap_or(&bed);
        material.beds.push((
            of,
            id,
            facts.iter().map(|(key, value)| (key.clone(), text_of(value))).collect(),
        ));
    }
    Ok(())
}

/// A number with as many digits as it needs.
pub(crate) fn shown(value: f64) -> String {
    if value.abs() >= 1e5 {
        return format!("{value:.0}");
    }
    let digits = (3.0 - value.abs().max(1e-6).log10().floor()).clamp(0.0, 4.0) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Whether `value`, rounded to the digits with which `printed` is written, is `printed`.
pub(crate) fn rounds_to(value: f64, printed: f64) -> bool {
    let text = format!("{printed}");
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len()) as i32;
    // A whole number with zeros at its end was rounded to what stands before them.
    let zeros = if decimals == 0 { text.len() - text.trim_end_matches('0').len() } else { 0 } as i32;
    let step = 10f64.powi(zeros - decimals);
    (value - printed).abs() <= step * 0.5000001
}

#[cfg(test)]
mod tests;

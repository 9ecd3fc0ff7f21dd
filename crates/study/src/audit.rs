//! Checks a study's printed numbers against each other and against arithmetic: ratios and percentages,
//! Little's law, bytes against time, two counts of the same transactions, and factors other than the one
//! under test in which its beds differ.
//!
//! A file is audited by rules that know nothing of the study. Sentences of the text without a number are
//! written as `[[statement]]` with a formula over the numbers' ids.

mod claim;
mod expression;
mod factors;
mod laws;
mod quantity;
mod ratios;
mod reading;
mod references;
mod statements;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;
use words::say;

use tomlfile::Diagnostics;

/// The rating of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rating {
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
    /// The numbers that a claim rests on were not found, or not told apart.
    Unmatched,
    /// It holds.
    Holds,
}

impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Rating::Wrong => say!("rating-wrong"),
            Rating::Inconsistent => say!("rating-inconsistent"),
            Rating::Unsupported => say!("rating-unsupported"),
            Rating::NotAlike => say!("rating-not-alike"),
            Rating::Loose => say!("rating-loose"),
            Rating::Unmatched => say!("rating-not-matched"),
            Rating::Holds => say!("rating-right"),
        })
    }
}

/// One thing that the audit found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The study.
    pub study: String,
    /// The rating.
    pub rating: Rating,
    /// The claimed or printed text.
    pub claim: String,
    /// The arithmetic.
    pub check: String,
    /// Ids of the numbers, statements or beds it rests on.
    pub about: Vec<String>,
    /// True for a claim of the study; false for numbers that a law ties together.
    pub is_claim: bool,
}

/// One printed number as the audit reads it. What the file leaves out is empty; without an id it is the line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Printed {
    id: String,
    study: String,
    test: String,
    system: String,
    metric: String,
    value: f64,
    unit: String,
    conditions: String,
    kind: String,
    note: String,
    /// Of a claim, the ids of the two numbers that it compares.
    numbers: Vec<String>,
}

/// A sentence of a study's text, with a formula that checks it where there is one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Statement {
    id: String,
    study: String,
    text: String,
    /// The test of its numbers, if the text does not name it.
    test: String,
    system: String,
    metric: String,
    conditions: String,
    numbers: Vec<String>,
    /// The number in the text.
    printed: Option<f64>,
    /// Arithmetic over ids of numbers that should give it, for example `K044 / K054`.
    formula: Option<String>,
    unit: String,
    /// The result of the formula, or the reason why there is none.
    note: String,
    /// The rating by the authors of the file, for a claim that no formula can judge, or that it judges
    /// wrongly.
    rating: Option<Rating>,
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

/// The studies of our data, each with all that an audit can rest on.
static OURS: LazyLock<Vec<Material>> = LazyLock::new(|| {
    published::texts()
        .map(|text| reading::read(text, "published").expect("a test reads every study of our data"))
        .collect()
});

/// Audits a file of printed numbers; `name` is the file's name, for messages. What we know besides of a study
/// that is in our data (its beds, its statements) is used as well.
///
/// # Errors
/// All faults of the file: TOML that does not parse, keys that are missing, misspelt or of another type,
/// formulas and ratios that cannot be evaluated, nothing to audit.
pub fn file(text: &str, name: &str) -> Result<Vec<Finding>, Diagnostics> {
    let mut material = reading::read(text, name)?;
    for besides in OURS.iter() {
        let is_known = |study: &str| material.numbers.iter().any(|number| number.study == study);
        if study_of(besides).is_some_and(is_known) {
            let new =
                |statement: &&Statement| !material.statements.iter().any(|other| other.id == statement.id);
            let statements: Vec<Statement> = besides.statements.iter().filter(new).cloned().collect();
            material.statements.extend(statements);
            let bed_is_known = |study: &str| material.beds.iter().any(|(other, ..)| other == study);
            if !besides.beds.first().is_some_and(|(study, ..)| bed_is_known(study)) {
                material.beds.extend(besides.beds.iter().cloned());
            }
        }
    }
    let mut findings = ratios::examine(&material.numbers);
    findings.extend(laws::examine(&material.numbers));
    findings.extend(claim::examine(&material.numbers, &material.statements, &findings));
    findings.extend(statements::examine(&material.statements, &material.numbers));
    findings.extend(factors::examine(&material.beds));
    findings.sort_by(|a, b| (&a.study, a.rating, &a.about).cmp(&(&b.study, b.rating, &b.about)));
    Ok(findings)
}

fn study_of(material: &Material) -> Option<&str> {
    let of_numbers = material.numbers.first().map(|number| number.study.as_str());
    of_numbers.or_else(|| material.beds.first().map(|(study, ..)| study.as_str()))
}

/// The text of a study of our data by its name.
#[must_use]
pub fn study(name: &str) -> Option<&'static str> {
    published::texts().zip(OURS.iter()).find(|(_, study)| study_of(study) == Some(name)).map(|(text, _)| text)
}

/// The names of the studies of our data.
#[must_use]
pub fn studies() -> Vec<&'static str> {
    OURS.iter().filter_map(study_of).collect()
}

/// A number with as many digits as it needs.
pub(crate) fn shown(value: f64) -> String {
    if value.abs() >= 1e5 {
        return format!("{value:.0}");
    }
    let digits = (3.0 - value.abs().max(1e-6).log10().floor()).clamp(0.0, 4.0) as usize;
    let text = format!("{value:.digits$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').replace('.', words::say!("language-decimal"))
}

/// True if `value`, rounded to the digits of `printed`, is `printed`.
pub(crate) fn rounds_to(value: f64, printed: f64) -> bool {
    let text = format!("{printed}");
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len()) as i32;
    // A whole number with zeros at its end was rounded to the digits before them.
    let zeros = if decimals == 0 { text.len() - text.trim_end_matches('0').len() } else { 0 } as i32;
    let step = 10f64.powi(zeros - decimals);
    (value - printed).abs() <= step * 0.5000001
}

#[cfg(test)]
mod tests;

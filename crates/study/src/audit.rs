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
mod ratios;
mod reading;
mod references;
mod statements;

use std::fmt;
use words::say;

use published::{Statement, Study, Verdict};
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

impl From<Verdict> for Rating {
    fn from(verdict: Verdict) -> Rating {
        match verdict {
            Verdict::Wrong => Rating::Wrong,
            Verdict::Inconsistent => Rating::Inconsistent,
            Verdict::Unsupported => Rating::Unsupported,
            Verdict::NotAlike => Rating::NotAlike,
            Verdict::Loose => Rating::Loose,
            Verdict::Right => Rating::Holds,
        }
    }
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

/// Audits a file of printed numbers; `name` is the file's name, for messages. What we know besides of a study
/// that is in our data (its beds, its statements) is used as well.
///
/// # Errors
/// All faults of the file: TOML that does not parse, keys that are missing, misspelt or of another type,
/// formulas and ratios that cannot be evaluated, nothing to audit.
pub fn file(text: &str, name: &str) -> Result<Vec<Finding>, Diagnostics> {
    let mut material = reading::read(text, name)?;
    for (_, besides) in published::studies() {
        let is_known = |study: &str| material.numbers.iter().any(|number| number.study == study);
        if study_of(besides).is_some_and(is_known) {
            let new =
                |statement: &&Statement| !material.statements.iter().any(|other| other.id == statement.id);
            let statements: Vec<Statement> = besides.statements.iter().filter(new).cloned().collect();
            material.statements.extend(statements);
            let bed_is_known = |study: &str| material.testbeds.iter().any(|bed| bed.study == study);
            if !besides.testbeds.first().is_some_and(|bed| bed_is_known(&bed.study)) {
                material.testbeds.extend(besides.testbeds.iter().cloned());
            }
        }
    }
    let mut findings = ratios::examine(&material.numbers);
    findings.extend(laws::examine(&material.numbers));
    findings.extend(claim::examine(&material.numbers, &material.statements, &findings));
    findings.extend(statements::examine(&material.statements, &material.numbers));
    findings.extend(factors::examine(&material.testbeds));
    findings.sort_by(|a, b| (&a.study, a.rating, &a.about).cmp(&(&b.study, b.rating, &b.about)));
    Ok(findings)
}

fn study_of(material: &Study) -> Option<&str> {
    let of_numbers = material.numbers.first().map(|number| number.study.as_str());
    of_numbers.or_else(|| material.testbeds.first().map(|bed| bed.study.as_str()))
}

/// The text of a study of our data by its name.
#[must_use]
pub fn study(name: &str) -> Option<&'static str> {
    published::studies().find(|(_, study)| study_of(study) == Some(name)).map(|(text, _)| text)
}

/// The names of the studies of our data.
#[must_use]
pub fn studies() -> Vec<&'static str> {
    published::studies().filter_map(|(_, study)| study_of(study)).collect()
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

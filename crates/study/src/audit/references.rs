//! References from claims to numbers, held against the numbers of the file: what cannot be evaluated is a
//! fault of the file, not a finding against the study.

use std::collections::BTreeMap;
use std::ops::Range;

use tomlfile::{Fault, nearest};
use words::say;

use super::expression;

/// A reference with the study whose numbers it means.
pub(super) struct Reference {
    pub(super) study: String,
    pub(super) to: Target,
}

/// The numbers that a reference means.
pub(super) enum Target {
    /// Those of a formula; the place is that of its value in the file.
    Formula(String, Range<usize>),
    /// The two of a ratio, each with its place.
    Ratio(Vec<(String, Range<usize>)>),
}

/// The values of a file's numbers by study and id; NaN where a value could not be read.
pub(super) type Values = BTreeMap<(String, String), f64>;

/// Every fault of the references in the text of a file.
pub(super) fn faults(text: &str, references: &[Reference], values: &Values) -> Vec<Fault> {
    let of_one = |reference: &Reference| {
        let value_of = |id: &str| values.get(&(reference.study.clone(), id.to_owned())).copied();
        let mut found = match &reference.to {
            Target::Formula(formula, span) => of_formula(text, formula, span, &value_of),
            Target::Ratio(ids) => of_ratio(ids, &value_of),
        };
        for (fault, id) in &mut found {
            let known = values.keys().filter(|(study, _)| *study == reference.study);
            let meant = nearest(id, known.map(|(_, id)| id.as_str()));
            fault.help = meant.filter(|_| value_of(id).is_none()).map(|id| say!("audit-did-you-mean", id));
        }
        found.into_iter().map(|(fault, _)| fault).collect::<Vec<_>>()
    };
    references.iter().flat_map(of_one).collect()
}

/// Faults, each with its text in the formula.
fn of_formula(
    text: &str,
    formula: &str,
    span: &Range<usize>,
    value_of: &dyn Fn(&str) -> Option<f64>,
) -> Vec<(Fault, String)> {
    let faults = expression::evaluate(formula, value_of).err().unwrap_or_default();
    // A text with escapes has no places of its own.
    let start = text.get(span.clone()).and_then(|written| written.find(formula)).map(|at| span.start + at);
    let place = |at: &Range<usize>| match start {
        Some(start) if !formula.is_empty() => start + at.start..start + at.end,
        _ => span.clone(),
    };
    faults.into_iter().map(|fault| (at(place(&fault.at), fault.why), formula[fault.at].to_owned())).collect()
}

/// Faults, each with its id.
fn of_ratio(ids: &[(String, Range<usize>)], value_of: &dyn Fn(&str) -> Option<f64>) -> Vec<(Fault, String)> {
    let fault_of = |(place, (id, span)): (usize, &(String, Range<usize>))| {
        let why = match value_of(id) {
            None => say!("audit-no-number", id),
            Some(_) if ids[..place].iter().any(|(other, _)| other == id) => {
                say!("audit-ratio-to-itself", id)
            }
            Some(0.0) => say!("audit-divides-by-zero", text = id),
            Some(_) => return None,
        };
        Some((at(span.clone(), why), id.clone()))
    };
    ids.iter().enumerate().filter_map(fault_of).collect()
}

fn at(span: Range<usize>, message: String) -> Fault {
    Fault { span, message, label: String::new(), help: None }
}

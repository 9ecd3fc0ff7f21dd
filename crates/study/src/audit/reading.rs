//! A study's file, read with all its faults at once.

use published::{Study, Tables};
use tomlfile::{Diagnostics, Fault, Node, Reader};

use super::references::{self, Reference, Target};

/// Reads a file.
///
/// # Errors
/// Every fault of it, in its order.
pub(super) fn read(text: &str, name: &str) -> Result<Study, Diagnostics> {
    published::read(text, name, |study, tables, reader| {
        let mut faults = references::faults(text, &references(study, tables), &values(study));
        faults.extend(nothing(study, reader));
        faults.extend(too_many(study));
        faults
    })
}

/// The values of the numbers that claims can refer to.
fn values(study: &Study) -> references::Values {
    let of_one = |number: &published::Number| ((number.study.clone(), number.id.clone()), number.value);
    study.numbers.iter().map(of_one).collect()
}

/// The references of numbers and statements.
fn references(study: &Study, tables: &Tables<'_>) -> Vec<Reference> {
    let ratio = |study: &str, ids: &[String], table: &Node<'_>| {
        let places = table.at("numbers").map(|list| list.elements()).unwrap_or_default();
        let named = ids.iter().cloned().zip(places.into_iter().map(|place| place.span));
        Reference { study: study.to_owned(), to: Target::Ratio(named.collect()) }
    };
    let mut references = Vec::new();
    for (number, table) in study.numbers.iter().zip(&tables.numbers) {
        references.push(ratio(&number.study, &number.numbers, table));
    }
    for (statement, table) in study.statements.iter().zip(&tables.statements) {
        if let (Some(formula), Some(place)) = (&statement.formula, table.at("formula")) {
            let to = Target::Formula(formula.clone(), place.span);
            references.push(Reference { study: statement.study.clone(), to });
        }
        references.push(ratio(&statement.study, &statement.numbers, table));
    }
    references
}

/// The fault of a good file without anything to audit.
fn nothing(study: &Study, reader: &Reader) -> Option<Fault> {
    let is_empty = study.numbers.is_empty() && study.statements.is_empty() && study.testbeds.is_empty();
    let help = "give [[number]] tables with metric and value, and test, system, unit, conditions, kind and id where known";
    (is_empty && reader.faults.is_empty()).then(|| Fault {
        span: 0..0,
        message: "it holds nothing to audit".to_owned(),
        label: String::new(),
        help: Some(help.to_owned()),
    })
}

/// Beds of a file at most: each two of them are compared, and a study has a dozen.
const BEDS_MOST: usize = 200;

/// The fault of a file whose beds are too many to be compared with each other.
fn too_many(study: &Study) -> Option<Fault> {
    let count = study.testbeds.len();
    (count > BEDS_MOST).then(|| Fault {
        span: 0..0,
        message: format!("it holds {count} beds"),
        label: String::new(),
        help: Some(format!(
            "each two beds are compared: give at most {BEDS_MOST}, those of one study in one file"
        )),
    })
}

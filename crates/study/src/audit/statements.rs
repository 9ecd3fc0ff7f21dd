//! Sentences of a study's text, checked by their formula over the printed numbers.

use std::cell::RefCell;
use words::say;

use published::quantity::{self, Dimension};
use published::{Number, Statement};

use super::{Finding, Rating, claim, expression, shown};

/// Every statement with what its formula gives.
pub(super) fn examine(statements: &[Statement], numbers: &[Number]) -> Vec<Finding> {
    let open = |s: &&Statement| s.formula.is_some() || s.verdict.is_some();
    statements.iter().filter(open).map(|statement| examine_one(statement, numbers)).collect()
}

fn examine_one(statement: &Statement, numbers: &[Number]) -> Finding {
    let (rating, mut check) = match &statement.formula {
        None => (statement.verdict.map_or(Rating::Unsupported, Rating::from), String::new()),
        Some(formula) => by_formula(statement, formula, numbers),
    };
    if !statement.note.is_empty() {
        check =
            if check.is_empty() { statement.note.clone() } else { format!("{check}; {}", statement.note) };
    }
    Finding {
        study: statement.study.clone(),
        rating,
        claim: statement.text.clone(),
        check,
        about: vec![statement.id.clone()],
        is_claim: true,
    }
}

/// The result of the formula, and the statement's rating by it. Values are as printed, with their magnitude:
/// 1840000 for "1.84 M".
fn by_formula(statement: &Statement, formula: &str, numbers: &[Number]) -> (Rating, String) {
    let named: RefCell<Vec<&Number>> = RefCell::default();
    let value_of = |id: &str| {
        let number = numbers.iter().find(|n| n.id == id && n.study == statement.study)?;
        named.borrow_mut().push(number);
        Some(number.value * quantity::magnitude(&number.unit))
    };
    let value = match expression::evaluate(formula, &value_of) {
        Ok(value) => value / quantity::magnitude(&statement.unit),
        // A statement of our data about numbers that the user's file lacks.
        Err(faults) => {
            let why: Vec<String> = faults.into_iter().map(|fault| fault.why).collect();
            return (Rating::Unmatched, why.join("; "));
        }
    };
    let check = format!("{formula} = {} {}", shown(value), statement.unit).trim_end().to_owned();
    if let Some(verdict) = statement.verdict {
        return (verdict.into(), check);
    }
    let (rating, why) = claim::of_formula(statement, value);
    match (rating, why, mixed(&named.borrow())) {
        (Rating::Wrong, _, Some((a, b))) => {
            let why = say!("audit-formula-units", a = a.id, a_unit = a.unit, b = b.id, b_unit = b.unit);
            (Rating::Unmatched, format!("{check}; {why}"))
        }
        (_, Some(why), _) if rating == Rating::Unmatched => (rating, format!("{check}; {why}")),
        (_, Some(why), _) => (rating, format!("{check}, {why}")),
        (_, None, _) => (rating, check),
    }
}

/// Two numbers that measure the same in units of other sizes.
fn mixed<'n>(named: &[&'n Number]) -> Option<(&'n Number, &'n Number)> {
    let sized = |number: &Number| {
        let (factor, dimension) = quantity::unit(&number.unit);
        (factor / quantity::magnitude(&number.unit), dimension)
    };
    named.iter().enumerate().find_map(|(at, a)| {
        let (size, dimension) = sized(a);
        let differs = |b: &&&'n Number| {
            let (other, measures) = sized(b);
            measures == dimension && (other / size - 1.0).abs() > 1e-9
        };
        let is_known = !matches!(dimension, Dimension::Other(_));
        named[at + 1..].iter().find(differs).filter(|_| is_known).map(|b| (*a, *b))
    })
}

//! Sentences of a study's text, checked by their formula over the printed numbers.

use super::{Finding, Printed, Statement, Verdict, expression, rounds_to, shown};

/// Every statement with what its formula gives.
pub(super) fn examine(statements: &[Statement], numbers: &[Printed]) -> Vec<Finding> {
    let open = |s: &&Statement| s.formula.is_some() || s.verdict.is_some();
    statements.iter().filter(open).map(|statement| examine_one(statement, numbers)).collect()
}

fn examine_one(statement: &Statement, numbers: &[Printed]) -> Finding {
    let value_of =
        |id: &str| numbers.iter().find(|n| n.id == id && n.study == statement.study).map(|n| n.value);
    let result =
        statement.formula.as_ref().map(|formula| (formula, expression::evaluate(formula, &value_of)));
    let (verdict, mut check) = match (&result, statement.printed) {
        (None, _) => (Verdict::Unsupported, String::new()),
        (Some((_, Err(why))), _) => (Verdict::Unsupported, why.clone()),
        (Some((formula, Ok(value))), None) => (
            Verdict::Loose,
            format!("{formula} = {} {}", shown(*value), statement.unit).trim_end().to_owned(),
        ),
        (Some((formula, Ok(value))), Some(printed)) => {
            let verdict = if rounds_to(*value, printed) { Verdict::Holds } else { Verdict::Loose };
            (verdict, format!("{formula} = {} {}", shown(*value), statement.unit).trim_end().to_owned())
        }
    };
    if !statement.note.is_empty() {
        check =
            if check.is_empty() { statement.note.clone() } else { format!("{check}; {}", statement.note) };
    }
    let verdict = match statement.verdict.as_deref() {
        Some("wrong") => Verdict::Wrong,
        Some("inconsistent") => Verdict::Inconsistent,
        Some("loose") => Verdict::Loose,
        Some("not-alike") => Verdict::NotAlike,
        Some("unsupported") => Verdict::Unsupported,
        Some("holds") => Verdict::Holds,
        _ => verdict,
    };
    Finding {
        study: statement.study.clone(),
        verdict,
        claim: statement.text.clone(),
        check,
        about: vec![statement.id.clone()],
        is_claim: true,
    }
}

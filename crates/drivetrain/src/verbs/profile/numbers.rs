//! The numbers of a fitted drive and the errors of a fit, as text and as data.

use std::fmt;

use serde_json::{Value, json};
use study::profile::{Errors, Fitted, FittedNumber, FittedWord};

use crate::verbs::drives;

/// Errors in a line.
pub(super) fn percent(errors: &Errors) -> String {
    format!("median {:>5.1} %   nine in ten within {:>5.1} %", errors.median * 1e2, errors.nine_in_ten * 1e2)
}

/// The numbers that the data say, each with its interval, and the names of the others.
pub(super) fn text(fitted: &Fitted) -> String {
    let mut text = String::new();
    for word in fitted.words.iter().filter(|word| word.is_identified) {
        text.push_str(&format!("{:32} {:>12}\n", word.key, word.value.trim_matches('"')));
    }
    for number in &fitted.numbers {
        if let Some((low, high)) = number.interval {
            let value = Rounded(number.value).to_string();
            let interval = drives::interval([low, high], |end| Rounded(end).to_string());
            text.push_str(&format!("{:32} {value:>12}   {interval}\n", number.key));
        }
    }
    let numbers = fitted.numbers.iter().filter(|number| number.interval.is_none()).map(|number| number.key);
    let words = fitted.words.iter().filter(|word| !word.is_identified).map(|word| word.key);
    let open: Vec<&str> = numbers.chain(words).collect();
    if !open.is_empty() {
        text.push_str(&format!("not identified: {}\n", open.join(", ")));
    }
    text
}

/// A number as it is printed in a column.
struct Rounded(f64);

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = if self.0.abs() >= 1e3 { 0 } else { 2 };
        f.pad(&format!("{:.digits$}", self.0))
    }
}

/// Errors for programs.
pub(super) fn errors_document(errors: &Errors) -> Value {
    // Nothing judged is no error of nothing.
    let judged = |value: f64| (errors.points > 0).then_some(value);
    json!({ "median": judged(errors.median), "nine_in_ten": judged(errors.nine_in_ten), "points": errors.points })
}

/// The numbers and words for programs.
pub(super) fn document(fitted: &Fitted) -> [Value; 2] {
    let number = |number: &FittedNumber| {
        let value = number.value.is_finite().then_some(number.value);
        let (low, high) = number.interval.unzip();
        json!({
            "key": number.key,
            "value": value,
            "low": low,
            "high": high,
            "identified": number.interval.is_some(),
            "source": number.source,
        })
    };
    let word = |word: &FittedWord| json!({ "key": word.key, "value": word.value.trim_matches('"'), "identified": word.is_identified, "source": word.source });
    [fitted.numbers.iter().map(number).collect(), fitted.words.iter().map(word).collect()]
}

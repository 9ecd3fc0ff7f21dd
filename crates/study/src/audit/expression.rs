//! Arithmetic over numbers and ids: `+ - * / ( )`, and `ceil(...)`.

use std::ops::Range;

use words::say;

/// A fault of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FormulaFault {
    /// The bytes of the formula that are at fault.
    pub(super) at: Range<usize>,
    /// The fault, in words.
    pub(super) why: String,
}

/// Evaluates `text`; `value_of` gives the value of an id, NaN where the id is known and its value is not.
///
/// # Errors
/// Every id that is unknown, every division by zero and every ratio of a number to itself; of the grammar,
/// the first fault.
pub(super) fn evaluate(text: &str, value_of: &dyn Fn(&str) -> Option<f64>) -> Result<f64, Vec<FormulaFault>> {
    let mut reader = Reader { text, rest: text, value_of, depth: 0, faults: Vec::new(), is_open: false };
    let value = match reader.whole() {
        Ok(value) => value,
        Err(fault) => {
            reader.faults.push(fault);
            return Err(reader.faults);
        }
    };
    if reader.faults.is_empty() && !value.is_finite() && !reader.is_open {
        reader.faults.push(FormulaFault { at: 0..text.len(), why: say!("formula-not-finite", text) });
    }
    if reader.faults.is_empty() { Ok(value) } else { Err(reader.faults) }
}

struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
    value_of: &'a dyn Fn(&str) -> Option<f64>,
    depth: u32,
    /// Faults after which the reading goes on.
    faults: Vec<FormulaFault>,
    /// True if the value of an id is not known.
    is_open: bool,
}

/// Brackets within brackets that a formula may have.
const DEPTH_MAX: u32 = 50;

impl<'a> Reader<'a> {
    fn take(&mut self, sign: char) -> bool {
        self.rest = self.rest.trim_start();
        let after = self.rest.strip_prefix(sign);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// The place of the next byte.
    fn at(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    fn whole(&mut self) -> Result<f64, FormulaFault> {
        let value = self.sum()?;
        match self.rest.trim_start() {
            "" => Ok(value),
            rest => {
                let at = self.text.len() - rest.len()..self.text.len();
                Err(FormulaFault { at, why: say!("formula-not-understood", rest, text = self.text) })
            }
        }
    }

    fn sum(&mut self) -> Result<f64, FormulaFault> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value += self.product()?;
            } else if self.take('-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<f64, FormulaFault> {
        let (mut value, whole) = self.operand()?;
        // The id that is the whole dividend, as long as one is.
        let mut dividend = Some(whole).filter(|text| !is_number(text));
        loop {
            if self.take('*') {
                value *= self.operand()?.0;
            } else if self.take('/') {
                let (divisor, text) = self.operand()?;
                let at = self.at() - text.len()..self.at();
                if divisor == 0.0 {
                    self.faults.push(FormulaFault { at, why: say!("audit-divides-by-zero", text) });
                } else if dividend == Some(text) {
                    self.faults.push(FormulaFault { at, why: say!("audit-ratio-to-itself", id = text) });
                }
                value /= divisor;
            } else {
                return Ok(value);
            }
            dividend = None;
        }
    }

    /// An atom with its text.
    fn operand(&mut self) -> Result<(f64, &'a str), FormulaFault> {
        self.rest = self.rest.trim_start();
        let before = self.rest;
        let value = self.atom()?;
        Ok((value, &before[..before.len() - self.rest.len()]))
    }

    fn atom(&mut self) -> Result<f64, FormulaFault> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            let at = self.at()..self.at();
            return Err(FormulaFault { at, why: say!("formula-too-deep").to_owned() });
        }
        let value = self.atom_within();
        self.depth -= 1;
        value
    }

    fn atom_within(&mut self) -> Result<f64, FormulaFault> {
        if self.take('-') {
            return Ok(-self.atom()?);
        }
        let start = self.at();
        if self.take('(') {
            return self.bracket(start);
        }
        let end = self.rest.find(|c: char| !is_of_word(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if word == "ceil" && self.take('(') {
            return Ok(self.bracket(start)?.ceil());
        }
        let at = start..start + end;
        if word.is_empty() {
            return Err(FormulaFault { at, why: say!("formula-missing").to_owned() });
        }
        let number = if is_number(word) { word.parse().ok() } else { None };
        let Some(value) = number.or_else(|| (self.value_of)(word)) else {
            self.faults.push(FormulaFault { at, why: say!("audit-no-number", id = word) });
            return Ok(f64::NAN);
        };
        self.is_open |= value.is_nan();
        Ok(value)
    }

    /// The rest of a bracket that was opened; `start` is the place of its beginning.
    fn bracket(&mut self, start: usize) -> Result<f64, FormulaFault> {
        let opened = start..self.at();
        let value = self.sum()?;
        if self.take(')') {
            return Ok(value);
        }
        Err(FormulaFault { at: opened, why: say!("formula-open-bracket").to_owned() })
    }
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '.' || c == '_'
}

/// True for digits; words such as `inf`, which are numbers of Rust, are ids.
fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || c == '.') && word.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Result<f64, Vec<FormulaFault>> {
        evaluate(text, &|id| match id {
            "K1" => Some(8.0),
            "K0" => Some(0.0),
            "unread" => Some(f64::NAN),
            _ => None,
        })
    }

    #[test]
    fn arithmetic_has_its_usual_order() {
        assert_eq!(value("1 + 2 * 3 - 4 / 2"), Ok(5.0));
        assert_eq!(value("K1/(16*(1-0.5))"), Ok(1.0));
        assert_eq!(value("ceil(6.5) - -1"), Ok(8.0));
        assert!(
            value("1 +").is_err() && value("K2").is_err() && value("1/0").is_err() && value("(1").is_err()
        );
    }

    #[test]
    fn every_fault_has_its_place() {
        let places = |text: &str| -> Vec<Range<usize>> {
            value(text).expect_err(text).into_iter().map(|fault| fault.at).collect()
        };
        for (text, at) in [
            ("K1 // 2", 4..4),
            ("K1 / 2 +", 8..8),
            ("1 + ceil(K1", 4..9),
            ("((((K1", 3..4),
            ("K1 K1", 3..5),
            ("2 * inf", 4..7),
            ("1 / K0", 4..6),
            ("K1 / (K0 * 2)", 5..13),
            ("K1 / K1", 5..7),
            ("1e300 * 1e300", 0..13),
        ] {
            assert_eq!(places(text), [at], "{text}");
        }
        assert_eq!(places("K7 + 1 / K0 + K8 )"), [0..2, 9..11, 14..16, 17..18]);
        assert!(value("unread / 3").is_ok_and(f64::is_nan) && value("2 / 2") == Ok(1.0));
        assert_eq!(value("(K1 - 2) / K1 + 2 * K1 / K1"), Ok(2.75));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[0-9K+*/(). ceil-]{0,60}") {
            let _ = value(&text);
        }
    }
}

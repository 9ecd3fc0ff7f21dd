//! Arithmetic over numbers and ids: `+ - * / ( )`, and `ceil(...)`.

use words::say;

/// Evaluates `text`; `value_of` gives the value of an id.
///
/// # Errors
/// The part that could not be understood, in words.
pub(super) fn evaluate(text: &str, value_of: &dyn Fn(&str) -> Option<f64>) -> Result<f64, String> {
    let mut reader = Reader { rest: text, value_of, depth: 0 };
    let value = reader.sum()?;
    match reader.rest.trim_start() {
        "" if value.is_finite() => Ok(value),
        "" => Err(say!("formula-not-finite", text)),
        rest => Err(say!("formula-not-understood", rest, text)),
    }
}

struct Reader<'a> {
    rest: &'a str,
    value_of: &'a dyn Fn(&str) -> Option<f64>,
    depth: u32,
}

/// Brackets within brackets that a formula may have.
const DEPTH_MAX: u32 = 50;

impl Reader<'_> {
    fn take(&mut self, sign: char) -> bool {
        let trimmed = self.rest.trim_start();
        let found = trimmed.starts_with(sign);
        self.rest = if found { &trimmed[sign.len_utf8()..] } else { trimmed };
        found
    }

    fn sum(&mut self) -> Result<f64, String> {
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

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.atom()?;
        loop {
            if self.take('*') {
                value *= self.atom()?;
            } else if self.take('/') {
                value /= self.atom()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn atom(&mut self) -> Result<f64, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(say!("formula-too-deep").to_owned());
        }
        let value = self.atom_within();
        self.depth -= 1;
        value
    }

    fn atom_within(&mut self) -> Result<f64, String> {
        if self.take('-') {
            return Ok(-self.atom()?);
        }
        if self.take('(') {
            let value = self.sum()?;
            return if self.take(')') { Ok(value) } else { Err(say!("formula-open-bracket").to_owned()) };
        }
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_'))
            .unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        self.rest = &self.rest[end..];
        if word == "ceil" && self.take('(') {
            let value = self.sum()?;
            return if self.take(')') {
                Ok(value.ceil())
            } else {
                Err(say!("formula-open-bracket").to_owned())
            };
        }
        if word.is_empty() {
            return Err(say!("formula-missing").to_owned());
        }
        word.parse().ok().or_else(|| (self.value_of)(word)).ok_or_else(|| say!("audit-no-number", id = word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Result<f64, String> {
        evaluate(text, &|id| (id == "K1").then_some(8.0))
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

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[0-9K+*/(). ceil-]{0,60}") {
            let _ = value(&text);
        }
    }
}

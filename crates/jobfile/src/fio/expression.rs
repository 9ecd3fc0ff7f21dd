//! Arithmetic as fio has it: `(4*1024)`, `(1k+512)`, `10*10*1000*$mb_memory` after its keywords were
//! replaced.

/// Nesting deeper than this is no honest job file.
const DEPTH_MAX: usize = 64;

/// The value of an expression; numbers may carry suffixes, which `suffix` multiplies out.
///
/// # Errors
/// The fault, in a few words.
pub(super) fn evaluate(text: &str, suffix: &dyn Fn(&str) -> Option<f64>) -> Result<f64, String> {
    let mut parser = Parser { rest: text.trim(), depth: 0, suffix };
    let value = parser.sum()?;
    if !parser.rest.is_empty() {
        return Err(format!("`{}` does not belong to an expression", first_word(parser.rest)));
    }
    if value.is_finite() { Ok(value) } else { Err("the expression has no finite value".to_owned()) }
}

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
    suffix: &'t dyn Fn(&str) -> Option<f64>,
}

impl Parser<'_> {
    fn take(&mut self, operators: &[char]) -> Option<char> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next().filter(|c| operators.contains(c))?;
        self.rest = self.rest[first.len_utf8()..].trim_start();
        Some(first)
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        while let Some(operator) = self.take(&['+', '-']) {
            let right = self.product()?;
            value = if operator == '+' { value + right } else { value - right };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.power()?;
        while let Some(operator) = self.take(&['*', '/', '%']) {
            let right = self.power()?;
            value = match operator {
                '*' => value * right,
                _ if right == 0.0 => return Err("it divides by zero".to_owned()),
                '/' => value / right,
                _ => value % right,
            };
        }
        Ok(value)
    }

    fn power(&mut self) -> Result<f64, String> {
        let base = self.atom()?;
        if self.take(&['^']).is_none() {
            return Ok(base);
        }
        self.deeper()?;
        let exponent = self.power()?;
        self.depth -= 1;
        Ok(base.powf(exponent))
    }

    fn atom(&mut self) -> Result<f64, String> {
        if let Some(sign) = self.take(&['-', '+']) {
            self.deeper()?;
            let value = self.atom()?;
            self.depth -= 1;
            return Ok(if sign == '-' { -value } else { value });
        }
        if self.take(&['(']).is_some() {
            self.deeper()?;
            let value = self.sum()?;
            self.depth -= 1;
            return match self.take(&[')']) {
                Some(_) => self.with_suffix(value),
                None => Err("a bracket is not closed".to_owned()),
            };
        }
        let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        let value = number.parse().map_err(|_| format!("`{}` is not a number", first_word(self.rest)))?;
        self.rest = rest;
        self.with_suffix(value)
    }

    fn with_suffix(&mut self, value: f64) -> Result<f64, String> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(self.rest.len());
        let (unit, rest) = self.rest.split_at(end);
        if unit.is_empty() {
            return Ok(value);
        }
        self.rest = rest;
        let factor = (self.suffix)(unit).ok_or_else(|| format!("`{unit}` is not a unit"))?;
        Ok(value * factor)
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX { Err("it is nested too deeply".to_owned()) } else { Ok(()) }
    }
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Result<f64, String> {
        evaluate(text, &|unit| (unit.eq_ignore_ascii_case("k")).then_some(1024.0))
    }

    #[test]
    fn computes_as_fio_does() {
        assert_eq!(value("(4*1024)"), Ok(4096.0));
        assert_eq!(value("1+2*3^2"), Ok(19.0));
        assert_eq!(value("(1k+512)*2"), Ok(3072.0));
        assert_eq!(value("7%4 - -2"), Ok(5.0));
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, part) in
            [("1/0", "zero"), ("(1", "closed"), ("", "number"), ("2q", "unit"), ("1 2", "belong")]
        {
            assert!(value(text).is_err_and(|error| error.contains(part)), "{text}: {:?}", value(text));
        }
        assert!(value(&"(".repeat(10_000)).is_err());
        assert!(value(&"-".repeat(10_000)).is_err());
        assert!(value(&"2^".repeat(10_000)).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in "[-+*/%^() 0-9k.]{0,60}") {
            let _ = value(&text);
        }
    }
}

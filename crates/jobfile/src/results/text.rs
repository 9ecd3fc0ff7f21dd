//! Outputs that are lines of text: numbers in them, with their places.

use crate::fault::{FileFault, quoted};
use crate::steps::LONGEST_S;

/// Numbers beyond this are no result of any tool.
const LARGEST: f64 = 1e18;
/// No load has more users than this.
const USERS_MOST: f64 = 1e6;

/// One line with its number, from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) text: &'a str,
}

/// The lines of a text, without the blanks around them.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.lines().enumerate().map(|(index, text)| Line { number: index + 1, text: text.trim() })
}

impl<'a> Line<'a> {
    /// A fault of this line.
    pub(super) fn fault(&self, message: impl Into<String>) -> FileFault {
        FileFault::line(
            self.number,
            message,
            "export the result again; an edited or cut file is not imported",
        )
    }

    /// The rest of the line after a beginning.
    pub(super) fn after(&self, begin: &str) -> Option<&'a str> {
        self.text.strip_prefix(begin).map(str::trim)
    }

    /// The number at the beginning of a text, which is finite and not negative.
    pub(super) fn amount(&self, text: &str) -> Result<f64, FileFault> {
        let text = text.trim();
        let end =
            text.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+' | 'e' | 'E')).unwrap_or(text.len());
        // Words such as `nan` and `inf` have no digits, and are no numbers here.
        match text[..end].parse::<f64>() {
            Ok(number) if !number.is_finite() || number > LARGEST => {
                Err(self.fault(format!("{} is too large", quoted(text))))
            }
            Ok(number) if number.is_sign_negative() => {
                Err(self.fault(format!("{} is less than nothing", quoted(text))))
            }
            Ok(number) => Ok(number),
            Err(_) => Err(self.fault(format!("{} does not begin with a number", quoted(text)))),
        }
    }

    /// The number between two texts of the line, as [`Line::amount`]; `None` where the first is not there.
    pub(super) fn between(&self, before: &str, after: &str) -> Result<Option<f64>, FileFault> {
        let Some((_, rest)) = self.text.split_once(before) else { return Ok(None) };
        let number = rest.split_once(after).map_or(rest, |parts| parts.0);
        self.amount(number).map(Some)
    }

    /// A number of users of a load, from 1 to [`USERS_MOST`]; `what` names it in the fault.
    pub(super) fn users(&self, text: &str, what: &str) -> Result<f64, FileFault> {
        let users = self.amount(text)?;
        match (1.0..=USERS_MOST).contains(&users) {
            true => Ok(users),
            false => Err(self.fault(format!("has no number of {what} from 1 to {USERS_MOST}"))),
        }
    }

    /// A time in seconds within the longest that is imported.
    pub(super) fn seconds(&self, text: &str) -> Result<f64, FileFault> {
        let seconds = self.amount(text)?;
        match seconds <= LONGEST_S {
            true => Ok(seconds),
            false => Err(self.fault(format!("{} is more than a week", quoted(text.trim())))),
        }
    }
}

/// The value that a part of an output must have.
pub(super) fn required<T>(
    value: Option<T>,
    what: &str,
    from: usize,
    tool: &'static str,
) -> Result<T, FileFault> {
    value.ok_or_else(|| {
        let message = format!("the output of {tool} that begins here does not state {what}");
        let help =
            format!("the file is cut, or {tool} was stopped before its summary; import a whole output");
        FileFault::line(from, message, help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_their_place() {
        let line = Line { number: 7, text: "tps = 12.5 (without initial connection time)" };
        assert_eq!(line.after("tps = ").map(|rest| line.amount(rest)), Some(Ok(12.5)));
        assert_eq!(line.between("= ", " (w"), Ok(Some(12.5)));
        assert_eq!(line.between("none", ""), Ok(None));
        for (text, said) in [
            ("nan", "does not begin"),
            ("-3", "less than nothing"),
            ("-0.0", "less than nothing"),
            ("1e999", "too large"),
            ("", ""),
        ] {
            let fault = line.amount(text).unwrap_err();
            assert!(fault.in_file("f").starts_with("f:7: ") && fault.message.contains(said), "{fault}");
        }
        assert!(line.seconds("99999999").unwrap_err().message.contains("a week"));
    }
}

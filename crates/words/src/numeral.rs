//! Numbers and lists as the spoken language writes them: `1,234.5` in English is `1.234,5` in Indonesian.
//!
//! Machine formats (JSON, CSV) never pass through here.

use crate::say;

/// A plain decimal numeral as a reader writes it: groups of three digits, the language's separators, and a
/// true minus sign. `-1234567.8` becomes `−1,234,567.8`.
pub fn numeral(plain: &str) -> String {
    let (sign, rest) = match plain.strip_prefix('-') {
        Some(rest) if rest.chars().any(|c| c.is_ascii_digit() && c != '0') => ("\u{2212}", rest),
        Some(rest) => ("", rest),
        None => ("", plain),
    };
    match rest.split_once('.') {
        Some((digits, fraction)) => {
            format!("{sign}{}{}{fraction}", whole(digits), say!("language-decimal"))
        }
        None => format!("{sign}{}", whole(rest)),
    }
}

/// The value with exactly this many decimals, in the spoken language's digits.
pub fn decimals(value: f64, count: usize) -> String {
    if value.is_finite() { numeral(&format!("{value:.count$}")) } else { "-".to_owned() }
}

/// The value with at most this many digits that count, without groups: `0.01667`, `392000`.
pub fn significant(value: f64, digits: usize) -> String {
    let rounded = format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value);
    f64::to_string(&rounded)
}

/// Names after each other: `nvme, eco`.
pub fn list(names: impl IntoIterator<Item = impl Into<String>>) -> String {
    let names = names.into_iter().map(Into::into);
    names.reduce(|first: String, next: String| say!("language-list", first, next)).unwrap_or_default()
}

/// Parts of a sentence after each other: `2 cells failed; 1 was stopped`.
pub fn parts(texts: impl IntoIterator<Item = impl Into<String>>) -> String {
    let texts = texts.into_iter().map(Into::into);
    texts.reduce(|first: String, next: String| say!("language-parts", first, next)).unwrap_or_default()
}

/// The digits of a whole number in groups of three.
pub(crate) fn whole(digits: &str) -> String {
    let separator = say!("language-thousands");
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 2);
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push_str(separator);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_numeral_is_written_as_english_writes_it() {
        let plain = ["-1234567.8", "999", "-0.0", "-0", "1000.25", "0"];
        let written = ["\u{2212}1,234,567.8", "999", "0.0", "0", "1,000.25", "0"];
        assert_eq!(plain.map(numeral), written);
        let rounded =
            [1.0 / 60.0, 391_983.0, 0.1 + 0.2, 1.0, 0.0, f64::INFINITY].map(|of| significant(of, 4));
        assert_eq!(rounded, ["0.01667", "392000", "0.3", "1", "0", "inf"]);
        assert_eq!([decimals(1234.567, 1), decimals(0.5, 0), decimals(f64::NAN, 2)], ["1,234.6", "0", "-"]);
    }

    proptest! {
        #[test]
        fn grouping_keeps_every_digit(value in any::<u64>()) {
            let shown = numeral(&value.to_string());
            prop_assert_eq!(shown.replace(',', ""), value.to_string());
            prop_assert!(shown.split(',').skip(1).all(|group| group.len() == 3));
        }
    }
}

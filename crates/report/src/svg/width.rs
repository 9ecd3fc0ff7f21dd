//! The estimated width of a text on a screen whose font is not known.
//!
//! The report uses the reader's own interface font, so widths are estimated from the widest common one
//! (DejaVu Sans / Verdana class): a label that fits by this estimate fits in every other.

/// Width of `text` in units of the drawing, at a font size in the same units.
pub(crate) fn of(text: &str, font_size: f64, bold: bool) -> f64 {
    text.chars().map(advance).sum::<f64>() * unit(font_size, bold)
}

/// Units of the drawing for an em.
fn unit(font_size: f64, bold: bool) -> f64 {
    font_size * if bold { 1.1 } else { 1.0 }
}

/// The mark of a text that was cut.
const ELLIPSIS: char = '\u{2026}';

/// The longest beginning of `text` that fits, with an ellipsis when something was cut. Takes time in
/// proportion to what fits, however long the text is.
pub(crate) fn fit(text: &str, font_size: f64, bold: bool, width_max: f64) -> String {
    let room = width_max / unit(font_size, bold);
    let (mut taken, mut fits) = (0.0, 0);
    for (place, character) in text.char_indices() {
        taken += advance(character);
        if taken > room {
            return format!("{}{ELLIPSIS}", text[..fits].trim_end());
        }
        if taken + advance(ELLIPSIS) <= room {
            fits = place + character.len_utf8();
        }
    }
    text.to_owned()
}

/// Advance widths in em, after DejaVu Sans, by class of character.
fn advance(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | '\'' | '|' => 0.28,
        ' ' | '.' | ',' | ':' | ';' | '!' => 0.32,
        'f' | 't' | 'r' | '(' | ')' | '-' | '/' | '[' | ']' | 'I' | 'J' => 0.40,
        'm' | 'w' | 'M' | 'W' | '%' | '\u{2026}' => 0.97,
        '0'..='9' | 'a'..='z' => 0.63,
        'A'..='Z' => 0.72,
        // Wide scripts take a full em.
        '\u{1100}'.. => 1.0,
        _ => 0.66,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_and_bolder_texts_are_wider() {
        assert!(of("DC1500M", 12.0, false) < of("DC1500M 960G", 12.0, false));
        assert!(of("DC1500M", 12.0, false) < of("DC1500M", 12.0, true));
        assert_eq!(of("", 12.0, true), 0.0);
    }

    #[test]
    fn what_is_cut_fits_and_says_that_it_was_cut() {
        let cut = fit("a rather long name of a bed", 12.0, true, 80.0);
        assert!(cut.ends_with('\u{2026}'), "{cut}");
        assert!(of(&cut, 12.0, true) <= 80.0);
        assert_eq!(fit("eco", 12.0, true, 80.0), "eco");
        assert_eq!(fit("eco", 12.0, true, 1.0), "\u{2026}");
        assert_eq!(fit("a bcd", 12.0, false, 25.0), "a\u{2026}", "no space before the ellipsis");
    }

    #[test]
    fn a_text_without_an_end_is_cut_like_any_other() {
        let long = "a".repeat(1 << 20);
        assert_eq!(fit(&long, 12.0, false, 80.0), fit(&long[..100], 12.0, false, 80.0));
    }
}

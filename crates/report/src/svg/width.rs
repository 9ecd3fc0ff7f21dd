//! The estimated width of a text on a screen whose font is not known.
//!
//! The report uses the reader's own interface font, so widths are estimated from the widest common one
//! (DejaVu Sans / Verdana class): a label that fits by this estimate fits in every other.

/// Width of `text` in units of the drawing, at a font size in the same units.
pub(crate) fn of(text: &str, font_size: f64, bold: bool) -> f64 {
    let weight = if bold { 1.1 } else { 1.0 };
    text.chars().map(advance).sum::<f64>() * font_size * weight
}

/// The longest beginning of `text` that fits, with an ellipsis when something was cut.
pub(crate) fn fit(text: &str, font_size: f64, bold: bool, width_max: f64) -> String {
    if of(text, font_size, bold) <= width_max {
        return text.to_owned();
    }
    let mut kept: Vec<char> = text.chars().collect();
    while !kept.is_empty() {
        kept.pop();
        let candidate: String = kept.iter().collect::<String>().trim_end().to_owned() + "\u{2026}";
        if of(&candidate, font_size, bold) <= width_max {
            return candidate;
        }
    }
    "\u{2026}".to_owned()
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
    }
}

//! Colours of the page, light and dark, and the style sheet that uses them.
//!
//! The palette was chosen for beds that must be told apart: every colour has at least 4.5:1 against its
//! background (WCAG AA for text), and the first three stay apart under protanopia, deuteranopia and
//! tritanopia. Dash, marker and a label at the line's end tell beds apart without any colour. Verdicts always
//! carry a sign and their word beside their colour. Parts of a time are neutral, so that none is read as a
//! bed.

use crate::svg::COLOUR_COUNT;
use std::fmt::Write as _;

/// Name of the variable, colour on light paper, colour on dark.
const PALETTE: &[(&str, &str, &str)] = &[
    ("bg", "#fcfcfa", "#14171b"),
    ("ink", "#191c20", "#e9ebee"),
    ("soft", "#565d66", "#a5adb8"),
    ("rule", "#dadbd6", "#30363e"),
    ("grid", "#eaeae6", "#262b32"),
    ("base", "#878d96", "#78818c"),
    ("shade", "#f5f5f1", "#1c2026"),
    ("c0", "#0b6bcb", "#4ea6f0"),
    ("c1", "#b8520a", "#f0a050"),
    ("c2", "#6d1f63", "#f0b3e6"),
    ("c3", "#4a525c", "#a6afb9"),
    ("c4", "#0f7c57", "#58dba8"),
    ("note-bg", "#fdf1da", "#33290f"),
    ("note-ink", "#714700", "#f2c774"),
    ("alert-bg", "#fbe9e6", "#3d1d1b"),
    ("alert-ink", "#a8231b", "#ff9a8f"),
    ("better-bg", "#e2f1ea", "#12332a"),
    ("better-ink", "#0b6b4d", "#63cda4"),
    ("worse-bg", "#fbe9e6", "#3d1d1b"),
    ("worse-ink", "#a8231b", "#ff9a8f"),
    ("still-bg", "#f5f5f1", "#1c2026"),
    ("still-ink", "#191c20", "#e9ebee"),
    ("g1", "#22324d", "#b9c9e6"),
    ("g2", "#6580a8", "#6f8ab5"),
    ("g3", "#c5cad3", "#4b535f"),
    ("g5", "#b0b5be", "#5d6672"),
    ("g6", "#dcdfe4", "#373d46"),
    ("g8", "#eceded", "#292e35"),
    ("g1-ink", "#ffffff", "#10141b"),
    ("g3-ink", "#191c20", "#e9ebee"),
    ("h0", "#f4f6d2", "#131f5c"),
    ("h1", "#d3ebb9", "#243f92"),
    ("h2", "#9fd9b5", "#2870b1"),
    ("h3", "#5cc0c1", "#2f9cc4"),
    ("h4", "#2f9cc4", "#5cc0c1"),
    ("h5", "#2870b1", "#9fd9b5"),
    ("h6", "#243f92", "#d3ebb9"),
    ("h7", "#131f5c", "#f4f6d2"),
    ("e0", "#8c510a", "#d9a04c"),
    ("e1", "#cf9a48", "#9c7639"),
    ("e2", "#ecdcb4", "#5b4a2e"),
    ("e3", "#f3f3f0", "#262b32"),
    ("e4", "#bfe3da", "#2c4f4c"),
    ("e5", "#5eaea4", "#468f87"),
    ("e6", "#01665e", "#6fd0c2"),
];

/// The rules of drawings, which those that are taken out of a page need as well.
const DRAWING: &str = include_str!("../../templates/drawing.css");
/// The rules that do not depend on the theme.
const RULES: &str =
    concat!(include_str!("../../templates/report.css"), "\n", include_str!("../../templates/drawing.css"));

/// The whole style sheet: variables for light, for dark by the reader's system, for a choice on the page, and
/// for paper.
pub fn sheet() -> String {
    let (light, dark) = (variables(false), variables(true));
    let mut css = String::new();
    let _ = write!(
        css,
        ":root{{color-scheme:light;{light}}}\n\
         @media (prefers-color-scheme:dark){{:root{{color-scheme:dark;{dark}}}}}\n\
         :root[data-theme=light],:root:has(#theme-light:checked){{color-scheme:light;{light}}}\n\
         :root[data-theme=dark],:root:has(#theme-dark:checked){{color-scheme:dark;{dark}}}\n\
         {RULES}\n\
         @media print{{:root,:root[data-theme=dark],:root:has(#theme-dark:checked){{color-scheme:light;{light}--bg:#fff;}}}}\n"
    );
    css
}

/// The style sheet of a drawing by itself: the light colours in place of variables, which programs that draw
/// SVG outside of a browser do not know.
pub(crate) fn of_drawing() -> String {
    let mut css = String::new();
    for rule in DRAWING.split_inclusive('}') {
        let Some((selectors, declarations)) = rule.trim().split_once('{') else { continue };
        // The variable of a bed's colour is a part of the selector here.
        if declarations.contains("--bed:") {
            continue;
        }
        if !declarations.contains("var(--bed)") {
            let _ = writeln!(css, "{selectors}{{{}", with_light(declarations));
            continue;
        }
        for slot in 0..COLOUR_COUNT {
            let of_bed =
                selectors.split(',').map(|one| format!("{one}.c{slot}")).collect::<Vec<_>>().join(",");
            let coloured = declarations.replace("var(--bed)", &format!("var(--c{slot})"));
            let _ = writeln!(css, "{of_bed}{{{}", with_light(&coloured));
        }
    }
    css
}

/// The text with the light colour in place of each variable, and bold in place of weights between regular and
/// bold, for which few fonts outside of a browser have a face.
fn with_light(text: &str) -> String {
    let bold = ["650", "660", "680"].iter().fold(text.to_owned(), |text, weight| {
        text.replace(&format!("font-weight:{weight}"), "font-weight:700")
    });
    PALETTE.iter().fold(bold, |text, (name, light, _)| text.replace(&format!("var(--{name})"), light))
}

fn variables(dark: bool) -> String {
    PALETTE.iter().fold(String::new(), |mut text, (name, on_light, on_dark)| {
        let _ = write!(text, "--{name}:{};", if dark { on_dark } else { on_light });
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance after WCAG 2.2.
    fn luminance(colour: &str) -> f64 {
        let part = |at: usize| {
            let value =
                f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("two hex digits")) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn colour(name: &str, dark: bool) -> &'static str {
        let entry = PALETTE.iter().find(|entry| entry.0 == name).expect("a colour of the palette");
        if dark { entry.2 } else { entry.1 }
    }

    #[test]
    fn text_and_beds_can_be_read_in_both_themes() {
        for dark in [false, true] {
            for name in ["ink", "soft", "c0", "c1", "c2", "c3", "c4"] {
                let found = contrast(colour(name, dark), colour("bg", dark));
                assert!(found >= 4.5, "{name}, dark {dark}: {found:.2}");
            }
            for pair in ["note", "alert", "better", "worse", "still"] {
                let (ink, bg) = (colour(&format!("{pair}-ink"), dark), colour(&format!("{pair}-bg"), dark));
                assert!(contrast(ink, bg) >= 4.5, "{pair}, dark {dark}: {:.2}", contrast(ink, bg));
            }
        }
    }

    #[test]
    fn paper_is_light_whatever_was_chosen() {
        let sheet = sheet();
        let (screen, print) = sheet.rsplit_once("@media print{").expect("a rule for paper, the last");
        let dark =
            screen.lines().find(|line| line.starts_with(":root[data-theme=dark]")).expect("a choice of dark");
        let selectors = dark.split('{').next().expect("selectors");
        assert!(
            print.split('{').next().expect("selectors").contains(selectors),
            "less specific than {selectors}"
        );
    }

    #[test]
    fn a_drawing_by_itself_needs_no_variable() {
        let css = of_drawing();
        assert!(!css.contains("var(") && css.contains(".line.c1") && css.contains("#0b6bcb"), "{css}");
    }

    #[test]
    fn every_variable_that_is_used_is_defined() {
        for part in RULES.split("var(--").skip(1) {
            let name = part.split([')', ',']).next().expect("a name");
            let defined =
                PALETTE.iter().any(|entry| entry.0 == name) || RULES.contains(&format!("{{--{name}:"));
            assert!(defined, "--{name} is not defined");
        }
    }
}

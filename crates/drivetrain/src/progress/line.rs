//! The layout of the live line: what is most important stays when the terminal is narrow.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns of the bar where there is room, and the fewest that say anything.
const BAR: (usize, usize) = (24, 8);
/// Columns between two parts.
const GAP: usize = 2;
/// The fewest columns for a cut part.
const CUT_LEAST: usize = 12;

/// The parts of the line; empty ones are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Line {
    /// Share done, 0 to 1.
    pub(crate) share: f64,
    /// "cell 3 of 12".
    pub(crate) place: String,
    /// The bed and its level.
    pub(crate) what: String,
    pub(crate) phase: String,
    /// With its unit.
    pub(crate) rate: String,
    pub(crate) p99: String,
    /// The remaining time.
    pub(crate) left: String,
}

impl Line {
    /// The line in at most `width` columns. Bar, rate, p99 and remaining time stay the longest.
    pub(crate) fn fit(&self, width: usize) -> String {
        let core = [&self.rate, &self.p99, &self.left];
        let texts = |place: &'_ str, what: &'_ str, phase: &'_ str| {
            let parts = [place, what, phase].into_iter().chain(core.map(String::as_str));
            let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
            parts.join("  ")
        };
        let all = texts(&self.place, &self.what, &self.phase);
        let room = width.saturating_sub(BAR.1 + GAP);
        let without_what = texts(&self.place, "", &self.phase);
        let for_what = room.saturating_sub(without_what.width() + GAP);
        let text = [
            Some(all),
            (for_what >= CUT_LEAST).then(|| texts(&self.place, &cut(&self.what, for_what), &self.phase)),
            Some(without_what),
            Some(texts(&self.place, "", "")),
            Some(texts("", "", "")),
        ];
        let text = text.into_iter().flatten().find(|text| text.width() <= room);
        match text {
            Some(text) => {
                let bar = bar(self.share, width.saturating_sub(text.width() + GAP).min(BAR.0));
                if text.is_empty() { bar } else { format!("{bar}  {text}") }
            }
            // No room for a bar either.
            None => cut(&texts("", "", ""), width),
        }
    }
}

/// A bar of so many columns, its brackets included.
fn bar(share: f64, columns: usize) -> String {
    if columns < 3 {
        return String::new();
    }
    let inside = columns - 2;
    let full = ((share.clamp(0.0, 1.0) * inside as f64) as usize).min(inside);
    format!("[{}{}]", "#".repeat(full), "-".repeat(inside - full))
}

/// As much of a text as fits, with a mark where something is missing.
fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1; // The mark.
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        kept.push(c);
    }
    if columns > 0 {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Line {
        Line {
            share: 0.5,
            place: "cell 3 of 12".to_owned(),
            what: "NVMe (DC1500M), 8 virtual users, repeat 1".to_owned(),
            phase: "measure".to_owned(),
            rate: "203 new orders/s".to_owned(),
            p99: "p99 23.1 ms".to_owned(),
            left: "5:12 left".to_owned(),
        }
    }

    #[test]
    fn the_line_is_never_wider_than_the_terminal() {
        let wide = Line { what: "漢字".repeat(40), ..line() };
        for width in 0..200 {
            for line in [line(), wide.clone(), Line::default()] {
                let shown = line.fit(width);
                assert!(shown.width() <= width, "{width}: {shown}");
            }
        }
    }

    #[test]
    fn what_matters_least_goes_first() {
        let shown = |width| line().fit(width);
        assert_eq!(
            shown(140),
            "[###########-----------]  cell 3 of 12  NVMe (DC1500M), 8 virtual users, repeat 1  measure  203 new orders/s  \
             p99 23.1 ms  5:12 left"
        );
        assert_eq!(
            shown(100),
            "[###---]  cell 3 of 12  NVMe (DC1500M), 8 virtua…  measure  203 new orders/s  p99 23.1 ms  5:12 left"
        );
        assert_eq!(
            shown(80),
            "[######-------]  cell 3 of 12  measure  203 new orders/s  p99 23.1 ms  5:12 left"
        );
        assert_eq!(shown(60), "[########--------]  203 new orders/s  p99 23.1 ms  5:12 left");
        assert_eq!(shown(40), "203 new orders/s  p99 23.1 ms  5:12 left");
        assert_eq!(shown(20), "203 new orders/s  p…");
    }
}

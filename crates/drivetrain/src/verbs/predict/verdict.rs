//! Whether predictions that a bed judges were good enough to buy by.

use serde_json::{Value, json};

/// How far off a figure may be for the prediction to count as kept: a share.
const ALLOWED: [(&str, f64); 3] = [("nopm", 0.10), ("commit_mean_ms", 0.25), ("commit_p99_ms", 0.25)];

/// What became of all predictions of one figure.
pub(super) struct Verdict {
    name: &'static str,
    title: &'static str,
    allowed: f64,
    /// Errors of those that were judged, as shares.
    errors: Vec<f64>,
}

/// One verdict for each figure that was judged at all. Figures are name, title, predicted and measured value.
pub(super) fn of(
    figures: impl Iterator<Item = (&'static str, &'static str, f64, Option<f64>)>,
) -> Vec<Verdict> {
    let mut verdicts: Vec<Verdict> = Vec::new();
    for (name, title, predicted, measured) in figures {
        let allowed = ALLOWED.iter().find(|(known, _)| *known == name);
        let (Some(measured), Some((_, allowed))) = (measured, allowed) else { continue };
        let error = predicted / measured - 1.0;
        match verdicts.iter_mut().find(|verdict| verdict.name == name) {
            Some(verdict) => verdict.errors.push(error),
            None => verdicts.push(Verdict { name, title, allowed: *allowed, errors: vec![error] }),
        }
    }
    verdicts
}

impl Verdict {
    fn kept(&self) -> usize {
        self.errors.iter().filter(|error| error.abs() <= self.allowed).count()
    }

    fn worst(&self) -> f64 {
        self.errors.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0)
    }

    pub(super) fn document(&self) -> Value {
        json!({ "figure": self.name, "allowed": self.allowed, "kept": self.kept(), "of": self.errors.len(),
            "worst_error": self.worst() })
    }
}

/// The verdicts as sentences; nothing where nothing was judged.
pub(super) fn text(verdicts: &[Verdict]) -> String {
    let mut text = String::new();
    for verdict in verdicts {
        let (kept, all) = (verdict.kept(), verdict.errors.len());
        let word = if kept == all { "kept" } else { "MISSED" };
        text.push_str(&format!(
            "{}{}: {kept} of {all} within {:.0} % (worst {:+.1} %): {word}\n",
            if text.is_empty() { "\n" } else { "" },
            verdict.title,
            verdict.allowed * 100.0,
            verdict.worst() * 100.0
        ));
    }
    if !verdicts.is_empty() {
        text.push_str(LEGEND);
    }
    text
}

/// What the last words of the lines mean.
const LEGEND: &str = "kept: each prediction of the figure was within that share of what the other bed measured; MISSED: at least one was not, \
                      so do not buy by it\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_verdict_are_explained_beside_it() {
        let figures =
            [("nopm", "NOPM", 105.0, Some(100.0)), ("commit_mean_ms", "commit mean, ms", 2.0, Some(1.0))];
        let text = text(&of(figures.into_iter()));
        assert!(text.contains("1 of 1 within 10 % (worst +5.0 %): kept\n"), "{text}");
        assert!(text.contains("0 of 1 within 25 % (worst +100.0 %): MISSED\n"), "{text}");
        assert!(text.contains("\nkept: ") && text.contains("MISSED: at least one"), "{text}");
        assert_eq!(super::text(&[]), "");
    }
}

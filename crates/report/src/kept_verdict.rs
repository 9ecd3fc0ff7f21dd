//! The verdict that a notebook keeps with a run for lists of runs, in the language of its reader.

use crate::comparison::Comparison;
use crate::contrast::{Contrast, Printed};
use crate::number;
use crate::sentences;
use measure::Interval;
use serde::Deserialize;
use words::{Realm, say, spoken};

/// Stands for the verdict of a run that was compared and has none.
const NONE: &str = "-";

/// The part of a stored verdict (JSON) that a list needs.
#[derive(Deserialize)]
struct Kept {
    verdict: Printed,
    /// True for a verdict from too few repeats.
    hint: bool,
    /// No number where the baseline is none.
    ratio: Option<f64>,
    /// The ends of the interval that decided; no number where it has no end.
    low: Option<f64>,
    high: Option<f64>,
}

/// The verdict of a contrast as JSON in one line. Keys and names are never changed.
fn json(contrast: &Contrast) -> String {
    let Interval { low, high, percent } = contrast.judgement.deciding();
    let kept = serde_json::json!({
        "verdict": contrast.printed(),
        "hint": contrast.judgement.exploratory,
        "metric": contrast.metric.name(),
        "ratio": contrast.judgement.ratio.value,
        "low": low,
        "high": high,
        "confidence_percent": percent,
        "bed": contrast.treatment_bed,
        "baseline": contrast.baseline_bed,
    });
    kept.to_string()
}

impl Comparison {
    /// The verdict of the headline as a notebook keeps it with the run (see [`KeptVerdict`]).
    pub fn kept_verdict(&self) -> String {
        self.headline.as_ref().map_or_else(|| NONE.to_owned(), json)
    }
}

/// A verdict as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptVerdict {
    /// The ratio; empty where a text is kept that this build does not know.
    pub value: String,
    /// The verdict in the spoken language, or the text that is kept.
    pub word: String,
    /// The class of its colour on pages.
    pub class: &'static str,
}

impl KeptVerdict {
    /// Reads what [`Comparison::kept_verdict`] gave; `None` for a run without a verdict.
    pub fn read(text: &str) -> Option<KeptVerdict> {
        if text.is_empty() || text == NONE {
            return None;
        }
        let Ok(Kept { verdict, hint, ratio, low, high }) = serde_json::from_str(text) else {
            return Some(KeptVerdict::of_sentence(text));
        };
        let (low, high) = (low.unwrap_or_default(), high.unwrap_or(f64::INFINITY));
        let value = ratio.map_or_else(String::new, |ratio| {
            let [value, ..] = number::ratio(ratio, low, high);
            value
        });
        Some(KeptVerdict::of(value, verdict, hint))
    }

    /// The verdict in a column: `1.62x, better`.
    pub fn in_short(&self) -> String {
        match self.value.is_empty() {
            true => self.word.clone(),
            false => say!("answer-in-short", value = self.value, verdict = self.word),
        }
    }

    fn of(value: String, verdict: Printed, is_hint: bool) -> KeptVerdict {
        let class = sentences::verdict_class(verdict.verdict());
        KeptVerdict { value, word: verdict.said(is_hint), class }
    }

    /// The verdict of an older notebook, which has it as `1.62x, better (hint)` in the language of its run.
    fn of_sentence(text: &str) -> KeptVerdict {
        // No verdict has brackets of its own.
        let in_brackets = text.ends_with([')', '\u{ff09}']);
        let hint = in_brackets.then(|| text.rfind(['(', '\u{ff08}'])).flatten();
        let plain = text[..hint.unwrap_or(text.len())].trim_end();
        let read = |(verdict, id): (Printed, &str)| {
            let value = words::in_every_language(id).find_map(|word| plain.strip_suffix(word))?;
            let value = value.trim_end_matches([',', '\u{ff0c}', ' ']).to_owned();
            Some(KeptVerdict::of(value, verdict, hint.is_some()))
        };
        let unknown = || KeptVerdict { value: String::new(), word: text.to_owned(), class: "v-open" };
        IN_SENTENCES.into_iter().find_map(read).unwrap_or_else(unknown)
    }
}

/// Verdicts, and the messages that older notebooks have of them.
const IN_SENTENCES: [(Printed, &str); 6] = [
    (Printed::Better, "verdict-better"),
    (Printed::Worse, "verdict-worse"),
    (Printed::Equivalent, "verdict-equivalent"),
    (Printed::Inconclusive, "verdict-inconclusive"),
    (Printed::HigherOpen, "verdict-higher-open"),
    (Printed::LowerOpen, "verdict-lower-open"),
];

/// `emulated, scale 1/600`; the realm alone of results that were imported.
pub fn realm_and_scale(realm: &str, scale: f64) -> String {
    let spoken = spoken::<Realm>(realm);
    match realm == Realm::Imported.name() {
        true => spoken.to_owned(),
        false => format!("{spoken}, {}", number::scale(scale)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contrast::{self, Question};
    use words::Metric;

    /// These values against a baseline of 1.
    fn beside_one(above: &[f64]) -> Contrast {
        let question = Question {
            workload: "orders",
            level: 8.0,
            level_name: &"virtual users".into(),
            metric: Metric::Nopm.shown().expect("it is shown"),
            primary: true,
            treatment_bed: "nvme",
            baseline_bed: "eco",
            smallest_effect: 0.03,
            blocks: true,
        };
        let above: Vec<(u32, f64)> = (0..).zip(above.iter().copied()).collect();
        let below: Vec<(u32, f64)> = above.iter().map(|(repeat, _)| (*repeat, 1.0)).collect();
        contrast::ask(question, &above, &below).expect("enough repeats")
    }

    #[test]
    fn a_verdict_is_kept_as_data_and_read_again() {
        let six = |value: f64| [0.99, 1.0, 1.01, 1.0, 0.99, 1.01].map(|noise| value * noise);
        for (above, word, class) in [
            (&six(1.58)[..], "better", "v-better"),
            (&six(1.001), "equivalent", "v-equivalent"),
            (&six(0.5), "worse", "v-worse"),
            (&six(0.5)[..3], "worse (hint)", "v-worse"),
            (&[1.02, 1.04, 1.06, 1.04, 1.05, 1.03], "higher, size open", "v-open"),
            (&[0.98, 0.96, 0.94, 0.96, 0.95, 0.97], "lower, size open", "v-open"),
            (&[1.2, 0.8, 1.1, 0.9, 1.3, 0.7], "not distinguishable", "v-open"),
            (&[1.3, 0.7], "not distinguishable", "v-open"),
        ] {
            let contrast = beside_one(above);
            let text = json(&contrast);
            let kept = KeptVerdict::read(&text).expect("a verdict");
            let [value, _] = number::decided(&contrast.judgement);
            assert_eq!(kept, KeptVerdict { value, word: word.to_owned(), class }, "{text}");
            assert_eq!(kept.in_short(), format!("{}, {word}", kept.value));
        }
        let text = r#"{"verdict":"better","hint":true,"ratio":2.5,"low":1.5,"high":null,"later":0}"#;
        assert_eq!(KeptVerdict::read(text).expect("a verdict").in_short(), "2.50x, better (hint)");
        let without_ratio = r#"{"verdict":"worse","hint":false,"ratio":null,"low":null,"high":null}"#;
        assert_eq!(KeptVerdict::read(without_ratio).expect("a verdict").in_short(), "worse");
    }

    #[test]
    fn a_sentence_of_an_older_notebook_is_read_in_every_language() {
        for (text, value, class) in [
            ("1.58x, better", "1.58x", "v-better"),
            ("0.97x, not distinguishable", "0.97x", "v-open"),
            ("0.27x, worse (hint)", "0.27x", "v-worse"),
            ("0.27x，更差（仅供参考）", "0.27x", "v-worse"),
            ("a later form", "", "v-open"),
            ("a later form (of 2)", "", "v-open"),
            ("{\"verdict\":\"a later word\"}", "", "v-open"),
        ] {
            let kept = KeptVerdict::read(text).expect("a verdict");
            assert_eq!((kept.value.as_str(), kept.class), (value, class), "{text}");
            assert!(!value.is_empty() || kept.in_short() == text, "{text}");
        }
        for better in words::in_every_language("verdict-better") {
            let kept = KeptVerdict::read(&format!("1.58x, {better}")).expect("a verdict");
            assert_eq!((kept.value.as_str(), kept.word.as_str()), ("1.58x", "better"), "{better}");
        }
        let hint = KeptVerdict::read("0.27x, worse (hint)").expect("a verdict");
        assert_eq!(hint.word, "worse (hint)");
        assert_eq!(KeptVerdict::read("-"), None);
    }
}

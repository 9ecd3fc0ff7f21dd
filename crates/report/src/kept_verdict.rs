//! The verdict that a notebook keeps with a run for lists of runs, in the language of its reader.

use crate::number;
use crate::sentences;
use measure::Verdict;
use words::{Realm, spoken};

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
    /// Reads what [`crate::Comparison::in_short`] wrote, in whatever language; `None` for a run without a
    /// verdict.
    pub fn read(text: &str) -> Option<KeptVerdict> {
        if text.is_empty() || text == "-" {
            return None;
        }
        let all = [
            (Verdict::Better, "verdict-better"),
            (Verdict::Worse, "verdict-worse"),
            (Verdict::Equivalent, "verdict-equivalent"),
            (Verdict::Inconclusive, "verdict-inconclusive"),
            (Verdict::Inconclusive, "verdict-higher-open"),
            (Verdict::Inconclusive, "verdict-lower-open"),
        ];
        // No verdict has brackets of its own.
        let in_brackets = text.ends_with([')', '\u{ff09}']);
        let hint = in_brackets.then(|| text.rfind(['(', '\u{ff08}'])).flatten();
        let plain = text[..hint.unwrap_or(text.len())].trim_end();
        let read = |(verdict, id): (Verdict, &str)| {
            let value = words::in_every_language(id).find_map(|word| plain.strip_suffix(word))?;
            let value = value.trim_end_matches([',', '\u{ff0c}', ' ']).to_owned();
            let is_hint = hint.is_some() && id != "verdict-inconclusive";
            let word = sentences::hinted(words::text(id), is_hint);
            Some(KeptVerdict { value, word, class: sentences::verdict_class(verdict) })
        };
        let unknown = || KeptVerdict { value: String::new(), word: text.to_owned(), class: "v-open" };
        Some(all.into_iter().find_map(read).unwrap_or_else(unknown))
    }
}

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

    #[test]
    fn a_kept_verdict_is_read_in_every_language() {
        for (text, value, class) in [
            ("1.58x, better", "1.58x", "v-better"),
            ("0.97x, not distinguishable", "0.97x", "v-open"),
            ("0.27x, worse (hint)", "0.27x", "v-worse"),
            ("0.27x，更差（仅供参考）", "0.27x", "v-worse"),
            ("a later form", "", "v-open"),
            ("a later form (of 2)", "", "v-open"),
        ] {
            let kept = KeptVerdict::read(text).expect("a verdict");
            assert_eq!((kept.value.as_str(), kept.class), (value, class), "{text}");
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

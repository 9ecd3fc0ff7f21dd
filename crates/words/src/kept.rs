//! Texts that are kept in English and said in the language of the reader: a text that is that of an English
//! message is said by this message. Any other text, such as one of an older version, is said as it is.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::say::text;
use crate::{Datum, Language, Said};

/// The file of `locales` that holds the questions of the built-in experiments.
const QUESTIONS: &str = "question";

/// The files of texts that come from the code: why the doctor's checks matter, the deviations from TPC-C, and
/// the conditions on sysbench's tables.
const TEXTS: [&str; 3] = ["doctor", "deviation", "condition"];

/// A text that is kept in English.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Kept(String);

impl From<&str> for Kept {
    fn from(text: &str) -> Kept {
        Kept(text.to_owned())
    }
}

impl Said for Kept {
    fn said(&self) -> Datum<'_> {
        asked(&self.0).said()
    }
}

/// A text in the spoken language, such as the question of a built-in experiment, where it is that of an
/// English message of these files; any other text as it is.
pub fn asked(kept: &str) -> &str {
    static IDS: OnceLock<HashMap<&str, &str>> = OnceLock::new();
    let ids = IDS.get_or_init(|| {
        let files = TEXTS.into_iter().chain([QUESTIONS]);
        files.flat_map(lines).map(|(id, text)| (text, id)).collect()
    });
    ids.get(kept).map_or(kept, |id| text(id))
}

/// The English messages of a file, each of which is one line.
pub(crate) fn lines(file: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    Language::ENGLISH.file(file).unwrap_or_default().lines().filter_map(|line| line.split_once(" = "))
}

/// The messages of texts that come from the code.
pub(crate) fn messages() -> impl Iterator<Item = &'static str> {
    TEXTS.into_iter().flat_map(lines).map(|(id, _)| id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_text_has_one_message() {
        let texts: BTreeSet<&str> = TEXTS.into_iter().flat_map(lines).map(|(_, text)| text).collect();
        assert!(!texts.is_empty());
        assert_eq!(texts.len(), messages().count());
    }
}

//! A word as a notebook stores it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Spoken, Word};

/// A stored word. Every stored text is one: notebooks of older and newer builds have words of their own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String", bound = "T: Word")]
pub enum Stored<T> {
    /// A word of this build.
    Word(T),
    /// A name that this build does not know. It is kept, shown and exported, and nothing is concluded from
    /// it.
    Other(String),
}

impl<T: Word> Stored<T> {
    /// The word of a stored text.
    pub fn read(text: &str) -> Stored<T> {
        let word = T::ALL.iter().copied().find(|word| word.name() == text);
        word.map_or_else(|| Stored::Other(text.to_owned()), Stored::Word)
    }

    /// The word; `None` for one that this build does not know.
    pub fn word(&self) -> Option<T> {
        match self {
            Stored::Word(word) => Some(*word),
            Stored::Other(_) => None,
        }
    }

    /// The stored name.
    pub fn name(&self) -> &str {
        match self {
            Stored::Word(word) => word.name(),
            Stored::Other(name) => name,
        }
    }
}

impl<T: Spoken> Stored<T> {
    /// Its text; the name itself where this build does not know it.
    pub fn spoken(&self) -> &str {
        match self {
            Stored::Word(word) => word.spoken(),
            Stored::Other(name) => name,
        }
    }
}

impl<T: Word> fmt::Display for Stored<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl<T: Word> From<T> for Stored<T> {
    fn from(word: T) -> Stored<T> {
        Stored::Word(word)
    }
}

impl<T: Word> From<String> for Stored<T> {
    fn from(text: String) -> Stored<T> {
        Stored::read(&text)
    }
}

impl<T: Word> From<Stored<T>> for String {
    fn from(stored: Stored<T>) -> String {
        stored.name().to_owned()
    }
}

impl<T: Word> PartialEq<T> for Stored<T> {
    fn eq(&self, word: &T) -> bool {
        self.word() == Some(*word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EventKind;

    #[test]
    fn a_word_of_another_build_keeps_its_name_and_is_none_of_ours() {
        let known: Stored<EventKind> = Stored::read("error");
        assert!(known == EventKind::Error && known.name() == "error");
        let unknown: Stored<EventKind> = Stored::read("read error");
        assert_eq!((unknown.word(), unknown.name(), unknown.spoken()), (None, "read error", "read error"));
        assert_eq!(serde_json::to_string(&unknown).unwrap(), "\"read error\"");
        assert_eq!(serde_json::from_str::<Stored<EventKind>>("\"read error\"").unwrap(), unknown);
    }
}

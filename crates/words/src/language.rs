//! The languages of results: each is a folder of `locales`, with its messages and its rules of numbers.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

use crate::numeral::whole;

/// Every language with its messages by file, English first.
const LANGUAGES: &[(&str, &[(&str, &str)])] = &include!(concat!(env!("OUT_DIR"), "/languages.rs"));

pub(crate) type Bundle = FluentBundle<FluentResource>;

/// Parsed when a language is first spoken.
static BUNDLES: [OnceLock<Bundle>; LANGUAGES.len()] = [const { OnceLock::new() }; LANGUAGES.len()];

/// The language that this process speaks: one for all of its threads, chosen before the first sentence.
static SPOKEN: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// True while this thread says English sentences, whatever the process speaks.
    static IN_ENGLISH: Cell<bool> = const { Cell::new(false) };
}

/// A language of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language(usize);

impl Language {
    /// The language of the code, which is spoken if no other is asked for.
    pub const ENGLISH: Language = Language(0);

    /// All languages, English first.
    pub fn all() -> impl Iterator<Item = Language> {
        (0..LANGUAGES.len()).map(Language)
    }

    /// The language of this thread's sentences: that of the process, but within [`english`].
    pub fn spoken() -> Language {
        if IN_ENGLISH.get() { Language::ENGLISH } else { Language(SPOKEN.load(Relaxed)) }
    }

    /// Its name as pages and options write it (BCP 47): `en`, `ko`.
    pub fn tag(self) -> &'static str {
        LANGUAGES[self.0].0
    }

    /// The language of a tag or of a locale of POSIX: `ko`, `ko-KR`, `ko_KR.UTF-8`. English for the locales
    /// `C` and `POSIX`; `None` for a language that has no folder.
    pub fn find(locale: &str) -> Option<Language> {
        let language = locale.split(['_', '-', '.', '@']).next().unwrap_or_default().to_ascii_lowercase();
        match language.as_str() {
            "c" | "posix" => Some(Language::ENGLISH),
            tag => Language::all().find(|language| language.tag() == tag),
        }
    }

    /// True if the language writes a space between words; Chinese writes none between its characters.
    pub fn writes_spaces() -> bool {
        crate::say!("language-han-spaces") != "no"
    }

    /// The messages of one of its files, by the file's name.
    pub(crate) fn file(self, name: &str) -> Option<&'static str> {
        LANGUAGES[self.0].1.iter().find(|(file, _)| *file == name).map(|(_, text)| *text)
    }

    pub(crate) fn bundle(self) -> &'static Bundle {
        BUNDLES[self.0].get_or_init(|| bundle(LANGUAGES[self.0]))
    }
}

/// Makes all sentences of this process those of one language.
pub fn speak(language: Language) {
    SPOKEN.store(language.0, Relaxed);
}

/// Does work whose sentences are English, whatever the process speaks: for data, which are in one language.
pub fn english<T>(work: impl FnOnce() -> T) -> T {
    let before = IN_ENGLISH.replace(true);
    let made = work();
    IN_ENGLISH.set(before);
    made
}

fn bundle((tag, files): (&str, &[(&str, &str)])) -> Bundle {
    // By its rules of plurals.
    let language: LanguageIdentifier = tag.parse().unwrap_or_default();
    let mut bundle = Bundle::new_concurrent(vec![language]);
    // Marks of direction would appear in the text.
    bundle.set_use_isolating(false);
    bundle.set_formatter(Some(|value, _| match value {
        FluentValue::Number(number) if number.options.use_grouping => Some(whole(&number.value.to_string())),
        _ => None,
    }));
    for (file, text) in files {
        let (Ok(resource) | Err((resource, _))) = FluentResource::try_new((*text).to_owned());
        let added = bundle.add_resource(resource);
        debug_assert!(added.is_ok(), "{tag}/{file}.ftl: {added:?}");
    }
    bundle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_names_its_language() {
        assert_eq!(Language::ENGLISH.tag(), "en");
        for locale in ["en", "en_GB.UTF-8", "EN-us", "C", "C.UTF-8", "POSIX"] {
            assert_eq!(Language::find(locale), Some(Language::ENGLISH), "{locale}");
        }
        for locale in ["", "tlh", "english", "_", "\u{ac00}"] {
            assert_eq!(Language::find(locale), None, "{locale}");
        }
        for language in Language::all() {
            assert_eq!(Language::find(&format!("{}_XX.UTF-8@x", language.tag())), Some(language));
        }
    }
}

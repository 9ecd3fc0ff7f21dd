//! The language of reports, verdicts, tables and pages: the option, or the locale of the environment.

use std::env;

use words::Language;

/// The language that `--language` or its variable names; none where the variable is empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted(pub(crate) Option<Language>);

/// Reads the value of `--language`.
///
/// # Errors
/// When no translation has this name.
pub(crate) fn parse(name: &str) -> Result<Wanted, String> {
    if name.is_empty() {
        return Ok(Wanted(None));
    }
    Language::find(name).map(|language| Wanted(Some(language))).ok_or_else(|| {
        let known: Vec<&str> = Language::all().map(Language::tag).collect();
        format!("there is no translation of this name; known: {}", known.join(", "))
    })
}

/// The language that was asked for, else that of the locale of messages, else English: a locale that has no
/// translation is no fault.
pub(crate) fn chosen(asked: Option<Language>) -> Language {
    // POSIX: the first of them that is set and not empty.
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .filter_map(|name| env::var(name).ok())
        .find(|value| !value.is_empty());
    asked.or_else(|| Language::find(&locale?)).unwrap_or(Language::ENGLISH)
}

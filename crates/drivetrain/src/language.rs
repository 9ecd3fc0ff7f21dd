//! The language of reports, verdicts, tables and pages: the option, or the locale of the environment.

use std::env;
use std::sync::{LazyLock, OnceLock};

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
    Language::find(name)
        .map(|language| Wanted(Some(language)))
        .ok_or_else(|| format!("there is no translation of this name; known: {}", tags().join(", ")))
}

/// The help of `--language`: it names every language.
pub(crate) static HELP: LazyLock<String> = LazyLock::new(|| {
    let tags = tags();
    let known = match tags.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => tags.concat(),
    };
    format!("Language of reports, verdicts, tables and pages: {known}; without it that of LANG")
});

fn tags() -> Vec<&'static str> {
    Language::all().map(Language::tag).collect()
}

/// The language of what people read, where it is not the spoken one.
static OF_PEOPLE: OnceLock<Language> = OnceLock::new();

/// Makes this the language of the answers. A document for programs is in English: the same in every language.
pub(crate) fn speak(language: Language, to_programs: bool) {
    let _ = OF_PEOPLE.set(language); // Once, at the start of the process.
    words::speak(if to_programs { Language::ENGLISH } else { language });
}

/// Does work whose result people read, such as a page that is written beside a document for programs.
pub(crate) fn for_people<T>(work: impl FnOnce() -> T) -> T {
    let spoken = Language::spoken();
    words::speak(OF_PEOPLE.get().copied().unwrap_or(spoken));
    let made = work();
    words::speak(spoken);
    made
}

/// Does work once in every language that there is.
pub(crate) fn for_each<T, E>(work: impl Fn() -> Result<T, E>) -> Result<Vec<T>, E> {
    let spoken = Language::spoken();
    let made = Language::all().map(|language| {
        words::speak(language);
        work()
    });
    let made = made.collect();
    words::speak(spoken);
    made
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

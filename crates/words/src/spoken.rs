//! Words as a reader sees them: the stable name is what is stored, the text is a message of
//! `locales/en/word.ftl`.

use crate::say;
use crate::say::text;
use crate::{CellState, EventKind, LevelName, Limiter, PhaseName, Realm, RunState, ScaledPart, Step, Word};

/// A word that reports show.
pub trait Spoken: Word {
    /// The beginning of its messages' ids.
    const WHAT: &'static str;

    /// The id of its message: `word-limiter-log-flush`.
    fn message(self) -> String {
        let parts = self.name().split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
        parts.fold(format!("word-{}", Self::WHAT), |id, part| format!("{id}-{}", part.to_ascii_lowercase()))
    }

    /// Its text.
    fn spoken(self) -> &'static str {
        text(&self.message())
    }
}

/// The unit of levels in one word, for a narrow column: `users`; the last word of a name that this build
/// does not know.
pub fn level_short(name: &str) -> &str {
    let last = name.rsplit(' ').next().unwrap_or(name);
    let word = LevelName::ALL.iter().find(|word| [name, last].contains(&word.name()));
    word.map_or(last, |word| text(&format!("{}.short", word.message())))
}

/// A level with the name of what it counts, `8 threads`, in the singular for one.
pub fn counted(level: f64, value: &str, name: &str) -> String {
    let word = LevelName::ALL.iter().find(|word| word.name() == name);
    let name = match word {
        // Languages count people, sizes and shares in ways of their own.
        Some(LevelName::VirtualUsers) if level == 1.0 => return say!("level-one-user").to_owned(),
        Some(LevelName::VirtualUsers) => return say!("level-users", value),
        Some(LevelName::Pieces) => return say!("level-pieces", value),
        Some(LevelName::RowShare) => return say!("level-rows", value),
        Some(LevelName::Depth) => return say!("level-depth", value),
        Some(LevelName::Iops) => return say!("level-iops", value),
        Some(LevelName::Speed) => return say!("level-speed", value),
        Some(word) if level == 1.0 => text(&format!("{}.one", word.message())),
        _ => spoken::<LevelName>(name),
    };
    say!("level-counted", value, name)
}

macro_rules! spoken {
    ($($Type:ident by $what:literal;)*) => {
        $(impl Spoken for $Type {
            const WHAT: &'static str = $what;
        })*
    };
}

spoken! {
    EventKind by "event";
    PhaseName by "phase";
    RunState by "state";
    CellState by "state";
    LevelName by "level";
    Limiter by "limiter";
    Realm by "realm";
}

/// The text of a stored name; the name itself where this build does not know it.
pub fn spoken<T: Spoken>(name: &str) -> &str {
    T::ALL.iter().find(|word| word.name() == name).map_or(name, |word| word.spoken())
}

/// The messages of all of them.
pub(crate) fn messages() -> impl Iterator<Item = String> {
    fn of<T: Spoken>() -> impl Iterator<Item = String> {
        T::ALL.iter().map(|word| word.message())
    }
    let forms = |word: &LevelName| [".short", ".one"].map(|form| format!("{}{form}", word.message()));
    let short = LevelName::ALL.iter().flat_map(forms);
    let words = of::<EventKind>().chain(of::<LevelName>()).chain(of::<Limiter>()).chain(of::<Realm>());
    words
        .chain(short)
        .chain(of::<RunState>())
        .chain(of::<CellState>())
        .chain(of::<PhaseName>())
        .chain(of::<Step>())
        .chain(of::<ScaledPart>())
}

//! Words as a reader sees them: the stable name is what is stored, the text is a message of
//! `locales/en/word.ftl`.

use crate::say;
use crate::say::text;
use crate::{EventKind, LevelName, Limiter, Realm, Word};

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

/// The states of runs and cells, which the notebook names (`RunState`, `CellState`; a test of `report` holds
/// the lists to each other).
const STATES: &[&str] =
    &["running", "killed", "finished", "interrupted", "failed", "planned", "done", "invalid"];

/// The text of a state of a run or a cell; the name itself where this build does not know it.
pub fn spoken_state(name: &str) -> &str {
    if STATES.contains(&name) { text(&format!("word-state-{name}")) } else { name }
}

/// The phases of a cell as the notebook and the events of a run name them, without their numbers.
pub const PHASES: &[&str] = &[
    "reset",
    "prepare",
    "ramp-up",
    "measure",
    "drain",
    "done",
    "check",
    "precondition",
    "precondition: fill",
    "precondition: the load",
    "lay out",
    "cold scan",
    "trial scan",
    "scan",
    "lookup, cold",
    "lookup, warm",
    "scan, cold",
    "scan, warm",
    "recover",
    "recover and check",
    "load",
    "crash",
    "backup",
    "verify",
    "restore",
    "proof",
    "neighbour",
];

/// Phases in which nobody works for the result: their seconds without work are no stall.
const IDLE: &[&str] = &[
    "reset",
    "prepare",
    "drain",
    "done",
    "check",
    "lay out",
    "recover",
    "recover and check",
    "crash",
    "verify",
    "proof",
];

/// True if work of the result is to be done in a phase of this name, with or without its number.
pub fn is_work(name: &str) -> bool {
    !IDLE.contains(&without_number(name).0)
}

/// A phase's name and its number.
fn without_number(name: &str) -> (&str, Option<&str>) {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match name.rsplit_once(' ').filter(|(_, number)| is_number(number)) {
        Some((kind, number)) => (kind, Some(number)),
        None => (name, None),
    }
}

/// The id of a phase's message: `word-phase-ramp-up`.
fn phase_message(name: &str) -> String {
    format!("word-phase-{}", name.replace([':', ','], "").replace(' ', "-"))
}

/// The text of a phase, with its number where it has one (`backup 2`); the name itself where this build does
/// not know it.
pub fn spoken_phase(name: &str) -> String {
    let (kind, number) = without_number(name);
    let told = if PHASES.contains(&kind) { text(&phase_message(kind)) } else { kind };
    number.map_or_else(|| told.to_owned(), |number| format!("{told} {number}"))
}

impl Spoken for EventKind {
    const WHAT: &'static str = "event";
}

impl Spoken for LevelName {
    const WHAT: &'static str = "level";
}

impl Spoken for Limiter {
    const WHAT: &'static str = "limiter";
}

impl Spoken for Realm {
    const WHAT: &'static str = "realm";
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
    let states = STATES.iter().map(|state| format!("word-state-{state}"));
    let words = of::<EventKind>().chain(of::<LevelName>()).chain(of::<Limiter>()).chain(of::<Realm>());
    let phases = PHASES.iter().map(|phase| phase_message(phase));
    words.chain(short).chain(states).chain(phases)
}

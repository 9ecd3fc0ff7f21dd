//! The list of runs: what a page of it shows, and the addresses of the other pages.

use askama::Template;
use axum::http::StatusCode;
use notebook::{Notebook, NotebookError, RunId, RunState, RunSummary, Sought, Wanted};
use report::KeptVerdict;
use serde::Deserialize;
use words::{Engine, Realm, Spoken as _, Word, WorkloadKind, say, spoken};

use crate::answer::Failed;
use crate::pick::{self, Offered};

/// The query of an address for the list of runs: the limits of `drivetrain ls`, and a page of the list.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Listed {
    pub(crate) before: Option<i64>,
    pub(crate) count: Option<u32>,
    q: Option<String>,
    tag: Option<String>,
    kind: Option<String>,
    engine: Option<String>,
    realm: Option<String>,
    state: Option<String>,
}

/// The word that a limit names; `None` where the form was left empty.
fn word<W>(
    name: &str,
    given: &Option<String>,
    of: fn(&str) -> Option<W>,
    known: &[&str],
) -> Result<Option<W>, Failed> {
    let Some(given) = given.as_deref().filter(|given| !given.is_empty()) else { return Ok(None) };
    let why = || format!("{name}={given}: it is one of {}", known.join(", "));
    of(given).map(Some).ok_or_else(|| Failed(StatusCode::BAD_REQUEST, why()))
}

fn names<W: Word>() -> Vec<&'static str> {
    W::ALL.iter().map(|word| word.name()).collect()
}

impl Listed {
    /// The runs that it limits the list to.
    ///
    /// # Errors
    /// For a word that is none.
    pub(crate) fn wanted(&self) -> Result<Wanted, Failed> {
        let text = |given: &Option<String>| given.clone().filter(|given| !given.is_empty());
        Ok(Wanted {
            text: text(&self.q),
            tag: text(&self.tag),
            kind: word("kind", &self.kind, WorkloadKind::of, &names::<WorkloadKind>())?,
            engine: word("engine", &self.engine, Engine::of, &names::<Engine>())?,
            realm: word("realm", &self.realm, Realm::of, &names::<Realm>())?,
            state: word("state", &self.state, RunState::of, &names::<RunState>())?,
        })
    }

    /// The address of the part of the same list that begins before a run; of its first part.
    fn address(&self, before: Option<RunId>) -> String {
        let before = before.map(|run| run.to_string());
        let limits = [
            ("before", &before),
            ("q", &self.q),
            ("tag", &self.tag),
            ("kind", &self.kind),
            ("engine", &self.engine),
            ("realm", &self.realm),
            ("state", &self.state),
        ];
        let given = limits.into_iter().filter_map(|(name, value)| {
            let value = value.as_deref().filter(|value| !value.is_empty())?;
            Some(format!("{name}={}", in_address(value)))
        });
        let given: Vec<String> = given.collect();
        if given.is_empty() { "/".to_owned() } else { format!("/?{}", given.join("&")) }
    }
}

/// The text as a value in an address.
fn in_address(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().fold(String::with_capacity(text.len()), |mut written, byte| {
        if plain(byte) {
            written.push(char::from(byte))
        } else {
            written.push_str(&format!("%{byte:02X}"))
        }
        written
    })
}

/// A limit of the list with its choices, as the form shows it.
pub(crate) struct Choice {
    /// Its name in the address.
    pub(crate) name: &'static str,
    /// The text shown while nothing is chosen.
    pub(crate) all: &'static str,
    pub(crate) options: Vec<Picked>,
}

/// One choice.
pub(crate) struct Picked {
    pub(crate) value: String,
    pub(crate) shown: String,
    pub(crate) is_chosen: bool,
}

impl Choice {
    fn new(
        name: &'static str,
        all: &'static str,
        given: &Option<String>,
        options: impl IntoIterator<Item = (String, String)>,
    ) -> Choice {
        let options = options.into_iter().map(|(value, shown)| Picked {
            is_chosen: given.as_deref() == Some(&value),
            value,
            shown,
        });
        Choice { name, all, options: options.collect() }
    }
}

fn choices(listed: &Listed, tags: Vec<String>) -> Vec<Choice> {
    let same = |names: Vec<&str>| {
        names.into_iter().map(|name| (name.to_owned(), name.to_owned())).collect::<Vec<_>>()
    };
    let realm = |name: &str| (name.to_owned(), spoken::<Realm>(name).to_owned());
    let state = |name: &str| (name.to_owned(), spoken::<RunState>(name).to_owned());
    let mut choices = vec![
        Choice::new("kind", say!("serve-all-kinds"), &listed.kind, same(names::<WorkloadKind>())),
        Choice::new("engine", say!("serve-all-engines"), &listed.engine, same(names::<Engine>())),
        Choice::new(
            "realm",
            say!("serve-all-realms"),
            &listed.realm,
            names::<Realm>().into_iter().map(realm),
        ),
        Choice::new(
            "state",
            say!("serve-all-states"),
            &listed.state,
            names::<RunState>().into_iter().map(state),
        ),
    ];
    if !tags.is_empty() {
        let tags = tags.into_iter().map(|tag| (tag.clone(), tag));
        choices.push(Choice::new("tag", say!("serve-all-tags"), &listed.tag, tags));
    }
    choices
}

/// Runs on one page.
pub(crate) const RUNS: usize = 100;

/// The list of runs as a page.
#[derive(Template)]
#[template(path = "index.html")]
pub(crate) struct Index {
    notebook: String,
    /// The latest first.
    runs: Vec<Row>,
    /// The runs of this page and those that are wanted, in words.
    count: String,
    /// True if the list is limited.
    is_limited: bool,
    text: String,
    choices: Vec<Choice>,
    /// The address of the later runs, if there are some.
    newer: Option<String>,
    /// The address of the earlier ones, if there are some.
    older: Option<String>,
    /// The runs that can be compared; none, or two at least.
    offered: Vec<Offered>,
}

/// A run in the list.
struct Row {
    run: RunSummary,
    verdict: Option<KeptVerdict>,
    /// The realm and the scale.
    realm: String,
    size: String,
}

impl Row {
    fn of(run: RunSummary) -> Self {
        let verdict = run.verdict.as_deref().and_then(KeptVerdict::read);
        let realm = report::realm_and_scale(&run.realm, run.scale);
        let size = match run.size_bytes as f64 {
            bytes if bytes >= 1e6 => format!("{} MB", words::decimals(bytes / 1e6, 1)),
            bytes => format!("{} kB", words::decimals(bytes / 1e3, 0)),
        };
        Self { run, verdict, realm, size }
    }
}

/// Marks of beds, by their place: the shapes of figures as text.
const MARKS: [&str; 5] = ["\u{25cf}", "\u{25a0}", "\u{25b2}", "\u{25c6}", "\u{25bc}"];

impl Row {
    /// The beds with their marks and the classes of their colours.
    fn beds(&self) -> impl Iterator<Item = (&str, usize, &str)> {
        let of = |(slot, name)| (MARKS[slot % MARKS.len()], slot % MARKS.len(), String::as_str(name));
        self.run.beds.iter().enumerate().map(of)
    }
}

/// The page that an address asks for.
///
/// # Errors
/// For a limit that is no word; what SQLite reports.
pub(crate) fn page(notebook: &Notebook, path: String, listed: &Listed) -> Result<Index, Failed> {
    let wanted = listed.wanted()?;
    let Sought { runs, all, passed, has_older, newer } =
        notebook.sought(&wanted, listed.before.map(RunId), RUNS)?;
    let number = |value: usize| words::decimals(value as f64, 0);
    let count = match runs.len() {
        shown if shown == all => say!("serve-count", count = number(all)),
        0 => say!("serve-count", count = number(0)),
        shown => {
            say!("serve-part", first = number(passed + 1), last = number(passed + shown), count = number(all))
        }
    };
    Ok(Index {
        notebook: path,
        older: runs.last().filter(|_| has_older).map(|run| listed.address(Some(run.id))),
        newer: (passed > 0).then(|| listed.address(newer)),
        runs: runs.into_iter().map(Row::of).collect(),
        count,
        is_limited: wanted != Wanted::default(),
        text: wanted.text.unwrap_or_default(),
        choices: choices(listed, notebook.all_tags()?),
        offered: pick::offered(notebook)?,
    })
}

/// The runs that an address asks for, for programs.
///
/// # Errors
/// For a limit that is no word; what SQLite reports.
pub(crate) fn runs(notebook: &Notebook, listed: &Listed) -> Result<Vec<RunSummary>, Failed> {
    let count = listed.count.map_or(usize::MAX, |count| count as usize);
    let sought: Result<Sought, NotebookError> =
        notebook.sought(&listed.wanted()?, listed.before.map(RunId), count);
    Ok(sought?.runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_another_part_keeps_every_limit() {
        let listed = Listed {
            q: Some("a b&c=\u{e4}\"<".to_owned()),
            kind: Some("block".to_owned()),
            state: Some(String::new()),
            ..Listed::default()
        };
        assert_eq!(listed.address(Some(RunId(7))), "/?before=7&q=a%20b%26c%3D%C3%A4%22%3C&kind=block");
        assert_eq!(Listed::default().address(None), "/");
    }

    #[test]
    fn a_word_that_is_none_is_told_with_those_that_are() {
        let listed = Listed { engine: Some("oracle".to_owned()), ..Listed::default() };
        let Err(Failed(status, why)) = listed.wanted() else { panic!("oracle is none") };
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert!(why.contains("engine=oracle") && why.contains("sqlite, postgresql, mariadb"), "{why}");
    }
}

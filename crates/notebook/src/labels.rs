//! Labels of runs by people: names, tags and notes; and runs found by them.

use std::fmt;

use ground::{FNV_START, fnv1a};
use rusqlite::{Connection, params};
use serde::Serialize;
use words::{NoteKind, Realm};

use crate::error::NotebookError;
use crate::open::Notebook;
use crate::records::{Run, RunId};

/// A user's labels for a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// A name of one's own; `None` for none.
    pub name: Option<String>,
    /// Tags, each once.
    pub tags: Vec<Tag>,
    /// A remark.
    pub note: Option<String>,
}

/// A word by which runs are found again: letters, digits, `.`, `-` and `_`, beginning with a letter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Tag(String);

/// Words that mean other runs, and no tag.
const RESERVED: [&str; 2] = ["latest", "last-good"];
/// The most characters of a tag.
const TAG_LONGEST: usize = 40;

impl Tag {
    /// The tag of runs that passed: `last-good` is the latest of them.
    #[must_use]
    pub fn good() -> Tag {
        Tag("good".to_owned())
    }

    /// Reads a tag.
    ///
    /// # Errors
    /// The reason why the text is none.
    pub fn new(text: &str) -> Result<Tag, String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        if RESERVED.contains(&text) {
            return Err(format!("`{text}` means a run and cannot be a tag"));
        }
        if RunKey::is_one(text) {
            return Err("it looks like the id of a run".to_owned());
        }
        let starts = text.chars().next().is_some_and(|c| c.is_ascii_alphabetic());
        match starts && text.len() <= TAG_LONGEST && text.chars().all(is_plain) {
            true => Ok(Tag(text.to_owned())),
            false => Err(format!(
                "a tag begins with a letter and has up to {TAG_LONGEST} letters, digits, dots, dashes and underscores"
            )),
        }
    }

    /// The word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The id of a run, the same in every notebook that holds it: made from its start, its folder and its seed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RunKey(String);

impl RunKey {
    /// 64-bit FNV-1a of the three, mixed: ten hexadecimal digits.
    pub(crate) fn of(started_at: &str, folder: &str, seed: u64) -> RunKey {
        let text = format!("{started_at}\n{folder}\n{seed}");
        let hash = text.bytes().fold(FNV_START, |hash, byte| fnv1a(hash, u64::from(byte)));
        RunKey(format!("r{:010x}", ground::mix(hash) >> 24))
    }

    /// The id of a run of this realm. An imported one is known by its content alone: what its file does not
    /// state of its times is no part of it.
    pub(crate) fn of_run(realm: &str, started_at: &str, folder: &str, seed: u64) -> RunKey {
        let started_at = if *realm == Realm::Imported { "" } else { started_at };
        RunKey::of(started_at, folder, seed)
    }

    /// The id as it is printed: `r` and ten hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True for a text in the form of an id.
    #[must_use]
    pub fn is_one(text: &str) -> bool {
        text.len() == 11 && text.starts_with('r') && text[1..].chars().all(|c| c.is_ascii_hexdigit())
    }
}

impl fmt::Display for RunKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Run {
    /// The id of the run in every notebook.
    #[must_use]
    pub fn key(&self) -> RunKey {
        RunKey::of_run(&self.realm, &self.started_at, self.folder(), self.seed)
    }
}

impl Notebook {
    /// Gives these labels to the run that is started next, together with its plan.
    pub fn label_next_run(&mut self, labels: Labels) {
        *self.labels.get_mut() = labels;
    }

    /// Stores what was said about a run that is being started.
    pub(crate) fn store_labels(&self, connection: &Connection, run: RunId) -> rusqlite::Result<()> {
        let labels = self.labels.take();
        connection.execute("UPDATE run SET label = ?2 WHERE id = ?1", params![run.0, labels.name])?;
        for tag in &labels.tags {
            insert_tag(connection, run, tag, &self.now())?;
        }
        if let Some(note) = labels.note {
            connection.execute(
                "INSERT INTO note (run, kind, text, added_at) VALUES (?1, ?2, ?3, ?4)",
                params![run.0, NoteKind::User.name(), note, self.now()],
            )?;
        }
        Ok(())
    }

    /// Names a run, or takes its name away.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`]; what SQLite reports.
    pub fn name_run(&self, run: RunId, name: Option<&str>) -> Result<(), NotebookError> {
        self.say(run, "naming a run", |connection| {
            connection.execute("UPDATE run SET label = ?2 WHERE id = ?1", params![run.0, name])
        })
    }

    /// Adds a tag to a run; one that it has already stays.
    ///
    /// # Errors
    /// As [`Notebook::name_run`].
    pub fn add_tag(&self, run: RunId, tag: &Tag) -> Result<(), NotebookError> {
        self.say(run, "adding a tag", |connection| insert_tag(connection, run, tag, &self.now()))
    }

    /// Takes a tag from a run.
    ///
    /// # Errors
    /// As [`Notebook::name_run`].
    pub fn remove_tag(&self, run: RunId, tag: &Tag) -> Result<(), NotebookError> {
        self.say(run, "removing a tag", |connection| {
            connection.execute("DELETE FROM tag WHERE run = ?1 AND tag = ?2", params![run.0, tag.0])
        })
    }

    /// Keeps the verdict of a run, as data, for lists of runs.
    ///
    /// # Errors
    /// As [`Notebook::name_run`].
    pub fn keep_verdict(&self, run: RunId, verdict: &str) -> Result<(), NotebookError> {
        self.say(run, "keeping a verdict", |connection| {
            connection.execute("UPDATE run SET verdict = ?2 WHERE id = ?1", params![run.0, verdict])
        })
    }

    fn say(
        &self,
        run: RunId,
        doing: &'static str,
        change: impl FnOnce(&Connection) -> rusqlite::Result<usize>,
    ) -> Result<(), NotebookError> {
        self.run(run)?;
        let failed = self.failed(doing);
        let transaction = self.write()?;
        change(&transaction).map_err(&failed)?;
        transaction.commit().map_err(failed)
    }

    /// The tags of a run, sorted.
    ///
    /// # Errors
    /// As SQLite reports.
    pub fn tags(&self, run: RunId) -> Result<Vec<Tag>, NotebookError> {
        let failed = self.failed("reading the tags of a run");
        let mut statement = self
            .connection()
            .prepare_cached("SELECT tag FROM tag WHERE run = ?1 ORDER BY tag")
            .map_err(&failed)?;
        let rows = statement.query_map([run.0], |row| row.get(0).map(Tag)).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }

    /// The runs that bear a tag, the latest first.
    ///
    /// # Errors
    /// As SQLite reports.
    pub fn tagged(&self, tag: &Tag) -> Result<Vec<RunId>, NotebookError> {
        let failed = self.failed("finding the runs with a tag");
        let mut statement = self
            .connection()
            .prepare_cached("SELECT run FROM tag WHERE tag = ?1 ORDER BY run DESC")
            .map_err(&failed)?;
        let rows = statement.query_map([&tag.0], |row| row.get(0).map(RunId)).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }

    /// Finds every run that a user's text means, the latest first: `latest`, a number, an id, a tag, a name,
    /// or the name of an experiment, whichever of these fits first.
    ///
    /// # Errors
    /// As SQLite reports; a text that fits no run gives none.
    pub fn find_runs(&self, text: &str) -> Result<Vec<RunId>, NotebookError> {
        if text == "latest" {
            return Ok(self.latest_run()?.into_iter().collect());
        }
        if RunKey::is_one(text) {
            return Ok(self.find_key(&RunKey(text.to_owned()))?.into_iter().collect());
        }
        let number = text.parse::<i64>().ok();
        let failed = self.failed("finding a run");
        let mut statement = self
            .connection()
            .prepare_cached(
                "SELECT rank, id FROM (
                     SELECT id, 0 AS rank FROM run WHERE id = ?1
                     UNION ALL SELECT run, 1 FROM tag WHERE tag = ?2
                     UNION ALL SELECT id, 2 FROM run WHERE label = ?2
                     UNION ALL SELECT id, 3 FROM run WHERE name = ?2)
                 ORDER BY rank, id DESC",
            )
            .map_err(&failed)?;
        let rows = statement
            .query_map(params![number, text], |row| Ok((row.get::<_, i64>(0)?, RunId(row.get(1)?))))
            .map_err(&failed)?;
        let found = rows.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let first = found.first().map(|(rank, _)| *rank);
        Ok(found.into_iter().filter(|(rank, _)| Some(*rank) == first).map(|(_, run)| run).collect())
    }

    /// The runs to which their users gave a text as a tag or as a name, the latest first: a verb that changes
    /// a run takes none where there are several.
    ///
    /// # Errors
    /// As SQLite reports.
    pub fn called(&self, text: &str) -> Result<Vec<RunId>, NotebookError> {
        let failed = self.failed("finding a run");
        let sql = "SELECT run AS id FROM tag WHERE tag = ?1 UNION SELECT id FROM run WHERE label = ?1 ORDER BY id DESC";
        let mut statement = self.connection().prepare_cached(sql).map_err(&failed)?;
        let rows = statement.query_map([text], |row| row.get(0).map(RunId)).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }

    /// The number of the run with this id, if it is here.
    ///
    /// # Errors
    /// As SQLite reports.
    pub fn find_key(&self, key: &RunKey) -> Result<Option<RunId>, NotebookError> {
        let runs = self.runs()?;
        Ok(runs.iter().rev().find(|run| run.key == *key).map(|run| run.id))
    }
}

fn insert_tag(connection: &Connection, run: RunId, tag: &Tag, now: &str) -> rusqlite::Result<usize> {
    connection.execute(
        "INSERT OR IGNORE INTO tag (run, tag, added_at) VALUES (?1, ?2, ?3)",
        params![run.0, tag.0, now],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_a_plain_word_that_means_no_run() {
        for text in ["good", "v1.2-rc_3", "R"] {
            assert_eq!(Tag::new(text).unwrap().as_str(), text);
        }
        for text in ["", "3", "-x", "a b", "<b>", "=x", "latest", "last-good", "a\u{1b}", "r0123456789"] {
            assert!(Tag::new(text).is_err(), "{text}");
        }
        assert!(Tag::new(&"x".repeat(41)).is_err());
    }

    #[test]
    fn the_id_of_a_run_never_changes_from_version_to_version() {
        let key = RunKey::of("2026-05-04T10:07:00.000Z", "demo-1-2", 7);
        assert!(RunKey::is_one(key.as_str()), "{key}");
        assert_ne!(key, RunKey::of("2026-05-04T10:07:00.000Z", "demo-1-2", 8));
        assert_eq!(key.as_str(), "r961a196d4e");
    }
}

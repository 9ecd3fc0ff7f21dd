//! The surroundings of a run: fact sets (fingerprints and settings by scope), notes and published numbers.

use std::collections::BTreeMap;
use words::{NoteKind, Remark};

use published::Number;
use rusqlite::{Connection, OptionalExtension, params};

use crate::domain;
use crate::error::NotebookError;
use crate::open::Notebook;
use crate::readable::{name, optional_text, placed, text};
use crate::records::{Note, RunId};
use crate::runs::finite;
use crate::said;

/// Facts by key, such as a fingerprint or the settings of a database.
pub type Facts = BTreeMap<String, String>;

/// The scope of the facts about the command that made a run in place of an experiment.
pub const COMMAND: &str = "command";
/// The fact about it: the line as it was typed.
pub const COMMAND_LINE: &str = "line";

/// One set of facts as it was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactSet {
    /// The subject of the facts: `host`, `bed:nvme`, `database:nvme`, `floor:nvme`.
    pub scope: String,
    /// When it was added: RFC 3339, UTC, milliseconds.
    pub added_at: String,
    /// The facts by key.
    pub facts: Facts,
}

impl Notebook {
    /// Adds the facts of a scope (`host`, `bed:nvme`, `database:nvme`, `floor:nvme`) to a run.
    ///
    /// Adding facts that the scope already holds changes nothing; adding different ones, as when a run is
    /// resumed on another kernel, keeps both (see [`Notebook::fact_set_history`]).
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`].
    pub fn add_fact_set(&self, run: RunId, scope: &str, facts: &Facts) -> Result<(), NotebookError> {
        self.run(run)?;
        let failed = self.failed("adding facts to a run");
        let transaction = self.write()?;
        let latest = latest_fact_set(&transaction, run, scope).map_err(&failed)?;
        if latest.as_ref() == Some(facts) {
            return Ok(());
        }
        store_facts(&transaction, run, scope, facts, &self.now()).map_err(&failed)?;
        transaction.commit().map_err(failed)
    }

    /// The facts of a run: every scope once, with the facts added last.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`].
    pub fn fact_sets(&self, run: RunId) -> Result<Vec<(String, Facts)>, NotebookError> {
        let mut scopes: Vec<(String, Facts)> = Vec::new();
        for added in self.fact_set_history(run)? {
            match scopes.iter_mut().find(|(scope, _)| *scope == added.scope) {
                Some((_, facts)) => *facts = added.facts,
                None => scopes.push((added.scope, added.facts)),
            }
        }
        Ok(scopes)
    }

    /// Every fact set of a run in the order they were added. A scope that occurs twice changed between
    /// the start of the run and a resume.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`].
    pub fn fact_set_history(&self, run: RunId) -> Result<Vec<FactSet>, NotebookError> {
        self.run(run)?;
        let failed = self.failed("reading the facts of a run");
        let mut statement = self
            .connection()
            .prepare_cached("SELECT id, scope, added_at FROM fact_set WHERE run = ?1 ORDER BY id")
            .map_err(&failed)?;
        let rows = statement
            .query_map([run.0], |row| {
                let stored = read_facts(self.connection(), row.get(0)?)?;
                let facts = stored.into_iter().map(|(key, value)| (text(key), text(value))).collect();
                let added_at = domain::read(row, "fact_set.added_at")
                    .map_err(|error| placed(row, &format!("run {run}, a set of facts"), error))?;
                Ok(FactSet { scope: name(row, 1)?, added_at, facts })
            })
            .map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }

    /// Keeps a sentence with a run. The same sentence is kept once.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`].
    pub fn add_note(
        &self,
        run: RunId,
        kind: NoteKind,
        remark: impl Into<Remark>,
    ) -> Result<(), NotebookError> {
        self.run(run)?;
        let failed = self.failed("adding a note to a run");
        let transaction = self.write()?;
        store_note(&transaction, run, kind, &remark.into(), &self.now()).map_err(&failed)?;
        transaction.commit().map_err(failed)
    }

    /// Reads the notes of a run in the order they were added.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`].
    pub fn notes(&self, run: RunId) -> Result<Vec<Note>, NotebookError> {
        self.run(run)?;
        let failed = self.failed("reading the notes of a run");
        let mut statement = self
            .connection()
            .prepare_cached("SELECT kind, text, remark FROM note WHERE run = ?1 ORDER BY id")
            .map_err(&failed)?;
        let rows = statement
            .query_map([run.0], |row| {
                let text = optional_text(row, 1)
                    .map_err(|error| placed(row, &format!("run {run}, a note"), error))?;
                let remark = said::read(row, "remark")?;
                Ok(Note { kind: name(row, 0)?, text: text.unwrap_or_default(), remark })
            })
            .map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }

    /// Adds the published numbers for comparison with a run's own.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`], [`NotebookError::BadRecord`] when a value is not finite.
    pub fn add_published(&self, run: RunId, numbers: &[Number]) -> Result<(), NotebookError> {
        self.run(run)?;
        let failed = self.failed("adding published numbers to a run");
        let transaction = self.write()?;
        for number in numbers {
            let value = finite(number.value, &format!("the published number `{}`", number.id))?;
            transaction
                .prepare_cached(
                    "INSERT INTO published (run, position, id, study, test, system, metric, value, unit, conditions,
                         confidence, kind, note)
                     VALUES (?1, (SELECT count(*) FROM published WHERE run = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
                         ?11, ?12)",
                )
                .and_then(|mut statement| {
                    statement.execute(params![
                        run.0,
                        number.id,
                        number.study,
                        number.test,
                        number.system,
                        number.metric,
                        value,
                        number.unit,
                        number.conditions,
                        number.confidence,
                        number.kind.name(),
                        number.note
                    ])
                })
                .map_err(&failed)?;
        }
        transaction.commit().map_err(failed)
    }

    /// Reads the published numbers of a run in the order they were added.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`].
    pub fn published(&self, run: RunId) -> Result<Vec<Number>, NotebookError> {
        self.run(run)?;
        let failed = self.failed("reading the published numbers of a run");
        let mut statement = self
            .connection()
            .prepare_cached(
                "SELECT id, study, test, system, metric, value, unit, conditions, confidence, kind, note
                 FROM published WHERE run = ?1 ORDER BY position",
            )
            .map_err(&failed)?;
        let rows = statement
            .query_map([run.0], |row| {
                let value = domain::read(row, "published.value")
                    .map_err(|error| placed(row, &format!("run {run}, a published number"), error))?;
                Ok(Number {
                    id: name(row, 0)?,
                    study: name(row, 1)?,
                    test: name(row, 2)?,
                    system: name(row, 3)?,
                    metric: name(row, 4)?,
                    value,
                    unit: name(row, 6)?,
                    conditions: row.get(7)?,
                    confidence: row.get(8)?,
                    kind: row.get::<_, String>(9)?.into(),
                    note: row.get(10)?,
                    ..Number::default()
                })
            })
            .map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }
}

pub(crate) fn latest_fact_set(
    connection: &Connection,
    run: RunId,
    scope: &str,
) -> rusqlite::Result<Option<Facts>> {
    connection
        .query_row(
            "SELECT id FROM fact_set WHERE run = ?1 AND scope = ?2 ORDER BY id DESC LIMIT 1",
            params![run.0, scope],
            |row| row.get(0),
        )
        .optional()?
        .map(|id| read_facts(connection, id))
        .transpose()
}

fn read_facts(connection: &Connection, fact_set: i64) -> rusqlite::Result<Facts> {
    connection
        .prepare_cached("SELECT key, value FROM fact WHERE fact_set = ?1")?
        .query_map([fact_set], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Stores a set of facts of a run.
pub(crate) fn store_facts(
    connection: &Connection,
    run: RunId,
    scope: &str,
    facts: &Facts,
    now: &str,
) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT INTO fact_set (run, scope, added_at) VALUES (?1, ?2, ?3)",
        params![run.0, scope, now],
    )?;
    let id = connection.last_insert_rowid();
    for (key, value) in facts {
        connection
            .prepare_cached("INSERT INTO fact (fact_set, key, value) VALUES (?1, ?2, ?3)")?
            .execute(params![id, key, value])?;
    }
    Ok(())
}

/// Stores a sentence of a run, once.
pub(crate) fn store_note(
    connection: &Connection,
    run: RunId,
    kind: NoteKind,
    remark: &Remark,
    now: &str,
) -> rusqlite::Result<()> {
    let data = (!matches!(remark, Remark::Told { .. })).then(|| said::to_json(remark)).flatten();
    connection.execute(
        "INSERT INTO note (run, kind, text, added_at, remark) SELECT ?1, ?2, ?3, ?4, ?5
         WHERE NOT EXISTS (SELECT 1 FROM note WHERE run = ?1 AND kind = ?2 AND text = ?3)",
        params![run.0, kind.name(), remark.to_string(), now, data],
    )?;
    Ok(())
}

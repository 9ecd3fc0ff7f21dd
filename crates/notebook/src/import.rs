//! Copying a run from one notebook into another, with every attempt, under new numbers.

mod damage;

use std::path::Path;

use rusqlite::{ErrorCode, Transaction, params};

use crate::error::{NotebookError, classify, unsound};
use crate::labels::RunKey;
use crate::open::Notebook;
use crate::records::RunId;
use crate::rows;
use crate::schema;

/// Metrics have numbers of their own in each notebook.
const METRICS: &str = "INSERT OR IGNORE INTO metric (name, unit) SELECT name, unit FROM source.metric";
const METRIC_HERE: &str = "(SELECT here.id FROM main.metric AS here JOIN source.metric AS there
     ON (here.name, here.unit) = (there.name, there.unit) WHERE there.id = of.metric)";

/// The value of a column in the copy; `None` for a number that the copy gets by itself. Rows keep their
/// order; identifiers move by the highest one in use here, so that references move along unchanged.
fn value(table: &str, column: &str) -> Option<String> {
    Some(match (table, column) {
        ("run", "id") | (_, "run") => ":new".to_owned(),
        ("run", "work_dir") => "iif(of.work_dir LIKE '/%', '', :owner) || of.work_dir".to_owned(),
        ("run", "state") => "iif(of.state = 'running', 'interrupted', of.state)".to_owned(),
        ("series" | "histogram" | "note", "id") => return None,
        ("published", _) => format!("of.\"{column}\""),
        ("bed" | "cell" | "attempt" | "fact_set", "id") => format!("of.id + :{table}"),
        (_, "bed" | "cell" | "attempt" | "fact_set") => format!("of.{column} + :{column}"),
        (_, "metric") => METRIC_HERE.to_owned(),
        _ => format!("of.\"{column}\""),
    })
}

/// The statement that copies the rows of a table; `None` for a table that an older source lacks. A column
/// that it lacks has its default.
fn statement(transaction: &Transaction<'_>, table: &str, rows: &str) -> rusqlite::Result<Option<String>> {
    let there: Vec<String> =
        columns(transaction, "source", table)?.into_iter().map(|(name, _)| name).collect();
    if there.is_empty() {
        return Ok(None);
    }
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for (column, default) in columns(transaction, "main", table)? {
        let Some(value) = value(table, &column) else { continue };
        let is_there = there.contains(&column);
        values.push(if is_there { value } else { default.unwrap_or_else(|| "NULL".to_owned()) });
        names.push(format!("\"{column}\""));
    }
    let order = if there.iter().any(|column| column == "id") { "ORDER BY of.id" } else { "" };
    let (names, values) = (names.join(", "), values.join(", "));
    Ok(Some(format!(
        "INSERT INTO main.{table} ({names}) SELECT {values} FROM source.{table} AS of WHERE {rows} {order}"
    )))
}

/// The columns of a table, each with its default as SQL.
fn columns(
    transaction: &Transaction<'_>,
    schema: &str,
    table: &str,
) -> rusqlite::Result<Vec<(String, Option<String>)>> {
    let sql = "SELECT name, dflt_value FROM pragma_table_info(?1, ?2) ORDER BY cid";
    let mut found = transaction.prepare_cached(sql)?;
    let rows = found.query_map(params![table, schema], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Tables whose identifiers move, with the parameter that says by how much.
const MOVED: &[(&str, &str)] = &[
    ("bed", ":bed"),
    ("cell", ":cell"),
    ("attempt", ":attempt"),
    ("fact_set", ":fact_set"),
    ("run", ":new"),
];

impl Notebook {
    /// Copies runs of notebook `from` into this one and returns their numbers here, in the order asked for.
    /// A run that is here already, by its id, is not copied again: its number here is returned. Everything is
    /// copied, superseded attempts included; times and states stay as they were, but for a run that goes on
    /// or was killed: it is interrupted here. `from` keeps its data and goes on with it.
    ///
    /// # Errors
    /// [`NotebookError::Itself`]; [`NotebookError::NoSuchRun`]; [`NotebookError::Corrupt`] or
    /// [`NotebookError::Unreadable`] naming what is damaged in `from`; what SQLite reports. None of the runs
    /// is copied then.
    pub fn import_runs(&self, from: &Notebook, runs: &[RunId]) -> Result<Vec<RunId>, NotebookError> {
        if self.path() == from.path() {
            return Err(NotebookError::Itself { path: self.path().to_owned() });
        }
        for run in runs {
            from.run(*run)?;
        }
        from.require_sound_file()?;
        let failed = self.failed("copying runs");
        let source = from.to_attach()?;
        // Becoming the writer first: attaching is not possible inside the transaction that does it.
        self.write()?.commit().map_err(&failed)?;
        self.connection().execute("ATTACH DATABASE ?1 AS source", [source]).map_err(&failed)?;
        let copied = self.write().and_then(|transaction| {
            let copied = self.copy_attached(&transaction, from, runs)?;
            transaction.commit().map_err(&failed)?;
            Ok(copied)
        });
        let detached = self.connection().execute_batch("DETACH DATABASE source").map_err(&failed);
        let copied = copied?;
        detached?;
        Ok(copied)
    }

    /// Copies runs of the attached notebook, which is `from`, inside the transaction, and makes sure that all
    /// of them can be read here.
    pub(crate) fn copy_attached(
        &self,
        transaction: &Transaction<'_>,
        from: &Notebook,
        runs: &[RunId],
    ) -> Result<Vec<RunId>, NotebookError> {
        let damaged = |run: RunId, what: String| {
            let detail = format!("run {run} cannot be copied, so nothing was: {what}");
            NotebookError::Unreadable { path: from.path().to_owned(), detail }
        };
        let mut here: Vec<(RunKey, RunId)> =
            self.runs()?.into_iter().map(|known| (known.key, known.id)).collect();
        let mut copied = Vec::new();
        for &run in runs {
            let key = from.run(run)?.key();
            if let Some((_, known)) = here.iter().find(|(known, _)| *known == key) {
                copied.push(*known);
                continue;
            }
            let new =
                copy(transaction, from.path(), run).map_err(|source| match source.sqlite_error_code() {
                    // Ours was found whole when this process became its writer.
                    Some(
                        ErrorCode::ConstraintViolation | ErrorCode::DatabaseCorrupt | ErrorCode::TypeMismatch,
                    ) => damaged(run, source.to_string()),
                    _ => classify(self.path(), "copying runs", source),
                })?;
            if let Some(what) = damage::find(self, new)? {
                return Err(damaged(run, what));
            }
            here.push((key, new));
            copied.push(new);
        }
        Ok(copied)
    }

    /// Refuses a file whose pages or tables are not those of a notebook, before rows are read through them.
    pub(crate) fn require_sound_file(&self) -> Result<(), NotebookError> {
        let mut problems = self.broken_pages()?;
        if problems.is_empty() {
            problems = self.changed_schema()?;
        }
        match problems.into_iter().next() {
            Some(problem) => Err(unsound(self.path(), "checking it before copying", problem)),
            None => Ok(()),
        }
    }
}

fn copy(transaction: &Transaction<'_>, from: &Path, run: RunId) -> rusqlite::Result<RunId> {
    let owner = format!("{}/", from.display());
    rows::begin(transaction, "source", run)?;
    let mut values = vec![(":run", run.0)];
    for (table, parameter) in MOVED {
        let ids = if *table == "run" {
            "(SELECT id FROM main.run UNION SELECT run FROM main.removed)"
        } else {
            table
        };
        let highest: i64 =
            transaction
                .query_row(&format!("SELECT coalesce(max(id), 0) FROM {ids}"), params![], |row| row.get(0))?;
        values.push((parameter, if *table == "run" { highest + 1 } else { highest }));
    }
    transaction.execute_batch(METRICS)?;
    for (table, belongs) in rows::TABLES {
        let Some(sql) = statement(transaction, table, &belongs.rows("source"))? else { continue };
        let mut statement = transaction.prepare(&sql)?;
        for &(name, value) in &values {
            // Each statement uses some of the parameters.
            if let Some(index) = statement.parameter_index(name)? {
                statement.raw_bind_parameter(index, value)?;
            }
        }
        if let Some(index) = statement.parameter_index(":owner")? {
            statement.raw_bind_parameter(index, &owner)?;
        }
        statement.raw_execute()?;
    }
    rows::end(transaction)?;
    schema::fill_kinds(transaction)?;
    Ok(RunId(values[values.len() - 1].1))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use measure::{Histogram, Series};

    use words::{Latency, Reason, Reasons, WorkloadKind};

    use super::*;
    use crate::{Bed, CellRecord, CellState, Measurement, PlannedCell, Point, RunPlan};

    fn with_one_run(path: &std::path::Path, nopm: f64) -> Notebook {
        let notebook = Notebook::open_or_create(path).unwrap();
        let bed = Bed {
            name: "nvme".to_owned(),
            facts: BTreeMap::from([("cpu".to_owned(), "x".to_owned())]),
            ..Bed::default()
        };
        let cell = PlannedCell {
            bed: "nvme".to_owned(),
            workload: "tpcc".to_owned(),
            level_name: "users".to_owned(),
            ..PlannedCell::default()
        };
        let run = notebook
            .start_run(
                &RunPlan {
                    name: "t".to_owned(),
                    work_dir: "t-1-2".to_owned(),
                    seed: nopm as u64,
                    ..RunPlan::default()
                },
                &[bed],
                &[cell],
            )
            .unwrap();
        notebook.add_note(run, words::NoteKind::Warning, "loud").unwrap();
        notebook.add_fact_set(run, "host", &BTreeMap::from([("kernel".to_owned(), "6".to_owned())])).unwrap();
        let id = notebook.cells(run).unwrap()[0].id;
        let mut latency = Histogram::new();
        latency.record(1234);
        notebook.begin_cell(id).unwrap();
        let metric = Measurement { metric: "nopm".to_owned(), value: nopm, unit: "1/min".to_owned() };
        let record = CellRecord {
            state: CellState::Done,
            measurements: vec![metric.clone()],
            series: vec![Series {
                metric: "tpm".to_owned(),
                unit: "1/min".to_owned(),
                start_s: 0.0,
                values: vec![1.0, nopm],
            }],
            histograms: vec![(Latency::Answer.into(), latency)],
            points: vec![Point {
                name: "maximum".to_owned(),
                values: vec![metric.clone()],
                ..Point::default()
            }],
            ..CellRecord::default()
        };
        notebook.record_cell(id, &record).unwrap();
        notebook
    }

    #[test]
    fn a_copied_run_reads_as_it_did_and_disturbs_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let here = with_one_run(&dir.path().join("here.db"), 1.0);
        let there = with_one_run(&dir.path().join("there.db"), 2.0);
        here.import_runs(&there, &[RunId(1), RunId(1)])
            .map(|copied| assert_eq!(copied, [RunId(2); 2]))
            .unwrap();
        let copied = here.import_runs(&there, &[RunId(1)]).unwrap();
        assert_eq!(copied, [RunId(2)], "it is here already");
        for run in copied {
            let (copy, original) =
                (here.cells(run).unwrap()[0].clone(), there.cells(RunId(1)).unwrap()[0].clone());
            assert_eq!(
                (copy.state, &copy.bed, copy.ended_at.clone()),
                (original.state, &original.bed, original.ended_at.clone())
            );
            assert_eq!(here.measurements(copy.id).unwrap(), there.measurements(original.id).unwrap());
            assert_eq!(here.series(copy.id).unwrap(), there.series(original.id).unwrap());
            assert_eq!(
                here.histogram(copy.id, Latency::Answer).unwrap(),
                there.histogram(original.id, Latency::Answer).unwrap()
            );
            assert_eq!(here.points(copy.id).unwrap(), there.points(original.id).unwrap());
            assert_eq!(here.points(copy.id).unwrap()[0].value(words::Metric::Nopm), Some(2.0));
            assert_eq!(here.fact_sets(run).unwrap(), there.fact_sets(RunId(1)).unwrap());
            assert_eq!(here.notes(run).unwrap().len(), 1);
        }
        // No run here owns the data of the notebook that it came from, not even by way of a third.
        let third = with_one_run(&dir.path().join("third.db"), 3.0);
        let again = third.import_runs(&here, &[RunId(2)]).unwrap()[0];
        for run in [here.run(RunId(2)).unwrap(), third.run(again).unwrap()] {
            assert_eq!((run.owner(), run.folder()), (there.path().to_str(), "t-1-2"));
            assert_eq!(run.state, crate::RunState::Interrupted, "it was running");
        }
        assert_eq!(there.run(RunId(1)).unwrap().owner(), None);
        assert!(here.runs_in("t-1-2").unwrap().iter().all(|run| run.id == RunId(1)));
        assert_eq!(here.measurement(here.cells(RunId(1)).unwrap()[0].id, "nopm").unwrap(), Some(1.0));
        here.verify().unwrap();
    }

    #[test]
    fn an_older_notebook_that_cannot_be_changed_is_read_and_copied_with_its_kinds_and_reasons() {
        let dir = tempfile::tempdir().unwrap();
        let here = with_one_run(&dir.path().join("here.db"), 1.0);
        let path = dir.path().join("older.db");
        drop(with_one_run(&path, 2.0));
        let experiment = "[[workload]]\nkind = \"durability\"\nname = \"tpcc\"";
        damage(
            &path,
            &format!(
                "UPDATE run SET experiment = '{experiment}'; UPDATE attempt SET reason = 'the drive failed';
                 DROP VIEW latest_attempt;
                 CREATE VIEW latest_attempt AS
                 SELECT id, cell, number, state, reason, limiter, limiter_detail, started_at, ended_at FROM attempt
                 WHERE number = (SELECT max(later.number) FROM attempt AS later WHERE later.cell = attempt.cell);
                 ALTER TABLE attempt DROP COLUMN reasons; ALTER TABLE attempt DROP COLUMN limiter_figures;
                 ALTER TABLE note DROP COLUMN remark;
                 ALTER TABLE cell DROP COLUMN kind; ALTER TABLE run DROP COLUMN directory;
                 ALTER TABLE run DROP COLUMN label; ALTER TABLE run DROP COLUMN verdict; DROP TABLE tag; DROP TABLE removed;
                 PRAGMA user_version = 2"
            ),
        );
        let told = Reasons::from(Reason::Told { text: "the drive failed".to_owned() });
        let older = Notebook::on_read_only_media(&path).of_this_version().unwrap();
        let cell = &older.cells(RunId(1)).unwrap()[0];
        assert_eq!((cell.kind, &cell.reasons), (WorkloadKind::Durability, &told));
        let refused = older.add_note(RunId(1), words::NoteKind::Warning, "more").unwrap_err();
        assert!(matches!(refused, NotebookError::ReadOnly { .. }), "{refused}");
        let copied = here.import_runs(&older, &[RunId(1)]).unwrap();
        let cell = &here.cells(copied[0]).unwrap()[0];
        assert_eq!((cell.kind, &cell.reasons), (WorkloadKind::Durability, &told));
        let version = rusqlite::Connection::open(&path)
            .unwrap()
            .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
            .unwrap();
        assert_eq!(version, 2, "the file itself is as it was");
    }

    /// Changes the notebook at `path` behind its back; the triggers that refuse such changes are there again
    /// afterwards.
    fn damage(path: &std::path::Path, sql: &str) {
        let file = rusqlite::Connection::open(path).unwrap();
        let triggers: Vec<(String, String)> = file
            .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        file.pragma_update(None, "foreign_keys", false).unwrap();
        file.pragma_update(None, "ignore_check_constraints", true).unwrap();
        triggers.iter().for_each(|(name, _)| file.execute_batch(&format!("DROP TRIGGER {name}")).unwrap());
        file.execute_batch(sql).unwrap();
        triggers.iter().for_each(|(_, sql)| file.execute_batch(sql).unwrap());
    }

    #[test]
    fn a_damaged_run_is_refused_by_name_and_nothing_is_copied() {
        let dir = tempfile::tempdir().unwrap();
        let here = with_one_run(&dir.path().join("here.db"), 1.0);
        let cases = [
            ("UPDATE cell SET position = -2", "`cell.position` is -2"),
            ("UPDATE cell SET repeat = 4294967296", "`cell.repeat` is 4294967296"),
            ("UPDATE cell SET kind = 'lost'", "cell.kind holds `lost`"),
            ("UPDATE cell SET level = 9e999", "cell 1: `cell.level` is inf"),
            ("UPDATE attempt SET number = -1", "`attempt.number` is -1"),
            ("UPDATE attempt SET state = 'lost'", "CHECK constraint failed"),
            ("UPDATE attempt SET reason = CAST(x'ff' AS TEXT)", "`attempt.reason` is not UTF-8"),
            ("UPDATE measurement SET value = -9e999", "cell 1, attempt 1: `measurement.value` is -inf"),
            ("UPDATE series SET samples = x'00'", "CHECK constraint failed"),
            ("UPDATE series SET start_s = 9e999", "`series.start_s` is inf"),
            ("UPDATE histogram SET encoded = x'00'", "`histogram.encoded` cannot be decoded"),
            ("UPDATE point SET round = -1", "`point.round` is -1"),
            ("UPDATE point SET block_size_bytes = -1", "`point.block_size_bytes` is -1"),
            ("UPDATE point_value SET position = 7", "FOREIGN KEY constraint failed"),
            ("UPDATE metric SET name = CAST(x'ff' AS TEXT) WHERE id = 1", "`metric.name` is not UTF-8"),
            ("UPDATE note SET text = CAST(x'ff' AS TEXT)", "the run: `note.text` is not UTF-8"),
            ("UPDATE run SET seed = 'none'", "run.seed holds `none`"),
            ("UPDATE run SET state = 'lost'", "run.state holds `lost`"),
            ("UPDATE run SET scale = 9e999", "run 1: run.scale holds `inf`"),
            ("UPDATE run SET scale = -1", "run 1: run.scale holds `-1`"),
            ("DELETE FROM attempt; DELETE FROM measurement", "cell 1 (`tpcc`): it has no attempt"),
            (
                "INSERT INTO metric VALUES (90, 'lag_p99', 's'), (91, 'lag_p99', 'ms');
                 INSERT INTO measurement VALUES (1, 90, 1.0), (1, 91, 1.0)",
                "occurs twice",
            ),
            ("UPDATE cell SET level = -1", "`cell.level` is -1, which is not from 0"),
            ("UPDATE point SET end_s = 1e300", "`point.end_s` is 1e300"),
            (
                "UPDATE measurement SET value = -5",
                "cell 1, attempt 1: measurement.value of `nopm` holds `-5`",
            ),
            ("UPDATE metric SET unit = 'h' WHERE name = 'nopm'", "metric.unit of `nopm` holds `h`"),
            ("DROP INDEX note_of_run", "`note_of_run` is missing"),
        ];
        for (at, (sql, part)) in cases.into_iter().enumerate() {
            let path = dir.path().join(format!("{at}.db"));
            drop(with_one_run(&path, 2.0));
            damage(&path, sql);
            let there = Notebook::open_existing(&path).unwrap();
            let error = match here.import_runs(&there, &[RunId(1)]) {
                Ok(copied) => panic!("{sql}: {copied:?}"),
                Err(error) => error,
            };
            assert!(
                matches!(&error, NotebookError::Corrupt { path: of, .. } | NotebookError::Unreadable { path: of, .. }
                    if of == there.path()),
                "{sql}: {error}"
            );
            assert!(error.to_string().contains(part), "{sql}: {error}");
            assert_eq!(here.runs().unwrap().len(), 1, "{sql}");
        }
        here.verify().unwrap();
        let sound = with_one_run(&dir.path().join("sound.db"), 2.0);
        assert_eq!(here.import_runs(&sound, &[RunId(1)]).unwrap(), [RunId(2)], "it goes on with another");
    }

    #[test]
    fn words_of_a_newer_build_leave_the_sentences_beside_them_and_are_copied() {
        let dir = tempfile::tempdir().unwrap();
        let here = with_one_run(&dir.path().join("here.db"), 1.0);
        let path = dir.path().join("newer.db");
        drop(with_one_run(&path, 2.0));
        let remark = r#"{"remark":"doctor","check":"a","read":[{"reading":"of-the-future"}],"why":"w"}"#;
        damage(
            &path,
            &format!(
                "UPDATE note SET remark = '{remark}';
                 UPDATE attempt SET reason = 'the drive melted', reasons = '[{{\"reason\":\"of-the-future\"}}]',
                     limiter = 'heat', limiter_detail = '99 C', limiter_figures = CAST(x'ff' AS TEXT);
                 INSERT INTO event VALUES (1, 0, 'of the future', 1, '{{\"happening\":\"of-the-future\"}}');
                 UPDATE run SET scale_statement = '{{\"scale\":\"of-the-future\"}}'"
            ),
        );
        let there = Notebook::open_existing(&path).unwrap();
        let expect = |notebook: &Notebook, run| {
            let note = notebook.notes(run).unwrap().remove(0);
            assert_eq!((note.text.as_str(), note.remark), ("loud", None));
            let cell = notebook.cells(run).unwrap().remove(0);
            assert_eq!(cell.reasons.to_string(), "the drive melted");
            assert_eq!(
                (cell.limiter.as_deref(), cell.limiter_figures.unwrap().to_string().as_str()),
                (Some("heat"), "99 C")
            );
            assert_eq!(notebook.events(cell.id).unwrap().len(), 1);
            assert!(notebook.run(run).unwrap().scale_statement.to_string().contains("of-the-future"));
        };
        expect(&there, RunId(1));
        damage(&path, "UPDATE attempt SET limiter_figures = '{}'");
        let copied = here.import_runs(&there, &[RunId(1)]).unwrap()[0];
        expect(&here, copied);
        let kept: String = here
            .connection()
            .query_row("SELECT remark FROM note WHERE run = ?1", [copied.0], |row| row.get(0))
            .unwrap();
        assert_eq!(kept, remark, "a newer build reads it again");
    }

    #[test]
    fn a_notebook_that_cannot_be_attached_is_refused_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let here = with_one_run(&dir.path().join("here.db"), 1.0);
        let path = dir.path().join("there.db");
        drop(with_one_run(&path, 2.0));
        // A text encoding that SQLite takes for UTF-8 when it opens the file, and for another one when it
        // attaches it.
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[56..60].copy_from_slice(&[0, 0, 3, 0]);
        std::fs::write(&path, bytes).unwrap();
        let there = Notebook::open_existing(&path).unwrap();
        let error = here.import_runs(&there, &[RunId(1)]).unwrap_err();
        assert!(error.to_string().contains("text encoding"), "{error}");
        assert_eq!(here.runs().unwrap().len(), 1);
        let sound = with_one_run(&dir.path().join("sound.db"), 2.0);
        assert_eq!(here.import_runs(&sound, &[RunId(1)]).unwrap(), [RunId(2)], "it goes on with another");
    }

    #[test]
    fn a_notebook_on_read_only_media_is_imported_without_a_file_beside_it() {
        let (dir, media) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let here = with_one_run(&dir.path().join("here.db"), 1.0);
        let path = media.path().join("50%? of it.db");
        drop(with_one_run(&path, 2.0));
        let before = std::fs::read_dir(media.path()).unwrap().count();
        let there = Notebook::on_read_only_media(&path);
        assert_eq!(here.import_runs(&there, &[RunId(1)]).unwrap(), [RunId(2)]);
        assert_eq!(std::fs::read_dir(media.path()).unwrap().count(), before);
    }

    #[test]
    fn a_run_that_is_not_there_copies_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let here = with_one_run(&dir.path().join("here.db"), 1.0);
        let there = with_one_run(&dir.path().join("there.db"), 2.0);
        let outcome = here.import_runs(&there, &[RunId(1), RunId(7)]);
        assert!(matches!(outcome, Err(NotebookError::NoSuchRun { .. })));
        assert_eq!(here.runs().unwrap().len(), 1);
    }
}

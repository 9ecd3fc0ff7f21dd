//! Runs and their beds: starting, listing, ending, and making unfinished cells ready to be tried again.

use std::time::SystemTime;

use ground::Clock;
use rusqlite::types::ValueRef;
use rusqlite::{OptionalExtension, Params, Row, params};
use words::{NoteKind, RunState};

use crate::domain;
use crate::error::NotebookError;
use crate::labels::RunKey;
use crate::lock::Work;
use crate::open::Notebook;
use crate::readable::{malformed, name, one_line, optional_line, placed, text};
use crate::records::{Bed, PlannedCell, Run, RunId, RunPlan, RunSummary};
use crate::said;

/// The columns of summaries, for some runs or for all.
pub(crate) const SUMMARIES: &str =
    "SELECT run.id, run.name, run.title, run.started_at, run.state, run.question, run.realm, run.scale, run.seed,
         run.work_dir, run.label, run.verdict,
         (SELECT group_concat(tag, ' ' ORDER BY tag) FROM tag WHERE tag.run = run.id) AS tags,
         (SELECT group_concat(coalesce(label, name), char(10) ORDER BY id) FROM bed WHERE bed.run = run.id) AS beds,
         (SELECT coalesce(sum(length(samples)), 0) FROM series JOIN attempt ON attempt.id = series.attempt
              JOIN cell AS c ON c.id = attempt.cell WHERE c.run = run.id) +
         (SELECT coalesce(sum(length(encoded)), 0) FROM histogram JOIN attempt ON attempt.id = histogram.attempt
              JOIN cell AS c ON c.id = attempt.cell WHERE c.run = run.id) + length(run.experiment) AS size_bytes,
         count(*) FILTER (WHERE latest_attempt.state = 'done') AS cells_done,
         count(latest_attempt.id) AS cells_planned
     FROM run
     LEFT JOIN cell ON cell.run = run.id
     LEFT JOIN latest_attempt ON latest_attempt.cell = cell.id";

impl Notebook {
    /// Takes the dates of records from this clock instead of the machine's.
    pub fn dated_by(&mut self, clock: &Clock) {
        self.clock = clock.clone();
    }

    /// Gives the records to come this date instead of the present one: they are of something that happened
    /// then. `None` ends it.
    pub fn date_back(&mut self, date: Option<SystemTime>) {
        self.date = date;
    }

    /// The present moment as the notebook writes it: RFC 3339, UTC, milliseconds.
    pub(crate) fn now(&self) -> String {
        let date = jiff::Timestamp::try_from(self.date.unwrap_or_else(|| self.clock.date()));
        format!("{:.3}", date.unwrap_or(jiff::Timestamp::UNIX_EPOCH))
    }

    /// Stores a run, its beds and its plan, in one transaction, and puts it into state `running`.
    ///
    /// # Errors
    /// [`NotebookError::BadRecord`] when the plan names an unknown bed, or a bed or position occurs twice.
    pub fn start_run(
        &self,
        run: &RunPlan,
        beds: &[Bed],
        plan: &[PlannedCell],
    ) -> Result<RunId, NotebookError> {
        check_plan(run, beds, plan)?;
        let failed = self.failed("storing the plan of a run");
        let transaction = self.write()?;
        let id = store_run(&transaction, run, &self.now()).map_err(&failed)?;
        store_beds(&transaction, id, beds).map_err(&failed)?;
        store_plan(&transaction, id, plan).map_err(&failed)?;
        self.store_labels(&transaction, id).map_err(&failed)?;
        transaction.commit().map_err(&failed)?;
        self.work_on(id);
        Ok(id)
    }

    /// Reads one run.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`].
    pub fn run(&self, id: RunId) -> Result<Run, NotebookError> {
        self.connection()
            .prepare_cached("SELECT * FROM run WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([id.0], of_run(read_run)).optional())
            .map_err(self.failed("reading a run"))?
            .map(|run| Run { state: self.told(run.id, run.state, self.work()), ..run })
            .ok_or(NotebookError::NoSuchRun { id })
    }

    /// A run that is stored as running is one that was killed, unless some process is at work on it.
    pub(crate) fn told(&self, run: RunId, stored: RunState, work: Work) -> RunState {
        match (stored, work) {
            (RunState::Running, Work::Nothing | Work::NoRun) => RunState::Killed,
            (RunState::Running, Work::Run(other)) if other != run => RunState::Killed,
            (stored, _) => stored,
        }
    }

    /// Lists the runs, oldest first.
    ///
    /// # Errors
    /// As SQLite reports.
    pub fn runs(&self) -> Result<Vec<RunSummary>, NotebookError> {
        self.summaries(&format!("{SUMMARIES} GROUP BY run.id ORDER BY run.id"), [])
    }

    pub(crate) fn summaries(&self, sql: &str, asked: impl Params) -> Result<Vec<RunSummary>, NotebookError> {
        let failed = self.failed("listing the runs");
        let mut statement = self.connection().prepare_cached(sql).map_err(&failed)?;
        let rows = statement.query_map(asked, of_run(read_summary)).map_err(&failed)?;
        let mut runs = rows.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        if runs.iter().any(|run| run.state == RunState::Running) {
            let work = self.work();
            runs.iter_mut().for_each(|run| run.state = self.told(run.id, run.state, work));
        }
        Ok(runs)
    }

    /// The number of runs.
    ///
    /// # Errors
    /// As SQLite reports.
    pub fn run_count(&self) -> Result<u64, NotebookError> {
        self.connection()
            .query_row("SELECT count(*) FROM run", [], |row| row.get::<_, i64>(0))
            .map(i64::unsigned_abs)
            .map_err(self.failed("counting the runs"))
    }

    /// The run on which a process is at work, if there is any.
    ///
    /// # Errors
    /// As SQLite reports.
    pub fn run_under_way(&self) -> Result<Option<Run>, NotebookError> {
        let failed = self.failed("finding the run under way");
        let mut statement = self
            .connection()
            .prepare_cached("SELECT id FROM run WHERE state = 'running' ORDER BY id DESC")
            .map_err(&failed)?;
        let ids = statement.query_map([], |row| row.get(0).map(RunId)).map_err(&failed)?;
        for id in ids.collect::<Result<Vec<_>, _>>().map_err(&failed)? {
            let run = self.run(id)?;
            if run.state == RunState::Running {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    /// The runs whose data files lie in directories of this name.
    ///
    /// # Errors
    /// As SQLite reports.
    pub fn runs_in(&self, work_dir: &str) -> Result<Vec<Run>, NotebookError> {
        let failed = self.failed("finding the run of a directory");
        let mut statement = self
            .connection()
            .prepare_cached("SELECT id FROM run WHERE work_dir = ?1 ORDER BY id")
            .map_err(&failed)?;
        let ids = statement.query_map([work_dir], |row| row.get(0).map(RunId)).map_err(&failed)?;
        let ids = ids.collect::<Result<Vec<_>, _>>().map_err(&failed)?;
        ids.into_iter().map(|id| self.run(id)).collect()
    }

    /// The run that was started last, if there is any.
    ///
    /// # Errors
    /// As SQLite reports.
    pub fn latest_run(&self) -> Result<Option<RunId>, NotebookError> {
        self.connection()
            .query_row("SELECT max(id) FROM run", [], |row| row.get::<_, Option<i64>>(0))
            .map(|id| id.map(RunId))
            .map_err(self.failed("finding the latest run"))
    }

    /// Ends a run with the error that kept it from going on, as a note of the kind `error`.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`]; what SQLite reports.
    pub fn fail_run(&self, id: RunId, why: &str) -> Result<(), NotebookError> {
        self.use_reserve();
        let noted = self.add_note(id, NoteKind::Error, why);
        // The state needs less room than its reason.
        self.finish_run(id, RunState::Failed)?;
        noted
    }

    /// Ends a run, or marks it as running again.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`]; [`RunState::Killed`] is not for storing.
    pub fn finish_run(&self, id: RunId, state: RunState) -> Result<(), NotebookError> {
        if state == RunState::Killed {
            let detail = "whether a run was killed is never stored".to_owned();
            return Err(NotebookError::BadRecord { detail });
        }
        if state != RunState::Running {
            self.use_reserve();
        }
        let failed = self.failed("ending a run");
        let ended_at = (state != RunState::Running).then(|| self.now());
        let transaction = self.write()?;
        let changed = transaction
            .execute(
                "UPDATE run SET state = ?2, ended_at = ?3 WHERE id = ?1",
                params![id.0, state.name(), ended_at],
            )
            .map_err(&failed)?;
        if changed == 0 {
            return Err(NotebookError::NoSuchRun { id });
        }
        transaction.commit().map_err(failed)
    }

    /// Reads the beds of a run, in the order of the experiment.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`].
    pub fn beds(&self, run: RunId) -> Result<Vec<Bed>, NotebookError> {
        self.run(run)?;
        let failed = self.failed("reading the beds of a run");
        let mut beds = self
            .connection()
            .prepare_cached(
                "SELECT id, name, label, realm, storage_summary FROM bed WHERE run = ?1 ORDER BY id",
            )
            .map_err(&failed)?;
        let mut facts = self
            .connection()
            .prepare_cached("SELECT key, value FROM bed_fact WHERE bed = ?1")
            .map_err(&failed)?;
        let mut read_bed = |row: &Row<'_>| {
            let id: i64 = row.get(0)?;
            Ok(Bed {
                name: name(row, 1)?,
                label: optional_line(row, 2)?,
                realm: name(row, 3)?,
                storage_summary: name(row, 4)?,
                facts: facts
                    .query_map([id], |row| Ok((name(row, 0)?, text(row.get(1)?))))?
                    .collect::<Result<_, rusqlite::Error>>()?,
            })
        };
        let rows = beds.query_map([run.0], &mut read_bed).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }
}

/// A plan must be whole before anything of it is stored.
pub(crate) fn check_plan(run: &RunPlan, beds: &[Bed], plan: &[PlannedCell]) -> Result<(), NotebookError> {
    writable("run.smallest_effect_throughput", run.smallest_effect_throughput)?;
    writable("run.smallest_effect_p99", run.smallest_effect_p99)?;
    writable("run.scale", run.scale)?;
    let bad = |detail| Err(NotebookError::BadRecord { detail });
    let mut names = std::collections::BTreeSet::new();
    for bed in beds {
        if !names.insert(bed.name.as_str()) {
            return bad(format!("the bed `{}` occurs twice", bed.name));
        }
    }
    let mut positions = std::collections::BTreeSet::new();
    for cell in plan {
        if !names.contains(cell.bed.as_str()) {
            return bad(format!(
                "cell {} of the plan is on the bed `{}`, which the run lacks",
                cell.position, cell.bed
            ));
        }
        if !positions.insert(cell.position) {
            return bad(format!("two cells of the plan have position {}", cell.position));
        }
        writable("cell.level", cell.level)?;
    }
    Ok(())
}

/// Nothing is written that would not be read.
pub(crate) fn writable(column: &str, value: f64) -> Result<(), NotebookError> {
    match domain::fault(column, ValueRef::Real(value)) {
        Some((value, rule)) => {
            Err(NotebookError::BadRecord { detail: format!("{column} would be {value}, which {rule}") })
        }
        None => Ok(()),
    }
}

/// SQLite would store NaN as "nothing", which these columns do not allow.
pub(crate) fn finite(value: f64, what: &str) -> Result<f64, NotebookError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(NotebookError::BadRecord { detail: format!("{what} is {value}, not a finite number") })
    }
}

/// Stores a run in state `running` under the next number.
pub(crate) fn store_run(
    connection: &rusqlite::Connection,
    run: &RunPlan,
    started_at: &str,
) -> rusqlite::Result<RunId> {
    connection.execute(
        "INSERT INTO run (id, name, title, question, experiment, published, seed, scale, scale_statement, realm,
             tool_version, baseline, treatment, smallest_effect_throughput, smallest_effect_p99, cell_order,
             work_dir, state, started_at, directory)
         VALUES ((SELECT 1 + max((SELECT coalesce(max(id), 0) FROM run), (SELECT coalesce(max(run), 0) FROM removed))),
             ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, 'running', ?17, ?18)",
        params![
            run.name,
            run.title,
            run.question,
            run.experiment_toml,
            run.published,
            run.seed.to_string(),
            run.scale,
            said::statement(&run.scale_statement),
            run.realm,
            run.tool_version,
            run.baseline,
            serde_json::Value::from(run.treatment.clone()).to_string(),
            run.smallest_effect_throughput,
            run.smallest_effect_p99,
            run.order,
            run.work_dir,
            started_at,
            run.directory,
        ],
    )?;
    Ok(RunId(connection.last_insert_rowid()))
}

pub(crate) fn store_beds(
    connection: &rusqlite::Connection,
    run: RunId,
    beds: &[Bed],
) -> rusqlite::Result<()> {
    for bed in beds {
        connection.execute(
            "INSERT INTO bed (run, name, label, realm, storage_summary) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![run.0, bed.name, bed.label, bed.realm, bed.storage_summary],
        )?;
        let id = connection.last_insert_rowid();
        for (key, value) in &bed.facts {
            connection
                .prepare_cached("INSERT INTO bed_fact (bed, key, value) VALUES (?1, ?2, ?3)")?
                .execute(params![id, key, value])?;
        }
    }
    Ok(())
}

pub(crate) fn store_plan(
    connection: &rusqlite::Connection,
    run: RunId,
    plan: &[PlannedCell],
) -> rusqlite::Result<()> {
    let mut cell_statement = connection.prepare_cached(
        "INSERT INTO cell (run, position, bed, workload, level, level_name, repeat, kind)
         VALUES (?1, ?2, (SELECT id FROM bed WHERE run = ?1 AND name = ?3), ?4, ?5, ?6, ?7, ?8)",
    )?;
    let mut attempt_statement =
        connection.prepare_cached("INSERT INTO attempt (cell, number, state) VALUES (?1, 1, 'planned')")?;
    for cell in plan {
        cell_statement.execute(params![
            run.0,
            cell.position,
            cell.bed,
            cell.workload,
            cell.level,
            cell.level_name,
            cell.repeat,
            cell.kind.name()
        ])?;
        attempt_statement.execute([connection.last_insert_rowid()])?;
    }
    Ok(())
}

/// Reads a row of a run, with the run's number in the error of a value that cannot be read.
pub(crate) fn of_run<T>(
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> impl Fn(&Row<'_>) -> rusqlite::Result<T> {
    move |row| {
        let run: i64 = row.get("id")?;
        read(row).map_err(|error| placed(row, &format!("run {run}"), error))
    }
}

fn read_run(row: &Row<'_>) -> rusqlite::Result<Run> {
    let seed: String = row.get("seed")?;
    let treatment: String = row.get("treatment")?;
    let state: String = row.get("state")?;
    let plan = RunPlan {
        name: name(row, "name")?,
        title: one_line(row.get("title")?),
        question: optional_line(row, "question")?,
        experiment_toml: row.get("experiment")?,
        published: row.get("published")?,
        seed: seed.parse().map_err(|_| malformed("run.seed", &seed))?,
        scale: domain::read(row, "run.scale")?,
        scale_statement: said::read_statement(row.get("scale_statement")?),
        realm: name(row, "realm")?,
        tool_version: name(row, "tool_version")?,
        baseline: name(row, "baseline")?,
        treatment: serde_json::from_str(&treatment).map_err(|_| malformed("run.treatment", &treatment))?,
        smallest_effect_throughput: domain::read(row, "run.smallest_effect_throughput")?,
        smallest_effect_p99: domain::read(row, "run.smallest_effect_p99")?,
        order: row.get("cell_order")?,
        work_dir: row.get("work_dir")?,
        directory: row.get("directory")?,
    };
    Ok(Run {
        id: RunId(row.get("id")?),
        plan,
        state: RunState::of_stored(&state).ok_or_else(|| malformed("run.state", &state))?,
        started_at: domain::read(row, "run.started_at")?,
        ended_at: domain::read(row, "run.ended_at")?,
        label: optional_line(row, "label")?,
    })
}

/// The id of a run in every notebook, from its columns.
pub(crate) fn key_of(row: &Row<'_>) -> rusqlite::Result<RunKey> {
    let (work_dir, started_at): (String, String) = (row.get("work_dir")?, row.get("started_at")?);
    let folder = work_dir.rsplit('/').next().unwrap_or_default();
    let (realm, seed): (String, String) = (row.get("realm")?, row.get("seed")?);
    let seed = seed.parse().map_err(|_| malformed("run.seed", &seed))?;
    Ok(RunKey::of_run(&realm, &started_at, folder, seed))
}

/// The stored state of a run.
pub(crate) fn state_of(row: &Row<'_>) -> rusqlite::Result<RunState> {
    let state: String = row.get("state")?;
    RunState::of_stored(&state).ok_or_else(|| malformed("run.state", &state))
}

/// The parts of a column that holds several texts.
pub(crate) fn several(row: &Row<'_>, column: &str, by: char) -> rusqlite::Result<Vec<String>> {
    let text = row.get::<_, Option<String>>(column)?;
    Ok(text.iter().flat_map(|text| text.split(by)).map(|part| one_line(part.to_owned())).collect())
}

fn read_summary(row: &Row<'_>) -> rusqlite::Result<RunSummary> {
    Ok(RunSummary {
        key: key_of(row)?,
        question: optional_line(row, "question")?,
        realm: name(row, "realm")?,
        scale: domain::read(row, "run.scale")?,
        beds: several(row, "beds", '\n')?,
        label: optional_line(row, "label")?,
        tags: several(row, "tags", ' ')?,
        verdict: optional_line(row, "verdict")?,
        size_bytes: row.get("size_bytes")?,
        id: RunId(row.get("id")?),
        name: name(row, "name")?,
        title: one_line(row.get("title")?),
        started_at: domain::read(row, "run.started_at")?,
        state: state_of(row)?,
        cells_done: row.get("cells_done")?,
        cells_planned: row.get("cells_planned")?,
    })
}

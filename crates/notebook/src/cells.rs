//! Cells and their attempts: beginning, recording whole, and trying again.

use rusqlite::{Connection, OptionalExtension, Row, params};
use words::{CellState, LimiterFigures, Reason, Reasons, WorkloadKind};

use crate::error::NotebookError;
use crate::open::Notebook;
use crate::readable::{malformed, name, optional_text, placed};
use crate::records::{Cell, CellId, CellRecord, PlannedCell, RunId};
use crate::runs::store_plan;
use crate::{domain, measured, said};

/// The attempt that readers see.
pub(crate) struct Attempt {
    pub(crate) id: i64,
    pub(crate) state: CellState,
    /// Its run and its cell, for errors.
    pub(crate) place: String,
}

const CELL_COLUMNS: &str =
    "SELECT cell.id, cell.run, cell.position, bed.name AS bed, cell.workload, cell.level, cell.level_name,
         cell.repeat, cell.kind, a.number, a.state, a.reason, a.reasons, a.limiter, a.limiter_detail,
         a.limiter_figures, a.started_at, a.ended_at
     FROM cell JOIN bed ON bed.id = cell.bed JOIN latest_attempt AS a ON a.cell = cell.id";

impl Notebook {
    /// Reads the cells of a run in the order of its plan, each with its latest attempt.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`].
    pub fn cells(&self, run: RunId) -> Result<Vec<Cell>, NotebookError> {
        self.run(run)?;
        let failed = self.failed("reading the cells of a run");
        let mut statement = self
            .connection()
            .prepare_cached(&format!("{CELL_COLUMNS} WHERE cell.run = ?1 ORDER BY cell.position"))
            .map_err(&failed)?;
        let rows = statement.query_map([run.0], read_cell).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }

    /// Reads one cell with its latest attempt.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchCell`].
    pub fn cell(&self, id: CellId) -> Result<Cell, NotebookError> {
        self.connection()
            .prepare_cached(&format!("{CELL_COLUMNS} WHERE cell.id = ?1"))
            .and_then(|mut statement| statement.query_row([id.0], read_cell).optional())
            .map_err(self.failed("reading a cell"))?
            .ok_or(NotebookError::NoSuchCell { id })
    }

    /// Marks a planned cell as running.
    ///
    /// # Errors
    /// [`NotebookError::WrongState`] unless its latest attempt is planned.
    pub fn begin_cell(&self, cell: CellId) -> Result<(), NotebookError> {
        let failed = self.failed("beginning a cell");
        let transaction = self.write()?;
        let attempt = self.latest_attempt(cell)?;
        if attempt.state != CellState::Planned {
            return Err(NotebookError::WrongState { cell, state: attempt.state, wanted: "begun" });
        }
        transaction
            .execute(
                "UPDATE attempt SET state = 'running', started_at = ?2 WHERE id = ?1",
                params![attempt.id, self.now()],
            )
            .map_err(&failed)?;
        transaction.commit().map_err(failed)
    }

    /// Records everything a cell produced, in one transaction: when this returns, the cell is on the disk,
    /// whole.
    ///
    /// A measurement that is not a finite number is kept as an event of kind `unmeasurable` instead of a
    /// value.
    ///
    /// # Errors
    /// [`NotebookError::WrongState`] when the cell has ended already or the record's state is not final,
    /// [`NotebookError::BadRecord`] when a metric occurs twice, [`NotebookError::Full`] and the like from the
    /// storage. After an error nothing of the record is stored.
    pub fn record_cell(&self, cell: CellId, record: &CellRecord) -> Result<(), NotebookError> {
        if !record.state.is_final() {
            return Err(NotebookError::WrongState { cell, state: record.state, wanted: "recorded as such" });
        }
        measured::check(record)?;
        let failed = self.failed("recording a cell");
        let transaction = self.write()?;
        let attempt = self.latest_attempt(cell)?;
        if attempt.state.is_final() {
            return Err(NotebookError::WrongState { cell, state: attempt.state, wanted: "recorded again" });
        }
        measured::store(&transaction, attempt.id, record).map_err(&failed)?;
        end_attempt(&transaction, attempt.id, record, &self.now()).map_err(&failed)?;
        transaction.commit().map_err(failed)
    }

    /// Makes every cell of the run that is running, invalid or interrupted ready to be tried again, and the
    /// run running.
    ///
    /// The attempts so far stay on record (a running one, left by a kill, is marked interrupted); readers see
    /// the new, planned one. Gives the number of cells that were reset.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`].
    pub fn reset_unfinished(&self, run: RunId) -> Result<usize, NotebookError> {
        self.run(run)?;
        let ended = Reasons::from(Reason::ProgramEnded);
        let failed = self.failed("resetting unfinished cells");
        let transaction = self.write()?;
        transaction
            .execute(
                "UPDATE attempt SET state = 'interrupted', ended_at = ?2, reason = ?3, reasons = ?4
                 WHERE state = 'running' AND cell IN (SELECT id FROM cell WHERE run = ?1)",
                params![run.0, self.now(), ended.text(), said::to_json(&ended)],
            )
            .map_err(&failed)?;
        let reset = transaction
            .execute(
                "INSERT INTO attempt (cell, number, state)
                 SELECT cell, number + 1, 'planned' FROM latest_attempt
                 WHERE state IN ('invalid', 'interrupted') AND cell IN (SELECT id FROM cell WHERE run = ?1)",
                [run.0],
            )
            .map_err(&failed)?;
        transaction
            .execute("UPDATE run SET state = 'running', ended_at = NULL WHERE id = ?1", [run.0])
            .map_err(&failed)?;
        transaction.commit().map_err(failed)?;
        self.work_on(run);
        Ok(reset)
    }

    /// Adds cells to the plan of a run.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`]; what SQLite reports, for a position that is taken too.
    pub fn add_cells(&self, run: RunId, cells: &[PlannedCell]) -> Result<(), NotebookError> {
        self.run(run)?;
        let failed = self.failed("adding cells to a run");
        let transaction = self.write()?;
        store_plan(&transaction, run, cells).map_err(&failed)?;
        transaction.commit().map_err(failed)
    }

    /// Plans another attempt at the cells at these positions that are done; the attempts so far stay on
    /// record.
    ///
    /// # Errors
    /// [`NotebookError::NoSuchRun`]; what SQLite reports.
    pub fn repeat_cells(&self, run: RunId, positions: &[u32]) -> Result<(), NotebookError> {
        self.run(run)?;
        let failed = self.failed("planning another attempt at cells");
        let transaction = self.write()?;
        for position in positions {
            transaction
                .execute(
                    "INSERT INTO attempt (cell, number, state) SELECT cell, number + 1, 'planned' FROM latest_attempt
                     WHERE state = 'done' AND cell = (SELECT id FROM cell WHERE run = ?1 AND position = ?2)",
                    params![run.0, position],
                )
                .map_err(&failed)?;
        }
        transaction.commit().map_err(failed)
    }

    pub(crate) fn latest_attempt(&self, cell: CellId) -> Result<Attempt, NotebookError> {
        self.connection()
            .prepare_cached(
                "SELECT attempt.id, attempt.state, cell.run, cell.position
                 FROM attempt JOIN cell ON cell.id = attempt.cell
                 WHERE attempt.cell = ?1 ORDER BY attempt.number DESC LIMIT 1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row([cell.0], |row| {
                        let place = place_of(row)?;
                        let state = read_state(row, "state").map_err(|error| placed(row, &place, error))?;
                        Ok(Attempt { id: row.get(0)?, state, place })
                    })
                    .optional()
            })
            .map_err(self.failed("finding a cell's attempt"))?
            .ok_or(NotebookError::NoSuchCell { id: cell })
    }
}

/// Ends an attempt with the state and the reasons of its record.
pub(crate) fn end_attempt(
    connection: &Connection,
    attempt: i64,
    record: &CellRecord,
    now: &str,
) -> rusqlite::Result<()> {
    connection.execute(
        "UPDATE attempt SET state = ?2, reason = ?3, reasons = ?4, limiter = ?5, limiter_detail = ?6,
             limiter_figures = ?7, ended_at = ?8
         WHERE id = ?1",
        params![
            attempt,
            record.state.name(),
            record.reasons.text(),
            record.reasons.text().and_then(|_| said::to_json(&record.reasons)),
            record.limiter,
            record.limiter_figures.as_ref().map(LimiterFigures::to_string),
            record.limiter_figures.as_ref().and_then(said::to_json),
            now
        ],
    )?;
    Ok(())
}

fn read_state(row: &Row<'_>, column: &'static str) -> rusqlite::Result<CellState> {
    let word: String = row.get(column)?;
    CellState::of(&word).ok_or_else(|| malformed("attempt.state", &word))
}

fn read_kind(row: &Row<'_>) -> rusqlite::Result<WorkloadKind> {
    let word: String = row.get("kind")?;
    WorkloadKind::of(&word).ok_or_else(|| malformed("cell.kind", &word))
}

/// The run and the cell of a row, as people count them.
fn place_of(row: &Row<'_>) -> rusqlite::Result<String> {
    let (run, position): (i64, i64) = (row.get("run")?, row.get("position")?);
    Ok(format!("run {run}, cell {}", position.saturating_add(1)))
}

fn read_cell(row: &Row<'_>) -> rusqlite::Result<Cell> {
    let place = place_of(row)?;
    read_whole(row).map_err(|error| placed(row, &place, error))
}

fn read_whole(row: &Row<'_>) -> rusqlite::Result<Cell> {
    let plan = PlannedCell {
        position: row.get("position")?,
        bed: name(row, "bed")?,
        workload: name(row, "workload")?,
        level: domain::read(row, "cell.level")?,
        level_name: name(row, "level_name")?,
        repeat: row.get("repeat")?,
        kind: read_kind(row)?,
    };
    let alone = |sentence: &str| optional_text(row, sentence);
    let reasons = match said::read(row, "reasons")? {
        None => alone("reason")?.map(|text| Reason::Told { text }.into()),
        reasons => reasons,
    };
    let limiter_figures = match said::read(row, "limiter_figures")? {
        None => alone("limiter_detail")?.map(|text| LimiterFigures::Told { text }),
        figures => figures,
    };
    Ok(Cell {
        id: CellId(row.get("id")?),
        plan,
        attempt: domain::read(row, "attempt.number")?,
        state: read_state(row, "state")?,
        reasons: reasons.unwrap_or_default(),
        limiter: optional_text(row, "limiter")?,
        limiter_figures,
        started_at: domain::read(row, "attempt.started_at")?,
        ended_at: domain::read(row, "attempt.ended_at")?,
    })
}

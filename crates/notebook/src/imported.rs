//! Runs that another program measured: stored whole, with the times that their files state, once.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, params};
use words::{NoteKind, Order, Realm, Remark};

use crate::cells;
use crate::error::NotebookError;
use crate::facts::{self, Facts};
use crate::labels::RunKey;
use crate::measured;
use crate::open::Notebook;
use crate::records::{Bed, CellRecord, PlannedCell, RunId, RunPlan};
use crate::runs;

/// A run that another program measured.
#[derive(Clone, Debug)]
pub struct ImportedRun {
    /// The run; its `work_dir` and its seed come from its content.
    pub plan: RunPlan,
    /// The one system under test.
    pub bed: Bed,
    /// When it began: RFC 3339, UTC, milliseconds.
    pub started_at: String,
    /// When it ended, as `started_at`.
    pub ended_at: String,
    /// Its cells in their order.
    pub cells: Vec<ImportedCell>,
    /// Facts by scope.
    pub facts: Vec<(String, Facts)>,
    /// Remarks on its figures.
    pub notes: Vec<(NoteKind, Remark)>,
}

/// A cell of such a run.
#[derive(Clone, Debug)]
pub struct ImportedCell {
    /// The load; its position and its bed are set when it is stored.
    pub plan: PlannedCell,
    /// Its figures.
    pub record: CellRecord,
    /// When it began: RFC 3339, UTC, milliseconds.
    pub started_at: String,
    /// When it ended, as `started_at`.
    pub ended_at: String,
}

/// The smallest effects that matter where nobody states others, as in experiments.
const SMALLEST_THROUGHPUT: f64 = 0.03;
const SMALLEST_P99: f64 = 0.10;

impl ImportedRun {
    /// The plan of a run with this content: the same content has the same id in every notebook. `remark` says
    /// where it comes from, and `asked` are the loads that are known, in the place of an experiment.
    #[must_use]
    pub fn plan_of(content: &[u8], remark: &str, asked: &toml::Table) -> RunPlan {
        let mark = content.iter().fold(ground::FNV_START, |hash, byte| ground::fnv1a(hash, u64::from(*byte)));
        let mark = ground::mix(mark);
        // A table of texts and numbers is always TOML.
        let asked = toml::to_string(asked).unwrap_or_default();
        RunPlan {
            experiment_toml: format!("# {remark}; no experiment that can be run.\n{asked}"),
            smallest_effect_throughput: SMALLEST_THROUGHPUT,
            smallest_effect_p99: SMALLEST_P99,
            seed: mark,
            scale: 1.0,
            realm: Realm::Imported.into(),
            order: Order::Sequential.into(),
            work_dir: format!("imported-{mark:016x}"),
            ..RunPlan::default()
        }
    }

    /// The moment so many seconds after the start of a run, as the notebook writes it.
    #[must_use]
    pub fn moment(started_at: Timestamp, seconds: f64) -> String {
        let at = started_at.checked_add(SignedDuration::from_secs_f64(seconds)).unwrap_or(started_at);
        format!("{at:.3}")
    }

    /// Its id in every notebook.
    #[must_use]
    pub fn key(&self) -> RunKey {
        RunKey::of_run(&self.plan.realm, &self.started_at, self.plan.folder(), self.plan.seed)
    }
}

impl Notebook {
    /// Stores a run that another program measured, in one transaction, and gives its number; `true` beside it
    /// where it was here already and nothing was stored.
    ///
    /// # Errors
    /// [`NotebookError::BadRecord`] for a record that cannot be; what SQLite reports.
    pub fn add_imported(&self, run: &ImportedRun) -> Result<(RunId, bool), NotebookError> {
        let beds = std::slice::from_ref(&run.bed);
        let plan: Vec<PlannedCell> = (0..)
            .zip(&run.cells)
            .map(|(position, cell)| PlannedCell { position, bed: run.bed.name.clone(), ..cell.plan.clone() })
            .collect();
        runs::check_plan(&run.plan, beds, &plan)?;
        run.cells.iter().try_for_each(|cell| measured::check(&cell.record))?;
        let failed = self.failed("storing an imported run");
        let transaction = self.write()?;
        // Looked for by the writer: nobody stores the same meanwhile.
        if let Some(known) = self.find_key(&run.key())? {
            return Ok((known, true));
        }
        let id = runs::store_run(&transaction, &run.plan, &run.started_at).map_err(&failed)?;
        let store = || {
            runs::store_beds(&transaction, id, beds)?;
            runs::store_plan(&transaction, id, &plan)?;
            (0_u32..).zip(&run.cells).try_for_each(|(at, cell)| store_cell(&transaction, id, at, cell))?;
            for (scope, facts) in &run.facts {
                facts::store_facts(&transaction, id, scope, facts, &self.now())?;
            }
            for (kind, remark) in &run.notes {
                facts::store_note(&transaction, id, *kind, remark, &self.now())?;
            }
            self.store_labels(&transaction, id)?;
            transaction.execute(
                "UPDATE run SET state = 'finished', ended_at = ?2 WHERE id = ?1",
                params![id.0, run.ended_at],
            )
        };
        store().map_err(&failed)?;
        transaction.commit().map_err(failed)?;
        Ok((id, false))
    }
}

fn store_cell(
    connection: &Connection,
    run: RunId,
    position: u32,
    cell: &ImportedCell,
) -> rusqlite::Result<()> {
    let attempt: i64 = connection.query_row(
        "SELECT attempt.id FROM attempt JOIN cell ON cell.id = attempt.cell WHERE cell.run = ?1 AND cell.position = ?2",
        params![run.0, position],
        |row| row.get(0),
    )?;
    connection
        .execute("UPDATE attempt SET started_at = ?2 WHERE id = ?1", params![attempt, cell.started_at])?;
    measured::store(connection, attempt, &cell.record)?;
    cells::end_attempt(connection, attempt, &cell.record, &cell.ended_at)
}

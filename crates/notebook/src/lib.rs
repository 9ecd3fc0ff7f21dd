//! The notebook: one SQLite file that holds everything a run planned, measured and noted.
//!
//! The words of the glossary are the names of the tables (`run`, `bed`, `cell`, `phase`, `series`,
//! `histogram`, ...); `SCHEMA.md` describes every column.
//!
//! Invariant: append-only for measurements. A cell is recorded in one transaction that is on the
//! disk before [`Notebook::record_cell`] returns, so killing the tool at any moment loses at most
//! the cell that was running. Trying a cell again adds an attempt; readers see the latest attempt
//! and the older ones stay on record. The file itself refuses (by triggers) to change or remove
//! what was measured; only [`Notebook::remove_run`] removes it, with its whole run.
//!
//! One process writes a notebook at a time (see [`NotebookError::InUse`]); any number may read it meanwhile.
//! A notebook at rest is one file; a writer that was killed leaves `-wal`, `-shm` and `-lock` files beside
//! it, which the next opening folds back and removes.

// The records, their form as messages, and their errors.
mod records;
mod told;

mod error;

// The file: its schema, its lock, opening it.
mod schema;

mod lock;
mod vfs;

mod open;
mod metrics;
mod points;

// Writing and reading: runs, their cells, the cells' results, the surroundings.
mod domain;
mod readable;
mod rows;
mod runs;
mod labels;
mod removal;
mod said;
mod sought;

mod cells;
mod measured;

// Results and counters of other programs.
mod imported;
mod beside;

mod facts;

// The whole file, checked or taken elsewhere.
mod verify;

mod export;
mod import;

#[cfg(any(test, fuzzing))]
pub mod fuzzing;

pub use beside::SeriesAdded;
pub use error::NotebookError;
pub use export::{CSV_HEADERS, FIO_LOGS, FioCell, FioJob, WIDE_CSV_HEADER};
pub use facts::{COMMAND, COMMAND_LINE, FactSet, Facts};
pub use imported::{ImportedCell, ImportedRun};
pub use labels::{Labels, RunKey, Tag};
pub use open::Notebook;
pub use open::rescue::Displaced;
pub use published::{Number as PublishedNumber, NumberKind};
pub use records::{
    Bed, Cell, CellId, CellRecord, Event, Measurement, Note, Phase, PlannedCell, Point, Run, RunId, RunPlan,
    RunSummary,
};
pub use schema::{APPLICATION_ID, SCHEMA_VERSION};
pub use sought::{Sought, Wanted};
pub use words::{CellState, RunState};

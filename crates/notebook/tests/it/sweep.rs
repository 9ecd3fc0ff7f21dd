//! Every call of the kernel that a notebook makes fails: with an error, on a disk that is full from then
//! on, or as the last one before a crash. Each time the notebook opens afterwards, is sound and holds all
//! acknowledged data; foreign files are unchanged.
//!
//! Which of the three befalls a call is drawn each time (the seed is printed; `DRIVETRAIN_SEED` repeats it).
//! `DRIVETRAIN_SWEEP=all cargo test -p notebook --test it sweep -- --nocapture` tries all three at each, and
//! prints the number of points.

#![allow(clippy::print_stderr)] // The number of points is for who asks.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{beds, new_run, plan, record};
use disk::fault::{self, Failure, Plan};
use notebook::{CellId, CellState, Notebook, NotebookError, RunId, RunState};

/// The work that was acknowledged to the caller under test.
#[derive(Debug, Default)]
struct Acknowledged {
    runs: Vec<RunId>,
    cells: Vec<CellId>,
}

/// A folder in memory with files that are not ours, beside which the notebook lies.
struct Scratch(tempfile::TempDir);

const FOREIGN: [&str; 4] = ["a.db-wal.bak", "a.txt", ".a.db", "other-lock"];

impl Scratch {
    fn new() -> Scratch {
        let memory = Path::new("/dev/shm");
        let dir = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let place = Scratch(dir.unwrap());
        for name in FOREIGN {
            fs::write(place.0.path().join(name), format!("work of years: {name}")).unwrap();
        }
        place
    }

    fn notebook(&self) -> PathBuf {
        self.0.path().join("a.db")
    }

    /// Another notebook, from which runs are taken.
    fn there(&self) -> PathBuf {
        self.0.path().join("there.db")
    }

    /// The files here that are neither foreign nor named.
    fn strangers(&self, known: &[&str]) -> Vec<String> {
        for name in FOREIGN {
            let text = fs::read_to_string(self.0.path().join(name)).unwrap();
            assert_eq!(text, format!("work of years: {name}"));
        }
        let names = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| !FOREIGN.contains(&name.as_str()) && !known.contains(&name.as_str())).collect()
    }
}

/// Runs `work` in places that `prepare` made, with a failure at each point, and `examine`s the remains.
/// Gives the number of points.
fn sweep(
    name: &str,
    prepare: impl Fn(&Scratch),
    work: impl Fn(&Path, &mut Acknowledged) -> Result<(), NotebookError>,
    examine: impl Fn(&Notebook, &Acknowledged),
) -> u64 {
    let prepared = Scratch::new();
    prepare(&prepared);
    let fresh = || {
        let place = Scratch::new();
        for name in prepared.strangers(&[]) {
            fs::copy(prepared.0.path().join(&name), place.0.path().join(&name)).unwrap();
        }
        place
    };
    let (outcome, points) = fault::count(|| work(&fresh().notebook(), &mut Acknowledged::default()));
    outcome.unwrap();
    let all = std::env::var("DRIVETRAIN_SWEEP").is_ok_and(|asked| asked == "all");
    let drawn = testkit::seed();
    for (number, failure) in (0..).zip(Failure::ALL) {
        let befalls = |at: &u64| all || at.wrapping_add(drawn) % Failure::ALL.len() as u64 == number;
        for at in (1..=points).filter(befalls) {
            let plan = Plan { failure, at };
            let place = fresh();
            let mut acknowledged = Acknowledged::default();
            let (outcome, _) = fault::with(plan, || work(&place.notebook(), &mut acknowledged));
            let said = outcome.err().map(|error| error.to_string()).unwrap_or_default();
            let context = format!("{name}, {plan}, told `{said}`");
            assert!(!said.contains("damaged") && !said.contains("not a notebook"), "{context}");
            let notebook = Notebook::open_or_create(place.notebook())
                .unwrap_or_else(|error| panic!("{context}: {error}"));
            notebook.verify().unwrap_or_else(|error| panic!("{context}: {error}"));
            for run in &acknowledged.runs {
                notebook.run(*run).unwrap_or_else(|error| panic!("{context}: {error}"));
            }
            for cell in &acknowledged.cells {
                assert_eq!(
                    notebook.cell(*cell).unwrap().state,
                    CellState::Done,
                    "{context}: cell {cell} is lost"
                );
            }
            examine(&notebook, &acknowledged);
            notebook.close().unwrap_or_else(|error| panic!("{context}: {error}"));
            if place.there().exists() {
                Notebook::open_existing(place.there()).and_then(Notebook::close).unwrap();
            }
            assert_eq!(place.strangers(&["a.db", "there.db"]), [""; 0], "{context}");
        }
    }
    eprintln!("{name}: {points} points, {} failures each", if all { Failure::ALL.len() } else { 1 });
    points
}

/// Records a whole run as the lab does.
fn record_a_run(path: &Path, acknowledged: &mut Acknowledged) -> Result<(), NotebookError> {
    let notebook = Notebook::open_or_create(path)?;
    let run = notebook.start_run(&new_run(), &beds(), &plan(2))?;
    acknowledged.runs.push(run);
    notebook.add_fact_set(run, "host", &BTreeMap::from([("kernel".to_owned(), "6".to_owned())]))?;
    notebook.add_note(run, words::NoteKind::Warning, "loud")?;
    for cell in notebook.cells(run)? {
        notebook.begin_cell(cell.id)?;
        notebook.record_cell(cell.id, &record(cell.id.0))?;
        acknowledged.cells.push(cell.id);
    }
    notebook.finish_run(run, RunState::Finished)?;
    notebook.close()
}

/// Cells are there whole or not at all, and missing ones can be run.
fn whole_and_resumable(notebook: &Notebook, _: &Acknowledged) {
    for run in notebook.runs().unwrap() {
        notebook.reset_unfinished(run.id).unwrap();
        for cell in notebook.cells(run.id).unwrap() {
            if cell.state == CellState::Planned {
                assert!(notebook.measurements(cell.id).unwrap().is_empty());
                notebook.begin_cell(cell.id).unwrap();
                notebook.record_cell(cell.id, &record(cell.id.0)).unwrap();
            }
            let expected = record(cell.id.0);
            assert_eq!(notebook.measurements(cell.id).unwrap(), expected.measurements);
            assert_eq!(notebook.series(cell.id).unwrap(), expected.series);
            assert_eq!(notebook.histograms(cell.id).unwrap(), expected.histograms);
            assert_eq!(notebook.points(cell.id).unwrap(), expected.points);
            assert_eq!(notebook.events(cell.id).unwrap(), expected.events);
        }
        notebook.finish_run(run.id, RunState::Finished).unwrap();
    }
}

#[test]
fn recording_a_run() {
    let points = sweep("recording a run", |_| {}, record_a_run, whole_and_resumable);
    assert!(points > 100, "{points}");
}

/// Without a failure that stays and without a crash, a notebook that could not be made leaves nothing behind.
#[test]
fn a_notebook_that_could_not_be_made_is_not_there() {
    let create = |place: &Scratch| Notebook::open_or_create(place.notebook()).and_then(Notebook::close);
    let (outcome, points) = fault::count(|| create(&Scratch::new()));
    outcome.unwrap();
    let mut refused = 0;
    for at in 1..=points {
        let place = Scratch::new();
        let (outcome, _) = fault::with(Plan { failure: Failure::Error, at }, || create(&place));
        if outcome.is_ok() {
            continue;
        }
        refused += 1;
        if let Err(error) = Notebook::open_existing(place.notebook()) {
            assert!(matches!(error, NotebookError::NotFound { .. }), "error@{at}: {error}");
            // A lock file that could not be locked belongs to the next process that locks it.
            assert_eq!(place.strangers(&["a.db-lock"]), [""; 0], "error@{at}");
        }
    }
    assert!(refused > 20, "{refused} of {points}");
}

/// The write-ahead log of a killed process is played back on the way.
#[test]
fn resuming_a_killed_run() {
    let prepare = |place: &Scratch| {
        let (_, points) =
            fault::count(|| record_a_run(&Scratch::new().notebook(), &mut Acknowledged::default()));
        let plan = Plan { failure: Failure::Crash, at: points * 3 / 4 };
        fault::with(plan, || record_a_run(&place.notebook(), &mut Acknowledged::default())).0.unwrap_err();
        assert!(place.strangers(&[]).contains(&"a.db-wal".to_owned()));
    };
    let resume = |path: &Path, acknowledged: &mut Acknowledged| {
        let notebook = Notebook::open_existing(path)?;
        let run = notebook.latest_run()?.unwrap();
        acknowledged.runs.push(run);
        notebook.reset_unfinished(run)?;
        for cell in notebook.cells(run)? {
            if cell.state == CellState::Planned {
                notebook.begin_cell(cell.id)?;
                notebook.record_cell(cell.id, &record(cell.id.0))?;
            }
            acknowledged.cells.push(cell.id);
        }
        notebook.finish_run(run, RunState::Finished)
    };
    sweep("resuming a killed run", prepare, resume, whole_and_resumable);
}

/// A notebook as the first version wrote it, with one measured cell.
fn old_notebook(path: &Path) {
    let file = rusqlite::Connection::open(path).unwrap();
    file.execute_batch(include_str!("../../migrations/01_first_notebook.sql")).unwrap();
    file.execute_batch(&format!(
        "INSERT INTO run (name, title, experiment, seed, scale, scale_statement, realm, tool_version, baseline, treatment,
             smallest_effect_throughput, smallest_effect_p99, cell_order, work_dir, state, started_at)
         VALUES ('old', 'Old', '', '1', 1, '', 'real', '0.1', 'a', '[]', 0, 0, '', '', 'finished', '2024-01-01T00:00:00.000Z');
         INSERT INTO bed (run, name, realm, storage_summary) VALUES (1, 'a', 'real', '');
         INSERT INTO cell (run, position, bed, workload, level, level_name, repeat) VALUES (1, 0, 1, 'tpcc', 1, '', 0);
         INSERT INTO attempt (cell, number, state) VALUES (1, 1, 'done');
         INSERT INTO metric (name, unit) VALUES ('nopm', '1/min');
         INSERT INTO measurement VALUES (1, 1, 42.0);
         PRAGMA application_id = {}; PRAGMA user_version = 1;",
        notebook::APPLICATION_ID
    ))
    .unwrap();
}

#[test]
fn bringing_an_old_notebook_to_this_version() {
    let examine = |notebook: &Notebook, _: &Acknowledged| {
        assert_eq!(notebook.measurement(CellId(1), "nopm").unwrap(), Some(42.0));
    };
    let open = |path: &Path, _: &mut Acknowledged| Notebook::open_existing(path)?.close();
    sweep("bringing an old notebook to this version", |place| old_notebook(&place.notebook()), open, examine);
}

#[test]
fn importing_a_run() {
    let prepare = |place: &Scratch| {
        for path in [place.notebook(), place.there()] {
            record_a_run(&path, &mut Acknowledged::default()).unwrap();
        }
    };
    let import = |path: &Path, acknowledged: &mut Acknowledged| {
        let here = Notebook::open_or_create(path)?;
        let there = Notebook::open_existing(path.with_file_name("there.db"))?;
        acknowledged.runs.push(RunId(1));
        acknowledged.cells.extend([CellId(1), CellId(2)]);
        acknowledged.runs.extend(here.import_runs(&there, &[RunId(1)])?);
        acknowledged.cells.extend(here.cells(RunId(2))?.iter().map(|cell| cell.id));
        here.close()
    };
    let examine = |notebook: &Notebook, _: &Acknowledged| {
        for run in notebook.runs().unwrap() {
            for (number, cell) in (1..).zip(notebook.cells(run.id).unwrap()) {
                assert_eq!(notebook.measurements(cell.id).unwrap(), record(number).measurements);
                assert_eq!(notebook.histograms(cell.id).unwrap(), record(number).histograms);
            }
        }
    };
    sweep("importing a run", prepare, import, examine);
}

#[test]
fn reading_and_exporting_a_run() {
    let prepare = |place: &Scratch| record_a_run(&place.notebook(), &mut Acknowledged::default()).unwrap();
    let read = |path: &Path, acknowledged: &mut Acknowledged| {
        let notebook = Notebook::open_existing(path)?;
        acknowledged.cells.extend([CellId(1), CellId(2)]);
        let mut text = Vec::new();
        notebook.export_json_lines(RunId(1), &mut text)?;
        // A caller without an error has all of it.
        assert!(text.len() > 10_000 && text.ends_with(b"\n"), "{}", text.len());
        Ok(())
    };
    sweep("reading and exporting a run", prepare, read, whole_and_resumable);
}

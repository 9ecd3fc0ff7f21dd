//! Trying cells again: old records stay, readers see the latest attempt.

use crate::support::{beds, measurement, new_run, plan, record};
use notebook::{CellRecord, CellState, Notebook, NotebookError, RunState};
use words::Reason;

#[test]
fn unfinished_cells_are_tried_again_and_finished_ones_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    let notebook = Notebook::open_or_create(&path).unwrap();
    let run = notebook.start_run(&new_run(), &beds(), &plan(5)).unwrap();
    let ids: Vec<_> = notebook.cells(run).unwrap().iter().map(|cell| cell.id).collect();
    let ended_as = |state, value| CellRecord {
        state,
        reasons: Reason::error("drive failed").into(),
        measurements: vec![measurement("nopm", value, "1/min")],
        ..CellRecord::default()
    };
    notebook.record_cell(ids[0], &record(1)).unwrap();
    notebook.record_cell(ids[1], &ended_as(CellState::Invalid, 1.0)).unwrap();
    notebook.record_cell(ids[2], &ended_as(CellState::Interrupted, 2.0)).unwrap();
    notebook.begin_cell(ids[3]).unwrap();
    notebook.finish_run(run, RunState::Interrupted).unwrap();
    drop(notebook);

    let notebook = Notebook::open_existing(&path).unwrap();
    assert_eq!(notebook.measurement(ids[2], "nopm").unwrap(), Some(2.0), "what was measured is kept");
    assert_eq!(notebook.reset_unfinished(run).unwrap(), 3);
    assert_eq!(notebook.run(run).unwrap().state, RunState::Running);
    let states: Vec<_> = notebook.cells(run).unwrap().iter().map(|cell| (cell.state, cell.attempt)).collect();
    use CellState::{Done, Planned};
    assert_eq!(states, [(Done, 1), (Planned, 2), (Planned, 2), (Planned, 2), (Planned, 1)]);
    assert_eq!(notebook.measurement(ids[2], "nopm").unwrap(), None, "the new attempt has measured nothing");
    assert_eq!(notebook.reset_unfinished(run).unwrap(), 0, "resetting twice adds nothing");

    notebook.begin_cell(ids[2]).unwrap();
    notebook.record_cell(ids[2], &ended_as(CellState::Done, 3.0)).unwrap();
    assert_eq!(notebook.measurement(ids[2], "nopm").unwrap(), Some(3.0));
    notebook.verify().unwrap();
    drop(notebook);

    let file = rusqlite::Connection::open(&path).unwrap();
    let history: Vec<(i64, String, Option<String>)> = file
        .prepare("SELECT number, state, reason FROM attempt WHERE cell = ?1 ORDER BY number")
        .unwrap()
        .query_map([ids[3].0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(history[0].1, "interrupted");
    assert!(history[0].2.as_ref().unwrap().contains("ended before"), "{history:?}");
    let kept: i64 = file
        .query_row(
            "SELECT count(*) FROM measurement WHERE value IN (1.0, 2.0) AND metric IN
        (SELECT id FROM metric WHERE name = 'nopm')",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(kept, 2, "the records of superseded attempts stay in the file");
}

#[test]
fn a_cell_goes_from_planned_to_running_to_ended_and_no_other_way() {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open_or_create(dir.path().join("a.db")).unwrap();
    let run = notebook.start_run(&new_run(), &beds(), &plan(2)).unwrap();
    let cell = notebook.cells(run).unwrap()[0].id;
    let running = CellRecord { state: CellState::Running, ..CellRecord::default() };
    assert!(matches!(notebook.record_cell(cell, &running), Err(NotebookError::WrongState { .. })));
    notebook.begin_cell(cell).unwrap();
    assert!(matches!(notebook.begin_cell(cell), Err(NotebookError::WrongState { .. })));
    notebook.record_cell(cell, &record(1)).unwrap();
    assert!(matches!(notebook.record_cell(cell, &record(2)), Err(NotebookError::WrongState { .. })));
    assert!(matches!(notebook.begin_cell(cell), Err(NotebookError::WrongState { .. })));
    assert_eq!(notebook.measurement(cell, "metric_0").unwrap(), Some(1.0), "the first record stands");
    let nowhere = notebook::CellId(99);
    assert!(matches!(notebook.begin_cell(nowhere), Err(NotebookError::NoSuchCell { .. })));
    assert!(matches!(notebook.series(nowhere), Err(NotebookError::NoSuchCell { .. })));
}

#[test]
fn a_record_that_contradicts_itself_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open_or_create(dir.path().join("a.db")).unwrap();
    let run = notebook.start_run(&new_run(), &beds(), &plan(1)).unwrap();
    let cell = notebook.cells(run).unwrap()[0].id;
    let mut twice = record(1);
    twice.measurements.push(measurement("metric_0", 0.0, "ms"));
    let refusal = notebook.record_cell(cell, &twice).unwrap_err().to_string();
    assert!(refusal.contains("`metric_0` occurs twice"), "{refusal}");
    let mut no_end = record(1);
    no_end.phases[0].end_s = f64::NAN;
    assert!(matches!(notebook.record_cell(cell, &no_end), Err(NotebookError::BadRecord { .. })));
    assert!(notebook.measurements(cell).unwrap().is_empty());
    notebook.record_cell(cell, &record(1)).unwrap();
}

#[test]
fn what_was_measured_cannot_be_changed_even_from_outside() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    let notebook = Notebook::open_or_create(&path).unwrap();
    let run = notebook.start_run(&new_run(), &beds(), &plan(1)).unwrap();
    notebook.record_cell(notebook.cells(run).unwrap()[0].id, &record(1)).unwrap();
    drop(notebook);
    let file = rusqlite::Connection::open(&path).unwrap();
    for table in ["measurement", "series", "histogram", "phase", "event", "attempt"] {
        let refusal = file.execute(&format!("DELETE FROM {table}"), []).unwrap_err().to_string();
        assert!(refusal.contains("never removed"), "{table}: {refusal}");
    }
    for change in [
        "UPDATE measurement SET value = 1e9",
        "UPDATE series SET start_s = 1",
        "UPDATE histogram SET encoded = x''",
        "UPDATE phase SET end_s = 9",
        "UPDATE event SET count = 0",
        "UPDATE attempt SET state = 'done'",
    ] {
        let refusal = file.execute(change, []).unwrap_err().to_string();
        assert!(refusal.contains("never changed"), "{change}: {refusal}");
    }
}

#[test]
fn a_run_that_nobody_works_on_was_killed_and_one_that_failed_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    let state = |run| Notebook::open_existing(&path).unwrap().run(run).unwrap().state;
    let states = || -> Vec<RunState> {
        Notebook::open_existing(&path).unwrap().runs().unwrap().iter().map(|run| run.state).collect()
    };
    let writer = Notebook::open_or_create(&path).unwrap();
    let first = writer.start_run(&new_run(), &beds(), &plan(1)).unwrap();
    assert_eq!(state(first), RunState::Running, "another reader sees that it is worked on");
    drop(writer); // As a kill does: nothing says how the run ended.
    assert_eq!(state(first), RunState::Killed);
    let writer = Notebook::open_or_create(&path).unwrap();
    assert_eq!(state(first), RunState::Killed, "somebody writes, but works on no run");
    let second = writer.start_run(&new_run(), &beds(), &plan(1)).unwrap();
    assert_eq!(states(), [RunState::Killed, RunState::Running]);
    writer.fail_run(second, "no connection").unwrap();
    assert_eq!(states(), [RunState::Killed, RunState::Failed]);
    let notes = writer.notes(second).unwrap();
    assert!(notes.iter().any(|note| note.kind == "error" && note.text == "no connection"), "{notes:?}");
    writer.reset_unfinished(first).unwrap();
    assert_eq!(states(), [RunState::Running, RunState::Failed]);
    assert!(writer.finish_run(first, RunState::Killed).is_err(), "that is told, and never stored");
}

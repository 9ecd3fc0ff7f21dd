//! A process that records cells is killed at random moments; the notebook must open, be sound, hold every
//! cell whose recording had returned, and no cell in part.
//!
//! The test is its own victim: started with [`VICTIM`] it records until it is killed. A longer trial:
//! `cargo test -p notebook --test kill -- --rounds 500`.
#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test with its place.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use notebook::{CellId, CellState, Notebook, RunId, RunState};
use support::{beds, new_run, plan, record};

const VICTIM: &str = "record-until-killed";
const ROUNDS: u32 = 20;
const CELLS: u32 = 120;
const LONGEST_LIFE_MS: u64 = 120;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [mode, path] if mode == VICTIM => victim(Path::new(path)),
        // Test runners that ask for the list of tests get an empty one.
        _ if arguments.iter().any(|argument| argument == "--list") => {}
        [option, rounds] if option == "--rounds" => killer(rounds.parse().unwrap()),
        _ => killer(ROUNDS),
    }
}

/// Starts or resumes a run and records its cells, saying so line by line, until it is killed.
fn victim(path: &Path) {
    let notebook = Notebook::open_or_create(path).unwrap();
    let mut out = std::io::stdout();
    loop {
        let run = unfinished_run(&notebook)
            .unwrap_or_else(|| notebook.start_run(&new_run(), &beds(), &plan(CELLS)).unwrap());
        notebook.reset_unfinished(run).unwrap();
        for cell in notebook.cells(run).unwrap() {
            if cell.state == CellState::Planned {
                notebook.begin_cell(cell.id).unwrap();
                notebook.record_cell(cell.id, &record(cell.id.0)).unwrap();
                writeln!(out, "{}", cell.id).unwrap();
                out.flush().unwrap();
            }
        }
        notebook.finish_run(run, RunState::Finished).unwrap();
    }
}

fn unfinished_run(notebook: &Notebook) -> Option<RunId> {
    notebook.runs().unwrap().into_iter().find(|run| run.state != RunState::Finished).map(|run| run.id)
}

fn killer(rounds: u32) {
    let mut left = rounds;
    while left > 0 {
        // A fresh notebook now and then: its creation is killed too, and examining it stays quick.
        trial(left.min(ROUNDS));
        left -= left.min(ROUNDS);
    }
}

fn trial(rounds: u32) {
    let seed = testkit::seed();
    let mut random = ground::Random::new(seed);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    let mut acknowledged: Vec<CellId> = Vec::new();
    for round in 0..rounds {
        let life = Duration::from_micros(random.below(LONGEST_LIFE_MS * 1_000));
        acknowledged.extend(live_and_die(&path, life));
        examine(&path, &acknowledged, &format!("seed {seed}, round {round}, life {life:?}"));
    }
    // The last round of a test in which nothing was ever recorded would prove nothing.
    while acknowledged.is_empty() {
        acknowledged.extend(live_and_die(&path, Duration::from_secs(1)));
    }
    complete(&path);
}

/// Lets a victim live for a while and kills it; gives the cells it said it had recorded.
fn live_and_die(path: &Path, life: Duration) -> Vec<CellId> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([VICTIM.as_ref(), path.as_os_str()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let output = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        lines.filter_map(|line| line.parse().ok().map(CellId)).collect::<Vec<_>>()
    });
    std::thread::sleep(life);
    child.kill().unwrap();
    let end = child.wait_with_output().unwrap();
    assert!(!end.status.success() && end.stderr.is_empty(), "{}", String::from_utf8_lossy(&end.stderr));
    reader.join().unwrap()
}

fn examine(path: &Path, acknowledged: &[CellId], context: &str) {
    // Killed before its creation was complete, it is no notebook yet and can be made one.
    let notebook = Notebook::open_or_create(path).unwrap_or_else(|error| panic!("{context}: {error}"));
    notebook.verify().unwrap_or_else(|error| panic!("{context}: {error}"));
    for &cell in acknowledged {
        assert_eq!(notebook.cell(cell).unwrap().state, CellState::Done, "{context}: cell {cell} was lost");
    }
    let mut running = 0;
    for run in notebook.runs().unwrap() {
        for cell in notebook.cells(run.id).unwrap() {
            running += u32::from(cell.state == CellState::Running);
            let whole = record(cell.id.0);
            let measurements = notebook.measurements(cell.id).unwrap();
            if cell.state == CellState::Done {
                assert_eq!(measurements, whole.measurements, "{context}: cell {}", cell.id);
                assert_eq!(notebook.phases(cell.id).unwrap(), whole.phases, "{context}: cell {}", cell.id);
                assert_eq!(notebook.events(cell.id).unwrap(), whole.events, "{context}: cell {}", cell.id);
                assert_eq!(notebook.series(cell.id).unwrap(), whole.series, "{context}: cell {}", cell.id);
                assert_eq!(
                    notebook.histograms(cell.id).unwrap(),
                    whole.histograms,
                    "{context}: cell {}",
                    cell.id
                );
            } else {
                assert!(
                    measurements.is_empty(),
                    "{context}: cell {} is {} and holds a part",
                    cell.id,
                    cell.state
                );
            }
        }
    }
    assert!(running <= 1, "{context}: {running} cells were running");
    notebook.close().unwrap_or_else(|error| panic!("{context}: {error}"));
}

/// After all kills the run can still be completed, and the file is one file.
fn complete(path: &Path) {
    let notebook = Notebook::open_existing(path).unwrap();
    if let Some(run) = unfinished_run(&notebook) {
        notebook.reset_unfinished(run).unwrap();
        for cell in notebook.cells(run).unwrap() {
            if cell.state == CellState::Planned {
                notebook.record_cell(cell.id, &record(cell.id.0)).unwrap();
            }
        }
        notebook.finish_run(run, RunState::Finished).unwrap();
    }
    assert!(notebook.runs().unwrap().iter().all(|run| run.cells_done == run.cells_planned));
    notebook.verify().unwrap();
    notebook.close().unwrap();
    let beside = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(beside, 1, "the write-ahead log and the lock are gone");
}

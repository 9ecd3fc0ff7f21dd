//! A load that ran by itself is kept as the conductor keeps a cell of the same experiment.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use block::{Control, EngineKind, Job, ModelledDrive, Outcome, Pattern, Shape, SizeMix, Stream, Target};
use ground::Clock;
use lab::{Interrupt, Load, Request, Silent, Single};
use notebook::{CellState, Notebook, RunId, RunState};
use words::{EventKind, LimiterFigures, NoteKind, Remark};

const DRIVE: &str = "kingston-dc1500m-960g";
const RATE: f64 = 2000.0;
const TEXT: &str = r#"
schema = 1
title = "randread at 2,000 IOPS"
[[bed]]
name = "target"
storage = { emulated = "kingston-dc1500m-960g", path = "/" }
[[workload]]
kind = "block"
size = "1GiB"
rate = [2000]
ramp_up = "1s"
measure = "2s"
[[workload.stream]]
read = "100%"
block_size = "4KiB"
[design]
repeats = 1
"#;

fn request(clock: &Clock) -> Request {
    Request { name: DRIVE.to_owned(), ..crate::request(TEXT, 7, clock.clone()) }
}

fn clock() -> Clock {
    Clock::virtual_from(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000))
}

fn load(clock: &Clock) -> (Outcome, EngineKind) {
    let drive = ModelledDrive::new(&device::catalogue::find(DRIVE).unwrap().spec, 7);
    let engine = EngineKind::Modelled(drive);
    let stream = Stream::new("stream-1", Pattern::Uniform, 1.0, SizeMix::fixed(4096));
    let shape = Shape::OpenLoop { rate: RATE, depth_max: 1024, arrivals: block::Arrivals::Poisson };
    let mut job = Job::new(stream, shape, engine.clone(), Target::AddressSpace { size_bytes: 1 << 30 });
    (job.ramp_up, job.measure) = (Duration::from_secs(1), Duration::from_secs(2));
    (block::run(&job, &Control::on(clock)).unwrap(), engine)
}

/// The names of everything that is kept of the one cell of a run.
fn kept(notebook: &Notebook, run: RunId) -> BTreeSet<String> {
    let cell = notebook.cells(run).unwrap().remove(0);
    let mut names = BTreeSet::from([format!("state {}", cell.state), format!("limiter {:?}", cell.limiter)]);
    names.extend(notebook.measurements(cell.id).unwrap().into_iter().map(|m| format!("metric {}", m.metric)));
    names.extend(notebook.series(cell.id).unwrap().into_iter().map(|s| format!("series {}", s.metric)));
    names.extend(notebook.phases(cell.id).unwrap().into_iter().map(|p| format!("phase {}", p.name)));
    names.extend(
        notebook.histograms(cell.id).unwrap().into_iter().map(|(name, _)| format!("histogram {name}")),
    );
    names.extend(notebook.fact_sets(run).unwrap().into_iter().map(|(scope, _)| format!("facts {scope}")));
    names.extend(notebook.notes(run).unwrap().into_iter().map(|note| format!("note {}", note.text)));
    names
}

#[test]
fn its_records_are_those_of_a_conducted_cell() {
    let mut notebook = Notebook::in_memory().unwrap();
    let clock = clock();
    let single = Single::begin(request(&clock), "block --drive dc1500m".to_owned(), true).unwrap();
    let (outcome, engine) = load(&clock);
    let load = Load {
        outcome: &outcome,
        engine: &engine,
        due_for: None,
        processors: None,
        remarks: Vec::new(),
        events: Vec::new(),
    };
    let finished = single.keep(&load, &mut notebook).unwrap();
    assert_eq!((finished.state, finished.done, finished.left), (RunState::Finished, 1, 0));
    let cell = notebook.cells(finished.run).unwrap().remove(0);
    assert_eq!(cell.state, CellState::Done, "{:?}", cell.reasons);
    let Some(LimiterFigures::WorkersPaced { asked_iops, .. }) = cell.limiter_figures else {
        panic!("{cell:?}")
    };
    assert_eq!((asked_iops, cell.level), (RATE, RATE));
    // It began before it was kept.
    let run = notebook.run(finished.run).unwrap();
    assert_eq!(run.started_at, "2001-09-09T01:46:40.000Z");
    assert!(run.ended_at.unwrap().starts_with("2001-09-09T01:46:43."));
    let conducted = {
        let clock = self::clock();
        lab::run(&request(&clock), &mut notebook, &Interrupt::default(), &Silent).unwrap().run
    };
    let (mut alone, mut conducted) = (kept(&notebook, finished.run), kept(&notebook, conducted));
    assert!(alone.remove("facts command"));
    // The floor of the layer under files, which a load without files does not use.
    conducted.remove("facts floor:target");
    assert_eq!(alone, conducted);
}

#[test]
fn a_stopped_load_keeps_its_figures_and_cannot_be_resumed() {
    let mut notebook = Notebook::in_memory().unwrap();
    let clock = clock();
    let single = Single::begin(request(&clock), "block --drive dc1500m".to_owned(), false).unwrap();
    let (outcome, engine) = load(&clock);
    let outcome = Outcome { ended: block::Ended::Stopped, ..outcome };
    let remark = Remark::Told { text: "a remark".to_owned() };
    let load = Load {
        outcome: &outcome,
        engine: &engine,
        due_for: None,
        processors: None,
        remarks: vec![(NoteKind::Warning, remark)],
        events: vec![(EventKind::Trace, "a trace".into())],
    };
    let finished = single.keep(&load, &mut notebook).unwrap();
    assert_eq!((finished.state, finished.left), (RunState::Interrupted, 1));
    let names = kept(&notebook, finished.run);
    for name in ["state interrupted", "metric iops", "note a remark"] {
        assert!(names.contains(name), "{name}: {names:?}");
    }
    let cell = notebook.cells(finished.run).unwrap().remove(0);
    assert!(notebook.events(cell.id).unwrap().iter().any(|event| event.message == "a trace"));
    let error = lab::require_experiment(&notebook, finished.run);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("nothing to resume") && error.contains("block --drive dc1500m"), "{error}");
}

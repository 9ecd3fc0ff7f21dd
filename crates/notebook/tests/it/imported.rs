//! Runs that another program measured, and series of other programs beside cells.

use measure::{Histogram, Series};
use notebook::{
    Bed, CellRecord, CellState, Facts, ImportedCell, ImportedRun, Labels, Measurement, Notebook,
    NotebookError, Phase, PlannedCell, RunId, RunPlan, RunState, SeriesAdded, Tag,
};
use words::{Latency, NoteKind, PhaseName, Realm, Remark, WorkloadKind};

fn cell(level: f64, started_at: &str) -> ImportedCell {
    let mut latency = Histogram::new();
    latency.record(1000);
    ImportedCell {
        plan: PlannedCell {
            workload: "reads".to_owned(),
            level,
            level_name: "depth".to_owned(),
            kind: WorkloadKind::Block,
            ..PlannedCell::default()
        },
        record: CellRecord {
            state: CellState::Done,
            phases: vec![Phase { name: PhaseName::Measure.into(), start_s: 0.0, end_s: 3.0 }],
            measurements: vec![Measurement {
                metric: "iops".to_owned(),
                value: level * 100.0,
                unit: "1/s".to_owned(),
            }],
            series: vec![Series::new("iops", "1/s", 0.0, vec![1.0, 2.0, 3.0])],
            histograms: vec![(Latency::Answer.into(), latency)],
            ..CellRecord::default()
        },
        started_at: started_at.to_owned(),
        ended_at: "2026-11-25T10:00:09.000Z".to_owned(),
    }
}

fn imported(mark: u64, started_at: &str) -> ImportedRun {
    ImportedRun {
        plan: RunPlan {
            name: "fio-3.33".to_owned(),
            tool_version: "fio 3.33".to_owned(),
            ..ImportedRun::plan_of(&mark.to_le_bytes(), "A test", &toml::Table::new())
        },
        bed: Bed { name: "fio".to_owned(), realm: Realm::Imported.into(), ..Bed::default() },
        started_at: started_at.to_owned(),
        ended_at: "2026-11-25T10:00:09.000Z".to_owned(),
        cells: vec![cell(1.0, started_at), cell(8.0, started_at)],
        facts: vec![("host".to_owned(), Facts::from([("cpu.model".to_owned(), "x".to_owned())]))],
        notes: vec![(NoteKind::Warning, Remark::ImportedFioLatency)],
    }
}

const START: &str = "2026-11-25T10:00:00.000Z";

#[test]
fn an_imported_run_reads_as_it_was_given_with_its_own_times() {
    let dir = tempfile::tempdir().unwrap();
    let mut notebook = Notebook::open_or_create(dir.path().join("a.db")).unwrap();
    notebook.label_next_run(Labels { tags: vec![Tag::new("lab").unwrap()], ..Labels::default() });
    let given = imported(7, START);
    assert_eq!(notebook.add_imported(&given).unwrap(), (RunId(1), false));
    let run = notebook.run(RunId(1)).unwrap();
    assert_eq!(
        (run.state, run.realm.as_str(), run.started_at.as_str()),
        (RunState::Finished, "imported", START)
    );
    assert_eq!(run.ended_at.as_deref(), Some("2026-11-25T10:00:09.000Z"));
    assert_eq!(notebook.tags(RunId(1)).unwrap()[0].as_str(), "lab");
    let cells = notebook.cells(RunId(1)).unwrap();
    assert_eq!((cells.len(), cells[1].level, cells[1].state), (2, 8.0, CellState::Done));
    assert_eq!(cells[1].started_at.as_deref(), Some(START));
    assert_eq!(notebook.measurement(cells[1].id, "iops").unwrap(), Some(800.0));
    assert_eq!(notebook.series(cells[0].id).unwrap()[0].values, [1.0, 2.0, 3.0]);
    assert_eq!(notebook.histogram(cells[0].id, Latency::Answer).unwrap().unwrap().len(), 1);
    assert_eq!(notebook.notes(RunId(1)).unwrap()[0].remark, Some(Remark::ImportedFioLatency));
    assert_eq!(notebook.fact_sets(RunId(1)).unwrap()[0].1["cpu.model"], "x");
    notebook.verify().unwrap();
}

#[test]
fn the_same_content_is_one_run_in_every_notebook_whenever_it_is_said_to_have_begun() {
    let dir = tempfile::tempdir().unwrap();
    let [here, there] = ["a.db", "b.db"].map(|name| Notebook::open_or_create(dir.path().join(name)).unwrap());
    here.add_imported(&imported(7, START)).unwrap();
    let later = imported(7, "2026-11-25T19:00:00.000Z");
    assert_eq!(here.add_imported(&later).unwrap(), (RunId(1), true));
    assert_eq!(there.add_imported(&later).unwrap(), (RunId(1), false));
    let key = |notebook: &Notebook, run| notebook.run(run).unwrap().key();
    assert_eq!(key(&here, RunId(1)), key(&there, RunId(1)));
    assert_eq!(here.runs().unwrap()[0].key, key(&here, RunId(1)));
    assert_eq!(
        here.import_runs(&there, &[RunId(1)]).unwrap(),
        [RunId(1)],
        "nor copied from another notebook"
    );
    assert_eq!(here.add_imported(&imported(8, START)).unwrap(), (RunId(2), false));
    let copied = there.import_runs(&here, &[RunId(2)]).unwrap();
    assert_eq!(key(&there, copied[0]), key(&here, RunId(2)));
    assert_eq!(here.find_runs(key(&here, RunId(2)).as_str()).unwrap().first(), Some(&RunId(2)));
}

#[test]
fn a_record_that_cannot_be_stores_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open_or_create(dir.path().join("a.db")).unwrap();
    let mut twice = imported(7, START);
    let again = twice.cells[1].record.measurements[0].clone();
    twice.cells[1].record.measurements.push(again);
    assert!(matches!(notebook.add_imported(&twice), Err(NotebookError::BadRecord { .. })));
    assert!(notebook.runs().unwrap().is_empty());
    notebook.add_imported(&imported(7, START)).unwrap();
}

#[test]
fn series_are_added_beside_cells_that_have_ended_and_never_changed() {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open_or_create(dir.path().join("a.db")).unwrap();
    let (run, _) = notebook.add_imported(&imported(7, START)).unwrap();
    let cells = notebook.cells(run).unwrap();
    let facts = Facts::from([("zone".to_owned(), "UTC".to_owned())]);
    let source = ("beside:sar.csv", &facts);
    let series = |value: f64| Series::new(r"beside:\\h\CPU(all)\%user", "%", 0.0, vec![value, f64::NAN]);
    let both = [(cells[0].id, vec![series(1.0)]), (cells[1].id, vec![series(2.0)])];
    assert_eq!(notebook.add_series(run, &both, source).unwrap(), SeriesAdded { added: 2, known: 0 });
    assert_eq!(notebook.add_series(run, &both, source).unwrap(), SeriesAdded { added: 0, known: 2 });
    assert_eq!(notebook.series(cells[1].id).unwrap()[1].values[0], 2.0);
    assert_eq!(
        notebook.fact_sets(run).unwrap().iter().filter(|(scope, _)| scope == "beside:sar.csv").count(),
        1
    );
    // One of them is another: neither is added.
    let other = [(cells[0].id, vec![Series::new("beside:x", "", 0.0, vec![1.0]), series(9.0)])];
    let refused = notebook.add_series(run, &other, source).unwrap_err().to_string();
    assert!(refused.contains(r"cell 1 already has another series `beside:\\h\CPU(all)\%user`"), "{refused}");
    assert_eq!(notebook.series(cells[0].id).unwrap().len(), 2);
    notebook.verify().unwrap();
    notebook.remove_run(run).unwrap();
    let plan = RunPlan { name: "own".to_owned(), ..RunPlan::default() };
    let bed = Bed { name: "b".to_owned(), ..Bed::default() };
    let planned = PlannedCell { bed: "b".to_owned(), ..PlannedCell::default() };
    let own = notebook.start_run(&plan, &[bed], &[planned]).unwrap();
    let open = notebook.cells(own).unwrap()[0].id;
    let refused = notebook.add_series(own, &[(open, vec![series(1.0)])], source);
    assert!(matches!(refused, Err(NotebookError::WrongState { .. })), "{refused:?}");
}

//! A notebook returns all that was stored in it.

use std::collections::BTreeMap;

use crate::support::{beds, measurement, new_run, plan, record};
use measure::Series;
use notebook::{
    Bed, CellRecord, CellState, Notebook, NotebookError, PlannedCell, PublishedNumber, RunId, RunPlan,
    RunState, SCHEMA_VERSION,
};
use proptest::prelude::*;
use words::{Latency, LimiterFigures, Reason, Reasons};

fn fresh() -> (tempfile::TempDir, Notebook) {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open_or_create(dir.path().join("a.db")).unwrap();
    (dir, notebook)
}

#[test]
fn a_run_comes_back_as_it_was_planned() {
    let (_dir, notebook) = fresh();
    assert_eq!(notebook.latest_run().unwrap(), None);
    let id = notebook.start_run(&new_run(), &beds(), &plan(12)).unwrap();
    let run = notebook.run(id).unwrap();
    assert_eq!((run.seed, run.scale, run.state), (u64::MAX, 1.0 / 60.0, RunState::Running));
    assert_eq!(run.treatment, ["storage", "memory"]);
    assert_eq!((run.order.as_str(), run.ended_at.clone()), ("interleaved", None));
    assert!(run.started_at.ends_with('Z') && run.started_at.len() == 24, "{}", run.started_at);
    let beds = notebook.beds(id).unwrap();
    assert_eq!((beds[0].name.as_str(), beds[0].label.as_deref()), ("nvme", Some("NVMe")));
    assert_eq!(beds[1].facts["cpu"], "Xeon \"Gold\", 6252");
    let cells = notebook.cells(id).unwrap();
    assert_eq!(cells.len(), 12);
    assert!(cells.iter().zip(0_u32..).all(|(cell, position)| cell.position == position));
    assert!(cells.iter().all(|cell| cell.state == CellState::Planned && cell.attempt == 1));
    assert_eq!((cells[3].bed.as_str(), cells[3].level, cells[7].repeat), ("sata", 2.0, 1));
}

#[test]
fn a_cell_comes_back_as_it_was_recorded() {
    let (_dir, notebook) = fresh();
    let run = notebook.start_run(&new_run(), &beds(), &plan(2)).unwrap();
    let cell = notebook.cells(run).unwrap()[0].id;
    notebook.begin_cell(cell).unwrap();
    assert_eq!(notebook.cell(cell).unwrap().state, CellState::Running);
    let written = record(7);
    notebook.record_cell(cell, &written).unwrap();
    let read = notebook.cell(cell).unwrap();
    assert_eq!((read.state, read.limiter.as_deref()), (CellState::Done, Some("drive")));
    assert_eq!(read.limiter_figures, written.limiter_figures);
    assert!(read.started_at.as_ref().unwrap() <= read.ended_at.as_ref().unwrap());
    assert_eq!(notebook.measurements(cell).unwrap(), written.measurements);
    assert_eq!(notebook.measurement(cell, "metric_3").unwrap(), Some(10.0));
    assert_eq!(notebook.measurement(cell, "none").unwrap(), None);
    assert_eq!(notebook.phases(cell).unwrap(), written.phases);
    assert_eq!(notebook.events(cell).unwrap(), written.events);
    assert_eq!(notebook.series(cell).unwrap(), written.series);
    assert_eq!(notebook.histograms(cell).unwrap(), written.histograms);
    assert_eq!(notebook.histogram(cell, Latency::Answer).unwrap().as_ref(), Some(&written.histograms[0].1));
    assert!(notebook.histogram(cell, Latency::Payment).unwrap().is_none());
    assert!(notebook.measurements(notebook.cells(run).unwrap()[1].id).unwrap().is_empty());
    notebook.verify().unwrap();
}

#[test]
fn a_metric_without_a_value_costs_no_cell() {
    let (_dir, notebook) = fresh();
    let run = notebook.start_run(&new_run(), &beds(), &plan(1)).unwrap();
    let cell = notebook.cells(run).unwrap()[0].id;
    let measurements = vec![measurement("tpm", f64::NAN, "1/min"), measurement("nopm", 5.0, "1/min")];
    let values = vec![1.0, f64::NAN, f64::INFINITY];
    let series = vec![Series { metric: "tpm".into(), unit: "1/min".into(), start_s: 0.0, values }];
    let slow = LimiterFigures::ModelPaced { iops: f64::NAN, asked_iops: 5.0 };
    let silent = Reason::Silent { error: "timed out".into() }.of_instance(1);
    let reasons: Reasons = [silent, Reason::NothingCompleted].into_iter().collect();
    let written = CellRecord {
        state: CellState::Invalid,
        reasons: reasons.clone(),
        limiter_figures: Some(slow),
        measurements,
        series,
        ..CellRecord::default()
    };
    notebook.record_cell(cell, &written).unwrap();
    let read = notebook.cell(cell).unwrap();
    assert_eq!(read.reasons, reasons);
    let told = LimiterFigures::Told { text: "- of 5 IOPS requested".into() };
    assert_eq!(read.limiter_figures, Some(told), "no JSON holds it, its sentence does");
    assert_eq!(notebook.measurement(cell, "tpm").unwrap(), None);
    assert_eq!(notebook.measurement(cell, "nopm").unwrap(), Some(5.0));
    let events = notebook.events(cell).unwrap();
    assert_eq!((events.len(), events[0].kind.name()), (1, "unmeasurable"));
    assert!(events[0].message.contains("tpm"), "{}", events[0].message);
    let values = notebook.series(cell).unwrap().remove(0).values;
    assert!(values[1].is_nan() && values[2].is_nan() && values[0] == 1.0);
}

#[test]
fn what_surrounds_a_run_is_kept() {
    let (_dir, notebook) = fresh();
    let run = notebook.start_run(&new_run(), &beds(), &[]).unwrap();
    let facts = |release: &str| BTreeMap::from([("kernel.release".to_owned(), release.to_owned())]);
    notebook.add_fact_set(run, "host", &facts("6.1")).unwrap();
    notebook.add_fact_set(run, "bed:nvme", &facts("x")).unwrap();
    notebook.add_fact_set(run, "host", &facts("6.1")).unwrap();
    assert_eq!(notebook.fact_set_history(run).unwrap().len(), 2, "the same facts again add nothing");
    notebook.add_fact_set(run, "host", &facts("6.9")).unwrap();
    let sets = notebook.fact_sets(run).unwrap();
    assert_eq!(sets, [("host".to_owned(), facts("6.9")), ("bed:nvme".to_owned(), facts("x"))]);
    assert_eq!(
        notebook.fact_set_history(run).unwrap()[0].facts,
        facts("6.1"),
        "the older facts stay on record"
    );

    notebook.add_note(run, words::NoteKind::Disclaimer, "derived from TPC-C").unwrap();
    notebook.add_note(run, words::NoteKind::Disclaimer, "derived from TPC-C").unwrap();
    assert_eq!(notebook.notes(run).unwrap().len(), 1);

    let number =
        PublishedNumber { id: "t2-nopm".into(), value: 1463.29, unit: "1/min".into(), ..Default::default() };
    notebook.add_published(run, std::slice::from_ref(&number)).unwrap();
    assert_eq!(notebook.published(run).unwrap(), [number]);
}

#[test]
fn runs_are_listed_counted_and_found() {
    let (_dir, notebook) = fresh();
    let first = notebook.start_run(&new_run(), &beds(), &plan(3)).unwrap();
    let second = notebook.start_run(&new_run(), &beds(), &[]).unwrap();
    let cell = notebook.cells(first).unwrap()[1].id;
    notebook.record_cell(cell, &record(1)).unwrap();
    notebook.finish_run(first, RunState::Interrupted).unwrap();
    let runs = notebook.runs().unwrap();
    assert_eq!((runs[0].cells_done, runs[0].cells_planned, runs[0].state), (1, 3, RunState::Interrupted));
    assert_eq!((runs[1].cells_done, runs[1].cells_planned, runs[1].id), (0, 0, second));
    assert!(notebook.run(first).unwrap().ended_at.is_some());
    assert_eq!(notebook.find_runs("latest").unwrap().first(), Some(&second));
    assert_eq!(notebook.find_runs("1").unwrap().first(), Some(&first));
    assert_eq!(
        notebook.find_runs("demo").unwrap().first(),
        Some(&second),
        "a name means the latest run of it"
    );
    assert_eq!(notebook.find_runs("other").unwrap(), []);
    assert!(matches!(notebook.run(RunId(9)), Err(NotebookError::NoSuchRun { .. })));
    assert!(matches!(notebook.cells(RunId(9)), Err(NotebookError::NoSuchRun { .. })));
    assert!(matches!(
        notebook.finish_run(RunId(9), RunState::Finished),
        Err(NotebookError::NoSuchRun { .. })
    ));
}

#[test]
fn a_plan_that_contradicts_itself_is_refused_whole() {
    let (_dir, notebook) = fresh();
    let mut unknown_bed = plan(2);
    unknown_bed[1].bed = "tape".into();
    let refusal = notebook.start_run(&new_run(), &beds(), &unknown_bed).unwrap_err().to_string();
    assert!(refusal.contains("`tape`"), "{refusal}");
    let mut same_place = plan(2);
    same_place[1].position = 0;
    assert!(matches!(
        notebook.start_run(&new_run(), &beds(), &same_place),
        Err(NotebookError::BadRecord { .. })
    ));
    let twice = [beds(), beds()].concat();
    assert!(matches!(notebook.start_run(&new_run(), &twice, &[]), Err(NotebookError::BadRecord { .. })));
    assert!(notebook.runs().unwrap().is_empty(), "nothing of a refused plan is stored");
}

#[test]
fn a_notebook_at_rest_is_one_file_of_this_version() {
    let (dir, notebook) = fresh();
    notebook.start_run(&new_run(), &beds(), &plan(2)).unwrap();
    assert!(notebook.is_being_written());
    notebook.close().unwrap();
    let names: Vec<_> =
        std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["a.db"]);
    let reader = Notebook::open_existing(dir.path().join("a.db")).unwrap();
    assert!(!reader.is_being_written());
    assert_eq!(reader.runs().unwrap().len(), 1);
    assert_eq!(SCHEMA_VERSION, 6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_numbers_and_names_survive(
        name in ".{1,20}",
        value in any::<f64>(),
        values in prop::collection::vec(any::<f64>(), 0..50),
        start_s in -1e9..1e9,
    ) {
        let (_dir, notebook) = fresh();
        let run = notebook.start_run(&new_run(), &beds(), &plan(1)).unwrap();
        let cell = notebook.cells(run).unwrap()[0].id;
        let series = Series { metric: name.clone(), unit: "ms".into(), start_s, values };
        let written = CellRecord {
            state: CellState::Done,
            measurements: vec![measurement(&name, value, "ms")],
            series: vec![series.clone()],
            ..CellRecord::default()
        };
        notebook.record_cell(cell, &written).unwrap();
        let read = notebook.series(cell).unwrap().remove(0);
        let bits = |series: &Series| series.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&read), bits(&series));
        prop_assert_eq!((read.metric, read.start_s), (series.metric, series.start_s));
        let expected = value.is_finite().then_some(value);
        prop_assert_eq!(notebook.measurement(cell, &name).unwrap(), expected);
    }
}

#[test]
fn a_notebook_in_memory_keeps_a_run_as_long_as_it_lives() {
    let mut notebook = Notebook::in_memory().unwrap();
    let bed = Bed { name: "target".into(), ..Bed::default() };
    let cell = PlannedCell { bed: "target".into(), ..PlannedCell::default() };
    notebook.date_back(Some(std::time::UNIX_EPOCH + std::time::Duration::from_secs(86_400)));
    let run = notebook.start_run(&RunPlan::default(), &[bed], &[cell]).unwrap();
    let cell = notebook.cells(run).unwrap()[0].id;
    notebook.begin_cell(cell).unwrap();
    notebook.date_back(None);
    notebook.record_cell(cell, &CellRecord { state: CellState::Done, ..CellRecord::default() }).unwrap();
    notebook.finish_run(run, RunState::Finished).unwrap();
    let stored = notebook.run(run).unwrap();
    // It happened before it was kept.
    assert_eq!((stored.state, stored.started_at.as_str()), (RunState::Finished, "1970-01-02T00:00:00.000Z"));
    assert!(stored.ended_at.unwrap().as_str() > "2020");
    assert_eq!(notebook.cell(cell).unwrap().started_at.as_deref(), Some("1970-01-02T00:00:00.000Z"));
    assert!(!std::path::Path::new("/memory.db").exists());
}

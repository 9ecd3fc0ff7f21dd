//! Results taken elsewhere say the same as the notebook.

use crate::support::{beds, measurement, new_run, plan, record};
use notebook::{CellRecord, CellState, Notebook, NotebookError, PublishedNumber, RunId};
use serde_json::Value;

fn with_two_cells() -> (tempfile::TempDir, Notebook, RunId) {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open_or_create(dir.path().join("a.db")).unwrap();
    let mut run = new_run();
    run.scale = 0.5;
    let mut beds = beds();
    beds[0].name = "fast, \"new\"".into();
    let mut plan = plan(2);
    plan[0].bed.clone_from(&beds[0].name);
    let run = notebook.start_run(&run, &beds, &plan).unwrap();
    let cells = notebook.cells(run).unwrap();
    let written = CellRecord { measurements: vec![measurement("nopm", 0.1, "1/min")], ..record(1) };
    notebook.record_cell(cells[0].id, &written).unwrap();
    let interrupted = CellRecord {
        state: CellState::Interrupted,
        measurements: vec![measurement("nopm", 1e14, "1/min"), measurement("p99", 2.5, "ms")],
        series: vec![measure::Series {
            metric: "tpm".into(),
            unit: "1/min".into(),
            start_s: 4.5,
            values: vec![1.0, f64::NAN],
        }],
        ..CellRecord::default()
    };
    notebook.record_cell(cells[1].id, &interrupted).unwrap();
    (dir, notebook, run)
}

#[test]
fn csv_has_one_number_a_line() {
    let (_dir, notebook, run) = with_two_cells();
    let mut csv = Vec::new();
    notebook.export_csv(run, &mut csv).unwrap();
    let text = String::from_utf8(csv).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let expected = [
        "run,cell,bed,workload,level,repeat,metric,value,unit,level_name,state,realm,scale",
        "1,1,\"fast, \"\"new\"\"\",tpcc,1,1,nopm,0.1,1/min,virtual users,done,emulated,0.5",
    ];
    assert_eq!(lines[..2], expected);
    assert!(lines[2].starts_with("1,2,sata,tpcc,1,1,nopm,1000000"), "{}", lines[2]);
    assert!(lines[3].ends_with(",p99,2.5,ms,virtual users,interrupted,emulated,0.5"), "{}", lines[3]);
    assert_eq!(lines.len(), 4);
}

#[test]
fn series_csv_puts_every_second_on_the_cell_clock() {
    let (_dir, notebook, run) = with_two_cells();
    let mut csv = Vec::new();
    notebook.export_series_csv(run, &mut csv).unwrap();
    let text = String::from_utf8(csv).unwrap();
    let last: Vec<&str> = text.lines().rev().take(2).collect();
    assert_eq!(last[1], "1,2,sata,tpcc,1,1,tpm,4.5,1,1/min,virtual users,interrupted,emulated,0.5");
    assert_eq!(last[0], "1,2,sata,tpcc,1,1,tpm,5.5,,1/min,virtual users,interrupted,emulated,0.5");
    assert_eq!(text.lines().count(), 1 + 10 * 60 + 2);
}

#[test]
fn json_lines_hold_everything() {
    let (_dir, notebook, run) = with_two_cells();
    notebook.add_note(run, words::NoteKind::Warning, "load average 3").unwrap();
    notebook.add_published(run, &[PublishedNumber { id: "x".into(), ..Default::default() }]).unwrap();
    let facts = std::collections::BTreeMap::from([("a".to_owned(), "b".to_owned())]);
    notebook.add_fact_set(run, "host", &facts).unwrap();
    let mut out = Vec::new();
    notebook.export_json_lines(run, &mut out).unwrap();
    let lines: Vec<Value> =
        String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).collect::<Vec<_>>();
    assert!(lines.iter().all(|line| line["run"] == 1));
    let counts =
        ["run", "bed", "fact_set", "note", "published", "cell", "measurement", "phase", "event", "histogram"]
            .map(|kind| of(kind).len());
    assert_eq!(counts, [1, 2, 1, 1, 1, 2, 3, 2, 1, 2]);
    assert_eq!(of("run")[0]["seed"], u64::MAX);
    assert_eq!(of("fact_set")[0]["facts"]["a"], "b");
    assert_eq!(of("cell")[1]["state"], "interrupted");
    assert_eq!(of("series").last().unwrap()["values"], serde_json::json!([1.0, null]));
    let pairs = of("histogram")[0]["recorded"].as_array().unwrap().clone();
    assert_eq!(pairs.iter().map(|pair| pair[1].as_u64().unwrap()).sum::<u64>(), 199);
    assert!(lines.iter().filter(|line| line["type"] == "measurement").all(|line| line["cell"].is_number()));
}

#[test]
fn a_full_destination_and_an_unknown_run_are_told() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (_dir, notebook, run) = with_two_cells();
    assert!(matches!(notebook.export_csv(run, &mut Full), Err(NotebookError::Export { .. })));
    let mut out = Vec::new();
    assert!(matches!(notebook.export_json_lines(RunId(9), &mut out), Err(NotebookError::NoSuchRun { .. })));
    assert!(out.is_empty());
}

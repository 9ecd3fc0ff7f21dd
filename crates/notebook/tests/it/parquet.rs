//! The wide table as Parquet, read back by the reader of its crate.

use notebook::{
    Bed, CellRecord, CellState, ImportedCell, ImportedRun, Measurement, Notebook, PlannedCell, RunPlan,
};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::RowAccessor as _;

fn cell(level: f64, values: &[(&str, f64, &str)]) -> ImportedCell {
    let measurements = values.iter().map(|(metric, value, unit)| Measurement {
        metric: (*metric).to_owned(),
        value: *value,
        unit: (*unit).to_owned(),
    });
    ImportedCell {
        plan: PlannedCell { workload: "reads, é".to_owned(), level, ..PlannedCell::default() },
        record: CellRecord {
            state: CellState::Done,
            measurements: measurements.collect(),
            ..CellRecord::default()
        },
        started_at: "2026-11-25T10:00:00.000Z".to_owned(),
        ended_at: "2026-11-25T10:00:01.000Z".to_owned(),
    }
}

#[test]
fn the_wide_table_reads_back_with_its_types_and_what_a_cell_lacks_is_null() {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open_or_create(dir.path().join("a.db")).unwrap();
    let run = ImportedRun {
        plan: RunPlan { name: "n".to_owned(), ..ImportedRun::plan_of(&[1], "A test", &toml::Table::new()) },
        bed: Bed { name: "fio".to_owned(), realm: "imported".to_owned(), ..Bed::default() },
        started_at: "2026-11-25T10:00:00.000Z".to_owned(),
        ended_at: "2026-11-25T10:00:01.000Z".to_owned(),
        cells: vec![
            cell(1.0, &[("iops", 100.5, "1/s"), ("latency_p99", 0.25, "ms")]),
            cell(8.0, &[("iops", 800.0, "1/s")]),
        ],
        facts: Vec::new(),
        notes: Vec::new(),
    };
    let (run, _) = notebook.add_imported(&run).unwrap();
    let mut bytes = Vec::new();
    notebook.export_parquet(run, &mut bytes).unwrap();
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let schema = reader.metadata().file_metadata().schema();
    let names: Vec<&str> = schema.get_fields().iter().map(|field| field.name()).collect();
    assert_eq!(
        names,
        [
            "run",
            "cell",
            "bed",
            "workload",
            "level",
            "repeat",
            "level_name",
            "state",
            "realm",
            "scale",
            "iops (1/s)",
            "latency_p99 (ms)"
        ]
    );
    assert!(reader.metadata().file_metadata().created_by().unwrap().starts_with("drivetrain "));
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(|row| row.unwrap()).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(
        (rows[0].get_long(0).unwrap(), rows[0].get_long(1).unwrap(), rows[1].get_long(5).unwrap()),
        (run.0, 1, 1)
    );
    assert_eq!(
        (rows[0].get_string(3).unwrap().as_str(), rows[0].get_string(8).unwrap().as_str()),
        ("reads, é", "imported")
    );
    assert_eq!((rows[1].get_double(4).unwrap(), rows[1].get_double(10).unwrap()), (8.0, 800.0));
    assert_eq!(rows[0].get_double(11).unwrap(), 0.25);
    assert!(rows[1].get_double(11).is_err(), "null is no number");
}

#[test]
fn a_run_without_a_measurement_is_a_table_without_metrics() {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open_or_create(dir.path().join("a.db")).unwrap();
    let bed = Bed { name: "b".to_owned(), ..Bed::default() };
    let cell = PlannedCell { bed: "b".to_owned(), ..PlannedCell::default() };
    let run = notebook.start_run(&RunPlan::default(), &[bed], &[cell]).unwrap();
    let mut bytes = Vec::new();
    notebook.export_parquet(run, &mut bytes).unwrap();
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), 1);
}

//! A value that this program never wrote is named with its place, wherever it is read, and is never a result.

use std::path::Path;

use crate::support::{beds, measurement, new_run, plan, record};
use measure::Series;
use notebook::{Bed, CellRecord, Notebook, NotebookError, Phase, Point, PublishedNumber, RunId};
use words::{Metric, PhaseName, Unit};

/// One value at a time, and what its error has: run, cell, row, column and value.
const DAMAGES: &[(&str, &str)] = &[
    (
        "UPDATE run SET smallest_effect_throughput = 9e999",
        "run 1: run.smallest_effect_throughput holds `inf`",
    ),
    ("UPDATE run SET smallest_effect_p99 = -0.1", "run 1: run.smallest_effect_p99 holds `-0.1`"),
    ("UPDATE run SET scale = 0", "run 1: run.scale holds `0`"),
    ("UPDATE run SET started_at = 'soon'", "run 1: run.started_at holds `soon`, which is no moment"),
    ("UPDATE run SET ended_at = ''", "run 1: run.ended_at holds ``"),
    ("UPDATE run SET state = 'lost'", "run 1: run.state holds `lost`"),
    ("UPDATE cell SET level = -1 WHERE position = 1", "run 1, cell 2: cell.level holds `-1`"),
    ("UPDATE cell SET level = 9e999 WHERE position = 1", "run 1, cell 2: cell.level holds `inf`"),
    ("UPDATE cell SET kind = 'tide' WHERE position = 1", "run 1, cell 2: cell.kind holds `tide`"),
    ("UPDATE attempt SET state = 'lost' WHERE cell = 2", "run 1, cell 2: attempt.state holds `lost`"),
    ("UPDATE attempt SET number = 0 WHERE cell = 2", "run 1, cell 2: attempt.number holds `0`"),
    ("UPDATE attempt SET ended_at = '-' WHERE cell = 2", "run 1, cell 2: attempt.ended_at holds `-`"),
    ("UPDATE phase SET start_s = 9e999", "run 1, cell 1: phase `ramp-up`: phase.start_s holds `inf`"),
    (
        "UPDATE phase SET end_s = 4 WHERE name = 'measure'",
        "run 1, cell 1: phase `measure`: phase.end_s holds `4`, which is before its start at 5",
    ),
    (
        "UPDATE measurement SET value = -5 WHERE metric = 1",
        "run 1, cell 1: measurement.value of `nopm` holds `-5`",
    ),
    ("UPDATE measurement SET value = 1e300 WHERE metric = 1", "measurement.value of `nopm` holds `1e300`"),
    ("UPDATE measurement SET value = 9e999 WHERE metric = 1", "measurement.value of `nopm` holds `inf`"),
    (
        "UPDATE measurement SET value = -0.5 WHERE metric = 2",
        "run 1, cell 1: measurement.value of `latency_p99` holds `-0.5`, which is not from 0 to 1e13 ms",
    ),
    (
        "UPDATE measurement SET value = 9e999 WHERE metric = 4",
        "measurement.value of `of_the_future` holds `inf`",
    ),
    (
        "UPDATE metric SET unit = 'h' WHERE id = 1",
        "metric.unit of `nopm` holds `h`, which is not its unit `1/min`",
    ),
    ("UPDATE metric SET unit = '' WHERE id = 2", "metric.unit of `latency_p99` holds ``"),
    ("UPDATE series SET start_s = -1e300", "run 1, cell 1: series `nopm`: series.start_s holds `-1e300`"),
    (
        // 0.0, and -2.0.
        "UPDATE series SET samples = x'000000000000000000000000000000c0'",
        "run 1, cell 1: series.samples of `nopm`, value 2, holds `-2`",
    ),
    ("UPDATE histogram SET encoded = x'00'", "the histogram `latency` cannot be decoded"),
    ("UPDATE point SET read_share = 1.5", "run 1, cell 1: point 1: point.read_share holds `1.5`"),
    (
        "UPDATE point SET block_size_bytes = -4096",
        "run 1, cell 1: point 1: point.block_size_bytes holds `-4096`",
    ),
    ("UPDATE point SET depth = -1", "run 1, cell 1: point 1: point.depth holds `-1`"),
    ("UPDATE point SET rate_asked = 9e999", "run 1, cell 1: point 1: point.rate_asked holds `inf`"),
    ("UPDATE point SET end_s = -1", "run 1, cell 1: point 1: point.end_s holds `-1`"),
    ("UPDATE point SET counts = 2", "run 1, cell 1: point 1: point.counts holds `2`"),
    ("UPDATE point_value SET value = -5", "run 1, cell 1: point 1: point_value.value of `iops` holds `-5`"),
    ("UPDATE event SET count = -3", "run 1, cell 1: event `error`: event.count holds `-3`"),
    ("UPDATE fact_set SET added_at = 'x'", "run 1, a set of facts: fact_set.added_at holds `x`"),
    ("UPDATE published SET value = 9e999", "run 1, a published number: published.value holds `inf`"),
];

/// Values of differences and of metrics that are not known, and those that older versions wrote.
const SOUND: &[&str] = &[
    "UPDATE measurement SET value = -5 WHERE metric = 3",
    "UPDATE measurement SET value = -5 WHERE metric = 4",
    "UPDATE metric SET unit = 's' WHERE id = 2",
    "UPDATE phase SET start_s = -30 WHERE name = 'ramp-up'",
    // NaN, and infinite: seconds without a value.
    "UPDATE series SET samples = x'000000000000f87f000000000000f07f'",
    "UPDATE point SET read_share = NULL, depth = NULL, rate_asked = NULL",
];

fn recorded(path: &Path) -> RunId {
    let notebook = Notebook::open_or_create(path).unwrap();
    let run = notebook.start_run(&new_run(), &beds(), &plan(2)).unwrap();
    let whole = CellRecord {
        measurements: vec![
            measurement("nopm", 4200.0, "1/min"),
            measurement("latency_p99", 2.5, "ms"),
            measurement("clock_offset_host_2", -1.5, "ms"),
            measurement("of_the_future", 1.0, "furlong"),
        ],
        series: vec![Series::new("nopm", "1/min", 0.0, vec![4200.0, f64::NAN])],
        points: vec![Point {
            read_share: Some(0.5),
            depth: Some(4.0),
            rate_asked: Some(100.0),
            ..record(1).points.remove(0)
        }],
        ..record(1)
    };
    let cells = notebook.cells(run).unwrap();
    cells.iter().for_each(|cell| notebook.begin_cell(cell.id).unwrap());
    notebook.record_cell(cells[0].id, &whole).unwrap();
    notebook
        .record_cell(cells[1].id, &CellRecord { state: words::CellState::Done, ..CellRecord::default() })
        .unwrap();
    notebook.add_fact_set(run, "host", &[("kernel".to_owned(), "6".to_owned())].into()).unwrap();
    notebook.add_published(run, &[PublishedNumber { value: 1.0, ..PublishedNumber::default() }]).unwrap();
    notebook.finish_run(run, words::RunState::Finished).unwrap();
    notebook.close().unwrap();
    run
}

fn damage(path: &Path, sql: &str) {
    let file = rusqlite::Connection::open(path).unwrap();
    file.pragma_update(None, "ignore_check_constraints", true).unwrap();
    let mut statement = file.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let triggers: Vec<(String, String)> = rows.collect::<Result<_, _>>().unwrap();
    drop(statement);
    triggers.iter().for_each(|(name, _)| file.execute_batch(&format!("DROP TRIGGER {name}")).unwrap());
    assert!(file.execute(sql, []).unwrap() > 0, "{sql} meets a row");
    triggers.iter().for_each(|(_, made_by)| file.execute_batch(made_by).unwrap());
}

/// Reads everything that a report can ask for.
fn read_all(notebook: &Notebook, run: RunId) -> Result<(), NotebookError> {
    notebook.run(run)?;
    let _: Vec<Bed> = notebook.beds(run)?;
    notebook.fact_set_history(run)?;
    notebook.published(run)?;
    for cell in notebook.cells(run)? {
        notebook.measurements(cell.id)?;
        let _: Vec<Phase> = notebook.phases(cell.id)?;
        notebook.points(cell.id)?;
        notebook.events(cell.id)?;
        notebook.series(cell.id)?;
        notebook.histograms(cell.id)?;
    }
    Ok(())
}

#[test]
fn one_damaged_value_is_named_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    for (at, (sql, told)) in DAMAGES.iter().enumerate() {
        let path = dir.path().join(format!("{at}.db"));
        let run = recorded(&path);
        damage(&path, sql);
        let notebook = Notebook::open_existing(&path).unwrap();
        assert!(notebook.verify().is_err(), "{sql}: the whole check");
        let error = match read_all(&notebook, run) {
            Ok(()) => panic!("{sql}: read as right"),
            Err(error) => error,
        };
        assert!(matches!(error, NotebookError::Unreadable { .. }), "{sql}: {error}");
        assert!(error.to_string().contains(told), "{sql}: {error}");
        assert!(error.to_string().contains("use a backup copy of the file"), "{sql}: {error}");
        // A copy into another notebook finds the same.
        let other = Notebook::open_or_create(dir.path().join(format!("{at}-other.db"))).unwrap();
        other.import_runs(&notebook, &[run]).map(|copied| panic!("{sql}: copied {copied:?}")).unwrap_err();
    }
}

#[test]
fn what_can_be_is_read() {
    let dir = tempfile::tempdir().unwrap();
    for (at, sql) in SOUND.iter().enumerate() {
        let path = dir.path().join(format!("{at}.db"));
        let run = recorded(&path);
        damage(&path, sql);
        if let Err(error) = read_all(&Notebook::open_existing(&path).unwrap(), run) {
            panic!("{sql}: {error}");
        }
    }
}

#[test]
fn one_number_by_its_name_is_looked_at_as_all_are() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    let run = recorded(&path);
    damage(&path, "UPDATE measurement SET value = -5 WHERE metric = 1");
    let notebook = Notebook::open_existing(&path).unwrap();
    let cell = notebook.cells(run).unwrap()[0].id;
    let error = notebook.measurement(cell, "nopm").unwrap_err();
    assert!(error.to_string().contains("run 1, cell 1: measurement.value of `nopm` holds `-5`"), "{error}");
    assert_eq!(notebook.measurement(cell, "latency_p99").unwrap(), Some(2.5));
}

#[test]
fn nothing_is_written_that_would_not_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let notebook = Notebook::open_or_create(dir.path().join("a.db")).unwrap();
    let run = notebook.start_run(&new_run(), &beds(), &plan(2)).unwrap();
    let cells = notebook.cells(run).unwrap();
    let iops = |value| measurement(&Metric::Iops.name(), value, Unit::PerSecond.name());
    let point = Point { name: "maximum".into(), values: vec![iops(-5.0)], ..Point::default() };
    let done = CellRecord { state: words::CellState::Done, ..CellRecord::default() };
    let impossible = CellRecord {
        measurements: vec![iops(-5.0)],
        series: vec![Series::new("iops", "1/s", 0.0, vec![1.0, -5.0])],
        points: vec![point],
        ..done.clone()
    };
    notebook.record_cell(cells[0].id, &impossible).unwrap();
    read_all(&notebook, run).unwrap();
    assert!(notebook.measurements(cells[0].id).unwrap().is_empty());
    assert_eq!(notebook.events(cells[0].id).unwrap()[0].message, "iops had no possible value (-5)");
    assert!(notebook.series(cells[0].id).unwrap()[0].values[1].is_nan());
    assert!(notebook.points(cells[0].id).unwrap()[0].values.is_empty());

    let of_other_unit = CellRecord { measurements: vec![measurement("iops", 1.0, "h")], ..done.clone() };
    let backwards = CellRecord {
        phases: vec![Phase { name: PhaseName::Measure.into(), start_s: 2.0, end_s: 1.0 }],
        ..done
    };
    for (record, told) in [(of_other_unit, "no values of the unit `h`"), (backwards, "`measure` has no")] {
        let error = notebook.record_cell(cells[1].id, &record).unwrap_err();
        assert!(matches!(error, NotebookError::BadRecord { .. }), "{error}");
        assert!(error.to_string().contains(told), "{error}");
    }
}

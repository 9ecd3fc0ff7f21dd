//! A notebook with one damaged value: each output names the damage, or has not the value.

use crate::common::{BLOCK, Ran, Scratch};

/// One damage at a time: the statement, the place in the error, and the value as any output would have it.
const DAMAGES: &[(&str, &str, &str)] = &[
    ("UPDATE cell SET level = -7654321 WHERE position = 0", "cell 1: cell.level", "7654321"),
    ("UPDATE cell SET level = 9e999 WHERE position = 0", "cell 1: cell.level", "inf"),
    (
        "UPDATE measurement SET value = -7654321 WHERE metric = (SELECT id FROM metric WHERE name = 'iops')",
        "measurement.value of `iops`",
        "7654321",
    ),
    (
        "UPDATE measurement SET value = 7.654321e300 WHERE metric = (SELECT id FROM metric WHERE name = 'iops')",
        "measurement.value of `iops`",
        "7654321",
    ),
    (
        "UPDATE measurement SET value = -7654321 WHERE metric =
             (SELECT id FROM metric WHERE name = 'latency_p99')",
        "measurement.value of `latency_p99`",
        "7654321",
    ),
    ("UPDATE metric SET unit = 'furlong' WHERE name = 'iops'", "metric.unit of `iops`", "furlong"),
    ("UPDATE attempt SET state = 'furlong' WHERE id = 1", "attempt.state", "furlong"),
    ("UPDATE run SET smallest_effect_throughput = 9e999", "run.smallest_effect_throughput", "inf"),
    ("UPDATE run SET smallest_effect_p99 = -7654321", "run.smallest_effect_p99", "7654321"),
    ("UPDATE run SET started_at = 'furlong'", "run.started_at", "furlong"),
    ("UPDATE phase SET start_s = -7.654321e99 WHERE name = 'measure'", "phase.start_s", "7654321"),
    ("UPDATE phase SET end_s = -7654321 WHERE name = 'measure'", "phase.end_s", "7654321"),
    ("UPDATE series SET start_s = 7.654321e99", "series.start_s", "7654321"),
];

/// Commands that read a run.
const READERS: &[&[&str]] = &[
    &["show", "1"],
    &["show", "1", "--json"],
    &["show", "1", "--full"],
    &["compare", "1"],
    &["compare", "1", "--json"],
    &["trend"],
    &["ls"],
    &["ls", "--json"],
    &["export", "1"],
    &["export", "1", "--format", "jsonl"],
    &["export", "1", "--format", "series-csv"],
    &["export", "1", "--format", "fio-json"],
];

fn damage(path: &std::path::Path, sql: &str) {
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

/// The value as digits and letters, whatever separates them: `-7,654,321`, `7.654321e300`.
fn tells(ran: &Ran, value: &str) -> bool {
    let plain =
        |text: &str| text.to_lowercase().chars().filter(|c| !",. \u{202f}".contains(*c)).collect::<String>();
    match value {
        "inf" => {
            ran.stdout.split(|c: char| !c.is_alphanumeric()).any(|word| word == "inf" || word == "Infinity")
        }
        value => plain(&ran.stdout).contains(value),
    }
}

#[test]
fn no_damaged_value_is_told_as_right() {
    let scratch = Scratch::with("x.toml", &BLOCK.replace("repeats = 6", "repeats = 1"));
    scratch.run_in_virtual_time(&["run", "x.toml"]).expect(0);
    let notebook = scratch.path().join("drivetrain.db");
    let whole = std::fs::read(&notebook).unwrap();
    for reader in READERS {
        scratch.run(reader).expect(0);
    }
    for (sql, place, value) in DAMAGES {
        std::fs::write(&notebook, &whole).unwrap();
        damage(&notebook, sql);
        let told: Vec<Ran> = READERS.iter().map(|reader| scratch.run(reader)).collect();
        for (reader, ran) in READERS.iter().zip(&told) {
            let names =
                ran.code != Some(0) && ran.stderr.contains(place) && ran.stderr.contains("backup copy");
            assert!(names || !tells(ran, value), "{sql}: {reader:?} told it: {ran:#?}");
            assert!(names || ran.code == Some(0), "{sql}: {reader:?} fails without the place: {ran:#?}");
        }
        assert!(told.iter().any(|ran| ran.stderr.contains(place)), "{sql}: nothing names {place}");
    }
}

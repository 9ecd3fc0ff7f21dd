//! `/metrics` and the JSON of the present, of a run with hostile names.

use std::time::Duration;

use device::Traffic;
use lab::{DriveSecond, Event, Interrupt, Live, Observer as _, Second};
use serde_json::Value;
use serve::Feed;

use crate::exposition::families;
use crate::site::{HOSTILE, body, get, notebook, started};

/// The events of the second cell in its measure phase.
pub(crate) fn tell(feed: &Feed<'_>) {
    let expected = Duration::from_secs(60);
    feed.event(Event::Started { left: 2, total: 2, expected });
    feed.event(Event::CellStarted { number: 2, total: 2, what: HOSTILE.to_owned(), expected });
    feed.event(Event::Phase { name: words::PhaseName::Measure });
    feed.event(Event::Live(Live {
        rate_per_s: 1234.5,
        unit: "new orders/s".to_owned(),
        p50_ns: Some(1_500_000),
        p99_ns: Some(20_000_000),
        p999_ns: Some(90_000_000),
        elapsed_s: 7.0,
        ..Live::default()
    }));
    let second = Traffic {
        reads: 2000,
        read_bytes: 8_192_000,
        read_ns: 400_000_000,
        busy_ns: 900_000_000,
        ..Traffic::default()
    };
    let so_far =
        Traffic { writes: 5, write_bytes: 40_960, write_ns: 1_000_000, busy_ns: 6_000_000_000, ..second };
    let drive =
        |name: &str, is_log| DriveSecond { name: name.to_owned(), is_log, is_modelled: true, second, so_far };
    let drives = vec![drive(HOSTILE, false), drive(HOSTILE, true), drive("sda", false)];
    feed.event(Event::Second(Second { seconds: 1.0, cpu_idle: 0.4, drives }));
}

#[test]
fn the_metrics_keep_every_rule_of_the_format() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let notebook = notebook(&path);
    let (_server, address) = started(&path);
    let before = get(&address, "/metrics");
    assert!(before.contains("content-type: text/plain; version=0.0.4; charset=utf-8"), "{before}");
    let before = families(body(&before)).unwrap();
    assert_eq!(before.keys().collect::<Vec<_>>(), ["drivetrain_cells", "drivetrain_runs"]);
    let interrupt = Interrupt::new();
    let feed = Feed::new(&path, &lab::Silent, &interrupt);
    tell(&feed);
    let text = get(&address, "/metrics");
    let families = families(body(&text)).unwrap_or_else(|why| panic!("{why}\n{text}"));
    for (name, count) in [
        ("drivetrain_runs", 1),
        ("drivetrain_cells", 5),
        ("drivetrain_work_per_second", 1),
        ("drivetrain_latency_seconds", 3),
        ("drivetrain_processors_idle_ratio", 1),
        ("drivetrain_drive_reads_total", 3),
        ("drivetrain_drive_writes_total", 3),
        ("drivetrain_drive_read_bytes_total", 3),
        ("drivetrain_drive_written_bytes_total", 3),
        ("drivetrain_drive_read_time_seconds_total", 3),
        ("drivetrain_drive_write_time_seconds_total", 3),
        ("drivetrain_drive_busy_seconds_total", 3),
    ] {
        assert_eq!(families[name].series.len(), count, "{name}");
    }
    let (labels, latency_s) = &families["drivetrain_latency_seconds"].series[1];
    assert_eq!((labels["percentile"].as_str(), *latency_s), ("99", 0.02));
    for (label, value) in [
        ("experiment", HOSTILE),
        ("bed", HOSTILE),
        ("workload", HOSTILE),
        ("level", "1"),
        ("repeat", "1"),
        ("phase", "measure"),
    ] {
        assert_eq!(labels[label], value, "{label}");
    }
    let (labels, bytes) = &families["drivetrain_drive_written_bytes_total"].series[1];
    assert_eq!((labels["drive"].as_str(), labels["role"].as_str(), *bytes), (HOSTILE, "log", 40_960.0));
    assert_eq!(families["drivetrain_drive_busy_seconds_total"].series[2].1, 6.0);
    drop((feed, notebook));
}

#[test]
fn the_present_of_a_run_is_one_document() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("n.db");
    let notebook = notebook(&path);
    let (_server, address) = started(&path);
    let now = || -> Value { serde_json::from_str(body(&get(&address, "/api/run/1/now"))).unwrap() };
    assert_eq!((&now()["state"], &now()["number"]), (&"running".into(), &Value::Null));
    let interrupt = Interrupt::new();
    let feed = Feed::new(&path, &lab::Silent, &interrupt);
    tell(&feed);
    interrupt.request_after_cell();
    feed.event(Event::Warning { text: String::new() });
    let told = now();
    assert_eq!(
        (&told["stopping"], &told["number"], &told["bed"]),
        (&"cell".into(), &2.into(), &HOSTILE.into())
    );
    assert_eq!((&told["rate_per_s"], &told["latency_s"]["99.9"]), (&1234.5.into(), &0.09.into()));
    let drive = &told["drives"][0];
    assert_eq!(
        (&drive["reads_per_s"], &drive["await_s"], &drive["busy"]),
        (&2000.0.into(), &0.0002.into(), &0.9.into())
    );
    assert_eq!(
        (&drive["read_bytes_per_s"], &drive["so_far"]["written_bytes"]),
        (&8_192_000.0.into(), &40_960.into())
    );
    assert!(get(&address, "/api/run/2/now").starts_with("HTTP/1.1 404"));
    drop((feed, notebook));
    let ended = now();
    assert_eq!((&ended["state"], &ended["drives"]), (&"killed".into(), &Value::Null));
}

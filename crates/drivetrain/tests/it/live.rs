//! A run that is watched in a browser, and stopped from there.

use std::io::Write as _;
use std::process::Stdio;

use crate::common::watched::{Watched, interrupt};
use crate::common::{QUICK, Scratch};

#[test]
fn a_run_is_watched_stopped_after_its_cell_and_resumed() {
    let scratch = Scratch::with("x.toml", QUICK);
    let short = ["x.toml", "--set", "workload.measure=3s", "--set", "design.repeats=1"];
    let mut run = Watched::run(&scratch, &short);
    let events = run.events_until("live");
    assert!(events.iter().any(|event| event["event"] == "cell" && event["number"] == 1), "{events:?}");
    let live = events.last().unwrap();
    assert!(live["rate_per_s"].as_f64().is_some() && live["unit"] == "transactions/s", "{live}");
    assert!(run.ask("GET", "/run/1/live").contains("Two drives, quick"));
    assert!(run.ask("GET", "/metrics").contains("drivetrain_cells{run=\"1\""));
    let stopped = run.ask("POST", "/stop/cell");
    assert!(stopped.starts_with("HTTP/1.1 202"), "{stopped}");
    let ended = run.child.wait().unwrap();
    assert_eq!(ended.code(), Some(130), "interrupted");
    let shown = scratch.run(&["show", "--json"]).expect(0).json();
    let done = shown["cells"].as_array().unwrap().iter().filter(|cell| cell["state"] == "done").count();
    assert!((1..=2).contains(&done), "the cell was completed: {shown}");
    for left in ["drivetrain.db-live", "drivetrain.db-stop", "drivetrain.db-lock"] {
        assert!(!scratch.path().join(left).exists(), "{left}");
    }
    scratch.run(&["resume", "--quiet"]).expect(0);
}

#[test]
fn a_server_shows_the_run_of_another_process_and_the_finished_one() {
    let scratch = Scratch::with("x.toml", QUICK);
    scratch.run(&["run", "x.toml", "--quiet", "--set", "design.repeats=1"]).expect(0);
    let mut server = Watched::serve(&scratch, "127.0.0.1:0");
    let mut other = scratch.command(&["run", "x.toml", "--quiet", "--set", "workload.measure=3s"]);
    let mut other = other.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let events = server.events_until("live");
    assert!(events.iter().any(|event| event["event"] == "phase"), "{events:?}");
    let stopped = server.ask("POST", "/stop/now");
    assert!(stopped.starts_with("HTTP/1.1 202"), "{stopped}");
    assert_eq!(other.wait().unwrap().code(), Some(130));
    let runs = server.ask("GET", "/api/runs");
    assert!(runs.contains("\"interrupted\"") && runs.contains("\"finished\""), "{runs}");
    let finished = scratch.run(&["ls", "--json"]).expect(0).json();
    let finished = finished.as_array().unwrap().iter().find(|run| run["state"] == "finished").unwrap();
    let series = server.ask("GET", &format!("/api/run/{}/cell/1", finished["run"]));
    assert!(series.contains("\"metric\":"), "a finished cell is replayed from the notebook: {series}");
    let page = server.ask("GET", &format!("/run/{}", finished["run"]));
    assert!(page.contains("<svg"), "the report");
    interrupt(server.child.id());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

/// Prints every sample as `family type name label=value ... value`; fails for a text that is none.
const READ_METRICS: &str = r#"
import sys
from prometheus_client.parser import text_string_to_metric_families as families
for family in families(sys.stdin.read()):
    for sample in family.samples:
        labels = " ".join(f"{key}={value}" for key, value in sorted(sample.labels.items()))
        print(family.name, family.type, sample.name, labels, sample.value)
"#;

#[test]
fn the_parser_of_prometheus_reads_the_metrics_of_a_run() {
    let Some(_) = testkit::need::program("parser.py") else { return };
    // A name with everything that has to be escaped.
    let scratch = Scratch::with("a \"b\" \\.toml", QUICK);
    let mut run = Watched::run(&scratch, &["a \"b\" \\.toml", "--set", "workload.measure=3s"]);
    run.events_until("live");
    let answer = run.ask("GET", "/metrics");
    let (head, text) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.to_lowercase().contains("content-type: text/plain; version=0.0.4"), "{head}");
    let mut python = std::process::Command::new("/usr/bin/python3");
    python.args(["-c", READ_METRICS]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut python = python.spawn().unwrap();
    python.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let read = python.wait_with_output().unwrap();
    assert!(read.status.success(), "{}\n{text}", String::from_utf8_lossy(&read.stderr));
    let samples = String::from_utf8(read.stdout).unwrap();
    assert!(samples.contains("drivetrain_runs gauge drivetrain_runs"), "{samples}");
    let running = samples.lines().find(|line| line.contains("state=running")).unwrap();
    assert!(running.contains("experiment=a \"b\" \\.toml") && running.ends_with(" 1.0"), "{running}");
    interrupt(run.child.id());
    run.child.wait().unwrap();
}

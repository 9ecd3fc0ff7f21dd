//! A run that is watched in a browser, and stopped from there.

use std::process::Stdio;

use crate::common::watched::{Watched, interrupt};
use crate::common::{SMALL, Scratch};

#[test]
fn a_run_is_watched_stopped_after_its_cell_and_resumed() {
    let scratch = Scratch::with("x.toml", SMALL);
    let mut run = Watched::run(&scratch, &["x.toml", "--set", "workload.measure=3s"]);
    let events = run.events_until("live");
    assert!(events.iter().any(|event| event["event"] == "cell" && event["number"] == 1), "{events:?}");
    let live = events.last().unwrap();
    assert!(live["rate_per_s"].as_f64().is_some() && live["unit"] == "new orders/s", "{live}");
    assert!(run.ask("GET", "/run/1/live").contains("Two drives, small"));
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
    let scratch = Scratch::with("x.toml", SMALL);
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

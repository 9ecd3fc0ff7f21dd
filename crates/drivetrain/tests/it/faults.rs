//! Interrupts, kills and failing storage: nothing is lost, and `resume` completes the run.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ground::Random;

use crate::common::{SMALL, Scratch, SmallDisk};

/// Kills per test run; the full promise of 50 is kept by `DRIVETRAIN_KILLS=50 cargo test --test faults`.
fn kills() -> u32 {
    std::env::var("DRIVETRAIN_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(3)
}

fn start(scratch: &Scratch, arguments: &[&str]) -> Child {
    scratch.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary starts")
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill runs");
    assert!(status.success());
}

/// Waits until the notebook shows a cell that runs, so that the signal lands in the middle.
fn wait_for_a_cell(scratch: &Scratch) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
        let shown = scratch.run(&["show", "--json"]);
        if shown.code == Some(0)
            && shown.json()["cells"].as_array().unwrap().iter().any(|c| c["state"] == "running")
        {
            return;
        }
    }
    panic!("no cell began to run");
}

#[test]
fn ctrl_c_keeps_what_was_measured_and_resume_completes() {
    let scratch = Scratch::with("x.toml", crate::common::QUICK);
    let mut child = start(&scratch, &["run", "x.toml"]);
    wait_for_a_cell(&scratch);
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let interrupted = scratch.run(&["show", "--json"]).expect(0).json();
    assert_eq!(interrupted["state"], "interrupted");
    assert!(scratch.path().join("drivetrain-data").exists(), "the golden copy is kept for resume");
    let resumed = scratch.run(&["resume", "--json"]).expect(0).json();
    assert_eq!(resumed["state"], "finished");
    assert!(resumed["cells"].as_array().unwrap().iter().all(|c| c["state"] == "done"));
    assert!(!scratch.path().join("drivetrain-data").exists());
}

/// Every row by an index on a modelled disk takes minutes in one statement: only an interrupt inside of it
/// ends soon.
const ONE_LONG_STATEMENT: &str = r#"
schema = 1
title = "One long statement"

[[bed]]
name = "disks"
storage = { emulated = "raid10-10x15k-sas", path = "." }

[database]
engine = "sqlite"
memory = "1MiB"

[[workload]]
kind = "scan"
rows = 60000
selectivity = ["100%"]

[design]
repeats = 1
seed = 2
"#;

#[test]
fn ctrl_c_ends_a_long_statement_and_keeps_the_ones_before() {
    let scratch = Scratch::with("x.toml", ONE_LONG_STATEMENT);
    let mut child = start(&scratch, &["run", "x.toml"]);
    wait_for_a_cell(&scratch);
    // Time enough for the scans before, nothing against the lookup.
    std::thread::sleep(Duration::from_secs(4));
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let shown = scratch.run(&["show", "--json"]).expect(0).json();
    let cell = &shown["cells"][0];
    assert_eq!(cell["state"], "interrupted", "{cell:#}");
    let reason = cell["reason"].as_str().unwrap();
    let done =
        reason.strip_prefix("stopped by the user after ").and_then(|rest| rest.split_once(" of 4 reads"));
    let done: usize = done.unwrap_or_else(|| panic!("{reason}")).0.parse().unwrap();
    let metrics = cell["metrics"].as_object().unwrap();
    let kept = metrics.keys().filter(|name| name.ends_with("_cold_time") || name.ends_with("_warm_time"));
    assert_eq!(kept.count(), done, "{cell:#}");
}

#[test]
fn kills_at_random_moments_lose_at_most_the_running_cell() {
    let mut random = Random::new(testkit::seed());
    for round in 0..kills() {
        // Every fourth one is of order entry, which is loading its data for some seconds.
        let (text, more, limit_ms) = if round % 4 == 0 {
            (SMALL, &crate::common::PACED[..], 10_000)
        } else {
            (crate::common::QUICK, &[][..], 5_500)
        };
        let scratch = Scratch::with("x.toml", &text.replace("repeats = 2", "repeats = 1"));
        let mut child = start(&scratch, &[&["run", "x.toml"], more].concat());
        let moment = Duration::from_millis(100 + random.below(limit_ms));
        std::thread::sleep(moment);
        child.kill().expect("the child can be killed");
        child.wait().unwrap();
        let made = std::fs::metadata(scratch.path().join("drivetrain.db"));
        if made.map_or(0, |made| made.len()) == 0 {
            continue; // Killed before there was a run: a new notebook begins as an empty file.
        }
        let before = scratch.run(&["show", "--json"]);
        if before.code == Some(2) {
            continue; // The notebook was there, the run was not yet.
        }
        let done = |document: &serde_json::Value| {
            document["cells"].as_array().unwrap().iter().filter(|c| c["state"] == "done").count()
        };
        let kept = done(&before.expect(0).json());
        let after = scratch.run(&["resume", "--json"]).expect(0).json();
        assert_eq!(
            after["state"], "finished",
            "round {round}, killed after {moment:?} with {kept} cells kept"
        );
        assert_eq!(done(&after), 4);
    }
}

#[test]
fn a_foreign_folder_in_the_way_is_refused_and_kept() {
    let scratch = Scratch::with("x.toml", crate::common::QUICK);
    std::fs::create_dir(scratch.path().join("drivetrain-data")).unwrap();
    std::fs::write(scratch.path().join("drivetrain-data/theirs"), "precious").unwrap();
    // The shared parent may hold other things; only the run's own folder inside it is claimed and removed.
    scratch.run(&["run", "x.toml", "--set", "design.repeats=1"]).expect(0);
    assert_eq!(std::fs::read_to_string(scratch.path().join("drivetrain-data/theirs")).unwrap(), "precious");
}

#[test]
fn a_foreign_file_among_our_data_stays_and_the_result_is_told_all_the_same() {
    let scratch = Scratch::with("x.toml", crate::common::QUICK);
    let mut child = start(&scratch, &["run", "x.toml", "--quiet", "--set", "design.repeats=1"]);
    wait_for_a_cell(&scratch);
    let ours = std::fs::read_dir(scratch.path().join("drivetrain-data")).unwrap().next().unwrap().unwrap();
    let theirs = ours.path().join("theirs");
    std::fs::write(&theirs, "precious").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(6));
    assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "precious");
    assert!(scratch.report("drivetrain-report-1-").exists(), "the report was written");
    let shown = scratch.run(&["show", "--json"]).expect(0).json();
    assert_eq!(shown["state"], "finished");
    assert!(shown["notes"].to_string().contains("theirs"), "{}", shown["notes"]);
}

#[test]
fn a_full_disk_is_an_error_with_a_place_and_no_half_run() {
    let scratch = Scratch::with("x.toml", SMALL);
    let Some(disk) = SmallDisk::mount(&scratch.path().join("small"), "24m") else { return };
    for bed in ["nvme", "sata"] {
        std::fs::create_dir(disk.0.join(bed)).unwrap();
    }
    let ran = scratch.run(&["run", "x.toml", "--storage", "nvme=small/nvme", "--storage", "sata=small/sata"]);
    let ran = ran.expect(2);
    assert!(ran.stderr.contains("; small/nvme has "), "{}", ran.stderr);
    assert!(!scratch.path().join("drivetrain.db").exists(), "nothing is made for a run that cannot be");
}

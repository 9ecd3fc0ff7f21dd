//! Like with like through the built binary: which pairs of runs `check` and `compare` judge, and with which
//! exit code.

use crate::common::Scratch;

/// One bed under one load, so that nothing is a declared treatment; in virtual time it takes no time.
const ONE: &str = r#"
schema = 1
title = "One drive"

[[bed]]
name = "a"
storage = { emulated = "my-drive.toml", path = "." }

[[workload]]
kind = "block"
size = "64MiB"
depth = [2, 4]
ramp_up = "0s"
measure = "1s"
[[workload.stream]]
pattern = "uniform"
read = "50%"
block_size = "64KiB"

[design]
repeats = 4
seed = 3
"#;

const DRIVE: &str = r#"
[drive]
name = "my-drive"
capacity_gb = 960
[link]
duplex = "half"
queue_limit = 32
read_bandwidth_mb_per_s = 550
write_bandwidth_mb_per_s = 520
[read]
latency_4k_us = 120
rate_4k_per_s = 95_000
rate_depth = 32
[write]
ack_us = 45
rate_4k_per_s = 30_000
[flush]
power_loss_protection = true
"#;

/// Runs it in virtual time with more arguments; gives the number of the run.
fn run(scratch: &Scratch, more: &[&str]) -> String {
    let mut arguments = vec!["run", "one.toml", "--realm", "simulated", "--json"];
    arguments.extend(more);
    scratch.run(&arguments).expect(0).json()["run"].to_string()
}

fn scratch() -> Scratch {
    let scratch = Scratch::with("one.toml", ONE);
    scratch.write("my-drive.toml", DRIVE);
    scratch
}

#[test]
fn only_runs_that_were_asked_the_same_are_judged() {
    let scratch = scratch();
    assert_eq!(run(&scratch, &[]), "1");
    let few = run(&scratch, &["--set", "design.repeats=3"]);
    scratch.write(
        "slow.toml",
        &DRIVE.replace("= 120", "= 1200").replace("= 95_000", "= 9_000").replace("= 45", "= 450"),
    );
    scratch.write("other.toml", &ONE.replace("my-drive.toml", "slow.toml"));
    let mut pairs: Vec<(&str, String, &[&str], i32, &str)> = vec![
        ("the same again", run(&scratch, &[]), &[], 0, "PASS: run 3 is not worse than run 1 by more"),
        (
            "another seed",
            run(&scratch, &["--seed", "4", "--set", "design.repeats=6"]),
            &[],
            0,
            "cells), not worse; ",
        ),
        ("three repeats", few, &[], 4, "in each run would show a loss or exclude it"),
    ];
    let asked: [(&str, &[&str], &str); 7] = [
        ("sequential", &["--set", "workload.stream.pattern=sequential"], "pattern: uniform -> sequential"),
        ("reads alone", &["--set", "workload.stream.read=\"100%\""], "read: 50% -> 100%"),
        ("small blocks", &["--set", "workload.stream.block_size=\"4KiB\""], "block_size: 64KiB -> 4KiB"),
        ("another size", &["--set", "workload.size=\"128MiB\""], "size: 64MiB -> 128MiB"),
        (
            "a time shrunk by scale",
            &["--set", "workload.measure=\"4s\"", "--scale", "0.5"],
            "scale: 1/1 -> 1/2",
        ),
        ("a level fewer", &["--set", "workload.depth=[2]"], "queue depth 4 is in run 1 and not in run"),
        (
            "another drive",
            &["--set", "bed.storage.emulated=skhynix-se4011"],
            "emulated my-drive.toml -> emulated skhynix-se4011",
        ),
    ];
    for (name, more, words) in asked {
        pairs.push((name, run(&scratch, more), &[], 2, words));
    }
    let slow = scratch.run(&["run", "other.toml", "--realm", "simulated", "--json"]).expect(0).json()["run"]
        .to_string();
    pairs.push(("a slower drive", slow.clone(), &[], 2, "--treat bed.storage"));
    pairs.push(("a slower drive, named", slow, &["--treat", "storage"], 3, "(exit code 3)"));
    // The same file name and other numbers in it.
    scratch.write("my-drive.toml", &DRIVE.replace("= 120", "= 60"));
    pairs.push(("an edited drive", run(&scratch, &[]), &[], 2, "latency_4k: 120 us -> 60 us"));
    let demo = ["run", "demo", "--realm", "simulated", "--json", "--set", "design.repeats=2"];
    let demo = scratch.run(&demo).expect(0).json()["run"].to_string();
    pairs.push((
        "another experiment",
        demo,
        &["--treat", "bed,workload,database"],
        2,
        "the bed `a` is in run 1 and not in run",
    ));
    for (name, run, more, code, words) in pairs {
        let said = scratch.run(&[&["check", "--baseline", "1", "--run", &run], more].concat());
        assert_eq!(said.code, Some(code), "{name}: {said:#?}");
        let text = if code == 2 { &said.stderr } else { &said.stdout };
        assert!(text.contains(words), "{name}: `{words}` is not in {text}");
        // Comparing refuses the same pairs, and as JSON says the same in one document.
        let compared = scratch.run(&[&["compare", &run, "1", "--json"], more].concat());
        assert_eq!(compared.code, Some(if code == 2 { 2 } else { 0 }), "{name}: {compared:#?}");
        let document = compared.json();
        assert_eq!(document["refused"].is_object(), code == 2, "{name}: {document:#}");
        assert_eq!(document["exit_code"] == 2, code == 2, "{name}: {document:#}");
    }
}

#[test]
fn a_run_is_not_judged_by_itself_nor_by_a_copy_nor_when_the_new_one_is_missing() {
    let scratch = scratch();
    run(&scratch, &[]);
    let refused = |arguments: &[&str]| {
        let said = scratch.run(&[&["check"], arguments].concat()).expect(2);
        assert!(said.stderr.contains("is the baseline itself"), "{}", said.stderr);
    };
    refused(&["--run", "1", "--baseline", "1"]);
    std::fs::copy(scratch.path().join("drivetrain.db"), scratch.path().join("base.db")).unwrap();
    refused(&["--run", "1", "--baseline", "1", "--baseline-notebook", "base.db"]);
    scratch.run(&["import", "base.db", "--notebook", "other.db"]).expect(0);
    refused(&["--run", "1", "--baseline", "1", "--baseline-notebook", "other.db"]);
    // The new run did not start, so the latest one is the baseline, or its copy.
    scratch.run(&["run", "one.toml", "--set", "bed.storage.emulated=no-such-drive"]).expect(2);
    refused(&["--baseline", "1"]);
    scratch.run(&["compare", "1", "1"]).expect(2);
}

#[test]
fn an_edited_drive_ends_a_run_that_began_on_the_old_one() {
    let scratch = scratch();
    let mut child = scratch
        .command(&["run", "one.toml"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // The drive is recorded before the first cell begins, and after the run has.
    let begun = || {
        let shown = scratch.run(&["show", "--json"]);
        shown.code == Some(0)
            && shown.json()["cells"].as_array().unwrap().iter().any(|cell| cell["state"] != "planned")
    };
    let patience = std::time::Instant::now();
    while !begun() && patience.elapsed().as_secs() < 120 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // It is not finished, so nothing is judged by it or through it.
    run(&scratch, &[]);
    let said = scratch.run(&["check", "--run", "2", "--baseline", "1", "--treat", "realm"]).expect(2);
    assert!(said.stderr.contains("run 1 is not finished"), "{}", said.stderr);
    scratch.write("my-drive.toml", &DRIVE.replace("= 120", "= 60"));
    let said = scratch.run(&["resume", "1"]).expect(1);
    assert!(said.stderr.contains("data.read.latency_4k was 120 us and is 60 us"), "{}", said.stderr);
}

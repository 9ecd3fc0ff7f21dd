//! `check` as a pipeline uses it: its rates of error, its files, and the example of the guide.

use std::path::Path;
use std::process::Command;

use crate::common::{Ran, Scratch};

/// One modelled drive under one block load, in virtual time.
fn experiment(repeats: u32) -> String {
    format!(
        r#"
schema = 1
title = "One drive"
[[bed]]
name = "a"
storage = {{ emulated = "my-drive.toml", path = "." }}
[[workload]]
kind = "block"
size = "64MiB"
depth = [2]
ramp_up = "0s"
measure = "1s"
[[workload.stream]]
pattern = "uniform"
read = "50%"
block_size = "64KiB"
[design]
repeats = {repeats}
"#
    )
}

/// A drive of which every time is multiplied and every rate divided by `slower`.
fn drive(slower: f64) -> String {
    format!(
        "[drive]\nname = \"my-drive\"\ncapacity_gb = 960\n[link]\nduplex = \"half\"\nqueue_limit = 32\nread_bandwidth_mb_per_s = {}\n\
         write_bandwidth_mb_per_s = {}\n[read]\nlatency_4k_us = {}\nrate_4k_per_s = {}\nrate_depth = 32\n[write]\nack_us = {}\n\
         rate_4k_per_s = {}\n[flush]\npower_loss_protection = true\n",
        550.0 / slower,
        520.0 / slower,
        120.0 * slower,
        (95_000.0 / slower).round(),
        45.0 * slower,
        (30_000.0 / slower).round()
    )
}

/// Runs the experiment with a seed; gives the number of the run.
fn run(scratch: &Scratch, seed: u32) -> String {
    let seed = seed.to_string();
    let arguments =
        ["run", "one.toml", "--realm", "simulated", "--report", "/dev/null", "--json", "--seed", &seed];
    scratch.run(&arguments).expect(0).json()["run"].to_string()
}

#[test]
fn equal_drives_never_fail_and_a_tenth_slower_is_found() {
    let scratch = Scratch::with("one.toml", &experiment(6));
    // One baseline serves both questions.
    let codes = |seed: u32| {
        let ran = |slower: f64, seed: u32| {
            scratch.write("my-drive.toml", &drive(slower));
            run(&scratch, seed)
        };
        let (baseline, equal, slower) = (ran(1.0, seed), ran(1.0, seed + 1), ran(1.1, seed + 2));
        [equal, slower].map(|judged| {
            let check = ["check", "--run", &judged, "--baseline", &baseline, "--treat", "storage"];
            scratch.run(&check).code.unwrap()
        })
    };
    let (equal, slower): (Vec<i32>, Vec<i32>) =
        (0..20).map(|index| codes(100 + 3 * index)).map(|[equal, slower]| (equal, slower)).unzip();
    assert!(equal.iter().all(|code| [0, 4].contains(code)), "{equal:?}");
    assert!(slower.iter().filter(|code| **code == 3).count() >= 19, "{slower:?}");
}

#[test]
fn the_files_for_a_ci_system_say_what_the_exit_code_says() {
    let scratch = Scratch::with("one.toml", &experiment(4));
    scratch.write("my-drive.toml", &drive(1.0));
    run(&scratch, 1);
    scratch.write("my-drive.toml", &drive(2.0));
    run(&scratch, 2);
    let files = ["check", "--baseline", "1", "--junit", "check.xml", "--markdown", "check.md"];
    let read = |name: &str| std::fs::read_to_string(scratch.path().join(name)).unwrap();
    let refused = scratch.run(&files).expect(2);
    assert!(refused.stderr.contains("--treat bed.storage"), "{}", refused.stderr);
    assert!(read("check.xml").contains("errors=\"1\"") && read("check.xml").contains("bed.a.storage"));
    assert!(read("check.md").contains("### NOT COMPARED: run 2 with run 1"), "{}", read("check.md"));
    let failed = scratch.run(&[&files[..], &["--treat", "storage"]].concat()).expect(3);
    assert!(
        failed.stdout.starts_with("FAIL: run 2 is worse than run 1 (exit code 3)\n  p99 of block"),
        "{}",
        failed.stdout
    );
    assert!(failed.stdout.lines().count() <= 20, "{}", failed.stdout);
    assert!(read("check.xml").contains("<failure message=\"IOPS of block"), "{}", read("check.xml"));
    assert!(read("check.md").contains("### FAIL: run 2 is worse than run 1"), "{}", read("check.md"));
    // The same two runs have the same files at every call: no time, no path, no length of a call in them.
    let first = (read("check.xml"), read("check.md"));
    std::thread::sleep(std::time::Duration::from_millis(1100));
    scratch.run(&[&files[..], &["--treat", "storage"]].concat()).expect(3);
    assert_eq!((read("check.xml"), read("check.md")), first);
    assert!(!first.0.contains("time="), "{}", first.0);
    // A file of the user stays.
    scratch.write("check.md", "mine");
    scratch.run(&files).expect(6);
    assert_eq!(read("check.md"), "mine");
}

#[test]
fn the_pipeline_of_the_guide_works() {
    let guide = include_str!("../../../../docs/guide/in-ci.md");
    let block = |language: &str| {
        let rest = guide.split_once(&format!("```{language}\n")).unwrap().1;
        rest.split_once("```").unwrap().0.to_owned()
    };
    let scratch = Scratch::with("gate.toml", &block("toml"));
    scratch.write("gate.sh", &block("bash"));
    let build = || {
        let program = scratch.command(&[]);
        let directory = Path::new(program.get_program()).parent().unwrap().display();
        let path = format!("{directory}:{}", std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("sh");
        command.args(["-e", "gate.sh"]).current_dir(scratch.path()).env("PATH", path);
        command
            .env("DRIVETRAIN_RUNTIME_DIR", scratch.notes())
            .env_remove("DRIVETRAIN_NOTEBOOK")
            .env("DRIVETRAIN_LANGUAGE", "en");
        Ran::from(command.env("DRIVETRAIN_CLOCK", "virtual").output().unwrap())
    };
    build().expect(0);
    let second = build();
    assert!(matches!(second.code, Some(0 | 4)), "{second:#?}");
    assert!(scratch.path().join("check.xml").exists() && scratch.path().join("check.md").exists());
    // A slower drive under the same name is another experiment until it is named.
    scratch.write("gate.toml", &block("toml").replace("kingston-dc1500m-960g", "micron-5200-eco-1920g"));
    let kept = std::fs::read(scratch.path().join("kept.db")).unwrap();
    build().expect(2);
    assert_eq!(
        std::fs::read(scratch.path().join("kept.db")).unwrap(),
        kept,
        "it must not become the baseline"
    );
}

#[test]
fn a_history_shows_its_step_and_what_changed_before_it() {
    let scratch = Scratch::with("one.toml", &experiment(2));
    scratch.write("my-drive.toml", &drive(1.0));
    (1..=10).for_each(|seed| drop(run(&scratch, seed)));
    let steady = scratch.run(&["trend"]).expect(0).stdout;
    assert!(
        steady.starts_with("No change was found in 10 runs of one\n") && !steady.contains("before run"),
        "{steady}"
    );
    scratch.write("my-drive.toml", &drive(1.25));
    (11..=16).for_each(|seed| drop(run(&scratch, seed)));
    let changed = scratch.run(&["trend"]).expect(0).stdout;
    assert!(changed.contains("IOPS of block at queue depth 2 on a: \u{2212}2"), "{changed}");
    assert!(changed.contains(") since run 11 (") && changed.contains("before run 11 changed: "), "{changed}");
    let document = scratch.run(&["trend", "one.toml", "--json"]).expect(0).json();
    assert_eq!(document["lines"][0]["values"].as_array().unwrap().len(), 16, "{document:#}");
    assert_eq!(document["breaks"][0]["run"], 11);
    let key = document["breaks"][0]["changes"][0]["key"].as_str().unwrap();
    assert!(key.starts_with("bed.a.storage.drive."), "{document:#}");
    let change = &document["lines"][0]["changes"][0];
    assert!(change["low"].as_f64() <= change["ratio"].as_f64() && change["ratio"].as_f64() < Some(0.8));
    let csv = scratch.run(&["trend", "--format", "otava"]).expect(0).stdout;
    assert!(
        csv.starts_with("time,run,a.block.2.iops,a.block.2.latency_p99\n") && csv.lines().count() == 17,
        "{csv}"
    );
    let bencher = scratch.run(&["trend", "--format", "bencher"]).expect(0).json();
    assert!(bencher["a/block/2"]["iops"]["value"].as_f64().unwrap() > 0.0, "{bencher:#}");
    scratch.run(&["trend", "--page", "history.html", "--quiet"]).expect(0);
    scratch.run(&["trend", "--page", "history.html"]).expect(0);
    let page = std::fs::read_to_string(scratch.path().join("history.html")).unwrap();
    assert_eq!(page.matches("<figure").count(), 2, "a figure for each metric");
    assert!(
        page.contains("since run 11")
            && page.contains("<title>before run 11 changed: ")
            && page.contains(">bed.a.storage.drive."),
        "{page}"
    );
    for (language, title) in [
        ("en", "since run 11, the only change of this metric"),
        ("ko", ", 이 지표의 유일한 변화"),
        ("zh", "，是该指标唯一的变化"),
        ("id", "sejak uji 11, satu-satunya perubahan metrik ini"),
    ] {
        scratch.run(&["trend", "--page", "history.html", "--quiet", "--language", language]).expect(0);
        let page = std::fs::read_to_string(scratch.path().join("history.html")).unwrap();
        assert!(page.contains(title), "{language}: {page}");
    }
    let help = scratch.run(&["trend", "--help"]).expect(0).stdout;
    assert!(help.contains("ranks") && !help.contains("t statistic"), "{help}");
}

#[test]
fn histories_and_the_last_good_run_go_by_time_and_latest_by_number() {
    let long = "a-job-whose-name-says-everything-about-it-and-then-once-more-from-the-start";
    let scratch = Scratch::with(
        "one.toml",
        &experiment(2).replace("kind = \"block\"\n", &format!("kind = \"block\"\nname = \"{long}\"\n")),
    );
    scratch.write("my-drive.toml", &drive(1.0));
    let ran = |arguments: &[&str]| {
        let run = ["run", "one.toml", "--realm", "simulated", "--report", "/dev/null", "--tag", "good"];
        scratch.run(&[&run, arguments].concat()).expect(0);
    };
    ran(&["--notebook", "old.db", "--seed", "1"]);
    (2..=3).for_each(|seed| ran(&["--seed", &seed.to_string()]));
    scratch.run(&["import", "old.db"]).expect(0);
    assert_eq!(
        scratch.run(&["show", "latest", "--json"]).expect(0).json()["run"],
        3,
        "the last that came in"
    );
    let document = scratch.run(&["trend", "--json"]).expect(0).json();
    let order: Vec<i64> =
        document["runs"].as_array().unwrap().iter().map(|run| run["run"].as_i64().unwrap()).collect();
    assert_eq!(order, [3, 1, 2], "by the time at which they began");
    assert_eq!(document["lines"][0]["workload"], long, "the whole name for programs");
    let told = scratch.run(&["trend"]).expect(0).stdout;
    assert!(!told.contains(long) && told.contains("IOPS of a-job-whose-name-say\u{2026}"), "{told}");
    let judged = scratch.run(&["check", "--run", "1"]);
    assert!(judged.stdout.contains("run 1 against run 2"), "run 3 is tagged as well, and older: {judged:?}");
}

//! The levels of fleets: their totals, their numbers of ranks, and their plans.

use crate::common::{Ran, Scratch};
use crate::fleet::{MODELLED, open, values};

fn run(scratch: &Scratch, more: &[&str]) -> Ran {
    scratch.run_in_virtual_time(&[&["run", "x.toml", "--hosts", "localhost:4"], more].concat())
}

#[test]
fn the_number_of_ranks_is_a_level_with_its_knee() {
    let one_depth = MODELLED.replace("depth = [1, 4]", "depth = [4]").replace("repeats = 2", "repeats = 1");
    let scratch = Scratch::with("x.toml", &one_depth);
    let ran = run(&scratch, &["--scale-out", "1,2,4"]).expect(0);
    // Each rank has a modelled drive of its own.
    assert!(ran.stdout.contains("There is no knee"), "{}", ran.stdout);
    assert!(ran.stdout.contains("4 ranks (queue depth 4 on each)"), "{}", ran.stdout);
    let whole = open(&scratch, "drivetrain.db");
    let mut together = values(&whole, "hosts_together");
    together.sort_by(f64::total_cmp);
    assert_eq!(together, [1.0, 2.0, 4.0]);
    // A rank has the cells that it takes part in, and the whole is their sum.
    let of_rank = |rank: u32| values(&open(&scratch, &format!("drivetrain.rank-{rank}.db")), "latency_count");
    assert_eq!([0, 1, 2, 3].map(|rank| of_rank(rank).len()), [3, 2, 1, 1]);
    let all: f64 = (0..4).flat_map(of_rank).sum();
    assert_eq!(values(&whole, "latency_count").iter().sum::<f64>(), all);
    let shown = scratch.run(&["compare", "--json"]).expect(0).json();
    let scale_out = &shown["scale_out"][0];
    let points = scale_out["points"].as_array().unwrap();
    assert_eq!(points.iter().map(|point| point["ranks"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 4]);
    assert!(points[2]["efficiency"].as_f64().unwrap() > 0.9, "{scale_out}");
    assert!(scale_out["knee"].is_null() && points[1]["gain_interval_95"].is_null(), "{scale_out}");
    assert_eq!(scale_out["hint"], "few_repeats");
    assert!(ran.stdout.contains("A hint, no finding: fewer than"), "{}", ran.stdout);
    let page = std::fs::read_to_string(scratch.report("drivetrain-report-1-")).unwrap();
    // Its levels are no depths.
    let profiled = scratch.run(&["profile", "--from-run", "1"]).expect(2).stderr;
    assert!(profiled.contains("several ranks"), "{profiled}");
    assert!(page.contains("id=\"scale-out\"") && page.contains("Throughput against ranks"));
    // One more repeat, each cell at its place on every rank.
    let resumed = scratch.run_in_virtual_time(&["resume", "--repeats", "2"]).expect(0);
    assert!(resumed.stderr.contains("fleet of 4 ranks"), "{}", resumed.stderr);
    assert_eq!(values(&whole, "hosts_together").len(), 6);
    assert_eq!([0, 1, 2, 3].map(|rank| of_rank(rank).len()), [6, 4, 2, 2]);
    let shown = scratch.run(&["compare", "--json"]).expect(0).json();
    let gain = &shown["scale_out"][0]["points"][1];
    assert_eq!(gain["gain_repeats"], 2);
    let number = |of: &str| gain.pointer(of).unwrap().as_f64().unwrap();
    assert!(number("/gain_interval_95/low") <= number("/gain"), "{gain}");
    assert!(number("/gain") <= number("/gain_interval_95/high"), "{gain}");
}

#[test]
fn levels_that_do_not_fit_the_fleet_are_refused_before_anything_is_made() {
    let scratch = Scratch::with("x.toml", MODELLED);
    let refused = |more: &[&str], part: &str| {
        let ran = run(&scratch, more).expect(2);
        assert!(ran.stderr.contains(part), "{more:?}: {}", ran.stderr);
    };
    refused(&["--scale-out", "1,2,4"], "more than one load");
    let one = ["--set", "workload.depth=[4]"];
    refused(&[&["--scale-out", "1,8"], &one[..]].concat(), "the largest level has 8 ranks, and 4 are given");
    refused(&[&["--scale-out", "1,2"], &one[..]].concat(), "some would have no work");
    refused(&[&["--scale-out", "1,x"], &one[..]].concat(), "scale_out");
    let alone = scratch.run(&[&["run", "x.toml", "--scale-out", "1,2"], &one[..]].concat()).expect(2);
    assert!(alone.stderr.contains("--hosts localhost:2"), "{}", alone.stderr);
    let files: Vec<_> =
        std::fs::read_dir(scratch.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(files, ["x.toml"]);
}

#[test]
fn a_start_that_a_rank_refuses_leaves_no_run() {
    let real =
        MODELLED.replace("{ emulated = \"kingston-dc1500m-960g\", path = \".\" }", "{ real = \"d-{rank}\" }");
    let scratch = Scratch::with("x.toml", &real.replace("engine = \"modelled\"\n", ""));
    std::fs::create_dir(scratch.path().join("d-0")).unwrap();
    let refused = scratch.run(&["run", "x.toml", "--hosts", "localhost:2"]).expect(1);
    let one_line = "rank 1 (localhost): the storage path d-1 does not exist; in the experiment: bed `nvme`";
    assert!(refused.stderr.contains(one_line) && !refused.stderr.contains("\\n"), "{}", refused.stderr);
    let made = |name: &str| scratch.path().join(name).exists();
    assert!(!made("drivetrain.db") && !made("drivetrain.rank-0.db") && !made("drivetrain.rank-1.db"));
    let plan = scratch.run(&["plan", "x.toml", "--hosts", "localhost:2"]).expect(2);
    assert!(plan.stderr.contains("d-1 does not exist"), "{}", plan.stderr);
}

#[test]
fn the_plan_of_a_fleet_adds_up_what_its_ranks_share() {
    let scratch = Scratch::with("x.toml", &MODELLED.replace("depth = [1, 4]", "rate = [100]"));
    let plan = |hosts: &str| {
        scratch.run(&["plan", "x.toml", "--hosts", hosts, "--seed=7", "--json"]).expect(0).json()
    };
    let (one, three, apart) = (plan("localhost"), plan("localhost:3"), plan("a,b"));
    let number = |plan: &serde_json::Value, of: &str| plan.pointer(of).unwrap().as_f64().unwrap();
    for of in ["/space_bytes", "/beds/0/written_bytes", "/storages/0/written_bytes"] {
        assert_eq!(number(&three, of), 3.0 * number(&one, of), "{of}");
    }
    assert_eq!(three["storages"][0]["ranks"], serde_json::json!([0, 1, 2]));
    assert_eq!(apart["storages"].as_array().unwrap().len(), 2);
    assert_eq!(number(&apart, "/storages/1/space_bytes"), number(&one, "/space_bytes"));
    assert!(three["cells"][0].as_str().unwrap().contains("300 IOPS"), "{three:#}");
    let text = scratch.run(&["plan", "x.toml", "--hosts", "localhost:3"]).expect(0).stdout;
    assert!(text.contains("at most on all 3 ranks") && text.contains("localhost      3"), "{text}");
}

/// The mixed load of a published test on the beds of its study.
const CLUSTER: &str = r#"
schema = 1
title = "Load generators on one cluster"
[[bed]]
name = "nvme"
storage = { emulated = "kingston-dc1500m-960g", path = "." }
simulated = "kingston-nvme"
[[workload]]
kind = "block"
size = "10GB"
depth = [32]
ramp_up = "10s"
measure = "1min"
[[workload.stream]]
read = "70%"
block_size = "64KiB"
[design]
treatment = []
repeats = 1
[fleet]
scale_out = [1, 4, 16, 64]
"#;

#[test]
fn load_generators_on_one_simulated_cluster_have_a_knee() {
    let scratch = Scratch::with("x.toml", CLUSTER);
    let ran = scratch.run(&["run", "x.toml", "--realm", "simulated", "--seed=7", "--json"]).expect(0).json();
    let of = &ran["comparison"]["scale_out"][0];
    assert_eq!(of["points"][3]["ranks"], 64);
    assert_eq!(of["knee"]["limiter"], "drive", "{of:#}");
    assert!(of["points"][3]["efficiency"].as_f64().unwrap() < 0.5, "{of:#}");
    let text = scratch.run(&["compare", "--full"]).expect(0).stdout;
    assert!(text.contains("The knee is at"), "{text}");
}

//! A drive whose file states a large error of its model is never used without a word.

use serde_json::Value;
use testkit::need;

use crate::common::Scratch;

/// A drive that was fitted to loads, and its error of p99 that nine in ten points keep, percent.
fn drive(p99: f64) -> String {
    format!(
        r#"
[profile]
from = "a run"
method = "every tenth load left out"
points = 68
mean_error_median_percent = 5.7
mean_error_nine_in_ten_percent = 20
p50_error_median_percent = 3.2
p50_error_nine_in_ten_percent = 155
p95_error_median_percent = 11.3
p95_error_nine_in_ten_percent = 100
p99_error_median_percent = 8.7
p99_error_nine_in_ten_percent = {p99}

[drive]
name = "rough"
title = "A rough drive"
capacity_gb = 960
[link]
duplex = "half"
queue_limit = 32
read_bandwidth_mb_per_s = 550
write_bandwidth_mb_per_s = 520
[read]
latency_4k_us = 120
rate_4k_per_s = 95_000
[write]
ack_us = 45
rate_4k_per_s = 30_000
[flush]
power_loss_protection = true
"#
    )
}

const CAUTION: &str =
    "The model of A rough drive is inaccurate: one in ten of its predictions of p99 was off by 48 % or more";
const REMEDY: &str = "`drivetrain drives ";

const RUN: &str = r#"
schema = 1
title = "A load on a rough drive"

[[bed]]
name = "rough"
storage = { emulated = "rough.toml", path = "." }

[[workload]]
kind = "block"
size = "64MiB"
depth = [1]
ramp_up = "0s"
measure = "1s"
[[workload.stream]]
read = "100%"
block_size = "4KiB"

[design]
repeats = 1
"#;

fn caution_of(document: &Value) -> &str {
    document["cautions"][0].as_str().unwrap_or_default()
}

#[test]
fn a_load_that_did_nothing_is_no_result() {
    let slow = drive(20.0).replace("ack_us = 45", "ack_us = 6e7");
    let scratch = Scratch::with("slow.toml", &slow);
    let load = ["block", "--drive", "slow.toml", "--rw", "randwrite", "--depth", "1", "--time", "200ms"];
    let told = scratch.run(&[&load[..], &["--no-keep", "--full"]].concat()).expect(7).stdout;
    assert!(told.contains("the only planned cell is not valid"), "{told}");
}

#[test]
fn a_load_and_a_run_on_an_inaccurate_drive_say_so() {
    let scratch = Scratch::with("rough.toml", &drive(48.0));
    let load = ["block", "--drive", "rough.toml", "--time", "1s"];
    let loaded = scratch.run_in_virtual_time(&[&load[..], &["--json"]].concat()).expect(0);
    assert!(loaded.stderr.contains(&format!("warning: {CAUTION}")), "{}", loaded.stderr);
    assert!(loaded.stderr.contains("`drivetrain drives rough.toml`"), "{}", loaded.stderr);
    let document = loaded.json();
    assert!(caution_of(&document["modelled"]).starts_with(CAUTION), "{document:#}");
    scratch.write("run.toml", RUN);
    let ran = scratch.run_in_virtual_time(&["run", "run.toml"]).expect(0);
    assert_eq!(ran.stderr.matches(CAUTION).count(), 1, "{}", ran.stderr);
    let page = std::fs::read_to_string(scratch.report("drivetrain-report-2-")).unwrap();
    assert!(page.contains("The model of A rough drive is inaccurate: "), "the report says so as well");
    // A good model needs no word.
    scratch.write("rough.toml", &drive(34.9));
    let good = scratch.run_in_virtual_time(&[&load[..], &["--json"]].concat()).expect(0);
    assert!(!good.stderr.contains("inaccurate"), "{}", good.stderr);
    assert_eq!(good.json()["modelled"]["cautions"], serde_json::json!([]));
}

#[test]
fn a_check_of_an_inaccurate_drive_advises_to_measure_it_first() {
    let scratch = Scratch::with("rough.toml", &drive(48.0));
    let check = ["drives", "--check", "rough.toml"];
    let told = scratch.run(&check).expect(0).stdout;
    assert!(told.contains("next: measure the drive for longer"), "{told}");
    assert!(told.contains("to add it as it is: drivetrain drives --add rough.toml"), "{told}");
    scratch.write("rough.toml", &drive(34.9));
    let told = scratch.run(&check).expect(0).stdout;
    assert!(told.contains("next: drivetrain drives --add rough.toml"), "{told}");
}

#[test]
fn a_mount_of_an_inaccurate_drive_says_so() {
    let scratch = Scratch::with("rough.toml", &drive(48.0));
    std::fs::create_dir(scratch.path().join("m")).unwrap();
    let mount = ["mount", "--drive", "rough.toml", "m", "--time", "1s", "--json"];
    if emulate::fuse::check().is_err() {
        let refused = scratch.run(&mount).expect(1).stderr;
        return need::skipped(&refused).unwrap_or_default();
    }
    let mounted = scratch.run(&mount).expect(0);
    assert!(mounted.stderr.contains(&format!("warning: {CAUTION}")), "{}", mounted.stderr);
    let document = mounted.json();
    assert!(caution_of(&document).contains(REMEDY), "{document:#}");
}

//! The block suite through the built binary: every named experiment at tiny scale, and the required parts of
//! its report; shapes on real files.

use crate::common::{BLOCK, Scratch};
use serde_json::{Value, json};

/// Runs a named experiment at tiny scale on modelled drives in virtual time; its document and its report.
fn tiny(name: &str) -> (Value, String) {
    let scratch = Scratch::new();
    let ran = scratch.run_in_virtual_time(&["run", name, "--scale", "tiny", "--json"]);
    let document = ran.expect(0).json();
    for cell in document["cells"].as_array().unwrap() {
        assert_eq!(cell["state"], "done", "{name}: {cell:#}");
        assert!(cell["metrics"]["iops"]["value"].as_f64().unwrap() > 0.0, "{name}: {cell:#}");
    }
    let report = std::fs::read_to_string(document["report"].as_str().unwrap()).unwrap();
    assert!(!report.contains("NaN"), "{name}");
    (document, report)
}

/// The values of a metric over all cells.
fn metric(document: &Value, name: &str) -> Vec<f64> {
    let cells = document["cells"].as_array().unwrap();
    cells.iter().filter_map(|cell| cell["metrics"][name]["value"].as_f64()).collect()
}

#[test]
fn one_drive_after_steady_state_second_by_second() {
    let (_, report) = tiny("kingston-dc1500m/fio-steady");
    assert!(
        report.contains("class=\"phase\"") && report.contains("precondition"),
        "preconditioning is shaded"
    );
}

#[test]
fn sweeps_over_block_sizes() {
    let (_, report) = tiny("kingston-dc1500m/hcibench");
    assert!(report.contains("I/Os per second by block size") && report.contains("KiB per I/O"));
}

#[test]
fn four_corners_have_curves_with_knees() {
    let (_, report) = tiny("storagereview-skhynix/four-corners");
    assert!(report.contains("<figure id=\"jobs\"") && report.contains("<figure id=\"latency-throughput\""));
    assert!(report.contains(">knee ") && report.contains("class=\"k-ring "), "a knee is ringed and told");
    assert!(report.contains("maximum") && report.contains("120%"));
}

#[test]
fn a_curve_is_exported_for_fio_as_its_one_result() {
    let scratch = Scratch::new();
    let run = ["run", "storagereview-skhynix/four-corners", "--realm", "simulated", "--scale", "tiny"];
    scratch.run(&run).expect(0);
    let exported = scratch.run(&["export", "1", "--format", "fio-json"]).expect(0);
    for job in exported.json()["jobs"].as_array().unwrap() {
        for direction in ["read", "write"].map(|name| &job[name]) {
            let of = |name: &str| direction[name].as_f64().unwrap();
            let expected_ms = if of("iops") > 0.0 { 1e3 * of("total_ios") / of("iops") } else { 0.0 };
            assert!((of("runtime") - expected_ms).abs() <= 1.0 + expected_ms / 50.0, "{job:#}");
        }
    }
    scratch.write("fio.json", &exported.stdout);
    scratch.run(&["import", "fio.json", "--notebook", "imported.db"]).expect(0);
}

#[test]
fn depths_have_knees_too() {
    let (_, report) = tiny("iodrive-2009/sqlio");
    assert!(report.contains("<figure id=\"latency-throughput\""));
    assert!(report.contains("too few loads for a knee"), "three depths lie too far apart");
}

#[test]
fn bursts_have_figures_of_their_own() {
    let (document, report) = tiny("iodrive-2009/checkpoint-bursts");
    assert!(report.contains("inside and between bursts") && report.contains("inside bursts"));
    let between = metric(&document, "read_latency_between_bursts_mean");
    let inside = metric(&document, "read_latency_inside_bursts_mean");
    // A burst of a small scale may be over before any read of a fast drive comes back.
    assert!(between.len() == 4 && inside.len() >= 2, "{between:?}, {inside:?}");
    assert!(metric(&document, "burst_share").iter().all(|share| *share > 0.0 && *share <= 100.0));
}

#[test]
fn streams_of_a_database_server_have_figures_of_their_own() {
    let (document, report) = tiny("sql-server-streams");
    assert!(report.contains("read-ahead") && report.contains("checkpoint"));
    assert_eq!(metric(&document, "stream_log_write_latency_p99").len(), 2);
    // The comparison is about the place of the log, and nothing else differs.
    let comparison = &document["comparison"];
    assert_eq!(
        (&comparison["nuisances"], &comparison["treatment"][0]["fact"]),
        (&json!([]), &"log.drive".into())
    );
}

#[test]
fn desktops_are_marked_as_synthetic() {
    let (_, report) = tiny("storagereview-skhynix/vdi");
    assert!(report.contains("synthetic approximations"));
}

/// The report of every test after the SNIA PTS. One test each: they wait for their loads side by side.
fn pts(name: &str) -> String {
    let (document, report) = tiny(&format!("snia-pts/{name}"));
    assert!(report.contains("PTS-shaped, not PTS"), "{name}");
    let attained =
        ["steady state attained", "steady state not attained"].iter().any(|words| report.contains(words));
    assert!(attained, "{name}");
    assert!(report.contains("excursion") && report.contains("fit "), "{name}");
    assert!(report.contains("Convergence"), "{name}");
    let rounds = metric(&document, "steady_rounds");
    assert!(rounds.iter().all(|rounds| (5.0..=10.0).contains(rounds)), "{name}: {rounds:?}");
    report
}

#[test]
fn iops_after_the_rules_of_the_pts() {
    let report = pts("iops");
    assert!(report.contains("unlike points of its matrix together: 4KiB / 0"), "the three tracked points");
    assert!(report.contains("0% reads") || report.contains("0 % reads"), "the matrix as a table");
}

#[test]
fn throughput_after_the_rules_of_the_pts() {
    pts("throughput");
}

/// A matrix of a share of reads by two block sizes, of which both are tracked: the cell's one figure is of
/// both together, and each is on the terminal.
const MATRIX: &str = r#"
schema = 1
title = "Matrix"
[[bed]]
name = "here"
storage = { emulated = "kingston-dc1500m-960g", path = "." }
[[workload]]
kind = "block"
name = "sizes"
size = "64MiB"
depth = [1, 8]
ramp_up = "0s"
measure = "50ms"
[workload.matrix]
read = ["65%"]
block_size = ["64KiB", "4KiB"]
[[workload.stream]]
read = "65%"
block_size = "4KiB"
[design]
repeats = 1
"#;

#[test]
fn the_points_of_a_matrix_are_told_on_a_terminal() {
    let scratch = Scratch::with("x.toml", MATRIX);
    let document = scratch.run_in_virtual_time(&["run", "x.toml", "--json"]).expect(0).json();
    let warnings = document["comparison"]["warnings"].to_string();
    assert!(warnings.contains("unlike points of its matrix together: all 2."), "{warnings}");
    let shown = scratch.run(&["show", "1", "--full"]).expect(0).stdout;
    for (level, name) in [(1.0, "queue depth 1"), (8.0, "queue depth 8")] {
        let cells = document["cells"].as_array().unwrap();
        let cell = cells.iter().find(|cell| cell["level"] == level).unwrap();
        let together = cell["metrics"]["iops"]["value"].as_f64().unwrap();
        let (_, table) = shown.split_once(&format!("sizes, here, I/Os per second, {name}:")).unwrap();
        let iops = |size: &str| -> f64 {
            let row = table.lines().find_map(|line| line.trim().strip_prefix(size)).unwrap();
            row.trim().replace(',', "").parse().unwrap()
        };
        let (large, small) = (iops("64 KiB"), iops("4 KiB"));
        assert!(large < together && together < small, "{large} < {together} < {small}: {shown}");
    }
}

#[test]
fn latency_after_the_rules_of_the_pts() {
    pts("latency");
}

#[test]
fn write_saturation_after_the_rules_of_the_pts() {
    pts("write-saturation");
}

const SHAPES: &str = r#"
schema = 1
title = "Shapes on a file"
[[bed]]
name = "here"
storage = { real = "." }

[[workload]]
kind = "block"
name = "streams"
direct = false
size = "4MiB"
files = 2
ramp_up = "0s"
measure = "1s"
precondition = { purge = true, passes = 1 }
content = { compressible = "50%", duplicates = "25%" }
[[workload.stream]]
name = "log"
pattern = "sequential"
read = "0%"
block_size = "4KiB"
target = "log"
depth = 1
fdatasync = 8
think = { time = "1ms", after = 8 }
[[workload.stream]]
name = "data"
pattern = "shuffled"
read = "50%"
block_size = "8KiB"
write_block_size = "16KiB"
rate = 500
workers = 2

[[workload]]
kind = "block"
name = "search"
direct = false
size = "4MiB"
depth = [8]
ramp_up = "0s"
measure = "50ms"
find = { percentile = "99%", latency = "10s" }
[[workload.stream]]
read = "100%"
block_size = "4KiB"

[design]
repeats = 1
"#;

#[test]
fn shapes_run_on_real_files_too() {
    let scratch = Scratch::with("shapes.toml", SHAPES);
    let document = scratch.run(&["run", "shapes.toml", "--record", "traces", "--json"]).expect(0).json();
    let trace =
        std::fs::read_to_string(scratch.path().join("traces/here-streams-level-1-repeat-1.iolog")).unwrap();
    assert!(trace.starts_with("fio version 3 iolog\n0 "), "{}", &trace[..200]);
    for line in ["block-2.dat write ", "log.dat write ", "log.dat datasync"] {
        assert!(trace.contains(line), "{line}");
    }
    let streams = &document["cells"].as_array().unwrap().iter().find(|c| c["workload"] == "streams").unwrap()
        ["metrics"];
    assert!(streams["stream_log_flush_latency_mean"]["value"].as_f64().unwrap() > 0.0, "{streams:#}");
    let rate = streams["stream_data_iops"]["value"].as_f64().unwrap();
    assert!((rate / 500.0 - 1.0).abs() < 0.2, "Poisson arrivals of one second: {rate}");
    let search =
        &document["cells"].as_array().unwrap().iter().find(|c| c["workload"] == "search").unwrap()["metrics"];
    assert_eq!(search["found_depth"]["value"], 8.0, "{search:#}");
    assert!(!scratch.path().join("drivetrain-data").exists(), "a finished run leaves no data behind");
}

const JOURNALED: [&str; 18] = [
    "block",
    "--rw",
    "randwrite",
    "--bs",
    "4k",
    "--depth",
    "4",
    "--verify",
    "--fdatasync",
    "4",
    "--journal",
    "run.journal",
    "--size",
    "1MiB",
    "--buffered",
    "--keep",
    "--time",
    "60s",
];

#[test]
fn a_killed_run_is_held_to_its_journal() {
    let scratch = Scratch::new();
    let mut run = scratch.command(&JOURNALED).arg("data").spawn().unwrap();
    let journal = scratch.path().join("run.journal");
    let long = || std::fs::metadata(&journal).map_or(0, |found| found.len()) > 32 << 10;
    while !long() {
        assert!(run.try_wait().unwrap().is_none(), "it runs until it is killed");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let verify = ["verify", "data", "--journal", "run.journal", "--json"];
    let report = scratch.run(&verify).expect(0).json();
    assert!(report["checked_blocks"].as_u64().unwrap() > 100, "{report:#}");
    assert_eq!(
        (&report["everything_checked"], &report["journal"]["end"]),
        (&true.into(), &"cut short".into())
    );
    let shown = scratch.run(&verify[..4]).expect(0).stdout;
    assert!(shown.contains("no faults\njournal: it ends without a closing record"), "{shown}");
    // The result of a drive that lies about flushes: a block of before.
    let data = scratch.path().join("data");
    let mut bytes = std::fs::read(&data).unwrap();
    bytes[8192..12288].fill(0);
    std::fs::write(&data, bytes).unwrap();
    let report = scratch.run(&verify).expect(7).json();
    assert_eq!((&report["stale"], &report["faults"][0]["offset_bytes"]), (&1.into(), &8192.into()));
    let shown = scratch.run(&verify[..4]).expect(7).stdout;
    assert!(shown.contains("stale at byte 8192: data from before the run"), "{shown}");
}

#[test]
fn a_damaged_journal_never_makes_a_lost_disk_look_sound() {
    let scratch = Scratch::new();
    let mut run = JOURNALED;
    run[17] = "300ms";
    scratch.run(&[&run[..], &["data"]].concat()).expect(0);
    let whole = std::fs::read(scratch.path().join("run.journal")).unwrap();
    std::fs::write(scratch.path().join("lost"), vec![0; 1 << 20]).unwrap();
    let verify = |target: &str, journal: &[u8]| {
        std::fs::write(scratch.path().join("changed.journal"), journal).unwrap();
        scratch.run(&["verify", target, "--journal", "changed.journal", "--json"])
    };
    assert_eq!(verify("data", &whole).expect(0).json()["everything_checked"], true);
    let lost = verify("lost", &whole).expect(7).json()["stale"].as_u64().unwrap();
    // Bits of the first record, of one in the middle, of the head, of the last.
    for place in [1024 + 8, 1024 + 16 * 48 + 3, 17, 512 + 17, whole.len() - 1] {
        let mut flipped = whole.clone();
        flipped[place] ^= 1;
        let report = verify("lost", &flipped).expect(7).json();
        assert!(report["stale"].as_u64().unwrap() + 1 >= lost, "byte {place}: {report:#}");
        let sound = verify("data", &flipped).expect(7).json();
        assert_eq!(sound["journal"]["unreadable_records"], u64::from(place >= 1024), "byte {place}");
        assert_eq!((&sound["faulty_blocks"], &sound["everything_checked"]), (&0.into(), &false.into()));
    }
    // Nothing but the head, a half of it, cut in the middle of a record, one record gone, nothing.
    let middle = 1024 + 16 * 100;
    let gone = [&whole[..middle], &whole[middle + 16..]].concat();
    for damaged in [&whole[..1024], &whole[..512], &whole[..middle + 7], &gone] {
        let shown = verify("data", damaged).expect(7).json();
        assert_eq!(shown["everything_checked"], false, "{shown:#}");
        verify("lost", damaged).expect(7);
    }
    verify("lost", &[]).expect(2);
    let shown = scratch.run(&["verify", "data", "--journal", "data"]).expect(2).stderr;
    assert!(shown.contains("are one file"), "{shown}");
}

#[test]
fn cells_tell_of_the_processors_that_other_programs_took() {
    let scratch = Scratch::with("x.toml", &BLOCK.replace("repeats = 6", "repeats = 1"));
    scratch.run(&["run", "x.toml"]).expect(0);
    scratch.run(&["block", "f.dat", "--size", "16MiB", "--rw", "write", "--time", "1s"]).expect(0);
    for run in ["1", "2"] {
        let shown = scratch.run(&["show", run, "--json"]).expect(0).json();
        let shares = metric(&shown, "cpu_others");
        assert!(
            !shares.is_empty() && shares.iter().all(|share| (0.0..=100.0).contains(share)),
            "{run}: {shares:?}"
        );
    }
    // No program takes anything from a load in virtual time.
    scratch.run_in_virtual_time(&["run", "x.toml"]).expect(0);
    assert!(metric(&scratch.run(&["show", "3", "--json"]).expect(0).json(), "cpu_others").is_empty());
}

/// A limit of bytes ends a load with its last answer: a rate up to the start of the last I/O was many times
/// too high, and a late arrival of another worker lengthened it to the whole time.
#[test]
fn a_load_with_a_limit_of_bytes_lasts_until_its_last_answer() {
    let scratch = Scratch::new();
    let drive = ["--drive", "micron-5200-eco-1920g", "--time", "3s"];
    let loads: [&[&str]; 3] = [
        &["--rw", "read", "--bs", "1MiB", "--depth", "32", "--bytes", "32MiB"],
        &["--depth", "32", "--bytes", "40KiB"],
        &["--rate", "1000000", "--bytes", "4MiB"],
    ];
    for load in loads {
        let ran = scratch.run_in_virtual_time(&[&["block", "--no-keep", "--json"], load, &drive].concat());
        let document = ran.expect(0).json();
        let read = &document["read"];
        let ios = read["ios"].as_f64().unwrap();
        let (elapsed_s, iops) = (document["elapsed_s"].as_f64().unwrap(), read["iops"].as_f64().unwrap());
        // A histogram tells it to three digits.
        let longest_s = read["latency_us"]["max"].as_f64().unwrap() / 1e6;
        assert!((longest_s * 0.999..0.2).contains(&elapsed_s), "{elapsed_s} s, {longest_s} s: {load:?}");
        assert!((iops * elapsed_s / ios - 1.0).abs() < 0.01, "{iops} of {ios} in {elapsed_s} s: {load:?}");
        assert_eq!(document["unfinished"], 0, "{load:?}");
    }
}

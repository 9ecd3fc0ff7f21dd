//! A whole run from file to report, through the built binary.

use crate::common::{BLOCK, SMALL, Scratch};
use serde_json::Value;

#[test]
fn a_run_ends_with_verdicts_a_document_and_a_report() {
    let scratch = Scratch::with("x.toml", SMALL);
    let ran = scratch.run(&["run", "x.toml", "--json", "--set", "workload.virtual_users=[2]"]).expect(0);
    let document = ran.json();
    assert_eq!(document["state"], "finished");
    let cells = document["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 4);
    for cell in cells {
        assert_eq!(cell["state"], "done", "{cell:#}");
        assert!(cell["metrics"]["nopm"]["value"].as_f64().unwrap() > 0.0);
        assert!(cell["limiter"].is_string());
    }
    assert!(
        document["comparison"]["contrasts"].as_array().is_some_and(|c| !c.is_empty()),
        "{:#}",
        document["comparison"]
    );
    let report = std::fs::read_to_string(document["report"].as_str().unwrap()).unwrap();
    assert!(
        report.contains("is derived from the TPC-C Benchmark and is not comparable"),
        "the disclaimer stands in the report"
    );
    assert!(!scratch.path().join("drivetrain-data").exists(), "a finished run leaves no data behind");
    the_verbs_that_read(&scratch);
}

/// The example of the guide, shortened, and the same users with keying and think times.
#[test]
fn users_of_sqlite_arrive_at_a_rate_or_key_and_think() {
    let guide = include_str!("../../../../docs/guide/servers.md");
    let example = guide.split("```toml\n").find(|block| block.contains("arrivals_per_second = 100.0"));
    let example = example.and_then(|block| block.split("```").next()).expect("the guide shows it");
    // One loaded database serves both.
    let keyed = "\n[[workload]]\nkind = \"tpcc\"\nname = \"keyed\"\nwarehouses = 1\nvirtual_users = [400]\n\
                 pacing = \"keyed\"\nconnections = 8\nramp_up = \"1s\"\nmeasure = \"4s\"\n";
    let scratch = Scratch::with("x.toml", &format!("{example}{keyed}"));
    let short =
        ["--set", "workload.0.measure=4s", "--set", "design.repeats=1", "--set", "workload.0.warehouses=1"];
    let ran = scratch.run(&[&["run", "x.toml", "--json"], &short[..]].concat()).expect(0).json();
    let number = |cell: &Value, metric: &str| cell["metrics"][metric]["value"].as_f64().expect("a number");
    let of = |workload: &str| {
        let cells = ran["cells"].as_array().unwrap().iter().filter(|cell| cell["workload"] == workload);
        let cells = cells.collect::<Vec<_>>();
        assert_eq!(cells.len(), 2, "{workload}");
        cells
    };
    for cell in of("tpcc") {
        assert_eq!(cell["state"], "done", "{cell:#}");
        // On a machine that other tests keep busy the rate may be out of reach.
        assert!(cell["limiter"].is_string(), "{cell:#}");
        let due = number(cell, "requests_due");
        assert!((300.0..500.0).contains(&due), "{due} of 400 that arrive in four seconds");
        assert!(number(cell, "lateness_p99") >= 0.0 && number(cell, "pool_wait_p99") >= 0.0);
    }
    for cell in of("keyed") {
        // 400 users of whom each sends a transaction in about 21 s; more in the first seconds, as the
        // shortest keying times end first. Without keying each would send hundreds.
        let due = number(cell, "requests_due");
        assert!((30.0..250.0).contains(&due), "{due}: {cell:#}");
    }
}

/// Everything that only reads, on the run just made.
fn the_verbs_that_read(scratch: &Scratch) {
    let listed = scratch.run(&["ls", "--json"]).expect(0).json();
    assert_eq!(listed[0]["cells_done"], 4);
    assert!(scratch.run(&["show"]).expect(0).stdout.contains("nvme"));
    let compared = scratch.run(&["compare", "--json"]).expect(0).json();
    assert!(compared["contrasts"].is_array());
    let csv = scratch.run(&["export"]).expect(0).stdout;
    assert!(csv.lines().count() > 100 && csv.lines().next().unwrap().contains("metric"));
    for line in scratch.run(&["export", "--format", "jsonl"]).expect(0).stdout.lines() {
        serde_json::from_str::<Value>(line).expect("each line is a JSON object");
    }
    assert!(scratch.run(&["export", "--format", "series-csv"]).expect(0).stdout.contains("cpu_idle"));
    let written = scratch.run(&["report", "-o", "page.html"]).expect(0);
    assert!(written.stdout.trim().ends_with("page.html"));
    let imported =
        scratch.run(&["import", "drivetrain.db", "--notebook", "other.db", "--json"]).expect(0).json();
    assert_eq!(imported[0]["run"], 1);
    let copy = scratch.run(&["show", "--json", "--notebook", "other.db"]).expect(0).json();
    assert_eq!(copy["cells"], scratch.run(&["show", "--json"]).expect(0).json()["cells"]);
}

#[test]
fn the_same_seed_gives_the_same_order_of_cells() {
    let scratch = Scratch::with("block.toml", BLOCK);
    let order = |document: &Value| -> Vec<String> {
        let cells = document["cells"].as_array().unwrap();
        cells.iter().map(|c| format!("{} {} {}", c["bed"], c["level"], c["repeat"])).collect()
    };
    let short = ["--set", "design.repeats=3", "--set", "workload.0.ramp_up=0s", "--json"];
    let first = scratch.run_in_virtual_time(&[&["run", "block.toml"], &short[..]].concat()).expect(0).json();
    let second = scratch.run_in_virtual_time(&[&["run", "block.toml"], &short[..]].concat()).expect(0).json();
    let third = scratch
        .run_in_virtual_time(&[&["run", "block.toml", "--seed", "6"], &short[..]].concat())
        .expect(0)
        .json();
    assert_eq!(order(&first), order(&second));
    assert_ne!(order(&first), order(&third));
}

#[test]
fn a_slower_drive_is_a_regression_for_check() {
    let scratch = Scratch::new();
    // Within each run both beds are alike; the runs differ in the drive, by more than any noise can hide.
    let alike = BLOCK.replace("treatment = [\"storage\"]", "treatment = []");
    let fast = alike.replace("micron-5200-eco-1920g", "kingston-dc1500m-960g");
    let slow = fast.replace("kingston-dc1500m-960g", "raid10-10x15k-sas");
    scratch.write("fast.toml", &fast);
    scratch.write("slow.toml", &slow);
    scratch.run_in_virtual_time(&["run", "fast.toml"]).expect(0);
    scratch.run_in_virtual_time(&["run", "slow.toml"]).expect(0);
    let other = scratch.run(&["check", "--run", "2", "--baseline", "1", "--json"]).expect(2).json();
    assert_eq!(other["refused"]["differences"].as_array().unwrap().len(), 2, "{other:#}");
    let gate =
        scratch.run(&["check", "--run", "2", "--baseline", "1", "--treat", "storage", "--json"]).expect(3);
    let gate = gate.json();
    assert_eq!((&gate["exit_code"], &gate["gate"]["outcome"]), (&3.into(), &"regression".into()));
    assert_eq!(gate["gate"]["decided_by"][0]["verdict"], "worse");
    let back = ["check", "--run", "1", "--baseline", "2", "--treat", "storage", "--inconclusive", "pass"];
    scratch.run(&back).expect(0);
}

#[test]
fn a_plan_touches_nothing_and_names_the_published_size() {
    let scratch = Scratch::new();
    let plan = scratch.run(&["plan", "kingston-dc1500m/test-2", "--seed", "1", "--json"]).expect(0).json();
    assert_eq!(plan["cells"].as_array().unwrap().len(), 3 * 10 * 6);
    assert!(
        plan["total_s"].as_f64().unwrap() > 20.0 * 3600.0 && plan["space_bytes"].as_f64().unwrap() > 1e11
    );
    assert_eq!(plan["beds"].as_array().unwrap().len(), 3);
    assert!(plan["beds"][0]["written_bytes"].as_f64().unwrap() > 1e12);
    assert!(std::fs::read_dir(scratch.path()).unwrap().next().is_none(), "planning writes nothing");
    let again = scratch.run(&["plan", "kingston-dc1500m/test-2", "--seed", "1"]).expect(0);
    assert!(again.stdout.contains("of endurance") && again.stdout.contains("order of the cells"));
}

#[test]
fn data_that_no_bed_has_room_for_is_planned_with_a_warning_and_never_loaded() {
    let scratch = Scratch::with("x.toml", SMALL);
    let large = ["x.toml", "--set", "workload.warehouses=1000000"];
    let planned = scratch.run(&[&["plan"], &large[..]].concat()).expect(0);
    let numbers = "no room for bed nvme, sata: the loaded data and the copy of the bed that runs need ";
    assert!(planned.stderr.contains(numbers), "{}", planned.stderr);
    let refused = scratch.run(&[&["run"], &large[..]].concat()).expect(2);
    // The copy takes nothing where it shares the blocks of the golden one.
    let least = ["need at least 184,000.00 GB", "need at least 92,000.00 GB"];
    assert!(least.iter().any(|part| refused.stderr.contains(part)), "{}", refused.stderr);
    for part in ["bed `nvme`, `sata`", "--storage BED=PATH", "--scale small"] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    let names = std::fs::read_dir(scratch.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["x.toml"], "nothing is made");
}

#[test]
fn block_runs_directly_on_a_model_a_null_engine_and_a_file() {
    let scratch = Scratch::with("data", &"x".repeat(8 << 20));
    let modelled = scratch
        .run(&["block", "--drive", "kingston-dc1500m-960g", "--depth", "4", "--time", "300ms", "--json"])
        .expect(0)
        .json();
    assert!(modelled["iops"].as_f64().unwrap() > 1000.0);
    let null = scratch.run(&["block", "--engine", "null", "--time", "200ms", "--json"]).expect(0).json();
    assert!(null["cpu_per_io_ns"].as_f64().unwrap() > 0.0);
    let read = scratch.run(&["block", "--buffered", "--time", "200ms", "data", "--json"]).expect(0).json();
    assert_eq!(read["errors"], 0);
    let written = [
        "block",
        "--rw",
        "randwrite",
        "--buffered",
        "--size",
        "16MiB",
        "--time",
        "300ms",
        "--verify",
        "new.dat",
        "--json",
    ];
    let written = scratch.run(&written).expect(0).json();
    assert!(written["write"]["ios"].as_u64().unwrap() > 0 && written["verified"].is_string(), "{written:#}");
    assert!(!scratch.path().join("new.dat").exists(), "the file that was made goes away again");
}

#[test]
fn drives_schema_completions_and_man_pages_print() {
    let scratch = Scratch::new();
    assert!(scratch.run(&["drives"]).expect(0).stdout.contains("kingston-dc1500m-960g"));
    let shown = scratch.run(&["drives", "micron-5200-eco-1920g"]).expect(0).stdout;
    assert!(shown.contains("GUESS"), "guesses are marked: {shown}");
    assert!(scratch.run(&["schema"]).expect(0).json()["properties"]["bed"].is_object());
    assert!(scratch.run(&["completions", "bash"]).expect(0).stdout.contains("drivetrain"));
    scratch.run(&["man", "pages"]).expect(0);
    assert!(scratch.path().join("pages/drivetrain-run.1").exists());
    assert!(scratch.run(&["init", "--list"]).expect(0).stdout.contains("kingston-dc1500m/test-1"));
    let doctor = scratch.run(&["doctor", "--json"]);
    assert!(doctor.json().as_array().is_some_and(|checks| checks.len() >= 20));
}

/// Data that are checked by their path would be looked for in the folder of somebody else.
#[test]
fn a_storage_that_is_swapped_for_a_link_is_not_followed() {
    let scratch = Scratch::with(
        "swapped.toml",
        "schema = 1\ntitle = \"Swapped\"\n[[bed]]\nname = \"a\"\nstorage = { real = \"disk\" }\n\
         [database]\nengine = \"sqlite\"\nmemory = \"8MiB\"\n[[workload]]\nkind = \"sysbench\"\n\
         test = \"oltp_read_write\"\ntables = 1\nrows = 500\nthreads = [1]\nramp_up = \"100ms\"\n\
         measure = \"4s\"\n[design]\nrepeats = 1\n",
    );
    let (disk, foreign) = (scratch.path().join("disk"), scratch.path().join("foreign"));
    std::fs::create_dir(&disk).unwrap();
    std::fs::create_dir(&foreign).unwrap();
    let mut command = scratch.command(&["run", "swapped.toml", "--quiet"]);
    let mut child =
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let files = || std::fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap().map_while(Result::ok);
    let is_data = |file: std::fs::DirEntry| {
        let target = std::fs::read_link(file.path()).unwrap_or_default();
        target.ends_with("bed-a-1/database.sqlite")
    };
    while !files().any(is_data) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // The load is under way.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    std::fs::rename(disk.join("drivetrain-data"), disk.join("moved")).unwrap();
    std::os::unix::fs::symlink(&foreign, disk.join("drivetrain-data")).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(7));
    assert_eq!(std::fs::read_dir(&foreign).unwrap().count(), 0, "nothing is made behind the link");
    let cell = scratch.run(&["show", "1", "--json"]).expect(0).json()["cells"][0].clone();
    assert_eq!(cell["state"], "invalid", "{cell:#}");
    assert!(cell["reason"].as_str().unwrap().contains("was moved to"), "{cell:#}");
}

//! `block` and `replay` keep their results: as runs that every verb reads, and as they end on a terminal.

use std::time::Duration;

use crate::common::{self, Ran, Scratch};
use crate::terminal::Terminal;

const FAST: &str = "kingston-dc1500m-960g";
const SLOW: &str = "micron-5200-eco-1920g";

/// A block load on a modelled drive, in virtual time.
fn block(scratch: &Scratch, more: &[&str]) -> Ran {
    let load = ["block", "--drive", FAST, "--rw", "randread", "--time", "2s"];
    scratch.run_in_virtual_time(&[&load[..], more].concat())
}

fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_load_is_kept_as_a_run_of_one_cell() {
    let scratch = Scratch::new();
    let labels = ["--name", "a first look", "--tag", "good", "--note", "in the lab", "--seed", "9"];
    let ended = block(&scratch, &labels).expect(0).stdout;
    let shown = scratch.run(&["show", "--json"]).expect(0).json();
    let cell = &shown["cells"][0];
    assert_eq!(
        (&shown["name"], &shown["realm"], &shown["seed"]),
        (&FAST.into(), &"emulated".into(), &9.into())
    );
    assert_eq!(
        (&cell["bed"], &cell["workload"], &cell["state"]),
        (&"target".into(), &"block".into(), &"done".into())
    );
    assert_eq!(
        (&cell["level"], &cell["level_name"], &cell["limiter"]),
        (&32.0.into(), &"depth".into(), &"drive".into())
    );
    for metric in
        ["iops", "latency_p99", "latency_p99999", "bandwidth", "cpu_per_io", "late_completions", "errors"]
    {
        assert!(cell["metrics"][metric]["value"].is_number(), "{metric}: {cell:#}");
    }
    let line = shown["facts"]["command"]["line"].as_str().unwrap();
    assert!(
        line.starts_with("drivetrain block --drive kingston-dc1500m-960g --rw randread")
            && line.contains("'a first look'"),
        "{line}"
    );
    assert!(shown["tool_version"].as_str().unwrap().starts_with("drivetrain "), "{shown:#}");
    let listed = scratch.run(&["ls"]).expect(0).stdout;
    assert!(
        listed.contains("[good] \"a first look\"")
            && listed.contains("randread 4k at queue depth 32 on Kingston"),
        "{listed}"
    );
    assert!(scratch.run(&["note", "good"]).expect(0).stdout.contains("in the lab"));
    // It ends as `run` does: answer, one table, report, next command.
    let iops = cell["metrics"]["iops"]["value"].as_f64().unwrap();
    assert!(
        unwrapped(&ended)
            .contains("reached 262,000 I/O operations per second (1 repeat, so without an interval)")
            && (iops / 262e3 - 1.0).abs() < 0.01,
        "{ended}"
    );
    let head = ended.lines().find(|line| line.contains("p99.9 (ms)")).unwrap();
    assert_eq!(
        head.split("  ").filter(|part| !part.is_empty()).map(str::trim).collect::<Vec<_>>(),
        [
            "depth",
            "bed",
            "IOPS",
            "MB/s",
            "mean (ms)",
            "p50 (ms)",
            "p99 (ms)",
            "p99.9 (ms)",
            "errors",
            "limited by"
        ]
    );
    let report = scratch.report("drivetrain-report-1-");
    assert!(ended.contains(&format!("report: {}", report.canonicalize().unwrap().display())), "{ended}");
    assert!(ended.ends_with("next: drivetrain show 1 --full\n") && ended.lines().count() <= 20, "{ended}");
    let page = std::fs::read_to_string(report).unwrap();
    assert!(
        page.contains("This command made the run.") && page.contains("--note &#39;in the lab&#39;"),
        "the command is on the page"
    );
    assert!(page.contains("no byte moves") && !page.contains("experiment.toml --set"));
    for verb in [
        &["export"][..],
        &["export", "--format", "fio-json"],
        &["report", "--format", "markdown"],
        &["trend", FAST],
    ] {
        scratch.run(verb).expect(0);
    }
    let details = block(&scratch, &["--full", "--fsync", "8", "--rw", "randrw", "--no-keep"]);
    assert_eq!(details.code, Some(2), "one option twice: {details:#?}");
}

#[test]
fn two_loads_are_compared_though_one_repeat_has_no_interval() {
    let scratch = Scratch::new();
    block(&scratch, &["--tag", "good"]).expect(0);
    block(&scratch, &["--seed", "2"]).expect(0);
    let compared = scratch.run(&["compare", "2", "1"]).expect(0).stdout;
    assert!(
        unwrapped(&compared).contains("At queue depth 32, Kingston DC1500M 960 GB in run 2 reached 26"),
        "{compared}"
    );
    assert!(unwrapped(&compared).contains("(one repeat each, so without an interval)"), "{compared}");
    let row = compared.lines().find(|line| line.trim_start().starts_with("IOPS")).unwrap();
    assert!(row.contains("1.00x") && row.contains("no interval") && row.contains("not judged"), "{compared}");
    let document = scratch.run(&["compare", "2", "1", "--json"]).expect(0).json();
    assert!(document["not_judged"][0]["values"][1].as_f64().unwrap() > 1e5, "{document:#}");
    assert!(
        document["nuisances"].as_array().unwrap().is_empty(),
        "the command is no surrounding: {document:#}"
    );
    let checked = scratch.run(&["check", "--baseline", "last-good"]).expect(4).stdout;
    assert!(checked.starts_with("UNDECIDED") && checked.contains("not 1 and 1"), "{checked}");
    // Another drive is another storage, and another load another request.
    let slow = ["block", "--drive", SLOW, "--rw", "randread", "--time", "2s"];
    scratch.run_in_virtual_time(&slow).expect(0);
    let refused = scratch.run(&["compare", "3", "1"]).expect(2).stderr;
    assert!(refused.contains("--treat bed.storage") && !refused.contains("workload"), "{refused}");
    let treated = scratch.run(&["compare", "3", "1", "--treat", "storage"]).expect(0).stdout;
    assert!(
        unwrapped(&treated).contains("in run 3 reached 93,300 I/O operations per second against 262,000 of Kingston DC1500M 960 GB in run 1"),
        "{treated}"
    );
    assert!(
        unwrapped(&treated).contains("Micron 5200 ECO 1920 GB in run 3"),
        "each run has its own name: {treated}"
    );
    block(&scratch, &["--bs", "8k"]).expect(0);
    let refused = scratch.run(&["compare", "4", "1"]).expect(2).stderr;
    assert!(refused.contains("workload.block.stream.1.block_size: 4KiB -> 8KiB"), "{refused}");
}

/// Every way to shape a load is in the record of its run, which every verb reads again.
#[test]
fn every_shape_of_a_load_is_recorded() {
    let scratch = Scratch::new();
    let shapes: [(&[&str], &str); 9] = [
        (&["--rate", "500", "--arrivals", "fixed"], "rate = [500.0]"),
        (&["--burst", "100/500ms", "--depth-max", "8"], "burst"),
        (&["--think", "1ms/8", "--workers", "2"], "think"),
        (&["--bytes", "1MiB"], "bytes = \"1MiB\""),
        (&["--hot", "20/80", "--workers", "3", "--depth", "2"], "hot_spot"),
        (&["--zipf", "1.2", "--bs", "4k:60,64k:40"], "zipf = 1.2"),
        (&["--shuffled", "--time", "100ms"], "measure = \"100ms\""),
        (&["--bs", "32m", "--time", "100ms"], "block_size = \"32MiB\""),
        (&["--size", "64MiB", "--ramp", "1s"], "size = \"64MiB\""),
    ];
    for (number, (shape, key)) in (1..).zip(&shapes) {
        let load = ["block", "--drive", FAST, "--rw", "randread", "--json"];
        let time: &[&str] = if shape.contains(&"--time") { &[] } else { &["--time", "1s"] };
        let ran = scratch.run_in_virtual_time(&[&load[..], shape, time].concat()).expect(0);
        assert_eq!((ran.stderr.as_str(), &ran.json()["run"]), ("", &number.into()), "{shape:?}");
        let page = scratch.report(&format!("drivetrain-report-{number}-"));
        let page = std::fs::read_to_string(page).unwrap().replace("&quot;", "\"");
        assert!(page.contains(key), "{key} of {shape:?}");
        // Whoever reads the run again reads its experiment.
        scratch.run(&["export", &number.to_string(), "--format", "fio-json"]).expect(0);
    }
    let writes = [
        "block",
        "--drive",
        FAST,
        "--rw",
        "randrw",
        "--read",
        "70",
        "--fdatasync",
        "4",
        "--compressible",
        "50",
    ];
    scratch.run_in_virtual_time(&[&writes[..], &["--time", "1s", "--full"]].concat()).expect(0);
    let cell = scratch.run(&["show", "--json"]).expect(0).json()["cells"][0]["metrics"].clone();
    assert!(
        cell["flush_latency_p99"]["value"].is_number() && cell["write_iops"]["value"].is_number(),
        "{cell:#}"
    );
}

#[test]
fn nothing_is_kept_where_nobody_wants_it_or_nothing_can_be() {
    let scratch = Scratch::new();
    let unkept = block(&scratch, &["--no-keep"]).expect(0);
    assert!(unkept.stdout.contains("limited by") && !unkept.stdout.contains("next:"), "{unkept:#?}");
    let document = block(&scratch, &["--no-keep", "--json"]).expect(0).json();
    assert!(
        document["run"].is_null() && document["report"].is_null() && document["iops"].is_number(),
        "{document:#}"
    );
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is made");
    assert!(block(&scratch, &["--no-keep", "--tag", "good"]).expect(2).stderr.contains("--tag"));
    // A file that is no notebook stays as it is, and the result is told all the same.
    scratch.write("drivetrain.db", "thesis");
    let warned = block(&scratch, &["--json"]).expect(0);
    assert_eq!(warned.stderr.matches("warning: ").count(), 1, "{}", warned.stderr);
    assert!(
        warned.stderr.contains("printed and not kept") && warned.stderr.contains("drivetrain.db"),
        "{}",
        warned.stderr
    );
    let document = warned.json();
    assert!(
        document["run"].is_null() && document["report"].is_null() && document["iops"].is_number(),
        "{document:#}"
    );
    assert_eq!(std::fs::read_to_string(scratch.path().join("drivetrain.db")).unwrap(), "thesis");
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
    // A notebook that another process writes all the time.
    std::fs::remove_file(scratch.path().join("drivetrain.db")).unwrap();
    let kept = block(&scratch, &["--json"]).expect(0).json();
    assert_eq!(kept["run"], 1);
    assert!(std::path::Path::new(kept["report"].as_str().unwrap()).is_file(), "{kept:#}");
    let _writer = notebook::Notebook::open_or_create(scratch.path().join("drivetrain.db")).unwrap();
    let refused = block(&scratch, &[]).expect(0);
    assert!(
        refused.stderr.contains("the result is not kept: ") && refused.stdout.contains("limited by"),
        "{refused:#?}"
    );
}

/// Loads on several drives begin and end at one moment.
#[test]
fn loads_that_run_together_are_all_kept() {
    let scratch = Scratch::new();
    let load = ["block", "--engine", "null", "--time", "200ms", "--depth", "1", "--json"];
    let start = |_| {
        let mut command = scratch.command(&load);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..4).map(start).collect();
    let ended = children.into_iter().map(|child| Ran::from(child.wait_with_output().unwrap()).expect(0));
    let mut runs: Vec<i64> = ended.map(|ran| ran.json()["run"].as_i64().expect("it is kept")).collect();
    runs.sort_unstable();
    assert_eq!(runs, [1, 2, 3, 4]);
    assert_eq!(scratch.run(&["ls", "--json"]).expect(0).json().as_array().unwrap().len(), 4);
}

#[test]
fn a_stopped_load_keeps_what_it_measured_and_has_nothing_to_resume() {
    let scratch = Scratch::new();
    let load =
        ["block", "--engine", "null", "--time", "10min", "--ramp", "0s", "--depth", "2", "--rate", "1000"];
    let mut command = scratch.command(&load);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500)); // Its time is what it measures.
    common::interrupt(&child);
    let stopped = Ran::from(child.wait_with_output().unwrap()).expect(130);
    assert!(
        unwrapped(&stopped.stdout).contains("The load was stopped before its end")
            && stopped.stdout.contains("p99.9 (ms)"),
        "{stopped:#?}"
    );
    assert!(!stopped.stdout.contains("resume"), "{}", stopped.stdout);
    let shown = scratch.run(&["show", "--json"]).expect(0).json();
    assert_eq!(
        (&shown["state"], &shown["cells"][0]["state"]),
        (&"interrupted".into(), &"interrupted".into())
    );
    assert!(shown["cells"][0]["metrics"]["iops"]["value"].as_f64().unwrap() > 500.0, "{shown:#}");
    assert!(shown["notes"].to_string().contains("No I/O was done"), "{shown:#}");
    for more in [&[][..], &["--repeats", "3"], &["--cells", "1"]] {
        let refused = scratch.run(&[&["resume"], more].concat()).expect(1);
        assert!(
            refused.stderr.contains("run 1: it is the result of one command")
                && refused.stderr.lines().count() == 1,
            "{}",
            refused.stderr
        );
        assert!(refused.stderr.contains("drivetrain block --engine null --time 10min"), "{}", refused.stderr);
    }
    assert!(scratch.run(&["clean"]).expect(0).stdout.contains("nothing is left"));
    // A finished one neither.
    block(&scratch, &[]).expect(0);
    assert!(scratch.run(&["resume", "2"]).expect(1).stderr.contains("nothing to resume"));
    scratch.run(&["rm", "1", "2", "--yes"]).expect(0);
}

const TRACE: &str = "fio version 3 iolog\n0 /f write 4096 4096\n5 /f read 0 8192\nbroken\n9 /f trim 0 512\n12 /f read 99999999 512\n";

#[test]
fn a_replay_is_kept_with_its_trace_and_what_did_not_fit() {
    let scratch = Scratch::with("io.log", TRACE);
    scratch.write("read.dat", &"x".repeat(10_000));
    let target = ["new.dat", "--size", "16MiB", "--buffered"];
    let replay = |trace: &str, more: &[&str]| scratch.run(&[&["replay", trace], &target[..], more].concat());
    let ended = replay("io.log", &["--speed", "0.5", "--tag", "slow"]).expect(0).stdout;
    assert!(unwrapped(&ended).contains("At 0.500 times the recorded speed, new.dat reached"), "{ended}");
    for note in
        ["note: 1 I/O beyond the end of the target", "note: 1 line of the trace could not be read, line 4: "]
    {
        assert!(ended.contains(note), "{note}: {ended}");
    }
    let shown = scratch.run(&["show", "slow", "--json"]).expect(0).json();
    assert_eq!((&shown["title"], &shown["realm"]), (&"replay of io.log on new.dat".into(), &"real".into()));
    let cell = &shown["cells"][0];
    assert_eq!(
        (&cell["workload"], &cell["level"], &cell["level_name"]),
        (&"replay".into(), &0.5.into(), &"speed".into())
    );
    assert!(shown["facts"]["host"]["cpu.model"].is_string(), "the machine is known: {shown:#}");
    let notes = shown["notes"].to_string();
    for note in [
        "those of the trace io.log (fio iolog, 6 lines)",
        "scaled: 0.5 times as fast as recorded",
        "1 I/O beyond the end",
    ] {
        assert!(notes.contains(note), "{note}: {notes}");
    }
    let page = std::fs::read_to_string(scratch.report("drivetrain-report-1-")).unwrap();
    assert!(
        page.contains("replay of io.log on new.dat") && page.contains("those of the trace io.log"),
        "the trace is named"
    );
    let full = replay("io.log", &["--fast", "--full"]).expect(0).stdout;
    assert!(full.contains("\n  lag ") && full.contains("I/Os in "), "{full}");
    let reads = scratch
        .run(&["replay", "io.log", "read.dat", "--reads-only", "--buffered", "--fast", "--json"])
        .expect(0)
        .json();
    assert_eq!((&reads["skipped"], &reads["run"]), (&2.into(), &3.into()), "{reads:#}");
    assert!(scratch.run(&["show", "--json"]).expect(0).stdout.contains("2 I/Os left out"));
    // The same trace again is the same request; another of the same name is not.
    replay("io.log", &["--fast"]).expect(0);
    let compared = scratch.run(&["compare", "4", "2"]).expect(0).stdout;
    assert!(unwrapped(&compared).contains("(one repeat each, so without an interval)"), "{compared}");
    scratch.write("io.log", &TRACE.replace("read 0 8192", "read 0 4096"));
    replay("io.log", &["--fast"]).expect(0);
    let refused = scratch.run(&["compare", "5", "2"]).expect(2).stderr;
    assert!(
        refused.contains("trace.checksum")
            && refused.lines().filter(|line| line.starts_with("  - ")).count() == 1,
        "{refused}"
    );
    let fio = scratch.run(&["export", "4", "--format", "fio-json"]).expect(0).json();
    assert_eq!(fio["jobs"][0]["job options"]["rw"], "randrw", "{fio:#}");
}

#[test]
fn results_of_loads_are_told_in_every_language() {
    let scratch = Scratch::with("io.log", TRACE);
    for (language, words) in [("ko", "검증"), ("zh", "校验"), ("id", "diverifikasi")] {
        let load = [
            "block",
            "--rw",
            "randrw",
            "--verify",
            "--buffered",
            "--size",
            "4MiB",
            "--time",
            "100ms",
            "new.dat",
        ];
        let told = scratch.run(&[&load[..], &["--full", "--language", language]].concat()).expect(0).stdout;
        assert!(told.contains(words) && !told.contains("verified") && !told.contains("our own"), "{told}");
        let replay = ["replay", "io.log", "new.dat", "--size", "4MiB", "--buffered", "--fast", "--no-keep"];
        let told = scratch.run(&[&replay[..], &["--language", language]].concat()).expect(0).stdout;
        assert!(!told.contains("beyond the end") && !told.contains("note: "), "{told}");
    }
}

#[test]
fn clean_lists_what_a_load_kept_and_asks_before_it_goes() {
    let scratch = Scratch::new();
    let load = ["block", "--rw", "randwrite", "--buffered", "--size", "4MiB", "--time", "100ms", "kept.dat"];
    scratch.run(&[&load[..], &["--keep"]].concat()).expect(0);
    scratch.write("notes.dat", "work of years");
    let file = scratch.path().join("kept.dat");
    let told = scratch.run(&["clean"]).expect(0).stdout;
    for part in ["kept       target", "4.2 MB", "kept.dat", "run 1 made it", "4.2 MB kept"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains("notes.dat") && file.exists(), "{told}");
    let asked = |typed: &str, more: &[&str]| {
        let terminal = Terminal::with_typed(typed);
        let mut command = scratch.command(&[&["clean", "kept.dat"], more].concat());
        let ended = terminal.start(&mut command).wait().unwrap();
        assert_eq!(ended.code(), Some(0));
        file.exists()
    };
    assert!(asked("n\n", &[]) && asked("\n", &[]), "nobody said yes");
    assert!(asked("y\n", &["--dry-run"]));
    assert!(!asked("y\n", &[]));
    scratch.run(&[&load[..], &["--keep"]].concat()).expect(0);
    assert!(!asked("", &["--yes"]), "nobody is asked");
    assert!(!scratch.run(&["clean"]).expect(0).stdout.contains("kept.dat"));
    let foreign = scratch.run(&["clean", "notes.dat", "--yes"]).expect(6);
    assert!(foreign.stdout.contains("no folder that drivetrain made"), "{}", foreign.stdout);
}

//! Results of other programs as runs, and their counters beside a run.

use std::process::Command;

use serde_json::Value;

use crate::common::{BLOCK, Scratch};

/// A test file of the crate that reads them: real output where its program runs on Linux.
fn data(name: &str) -> String {
    format!("{}/../jobfile/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn text(name: &str) -> String {
    std::fs::read_to_string(data(name)).unwrap()
}

const RESULTS: [(&str, &str, usize); 5] = [
    ("hammerdb.json", "HammerDB 6.0", 1),
    ("fio.json", "fio 3.33", 3),
    ("fio-plus.json", "fio 3.33", 2),
    ("sysbench-levels.txt", "sysbench 1.0.20", 2),
    ("pgbench-levels.txt", "pgbench 15.18", 2),
];

#[test]
fn results_become_runs_that_are_marked_everywhere() {
    let scratch = Scratch::new();
    let files: Vec<String> = RESULTS.iter().map(|(name, ..)| data(name)).collect();
    let mut arguments = vec!["import", "--tag", "lab"];
    arguments.extend(files.iter().map(String::as_str));
    let imported = scratch.run(&[&arguments[..], &["--json"]].concat()).expect(0).json();
    for (index, (_, program, cells)) in RESULTS.iter().enumerate() {
        let one = &imported[index];
        assert_eq!((&one["run"], &one["cells"]), (&(index + 1).into(), &(*cells).into()), "{one:#}");
        assert_eq!((one["program"].as_str(), one["realm"].as_str()), (Some(*program), Some("imported")));
        let run = (index + 1).to_string();
        let shown = scratch.run(&["show", &run]).expect(0).stdout.replace('\n', " ");
        assert!(shown.contains(&format!("imported from {program}")), "{shown}");
        let show = scratch.run(&["show", &run, "--json"]).expect(0).json();
        assert_eq!(
            (show["realm"].as_str(), show["tool_version"].as_str()),
            (Some("imported"), Some(*program))
        );
        scratch.run(&["report", &run, "--output", &format!("{run}.html")]).expect(0);
        let page = std::fs::read_to_string(scratch.path().join(format!("{run}.html"))).unwrap();
        assert!(
            page.contains(&format!("imported from {program}")) && page.contains("another program measured")
        );
        assert!(!page.contains("seed ") && !page.contains("drivetrain run "), "it cannot be repeated");
        let csv = scratch.run(&["export", &run]).expect(0).stdout;
        assert!(csv.lines().skip(1).all(|line| line.ends_with(",imported,1")), "{csv}");
    }
    let listed = scratch.run(&["ls", "--realm", "imported", "--tag", "lab", "--json"]).expect(0).json();
    assert_eq!(listed.as_array().unwrap().len(), RESULTS.len());
    assert_eq!(listed[1]["name"], "fio-3.33");
    assert!(scratch.run(&["ls"]).expect(0).stdout.contains("  imported "));
}

#[test]
fn a_file_is_imported_once_under_any_name_and_time() {
    let scratch = Scratch::with("another-name", &text("sysbench-levels.txt"));
    let first = scratch.run(&["import", &data("sysbench-levels.txt"), "--json"]).expect(0).json();
    let again =
        scratch.run(&["import", "another-name", "--started", "2020-01-01T00:00:00Z"]).expect(0).stdout;
    assert!(again.contains("is run 1 here") && again.contains("already"), "{again}");
    let elsewhere =
        ["import", "another-name", "--notebook", "other.db", "--started", "2020-01-01T00:00:00Z", "--json"];
    let elsewhere = scratch.run(&elsewhere).expect(0).json();
    assert_eq!(first[0]["id"], elsewhere[0]["id"], "one id in every notebook");
    let copied = scratch.run(&["import", "other.db", "--json"]).expect(0).json();
    assert_eq!((&copied[0]["run"], &copied[0]["was_here"]), (&1.into(), &true.into()));
    assert_eq!(scratch.run(&["ls", "--json"]).expect(0).json().as_array().unwrap().len(), 1);
    let started = scratch.run(&["show", "1", "--notebook", "other.db", "--json"]).expect(0).json();
    assert_eq!(started["started_at"], "2020-01-01T00:00:00.000Z");
}

fn metric(show: &Value, cell: usize, name: &str) -> f64 {
    show["cells"][cell]["metrics"][name]["value"].as_f64().unwrap_or_else(|| panic!("no {name}: {show:#}"))
}

#[test]
fn what_fio_measures_here_is_what_the_run_says() {
    let Some(fio) = testkit::need::program("fio") else { return };
    let scratch = Scratch::new();
    let job = ["--name=quick", "--rw=randread", "--bs=4k", "--size=4m", "--number_ios=200", "--iodepth=2"];
    let options = ["--output-format=json+", "--output=out.json", "--ioengine=psync", "--filename=fio.dat"];
    let ran = Command::new(fio).args(job).args(options).current_dir(scratch.path()).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    scratch.run(&["import", "out.json"]).expect(0);
    let file: Value =
        serde_json::from_str(&std::fs::read_to_string(scratch.path().join("out.json")).unwrap()).unwrap();
    let (read, show) = (&file["jobs"][0]["read"], scratch.run(&["show", "1", "--json"]).expect(0).json());
    let latency = &read["clat_ns"];
    for (name, told) in [
        ("iops", read["iops"].as_f64().unwrap()),
        ("bandwidth", read["bw_bytes"].as_f64().unwrap() / 1e6),
        ("latency_p99", latency["percentile"]["99.000000"].as_f64().unwrap() / 1e6),
        ("latency_mean", latency["mean"].as_f64().unwrap() / 1e6),
    ] {
        // But for the last digit: units are changed by a product, where this test divides.
        let measured = metric(&show, 0, name);
        assert!((measured - told).abs() <= told * 1e-12, "{name}: {measured} and {told}");
    }
    assert_eq!(
        show["cells"][0]["level"], 1.0,
        "a call at a time keeps one I/O under way, whatever was asked for"
    );
}

#[test]
fn our_own_export_for_fio_comes_back_with_its_figures() {
    let scratch = Scratch::with("x.toml", &BLOCK.replace("repeats = 6", "repeats = 1"));
    scratch.run_in_virtual_time(&["run", "x.toml"]).expect(0);
    scratch.run(&["export", "--format", "fio-json", "-o", "all.json"]).expect(0);
    scratch.run(&["import", "all.json", "--notebook", "back.db"]).expect(0);
    let own = scratch.run(&["show", "1", "--json"]).expect(0).json();
    let back = scratch.run(&["show", "1", "--notebook", "back.db", "--json"]).expect(0).json();
    // Two beds of one workload are two jobs of one name.
    assert_eq!(back["cells"].as_array().unwrap().len(), own["cells"].as_array().unwrap().len());
    for cell in 0..2 {
        assert_eq!(metric(&back, cell, "iops"), metric(&own, cell, "iops"));
        for name in ["latency_mean", "latency_p50", "latency_p99"] {
            let (there, here) = (metric(&back, cell, name), metric(&own, cell, name));
            assert!((there - here).abs() <= here * 1e-3, "{name}: {there} {here}");
        }
    }
}

#[test]
fn imported_runs_are_compared_where_their_loads_are_the_same() {
    // The counts of transactions and their rates, of 6.0037 s.
    let outputs = |counts: [u32; 4]| -> String {
        let one = |count: &u32| {
            let stated = format!("{count}   ({:.2} per", f64::from(*count) / 6.0037);
            text("sysbench-levels.txt").replace("1025   (170.69 per", &stated)
        };
        counts.iter().map(one).collect()
    };
    let scratch = Scratch::with("before", &outputs([1021, 1026, 1028, 1023]));
    scratch.write("after", &outputs([722, 728, 720, 725]));
    scratch.run(&["import", "before", "after"]).expect(0);
    let verdict = scratch.run(&["check", "--run", "2", "--baseline", "1"]).expect(3).stdout;
    assert!(verdict.starts_with("FAIL") && verdict.contains("1 thread on"), "{verdict}");
    let compared = scratch.run(&["compare", "2", "1", "--full"]).expect(0).stdout;
    assert!(compared.contains("Imported: another program"), "{compared}");
    // Another load is refused, and named.
    scratch.write("other.json", &text("fio.json").replace("\"bs\" : \"4k\"", "\"bs\" : \"16k\""));
    scratch.run(&["import", &data("fio.json"), "other.json"]).expect(0);
    let refused = scratch.run(&["compare", "4", "3"]).expect(2).stderr;
    assert!(refused.contains("asked.job.randread-4k.bs: 4k -> 16k"), "{refused}");
    scratch.run(&["compare", "4", "3", "--treat", "asked.job.bs"]).expect(0);
    // Nor is an imported run one of ours.
    scratch.write("x.toml", &BLOCK.replace("repeats = 6", "repeats = 1"));
    scratch.run_in_virtual_time(&["run", "x.toml"]).expect(0);
    let refused = scratch.run(&["compare", "5", "3"]).expect(2).stderr;
    assert!(refused.contains("realm: imported -> emulated"), "{refused}");
}

#[test]
fn an_imported_run_is_not_gone_on_with_and_is_removed_like_any_other() {
    let scratch = Scratch::new();
    scratch.run(&["import", &data("fio.json"), "--name", "from the lab"]).expect(0);
    for arguments in [
        &["resume", "1", "--repeats", "2"][..],
        &["resume", "1"],
        &["predict", "1", "--drive", "kingston-dc1500m-960g"],
        &["export", "1", "--format", "fio-json"],
    ] {
        let refused = scratch.run(arguments);
        assert_ne!(refused.code, Some(0), "{arguments:?}");
        assert!(
            refused.stderr.contains("measured by fio 3.33 and imported"),
            "{arguments:?}: {}",
            refused.stderr
        );
    }
    assert!(scratch.run(&["clean", "--dry-run"]).expect(0).stdout.contains("nothing is left"));
    scratch.run(&["rm", "from the lab", "--yes"]).expect(0);
    let again = scratch.run(&["import", &data("fio.json"), "--json"]).expect(0).json();
    assert_eq!((&again[0]["run"], &again[0]["was_here"]), (&2.into(), &false.into()));
}

#[test]
fn counters_are_drawn_and_exported_beside_the_cells() {
    let scratch = Scratch::new();
    scratch.run(&["import", &data("hammerdb.json")]).expect(0);
    let perfmon = data("perfmon.csv");
    let listed = scratch.run(&["import", "--beside", "1", &perfmon]).expect(2);
    assert_eq!(listed.stdout.lines().count(), 5, "{}", listed.stdout);
    assert!(listed.stderr.contains("5 of the 6 counters") && listed.stderr.contains("nothing was added"));
    assert!(listed.stderr.contains("choose counters with --counter"), "{}", listed.stderr);
    let listed = scratch.run(&["import", "--beside", "1", &perfmon, "--json"]).expect(2).json();
    assert_eq!((listed["counters"].as_array().unwrap().len(), &listed["exit_code"]), (5, &2.into()));
    let chosen =
        ["import", "--beside", "1", &perfmon, "--counter", r"*\Disk Reads/sec", "--counter", r"\Processor(*"];
    let added = scratch.run(&chosen).expect(0).stdout;
    assert!(
        added.contains("3 series of 3 counters") && added.contains("UTC-08:00, as the file states"),
        "{added}"
    );
    let again = scratch.run(&[&chosen[..], &["--json"]].concat()).expect(0).json();
    assert_eq!((&again["series"], &again["were_here"]), (&0.into(), &3.into()));
    let csv = scratch.run(&["export", "1", "--format", "series-csv"]).expect(0).stdout;
    let name = r"beside:\\SQL1\PhysicalDisk(0 C:)\Disk Reads/sec";
    // Of the ten seconds from the start: samples of 5 s.
    let values: Vec<&str> =
        csv.lines().filter(|line| line.contains(name)).map(|line| line.split(',').nth(8).unwrap()).collect();
    assert_eq!((values.len(), values[2], values[9]), (130, "1005", "1010"), "{values:?}");
    scratch.run(&["report", "1", "--output", "r.html"]).expect(0);
    let page = std::fs::read_to_string(scratch.path().join("r.html")).unwrap();
    assert!(
        page.contains("Counters of other programs")
            && page.contains(r"\\SQL1\Processor(_Total)\% Processor Time")
    );
    let facts = &scratch.run(&["show", "1", "--json"]).expect(0).json()["facts"]["beside:perfmon.csv"];
    assert_eq!((facts["zone"].as_str(), facts["zone.from"].as_str()), (Some("UTC-08:00"), Some("the file")));
    // A file without a zone, moved by its user.
    let typeperf = data("typeperf.csv");
    let refused = scratch.run(&["import", "--beside", "1", &typeperf, "--counter", "*"]).expect(2).stderr;
    assert!(refused.contains("does not state the time zone") && refused.contains("--zone"), "{refused}");
    let of_another = ["import", "--beside", "1", &typeperf, "--counter", "*", "--zone", "-08:00"];
    let refused = scratch.run(&of_another).expect(1).stderr;
    assert!(refused.contains("cell 1 already has another series"), "{refused}");
}

#[test]
fn counters_of_another_time_are_refused_with_both_spans() {
    let scratch = Scratch::new();
    scratch.run(&["import", &data("hammerdb.json")]).expect(0);
    let sadf = data("sadf.csv");
    let chosen = ["import", "--beside", "1", &sadf, "--counter", "*iowait"];
    let refused = scratch.run(&chosen).expect(2).stderr;
    for part in [
        "the file spans 2026-11-25 22:02:21 UTC to 2026-11-25 22:02:40 UTC",
        "the run 2026-11-25 10:00:00 UTC to 2026-11-25 10:02:10 UTC",
        "--offset",
    ] {
        assert!(refused.contains(part), "{refused}");
    }
    scratch.run(&[&chosen[..], &["--offset", "-43300"]].concat()).expect(0);
    let none = scratch.run(&["import", "--beside", "1", &sadf, "--counter", "nothing"]).expect(2).stderr;
    assert!(none.contains("none of its") && none.contains("fits --counter"), "{none}");
    scratch.write("x.toml", BLOCK);
    scratch.run(&["run", "x.toml", "--realm", "simulated", "--set", "design.repeats=1"]).expect(0);
    let virtual_time = scratch.run(&["import", "--beside", "2", &sadf, "--counter", "*"]).expect(2).stderr;
    assert!(virtual_time.contains("was simulated"), "{virtual_time}");
}

#[test]
fn counters_find_the_cells_of_our_own_run_by_the_time_of_day() {
    let scratch = Scratch::with("x.toml", &BLOCK.replace("repeats = 6", "repeats = 1"));
    scratch.run(&["run", "x.toml"]).expect(0);
    let lines = scratch.run(&["export", "--format", "jsonl"]).expect(0).stdout;
    let cells: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["type"] == "cell")
        .collect();
    let time = |cell: &Value, key: &str| cell[key].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    let (first, last) = (time(&cells[0], "started_at"), time(&cells[1], "ended_at"));
    let mut table = "# hostname;interval;timestamp;CPU;%user;%idle\n".to_owned();
    // Every second of the minute around it counts the seconds since 1970.
    for second in first.as_second() - 20..last.as_second() + 20 {
        table.push_str(&format!("h;1;{second};-1;{}.0;50.0\n", second % 1000));
    }
    scratch.write("sadf.csv", &table);
    let added =
        scratch.run(&["import", "--beside", "latest", "sadf.csv", "--counter", "*user", "--json"]).expect(0);
    assert_eq!((&added.json()["cells"], &added.json()["series"]), (&2.into(), &2.into()));
    let csv = scratch.run(&["export", "--format", "series-csv"]).expect(0).stdout;
    for (number, cell) in (1..).zip(&cells) {
        let own = csv
            .lines()
            .filter(|line| line.contains("beside:") && line.split(',').nth(1) == Some(&*format!("{number}")));
        let values: Vec<f64> = own.filter_map(|line| line.split(',').nth(8).unwrap().parse().ok()).collect();
        assert!(!values.is_empty(), "{csv}");
        // A sample at second s stands for the time up to it.
        let (from, to) = (time(cell, "started_at").as_second(), time(cell, "ended_at").as_second() + 1);
        let within = |value: &f64| (from..=to + 1).any(|second| (second % 1000) as f64 == value.round());
        assert!(values.iter().all(within), "{values:?} of {from} to {to}");
    }
}

#[test]
fn a_file_that_is_none_is_refused_with_its_place_and_leaves_no_notebook() {
    let scratch = Scratch::new();
    let fio = text("fio.json");
    scratch.write("cut.json", &fio[..fio.len() / 2]);
    scratch.write("negative.json", &fio.replace("\"iops\" : 8173.493173", "\"iops\" : -1"));
    scratch.write("empty", "");
    scratch.write("table.csv", "a,b\n1,2\n");
    let wide: Vec<u8> = "sysbench 1.0.20".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(scratch.path().join("wide.txt"), [&[0xff, 0xfe], &wide[..]].concat()).unwrap();
    std::fs::write(scratch.path().join("latin.txt"), b"sysbench 1.0.20\nNumber of threads: 1\n\xe4\n")
        .unwrap();
    let long = std::fs::File::create(scratch.path().join("long.txt")).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&long, b"sysbench 1.0.20 (x)\n", 0).unwrap();
    long.set_len(1 << 30).unwrap(); // One line of a gigabyte; it has no blocks.
    let cpu = data("sysbench-cpu.txt");
    let perfmon = data("perfmon.csv");
    for (arguments, said) in [
        (&["cut.json"][..], "cut.json:382:"),
        (&["negative.json"], "negative.json: jobs[0].read.iops: is -1, which is less than nothing"),
        (
            &["empty"],
            "empty: is empty; known are notebook, hammerdb, fio, sysbench, pgbench, perfmon, esxtop, sadf, sar",
        ),
        (&["table.csv"], "table.csv: has the form of no file that is imported"),
        (&["table.csv", "--format", "fio"], "table.csv: holds no JSON document"),
        (&["table.csv", "--format", "sadf"], "table.csv: holds counters (sadf), which are no run"),
        (&["table.csv", "--format", "excel"], "no form of files is called so"),
        (&["wide.txt"], "wide.txt: is UTF-16; convert it: iconv"),
        (&["latin.txt"], "latin.txt:3: holds bytes that are not UTF-8"),
        (&["long.txt"], "long.txt: is longer than 64 MiB"),
        (&["."], ".: is a directory"),
        (&[&cpu], "only its OLTP tests are imported"),
        (&[&perfmon], "which are no run; add them to one: drivetrain import --beside RUN"),
        (&[&data("fio.json"), "cut.json"], "cut.json:382:"),
        (&[&data("fio.json"), "--run", "3"], "--run 3 chooses a run of a notebook, and no file is one"),
        (&[&data("fio.json"), "--zone", "Atlantis"], "this machine knows no such time zone"),
        (&[&data("fio.json"), "--counter", "*"], "--beside"),
    ] {
        let refused = scratch.run(&[&["import"], arguments].concat()).expect(2);
        assert!(refused.stderr.contains(said) && refused.stdout.is_empty(), "{said}: {refused:#?}");
        assert!(!scratch.path().join("drivetrain.db").exists(), "{arguments:?}");
    }
    scratch.run(&["import", &data("fio.json")]).expect(0);
    for (file, said) in [
        (data("fio.json"), "holds a result of fio, which is a run of its own; leave --beside out"),
        ("drivetrain.db".to_owned(), "is a notebook, whose runs are copied; leave --beside out"),
        ("none.csv".to_owned(), "none.csv: there is no such file"),
        ("table.csv".to_owned(), "has the form of no file"),
    ] {
        let refused = scratch.run(&["import", "--beside", "1", &file, "--counter", "*"]).expect(2).stderr;
        assert!(refused.contains(said), "{refused}");
    }
}

#[test]
fn a_run_of_a_notebook_is_chosen_in_both_ways() {
    let scratch = Scratch::new();
    scratch.run(&["import", &data("fio.json"), &data("hammerdb.json")]).expect(0);
    let chosen =
        scratch.run(&["import", "drivetrain.db", "2", "--notebook", "a.db", "--json"]).expect(0).json();
    assert_eq!(chosen.as_array().unwrap().len(), 1);
    let chosen = ["import", "drivetrain.db", "--run", "hammerdb-6.0", "--notebook", "b.db", "--json"];
    assert_eq!(scratch.run(&chosen).expect(0).json()[0]["from"], 2);
    let missing = scratch.run(&["import", "drivetrain.db", "7", "--notebook", "c.db"]).expect(2).stderr;
    assert!(missing.contains("no run 7") || missing.contains("run 7"), "{missing}");
}

#[test]
fn names_in_files_are_shown_and_never_obeyed() {
    let evil = text("fio.json").replace("\"randread-4k\"", "\"<script>alert(1)</script>\\u001b[2J\\n=1+1\"");
    let scratch = Scratch::with("evil.json", &evil);
    scratch.run(&["import", "evil.json"]).expect(0);
    let shown = scratch.run(&["show", "1"]).expect(0).stdout;
    assert!(!shown.contains('\u{1b}') && shown.contains("<script>"), "{shown}");
    scratch.run(&["report", "1", "--output", "r.html"]).expect(0);
    let page = std::fs::read_to_string(scratch.path().join("r.html")).unwrap();
    assert!(!page.contains("<script>alert") && page.contains("&lt;script&gt;alert"));
    assert_eq!(
        scratch.run(&["export", "1"]).expect(0).stdout.lines().filter(|line| line.starts_with('=')).count(),
        0
    );
}

#[test]
fn parquet_is_written_by_builds_that_have_it() {
    let scratch = Scratch::new();
    scratch.run(&["import", &data("fio.json")]).expect(0);
    let ran = scratch.run(&["export", "--format", "parquet", "-o", "run.parquet"]);
    let version = scratch.run(&["--version"]).expect(0).stdout;
    if cfg!(feature = "parquet") {
        let ran = ran.expect(0);
        let bytes = std::fs::read(scratch.path().join("run.parquet")).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{ran:?}");
        assert!(version.contains("exports: Parquet"), "{version}");
        let refused = scratch.run(&["export", "--format", "parquet"]).expect(2).stderr;
        assert!(refused.contains("-o FILE"), "{refused}");
    } else {
        let refused = ran.expect(2).stderr;
        assert!(refused.contains("--features parquet") && refused.contains("--format wide-csv"), "{refused}");
        assert!(!scratch.path().join("run.parquet").exists() && !version.contains("Parquet"), "{version}");
    }
}

#[test]
fn an_output_of_another_tool_in_the_same_file_is_refused_with_its_line() {
    let scratch = Scratch::new();
    for (first, second, said) in [
        ("sysbench-levels.txt", "pgbench-levels.txt", "an output of pgbench begins here"),
        ("pgbench-levels.txt", "sysbench-levels.txt", "an output of sysbench begins here"),
        ("fio.json", "sysbench-levels.txt", "an output of sysbench begins here"),
        ("hammerdb.json", "fio.json", "an output of fio begins here"),
    ] {
        scratch.write("both", &format!("{}\n{}", text(first).trim_end(), text(second)));
        let refused = scratch.run(&["import", "both"]).expect(2).stderr;
        assert!(refused.contains("both:") && refused.contains(said), "{first}, {second}: {refused}");
        let (_, place) = refused.split_once("both:").unwrap();
        let line: usize = place.split(':').next().unwrap().parse().expect("a line");
        assert!(line > text(first).trim_end().lines().count(), "{refused}");
    }
    assert!(!scratch.path().join("drivetrain.db").exists());
}

#[test]
fn the_labels_of_an_import_reach_a_run_that_is_here_already() {
    let scratch = Scratch::new();
    let import = |labels: &[&str]| scratch.run(&[&["import", &data("fio.json")], labels].concat()).expect(0);
    import(&[]);
    let again = import(&["--name", "old lab", "--tag", "lab", "--note", "from the shelf"]).stdout;
    assert!(
        again.contains("already") && again.contains("has the given name, tags and remark now"),
        "{again}"
    );
    import(&["--note", "from the shelf"]);
    let listed = scratch.run(&["ls", "--json"]).expect(0).json();
    assert_eq!((&listed[0]["label"], &listed[0]["tags"][0]), (&"old lab".into(), &"lab".into()));
    assert_eq!(scratch.run(&["note", "1"]).expect(0).stdout, "from the shelf\n", "once");
    let copy = ["import", "drivetrain.db", "--notebook", "other.db", "--tag", "copied"];
    scratch.run(&copy).expect(0);
    let listed = scratch.run(&["ls", "--notebook", "other.db", "--json"]).expect(0).json();
    assert_eq!(listed[0]["tags"], serde_json::json!(["copied", "lab"]));
    import(&["--format", "fio", "--tag", "lab"]);
    scratch.run(&["import", &data("pgbench-levels.txt")]).expect(0);
    let several = scratch.run(&["import", "drivetrain.db", "--notebook", "third.db", "--name", "one"]);
    assert!(several.expect(2).stderr.contains("--name names one run"));
}

#[test]
fn the_counters_that_are_there_are_listed_where_none_is_of_drives() {
    let scratch = Scratch::with("x.toml", &BLOCK.replace("repeats = 6", "repeats = 1"));
    scratch.run_in_virtual_time(&["run", "x.toml"]).expect(0);
    scratch.write(
        "net.csv",
        "# hostname;interval;timestamp;IFACE;rxpck/s;txpck/s\nh;1;2026-11-25 10:00:00 UTC;lo;1;2\n",
    );
    let listed = scratch.run(&["import", "--beside", "1", "net.csv"]).expect(2);
    assert_eq!(listed.stdout, "\\\\h\\IFACE(lo)\\rxpck/s\n\\\\h\\IFACE(lo)\\txpck/s\n");
    assert!(listed.stderr.contains("no counter of net.csv is of drives or processors"), "{listed:?}");
    let none = scratch.run(&["import", "--beside", "1", "net.csv", "--counter", "*disk*"]).expect(2).stderr;
    assert!(none.contains("it has \\\\h\\IFACE(lo)\\rxpck/s, \\\\h\\IFACE(lo)\\txpck/s"), "{none}");
}

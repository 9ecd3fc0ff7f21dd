//! The messages of commands about common mistakes of users.

use crate::common::{BLOCK, SMALL, Scratch};

/// fio's `iodepth=8` with `numjobs=2` is twice a queue depth of 8, never one of 8.
#[test]
fn a_depth_of_several_workers_is_named_as_such() {
    let text = BLOCK.replace("depth = [4]", "depth = [8]\nworkers = 2").replace("repeats = 6", "repeats = 1");
    let scratch = Scratch::with("x.toml", &text);
    assert!(scratch.run(&["plan", "x.toml"]).expect(0).stdout.contains("nvme, 2 x depth 8, repeat 1"));
    scratch.run(&["run", "x.toml"]).expect(0);
    let page = std::fs::read_to_string(scratch.report("drivetrain-report-1-")).unwrap();
    assert!(page.contains("2 x queue depth 8"));
    assert!(!page.replace("2 x queue depth 8", "").contains("queue depth 8"));
}

/// The rate of a stream that reads and writes is the sum of those of its reads and of its writes.
#[test]
fn a_mixed_stream_has_the_rates_of_its_directions() {
    let job =
        "[mixed]\nrw=randrw\nrwmixread=70\nbs=4k\nnumjobs=2\nsize=4m\nruntime=1\ntime_based\ndirectory=.\n";
    let scratch = Scratch::with("job.fio", job);
    scratch.run(&["run", "job.fio"]).expect(0);
    let page = std::fs::read_to_string(scratch.report("drivetrain-report-1-")).unwrap().replace('<', "\n<");
    let texts = page.lines().filter_map(|line| Some(line.split_once('>')?.1.trim()));
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    let after = |row: &str| {
        let at = texts.windows(2).position(|pair| pair == ["mixed.0", row]);
        texts[at.unwrap_or_else(|| panic!("no row of mixed.0, {row}")) + 2]
    };
    let rate = |row: &str| after(row).replace(',', "").parse::<f64>().unwrap();
    let (all, reads, writes) = (rate("reads and writes"), rate("reads"), rate("writes"));
    // Shown are three digits of each.
    assert!(((reads + writes) / all - 1.0).abs() < 0.02, "{all} = {reads} + {writes}");
    assert!((0.65..0.75).contains(&(reads / all)), "70 % of {all} are reads: {reads}");
}

/// Reads and writes of two sizes have one mean, which is that of neither.
#[test]
fn an_export_for_fio_has_the_bytes_of_each_direction() {
    let job = "[m]\nrw=randrw\nrwmixread=70\nbs=4k,16k\nsize=4m\nruntime=1\ntime_based\ndirectory=.\n";
    let scratch = Scratch::with("job.fio", job);
    scratch.run(&["run", "job.fio"]).expect(0);
    scratch.run(&["export", "1", "--format", "fio-json", "-o", "all.json"]).expect(0);
    let text = std::fs::read_to_string(scratch.path().join("all.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (direction, size_bytes) in [("read", 4096.0), ("write", 16_384.0)] {
        let of = |key: &str| document["jobs"][0][direction][key].as_f64().unwrap();
        let (of_rate, of_count) = (of("bw_bytes") / of("iops"), of("io_bytes") / of("total_ios"));
        assert!((of_rate / size_bytes - 1.0).abs() < 0.01, "{direction}: {of_rate}");
        assert!((of_count / size_bytes - 1.0).abs() < 0.01, "{direction}: {of_count}");
    }
}

#[test]
fn a_plan_of_block_loads_speaks_of_block_loads() {
    let scratch = Scratch::with("x.toml", BLOCK);
    let plan = scratch.run(&["plan", "x.toml"]).expect(0).stdout;
    assert!(plan.contains("estimates assume: a block load without a rate writes at most"), "{plan}");
    assert!(!plan.contains("warehouse"), "{plan}");
}

#[test]
fn a_smallest_effect_that_judges_nothing_is_a_fault() {
    let text = SMALL.replace("seed = 11", "seed = 11\nsmallest_effect = { iops = \"5%\" }");
    let refused = Scratch::with("x.toml", &text).run(&["plan", "x.toml"]).expect(2).stderr;
    for part in ["no workload has results that `iops` judges", "x.toml:27:28", "^^^^", "`nopm`"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
}

#[test]
fn an_unknown_procedure_is_answered_with_the_known_ones() {
    let refused = Scratch::new().run(&["published", "kingston-dc1500m/test-2"]).expect(2).stderr;
    assert!(refused.contains("the procedures are K-"), "{refused}");
}

#[test]
fn a_run_that_is_imported_again_is_known() {
    let scratch = Scratch::with("x.toml", &BLOCK.replace("repeats = 6", "repeats = 1"));
    scratch.run(&["run", "x.toml"]).expect(0);
    let import = ["import", "drivetrain.db", "--notebook", "other.db"];
    assert_eq!(scratch.run(&import).expect(0).stdout, "run 1 of drivetrain.db is run 1 here\n");
    let again = scratch.run(&import).expect(0);
    assert_eq!(
        again.stdout,
        "run 1 of drivetrain.db is run 1 here already; it was not copied (remove it with `drivetrain rm` to copy it anew)\n"
    );
    let runs = scratch.run(&["ls", "--notebook", "other.db", "--json"]).expect(0).json();
    assert_eq!(runs.as_array().unwrap().len(), 1, "{runs:#}");
}

#[test]
fn init_replaces_its_own_file_until_somebody_changes_it() {
    let scratch = Scratch::new();
    scratch.run(&["init"]).expect(0);
    scratch.run(&["init", "demo"]).expect(0);
    scratch.run(&["init"]).expect(0);
    let text = std::fs::read_to_string(scratch.path().join("experiment.toml")).unwrap();
    scratch.write("experiment.toml", &format!("{text}# mine"));
    scratch.run(&["init"]).expect(6);
}

#[test]
fn a_fio_job_without_a_runtime_says_how_long_it_is_planned() {
    let job = "[job]\nrw=randread\nbs=4k\nsize=1m\nfilename=data\n";
    let scratch = Scratch::with("x.fio", job);
    let planned = scratch.run(&["plan", "x.fio"]).expect(0).stderr;
    assert!(planned.contains("without `runtime`") && planned.contains("a plan counts 24 h"), "{planned}");
}

/// A load that writes makes the file that it names, and the next run uses it again.
#[test]
fn clean_names_the_file_that_a_finished_block_run_keeps() {
    let text = BLOCK
        .replace("{ emulated = \"kingston-dc1500m-960g\", path = \".\" }", "{ real = \".\" }")
        .replace("size = \"1GiB\"", "size = \"1MiB\"\npaths = [\"kept.dat\"]\nengine = \"psync\"")
        .replace("depth = [4]", "depth = [1]")
        .replace("read = \"100%\"", "read = \"0%\"")
        .replace("repeats = 6", "repeats = 1");
    let scratch = Scratch::with("x.toml", &text);
    scratch.run(&["run", "x.toml", "--mixed"]).expect(0);
    let path = scratch.path().canonicalize().unwrap().join("kept.dat");
    assert!(path.exists());
    let told = scratch.run(&["clean"]).expect(0).stdout;
    assert!(
        told.contains("kept") && told.contains(path.to_str().unwrap()) && told.contains("run 1"),
        "{told}"
    );
    scratch.run(&["clean", "kept.dat"]).expect(0);
    assert!(!path.exists());
    assert!(!scratch.run(&["clean"]).expect(0).stdout.contains("kept.dat"));
}

#[test]
fn named_experiments_are_listed_by_question_and_found_by_a_word() {
    let scratch = Scratch::new();
    let all = scratch.run(&["init", "--list"]).expect(0).stdout;
    assert!(all.lines().count() <= 60 && all.contains("\nHow long do backup and restore take?\n"), "{all}");
    let line = all.lines().find(|line| line.contains("test-2[-ENGINE]")).unwrap();
    assert!(line.contains("  S P M  ") && line.contains(" h  ") && line.contains(" min  "), "{line}");
    let found = scratch.run(&["init", "--list", "backup", "restore"]).expect(0).stdout;
    assert!(found.contains("\n      kingston-dc1500m/test-4-mariadb\n"), "{found}");
    assert!(!found.contains("test-5") && !found.contains("Which drive"), "{found}");
    let near = scratch.run(&["init", "--list", "bakcup"]).expect(2).stderr;
    assert!(near.contains("did you mean `backup`?"), "{near}");
    let named = scratch.run(&["init", "--list", "restore", "--json"]).expect(0).json();
    let names: Vec<&str> =
        named.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"kingston-dc1500m/test-4") && named[0]["title"].is_string(), "{named:#}");
    // Each name can be planned as it is listed.
    for name in names {
        scratch.run(&["plan", name, "--scale", "tiny", "--quiet"]).expect(0);
    }
    assert!(scratch.run(&["init", "demo", "backup"]).expect(2).stderr.contains("--list"), "one is written");
}

/// A run of reads at rates that the modelled drive keeps and does not keep.
fn paced() -> Scratch {
    let text = BLOCK
        .replace("depth = [4]", "rate = [1000, 2_000_000]")
        .replace("repeats = 6", "repeats = 1")
        .replace("measure = \"1s\"", "measure = \"2s\"");
    Scratch::with("x.toml", &text)
}

#[test]
fn a_load_that_missed_its_pace_says_so_wherever_its_limiter_is_told() {
    let scratch = paced();
    let ran = scratch.run_in_virtual_time(&["run", "x.toml"]).expect(0);
    let said = |rate: &str| {
        let line = ran.stderr.lines().find(|line| line.contains("] nvme") && line.contains(rate)).unwrap();
        line.to_owned()
    };
    assert!(said(" 2000000 IOPS").ends_with("missed its pace, bounded by drive"), "{}", ran.stderr);
    assert!(said(" 1000 IOPS").ends_with("bounded by pacing"), "{}", ran.stderr);
    assert!(ran.stdout.contains("drive, missed its pace\n"), "{}", ran.stdout);
    let unwrapped = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cautioned = "sata at 2,000,000 IOPS offered missed the pace: they answered fewer requests";
    assert!(unwrapped(&ran.stdout).contains(cautioned), "{}", ran.stdout);
    let cells = scratch.run(&["show", "--json"]).expect(0).json()["cells"].as_array().unwrap().clone();
    for cell in &cells {
        let metric = |name: &str| cell["metrics"][name]["value"].as_f64().unwrap();
        let is_behind = cell["level"].as_f64() == Some(2_000_000.0);
        let cut_off = metric("ios_after_end") + metric("ios_unfinished");
        // I/Os cut off by the end of the cell are counted: with those answered in time they are all that were
        // due.
        let due = metric("iops") * 2.0 + cut_off;
        assert_eq!(cut_off > 1e6, is_behind, "{cell:#}");
        assert!(!is_behind || (due / 4e6 - 1.0).abs() < 0.05, "{due}: {cell:#}");
    }
    scratch.run(&["run", "x.toml", "--realm", "simulated", "--notebook", "model.db"]).expect(0);
    let shown = scratch.run(&["show", "--notebook", "model.db"]).expect(0).stdout;
    assert!(shown.contains("drive, missed its pace") && unwrapped(&shown).contains(cautioned), "{shown}");
}

#[test]
fn a_block_load_at_a_rate_says_whether_it_kept_it_and_what_was_cut_off() {
    let scratch = Scratch::new();
    let block = |rate: &str| {
        let load = ["block", "--drive", "dc1500m", "--rw", "randread", "--time", "300ms", "--rate", rate];
        // A busy machine would miss the pace.
        let text = scratch.run_in_virtual_time(&load).expect(0).stdout;
        (text, scratch.run_in_virtual_time(&[&load[..], &["--json"]].concat()).expect(0).json())
    };
    let (text, document) = block("2000000");
    assert!(text.contains("missed its pace: ") && text.contains(" of 2000000 IOPS requested"), "{text}");
    assert!(
        text.contains("came back after the end of the phase: counted in latencies, not in rates"),
        "{text}"
    );
    assert_eq!(document["kept_pace"], false, "{document:#}");
    assert!(
        document["after_end"].as_u64() > Some(1000) && document["due"].as_u64() > Some(500_000),
        "{document:#}"
    );
    let (text, document) = block("500");
    assert!(text.contains("kept its pace of 500 IOPS"), "{text}");
    assert_eq!(document["kept_pace"], true, "{document:#}");
    let closed = scratch.run(&["block", "--drive", "dc1500m", "--time", "100ms", "--json"]).expect(0).json();
    assert!(closed["kept_pace"].is_null(), "{closed:#}");
}

#[test]
fn an_exponent_out_of_range_is_refused_with_its_bound_by_every_reader() {
    let scratch = Scratch::with("x.toml", &BLOCK.replace("read = \"100%\"", "pattern = { zipf = 50 }"));
    let refused = scratch.run(&["plan", "x.toml"]).expect(2).stderr;
    assert!(refused.contains("above 0 and up to 5") && refused.contains("x.toml:"), "{refused}");
    let job = "[job]\nrw=randread\nsize=1m\nfilename=data\nruntime=1\nrandom_distribution=zipf:50\n";
    scratch.write("x.fio", job);
    let refused = scratch.run(&["plan", "x.fio"]).expect(2).stderr;
    assert!(refused.contains("above 0 and up to 5") && refused.contains("x.fio:6:"), "{refused}");
    for theta in ["50", "0", "-1", "nan", "inf", "1e308"] {
        let flag = format!("--zipf={theta}");
        let refused = scratch.run(&["block", "--drive", "dc1500m", "--time", "1s", &flag]).expect(2).stderr;
        assert!(refused.contains("above 0 and up to 5") && refused.contains("--zipf"), "{refused}");
    }
    let sequential = ["block", "--drive", "dc1500m", "--rw", "read", "--zipf", "1.1", "--time", "1s"];
    assert!(scratch.run(&sequential).expect(2).stderr.contains("random I/Os"), "it would be ignored");
}

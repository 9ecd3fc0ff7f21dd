//! Wrong usage and faulty input: a clear error with a place, the right exit code, nothing left behind.

use crate::common::{self, SMALL, Scratch};

#[test]
fn the_help_names_every_verb_and_exit_code() {
    let ran = Scratch::new().run(&["--help"]).expect(0);
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn the_help_of_a_verb_ends_with_examples_and_has_no_option_of_every_verb() {
    let scratch = Scratch::new();
    for verb in ["run", "block", "check", "rm", "schema", "help"] {
        let flag = scratch.run(&[verb, "--help"]).expect(0).stdout;
        assert_eq!(scratch.run(&["help", verb]).expect(0).stdout, flag, "the same by both ways");
        let (_, examples) = flag.rsplit_once("\nExamples:\n").unwrap();
        assert!((2..=3).contains(&examples.matches(&format!("  drivetrain {verb}")).count()), "{flag}");
        assert!(examples.ends_with("\n\nOptions of every verb: drivetrain help options\n"), "{flag}");
        assert!(!flag.contains("--notebook <FILE>") && !flag.contains("--color"), "{flag}");
    }
    let options = scratch.run(&["help", "options"]).expect(0).stdout;
    assert!(options.contains("--notebook <FILE>") && options.contains("--quiet"), "{options}");
    assert!(scratch.run(&["help", "exit-codes"]).expect(0).stdout.contains("130  interrupted"));
    scratch.run(&["help", "nothing"]).expect(2);
    // They are taken before and after a verb all the same, and completions know them.
    scratch.run(&["--quiet", "ls", "--notebook", "none.db"]).expect(1);
    assert!(scratch.run(&["completions", "bash"]).expect(0).stdout.contains("--notebook"));
}

#[test]
fn an_unknown_experiment_is_usage_with_a_hint() {
    let ran = Scratch::new().run(&["run", "kingston-dc1500m/test-22"]).expect(2);
    assert!(ran.stderr.contains("did you mean `kingston-dc1500m/test-2`"), "{ran:#?}");
}

#[test]
fn a_faulty_file_is_shown_with_line_and_caret() {
    let scratch = Scratch::with("x.toml", &SMALL.replace("warehouses = 1", "warehouse = 1"));
    let ran = scratch.run(&["run", "x.toml"]).expect(2);
    assert!(
        ran.stderr.contains("x.toml:") && ran.stderr.contains('^') && ran.stderr.contains("warehouses"),
        "{}",
        ran.stderr
    );
    assert!(ran.stdout.is_empty());
    let left: Vec<_> = std::fs::read_dir(scratch.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["x.toml"], "a refused run leaves nothing");
}

#[test]
fn with_json_an_error_is_a_document_too() {
    let ran = Scratch::new().run(&["run", "nothing.toml", "--json"]).expect(2);
    assert_eq!(ran.json()["exit_code"], 2);
}

#[test]
fn a_bad_override_scale_or_storage_is_usage() {
    let scratch = Scratch::with("x.toml", SMALL);
    for flag in [
        ["--set", "design.repeat=3"],
        ["--scale", "huge"],
        ["--scale", "7"],
        ["--storage", "nvme"],
        ["--storage", "tape=/mnt"],
    ] {
        let ran = scratch.run(&[&["run", "x.toml"], &flag[..]].concat()).expect(2);
        assert!(ran.stderr.starts_with("error"), "{flag:?}: {ran:#?}");
    }
}

#[test]
fn a_bad_override_is_shown_with_a_caret_in_itself() {
    let scratch = Scratch::with("x.toml", SMALL);
    let ran =
        scratch.run(&["run", "x.toml", "--set", "design.repeats=4", "--set", "design.ordr=1"]).expect(2);
    assert!(ran.stderr.contains("--set design.ordr=1\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("^^^^") && !ran.stderr.contains("x.toml"), "{}", ran.stderr);
}

#[test]
fn a_storage_path_that_is_not_there_says_what_to_do() {
    let scratch = Scratch::with("x.toml", SMALL);
    let ran = scratch.run(&["run", "x.toml", "--mixed", "--storage", "nvme=missing/folder"]).expect(2);
    assert!(ran.stderr.contains("missing/folder") && ran.stderr.contains("what to do"), "{}", ran.stderr);
}

#[test]
fn a_plan_names_a_target_that_is_not_there_as_the_run_does() {
    let scratch = Scratch::with("x.toml", SMALL);
    let missing = ["x.toml", "--mixed", "--storage", "nvme=missing/folder"];
    let said = |verb: &str, arguments: &[&str]| {
        let ran = scratch.run(&[&[verb], arguments].concat()).expect(2);
        assert!(ran.stdout.is_empty(), "{verb}: {}", ran.stdout);
        let line = ran.stderr.lines().find(|line| line.starts_with("error")).unwrap_or_default().to_owned();
        assert!(!line.is_empty(), "{verb}: {}", ran.stderr);
        line
    };
    assert_eq!(said("plan", &missing), said("run", &missing));
    // A file that a block load is to use as large as it is.
    let block = common::BLOCK.replace("size = \"1GiB\"", "paths = [\"missing.dat\"]");
    std::fs::write(scratch.path().join("block.toml"), block).unwrap();
    std::fs::create_dir(scratch.path().join("sata")).unwrap();
    let ran = scratch.run(&["plan", "block.toml", "--storage", "nvme=.", "--storage", "sata=sata"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("missing.dat is not there"), "{ran:#?}");
}

#[test]
fn files_that_are_no_notebooks_are_told_apart() {
    let scratch =
        Scratch::with("text.db", "this is a text file, long enough to be read as a header of something\n");
    let ran = scratch.run(&["ls", "--notebook", "text.db"]).expect(1);
    assert!(ran.stderr.contains("text.db"), "{}", ran.stderr);
    let missing = scratch.run(&["ls", "--notebook", "missing.db"]).expect(1);
    assert!(missing.stderr.contains("missing.db"), "{}", missing.stderr);
    assert!(!scratch.path().join("missing.db").exists(), "looking creates nothing");
}

#[test]
fn a_newer_notebook_is_refused_and_kept() {
    let scratch = Scratch::with("block.toml", common::BLOCK);
    scratch.run_in_virtual_time(&["run", "block.toml", "--set", "design.repeats=1"]).expect(0);
    let path = scratch.path().join("drivetrain.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 9999).unwrap();
    connection.close().unwrap();
    let before = std::fs::read(&path).unwrap();
    let ran = scratch.run(&["ls"]).expect(1);
    assert!(ran.stderr.contains("9999") && ran.stderr.contains("newer"), "{}", ran.stderr);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn writing_to_a_foreign_file_or_a_device_is_refused() {
    let scratch = Scratch::with("precious.dat", "do not lose this");
    let ran = scratch.run(&["block", "--rw", "randwrite", "--time", "1s", "precious.dat"]).expect(6);
    assert!(ran.stderr.contains("precious.dat"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(scratch.path().join("precious.dat")).unwrap(), "do not lose this");
    let device = scratch.run(&["block", "--rw", "write", "--time", "1s", "/dev/loop0"]).expect(6);
    assert!(device.stderr.contains("--destroy"), "{}", device.stderr);
}

#[test]
fn impossible_block_jobs_are_usage() {
    let scratch = Scratch::new();
    for arguments in [
        &["block"][..],
        &["block", "--bs", "4 apples", "--engine", "null"],
        &["block", "--depth", "0", "--engine", "null"],
        &["block", "--rate", "-5", "--engine", "null"],
        &["block", "--drive", "kingston-dc1500m-960"],
    ] {
        scratch.run(arguments).expect(2);
    }
}

#[test]
fn init_never_overwrites_unasked() {
    let scratch = Scratch::new();
    scratch.run(&["init"]).expect(0);
    scratch.write("experiment.toml", "mine");
    scratch.run(&["init"]).expect(6);
    assert_eq!(std::fs::read_to_string(scratch.path().join("experiment.toml")).unwrap(), "mine");
    scratch.run(&["init", "--force"]).expect(0);
    scratch.run(&["plan", "experiment.toml"]).expect(0);
}

#[test]
fn what_would_be_passed_over_in_silence_is_wrong_usage() {
    let scratch = Scratch::new();
    for (arguments, words) in [
        (
            &["plan", "demo", "--storage", "nvme=a", "--storage", "nvme=b"][..],
            "given already, by --storage nvme=a",
        ),
        (&["block", "--bs", "4k:60,64k:60", "--drive", "dc1500m", "--time", "10ms"], "add up to 120 %"),
    ] {
        let refused = scratch.run(arguments).expect(2);
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
    let quick = ["run", "demo", "--realm", "simulated", "--set", "design.repeats=2"];
    scratch.run(&quick).expect(0);
    scratch.run(&quick).expect(0);
    let alone = scratch.run(&["compare", "1", "--treat", "storage"]).expect(2);
    assert!(alone.stderr.contains("name the second run as well"), "{}", alone.stderr);
    for name in ["bogus", ""] {
        for verb in [&["compare", "2", "1"][..], &["check", "--run", "2", "--baseline", "1"]] {
            let refused = scratch.run(&[verb, &["--treat", name]].concat()).expect(2);
            assert!(refused.stderr.contains(&format!("nothing is called `{name}`")), "{}", refused.stderr);
            assert!(refused.stderr.contains("bed.storage"), "{}", refused.stderr);
        }
    }
}

#[test]
fn metrics_for_a_collector_need_a_build_that_sends_them() {
    let scratch = Scratch::with("x.toml", crate::common::SMALL);
    let run = ["run", "x.toml", "--realm", "simulated", "--report", "/dev/null"];
    if cfg!(feature = "otlp") {
        let wrong = scratch.run(&[&run[..], &["--otlp", "https://lab"]].concat()).expect(2).stderr;
        assert!(wrong.contains("--otlp https://lab: https is not spoken here"), "{wrong}");
    } else {
        let refused = scratch.run(&[&run[..], &["--otlp", "http://127.0.0.1:9"]].concat()).expect(2).stderr;
        assert!(refused.contains("--features otlp") && refused.contains("/metrics"), "{refused}");
        assert!(!scratch.path().join("drivetrain.db").exists(), "nothing is left of a refusal");
    }
    // The variable is for every program of a machine: the run goes on.
    for address in ["http://127.0.0.1:9", "https://lab", "odd"] {
        let mut command = scratch.command(&run);
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", address);
        crate::common::Ran::from(command.output().expect("the binary starts")).expect(0);
    }
}

#[test]
fn nothing_is_filled_for_a_load_that_cannot_be() {
    let scratch = Scratch::new();
    for option in [["--bs", "0"], ["--depth", "0"], ["--rate", "nan"], ["--burst", "10000/1ns"]] {
        let load = [&["block", "--size", "8MiB", "--rw", "randwrite", "new.dat"], &option[..]].concat();
        let told = scratch.run(&load).expect(2).stderr;
        assert!(std::fs::read_dir(scratch.path()).unwrap().next().is_none(), "{option:?}: {told}");
    }
}

//! The places that an experiment names: beds of one kind, and paths that a run can use. A plan finds every
//! fault at once.

use std::fs;
use std::process::Command;

use crate::common::{BLOCK, SMALL, Scratch, SmallDisk};

#[test]
fn real_and_modelled_beds_are_compared_only_when_it_is_asked_for() {
    let scratch =
        Scratch::with("x.toml", &BLOCK.replace("repeats = 6", "repeats = 1").replace("1GiB", "1MiB"));
    fs::create_dir(scratch.path().join("disk")).unwrap();
    let one = ["x.toml", "--storage", "nvme=disk", "--set", "workload.engine=psync"];
    for verb in ["plan", "run"] {
        let refused = scratch.run(&[&[verb], &one[..]].concat()).expect(2);
        for part in [
            "real: bed `nvme` (real disk); modelled: bed `sata` (emulated micron-5200-eco-1920g)",
            "--storage sata=PATH",
            "--mixed",
        ] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
        assert!(refused.stdout.is_empty() && !scratch.path().join("drivetrain.db").exists(), "{refused:#?}");
    }
    scratch.run(&[&["plan", "--mixed"], &one[..]].concat()).expect(0);
    let ran = scratch.run(&[&["run", "--mixed"], &one[..]].concat()).expect(0);
    assert!(ran.stdout.contains("bed"), "{ran:#?}");
    let page = fs::read_to_string(scratch.report("drivetrain-report-1-")).unwrap();
    assert!(page.contains("Some beds use real storage and some emulated drives"), "the report still warns");
    // The key of the file is the same as the flag, and the run keeps it.
    let text = BLOCK.replace("seed = 5", "seed = 5\nmixed = true").replace("repeats = 6", "repeats = 1");
    scratch.write("mixed.toml", &text);
    scratch.run(&["plan", "mixed.toml", "--storage", "nvme=disk"]).expect(0);
    // All on real storage, or in virtual time, nothing is mixed.
    scratch.run(&[&["plan"], &one[..], &["--storage", "sata=."]].concat()).expect(0);
    scratch.run(&["run", "mixed.toml", "--set", "design.mixed=false", "--realm", "simulated"]).expect(0);
}

#[test]
fn a_plan_names_every_fault_of_every_path_at_once() {
    let text =
        SMALL.replace("micron-5200-eco-1920g\", path = \".\"", "micron-5200-eco-1920g\", path = \"gone\"");
    let scratch = Scratch::with("x.toml", &text);
    scratch.write("file", "a file, not a directory");
    let refused = scratch.run(&["plan", "x.toml", "--storage", "nvme=file"]).expect(2);
    for part in [
        "3 places of the experiment cannot be used as they are",
        "- real: bed `nvme` (real file); modelled: bed `sata`",
        "- bed `nvme`: the storage path file is not a directory",
        "- bed `sata`: the storage path gone does not exist",
        "--storage sata=PATH",
    ] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    assert_eq!(refused.stderr.matches("what to do: ").count(), 3, "{}", refused.stderr);
    let document = scratch.run(&["plan", "x.toml", "--storage", "nvme=file", "--json"]).expect(2).json();
    assert_eq!(document["exit_code"], 2);
    assert!(document["error"].as_str().unwrap().contains("bed `sata`"), "{document:#}");
}

#[test]
fn a_plan_names_files_by_name_that_cannot_be_used() {
    let text = BLOCK
        .replace("{ emulated = \"kingston-dc1500m-960g\", path = \".\" }", "{ real = \".\" }")
        .replace("{ emulated = \"micron-5200-eco-1920g\", path = \".\" }", "{ real = \"other\" }")
        .replace("size = \"1GiB\"", "paths = [\"one.dat\"]");
    let scratch = Scratch::with("x.toml", &text);
    fs::create_dir(scratch.path().join("other")).unwrap();
    let refused = scratch.run(&["plan", "x.toml"]).expect(2).stderr;
    for part in ["on bed `nvme`: ./one.dat is not there", "on bed `sata`: other/one.dat is not there"] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    let sized = text.replace("paths = [\"one.dat\"]", "size = \"1MiB\"\npaths = [\"no/one.dat\"]");
    scratch.write("x.toml", &sized);
    let refused = scratch.run(&["plan", "x.toml"]).expect(2).stderr;
    assert!(refused.contains("./no/one.dat cannot be made: its directory does not exist"), "{refused}");
}

#[test]
fn a_plan_refuses_memory_a_small_file_system_and_one_that_cannot_be_written() {
    let scratch = Scratch::with("x.toml", SMALL);
    let Some(disk) = SmallDisk::mount(&scratch.path().join("small"), "24m") else { return };
    fs::create_dir(disk.0.join("nvme")).unwrap();
    let both = ["x.toml", "--storage", "nvme=small/nvme", "--storage", "sata=small"];
    let refused = scratch.run(&[&["plan"], &both[..]].concat()).expect(2).stderr;
    for part in [
        "- bed `nvme`: the storage path small/nvme is on tmpfs: memory is measured there, no drive",
        "- bed `sata`: the storage path small is on tmpfs",
        "- bed `nvme`, `sata`: the loaded data and the copy of the bed that runs need at least",
    ] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    let block = BLOCK.replace("emulated = \"kingston-dc1500m-960g\", path = \".\"", "real = \"small\"");
    scratch.write("block.toml", &block);
    let refused = scratch.run(&["plan", "block.toml", "--storage", "sata=small/nvme"]).expect(2).stderr;
    assert!(refused.contains("the files of the block loads need at least 1.07 GB; "), "{refused}");
    assert!(Command::new("mount").args(["-o", "remount,ro"]).arg(&disk.0).status().unwrap().success());
    let refused = scratch.run(&[&["plan"], &both[..]].concat()).expect(2).stderr;
    assert!(
        refused.contains("- bed `sata`: the storage path small cannot be written: it is mounted read-only"),
        "{refused}"
    );
}

/// A run on memory is said to be one, and goes on: somebody may want just that.
#[test]
fn a_run_in_memory_warns() {
    let scratch =
        Scratch::with("x.toml", &BLOCK.replace("repeats = 6", "repeats = 1").replace("1GiB", "1MiB"));
    let Some(_disk) = SmallDisk::mount(&scratch.path().join("small"), "24m") else { return };
    let small = ["--storage", "nvme=small", "--storage", "sata=.", "--set", "workload.engine=psync"];
    let ran = scratch
        .run(&[&["run", "x.toml"], &small[..], &["--set", "workload.direct=false"]].concat())
        .expect(0);
    assert!(ran.stderr.contains("warning: bed nvme: small is on tmpfs"), "{}", ran.stderr);
}

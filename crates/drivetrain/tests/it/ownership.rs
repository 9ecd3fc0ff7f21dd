//! Files that a run keeps and finds again, through the built binary: a user's file in their place stays byte
//! for byte.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

use crate::common::{Ran, Scratch};

const WRITES: [&str; 14] = [
    "block",
    "--rw",
    "randwrite",
    "--bs",
    "4k",
    "--rate",
    "200",
    "--time",
    "100ms",
    "--size",
    "1MiB",
    "--buffered",
    "--no-keep",
    "data",
];

fn keep(scratch: &Scratch) -> Ran {
    scratch.run(&[&WRITES[..], &["--keep"]].concat())
}

/// A file of the user's, as large as the target.
fn precious() -> Vec<u8> {
    (0..1u32 << 20).map(|i| (i * 7 + i / 251) as u8).collect()
}

/// A run that is killed while it writes.
fn killed(scratch: &Scratch, target: &str) {
    let arguments = [
        "block",
        "--rw",
        "randwrite",
        "--bs",
        "4k",
        "--time",
        "60s",
        "--size",
        "1MiB",
        "--buffered",
        "--keep",
        target,
    ];
    // The mark of the load before says nothing of this one.
    let mark = || fs::read(scratch.path().join(format!("{target}.drivetrain-owned"))).ok();
    let before = mark();
    let mut run = scratch.command(&arguments).stderr(std::process::Stdio::null()).spawn().unwrap();
    while mark().is_none_or(|mark| Some(mark) == before) || !scratch.path().join(target).exists() {
        assert!(run.try_wait().unwrap().is_none(), "it runs until it is killed");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(200));
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn a_kept_file_is_used_again_and_a_users_file_in_its_place_never() {
    let scratch = Scratch::new();
    let data = scratch.path().join("data");
    keep(&scratch).expect(0);
    let inode = fs::metadata(&data).unwrap().ino();
    let again = keep(&scratch).expect(0);
    assert_eq!(fs::metadata(&data).unwrap().ino(), inode, "it is not made anew");
    assert!(!again.stderr.contains("filling"), "{again:?}");
    // The same inode and the same length.
    fs::write(&data, precious()).unwrap();
    assert_eq!(fs::metadata(&data).unwrap().ino(), inode);
    for size in ["1MiB", "2MiB"] {
        let arguments = [&WRITES[..9], &["--size", size, "--buffered", "--no-keep", "data"]].concat();
        let refused = scratch.run(&arguments).expect(6);
        assert!(
            refused.stderr.contains("it was changed") && refused.stderr.contains("data.drivetrain-owned"),
            "{refused:?}"
        );
        assert!(!refused.stderr.contains("filling"), "{refused:?}");
        assert_eq!(fs::read(&data).unwrap(), precious());
    }
    // The remedy in the message is enough.
    fs::remove_file(&data).unwrap();
    fs::remove_file(scratch.path().join("data.drivetrain-owned")).unwrap();
    scratch.run(&WRITES).expect(0);
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn after_a_kill_a_run_goes_on_unless_the_file_was_copied_over() {
    let scratch = Scratch::new();
    let data = scratch.path().join("data");
    killed(&scratch, "data");
    keep(&scratch).expect(0);
    killed(&scratch, "data");
    fs::write(&data, precious()).unwrap();
    let refused = keep(&scratch).expect(6);
    assert!(refused.stderr.contains("was killed while it used the file"), "{refused:?}");
    assert_eq!(fs::read(&data).unwrap(), precious());
}

#[test]
fn markers_follow_no_link_and_replace_nothing() {
    let scratch = Scratch::new();
    let thesis = scratch.write("thesis", "work of years");
    for name in ["data.drivetrain-owned.new", "data.drivetrain-owned"] {
        std::os::unix::fs::symlink(&thesis, scratch.path().join(name)).unwrap();
    }
    let refused = scratch.run(&WRITES).expect(6);
    assert!(refused.stderr.contains("it is a link"), "{refused:?}");
    fs::remove_file(scratch.path().join("data.drivetrain-owned")).unwrap();
    scratch.run(&WRITES).expect(0);
    fs::remove_file(scratch.path().join("data.drivetrain-owned.new")).unwrap();
    fs::write(scratch.path().join("data.drivetrain-owned.new"), "foreign").unwrap();
    scratch.run(&WRITES).expect(0);
    assert_eq!(fs::read(&thesis).unwrap(), b"work of years");
    assert_eq!(fs::read(scratch.path().join("data.drivetrain-owned.new")).unwrap(), b"foreign");
}

const BY_NAME: &str = r#"
schema = 1
title = "A file by name"
[[bed]]
name = "here"
storage = { real = "." }
[[workload]]
kind = "block"
paths = ["kept.dat"]
size = "1MiB"
direct = false
depth = [1, 2]
ramp_up = "0s"
measure = "1s"
[[workload.stream]]
read = "50%"
block_size = "4KiB"
[design]
repeats = 1
"#;

#[test]
fn a_killed_experiment_on_a_file_by_name_is_resumed() {
    let scratch = Scratch::with("x.toml", BY_NAME);
    let mut run = scratch.command(&["run", "x.toml"]).stderr(std::process::Stdio::null()).spawn().unwrap();
    while !scratch.path().join("kept.dat").exists() {
        assert!(run.try_wait().unwrap().is_none(), "it runs until it is killed");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(100));
    run.kill().unwrap();
    run.wait().unwrap();
    let kept = scratch.path().join("kept.dat");
    let ours = fs::read(&kept).unwrap();
    fs::write(&kept, precious()).unwrap();
    let refused = scratch.run(&["resume"]).expect(7);
    assert!(refused.stderr.contains("was killed while it used the file"), "{refused:?}");
    assert_eq!(fs::read(&kept).unwrap(), precious());
    fs::write(&kept, ours).unwrap();
    scratch.run(&["resume"]).expect(0);
}

//! The end of a mount that programs still use or that is killed early, and statistics of a part of its time.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::process::Stdio;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::common::Scratch;
use crate::fleet::wait_until;
use crate::mount::{Mounted, is_mounted};
use crate::transports::over_each_transport;

/// More than the kernel writes back by itself at once.
const BYTES: usize = 3_000_000;

#[test]
fn what_a_program_wrote_is_kept_though_it_holds_the_file_to_the_end() {
    over_each_transport(|_| {
        let scratch = Scratch::new();
        let Some(mut mounted) = Mounted::start(&scratch, &[]) else { return };
        let mut held = std::fs::File::create(scratch.path().join("m/held")).unwrap();
        held.write_all(&vec![7; BYTES]).unwrap();
        writeln!(mounted.child.stdin.as_mut().unwrap(), "quit").unwrap();
        mounted.wait_for("programs still used it when it was unmounted");
        let document = mounted.end();
        assert_eq!(document["lost_data"].as_array().unwrap().len(), 0);
        let kept = std::fs::read(scratch.path().join("bytes/held")).unwrap();
        assert!(kept.len() == BYTES && kept.iter().all(|byte| *byte == 7), "{} bytes", kept.len());
        assert!(held.sync_all().is_err(), "its calls fail from then on");
    });
}

#[test]
fn lost_data_of_a_program_that_holds_its_file_are_an_error() {
    let scratch = Scratch::new();
    let Some(mut mounted) = Mounted::start(&scratch, &[]) else { return };
    let mut held = std::fs::File::create(scratch.path().join("m/held")).unwrap();
    mounted.order("full");
    held.write_all(&vec![7; BYTES]).unwrap();
    writeln!(mounted.child.stdin.as_mut().unwrap(), "quit").unwrap();
    mounted.wait_for("data that they had written are lost");
    let output = mounted.child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["lost_data"].as_array().unwrap().len(), 1, "{document:#}");
    assert_eq!(document["still_mounted"].as_array().unwrap().len(), 0, "{document:#}");
    drop(held);
}

#[test]
fn a_kill_while_a_mount_measures_itself_leaves_nothing_for_long() {
    let scratch = Scratch::new();
    if emulate::fuse::check().is_err() {
        return testkit::need::skip("mounts");
    }
    let (bytes, point) = (scratch.path().join("bytes"), scratch.path().join("m"));
    [&bytes, &point].into_iter().for_each(|dir| std::fs::create_dir(dir).unwrap());
    let left = || std::fs::read_dir(&bytes).unwrap().count();
    let mut command = scratch.command(&["mount", "--drive", "dc1500m", "bytes", "m"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("it measures", || left() > 0);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the watcher unmounts", || !is_mounted(&point));
    assert_eq!(left(), 1, "nobody has had the time to remove it");
    scratch.run(&["clean"]).expect(0);
    assert_eq!(left(), 0);
}

/// A mount that stalls for so many seconds, and the bytes that a program reads from it since half a second.
fn reads_in_a_stall(scratch: &Scratch, seconds: u32) -> Option<(Mounted, JoinHandle<usize>)> {
    let mut mounted = Mounted::start(scratch, &["--no-page-cache"])?;
    let file = scratch.path().join("m/a");
    std::fs::write(&file, [7; 4096]).unwrap();
    mounted.order(&format!("stall {seconds}"));
    let reader = std::thread::spawn(move || std::fs::read(file).unwrap().len());
    std::thread::sleep(Duration::from_millis(500));
    Some((mounted, reader))
}

#[test]
fn an_operation_that_a_stall_holds_up_to_the_end_is_in_the_statistics() {
    over_each_transport(|_| {
        let scratch = Scratch::new();
        let Some((mut mounted, reader)) = reads_in_a_stall(&scratch, 4) else { return };
        mounted.signal("-INT");
        mounted.wait_for("operations that are under way complete within");
        let document = mounted.end();
        assert_eq!(reader.join().unwrap(), 4096);
        let reads = &document["mounts"][0]["reads"];
        assert!(reads["p99_us"].as_f64() > Some(2e6), "{document:#}");
        assert!(document["seconds"].as_f64() > Some(4.0), "{document:#}");
        assert!(document["mounts"][0]["cpu_s"].as_f64() > Some(0.0), "{document:#}");
    });
}

#[test]
fn an_operation_that_a_stall_holds_completes_when_the_drive_is_healed() {
    over_each_transport(|_| {
        let scratch = Scratch::new();
        let Some((mut mounted, reader)) = reads_in_a_stall(&scratch, 3000) else { return };
        mounted.order("heal");
        assert_eq!(reader.join().unwrap(), 4096);
        mounted.signal("-INT");
        let document = mounted.end();
        assert!(document["seconds"].as_f64() < Some(60.0), "{document:#}");
        let of = &document["mounts"][0];
        assert!(of["stalled"].as_u64() > Some(0), "{document:#}");
        let [model_us, mount_us] =
            ["model_mean_us", "mean_us"].map(|mean| of["reads"][mean].as_f64().unwrap());
        assert!(model_us > 1e5 && mount_us < 1.5 * model_us, "the stall is part of both: {document:#}");
    });
}

#[test]
fn the_end_of_a_stalled_mount_does_not_wait_for_its_stall() {
    // The first end begins a wait for the stall, the second ends the wait.
    for ends in [["INT", "INT"], ["TERM", "heal"], ["quit", "INT"]] {
        over_each_transport(|_| {
            let scratch = Scratch::new();
            let Some(mut mounted) = Mounted::start(&scratch, &[]) else { return };
            mounted.order("stall 3000");
            // A file that is open here would keep each further process from its program.
            let mut writer = std::process::Command::new("dd");
            writer.current_dir(scratch.path()).stderr(Stdio::null());
            let writes = ["if=/dev/zero", "of=m/a", "bs=4096", "count=1", "conv=fsync"];
            let mut writer = writer.args(writes).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(500));
            for (end, words) in ends.iter().zip(["then the mounts end", ""]) {
                match *end {
                    "INT" | "TERM" => mounted.signal(&format!("-{end}")),
                    order => writeln!(mounted.child.stdin.as_mut().unwrap(), "{order}").unwrap(),
                }
                mounted.wait_for(words);
            }
            let document = mounted.end();
            assert!(writer.wait().unwrap().success(), "{ends:?}");
            assert!(document["seconds"].as_f64() < Some(20.0), "{ends:?}: {document:#}");
            assert_eq!(document["mounts"][0]["stalled"], 1, "{ends:?}: {document:#}");
            assert_eq!(std::fs::read(scratch.path().join("bytes/a")).unwrap(), [0; 4096], "{ends:?}");
        });
    }
}

#[test]
fn a_power_cut_ends_a_stall() {
    over_each_transport(|_| {
        let scratch = Scratch::new();
        let Some(mut mounted) = Mounted::start(&scratch, &["--power-cuts"]) else { return };
        let file = std::fs::File::create(scratch.path().join("m/a")).unwrap();
        mounted.order("stall 3000");
        let syncs = std::thread::spawn(move || {
            (&file).write_all(&[7; 4096])?;
            file.sync_all()
        });
        std::thread::sleep(Duration::from_millis(500));
        mounted.order("cut");
        let synced = syncs.join().unwrap();
        assert!(synced.is_ok() || synced.as_ref().unwrap_err().raw_os_error() == Some(5), "{synced:?}");
        mounted.order("power");
        let kept = std::fs::read(scratch.path().join("m/a"));
        assert!(synced.is_err() || kept.unwrap() == [7; 4096], "what was synced is kept");
        std::fs::write(scratch.path().join("m/b"), [7; 4096]).unwrap();
        mounted.signal("-INT");
        assert_eq!(mounted.end()["mounts"][0]["has_power"], true);
    });
}

fn unmount_as_somebody_else(scratch: &Scratch, how: &[&str]) {
    let point = scratch.path().join("m");
    let unmounted = std::process::Command::new("fusermount3").args(how).arg(point).status();
    assert!(unmounted.unwrap().success());
}

#[test]
fn a_mount_that_somebody_else_unmounts_ends_with_a_word() {
    let scratch = Scratch::new();
    let Some(mut mounted) = Mounted::start(&scratch, &[]) else { return };
    unmount_as_somebody_else(&scratch, &["-u"]);
    mounted.wait_for("somebody else unmounted it; the mounts end");
    mounted.end();
}

#[test]
fn a_mount_that_somebody_else_unmounts_serves_programs_until_they_have_left() {
    over_each_transport(|_| {
        let scratch = Scratch::new();
        let Some(mut mounted) = Mounted::start(&scratch, &[]) else { return };
        let mut held = std::fs::File::create(scratch.path().join("m/held")).unwrap();
        held.write_all(&[7; BYTES]).unwrap();
        unmount_as_somebody_else(&scratch, &["-u", "-z"]);
        mounted.wait_for("somebody else unmounted it while programs use it");
        held.sync_all().unwrap();
        drop(held);
        let document = mounted.end();
        assert_eq!(document["lost_data"].as_array().unwrap().len(), 0);
        assert!(document["mounts"][0]["cpu_s"].as_f64() > Some(0.0), "{document:#}");
        assert_eq!(std::fs::read(scratch.path().join("bytes/held")).unwrap().len(), BYTES);
    });
}

#[test]
fn data_of_programs_in_a_mount_that_somebody_else_unmounted_are_lost_with_a_word() {
    let scratch = Scratch::new();
    let Some(mut mounted) = Mounted::start(&scratch, &[]) else { return };
    let held = std::fs::File::create(scratch.path().join("m/held")).unwrap();
    unmount_as_somebody_else(&scratch, &["-u", "-z"]);
    mounted.wait_for("somebody else unmounted it while programs use it");
    writeln!(mounted.child.stdin.as_mut().unwrap(), "quit").unwrap();
    mounted.wait_for("data that they had written may be lost");
    let output = mounted.child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    drop(held);
}

#[test]
fn an_ended_connection_is_told_and_the_kernels_own_syncs_are_nobodys() {
    let scratch = Scratch::new();
    let Some(mut mounted) = Mounted::start(&scratch, &[]) else { return };
    let mut held = std::fs::File::create(scratch.path().join("m/held")).unwrap();
    held.write_all(&[7; 4096]).unwrap();
    writeln!(mounted.child.stdin.as_mut().unwrap(), "quit").unwrap();
    let document = mounted.end();
    assert_eq!(document["mounts"][0]["syncs"]["count"], 0, "{document:#}");
    drop(held);
    let Some(()) = testkit::need::root() else { return };
    let Some(mut mounted) = Mounted::start(&scratch, &[]) else { return };
    let held = std::fs::File::open(scratch.path().join("m/held")).unwrap();
    // It is busy and stays, but its connection ends.
    let forced = std::process::Command::new("umount").arg("-f").arg(scratch.path().join("m")).output();
    forced.unwrap();
    mounted.wait_for("somebody else ended its connection");
    assert!(mounted.child.wait().is_ok());
    drop(held);
}

/// Statistics of all the time, and of the time since the last ones.
#[test]
fn statistics_are_told_for_the_time_since_the_last_ones_as_well() {
    let scratch = Scratch::new();
    let Some(mut mounted) = Mounted::start(&scratch, &["--no-page-cache"]) else { return };
    let file = scratch.path().join("m/a");
    let mut create = std::fs::File::options();
    let mut file = create.write(true).create(true).custom_flags(libc::O_CLOEXEC).open(file).unwrap();
    (0..30).for_each(|_| file.write_all(&[1; 4096]).unwrap());
    mounted.order("stats");
    mounted.order("slow 2");
    mounted.order("lie");
    (0..25).for_each(|_| file.sync_all().unwrap());
    writeln!(mounted.child.stdin.as_mut().unwrap(), "stats").unwrap();
    let mut told = Vec::new();
    while !told.last().is_some_and(|line: &String| line.contains("stats: done")) {
        told.push(mounted.line());
    }
    let since = told.iter().position(|line| line.starts_with("since the last statistics")).unwrap();
    let count = |lines: &[String], kind: &str| {
        let line = lines.iter().find(|line| line.starts_with(kind)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    assert_eq!((count(&told[..since], "writes"), count(&told[since..], "writes")), (30, 0), "{told:#?}");
    assert_eq!(count(&told[since..], "syncs"), 25);
    let is_slow = |line: &String| line.contains("`slow` multiplies the model's times by 2.000");
    assert!(told.iter().any(is_slow), "{told:#?}");
    assert!(told.iter().any(|line| line.contains("`lie` is on")), "{told:#?}");
    // The mean of callers, and the same with their waits for a processor, in the last columns.
    let is_head = |line: &&String| line.trim_end().ends_with("caller mean with waits");
    assert_eq!(told.iter().filter(is_head).count(), 2, "{told:#?}");
    let syncs = told[..since].iter().find(|line| line.starts_with("syncs")).unwrap();
    let mut last_us = syncs.split_whitespace().rev().map(|word| word.parse::<f64>().unwrap());
    let (with_waits_us, caller_us) = (last_us.next(), last_us.next());
    assert!(with_waits_us >= caller_us && caller_us > Some(0.0), "{syncs}");
    // This drive keeps its cache without power.
    assert!(told.iter().any(|line| line.contains("and the model's take no time")), "{told:#?}");
    mounted.signal("-INT");
    let document = mounted.end();
    let syncs = &document["mounts"][0]["syncs"];
    assert_eq!(syncs["beyond_model"], true, "{document:#}");
    assert!(syncs["caller_mean_with_waits_us"].as_f64() >= syncs["caller_mean_us"].as_f64(), "{document:#}");
    assert_eq!(document["mounts"][0]["slowness"], 2.0, "{document:#}");
    assert_eq!(document["mounts"][0]["lies"], true, "{document:#}");
}

//! Tests of mounts over both transports, and the switch for the one over io_uring.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use emulate::fuse::{RingSwitch, rings_are_on};
use testkit::need;

use crate::common::{MOUNT_TRANSPORT, Scratch};

/// Held shared by tests that need the switch to be on, exclusively by the one that turns it.
static SWITCH: std::sync::RwLock<()> = std::sync::RwLock::new(());

/// Runs a test of mounts over `/dev/fuse`, and over io_uring where this machine has that; where it has not,
/// the test says so. The body gets the word of the transport in documents.
#[track_caller]
pub(crate) fn over_each_transport(body: impl Fn(&str)) {
    MOUNT_TRANSPORT.set(Some("device"));
    body("device");
    let _stays = SWITCH.read().unwrap_or_else(std::sync::PoisonError::into_inner);
    let switch = RingSwitch::turn_on();
    MOUNT_TRANSPORT.set(None);
    if emulate::fuse::check().is_ok() && (switch.is_ok() || rings_are_on() == Some(true)) {
        body("io_uring");
    } else {
        need::skip("mounts over io_uring: root on Linux 6.14 or newer switches them on");
    }
}

/// `drivetrain mount --allow-uring` with its notes in the usual place, where all of this user's commands see
/// them.
fn mount(scratch: &Scratch) -> std::process::Child {
    mount_noted_in(scratch, None)
}

/// The same with its notes in another folder.
fn mount_noted_in(scratch: &Scratch, folder: Option<&std::path::Path>) -> std::process::Child {
    for name in ["bytes", "m"] {
        std::fs::create_dir_all(scratch.path().join(name)).unwrap();
    }
    let mut command =
        scratch.command(&["mount", "--drive", "dc1500m", "bytes", "m", "--allow-uring", "--json"]);
    command.env_remove("DRIVETRAIN_RUNTIME_DIR").env_remove("DRIVETRAIN_MOUNT_TRANSPORT");
    if let Some(folder) = folder {
        command.env("DRIVETRAIN_RUNTIME_DIR", folder);
    }
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Killed before that, it has no watcher yet.
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let said = lines.map_while(Result::ok).any(|line| line.contains("Ctrl-C unmounts"));
    assert!(said, "it ended before it was mounted");
    child
}

fn wait_until(what: &str, is: impl Fn() -> bool) {
    let since = Instant::now();
    while !is() {
        assert!(since.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn is_mounted(scratch: &Scratch) -> bool {
    let point = scratch.path().canonicalize().unwrap().join("m");
    let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    table.lines().any(|line| line.split(' ').nth(4) == point.to_str())
}

#[test]
fn the_switch_is_turned_on_while_a_command_runs_and_back_also_after_a_kill() {
    let Some(()) = need::root() else { return };
    let _alone = SWITCH.write().unwrap_or_else(std::sync::PoisonError::into_inner);
    if rings_are_on().is_none() {
        return need::skip("mounts over io_uring need Linux 6.14");
    }
    let before = rings_are_on();
    let scratch = Scratch::new();
    let mut mounted = mount(&scratch);
    assert_eq!(rings_are_on(), Some(true));
    let file = std::fs::File::create(scratch.path().join("m/file")).unwrap();
    file.sync_all().unwrap(); // An operation, which takes processor time.
    drop(file);
    std::io::Write::write_all(mounted.stdin.as_mut().unwrap(), b"quit\n").unwrap();
    let output = mounted.wait_with_output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["mounts"][0]["transport"], "io_uring");
    assert!(document["mounts"][0]["cpu_s"].as_f64() > Some(0.0));
    assert_eq!(rings_are_on(), before, "it is as it was");

    // Another process with notes elsewhere keeps it on.
    let (other, mut mounted) = (Scratch::new(), mount(&scratch));
    let mut beside = mount_noted_in(&other, Some(&other.path().join("notes")));
    std::io::Write::write_all(mounted.stdin.as_mut().unwrap(), b"quit\n").unwrap();
    mounted.wait_with_output().unwrap();
    assert_eq!(rings_are_on(), Some(true), "the other one wants it");
    std::io::Write::write_all(beside.stdin.as_mut().unwrap(), b"quit\n").unwrap();
    beside.wait_with_output().unwrap();
    assert_eq!(rings_are_on(), before, "the last one turns it back");

    let mut killed = mount(&scratch);
    assert!(is_mounted(&scratch));
    killed.kill().unwrap();
    killed.wait().unwrap();
    wait_until("the watcher unmounts", || !is_mounted(&scratch));
    let mut clean = scratch.command(&["clean", "--json"]);
    let cleaned = clean.env_remove("DRIVETRAIN_RUNTIME_DIR").output().unwrap();
    assert!(cleaned.status.success(), "{}", String::from_utf8_lossy(&cleaned.stderr));
    assert_eq!(rings_are_on(), before, "a later command turns it back");
    if before == Some(true) {
        return;
    }

    // An administrator's setting stays, whatever the end of the command.
    let parameter = "/sys/module/fuse/parameters/enable_uring";
    std::fs::write(parameter, "Y").unwrap();
    let mut killed = mount(&scratch);
    killed.kill().unwrap();
    killed.wait().unwrap();
    wait_until("the watcher unmounts", || !is_mounted(&scratch));
    let mut clean = scratch.command(&["clean", "--json"]);
    clean.env_remove("DRIVETRAIN_RUNTIME_DIR").output().unwrap();
    let stayed = rings_are_on();
    std::fs::write(parameter, "N").unwrap();
    assert_eq!(stayed, Some(true));
}

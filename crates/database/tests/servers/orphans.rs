//! No server outlives its drivetrain: not after a panic, not after `kill -9`, and one that did is ended by
//! the next start.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use database::{Instance as _, Marker};

use crate::support::{Engine, Storage, eventually, fill, is_alive, servers, spec, sum, sum_of};

/// Set for a process that is to hold a server until it is killed.
const HOLD: &str = "DRIVETRAIN_TEST_HOLD";

#[test]
fn a_panic_leaves_no_server() {
    for engine in servers() {
        let storage = Storage::new();
        let spec = storage.spec("bed");
        let (sender, receiver) = std::sync::mpsc::channel();
        let panicked = std::thread::spawn(move || {
            let server = engine.started(spec);
            sender.send(server.pid().unwrap()).unwrap();
            panic!("meant, with a server in hand");
        });
        assert!(panicked.join().is_err());
        let pid = receiver.recv().unwrap();
        assert!(!is_alive(pid), "{engine:?}");
    }
}

/// The child's part of the test below.
fn hold_a_server(order: &str) {
    let (engine, dir) = order.split_once(' ').unwrap();
    let engine = if engine == "PostgreSql" { Engine::PostgreSql } else { Engine::MariaDb };
    let server = engine.started(spec(&PathBuf::from(dir)));
    fill(&server, 40);
    fs::write(PathBuf::from(dir).with_extension("ready"), server.pid().unwrap().to_string()).unwrap();
    std::thread::sleep(std::time::Duration::from_secs(600));
    unreachable!("killed long ago");
}

/// Another drivetrain, which is this test once more, with a server in `storage`'s bed, and the server's
/// number.
fn holder(engine: Engine, storage: &Storage) -> (Child, u32) {
    let dir = storage.path("bed");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["orphans::killing_drivetrain_ends_its_server", "--exact", "--nocapture"])
        .env(HOLD, format!("{engine:?} {}", dir.display()))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let ready = dir.with_extension("ready");
    let pid = || fs::read_to_string(&ready).ok()?.parse().ok();
    assert!(eventually(|| pid().is_some() || child.try_wait().unwrap().is_some()));
    let pid = pid().unwrap();
    fs::remove_file(ready).unwrap();
    (child, pid)
}

#[test]
fn killing_drivetrain_ends_its_server() {
    if let Ok(order) = std::env::var(HOLD) {
        return hold_a_server(&order);
    }
    for engine in servers() {
        let storage = Storage::new();
        let (mut child, pid) = holder(engine, &storage);
        assert!(is_alive(pid));
        let message = engine.server(storage.spec("bed")).unwrap_err().to_string();
        assert!(
            message.contains(&format!("in use by another drivetrain (process {})", child.id())),
            "{message}"
        );
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(eventually(|| !is_alive(pid)), "{engine:?}: an orphan");
        // Committed data is there for the next.
        let server = engine.started(storage.spec("bed"));
        assert_eq!(sum(&server), sum_of(40), "{engine:?}");
        drop(server);
        Marker::remove_ours(&storage.path("bed")).unwrap();
        assert!(storage.is_empty());
    }
}

/// A server of a drivetrain that is gone, as if the kernel had not ended it: started by its own command line,
/// and noted.
fn left_behind(storage: &Storage) -> Child {
    let dir = storage.path("bed");
    let mut server = Engine::PostgreSql.server(storage.spec("bed")).unwrap();
    server.start().unwrap();
    let note = fs::read_to_string(dir.join("server.pid")).unwrap();
    let command = fs::read_to_string(format!("/proc/{}/cmdline", server.pid().unwrap())).unwrap();
    let owner = fs::metadata(dir.join("data")).unwrap();
    let socket_dir = server.endpoint().socket_dir().unwrap().to_owned();
    server.stop().unwrap();
    drop(server);
    fs::create_dir(&socket_dir).unwrap();
    std::os::unix::fs::chown(&socket_dir, Some(owner.uid()), Some(owner.gid())).unwrap();
    let words: Vec<&str> = command.split_terminator('\0').collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env("LC_ALL", "C").stdout(Stdio::null()).stderr(Stdio::null());
    if testkit::need::is_root() {
        command.uid(owner.uid()).gid(owner.gid());
    }
    let child = command.current_dir("/").spawn().unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let started = stat.rsplit_once(") ").unwrap().1.split(' ').nth(19).unwrap().to_owned();
    let boot = note.split(' ').nth(2).unwrap();
    let note = format!("{} {started} {boot} {}\n", child.id(), socket_dir.display());
    Marker::open(&dir).unwrap().write("server.pid", note.as_bytes(), 0o644).unwrap();
    assert!(eventually(|| dir.join("data/postmaster.pid").exists()));
    child
}

#[test]
fn a_server_that_was_left_behind_is_ended_by_the_next_start() {
    let Some(()) = Engine::PostgreSql.installed() else { return };
    let storage = Storage::new();
    let mut child = left_behind(&storage);
    let server = Engine::PostgreSql.started(storage.spec("bed"));
    assert!(child.try_wait().unwrap().is_some(), "ended");
    assert_ne!(server.pid(), Some(child.id()));
}

#[test]
fn a_server_that_was_left_behind_is_ended_before_its_directory_is_removed() {
    let Some(()) = Engine::PostgreSql.installed() else { return };
    let storage = Storage::new();
    let mut child = left_behind(&storage);
    Marker::remove_ours(&storage.path("bed")).unwrap();
    assert!(child.try_wait().unwrap().is_some(), "ended");
    assert!(storage.is_empty());
}

//! Servers that cannot be had, that die, and directories that are not theirs.

use std::fs;
use std::net::TcpListener;

use database::{Instance, InstanceSpec, Marker};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Engine, Storage, eventually, fill, servers, sum, sum_of};

#[test]
fn a_foreign_directory_is_refused_and_left_alone() {
    for engine in servers() {
        let storage = Storage::new();
        fs::create_dir(storage.path("bed")).unwrap();
        fs::write(storage.path("bed").join("thesis.tex"), "work of years").unwrap();
        let error = engine.server(storage.spec("bed")).unwrap_err();
        assert!(error.is_refusal(), "{error}");
        assert_eq!(fs::read_dir(storage.path("bed")).unwrap().count(), 1);
    }
}

#[test]
fn what_somebody_put_beside_the_data_stays() {
    let Some(()) = Engine::MariaDb.installed() else { return };
    let storage = Storage::new();
    let mut server = Engine::MariaDb.started(storage.spec("bed"));
    server.stop().unwrap();
    drop(server);
    fs::write(storage.path("bed").join("data/thesis.tex"), "work of years").unwrap();
    assert!(Marker::remove_ours(&storage.path("bed")).unwrap_err().is_refusal());
    assert!(storage.path("bed").join("data/thesis.tex").exists());
    fs::remove_file(storage.path("bed").join("data/thesis.tex")).unwrap();
    Marker::remove_ours(&storage.path("bed")).unwrap();
    assert!(storage.is_empty());
}

#[test]
fn a_directory_has_one_user_at_a_time() {
    let Some(()) = Engine::PostgreSql.installed() else { return };
    let storage = Storage::new();
    let first = Engine::PostgreSql.started(storage.spec("bed"));
    let message = Engine::PostgreSql.server(storage.spec("bed")).unwrap_err().to_string();
    assert!(
        message.contains(&format!("in use by another drivetrain (process {})", std::process::id())),
        "{message}"
    );
    assert!(Marker::remove_ours(&storage.path("bed")).is_err(), "a running server's directory");
    assert!(first.is_running());
}

#[test]
fn a_port_that_is_taken_is_named() {
    for engine in servers() {
        let storage = Storage::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut server = engine.server(storage.spec("bed")).unwrap();
        server.set_port(Some(port));
        let message = server.start().unwrap_err().to_string();
        assert!(message.contains(&format!("port {port} on 127.0.0.1 is taken")), "{message}");
        drop(listener);
        server.start().unwrap();
        assert_eq!(server.endpoint().port, port);
    }
}

#[test]
fn what_the_machine_does_not_have_is_refused() {
    let storage = Storage::new();
    for engine in servers() {
        let greedy = InstanceSpec { memory_bytes: 1 << 50, ..storage.spec("greedy") };
        let message = engine.server(greedy).unwrap().start().unwrap_err().to_string();
        assert!(message.contains("are available; ask for less"), "{message}");
    }
}

#[test]
fn a_directory_that_the_server_cannot_reach_is_named() {
    let Some(()) = Engine::PostgreSql.installed() else { return };
    let storage = Storage::new();
    let closed = storage.path("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let mut server = Engine::PostgreSql.server(crate::support::spec(&closed.join("bed"))).unwrap();
    let started = server.start();
    if testkit::need::is_root() {
        let message = started.unwrap_err().to_string();
        assert!(message.contains(&format!("{} is closed to that account", closed.display())), "{message}");
    } else {
        started.unwrap();
    }
}

#[test]
fn a_server_that_dies_at_its_start_leaves_its_last_words() {
    let cases = [
        (Engine::PostgreSql, "data/global/pg_control", "pg_control"),
        (Engine::MariaDb, "data/ibdata1", "InnoDB"),
    ];
    for (engine, file, words) in cases.into_iter().filter(|(engine, ..)| engine.installed().is_some()) {
        let storage = Storage::new();
        let mut server = engine.started(storage.spec("bed"));
        server.stop().unwrap();
        fs::OpenOptions::new().write(true).open(storage.path("bed").join(file)).unwrap().set_len(10).unwrap();
        let message = server.start().unwrap_err().to_string();
        assert!(message.contains("did not start: it ") && message.contains(words), "{message}");
        assert!(!server.is_running());
    }
}

#[test]
fn a_server_that_is_killed_is_found_dead_and_recovers() {
    for engine in servers() {
        let storage = Storage::new();
        let mut server = engine.started(storage.spec("bed"));
        fill(&server, 50);
        let pid = i32::try_from(server.pid().unwrap()).ok().and_then(Pid::from_raw).unwrap();
        kill_process(pid, Signal::KILL).unwrap();
        assert!(eventually(|| !server.is_running()));
        let message = server.server_counters().unwrap_err().to_string();
        assert!(message.contains("is dead: it was ended by signal 9"), "{message}");
        assert!(server.first_storage_error().unwrap().contains("signal 9"));
        server.start().unwrap();
        assert_eq!(sum(&server), sum_of(50), "{engine:?}");
        assert!(server.server_log(100).is_some());
    }
}

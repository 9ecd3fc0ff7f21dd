//! The same rows by both ways, on every engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use database::sqlite::Sqlite;
use database::{Backing, Instance, InstanceSpec, Synchronous, mariadb, postgresql};
use device::DriveSpec;
use emulate::EmulatedDrive;

use super::*;

const SMALL: Table = Table { rows: 20_000, row_bytes: 100 };

fn spec(dir: &std::path::Path) -> InstanceSpec {
    InstanceSpec {
        dir: dir.join("instance"),
        data: Backing::Real,
        log: Backing::Real,
        log_dir: None,
        memory_bytes: 16 << 20,
        synchronous: Synchronous::Off,
        page_cache: false,
    }
}

fn both_ways_find_the_same(make: impl Fn(InstanceSpec) -> Box<dyn Instance>) {
    use std::os::unix::fs::PermissionsExt as _;
    let temp = tempfile::tempdir().unwrap();
    std::fs::set_permissions(temp.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut instance = make(spec(temp.path()));
    instance.start().unwrap();
    let until = Until::default();
    assert_eq!(load(&*instance, SMALL, 7, &until, &|_| {}).unwrap(), 20_000);
    assert_eq!(check(&*instance, SMALL, &until).unwrap(), words::Reasons::default());
    for share in [0.0001, 0.01, 1.0] {
        let scan = read(&*instance, SMALL, share, Path::Scan, &until).unwrap();
        let lookup = read(&*instance, SMALL, share, Path::Lookup, &until).unwrap();
        assert!(scan.same_rows(&lookup), "{scan:?} {lookup:?}");
        assert_eq!(scan.rows, u64::from(asked_rows(SMALL, share)));
        assert_ne!(scan.plan, lookup.plan);
    }
    let other = Table { rows: 30_000, ..SMALL };
    let error = read(&*instance, other, 1.0, Path::Scan, &until).unwrap_err();
    assert!(error.to_string().contains("20000 of 30000"));
    until.stop.store(true, Ordering::Release);
    assert!(matches!(read(&*instance, SMALL, 1.0, Path::Scan, &until), Err(OltpError::Stopped)));
    let late = Until { deadline_ns: Some(0), ..Until::default() };
    assert!(matches!(read(&*instance, SMALL, 1.0, Path::Lookup, &late), Err(OltpError::Stopped)));
    assert!(matches!(check(&*instance, SMALL, &until), Err(OltpError::Stopped)));
    instance.stop().unwrap();
}

#[test]
fn sqlite_finds_the_same_both_ways() {
    both_ways_find_the_same(|spec| Box::new(Sqlite::new(spec).unwrap()));
}

#[test]
fn postgresql_finds_the_same_both_ways() {
    let Some(_) = testkit::need::program("initdb") else { return };
    both_ways_find_the_same(|spec| Box::new(postgresql::provision(spec).unwrap()));
}

#[test]
fn mariadb_finds_the_same_both_ways() {
    let Some(_) = testkit::need::program("mariadbd") else { return };
    both_ways_find_the_same(|spec| Box::new(mariadb::provision(spec).unwrap()));
}

#[test]
fn the_page_cache_before_a_modelled_drive_answers_a_server_only_where_it_is_wanted() {
    let Some(_) = testkit::need::program("initdb") else { return };
    let Some(()) = testkit::need::given(emulate::fuse::check()) else { return };
    let read_again = |page_cache: bool| {
        use std::os::unix::fs::PermissionsExt as _;
        let temp = tempfile::tempdir().unwrap();
        std::fs::set_permissions(temp.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let free = Backing::Emulated(EmulatedDrive::new("free", &DriveSpec::free(), 0));
        let storage = InstanceSpec { data: free.clone(), log: free, page_cache, ..spec(temp.path()) };
        let mut server = postgresql::provision(storage).unwrap();
        server.start().unwrap();
        // Twice the server's own memory.
        let (table, until) = (Table { rows: 80_000, row_bytes: 400 }, Until::default());
        load(&server, table, 7, &until, &|_| {}).unwrap();
        let read = || read(&server, table, 1.0, Path::Scan, &until).unwrap();
        let first = read();
        let before = server.storage_counters().data.read_bytes;
        assert!(read().same_rows(&first));
        server.storage_counters().data.read_bytes - before
    };
    let (cached, past) = (read_again(true), read_again(false));
    assert!(past > 16 << 20, "{past}");
    assert!(cached < past / 8, "{cached} {past}");
}

#[test]
fn a_load_can_be_stopped() {
    let temp = tempfile::tempdir().unwrap();
    let mut instance = Sqlite::new(spec(temp.path())).unwrap();
    instance.start().unwrap();
    let until = Until::stopped(Arc::new(AtomicBool::new(true)));
    assert!(matches!(load(&instance, SMALL, 7, &until, &|_| {}), Err(OltpError::Stopped)));
}

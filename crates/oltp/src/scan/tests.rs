//! The same rows by both ways, on every engine.

use std::sync::atomic::AtomicBool;

use database::sqlite::Sqlite;
use database::{Backing, Instance, InstanceSpec, Synchronous, mariadb, postgresql};

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
    }
}

fn both_ways_find_the_same(make: impl Fn(InstanceSpec) -> Box<dyn Instance>) {
    use std::os::unix::fs::PermissionsExt as _;
    let temp = tempfile::tempdir().unwrap();
    std::fs::set_permissions(temp.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut instance = make(spec(temp.path()));
    instance.start().unwrap();
    assert_eq!(load(&*instance, SMALL, 7, &AtomicBool::new(false), &|_| {}).unwrap(), 20_000);
    assert_eq!(check(&*instance, SMALL).unwrap(), Vec::<String>::new());
    for share in [0.0001, 0.01, 1.0] {
        let scan = read(&*instance, SMALL, share, Path::Scan).unwrap();
        let lookup = read(&*instance, SMALL, share, Path::Lookup).unwrap();
        assert!(scan.same_rows(&lookup), "{scan:?} {lookup:?}");
        assert_eq!(scan.rows, u64::from(asked_rows(SMALL, share)));
        assert_ne!(scan.plan, lookup.plan);
    }
    let other = Table { rows: 30_000, ..SMALL };
    assert!(read(&*instance, other, 1.0, Path::Scan).unwrap_err().to_string().contains("20000 of 30000"));
    instance.stop().unwrap();
}

#[test]
fn sqlite_finds_the_same_both_ways() {
    both_ways_find_the_same(|spec| Box::new(Sqlite::new(spec).unwrap()));
}

#[test]
fn postgresql_finds_the_same_both_ways() {
    both_ways_find_the_same(|spec| Box::new(postgresql::provision(spec).unwrap()));
}

#[test]
fn mariadb_finds_the_same_both_ways() {
    both_ways_find_the_same(|spec| Box::new(mariadb::provision(spec).unwrap()));
}

#[test]
fn a_load_can_be_stopped() {
    let temp = tempfile::tempdir().unwrap();
    let mut instance = Sqlite::new(spec(temp.path())).unwrap();
    instance.start().unwrap();
    let stop = AtomicBool::new(true);
    assert!(matches!(load(&instance, SMALL, 7, &stop, &|_| {}), Err(OltpError::Stopped)));
}

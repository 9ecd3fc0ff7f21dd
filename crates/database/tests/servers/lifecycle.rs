//! The common abilities of all engines: provision, start, work, crash, recover, keep, restore, stop, remove.

use std::fs;

use database::{Instance, InstanceSpec, Marker, Synchronous, WaitClass};

use crate::support::{Engine, Storage, engines, fill, insert, run, servers, sum, sum_of};

/// The one body. Data and log lie on different paths.
fn lives_through_everything(engine: Engine) {
    let storage = Storage::new();
    let (dir, log_dir, kept) = (storage.path("bed"), storage.path("log"), storage.path("kept"));
    let spec = InstanceSpec { log_dir: Some(log_dir.clone()), ..storage.spec("bed") };
    let mut instance = engine.provision(spec.clone()).unwrap();
    instance.start().unwrap();
    instance.start().unwrap();
    fill(&*instance, 100);

    // Acknowledged data survives a crash.
    instance.crash().unwrap();
    instance.start().unwrap();
    assert_eq!(sum(&*instance), sum_of(100), "{engine:?} after a crash");

    // A copy brings the kept state back, whatever happened since, and it is running again afterwards.
    let report = instance.snapshot(&kept).unwrap();
    assert!(report.bytes > 8192, "{report:?}");
    insert(&*instance, 100, 150);
    assert_eq!(sum(&*instance), sum_of(150));
    let report = instance.restore(&kept).unwrap();
    assert!(report.bytes > 8192 && !report.method.to_string().is_empty(), "{report:?}");
    assert_eq!(sum(&*instance), sum_of(100), "{engine:?} after a restore");

    // A crash of a restored instance, then a clean stop and another process's start, so to speak.
    insert(&*instance, 100, 120);
    instance.crash().unwrap();
    instance.start().unwrap();
    assert_eq!(sum(&*instance), sum_of(120));
    instance.stop().unwrap();
    instance.stop().unwrap();
    drop(instance);
    let mut instance = engine.provision(spec).unwrap();
    instance.start().unwrap();
    assert_eq!(sum(&*instance), sum_of(120), "{engine:?} after a stop");
    assert!(instance.size_bytes() > 8192);
    assert_eq!(instance.first_storage_error(), None);

    // Nothing stays.
    instance.remove().unwrap();
    drop(instance);
    for dir in [&dir, &log_dir, &kept] {
        Marker::remove_ours(dir).unwrap();
    }
    assert!(storage.is_empty(), "{engine:?}");
}

#[test]
fn sqlite_lives_through_everything() {
    lives_through_everything(Engine::Sqlite);
}

#[test]
fn postgresql_lives_through_everything() {
    let Some(()) = Engine::PostgreSql.installed() else { return };
    lives_through_everything(Engine::PostgreSql);
}

#[test]
fn mariadb_lives_through_everything() {
    let Some(()) = Engine::MariaDb.installed() else { return };
    lives_through_everything(Engine::MariaDb);
}

/// A copy of one instance is the start of another, which was never created; a copy of a crashed one is whole.
#[test]
fn a_copy_starts_another_instance() {
    for engine in engines() {
        let storage = Storage::new();
        let mut first = engine.provision(storage.spec("first")).unwrap();
        let empty = first.snapshot(&storage.path("kept"));
        assert!(empty.is_err(), "{engine:?}: there is nothing to copy");
        first.start().unwrap();
        fill(&*first, 10);
        first.crash().unwrap();
        first.snapshot(&storage.path("kept")).unwrap();
        let mut second = engine.provision(storage.spec("second")).unwrap();
        second.restore(&storage.path("kept")).unwrap();
        second.start().unwrap();
        first.start().unwrap();
        insert(&*first, 10, 20);
        assert_eq!((sum(&*first), sum(&*second)), (sum_of(20), sum_of(10)), "{engine:?}");
    }
}

#[test]
fn a_copy_that_was_cut_off_is_not_restored() {
    let Some(()) = Engine::MariaDb.installed() else { return };
    let Some(()) = Engine::PostgreSql.installed() else { return };
    let storage = Storage::new();
    let kept = storage.path("kept");
    let mut postgresql = Engine::PostgreSql.started(storage.spec("first"));
    postgresql.snapshot(&kept).unwrap();
    let mut mariadb = Engine::MariaDb.server(storage.spec("second")).unwrap();
    let message = mariadb.restore(&kept).unwrap_err().to_string();
    assert!(message.contains("holds a database of PostgreSQL"), "{message}");
    fs::remove_file(kept.join("complete")).unwrap();
    let message = postgresql.restore(&kept).unwrap_err().to_string();
    assert!(message.contains("never finished"), "{message}");
    let message = postgresql.restore(&storage.path("none")).unwrap_err().to_string();
    assert!(message.contains("the directory is absent"), "{message}");
    assert!(postgresql.is_running(), "what cannot be restored is not thrown away");
}

#[test]
fn a_restore_or_creation_that_was_cut_off_is_noticed() {
    let Some(()) = Engine::PostgreSql.installed() else { return };
    let storage = Storage::new();
    let mut server = Engine::PostgreSql.started(storage.spec("bed"));
    server.snapshot(&storage.path("kept")).unwrap();
    server.stop().unwrap();
    let note = |what: &str| {
        let marker = Marker::open(&storage.path("bed")).unwrap();
        marker.write("unfinished", what.as_bytes(), 0o644).unwrap();
    };
    note("restore\n");
    let message = server.start().unwrap_err().to_string();
    assert!(message.contains("restore it again"), "{message}");
    server.restore(&storage.path("kept")).unwrap();
    server.start().unwrap();
    server.stop().unwrap();
    // A half-made instance is made anew.
    note("creation\n");
    fs::remove_file(storage.path("bed").join("data/PG_VERSION")).unwrap();
    server.start().unwrap();
    fill(&server, 3);
}

#[test]
fn servers_stand_side_by_side() {
    for engine in servers() {
        let storage = Storage::new();
        let mut beds: Vec<_> = (0..2).map(|n| engine.started(storage.spec(&format!("bed-{n}")))).collect();
        assert_ne!(beds[0].endpoint().port, beds[1].endpoint().port);
        for (rows, bed) in [10, 20].into_iter().zip(&beds) {
            fill(bed, rows);
        }
        beds[0].crash().unwrap();
        assert_eq!(sum(&beds[1]), sum_of(20), "{engine:?}: one crash is not the other's");
        beds[0].start().unwrap();
        assert_eq!(sum(&beds[0]), sum_of(10));
    }
}

#[test]
fn servers_say_what_they_do() {
    let cases = [
        (Engine::PostgreSql, "blks_hit", "pg_sleep"),
        (Engine::MariaDb, "Innodb_buffer_pool_read_requests", "sleep"),
    ];
    for (engine, hits, sleep) in cases.into_iter().filter(|(engine, ..)| engine.installed().is_some()) {
        let storage = Storage::new();
        let server = engine.started(storage.spec("bed"));
        let before = server.server_counters().unwrap();
        fill(&server, 1000);
        let after = server.server_counters().unwrap();
        let grown = |name: &str| after[name] - before[name];
        assert!(grown("log_bytes") > 10_000.0, "{engine:?}: {after:?}");
        assert!(grown(hits) > 0.0 && grown("buffer_hits") > 0.0, "{engine:?}");
        for name in ["commits", "rollbacks", "buffer_reads", "deadlocks"] {
            assert!(after.contains_key(name), "{engine:?}: {name}");
        }
        assert!(after.contains_key("log_syncs") || after.contains_key("data_syncs"), "{engine:?}: {after:?}");
        waits_are_seen(&server, sleep);
    }
}

/// One client holds a row, another waits for it.
fn waits_are_seen(server: &dyn Instance, sleep: &str) {
    let hold = format!("begin; update numbers set twice = 0 where id = 1; select {sleep}(8); commit");
    std::thread::scope(|scope| {
        scope.spawn(|| crate::support::run_all(server, &hold));
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(300));
            run(server, "update numbers set twice = 2 where id = 1");
        });
        let seen = crate::support::eventually(|| server.wait_sample().unwrap().of(WaitClass::Lock) == 1);
        assert!(seen, "{:?}", server.wait_sample());
    });
}

#[test]
fn settings_are_those_of_the_experiment_and_of_the_server() {
    let cases = [
        (Engine::PostgreSql, ("postgresql.shared_buffers", "16MB"), ("postgresql.fsync", "off")),
        (
            Engine::MariaDb,
            ("mariadb.innodb_buffer_pool_size", "16777216"),
            ("mariadb.innodb_flush_log_at_trx_commit", "0"),
        ),
    ];
    for (engine, memory, log) in cases.into_iter().filter(|(engine, ..)| engine.installed().is_some()) {
        let storage = Storage::new();
        let spec = InstanceSpec { synchronous: Synchronous::Off, ..storage.spec("bed") };
        let server = engine.started(spec);
        let settings = server.settings();
        for (name, value) in [memory, log] {
            let found = settings
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, found)| found.as_str())
                .unwrap_or_default();
            assert!(found.starts_with(&format!("{value} (")), "{name}: {found}");
        }
        assert!(server.cut_power(1).unwrap_err().to_string().contains("needs emulated storage"));
        fill(&server, 10);
        assert_eq!(sum(&server), sum_of(10));
    }
}

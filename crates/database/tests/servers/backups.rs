//! Backups in every native way, restored into new instances that hold the same; damage that is caught.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use database::backup::{self, BackupMethod, BackupRequest, BackupWatch, differences};
use database::{Backing, Instance};

use crate::support::{Engine, Storage, fill, insert};

/// An instance with some rows, of which physical backups can be made.
fn source(engine: Engine, storage: &Storage) -> Box<dyn Instance> {
    let spec = storage.spec("source");
    let mut instance: Box<dyn Instance> = match engine {
        Engine::Sqlite => engine.provision(spec).unwrap(),
        _ => {
            let mut server = engine.server(spec).unwrap();
            server.allow_backups();
            Box::new(server)
        }
    };
    instance.start().unwrap();
    fill(&*instance, 2_000);
    instance
}

/// Backs up in each of the `ways`, restores each into an instance that holds something else, and damages it.
fn comes_back(engine: Engine, ways: &[fn(BackupRequest) -> BackupRequest]) {
    let storage = Storage::new();
    let source = source(engine, &storage);
    let watch = BackupWatch::new();
    let mut restored = engine.provision(storage.spec("restored")).unwrap();
    for (number, way) in ways.iter().enumerate() {
        let request = way(BackupRequest::new(&storage.path(&format!("backup-{number}"))));
        let report = source.back_up(&request, &watch).unwrap();
        assert!(report.bytes > 0 && report.files > 0 && !report.tool.is_empty(), "{report:?}");
        let sums = source.table_sums(&Arc::default()).unwrap();
        // Later data is not in the backup.
        let from = 10_000 + 100 * i64::try_from(number).unwrap();
        insert(&*source, from, from + 100);
        assert_eq!(backup::verify(&request.dir).unwrap().bytes, report.bytes);

        let again = restored.restore_backup(&request, &watch).unwrap();
        assert!(again.elapsed >= again.files);
        let stopped = restored.table_sums(&Arc::new(AtomicBool::new(true))).unwrap_err();
        let words = stopped.to_string();
        assert!(words.contains("stopped before its end") || words.contains("interrupted"), "{words}");
        let held = restored.table_sums(&Arc::default()).unwrap();
        assert_eq!(differences(&sums, &held).text(), None, "{engine:?}, way {number}");
        assert_eq!(differences(&source.table_sums(&Arc::default()).unwrap(), &held).0.len(), 1);

        backup::verify(&request.dir).unwrap(); // Restoring has left it as it was.
        backup::flip_bit(&request.dir, 7).unwrap();
        let caught = backup::verify(&request.dir).unwrap_err().to_string();
        assert!(caught.contains("is damaged") && caught.contains("checksum differs"), "{caught}");
        database::Marker::remove_ours(&request.dir).unwrap();
    }
    // Files that tools leave with the source are known too.
    drop(source);
    database::Marker::remove_ours(&storage.path("source")).unwrap();
}

fn as_it_is(request: BackupRequest) -> BackupRequest {
    request
}

fn compressed(request: BackupRequest) -> BackupRequest {
    BackupRequest { compress: true, ..request }
}

fn limited(request: BackupRequest) -> BackupRequest {
    BackupRequest { rate_limit_bytes_per_s: Some(200 << 20), ..request }
}

fn logical(request: BackupRequest) -> BackupRequest {
    BackupRequest { method: BackupMethod::Logical, ..request }
}

fn limited_and_compressed(request: BackupRequest) -> BackupRequest {
    limited(compressed(request))
}

fn limited_compressed_logical(request: BackupRequest) -> BackupRequest {
    limited(compressed(logical(request)))
}

#[test]
fn sqlite_comes_back() {
    comes_back(Engine::Sqlite, &[as_it_is, limited]);
}

#[test]
fn postgresql_comes_back() {
    let Some(()) = Engine::PostgreSql.installed() else { return };
    comes_back(Engine::PostgreSql, &[as_it_is, limited_and_compressed, logical, limited_compressed_logical]);
}

#[test]
fn mariadb_comes_back() {
    let Some(()) = Engine::MariaDb.installed() else { return };
    comes_back(Engine::MariaDb, &[as_it_is, limited_and_compressed, logical, limited_compressed_logical]);
}

#[test]
fn what_an_engine_cannot_is_said() {
    let storage = Storage::new();
    let source = source(Engine::Sqlite, &storage);
    let request = logical(BackupRequest::new(&storage.path("backup")));
    let message = source.back_up(&request, &BackupWatch::new()).unwrap_err().to_string();
    assert!(message.contains("no tool for a logical backup") && message.contains("physical"), "{message}");
    let request = compressed(BackupRequest::new(&storage.path("backup")));
    let message = source.back_up(&request, &BackupWatch::new()).unwrap_err().to_string();
    assert!(message.contains("copies pages as they are"), "{message}");
    assert!(matches!(request.backing, Backing::Real));
}

#[test]
fn a_stopped_backup_is_none() {
    let Some(()) = Engine::PostgreSql.installed() else { return };
    let storage = Storage::new();
    let source = source(Engine::PostgreSql, &storage);
    let request = BackupRequest::new(&storage.path("backup"));
    let watch = BackupWatch::new();
    watch.stop();
    let message = source.back_up(&request, &watch).unwrap_err().to_string();
    assert!(message.contains("was stopped before its end"), "{message}");
    let message = backup::verify(&request.dir).unwrap_err().to_string();
    assert!(message.contains("no finished backup"), "{message}");
}

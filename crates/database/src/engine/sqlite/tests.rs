//! One instance through its life: load, work, copy, restore, crash.

use super::*;
use device::DriveSpec;
use emulate::EmulatedDrive;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use emulate::Backing;
use words::Synchronous;

fn spec(dir: &Path) -> InstanceSpec {
    let free = Backing::Emulated(EmulatedDrive::new("free", &DriveSpec::free(), 0));
    InstanceSpec {
        dir: dir.to_owned(),
        data: free.clone(),
        log: free,
        log_dir: None,
        memory_bytes: 8 << 20,
        synchronous: Synchronous::Full,
        page_cache: false,
    }
}

/// A running instance with a table of `rows` numbers.
fn numbers(spec: InstanceSpec, rows: u32) -> Sqlite {
    let mut instance = Sqlite::new(spec).unwrap();
    instance.start().unwrap();
    let connection = instance.begin_load().unwrap();
    let sql = "CREATE TABLE number (id INTEGER PRIMARY KEY, text TEXT);
        INSERT INTO number SELECT value, hex(randomblob(200)) FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n) SELECT value FROM n LIMIT ";
    connection.execute_batch(&format!("{sql}{rows})")).unwrap();
    instance.finish_load(connection).unwrap();
    instance
}

fn write(instance: &Sqlite, connection: &Connection, id: u32) -> rusqlite::Result<usize> {
    let _permit = instance.gate().enter();
    connection.execute("UPDATE number SET text = 'written ' || id WHERE id = ?1", [id])
}

/// Waits for a result of another thread.
fn wait_until(what: &str, done: impl Fn() -> bool) {
    let begin = Instant::now();
    while !done() {
        assert!(begin.elapsed() < Duration::from_secs(120), "in vain: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn written(instance: &Sqlite) -> i64 {
    let connection = instance.connect().unwrap();
    connection
        .query_row("SELECT count(*) FROM number WHERE text LIKE 'written %'", [], |row| row.get(0))
        .unwrap()
}

fn file(dir: &Path) -> Vec<u8> {
    fs::read(dir.join(FILE)).unwrap()
}

#[test]
fn settings_are_what_the_connection_has() {
    let temp = tempfile::tempdir().unwrap();
    let instance = numbers(spec(temp.path()), 10);
    let connection = instance.connect().unwrap();
    let text = |pragma: &str| -> String {
        connection
            .query_row(&format!("PRAGMA {pragma}"), [], |row| Ok(format!("{:?}", row.get_ref(0)?)))
            .unwrap()
    };
    assert_eq!(text("page_size"), "Integer(8192)");
    assert!(text("journal_mode").contains("[119, 97, 108]"), "wal: {}", text("journal_mode"));
    assert_eq!(text("synchronous"), "Integer(2)");
    assert_eq!(text("cache_size"), "Integer(64)");
    assert_eq!(text("wal_autocheckpoint"), "Integer(0)");
    assert_eq!(text("temp_store"), "Integer(2)");
    assert_eq!(text("foreign_keys"), "Integer(0)");
    let settings = instance.settings();
    let of = |name: &str| settings.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    assert_eq!(of("sqlite.page_size"), Some("8192 B"));
    assert_eq!(of("sqlite.synchronous"), Some("full"));
    assert_eq!(
        of("sqlite.checkpoint"),
        Some("in the background at 128 pages (1.0 MiB) of log; wal_autocheckpoint 0")
    );
    assert_eq!((instance.engine(), instance.version().as_str()), (Engine::Sqlite, rusqlite::version()));
}

#[test]
fn the_log_is_an_eighth_of_memory_within_limits() {
    let pages = |mib: u64| settings::checkpoint_pages(mib << 20);
    assert_eq!([1, 8, 24, 64, 128, 100_000].map(pages), [128, 128, 384, 1024, 2048, 2048]);
}

#[test]
fn a_restored_copy_is_the_same_to_the_byte() {
    let temp = tempfile::tempdir().unwrap();
    let (dir, kept) = (temp.path().join("bed"), temp.path().join("kept"));
    let mut instance = numbers(spec(&dir), 500);
    let report = instance.snapshot(&kept).unwrap();
    assert_eq!((report.bytes, report.bytes), (file(&dir).len() as u64, instance.size_bytes()));
    let original = file(&kept);
    for _ in 0..2 {
        let connection = instance.connect().unwrap();
        for id in 1..=100 {
            write(&instance, &connection, id).unwrap();
        }
        drop(connection);
        assert_eq!(written(&instance), 100);
        let report = instance.restore(&kept).unwrap();
        assert_eq!(report.bytes, original.len() as u64);
        assert!(instance.is_running(), "it ran before, so it runs again");
        assert_eq!(written(&instance), 0);
        instance.stop().unwrap();
        assert!(file(&dir) == original && file(&kept) == original);
        instance.start().unwrap();
    }
}

#[test]
fn a_copy_holds_what_was_only_in_the_log() {
    let temp = tempfile::tempdir().unwrap();
    let (dir, kept) = (temp.path().join("bed"), temp.path().join("kept"));
    let mut instance = numbers(InstanceSpec { log_dir: Some(temp.path().join("log")), ..spec(&dir) }, 50);
    write(&instance, &instance.connect().unwrap(), 7).unwrap();
    instance.snapshot(&kept).unwrap();
    let mut other = Sqlite::new(spec(&temp.path().join("other"))).unwrap();
    other.restore(&kept).unwrap();
    other.start().unwrap();
    assert_eq!(written(&other), 1);
}

#[test]
fn a_copy_that_is_not_there_leaves_the_database_alone() {
    let temp = tempfile::tempdir().unwrap();
    let (dir, empty) = (temp.path().join("bed"), temp.path().join("empty"));
    let mut instance = numbers(spec(&dir), 50);
    let error = instance.restore(&empty).unwrap_err();
    assert!(matches!(error, DatabaseError::NoCopy { .. }), "{error}");
    Marker::claim(&empty).unwrap();
    // The remains of a kill in the middle of a snapshot.
    fs::write(empty.join(PARTIAL), "half").unwrap();
    let error = instance.restore(&empty).unwrap_err();
    assert!(matches!(error, DatabaseError::NoCopy { .. }), "{error}");
    assert!(instance.is_running());
    assert_eq!(written(&instance), 0);
}

#[test]
fn the_log_is_written_back_in_the_background_and_stays_short() {
    let temp = tempfile::tempdir().unwrap();
    let instance = numbers(spec(temp.path()), 4_000);
    let connection = instance.connect().unwrap();
    let log = temp.path().join(LOG_FILE);
    let mut longest = 0;
    for round in 0..20 {
        for id in 1..=200 {
            write(&instance, &connection, id * 20 - round).unwrap();
        }
        // A busy machine may give the thread no time until now: the test is that it comes, not how soon.
        wait_until("the log is written back", || !instance.running.as_ref().unwrap().log.is_due());
        longest = longest.max(fs::metadata(&log).unwrap().len());
    }
    // 4,000 commits of one page or two: 32 MB of log at least, if nobody brought it back.
    assert!(longest < 16 << 20, "{longest} bytes of log");
    assert_eq!(written(&instance), 4_000);
    assert_eq!(instance.first_storage_error(), None);
}

#[test]
fn many_writers_and_readers_never_find_it_busy() {
    let temp = tempfile::tempdir().unwrap();
    let instance = numbers(spec(temp.path()), 1_000);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|number| {
                let instance = &instance;
                scope.spawn(move || {
                    let connection = instance.connect().unwrap();
                    connection.execute_batch("PRAGMA busy_timeout = 0").unwrap();
                    for step in 0..200 {
                        write(instance, &connection, 1 + step * 4 + number).unwrap();
                    }
                })
            })
            .collect();
        for _ in 0..2 {
            scope.spawn(|| {
                let connection = instance.connect().unwrap();
                while !over.load(Ordering::Relaxed) {
                    let sum = connection
                        .query_row("SELECT sum(id) FROM number", [], |row| row.get::<_, i64>(0))
                        .unwrap();
                    assert_eq!(sum, 500_500);
                }
            });
        }
        let done = writers.into_iter().map(|writer| writer.join());
        let failed = done.filter(Result::is_err).count();
        over.store(true, Ordering::Relaxed);
        assert_eq!(failed, 0);
    });
    assert_eq!(written(&instance), 800);
}

#[test]
fn nothing_is_touched_while_connections_are_open() {
    let temp = tempfile::tempdir().unwrap();
    let mut instance = numbers(spec(&temp.path().join("bed")), 10);
    let kept = temp.path().join("kept");
    instance.snapshot(&kept).unwrap();
    let connection = instance.connect().unwrap();
    for refused in [
        instance.stop().unwrap_err(),
        instance.snapshot(&kept).unwrap_err(),
        instance.restore(&kept).unwrap_err(),
        instance.remove().unwrap_err(),
        instance.power_on().unwrap_err(),
    ] {
        assert!(matches!(refused, DatabaseError::InUse { open: 1, .. }), "{refused}");
    }
    drop(connection);
    instance.stop().unwrap();
    instance.stop().unwrap();
    let error = instance.connect().unwrap_err();
    assert!(matches!(error, DatabaseError::NotRunning { .. }), "{error}");
    assert!(matches!(instance.cut_power(1).unwrap_err(), DatabaseError::NotRunning { .. }));
    instance.remove().unwrap();
    assert_eq!(instance.size_bytes(), 0);
}

#[test]
fn foreign_directories_are_refused() {
    let temp = tempfile::tempdir().unwrap();
    let foreign = temp.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("letters.txt"), "dear").unwrap();
    assert!(Sqlite::new(spec(&foreign)).unwrap_err().is_refusal());
    let bed = temp.path().join("bed");
    assert!(
        Sqlite::new(InstanceSpec { log_dir: Some(foreign.clone()), ..spec(&bed) }).unwrap_err().is_refusal()
    );
    let mut instance = numbers(spec(&bed), 10);
    assert!(instance.snapshot(&foreign).unwrap_err().is_refusal());
    assert_eq!(fs::read_dir(&foreign).unwrap().count(), 1);
}

#[test]
fn a_database_is_not_loaded_over() {
    let temp = tempfile::tempdir().unwrap();
    let mut instance = numbers(spec(temp.path()), 10);
    assert!(matches!(instance.begin_load().unwrap_err(), DatabaseError::NotEmpty { .. }));
    instance.remove().unwrap();
    instance.start().unwrap();
    let connection = instance.begin_load().unwrap();
    instance.finish_load(connection).unwrap();
}

#[test]
fn a_cut_of_power_keeps_what_was_committed() {
    let temp = tempfile::tempdir().unwrap();
    let mut instance = numbers(spec(temp.path()), 500);
    for round in 0..5 {
        let connection = instance.connect().unwrap();
        for id in 1..=30 {
            write(&instance, &connection, round * 30 + id).unwrap();
        }
        instance.cut_power(round.into()).unwrap();
        assert!(write(&instance, &connection, 499).is_err());
        drop(connection);
        instance.power_on().unwrap();
        assert_eq!(written(&instance), i64::from(round + 1) * 30);
    }
    instance.stop().unwrap();
}

#[test]
fn a_checkpoint_that_fails_is_not_silent() {
    let temp = tempfile::tempdir().unwrap();
    let log = Arc::new(LogLength::new(10));
    let gate = Arc::new(WriteGate::new());
    // No database can be opened there, since nothing is mounted.
    let path = temp.path().join("unmounted").join(FILE);
    let mut checkpointer = Checkpointer::start(&path, &log, &gate, Synchronous::Full).unwrap();
    log.report(9);
    assert_eq!(checkpointer.error(), None, "not due yet");
    log.report(10);
    wait_until("the error is told", || checkpointer.error().is_some());
    checkpointer.stop();
    assert!(checkpointer.error().unwrap().starts_with("background checkpoint: "));
}

#[test]
fn a_backup_and_a_restore_sync_their_copy_and_their_parts_are_no_longer_than_they_are() {
    let temp = tempfile::tempdir().unwrap();
    let source = numbers(spec(&temp.path().join("source")), 2_000);
    let request =
        BackupRequest { backing: spec(temp.path()).data, ..BackupRequest::new(&temp.path().join("backup")) };
    let watch = BackupWatch::new();
    let made = source.back_up(&request, &watch).unwrap();
    let mut target = Sqlite::new(spec(&temp.path().join("target"))).unwrap();
    let restored = target.restore_backup(&request, &watch).unwrap();
    for (parts, whole) in [(made.parts, made.elapsed), (restored.parts, restored.files)] {
        let known = [parts.read, parts.write, parts.flush].map(|part| part.expect("SQLite tells it"));
        assert!(known.iter().all(|part| !part.is_zero()), "{known:?}");
        assert!(known.iter().sum::<Duration>() <= whole, "{known:?} of {whole:?}");
        assert_eq!((parts.copy, parts.recover), (None, None));
    }
}

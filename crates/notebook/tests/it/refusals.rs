//! A file that is no sound notebook of this version is refused with a specific message and left untouched.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{beds, new_run, plan, record};
use notebook::{Notebook, NotebookError};

fn both(path: &Path) -> [NotebookError; 2] {
    [Notebook::open_existing(path).unwrap_err(), Notebook::open_or_create(path).unwrap_err()]
}

/// A notebook with thirty recorded cells: large enough to be damaged in the middle.
fn recorded(dir: &Path) -> PathBuf {
    let path = dir.join("a.db");
    let notebook = Notebook::open_or_create(&path).unwrap();
    let run = notebook.start_run(&new_run(), &beds(), &plan(30)).unwrap();
    for cell in notebook.cells(run).unwrap() {
        notebook.record_cell(cell.id, &record(cell.id.0)).unwrap();
    }
    notebook.close().unwrap();
    path
}

#[test]
fn a_missing_file_and_a_missing_directory() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("none.db");
    let error = Notebook::open_existing(&missing).unwrap_err();
    assert!(matches!(error, NotebookError::NotFound { .. }), "{error}");
    assert!(!missing.exists(), "asking for a notebook makes none");
    let error = Notebook::open_or_create(dir.path().join("no/such/a.db")).unwrap_err();
    assert!(matches!(error, NotebookError::CannotOpen { .. }), "{error}");
    assert!(error.to_string().contains("create it first"), "{error}");
}

#[test]
fn files_of_other_kinds_are_left_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let texts: [&[u8]; 4] = [b"x", b"# A list of things to do\n", &[0; 8192], b"SQLite format 3\0 cut short"];
    for text in texts {
        let path = dir.path().join("file");
        fs::write(&path, text).unwrap();
        for error in both(&path) {
            let told = matches!(error, NotebookError::NotANotebook { .. } | NotebookError::Corrupt { .. });
            assert!(told, "{text:?}: {error}");
        }
        assert_eq!(fs::read(&path).unwrap(), text);
    }
    for error in both(dir.path()) {
        assert!(error.to_string().contains("a directory"), "{error}");
    }
    for error in both(Path::new("/dev/null")) {
        assert!(error.to_string().contains("device"), "{error}");
    }
    let names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["file"], "no lock or journal is left beside a refused file");
}

#[test]
fn another_program_s_database_is_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("other.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE mail (id INTEGER)").unwrap();
    let before = fs::read(&path).unwrap();
    for error in both(&path) {
        assert!(error.to_string().contains("another program's SQLite database"), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);

    // Its write-ahead log is not folded back, as the last user would do at closing.
    let live = rusqlite::Connection::open(&path).unwrap();
    live.execute_batch("PRAGMA journal_mode = WAL; INSERT INTO mail VALUES (1)").unwrap();
    let copy = dir.path().join("copy.db");
    for ending in ["", "-wal", "-shm"] {
        fs::copy(dir.path().join(format!("other.db{ending}")), dir.path().join(format!("copy.db{ending}")))
            .unwrap();
    }
    let before: Vec<_> = ["", "-wal", "-shm"]
        .map(|ending| fs::read(dir.path().join(format!("copy.db{ending}"))).unwrap())
        .into();
    for error in both(&copy) {
        assert!(error.to_string().contains("another program's SQLite database"), "{error}");
    }
    let after: Vec<_> = ["", "-wal", "-shm"]
        .map(|ending| fs::read(dir.path().join(format!("copy.db{ending}"))).unwrap())
        .into();
    assert!(before == after);

    let empty = dir.path().join("empty-but-theirs.db");
    rusqlite::Connection::open(&empty).unwrap().execute_batch("CREATE TABLE x (y); DROP TABLE x").unwrap();
    for error in both(&empty) {
        assert!(error.to_string().contains("without a notebook's mark"), "{error}");
    }
}

#[test]
fn what_sqlite_would_take_for_its_own_files_stays() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    for ending in ["-journal", "-wal", "-shm"] {
        let beside = dir.path().join(format!("a.db{ending}"));
        fs::write(&beside, "work of years").unwrap();
        let error = Notebook::open_or_create(&path).unwrap_err();
        assert!(error.to_string().contains(&format!("a.db{ending} lies beside its place")), "{error}");
        assert_eq!(fs::read(&beside).unwrap(), b"work of years");
        assert!(!path.exists());
        fs::remove_file(&beside).unwrap();
    }
    std::os::unix::fs::symlink(dir.path().join("elsewhere"), &path).unwrap();
    for error in both(&path) {
        assert!(error.to_string().contains("a symbolic link that leads nowhere"), "{error}");
    }
    assert!(!dir.path().join("elsewhere").exists());
}

#[test]
fn an_empty_file_becomes_a_notebook_only_when_asked_to() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("empty.db");
    fs::write(&path, "").unwrap();
    let error = Notebook::open_existing(&path).unwrap_err();
    assert!(error.to_string().contains("an empty file"), "{error}");
    let notebook = Notebook::open_or_create(&path).unwrap();
    assert!(notebook.runs().unwrap().is_empty());
}

#[test]
fn a_newer_notebook_asks_for_a_newer_program() {
    let dir = tempfile::tempdir().unwrap();
    let path = recorded(dir.path());
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 999).unwrap();
    for error in both(&path) {
        assert!(matches!(error, NotebookError::Newer { found: 999, .. }), "{error}");
        assert!(error.to_string().contains("use a newer drivetrain"), "{error}");
    }
}

#[test]
fn a_damaged_notebook_is_named_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let path = recorded(dir.path());
    let whole = fs::read(&path).unwrap();

    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let error = Notebook::open_or_create(&path).unwrap_err();
    assert!(matches!(error, NotebookError::Corrupt { .. }), "cut in half: {error}");

    let mut scribbled = whole.clone();
    let middle = whole.len() / 2;
    scribbled[middle..middle + 20_000].fill(0xA5);
    fs::write(&path, &scribbled).unwrap();
    let error = Notebook::open_or_create(&path).unwrap_err();
    assert!(matches!(error, NotebookError::Corrupt { .. }), "scribbled on, writing: {error}");
    match Notebook::open_existing(&path).and_then(|notebook| notebook.verify()) {
        Err(NotebookError::Corrupt { detail, .. }) => assert!(!detail.is_empty()),
        other => panic!("scribbled on, reading: {other:?}"),
    }

    fs::write(&path, &whole).unwrap();
    Notebook::open_existing(&path).unwrap().verify().unwrap();
}

#[test]
fn values_that_are_never_written_are_damage() {
    let dir = tempfile::tempdir().unwrap();
    let path = recorded(dir.path());
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute_batch("UPDATE run SET seed = 'twelve'; UPDATE cell SET position = -1 WHERE id = 3").unwrap();
    drop(file);
    let notebook = Notebook::open_existing(&path).unwrap();
    let error = notebook.run(notebook.latest_run().unwrap().unwrap()).unwrap_err();
    assert!(error.to_string().contains("run 1: run.seed holds `twelve`"), "{error}");
    assert!(
        error.to_string().contains("newer version?") && !error.to_string().contains("sqlite3"),
        "{error}"
    );
    let error = notebook.cell(notebook::CellId(3)).unwrap_err();
    assert!(matches!(error, NotebookError::Unreadable { .. }), "{error}");
    assert!(error.to_string().contains("run 1, cell 0: position holds -1"), "{error}");
    drop(notebook);
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 0).unwrap();
    for error in both(&path) {
        assert!(error.to_string().contains("bears no version"), "{error}");
    }
}

#[test]
fn a_value_of_another_version_is_named_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let damages = [
        ("UPDATE cell SET kind = 'tide' WHERE position = 4", "run 1, cell 5: cell.kind holds `tide`"),
        ("UPDATE run SET scale = 9e999", "run 1: run.scale holds `inf`"),
        ("UPDATE run SET scale = -1", "run 1: run.scale holds `-1`"),
        ("UPDATE run SET scale = 1.5", "run 1: run.scale holds `1.5`"),
        ("UPDATE run SET treatment = '7'", "run 1: run.treatment holds `7`"),
    ];
    for (damage, told) in damages {
        let path = recorded(dir.path());
        rusqlite::Connection::open(&path).unwrap().execute_batch(damage).unwrap();
        let notebook = Notebook::open_existing(&path).unwrap();
        let run = notebook.latest_run().unwrap().unwrap();
        let error = notebook.run(run).map(drop).and_then(|()| notebook.cells(run)).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
        drop(notebook);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn texts_of_a_file_turn_no_line_around() {
    let dir = tempfile::tempdir().unwrap();
    let path = recorded(dir.path());
    let turned = "UPDATE run SET scale_statement = 'a' || char(0x202e) || 'b', name = char(0x202e) || 'n';
         UPDATE bed SET storage_summary = 'a' || char(0x202e) || 'b'";
    rusqlite::Connection::open(&path).unwrap().execute_batch(turned).unwrap();
    let notebook = Notebook::open_existing(&path).unwrap();
    let run = notebook.run(notebook.latest_run().unwrap().unwrap()).unwrap();
    assert_eq!((run.name.as_str(), run.scale_statement.to_string().as_str()), ("\\u{202e}n", "a\\u{202e}b"));
    assert!(notebook.beds(run.id).unwrap().iter().all(|bed| bed.storage_summary == "a\\u{202e}b"));
    let stored = r#"{"scale":"nothing-shrunk","factor":"a\u202eb"}"#;
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute("UPDATE run SET scale_statement = ?1", [stored])
        .unwrap();
    assert!(!notebook.run(run.id).unwrap().scale_statement.to_string().contains('\u{202e}'));
}

#[test]
fn what_sqlite_cannot_see_verify_does() {
    let dir = tempfile::tempdir().unwrap();
    let damages = [
        ("DROP VIEW result", "`result` is missing"),
        (
            "DROP TRIGGER histogram_is_kept; UPDATE histogram SET encoded = x'00' WHERE id = 7",
            "cannot be decoded",
        ),
        ("PRAGMA foreign_keys = 0; DELETE FROM bed", "refers to a row of `bed`"),
    ];
    for (damage, told) in damages {
        let path = recorded(dir.path());
        rusqlite::Connection::open(&path).unwrap().execute_batch(damage).unwrap();
        let error = Notebook::open_existing(&path).unwrap().verify().unwrap_err();
        assert!(
            matches!(error, NotebookError::Corrupt { .. }) && error.to_string().contains(told),
            "{error}"
        );
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn one_process_writes_and_others_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.db");
    let writer = Notebook::open_or_create(&path).unwrap();
    let run = writer.start_run(&new_run(), &beds(), &plan(2)).unwrap();
    let error = Notebook::open_or_create(&path).unwrap_err();
    assert!(matches!(error, NotebookError::InUse { .. }), "{error}");
    assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");

    let link = dir.path().join("link.db");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let reader = Notebook::open_existing(&link).unwrap();
    assert_eq!(reader.cells(run).unwrap().len(), 2, "reading goes on");
    assert!(reader.is_being_written());
    let error = reader.reset_unfinished(run).unwrap_err();
    assert!(matches!(error, NotebookError::InUse { .. }), "the lock holds under every name: {error}");
    drop(writer);
    assert_eq!(reader.reset_unfinished(run).unwrap(), 0, "the lock is free again");
}

#[test]
fn a_directory_that_takes_no_files() {
    // Not even root makes files in /sys.
    let error = Notebook::open_or_create("/sys/drivetrain-test.db").unwrap_err();
    assert!(matches!(error, NotebookError::ReadOnly { .. }), "{error}");
    assert!(error.to_string().contains("writable directory"), "{error}");
}

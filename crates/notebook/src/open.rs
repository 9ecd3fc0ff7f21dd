//! Opening a notebook: making a new one, admitting a known one, refusing everything else untouched.

pub(crate) mod rescue;

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt::Write as _;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use disk::Stamp;
use ground::Clock;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::error::{NotebookError, classify, unsound};
use crate::labels::Labels;
use crate::lock::{Work, WriterLock};
use crate::records::RunId;
use crate::schema::{Header, SCHEMA_VERSION, migrate};
use crate::vfs;

/// The longest wait of a reader for a checkpoint of the writer, and of the writer for a reader's recovery.
const PATIENCE: Duration = Duration::from_secs(10);

/// The path of a notebook that is no file, in messages.
const MEMORY: &str = "/memory.db";

/// An open notebook.
///
/// Reading needs nothing more; the first write takes the writer's lock and keeps it until the
/// notebook is dropped. Dropping it folds the write-ahead log back into the one file.
pub struct Notebook {
    // Dropped before the lock: the log is folded back while nobody else may write.
    connection: Connection,
    path: PathBuf,
    writer: OnceCell<WriterLock>,
    /// SQLite's log and the index of it when the notebook was last seen in its place.
    log: Cell<[Option<Stamp>; 2]>,
    /// The source of the dates of records.
    pub(crate) clock: Clock,
    /// The date of the records to come, in place of the clock's.
    pub(crate) date: Option<SystemTime>,
    /// The labels of the next run.
    pub(crate) labels: RefCell<Labels>,
    place: Holding,
}

/// The place of what the connection holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holding {
    /// The file of the path.
    File,
    /// A copy of the file in memory: it is of an older version and cannot be changed.
    Copy,
    /// Memory alone: there is no file.
    Memory,
}

impl std::fmt::Debug for Notebook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Notebook").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Notebook {
    fn over(connection: Connection, path: PathBuf, place: Holding) -> Notebook {
        Notebook {
            connection,
            path,
            writer: OnceCell::new(),
            log: Cell::default(),
            clock: Clock::Wall,
            date: None,
            labels: RefCell::default(),
            place,
        }
    }

    /// Opens the notebook at `path` for writing, making it if there is none.
    ///
    /// # Errors
    /// [`NotebookError::InUse`] when another process writes it; otherwise as [`Notebook::open_existing`], and
    /// [`NotebookError::ReadOnly`], [`NotebookError::Full`] or [`NotebookError::CannotOpen`] when it cannot
    /// be made.
    pub fn open_or_create(path: impl AsRef<Path>) -> Result<Notebook, NotebookError> {
        let path = resolve(path.as_ref())?;
        if is_regular_file(&path)? {
            require_writable_file(&path)?;
        }
        // The lock comes first: it also shows whether the directory can be written at all.
        let lock = WriterLock::acquire(&path)?;
        // Somebody else may have made it before the lock was ours.
        let is_new = !is_regular_file(&path)?;
        let made = if is_new { Some(make_empty(&path).map_err(not_made)?) } else { None };
        match Notebook::ready_for_writing(&path) {
            Ok(notebook) => {
                let _ = notebook.writer.set(lock);
                Ok(notebook)
            }
            Err(error) => {
                let Some(made) = made else { return Err(error) };
                discard(&path, &made);
                Err(not_made(error))
            }
        }
    }

    /// Opens the notebook at `path`, which must exist. Nothing is locked until the first write, so
    /// this is also the way to read a notebook while a run writes it.
    ///
    /// # Errors
    /// [`NotebookError::NotFound`], [`NotebookError::NotANotebook`] for anything that is not a notebook,
    /// [`NotebookError::Newer`] for one of a newer version, [`NotebookError::Corrupt`] for a damaged one.
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Notebook, NotebookError> {
        let path = resolve(path.as_ref())?;
        if !is_regular_file(&path)? {
            return Err(NotebookError::NotFound { path });
        }
        let connection = connect_to_read(&path)?;
        let notebook = Notebook::over(connection, path, Holding::File);
        let header = notebook.admit()?;
        if header.is_blank() {
            let found = "an empty file".to_owned();
            return Err(NotebookError::NotANotebook { path: notebook.path.clone(), found });
        }
        if header.user_version < SCHEMA_VERSION { notebook.of_this_version() } else { Ok(notebook) }
    }

    /// The notebook in this build's version: the file itself where it can be changed, else a copy of it in
    /// memory.
    pub(crate) fn of_this_version(self) -> Result<Notebook, NotebookError> {
        let lock = self.require_writable().and_then(|()| WriterLock::acquire(&self.path));
        match lock {
            Ok(_lock) => {
                self.migrate()?;
                Ok(self)
            }
            Err(NotebookError::ReadOnly { .. } | NotebookError::CannotOpen { .. }) => {
                let failed = self.failed("reading it into memory");
                let mut memory = Connection::open_in_memory().and_then(configure).map_err(&failed)?;
                rusqlite::backup::Backup::new(&self.connection, &mut memory)
                    .and_then(|backup| backup.run_to_completion(1000, Duration::ZERO, None))
                    .map_err(&failed)?;
                let copy = Notebook::over(memory, self.path.clone(), Holding::Copy);
                copy.migrate()?;
                Ok(copy)
            }
            Err(error) => Err(error),
        }
    }

    /// Removes a notebook that was made just now and into which nothing came. One that holds a run stays.
    ///
    /// # Errors
    /// As SQLite reports; [`NotebookError::CannotOpen`] when the file cannot be removed.
    pub fn discard_empty(self) -> Result<(), NotebookError> {
        if self.latest_run()?.is_some() {
            return Ok(());
        }
        let made = Stamp::at(&self.path).map_err(|error| cannot_open(&self.path, &error))?;
        // Nobody else writes to it as long as the lock is held.
        let Notebook { connection, path, writer, .. } = self;
        connection.close().map_err(|(_, error)| classify(&path, "closing it", error))?;
        let is_it = Stamp::at(&path).is_ok_and(|now| made.is_same_file(&now));
        let removed = if is_it { disk::remove_file(&path) } else { Ok(()) };
        drop(writer);
        removed.map_err(|error| cannot_open(&path, &error))
    }

    /// The path of the notebook.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True while a process (this one included) holds the notebook for writing.
    pub fn is_being_written(&self) -> bool {
        self.work() != Work::Nothing
    }

    /// The current work of the writing process, this one or another.
    pub(crate) fn work(&self) -> Work {
        if self.place == Holding::Memory {
            return Work::Unknown;
        }
        // The lock says it of this process as well.
        WriterLock::work_of_holder(&self.path)
    }

    /// Says that this process is at work on the run, so that readers can tell it from one that was killed.
    pub(crate) fn work_on(&self, run: RunId) {
        if let Some(writer) = self.writer.get() {
            writer.work_on(run);
        }
    }

    /// Folds the write-ahead log back and closes the file, reporting errors that dropping would hide.
    ///
    /// # Errors
    /// As SQLite reports; nothing recorded is lost, the log is folded back at the next opening.
    pub fn close(self) -> Result<(), NotebookError> {
        let Notebook { connection, path, writer, .. } = self;
        let outcome = connection.close().map_err(|(_, error)| classify(&path, "closing it", error));
        drop(writer);
        outcome
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Sorts an error of SQLite, for `map_err`.
    pub(crate) fn failed(&self, doing: &'static str) -> impl Fn(rusqlite::Error) -> NotebookError + '_ {
        move |source| classify(&self.path, doing, source)
    }

    /// Becomes the process that writes the notebook, before anything is made whose fate it is to record.
    ///
    /// # Errors
    /// [`NotebookError::InUse`], [`NotebookError::ReadOnly`], [`NotebookError::Corrupt`] or
    /// [`NotebookError::Full`].
    pub fn become_writer(&self) -> Result<(), NotebookError> {
        if self.writer.get().is_none() && self.place != Holding::Memory {
            self.require_writable()?;
            let lock = WriterLock::acquire(&self.path)?;
            self.prepare_for_writing()?;
            let _ = self.writer.set(lock);
        }
        Ok(())
    }

    /// Starts a transaction that will write, becoming the writer if need be.
    pub(crate) fn write(&self) -> Result<Transaction<'_>, NotebookError> {
        self.become_writer()?;
        Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
            .map_err(self.failed("starting to write"))
    }

    /// A new notebook that ends with the value: no file is made, and nobody else sees it.
    ///
    /// # Errors
    /// As SQLite reports.
    pub fn in_memory() -> Result<Notebook, NotebookError> {
        let path = PathBuf::from(MEMORY);
        let opened = Connection::open_in_memory().and_then(configure);
        let connection = opened.map_err(|source| classify(&path, "opening it", source))?;
        let notebook = Notebook::over(connection, path, Holding::Memory);
        notebook.migrate()?;
        Ok(notebook)
    }

    /// A notebook in memory, of the bytes of a file.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn of_bytes(bytes: &[u8]) -> Result<Notebook, NotebookError> {
        let path = PathBuf::from(MEMORY);
        let failed = |source| classify(&path, "opening it", source);
        let mut connection = Connection::open_in_memory().and_then(configure).map_err(failed)?;
        connection.deserialize_read_exact("main", bytes, bytes.len(), false).map_err(failed)?;
        let notebook = Notebook::over(connection, path, Holding::Memory);
        if notebook.admit()?.user_version < SCHEMA_VERSION {
            notebook.migrate()?;
        }
        Ok(notebook)
    }

    #[cfg(any(test, fuzzing))]
    pub(crate) fn connection_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }

    fn require_writable(&self) -> Result<(), NotebookError> {
        let doing = "asking whether it can be written";
        if self.place == Holding::Copy || self.connection.is_readonly("main").map_err(self.failed(doing))? {
            return Err(read_only_file(&self.path));
        }
        Ok(())
    }

    /// Identifies the file, refusing one that is no notebook this build can read.
    fn admit(&self) -> Result<Header, NotebookError> {
        let header = Header::read(&self.connection).map_err(self.failed("reading its header"))?;
        let path = self.path.clone();
        if header.is_blank() {
            return Ok(header); // The file is empty: one with bytes and without a mark was not opened.
        }
        if header.user_version > SCHEMA_VERSION {
            return Err(NotebookError::Newer { path, found: header.user_version, supported: SCHEMA_VERSION });
        }
        if header.user_version < 1 {
            return Err(NotebookError::Corrupt { path, detail: "it bears no version".to_owned() });
        }
        Ok(header)
    }

    fn migrate(&self) -> Result<(), NotebookError> {
        migrate(&self.connection).map_err(self.failed("bringing it to this version"))
    }

    fn ready_for_writing(path: &Path) -> Result<Notebook, NotebookError> {
        let connection = connect(path).map_err(|source| classify(path, "opening it", source))?;
        let notebook = Notebook::over(connection, path.to_owned(), Holding::File);
        if notebook.admit()?.user_version < SCHEMA_VERSION {
            notebook.migrate()?;
        }
        notebook.prepare_for_writing()?;
        Ok(notebook)
    }

    /// A damaged notebook is refused before hours are measured into it.
    fn prepare_for_writing(&self) -> Result<(), NotebookError> {
        let doing = "preparing it for writing";
        let sound: String = self
            .connection
            .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
            .map_err(self.failed(doing))?;
        if sound != "ok" {
            return Err(unsound(&self.path, doing, sound));
        }
        // Readers do not stop the writer, nor the writer them. Where the file system cannot share
        // memory SQLite keeps its rollback journal, which is as durable: the answer is not checked.
        self.connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).map_err(self.failed(doing))
    }
}

/// Of a notebook that could not be made nothing was recorded before.
fn not_made(error: NotebookError) -> NotebookError {
    match error {
        NotebookError::Full { path, .. } => NotebookError::NoRoom { path },
        other => other,
    }
}

/// The real path, so that a notebook has one lock under all its names.
fn resolve(path: &Path) -> Result<PathBuf, NotebookError> {
    let refused = |error: io::Error| cannot_open(path, &error);
    match disk::canonicalize(path) {
        Ok(real) => return Ok(real),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(refused(error)),
    }
    let Some(name) = path.file_name() else { return Ok(path.to_owned()) };
    match disk::canonicalize(disk::parent(path)) {
        Ok(parent) => Ok(parent.join(name)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(path.to_owned()),
        Err(error) => Err(refused(error)),
    }
}

fn cannot_open(path: &Path, error: &io::Error) -> NotebookError {
    let remedy = "name another path, or run this as a user who may read and write that one";
    NotebookError::CannotOpen { path: path.to_owned(), detail: format!("{error}; {remedy}") }
}

fn read_only_file(path: &Path) -> NotebookError {
    let detail = "the file or its file system is read-only".to_owned();
    NotebookError::ReadOnly { path: path.to_owned(), detail }
}

/// SQLite would open a file that it cannot write all the same, and leave files beside it with its mode.
fn require_writable_file(path: &Path) -> Result<(), NotebookError> {
    match disk::is_writable(path) {
        Ok(true) => Ok(()),
        Ok(false) => Err(read_only_file(path)),
        Err(error) => Err(cannot_open(path, &error)),
    }
}

/// True if the path is a regular file. Opening a pipe or a device would hang or do harm, so the file's kind
/// is checked first.
fn is_regular_file(path: &Path) -> Result<bool, NotebookError> {
    let Some(facts) = disk::metadata_if_any(path).map_err(|error| cannot_open(path, &error))? else {
        return Ok(false);
    };
    let found = if facts.is_file() {
        return Ok(true);
    } else if facts.is_dir() {
        "a directory"
    } else if facts.is_symlink() {
        "a symbolic link that leads nowhere"
    } else {
        "a device, pipe or socket"
    };
    Err(NotebookError::NotANotebook { path: path.to_owned(), found: found.to_owned() })
}

/// Endings of the files that SQLite keeps beside its own, and would take for its own.
const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// Makes the file that is to become a notebook, while the lock is held.
fn make_empty(path: &Path) -> Result<Stamp, NotebookError> {
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            NotebookError::Full { path: path.to_owned(), doing: "making it" }
        }
        _ => cannot_open(path, &error),
    };
    for ending in BESIDE {
        let beside = with_ending(path, ending);
        if disk::metadata_if_any(&beside).map_err(failed)?.is_some() {
            let detail = format!(
                "{} lies beside its place, and SQLite would overwrite it: move it away, or name another notebook",
                beside.display()
            );
            return Err(NotebookError::CannotOpen { path: path.to_owned(), detail });
        }
    }
    let file = disk::File::create_new_with(path, 0o644).map_err(failed)?;
    Stamp::of(&file).map_err(|error| {
        let _ = disk::remove_file(path); // It was made an instant ago; the error above is the one to tell.
        failed(error)
    })
}

/// Removes the file that was to become a notebook and did not; one that holds anything stays, and its journal
/// with it.
fn discard(path: &Path, made: &Stamp) {
    // A journal that could not be played back then may be played back now.
    let _ = connect(path).and_then(|connection| Header::read(&connection).map(drop));
    let is_empty = Stamp::at(path).is_ok_and(|now| made.is_same_file(&now) && now.size_bytes == 0);
    if is_empty && disk::remove_file(&with_ending(path, "-journal")).is_ok() {
        let _ = disk::remove_file(path); // The error that led here is the one to tell.
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Opens a file that is there, by its real path.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    // A path here is absolute: none is taken for a URI. A notebook attached on read-only media is one.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    open_with(path, flags | OpenFlags::SQLITE_OPEN_URI)
}

fn open_with(path: impl AsRef<Path>, flags: OpenFlags) -> rusqlite::Result<Connection> {
    vfs::register();
    configure(Connection::open_with_flags_and_vfs(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX, vfs::NAME)?)
}

fn configure(connection: Connection) -> rusqlite::Result<Connection> {
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // A commit is on the disk before it returns, also in WAL mode.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // The file may come from elsewhere: its views and triggers get no more power than plain SQL.
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Opens a notebook that must exist. Nothing is made beside one that cannot be written, and on read-only
/// media the write-ahead index cannot be made: a notebook that was closed properly can be read without one.
fn connect_to_read(path: &Path) -> Result<Connection, NotebookError> {
    let is_writable = disk::is_writable(path).map_err(|error| cannot_open(path, &error))?;
    let opened = match is_writable {
        true => connect(path),
        false => open_with(name_to_read(path)?, READ_ONLY),
    };
    let opened = opened.and_then(|connection| Header::read(&connection).map(|_| connection));
    let error = match opened {
        Ok(connection) => return Ok(connection),
        Err(error) => error,
    };
    let media_is_read_only =
        matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly));
    if !media_is_read_only {
        return Err(classify(path, "opening it", error));
    }
    if has_log(path)? {
        let detail = "it was not closed properly and its log can only be folded back where the directory is \
                      writable: copy both files to one";
        return Err(NotebookError::ReadOnly { path: path.to_owned(), detail: detail.to_owned() });
    }
    connect_immutable(path).map_err(|source| classify(path, "opening it read-only", source))
}

/// True if a log beside the notebook holds records.
fn has_log(path: &Path) -> Result<bool, NotebookError> {
    for ending in ["-wal", "-journal"] {
        let log = disk::metadata_if_any(&with_ending(path, ending));
        if log.map_err(|error| cannot_open(path, &error))?.is_some_and(|log| log.len() > 0) {
            return Ok(true);
        }
    }
    Ok(false)
}

const READ_ONLY: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_URI);

/// The name by which SQLite opens a notebook that cannot be written and makes no file: with its log, if it
/// has one, through the index that is there.
fn name_to_read(path: &Path) -> Result<String, NotebookError> {
    Ok(uri(path, if has_log(path)? { "readonly_shm=1" } else { "immutable=1" }))
}

impl Notebook {
    /// The name by which another notebook attaches this one for reading.
    pub(crate) fn to_attach(&self) -> Result<String, NotebookError> {
        let is_read_only = self.connection.is_readonly("main").map_err(self.failed("looking at it"))?;
        Ok(if is_read_only || self.place == Holding::Copy {
            name_to_read(&self.path)?
        } else {
            self.path.to_string_lossy().into_owned()
        })
    }

    /// A notebook as it is opened where neither it nor its directory can be written.
    #[cfg(test)]
    pub(crate) fn on_read_only_media(path: &Path) -> Notebook {
        let connection = connect_immutable(path).expect("it is there");
        Notebook::over(connection, path.to_owned(), Holding::File)
    }
}

fn connect_immutable(path: &Path) -> rusqlite::Result<Connection> {
    open_with(uri(path, "immutable=1"), READ_ONLY)
}

fn uri(path: &Path, parameter: &str) -> String {
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    let _ = write!(uri, "?{parameter}");
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use words::EventKind;

    use crate::CellState;
    use crate::records::{Bed, CellRecord, Event, PlannedCell, RunPlan};

    fn planned(notebook: &Notebook) -> crate::CellId {
        let bed = Bed { name: "nvme".into(), ..Bed::default() };
        let cell = PlannedCell { bed: "nvme".into(), ..PlannedCell::default() };
        let run = notebook.start_run(&RunPlan::default(), &[bed], &[cell]).unwrap();
        notebook.cells(run).unwrap()[0].id
    }

    fn large_record() -> CellRecord {
        let event = Event::once(EventKind::Error, "x".repeat(10_000_000));
        CellRecord { state: CellState::Done, events: vec![event], ..CellRecord::default() }
    }

    #[test]
    fn a_cell_that_does_not_fit_is_absent_and_the_rest_intact() {
        let dir = tempfile::tempdir().unwrap();
        let notebook = Notebook::open_or_create(dir.path().join("a.db")).unwrap();
        let cell = planned(&notebook);
        notebook.begin_cell(cell).unwrap();
        // The nearest to a full disk that needs no privilege: SQLite reports both in the same way.
        notebook.connection.pragma_update(None, "max_page_count", 200).unwrap();
        let error = notebook.record_cell(cell, &large_record()).unwrap_err();
        assert!(matches!(error, NotebookError::Full { .. }), "{error}");
        assert!(error.to_string().contains("free some space"), "{error}");
        assert_eq!(notebook.cell(cell).unwrap().state, CellState::Running);
        assert!(notebook.events(cell).unwrap().is_empty());
        notebook.connection.pragma_update(None, "max_page_count", 1_000_000).unwrap();
        notebook.record_cell(cell, &large_record()).unwrap();
        notebook.verify().unwrap();
    }

    #[test]
    fn every_commit_is_synced() {
        let dir = tempfile::tempdir().unwrap();
        let notebook = Notebook::open_or_create(dir.path().join("a.db")).unwrap();
        let pragma = |name: &str| -> String {
            let value: rusqlite::types::Value =
                notebook.connection.pragma_query_value(None, name, |row| row.get(0)).unwrap();
            format!("{value:?}")
        };
        assert_eq!(pragma("synchronous"), "Integer(2)", "FULL");
        assert_eq!(pragma("journal_mode"), "Text(\"wal\")");
        assert_eq!(pragma("foreign_keys"), "Integer(1)");
    }

    #[test]
    fn a_notebook_on_read_only_media_can_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("50% done? #1 \u{e9}.db");
        let cell = planned(&Notebook::open_or_create(&path).unwrap());
        let connection = connect_immutable(&path).unwrap();
        let notebook = Notebook::over(connection, path.clone(), Holding::File);
        assert_eq!(notebook.cell(cell).unwrap().state, CellState::Planned);
        let error = notebook.begin_cell(cell).unwrap_err();
        assert!(matches!(error, NotebookError::ReadOnly { .. }), "{error}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is made beside it");
    }
}

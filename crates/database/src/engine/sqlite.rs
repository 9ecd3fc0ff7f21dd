//! SQLite inside our own process, its files on a mounted directory whose every access goes to the bed's
//! drives.
//!
//! The settings follow one idea: the memory of the bed is the pool of the mount, shared by all connections as
//! a server's buffer pool is, and what SQLite would do in secret (caching, checkpointing, waiting for locks)
//! is taken out of it and done where it can be measured.

mod backup;
mod checkpoint;
mod connection;
mod log_length;
mod settings;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use emulate::{Counters, Mount, MountOptions};
use words::Engine;

pub use connection::Connection;
pub use settings::{PAGE_BYTES, PRIVATE_CACHE_PAGES};

use crate::backup::{BackupReport, BackupRequest, BackupWatch, RestoreReport, TableSum};
use crate::copy::{CopyReport, copy_whole, sync_dir};
use crate::engine::Access;
use crate::error::DatabaseError;
use crate::gate::WriteGate;
use crate::instance::{Instance, InstanceSpec};
use crate::marker::Marker;
use crate::rewrite;
use checkpoint::Checkpointer;
use connection::OpenCount;
use log_length::LogLength;

/// The database's file; the log and its index have this name with `-wal` and `-shm` behind it.
const FILE: &str = "database.sqlite";
const LOG_FILE: &str = "database.sqlite-wal";
/// The files that SQLite creates and removes by itself; rollback journals appear only during loading. The
/// index of the log is in memory.
const LOGS: [&str; 2] = [LOG_FILE, "database.sqlite-journal"];
/// Permissions of the database's file, less those that the process's mask takes.
const MODE: u32 = 0o644;
/// Seed of the tosses of a crash.
const CRASH_SEED: u64 = 0;
/// A copy under construction.
const PARTIAL: &str = "database.partial";
/// The file on the way to other places of its drive, and the file that grows in turn with it.
const RELAID: &str = "database.relaid";
const FILLER: &str = "filler";

/// One SQLite database.
#[derive(Debug)]
pub struct Sqlite {
    spec: InstanceSpec,
    marker: Marker,
    log_marker: Option<Marker>,
    gate: Arc<WriteGate>,
    open: OpenCount,
    running: Option<Running>,
}

/// The parts of a running instance. The checkpointer is stopped before the mount is detached: fields drop in
/// this order.
#[derive(Debug)]
struct Running {
    checkpointer: Checkpointer,
    log: Arc<LogLength>,
    mount: Mount,
}

impl Sqlite {
    /// Claims the directories of `spec`. Nothing runs yet and an existing database is left as it is.
    ///
    /// # Errors
    /// [`DatabaseError::Refused`] when a directory is foreign; I/O errors when it cannot be created.
    pub fn new(spec: InstanceSpec) -> Result<Self, DatabaseError> {
        let marker = own_files(&spec.dir)?;
        let log_marker = spec.log_dir.as_deref().map(own_files).transpose()?;
        let (gate, open) = (Arc::new(WriteGate::new()), OpenCount::default());
        Ok(Self { spec, marker, log_marker, gate, open, running: None })
    }

    /// True while it accepts connections.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// The queue of all writers. A writer holds its permit from before `BEGIN IMMEDIATE` until after
    /// `COMMIT`.
    #[must_use]
    pub fn gate(&self) -> &WriteGate {
        &self.gate
    }

    /// The mount below the database, to inject faults and to read counters.
    ///
    /// # Errors
    /// [`DatabaseError::NotRunning`].
    pub fn mount(&self) -> Result<&Mount, DatabaseError> {
        Ok(&self.running()?.mount)
    }

    /// A new connection with the settings of [`Instance::settings`].
    ///
    /// # Errors
    /// When the instance is stopped, or SQLite or the storage below refuse.
    pub fn connect(&self) -> Result<Connection, DatabaseError> {
        let running = self.running()?;
        let mut connection = self.open()?;
        self.configure(&mut connection, &running.log).map_err(|error| self.with_cause(error))?;
        Ok(connection)
    }

    /// A connection to a new, empty database that is made for loading: no journal, no syncs, a large private
    /// cache. Hand it to [`Sqlite::finish_load`]. A load that dies leaves a file that is no database;
    /// [`Sqlite::remove`] it.
    ///
    /// # Errors
    /// [`DatabaseError::NotEmpty`] when there is a database already; when the instance is stopped or SQLite
    /// refuses.
    pub fn begin_load(&self) -> Result<Connection, DatabaseError> {
        self.running()?;
        if fs::metadata(self.path()).is_ok_and(|m| m.len() > 0) {
            return Err(DatabaseError::NotEmpty { dir: self.spec.dir.clone() });
        }
        self.remove_files()?;
        let connection = self.open()?;
        settings::for_loading(&connection).map_err(|error| self.with_cause(error))?;
        Ok(connection)
    }

    /// Throws the database away, whatever state it is in; the directory stays ours. A running instance is
    /// stopped for it.
    ///
    /// # Errors
    /// When connections are open or files cannot be removed.
    pub fn remove(&mut self) -> Result<(), DatabaseError> {
        self.detach()?;
        self.remove_files()
    }

    /// Ends a load: switches the journal on and syncs every byte.
    ///
    /// # Errors
    /// When the storage below refuses.
    pub fn finish_load(&self, connection: Connection) -> Result<(), DatabaseError> {
        settings::after_loading(&connection).map_err(|error| self.with_cause(error))
    }

    /// Adds the storage's own words to an error, where it has said any.
    fn with_cause(&self, error: DatabaseError) -> DatabaseError {
        match error {
            DatabaseError::Sqlite { doing, source, below: None } => {
                DatabaseError::Sqlite { doing, source, below: self.first_storage_error() }
            }
            other => other,
        }
    }

    fn running(&self) -> Result<&Running, DatabaseError> {
        self.running.as_ref().ok_or_else(|| DatabaseError::NotRunning { dir: self.spec.dir.clone() })
    }

    fn open(&self) -> Result<Connection, DatabaseError> {
        self.running()?;
        // Made here, and not by SQLite, it can be recognised.
        self.marker.ensure(FILE, MODE)?;
        Connection::open(&self.path(), &self.open).map_err(|error| self.with_cause(error))
    }

    fn configure(&self, connection: &mut Connection, log: &Arc<LogLength>) -> Result<(), DatabaseError> {
        settings::for_work(connection, self.spec.synchronous)?;
        connection.report_log_length(log)
    }

    fn log_length(&self) -> Arc<LogLength> {
        Arc::new(LogLength::new(settings::checkpoint_pages(self.spec.memory_bytes)))
    }

    fn path(&self) -> PathBuf {
        self.spec.dir.join(FILE)
    }

    /// Runs `work` on the stopped instance and starts it again if it ran.
    fn at_rest<T>(
        &mut self,
        work: impl FnOnce(&Self) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        let ran = self.is_running();
        self.stop()?;
        let done = work(self)?;
        if ran {
            self.start()?;
        }
        Ok(done)
    }

    fn remove_files(&self) -> Result<(), DatabaseError> {
        let markers = || std::iter::once(&self.marker).chain(&self.log_marker);
        let names = || std::iter::once(&FILE).chain(&LOGS);
        // All are looked at before one goes.
        markers().try_for_each(|marker| names().try_for_each(|name| marker.check_file(name)))?;
        markers().try_for_each(|marker| names().try_for_each(|name| marker.remove(name)))
    }

    fn attach(&self) -> Result<Mount, DatabaseError> {
        let options = MountOptions {
            data: self.spec.data.clone(),
            log: self.spec.log.clone(),
            memory_bytes: self.spec.memory_bytes,
            log_dir: self.spec.log_dir.clone(),
        };
        Ok(Mount::attach(&self.spec.dir, options)?)
    }

    /// Brings the log into the data file and empties it.
    fn write_back(&self) -> Result<(), DatabaseError> {
        if !self.path().exists() {
            return Ok(());
        }
        let mut connection = self.open()?;
        settings::for_work(&mut connection, self.spec.synchronous).map_err(|error| self.with_cause(error))?;
        checkpoint::write_back_all(&connection).map_err(|error| self.with_cause(error))
    }

    /// Stops the checkpointer and lets go of the files, whatever is in the log.
    fn detach(&mut self) -> Result<(), DatabaseError> {
        let open = self.connections();
        if open > 0 {
            return Err(DatabaseError::InUse { dir: self.spec.dir.clone(), open });
        }
        self.running = None;
        Ok(())
    }

    /// Open connections besides the checkpointer's.
    fn connections(&self) -> usize {
        self.open.get()
    }
}

impl Instance for Sqlite {
    fn engine(&self) -> Engine {
        Engine::Sqlite
    }

    fn version(&self) -> String {
        rusqlite::version().to_owned()
    }

    fn access(&self) -> Access<'_> {
        Access::Sqlite(self)
    }

    fn start(&mut self) -> Result<(), DatabaseError> {
        if self.is_running() {
            return Ok(());
        }
        let mount = self.attach()?;
        let log = self.log_length();
        let checkpointer = Checkpointer::start(&self.path(), &log, &self.gate, self.spec.synchronous)?;
        self.running = Some(Running { checkpointer, log, mount });
        Ok(())
    }

    fn stop(&mut self) -> Result<(), DatabaseError> {
        if !self.is_running() {
            return Ok(());
        }
        let open = self.connections();
        if open > 0 {
            return Err(DatabaseError::InUse { dir: self.spec.dir.clone(), open });
        }
        if let Some(running) = &mut self.running {
            running.checkpointer.stop();
        }
        // The instance is stopped even if the last write-back fails.
        let written = self.write_back();
        self.detach()?;
        written
    }

    /// There is no process to kill, so the power is cut: synced data is there afterwards, the rest is lost or
    /// kept at random.
    fn crash(&mut self) -> Result<(), DatabaseError> {
        let open = self.connections();
        if open > 0 {
            return Err(DatabaseError::InUse { dir: self.spec.dir.clone(), open });
        }
        self.cut_power(CRASH_SEED)?;
        self.power_on()?;
        self.detach()
    }

    fn crash_under_load(&self, seed: u64) -> Result<(), DatabaseError> {
        self.cut_power(seed)
    }

    fn recover(&mut self) -> Result<(), DatabaseError> {
        self.power_on()
    }

    fn spec(&self) -> Option<&InstanceSpec> {
        Some(&self.spec)
    }

    fn remove(&mut self) -> Result<(), DatabaseError> {
        Sqlite::remove(self)
    }

    fn snapshot(&mut self, to: &Path) -> Result<CopyReport, DatabaseError> {
        let marker = own_files(to)?;
        self.at_rest(|this| copy_whole(&this.path(), &marker, FILE, PARTIAL))
    }

    fn restore(&mut self, from: &Path) -> Result<CopyReport, DatabaseError> {
        let kept = from.join(FILE);
        let no_copy = |why: &str| DatabaseError::NoCopy { path: from.to_owned(), why: why.to_owned() };
        if disk::metadata_if_any(from).map_err(DatabaseError::io("reading", from))?.is_none() {
            return Err(no_copy("the directory is absent"));
        }
        Marker::open(from)?.check_file(FILE)?;
        if !kept.is_file() {
            return Err(no_copy("the database file is absent"));
        }
        let ran = self.is_running();
        self.detach()?;
        self.remove_files()?;
        let report = copy_whole(&kept, &self.marker, FILE, PARTIAL)?;
        sync_dir(&self.path())?;
        if ran {
            self.start()?;
        }
        Ok(report)
    }

    fn size_bytes(&self) -> u64 {
        let log_dir = self.spec.log_dir.as_ref().unwrap_or(&self.spec.dir);
        let length = |path: PathBuf| fs::metadata(path).map_or(0, |m| m.len());
        length(self.path()) + length(log_dir.join(LOG_FILE))
    }

    fn settings(&self) -> Vec<(String, String)> {
        settings::describe(&self.spec)
    }

    fn back_up(&self, request: &BackupRequest, watch: &BackupWatch) -> Result<BackupReport, DatabaseError> {
        self.make_backup(request, watch)
    }

    fn restore_backup(
        &mut self,
        from: &BackupRequest,
        watch: &BackupWatch,
    ) -> Result<RestoreReport, DatabaseError> {
        self.bring_backup_back(from, watch)
    }

    fn table_sums(&self, stop: &Arc<AtomicBool>) -> Result<Vec<TableSum>, DatabaseError> {
        self.sums(stop)
    }

    fn storage_counters(&self) -> Counters {
        self.running.as_ref().map(|running| running.mount.counters()).unwrap_or_default()
    }

    fn first_storage_error(&self) -> Option<String> {
        let running = self.running.as_ref()?;
        running.mount.first_error().or_else(|| running.checkpointer.error())
    }

    fn data_files(&self) -> Result<Vec<PathBuf>, DatabaseError> {
        Ok(vec![self.path()])
    }

    fn lay_out(&mut self, piece_bytes: Option<u64>) -> Result<(), DatabaseError> {
        self.stop()?;
        let filler = self.marker.ensure(FILLER, MODE)?;
        rewrite::lay_out(&self.path(), Some(&self.marker), &filler, piece_bytes)
    }

    fn cut_power(&self, seed: u64) -> Result<(), DatabaseError> {
        self.running()?.mount.cut_power(seed);
        Ok(())
    }

    fn set_lying_flush(&self, lies: bool) -> Result<(), DatabaseError> {
        self.running()?.mount.set_lying_flush(lies);
        Ok(())
    }

    fn power_on(&mut self) -> Result<(), DatabaseError> {
        let open = self.connections();
        if open > 0 {
            return Err(DatabaseError::InUse { dir: self.spec.dir.clone(), open });
        }
        let (path, synchronous, log) = (self.path(), self.spec.synchronous, self.log_length());
        let dir = &self.spec.dir;
        let running = self.running.as_mut().ok_or_else(|| DatabaseError::NotRunning { dir: dir.clone() })?;
        // Its errors are those of the cut.
        running.checkpointer.stop();
        running.mount.power_on()?;
        running.log = log;
        running.checkpointer = Checkpointer::start(&path, &running.log, &self.gate, synchronous)?;
        Ok(())
    }
}

/// Claims `dir` for the files of a database.
fn own_files(dir: &Path) -> Result<Marker, DatabaseError> {
    let marker = Marker::claim(dir)?;
    marker.own(&[FILE, PARTIAL, RELAID, FILLER])?;
    marker.own_logs(&LOGS)?;
    Ok(marker)
}

#[cfg(test)]
mod tests;

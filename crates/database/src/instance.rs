//! The operations of every engine for a bed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use emulate::{Backing, Counters};
use words::{Engine, Synchronous};

use crate::backup::{BackupReport, BackupRequest, BackupWatch, RestoreReport, TableSum};
use crate::client::Life;
use crate::copy::CopyReport;
use crate::engine::Access;
use crate::error::{BackupError, DatabaseError};
use crate::group::ThrottleCounters;
use crate::machine::process;
use crate::waits::Waits;

/// One database on one bed's storage.
#[derive(Clone, Debug)]
pub struct InstanceSpec {
    /// The instance's own directory; created with a marker, or must be empty or ours.
    pub dir: PathBuf,
    /// The backing of the data files.
    pub data: Backing,
    /// The backing of the log; the same drive's handle when data and log share it.
    pub log: Backing,
    /// The directory of the log if it is not that of the data; created with a marker too.
    pub log_dir: Option<PathBuf>,
    /// The buffer pool, bytes.
    pub memory_bytes: u64,
    /// When a commit is on the drive.
    pub synchronous: Synchronous,
    /// True if the kernel's page cache is in front of a modelled drive of a server, as it is of a real one.
    /// Without it pages outside the server's own memory come from the drive, as with the direct I/O of the
    /// studies' engine.
    pub page_cache: bool,
}

const NO_BACKUPS: BackupError = BackupError::NotPossible {
    engine: "a server that drivetrain only visits",
    what: "is not backed up, read as a whole or moved by it",
    fix: "let drivetrain start a server of its own (leave `url` out)",
};

/// The processes of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunsIn {
    /// In our own process, as SQLite does.
    ThisProcess,
    /// In a process of its own with those below it.
    Process(u32),
    /// In processes that are not ours to find, perhaps on another machine; or nowhere, while it is stopped.
    Elsewhere,
}

impl RunsIn {
    /// Processor time that the engine's own processes have used so far, those that have ended included;
    /// `None` where they are not known. Grows in steps of the kernel's tick, 10 ms.
    pub fn processor_time(self) -> Option<Duration> {
        match self {
            Self::ThisProcess => Some(Duration::ZERO),
            Self::Process(pid) => Some(process::processor_time(pid)),
            Self::Elsewhere => None,
        }
    }
}

/// A database engine's instance: one server with its own data directory.
pub trait Instance: Send + Sync {
    /// Its engine.
    fn engine(&self) -> Engine;

    /// The engine's own version.
    fn version(&self) -> String;

    /// The access of a workload. Meaningful while the instance runs; the address of a server may change at
    /// each start.
    fn access(&self) -> Access<'_>;

    /// Makes the instance ready for connections; a cold buffer pool. Nothing happens when it runs already. A
    /// server's instance is created first where there is none, and one that crashed has recovered when this
    /// returns.
    ///
    /// # Errors
    /// When storage or engine refuse.
    fn start(&mut self) -> Result<(), DatabaseError>;

    /// Shuts the instance down cleanly: everything is in the data files and on the drive. Nothing happens
    /// when it is stopped.
    ///
    /// # Errors
    /// When connections are open (a server closes them instead), or when the last checkpoint fails.
    fn stop(&mut self) -> Result<(), DatabaseError>;

    /// Ends the instance as a crash would, at one moment; [`Instance::start`] recovers it. A server's
    /// processes are killed, and their writes stay with the kernel; for SQLite, which has no process of its
    /// own, the power is cut.
    ///
    /// # Errors
    /// When it is not running, or connections of our own process are open; when the server is not ours.
    fn crash(&mut self) -> Result<(), DatabaseError>;

    /// Crashes the instance at this moment under its clients, whose connections die: [`Instance::crash`] for
    /// a database at work. The unsynced data that survives a power cut is chosen at random by `seed`. Bring
    /// it back with [`Instance::recover`].
    ///
    /// # Errors
    /// When it is not running; when the server is not ours.
    fn crash_under_load(&self, seed: u64) -> Result<(), DatabaseError>;

    /// Starts again after [`Instance::crash_under_load`], once the clients have gone, and has recovered when
    /// it returns.
    ///
    /// # Errors
    /// When connections of our own process are still open; when the engine cannot recover.
    fn recover(&mut self) -> Result<(), DatabaseError> {
        self.start()
    }

    /// Throws the database away, whatever state it is in; the directory stays ours. A running instance is
    /// ended for it.
    ///
    /// # Errors
    /// When files cannot be removed, or connections of our own process are open; when the server is not ours.
    fn remove(&mut self) -> Result<(), DatabaseError>;

    /// Keeps a complete copy of the database in directory `to`, which is created with a marker. Runs on a
    /// stopped instance; a running one is stopped for it and started again.
    ///
    /// # Errors
    /// When the directory is foreign, the copy does not fit or the instance cannot be stopped.
    fn snapshot(&mut self, to: &Path) -> Result<CopyReport, DatabaseError>;

    /// Replaces the database by the copy in `from`: byte for byte the state that was kept, with a cold buffer
    /// pool. A running instance is stopped for it and started again.
    ///
    /// # Errors
    /// When the copy is absent or incomplete, does not fit, or the instance cannot be stopped.
    fn restore(&mut self, from: &Path) -> Result<CopyReport, DatabaseError>;

    /// Bytes that data and log files hold at this moment.
    fn size_bytes(&self) -> u64;

    /// Every setting that can change a result, for print and fingerprint.
    fn settings(&self) -> Vec<(String, String)>;

    /// The specification from which it was made; `None` when the server is not ours.
    fn spec(&self) -> Option<&InstanceSpec> {
        None
    }

    /// The backings of data and log: a modelled drive's handle, or the storage itself.
    fn backings(&self) -> (Backing, Backing) {
        self.spec().map_or((Backing::Real, Backing::Real), |spec| (spec.data.clone(), spec.log.clone()))
    }

    /// The limits of its processes, in words, and the limits that were reached so far. `None` without limits,
    /// and when it is stopped.
    fn limits(&self) -> Option<(String, ThrottleCounters)> {
        None
    }

    /// Removes the limits of processors and memory until the next start, for unmeasured work, such as a
    /// check.
    fn lift_limits(&self) {}

    /// The counters of the storage below since the instance was started; zeros when it is stopped.
    fn storage_counters(&self) -> Counters;

    /// The first error that the storage below gave since the start, in its own words.
    fn first_storage_error(&self) -> Option<String>;

    /// Starts it anew with nothing in any cache: not in its pool, and not in the host's page cache either.
    ///
    /// # Errors
    /// As [`Instance::stop`] and [`Instance::start`].
    fn cool(&mut self) -> Result<(), DatabaseError> {
        self.stop()?;
        self.start()
    }

    /// The files that hold the tables, those of 1 MiB and more: the files that a scan reads.
    ///
    /// # Errors
    /// When its directory cannot be read; when the server is not ours.
    fn data_files(&self) -> Result<Vec<PathBuf>, DatabaseError> {
        Err(NO_BACKUPS.into())
    }

    /// Stops it and lays its [data files](Instance::data_files) out anew: each in one piece as far as the
    /// file system can, or growing by `piece_bytes` in turn with another file. Their bytes stay as they are.
    ///
    /// # Errors
    /// When there is no room for a second copy, or the file system cannot reserve space; when the server is
    /// not ours.
    fn lay_out(&mut self, _piece_bytes: Option<u64>) -> Result<(), DatabaseError> {
        Err(NO_BACKUPS.into())
    }

    /// Cuts the power of the modelled drives: from now on every access fails, and unsynced data is kept or
    /// lost by `seed`. A server's processes are killed at the same moment.
    ///
    /// # Errors
    /// When the instance is not running, or stands on real storage.
    fn cut_power(&self, seed: u64) -> Result<(), DatabaseError>;

    /// Switches on again with the surviving data; the instance is running afterwards and recovers at the
    /// first connection.
    ///
    /// # Errors
    /// When connections are still open, or the storage cannot be attached.
    fn power_on(&mut self) -> Result<(), DatabaseError>;

    /// Makes the modelled drives lie: a flush takes its time and reports success, but nothing becomes
    /// durable. To check that a durability check notices.
    ///
    /// # Errors
    /// When the instance is not running, or stands on real storage.
    fn set_lying_flush(&self, lies: bool) -> Result<(), DatabaseError>;

    /// The counters of the server since it was created or started, under its own names and, as far as it has
    /// them, under these: `commits`, `rollbacks`, `buffer_hits`, `buffer_reads` (requested pages found in the
    /// pool, or read), `read_ahead` (pages read before a request), `bytes_read`, `log_bytes`, `log_writes`,
    /// `log_syncs`, `log_images` (whole pages in the log), `data_syncs` (MariaDB: of the log too),
    /// `checkpoints`, `deadlocks`, `lock_waits`, `lock_wait_ms`, `temp_bytes`. For a server of ours also
    /// `processor_ms`, the processor time of all its processes, and `to_drives_bytes`, the bytes that the
    /// kernel wrote for them, without the file system's journal. They cover the whole server, other databases
    /// and our control connection included. PostgreSQL's clients report theirs when they are idle, and at
    /// most once a second. Empty for SQLite.
    ///
    /// # Errors
    /// When it is not running or does not answer.
    fn server_counters(&self) -> Result<BTreeMap<String, f64>, DatabaseError> {
        Ok(BTreeMap::new())
    }

    /// The working clients at this moment, by the class of their waits. Empty for SQLite. Do not call it more
    /// than five times a second: MariaDB then keeps answering with old row locks.
    ///
    /// # Errors
    /// When it is not running or does not answer.
    fn wait_sample(&self) -> Result<Waits, DatabaseError> {
        Ok(Waits::default())
    }

    /// The processes that do the engine's work: their processor time is separated from that of other
    /// programs.
    fn runs_in(&self) -> RunsIn {
        RunsIn::ThisProcess
    }

    /// Marks of the server's present life, so that two of them tell whether it crashed or was started again
    /// between. `None` for SQLite, which lives in our own process.
    ///
    /// # Errors
    /// When it is not running or does not answer within ten seconds.
    fn life(&self) -> Result<Option<Life>, DatabaseError> {
        Ok(None)
    }

    /// Makes a backup in the engine's native way while it runs, and lists its files. Clients may go on
    /// meanwhile.
    ///
    /// # Errors
    /// When it is not running, the tool is missing, older than the server or fails, the target is full, or
    /// `watch` was stopped; when the server is not ours.
    fn back_up(&self, _request: &BackupRequest, _watch: &BackupWatch) -> Result<BackupReport, DatabaseError> {
        Err(NO_BACKUPS.into())
    }

    /// Replaces the database by the backup in `from.dir` and starts the instance.
    /// [`backup::verify`](crate::backup::verify) checks that the backup is whole, and
    /// [`Instance::table_sums`] its contents.
    ///
    /// # Errors
    /// When there is no finished backup of this engine, it does not fit or does not start; when the server is
    /// not ours.
    fn restore_backup(
        &mut self,
        _from: &BackupRequest,
        _watch: &BackupWatch,
    ) -> Result<RestoreReport, DatabaseError> {
        Err(NO_BACKUPS.into())
    }

    /// The contents of every table, in the order of their names: every row is read.
    ///
    /// # Errors
    /// When it is not running or cannot be read; when the server is not ours; soon after `stop` has become
    /// true, in the middle of a table too. A server may go on with that statement until it is stopped itself.
    fn table_sums(&self, _stop: &Arc<AtomicBool>) -> Result<Vec<TableSum>, DatabaseError> {
        Err(NO_BACKUPS.into())
    }

    /// The last lines that the server printed since its start; `None` when it printed nothing or has no such
    /// log.
    fn server_log(&self, _lines: usize) -> Option<String> {
        None
    }
}

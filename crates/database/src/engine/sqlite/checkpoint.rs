//! The log is written back by a thread of its own, as the checkpoint writer of a database server does.
//!
//! SQLite's built-in way makes the unlucky committer do it while every other writer waits. Here most pages
//! are written back while writers go on; only the short rest, and the return to the start of the log, is done
//! holding the gate.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use ground::Clock;
use parking_lot::Mutex;
use rusqlite::Connection;

use super::connection::open_file;
use super::log_length::LogLength;
use super::settings;
use crate::error::DatabaseError;
use crate::gate::WriteGate;
use words::Synchronous;

/// A rest of the log of this share is short enough to be written back while writers wait.
const SHORT_REST: u32 = 8;
/// Pause between checks of a reader that blocks the checkpoint, and the number of checks (10 s). SQLite's own
/// pauses grow to 100 ms, during which all writers wait.
const LOOK_AGAIN: Duration = Duration::from_micros(200);
const LOOKS_MAX: i32 = 50_000;

/// The thread that writes the log back.
#[derive(Debug)]
pub(crate) struct Checkpointer {
    log: Arc<LogLength>,
    error: Arc<Mutex<Option<String>>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    pub(crate) fn start(
        path: &Path,
        log: &Arc<LogLength>,
        gate: &Arc<WriteGate>,
        synchronous: Synchronous,
    ) -> Result<Self, DatabaseError> {
        let error = Arc::new(Mutex::new(None));
        let worker =
            Worker { path: path.to_owned(), log: Arc::clone(log), gate: Arc::clone(gate), synchronous };
        let failure = Arc::clone(&error);
        let thread = std::thread::Builder::new()
            .name("checkpoint".to_owned())
            .spawn(move || {
                if let Err(error) = worker.work() {
                    *failure.lock() = Some(format!("background checkpoint: {error}"));
                }
            })
            .map_err(DatabaseError::io("starting the checkpoint thread of", path))?;
        Ok(Self { log: Arc::clone(log), error, thread: Some(thread) })
    }

    /// The reason why it gave up, if it did.
    pub(crate) fn error(&self) -> Option<String> {
        self.error.lock().clone()
    }

    /// Ends the thread and closes its connection.
    pub(crate) fn stop(&mut self) {
        self.log.stop();
        if let Some(thread) = self.thread.take() {
            // It reports errors and does not panic; were it to, there is nothing left to clean up.
            let _ = thread.join();
        }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.stop();
    }
}

struct Worker {
    path: PathBuf,
    log: Arc<LogLength>,
    gate: Arc<WriteGate>,
    synchronous: Synchronous,
}

impl Worker {
    fn work(&self) -> Result<(), DatabaseError> {
        // Opened late: before the first long log there may be no database.
        let mut connection = None;
        while self.log.wait() {
            let connection = match &mut connection {
                Some(connection) => connection,
                none => none.insert(self.connect()?),
            };
            self.checkpoint(connection)?;
            self.log.done();
        }
        Ok(())
    }

    fn connect(&self) -> Result<Connection, DatabaseError> {
        let mut connection = open_file(&self.path)?;
        settings::for_work(&mut connection, self.synchronous)?;
        connection
            .busy_handler(Some(look_again))
            .map_err(DatabaseError::sqlite("setting up the checkpoint"))?;
        Ok(connection)
    }

    fn checkpoint(&self, connection: &Connection) -> Result<(), DatabaseError> {
        let mut rest = i64::from(self.log.limit_pages);
        loop {
            let [_, in_log, written] = checkpoint(connection, "PASSIVE")?;
            let before = std::mem::replace(&mut rest, in_log - written);
            // A rest that does not shrink means that the writers outrun the drive. They are stopped then: a
            // log must not grow forever.
            if rest <= i64::from(self.log.limit_pages / SHORT_REST) || rest >= before {
                break;
            }
        }
        let _permit = self.gate.enter();
        // Readers are waited for; should one stay too long the log simply goes on growing until the next
        // time.
        checkpoint(connection, "RESTART")?;
        Ok(())
    }
}

/// Waits for a reader that prevents the return to the start of the log.
fn look_again(looks: i32) -> bool {
    Clock::Wall.sleep(LOOK_AGAIN);
    looks < LOOKS_MAX
}

/// Writes the whole log back and empties it. Nobody else may be connected.
pub(crate) fn write_back_all(connection: &Connection) -> Result<(), DatabaseError> {
    checkpoint(connection, "TRUNCATE").map(|_| ())
}

/// Busy flag, pages in the log, pages written back.
fn checkpoint(connection: &Connection, mode: &str) -> Result<[i64; 3], DatabaseError> {
    connection
        .query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| {
            Ok([row.get(0)?, row.get(1)?, row.get(2)?])
        })
        .map_err(DatabaseError::sqlite("writing the log back"))
}

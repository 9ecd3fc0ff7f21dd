//! SQLite's online backup: page by page into another file, on its own drive or on the same one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use emulate::Backing;
use ground::{Clock, FNV_START, fnv1a};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::types::ValueRef;

use super::Sqlite;
use super::connection::Connection;
use super::settings::{self, PAGE_BYTES};
use crate::backup::{
    self, BackupError, BackupMethod, BackupReport, BackupRequest, BackupWatch, Manifest, Pace, RestoreReport,
    TableSum, files_dir,
};
use crate::error::DatabaseError;
use crate::instance::{Instance as _, InstanceSpec};
use words::Synchronous;

/// Pages that are copied before the watch is looked at: half a MiB.
const STEP_PAGES: i32 = 64;
/// The copy's own page cache: it only writes.
const TARGET_MEMORY_BYTES: u64 = 1 << 20;
const ENGINE: &str = "SQLite";

impl Sqlite {
    /// [`crate::Instance::back_up`]. Writers go on meanwhile; the log is not written back until the backup
    /// has ended.
    pub(super) fn make_backup(
        &self,
        request: &BackupRequest,
        watch: &BackupWatch,
    ) -> Result<BackupReport, DatabaseError> {
        refuse_what_it_cannot(request)?;
        self.running()?;
        backup::claim(&request.dir)?;
        let mut target = Self::new(copy_spec(&request.dir, &request.backing))?;
        target.start()?;
        let start = Clock::Wall.stopwatch();
        watch.wrote(0);
        let (copied, times) = emulate::time_calls(|| self.copy_into(target, request, watch));
        copied?;
        let elapsed = start.elapsed();
        let listing = Clock::Wall.stopwatch();
        let tool = format!("SQLite {} online backup", rusqlite::version());
        let manifest =
            Manifest::write(&request.dir, ENGINE, BackupMethod::Physical, false, &tool, request.listed)?;
        Ok(BackupReport {
            bytes: manifest.bytes(),
            files: manifest.len(),
            elapsed,
            parts: times.into(),
            listed: listing.elapsed(),
            tool,
        })
    }

    /// Copies every page of one snapshot into `target` and puts it onto the drive. One thread does it all, so
    /// that its reads, writes and syncs follow each other.
    fn copy_into(
        &self,
        mut target: Self,
        request: &BackupRequest,
        watch: &BackupWatch,
    ) -> Result<(), DatabaseError> {
        let running = self.running()?;
        {
            let _hold = running.log.hold();
            let source = self.connect()?;
            // One snapshot from the first page to the last: without it every commit would start the backup
            // anew.
            source
                .execute_batch("BEGIN; SELECT count(*) FROM sqlite_master;")
                .map_err(DatabaseError::sqlite("beginning the backup"))?;
            let mut copy = target.begin_load()?;
            let pace = Pace::new(request.rate_limit_bytes_per_s);
            let copied = copy_pages(&source, &mut copy, pace, watch).and_then(|()| target.finish_load(copy));
            copied.map_err(|error| {
                full_target(&error, &request.dir).unwrap_or_else(|| self.with_cause(error))
            })?;
        }
        target.stop()
    }

    /// [`crate::Instance::restore_backup`].
    pub(super) fn bring_backup_back(
        &mut self,
        from: &BackupRequest,
        watch: &BackupWatch,
    ) -> Result<RestoreReport, DatabaseError> {
        Manifest::read(&from.dir)?.check_generation(&from.dir, ENGINE)?;
        let start = Clock::Wall.stopwatch();
        self.remove()?;
        self.start()?;
        let (copied, times) = emulate::time_calls(|| self.copy_from(from, watch));
        copied?;
        let files = start.elapsed();
        // The next connection is the first of a cold start.
        self.stop()?;
        let starting = Clock::Wall.stopwatch();
        self.start()?;
        let parts = times.into();
        Ok(RestoreReport { elapsed: start.elapsed(), files, parts, start: starting.elapsed() })
    }

    /// Copies every page of a backup into this empty database.
    fn copy_from(&self, from: &BackupRequest, watch: &BackupWatch) -> Result<(), DatabaseError> {
        let mut source = Self::new(copy_spec(&from.dir, &from.backing))?;
        source.start()?;
        {
            let pages = source.connect()?;
            let mut copy = self.begin_load()?;
            copy_pages(&pages, &mut copy, Pace::new(None), watch).map_err(|error| self.with_cause(error))?;
            self.finish_load(copy)?;
        }
        source.stop()
    }

    /// [`crate::Instance::table_sums`].
    pub(super) fn sums(&self, stop: &Arc<AtomicBool>) -> Result<Vec<TableSum>, DatabaseError> {
        let doing = "summing up the tables";
        let mut connection = self.connect()?;
        let stop = Arc::clone(stop);
        connection.interrupt_when(move || stop.load(Ordering::Acquire))?;
        let mut tables = connection
            .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
            .map_err(DatabaseError::sqlite(doing))?;
        let names: Vec<String> = tables
            .query_map([], |row| row.get(0))
            .and_then(Iterator::collect)
            .map_err(DatabaseError::sqlite(doing))?;
        let sum = |table: String| table_sum(&connection, table).map_err(DatabaseError::sqlite(doing));
        names.into_iter().map(sum).collect::<Result<_, _>>().map_err(|error| self.with_cause(error))
    }
}

fn refuse_what_it_cannot(request: &BackupRequest) -> Result<(), BackupError> {
    let engine = ENGINE;
    if request.method == BackupMethod::Logical {
        let (what, fix) =
            ("has no tool for a logical backup", "use `method = \"physical\"`, its online backup");
        return Err(BackupError::NotPossible { engine, what, fix });
    }
    if request.compress {
        let (what, fix) = ("copies pages as they are", "leave `compress` out");
        return Err(BackupError::NotPossible { engine, what, fix });
    }
    Ok(())
}

/// The file of a backup as a database of its own.
fn copy_spec(dir: &Path, backing: &Backing) -> InstanceSpec {
    InstanceSpec {
        dir: files_dir(dir),
        data: backing.clone(),
        log: backing.clone(),
        log_dir: None,
        memory_bytes: TARGET_MEMORY_BYTES,
        synchronous: Synchronous::Full,
        page_cache: false,
    }
}

/// The error of a target without room, with its name.
fn full_target(error: &DatabaseError, dir: &Path) -> Option<DatabaseError> {
    let DatabaseError::Sqlite { source, .. } = error else { return None };
    let is_full = source.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull);
    is_full.then(|| BackupError::TargetFull { dir: dir.to_owned(), printed: String::new() }.into())
}

fn copy_pages(
    source: &Connection,
    target: &mut Connection,
    mut pace: Pace,
    watch: &BackupWatch,
) -> Result<(), DatabaseError> {
    settings::for_copying(target)?;
    let failed = DatabaseError::sqlite("copying pages");
    let backup = Backup::new(source, target).map_err(DatabaseError::sqlite("beginning to copy pages"))?;
    let mut copied = 0;
    loop {
        if watch.is_stopped() {
            return Err(BackupError::Cancelled { what: "the backup".to_owned() }.into());
        }
        let step = match backup.step(STEP_PAGES) {
            Ok(step) => step,
            Err(error) => return Err(failed(error)),
        };
        let progress = backup.progress();
        let now = u64::try_from(progress.pagecount - progress.remaining).unwrap_or(0) * u64::from(PAGE_BYTES);
        let moved = now.saturating_sub(copied);
        copied = now;
        watch.add(moved);
        pace.moved(moved, watch);
        match step {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ => Clock::Wall.sleep(std::time::Duration::from_millis(1)), // Somebody has it locked.
        }
    }
}

/// The sum of the rows' checksums: whatever their order.
fn table_sum(connection: &rusqlite::Connection, table: String) -> rusqlite::Result<TableSum> {
    let mut statement = connection.prepare(&format!("SELECT * FROM \"{}\"", table.replace('"', "\"\"")))?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    let (mut count, mut sum) = (0_u64, 0_u64);
    while let Some(row) = rows.next()? {
        let mut row_sum = FNV_START;
        for column in 0..columns {
            let mut mix =
                |bytes: &[u8]| row_sum = bytes.iter().fold(row_sum, |sum, &byte| fnv1a(sum, u64::from(byte)));
            match row.get_ref(column)? {
                ValueRef::Null => mix(&[0]),
                ValueRef::Integer(value) => (mix(&[1]), mix(&value.to_le_bytes())).1,
                ValueRef::Real(value) => (mix(&[2]), mix(&value.to_le_bytes())).1,
                // The length keeps neighbours apart.
                ValueRef::Text(bytes) => (mix(&[3]), mix(&bytes.len().to_le_bytes()), mix(bytes)).2,
                ValueRef::Blob(bytes) => (mix(&[4]), mix(&bytes.len().to_le_bytes()), mix(bytes)).2,
            }
        }
        sum = sum.wrapping_add(row_sum);
        count += 1;
    }
    Ok(TableSum { table, rows: count, sum: format!("{sum:016x}") })
}

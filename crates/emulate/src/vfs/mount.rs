//! Directories mounted on the VFS, and the switches that a laboratory needs: counters, power, faults.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use super::state::State;
use super::{calls, registry};
use crate::counters::{Counters, Counts};
use crate::drive::Backing;
use crate::error::EmulateError;
use crate::fault::Fault;
use crate::recorder::Role;

/// The options of a mount.
#[derive(Clone, Debug)]
pub struct MountOptions {
    /// The storage behind the database files.
    pub data: Backing,
    /// The storage behind the log files: those whose names end in `-wal` or `-journal`. May be the same
    /// drive.
    pub log: Backing,
    /// The buffer pool: memory for pages of all databases and logs of the mount, shared by all connections. A
    /// hit costs nothing, a miss goes to the drive. 0 is allowed. Log pages share it and leave first unless
    /// they are read.
    pub memory_bytes: u64,
    /// The directory of the log files, if it is not that of the databases. A database must be closed cleanly
    /// before it is moved.
    pub log_dir: Option<PathBuf>,
}

/// A directory whose SQLite databases run on the drives of [`MountOptions`] when opened with the VFS
/// [`crate::VFS_NAME`]. Dropping it ends the mount; connections should be closed before, those that are not
/// fail from then on.
#[derive(Debug)]
pub struct Mount {
    state: Arc<State>,
    cut_problem: Mutex<Option<String>>,
}

impl Mount {
    /// Mounts a directory that exists.
    ///
    /// # Errors
    /// The directory (or `log_dir`) cannot be read, is mounted already, or SQLite refuses the VFS.
    pub fn attach(dir: &Path, options: MountOptions) -> Result<Mount, EmulateError> {
        calls::register()?;
        let dir = resolve(dir)?;
        let log_dir = options.log_dir.as_deref().map(resolve).transpose()?;
        let state = Arc::new(State::new(dir, log_dir, options.data, options.log, options.memory_bytes));
        registry::add(&state)?;
        Ok(Mount { state, cut_problem: Mutex::new(None) })
    }

    /// Everything counted since the mount was attached. A copy of twelve histograms, 3 MB: for the begin and
    /// the end of a phase.
    pub fn counters(&self) -> Counters {
        let mut counters = self.state.common.recorder.counters();
        counters.data.busy_ns = self.busy_ns(Role::Data);
        counters.log.busy_ns = self.busy_ns(Role::Log);
        counters
    }

    /// The plain numbers counted since the mount was attached: for every second of a long run.
    pub fn counts(&self) -> Counts {
        let mut counts = self.state.common.recorder.counts();
        counts.data.busy_ns = self.busy_ns(Role::Data);
        counts.log.busy_ns = self.busy_ns(Role::Log);
        counts
    }

    fn busy_ns(&self, role: Role) -> u64 {
        match self.state.backing(role) {
            Backing::Emulated(drive) => drive.busy_ns(),
            Backing::Real => 0,
        }
    }

    /// Cuts the power of the drives. From now on every call fails with `SQLITE_IOERR`, for ever on the
    /// present connections. Unsynced data is lost or kept, each 4 KiB sector at random; so are creations,
    /// deletions, truncations and growth. Synced data stays. The same seed and the same state give the same
    /// result. On real storage nothing can be taken back: only data still gathered in memory is lost.
    pub fn cut_power(&self, seed: u64) {
        if let Err(problem) = self.state.cut(seed) {
            *self.cut_problem.lock() = Some(problem);
        }
    }

    /// Gives power back: files can be opened again.
    ///
    /// # Errors
    /// The cut could not put some file into the state that it had chosen.
    pub fn power_on(&self) -> Result<(), EmulateError> {
        self.state.common.power.restore();
        self.cut_problem.lock().take().map_or(Ok(()), |message| Err(EmulateError::PowerCut { message }))
    }

    /// Starts a fault; several may be active at once.
    pub fn inject(&self, fault: Fault) {
        self.state.common.faults.inject(fault);
    }

    /// Ends all faults.
    pub fn clear_faults(&self) {
        self.state.common.faults.clear();
    }

    /// Makes the drives lie: a flush takes its time and reports success, but nothing becomes durable. For
    /// checking that a durability check notices.
    pub fn set_lying_flush(&self, lies: bool) {
        self.state.common.flush_lies.store(lies, Ordering::Relaxed);
    }

    /// The first failure from below SQLite since the mount was attached: operation, file and reason.
    pub fn first_error(&self) -> Option<String> {
        self.state.common.recorder.first_error()
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        registry::remove(&self.state);
        self.state.detach();
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("dir", &self.dir).finish_non_exhaustive()
    }
}

fn resolve(dir: &Path) -> Result<PathBuf, EmulateError> {
    let failed = |source| EmulateError::Directory { path: dir.to_owned(), source };
    let resolved = fs::canonicalize(dir).map_err(failed)?;
    // Reading it now gives the reason now, not at the first query.
    fs::read_dir(&resolved).map_err(failed)?;
    Ok(resolved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EmulatedDrive;
    use crate::vfs::registry::find;
    use device::DriveSpec;

    fn options() -> MountOptions {
        let drive = EmulatedDrive::new("free", &DriveSpec::free(), 1);
        let backing = Backing::Emulated(drive);
        MountOptions { data: backing.clone(), log: backing, memory_bytes: 1 << 20, log_dir: None }
    }

    #[test]
    fn the_longest_prefix_wins_and_a_directory_is_mounted_once() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let first = Mount::attach(outer.path(), options()).unwrap();
        let second = Mount::attach(&inner, options()).unwrap();
        let outer_dir = first.state.dir.clone();
        assert_eq!(find(&outer_dir.join("a.db")).unwrap().dir, outer_dir);
        assert_eq!(find(&outer_dir.join("inner/a.db")).unwrap().dir, second.state.dir);
        assert!(find(&outer_dir.join("inner-not/a.db")).unwrap().dir == outer_dir);
        let again = Mount::attach(&outer_dir.join("inner/../inner"), options());
        assert!(matches!(again, Err(EmulateError::AlreadyMounted { .. })));
        drop(second);
        assert_eq!(find(&outer_dir.join("inner/a.db")).unwrap().dir, outer_dir);
        drop(first);
        assert!(find(&outer_dir.join("a.db")).is_none());
    }

    #[test]
    fn only_directories_that_exist_are_mounted() {
        let dir = tempfile::tempdir().unwrap();
        let error = Mount::attach(&dir.path().join("none"), options()).unwrap_err();
        assert!(error.to_string().contains("create the directory first"), "{error}");
        let file = dir.path().join("file");
        fs::write(&file, "x").unwrap();
        assert!(matches!(Mount::attach(&file, options()), Err(EmulateError::Directory { .. })));
        let log_dir = Some(dir.path().join("none"));
        assert!(Mount::attach(dir.path(), MountOptions { log_dir, ..options() }).is_err());
    }
}

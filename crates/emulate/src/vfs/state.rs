//! The files of one mount: which are open, which were deleted but not durably so, and where each lies on its
//! drive.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use device::Op;
use parking_lot::Mutex;
use rusqlite::ffi;

use super::common::Common;
use super::file::SharedFile;
use super::gather::Gather;
use super::locks::{FileLocks, WalIndex};
use super::oslock;
use super::store::{Identity, OpenAs, Store};
use crate::drive::Backing;
use crate::recorder::{Failed, IoKind, Role};
use crate::undo::Undo;

/// Distance between the files on a drive: more than any file is long, so they never overlap in the model.
const FILE_SPACING_BYTES: u64 = 1 << 42;

pub(crate) struct State {
    /// The directory, resolved.
    pub(crate) dir: PathBuf,
    log_dir: PathBuf,
    data: Backing,
    log: Backing,
    pub(crate) common: Common,
    pub(crate) files: Mutex<Files>,
    last_id: AtomicU64,
}

#[derive(Default)]
pub(crate) struct Files {
    /// By path. Closed files stay while a power cut could still change them.
    pub(crate) known: BTreeMap<PathBuf, Known>,
    /// Deleted, but the deletion is not durable.
    pub(crate) deleted: Vec<Arc<SharedFile>>,
    places: BTreeMap<PathBuf, u64>,
}

pub(crate) struct Known {
    pub(crate) file: Arc<SharedFile>,
    users: usize,
    /// Taken when the last user closed it.
    pub(crate) closed_as: Option<Identity>,
}

/// SQLite's request to open a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Request {
    pub(crate) main_database: bool,
    pub(crate) create: bool,
    pub(crate) exclusive: bool,
    pub(crate) delete_on_close: bool,
}

impl State {
    pub(crate) fn new(
        dir: PathBuf,
        log_dir: Option<PathBuf>,
        data: Backing,
        log: Backing,
        memory_bytes: u64,
    ) -> State {
        State {
            log_dir: log_dir.unwrap_or_else(|| dir.clone()),
            dir,
            data,
            log,
            common: Common::new(memory_bytes),
            files: Mutex::default(),
            last_id: AtomicU64::new(0),
        }
    }

    pub(crate) fn backing(&self, role: Role) -> &Backing {
        match role {
            Role::Data => &self.data,
            Role::Log => &self.log,
        }
    }

    /// The real path of a file that SQLite names, and its purpose.
    fn resolve(&self, name: &Path) -> (PathBuf, Role) {
        let text = name.as_os_str().as_encoded_bytes();
        // SQLite names the journal of several databases "NAME-mj" and nine characters.
        let is_super_journal = text.len() > 12 && text[text.len() - 12..].starts_with(b"-mj");
        if text.ends_with(b"-wal") || text.ends_with(b"-journal") || is_super_journal {
            let inside = name.strip_prefix(&self.dir).unwrap_or(name);
            (self.log_dir.join(inside), Role::Log)
        } else {
            (name.to_owned(), Role::Data)
        }
    }

    /// The file that SQLite names, one user more, and the start of the power supply that it is opened under.
    pub(crate) fn open(&self, name: &Path, request: Request) -> Result<(Arc<SharedFile>, u64), Failed> {
        let (path, role) = self.resolve(name);
        let (_power, start) = self.common.power.hold_now()?;
        let mut files = self.files.lock();
        self.forget_replaced(&mut files, &path);
        if let Some(known) = files.known.get_mut(&path) {
            if request.exclusive && request.create {
                return Err(Failed(ffi::SQLITE_CANTOPEN));
            }
            if known.users == 0 && request.main_database {
                self.keep_others_out(&known.file)?;
            }
            known.users += 1;
            known.closed_as = None;
            return Ok((known.file.clone(), start));
        }
        let file = Arc::new(self.open_file(&mut files, &path, role, request)?);
        if request.main_database {
            self.keep_others_out(&file)?;
        }
        files.known.insert(path, Known { file: file.clone(), users: 1, closed_as: None });
        Ok((file, start))
    }

    /// Another process must not use the database: its part of the WAL index is in our memory.
    fn keep_others_out(&self, file: &SharedFile) -> Result<(), Failed> {
        match oslock::take(file.store.file(), file.store.is_writable()) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Failed(ffi::SQLITE_BUSY)),
            Err(error) => Err(file.failed(&self.common, ffi::SQLITE_IOERR_LOCK, "lock of", &error)),
        }
    }

    fn open_file(
        &self,
        files: &mut Files,
        path: &Path,
        role: Role,
        request: Request,
    ) -> Result<SharedFile, Failed> {
        let backing = self.backing(role).clone();
        let is_real = matches!(backing, Backing::Real);
        let existed = path.exists();
        if role == Role::Log
            && request.create
            && !existed
            && let Some(parent) = path.parent()
        {
            // A log directory of its own has the subdirectories it needs only from here.
            fs::create_dir_all(parent).map_err(|error| self.cannot_open(path, &error))?;
        }
        let mut how =
            OpenAs { write: true, create: request.create, exclusive: request.exclusive, direct: is_real };
        let store = Store::open(path, how).or_else(|error| {
            let denied = matches!(error.raw_os_error(), Some(libc::EACCES | libc::EROFS | libc::EPERM));
            if !denied || !existed {
                return Err(error);
            }
            (how.write, how.create) = (false, false);
            Store::open(path, how)
        });
        let store = store.map_err(|error| self.cannot_open(path, &error))?;
        let size = store.size().map_err(|error| self.cannot_open(path, &error))?;
        if is_real && !store.is_direct() {
            self.common.recorder.note(format!(
                "{}: the file system refuses O_DIRECT; reads may come from the page cache, so their times \
                 say little",
                self.dir.display()
            ));
        }
        let next_place = files.places.len() as u64;
        let place = *files.places.entry(path.to_owned()).or_insert(next_place);
        Ok(SharedFile {
            id: (self.last_id.fetch_add(1, Ordering::Relaxed) + 1) as u32,
            path: path.to_owned(),
            role,
            backing,
            store,
            base: place * FILE_SPACING_BYTES,
            size: AtomicU64::new(size),
            undo: Mutex::new(Undo::new(size, !existed)),
            gather: Mutex::new(Gather::default()),
            locks: Mutex::new(FileLocks::default()),
            index: Mutex::new(WalIndex::default()),
        })
    }

    /// "No such file" is an answer; everything else is a fault worth keeping.
    fn cannot_open(&self, path: &Path, error: &io::Error) -> Failed {
        match error.raw_os_error() {
            Some(libc::ENOENT | libc::EEXIST | libc::ENOTDIR | libc::EISDIR) => Failed(ffi::SQLITE_CANTOPEN),
            Some(libc::ENOSPC) => self.common.recorder.fail(ffi::SQLITE_FULL, "opening", path, error),
            _ => self.common.recorder.fail(ffi::SQLITE_CANTOPEN, "opening", path, error),
        }
    }

    /// A closed file that somebody replaced, for example with a kept copy, is a new file: our knowledge of it
    /// is void.
    fn forget_replaced(&self, files: &mut Files, path: &Path) {
        if let Some(known) = files.known.get(path)
            && known.users == 0
            && known.is_replaced()
            && let Some(known) = files.known.remove(path)
        {
            self.drop_undo(&known.file);
        }
    }

    /// Forgets the data of a file that a power cut could take back.
    pub(crate) fn drop_undo(&self, file: &SharedFile) {
        file.change_undo(&self.common, |undo| *undo = Undo::new(0, false));
    }

    /// One user less. The last one empties the cache of the file, as a database server that stops loses its
    /// memory.
    pub(crate) fn close(&self, file: &Arc<SharedFile>, start: u64) -> Result<(), Failed> {
        let settled = file.settle(&self.common, start);
        let Ok(_power) = self.common.power.hold(start) else { return Ok(()) };
        let mut files = self.files.lock();
        let Some(known) = files.known.get_mut(file.path()) else { return settled };
        if !Arc::ptr_eq(&known.file, file) {
            return settled;
        }
        known.users -= 1;
        if known.users > 0 {
            return settled;
        }
        self.common.pool.forget(file.id, 0);
        if file.store.is_direct() && file.store.is_writable() {
            // Whole blocks were written: the true size comes back. Left longer, SQLite would read zeros it
            // can cope with.
            let _ = file.store.set_size(file.size());
        }
        let _ = oslock::release(file.store.file());
        if !file.is_emulated() || file.undo.lock().is_durable(file.size()) {
            files.known.remove(file.path());
        } else {
            known.closed_as = file.store.identity().ok();
        }
        settled
    }

    /// Deletes a file. With `durable`, the deletion survives a power cut when this returns.
    pub(crate) fn delete(&self, name: &Path, durable: bool) -> Result<(), Failed> {
        let (path, role) = self.resolve(name);
        let power = self.common.power.hold_now()?;
        let mut files = self.files.lock();
        self.forget_replaced(&mut files, &path);
        let file = match files.known.remove(&path) {
            Some(known) => Some(known.file),
            // Kept open so that the deletion can be undone.
            None => self.open_file(&mut files, &path, role, Request::default()).ok().map(Arc::new),
        };
        match fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Failed(ffi::SQLITE_IOERR_DELETE_NOENT));
            }
            Err(error) => {
                return Err(self.common.recorder.fail(ffi::SQLITE_IOERR_DELETE, "deletion of", &path, error));
            }
        }
        let Some(file) = file else { return Ok(()) };
        self.common.pool.forget(file.id, 0);
        if file.is_emulated() && !file.undo.lock().is_created() {
            files.deleted.push(file.clone());
        } else {
            self.drop_undo(&file);
        }
        drop(files);
        drop(power);
        if durable { self.sync_directory(&file) } else { Ok(()) }
    }

    fn sync_directory(&self, file: &SharedFile) -> Result<(), Failed> {
        let started = file.start(Op::Flush);
        let result = match (&file.backing, file.path().parent()) {
            (Backing::Real, Some(parent)) => fs::File::open(parent).and_then(|dir| dir.sync_all()),
            _ => Ok(()),
        };
        file.finish(&self.common, started, IoKind::Sync, 0);
        let sync_fault = self.common.faults.on_sync().then(|| io::Error::from_raw_os_error(libc::EIO));
        if let Some(error) = sync_fault.or(result.err()) {
            return Err(file.failed(&self.common, ffi::SQLITE_IOERR_DIR_FSYNC, "directory sync for", &error));
        }
        self.commit_deletions()
    }

    /// Deletions so far are durable: any sync commits them, as a journalling file system does.
    pub(crate) fn commit_deletions(&self) -> Result<(), Failed> {
        if self.common.flush_lies.load(Ordering::Relaxed) {
            return Ok(());
        }
        let _power = self.common.power.hold_now()?;
        let gone = std::mem::take(&mut self.files.lock().deleted);
        gone.iter().for_each(|file| self.drop_undo(file));
        Ok(())
    }

    /// True if a file exists and, as in SQLite's Unix layer, is not empty.
    pub(crate) fn exists(&self, name: &Path) -> Result<bool, Failed> {
        self.common.power.start()?;
        let (path, _) = self.resolve(name);
        Ok(fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() || metadata.len() > 0))
    }

    /// Makes operations of all gathered appends: real storage must have the log before the data.
    pub(crate) fn settle_logs(&self, start: u64) -> Result<(), Failed> {
        if self.common.open_gathers.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        let logs: Vec<_> = {
            let files = self.files.lock();
            files
                .known
                .values()
                .map(|known| known.file.clone())
                .filter(|file| file.role == Role::Log)
                .collect()
        };
        logs.iter().try_for_each(|file| file.settle(&self.common, start))
    }
}

impl Known {
    /// True if the file at the path is not the one that its last user closed.
    pub(crate) fn is_replaced(&self) -> bool {
        self.users == 0 && Identity::of_path(self.file.path()).ok() != self.closed_as
    }
}

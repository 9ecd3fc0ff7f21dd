//! The methods of one open file as SQLite calls them.
#![allow(unsafe_code)] // SQLite calls through raw pointers.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::slice;

use rusqlite::ffi::{self, sqlite3_file, sqlite3_io_methods};

use super::boundary::{VFS_NAME_C, guarded};
use super::handle::Handle;
use super::locks::{Level, SLOTS};
use super::store::Store;
use super::timed::timed;
use crate::recorder::Failed;
use crate::undo::SECTOR;

/// The memory that SQLite keeps for one open file.
#[repr(C)]
pub(crate) struct Slot {
    base: sqlite3_file,
    opened: Option<Box<OpenFile>>,
}

/// A file that SQLite has open.
pub(crate) enum OpenFile {
    /// A file of a mount.
    Mounted(Handle),
    /// A temporary one without a name.
    Scratch(Store),
}

impl Slot {
    /// Fills memory that SQLite gave, whatever it held before.
    ///
    /// # Safety
    /// `self` is memory for a `Slot`, zeroed or a valid one that holds no file.
    pub(crate) unsafe fn set(&mut self, methods: *const sqlite3_io_methods, opened: Option<Box<OpenFile>>) {
        self.base.pMethods = methods;
        // SAFETY: the old value is not to be dropped: SQLite's memory is not initialised before the first
        // call.
        unsafe { ptr::write(&raw mut self.opened, opened) };
    }
}

pub(crate) static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

/// The open file behind SQLite's pointer.
///
/// # Safety
/// `file` was opened by our `xOpen` and is not closed. SQLite calls the methods of one file from one thread
/// at a time.
unsafe fn opened<'a>(file: *mut sqlite3_file) -> Result<&'a mut OpenFile, Failed> {
    // SAFETY: promised by the caller.
    let slot = unsafe { &mut *file.cast::<Slot>() };
    slot.opened.as_deref_mut().ok_or(Failed(ffi::SQLITE_MISUSE))
}

/// Like [`opened`], for methods that only files of a mount have.
///
/// # Safety
/// As for [`opened`].
unsafe fn mounted<'a>(file: *mut sqlite3_file) -> Result<&'a mut Handle, Failed> {
    // SAFETY: promised by the caller.
    match unsafe { opened(file) }? {
        OpenFile::Mounted(handle) => Ok(handle),
        OpenFile::Scratch(_) => Err(Failed(ffi::SQLITE_IOERR_SHMMAP)),
    }
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    guarded(|| {
        // SAFETY: SQLite closes a file that our `xOpen` opened, once.
        let slot = unsafe { &mut *file.cast::<Slot>() };
        match slot.opened.take().map(|opened| *opened) {
            Some(OpenFile::Mounted(handle)) => handle.close(),
            Some(OpenFile::Scratch(_)) | None => Ok(()),
        }
    })
}

unsafe extern "C" fn read(file: *mut sqlite3_file, out: *mut c_void, size: c_int, offset: i64) -> c_int {
    guarded(|| {
        // SAFETY: SQLite passes an open file and `size` bytes of memory, which it alone uses.
        let (opened, out) =
            unsafe { (opened(file)?, slice::from_raw_parts_mut(out.cast::<u8>(), size as usize)) };
        let offset = offset.max(0) as u64;
        let whole = match opened {
            OpenFile::Mounted(handle) => timed(|times| &mut times.read, || handle.read(out, offset))?,
            OpenFile::Scratch(store) => {
                let got = store.read_at(out, offset).map_err(|_| Failed(ffi::SQLITE_IOERR_READ))?;
                out[got..].fill(0);
                got == out.len()
            }
        };
        if whole { Ok(()) } else { Err(Failed(ffi::SQLITE_IOERR_SHORT_READ)) }
    })
}

unsafe extern "C" fn write(file: *mut sqlite3_file, bytes: *const c_void, size: c_int, offset: i64) -> c_int {
    guarded(|| {
        // SAFETY: SQLite passes an open file and `size` bytes that do not change during the call.
        let (opened, bytes) =
            unsafe { (opened(file)?, slice::from_raw_parts(bytes.cast::<u8>(), size as usize)) };
        match opened {
            OpenFile::Mounted(handle) => {
                timed(|times| &mut times.write, || handle.write(bytes, offset.max(0) as u64))
            }
            OpenFile::Scratch(store) => {
                store.write_at(bytes, offset.max(0) as u64).map_err(|_| Failed(ffi::SQLITE_IOERR_WRITE))
            }
        }
    })
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, size: i64) -> c_int {
    // SAFETY: SQLite passes an open file.
    guarded(|| match unsafe { opened(file) }? {
        OpenFile::Mounted(handle) => handle.truncate(size.max(0) as u64),
        OpenFile::Scratch(store) => {
            store.set_size(size.max(0) as u64).map_err(|_| Failed(ffi::SQLITE_IOERR_TRUNCATE))
        }
    })
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, _flags: c_int) -> c_int {
    // SAFETY: SQLite passes an open file.
    guarded(|| match unsafe { opened(file) }? {
        OpenFile::Mounted(handle) => timed(|times| &mut times.sync, || handle.sync()),
        OpenFile::Scratch(_) => Ok(()),
    })
}

unsafe extern "C" fn file_size(file: *mut sqlite3_file, out: *mut i64) -> c_int {
    guarded(|| {
        // SAFETY: SQLite passes an open file.
        let size = match unsafe { opened(file) }? {
            OpenFile::Mounted(handle) => handle.size()?,
            OpenFile::Scratch(store) => store.size().map_err(|_| Failed(ffi::SQLITE_IOERR_FSTAT))?,
        };
        // SAFETY: SQLite passes the place for the answer.
        unsafe { *out = size as i64 };
        Ok(())
    })
}

fn level(lock: c_int) -> Level {
    match lock {
        ffi::SQLITE_LOCK_NONE => Level::None,
        ffi::SQLITE_LOCK_SHARED => Level::Shared,
        ffi::SQLITE_LOCK_RESERVED => Level::Reserved,
        ffi::SQLITE_LOCK_PENDING => Level::Pending,
        _ => Level::Exclusive,
    }
}

unsafe extern "C" fn lock(file: *mut sqlite3_file, wanted: c_int) -> c_int {
    // SAFETY: SQLite passes an open file.
    guarded(|| match unsafe { opened(file) }? {
        OpenFile::Mounted(handle) => handle.lock(level(wanted)),
        OpenFile::Scratch(_) => Ok(()),
    })
}

unsafe extern "C" fn unlock(file: *mut sqlite3_file, wanted: c_int) -> c_int {
    guarded(|| {
        // SAFETY: SQLite passes an open file.
        if let OpenFile::Mounted(handle) = unsafe { opened(file) }? {
            handle.unlock(level(wanted));
        }
        Ok(())
    })
}

unsafe extern "C" fn check_reserved_lock(file: *mut sqlite3_file, out: *mut c_int) -> c_int {
    guarded(|| {
        // SAFETY: SQLite passes an open file.
        let reserved = match unsafe { opened(file) }? {
            OpenFile::Mounted(handle) => handle.is_reserved()?,
            OpenFile::Scratch(_) => false,
        };
        // SAFETY: SQLite passes the place for the answer.
        unsafe { *out = c_int::from(reserved) };
        Ok(())
    })
}

unsafe extern "C" fn file_control(file: *mut sqlite3_file, op: c_int, argument: *mut c_void) -> c_int {
    guarded(|| {
        // SAFETY: SQLite passes an open file.
        let OpenFile::Mounted(handle) = (unsafe { opened(file) })? else {
            return Err(Failed(ffi::SQLITE_NOTFOUND));
        };
        let number: *mut c_int = argument.cast();
        let flag = match op {
            ffi::SQLITE_FCNTL_PERSIST_WAL => &mut handle.persist_wal,
            ffi::SQLITE_FCNTL_POWERSAFE_OVERWRITE => &mut handle.powersafe_overwrite,
            ffi::SQLITE_FCNTL_LOCKSTATE => {
                // SAFETY: for this operation the argument is a place for a number.
                unsafe { *number = handle.level() as c_int };
                return Ok(());
            }
            ffi::SQLITE_FCNTL_HAS_MOVED => {
                // SAFETY: as above.
                unsafe { *number = 0 };
                return Ok(());
            }
            ffi::SQLITE_FCNTL_VFSNAME => {
                // SAFETY: the argument is a place for a string from SQLite's allocator, which the caller
                // frees.
                unsafe { *argument.cast() = ffi::sqlite3_mprintf(c"%s".as_ptr(), VFS_NAME_C.as_ptr()) };
                return Ok(());
            }
            ffi::SQLITE_FCNTL_SIZE_HINT => return Ok(()),
            _ => return Err(Failed(ffi::SQLITE_NOTFOUND)),
        };
        // SAFETY: for both flags the argument is a number: negative asks, 0 and 1 set.
        unsafe {
            match *number {
                asked if asked < 0 => *number = c_int::from(*flag),
                set => *flag = set != 0,
            }
        }
        Ok(())
    })
}

unsafe extern "C" fn sector_size(_file: *mut sqlite3_file) -> c_int {
    SECTOR as c_int
}

unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite passes an open file.
    match unsafe { opened(file) } {
        // As in a power cut: a sector falls back as a whole to its old contents, so bytes that were not
        // written do not change.
        Ok(OpenFile::Mounted(handle)) if handle.powersafe_overwrite => ffi::SQLITE_IOCAP_POWERSAFE_OVERWRITE,
        _ => 0,
    }
}

unsafe extern "C" fn shm_map(
    file: *mut sqlite3_file,
    region: c_int,
    size: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    guarded(|| {
        // SAFETY: SQLite passes the place for the answer.
        unsafe { *out = ptr::null_mut() };
        // SAFETY: SQLite passes an open file.
        let handle = unsafe { mounted(file) }?;
        let address = handle.index_region(region.max(0) as usize, size.max(0) as usize, extend != 0)?;
        if let Some(address) = address {
            // SAFETY: as above. The region is made of atomics, so that writing through the pointer is
            // allowed.
            unsafe { *out = address.cast_mut().cast() };
        }
        Ok(())
    })
}

unsafe extern "C" fn shm_lock(file: *mut sqlite3_file, first: c_int, count: c_int, flags: c_int) -> c_int {
    guarded(|| {
        let slots = first.max(0) as usize..(first.max(0) as usize + count.max(0) as usize).min(SLOTS);
        // SAFETY: SQLite passes an open file.
        let handle = unsafe { mounted(file) }?;
        if flags & ffi::SQLITE_SHM_UNLOCK != 0 {
            handle.index_unlock(slots)
        } else {
            handle.index_lock(slots, flags & ffi::SQLITE_SHM_EXCLUSIVE != 0)
        }
    })
}

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    // SAFETY: SQLite passes an open file.
    if let Ok(handle) = unsafe { mounted(file) } {
        handle.index_barrier();
    }
}

unsafe extern "C" fn shm_unmap(file: *mut sqlite3_file, _delete: c_int) -> c_int {
    guarded(|| {
        // SAFETY: SQLite passes an open file.
        unsafe { mounted(file) }?.index_leave();
        Ok(())
    })
}

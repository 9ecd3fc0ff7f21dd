//! The VFS as SQLite calls it. It translates between C and [`super::handle`]; nothing is decided here.
//!
//! No panic crosses into C: every callback that does more than return a constant is guarded, and a panic
//! becomes an I/O error.
#![allow(unsafe_code)] // SQLite calls through raw pointers.

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::ffi::{self, sqlite3_file, sqlite3_vfs};

use super::boundary::{VFS_NAME_C, guarded};
use super::handle::Handle;
use super::open_file::{METHODS, OpenFile, Slot};
use super::registry;
use super::state::Request;
use super::store::Store;
use crate::error::EmulateError;
use crate::recorder::Failed;

/// Longest path, as the kernel has it.
const MAX_PATH: c_int = 4096;

/// Registers the VFS, once per process. It is never the default one.
pub(crate) fn register() -> Result<(), EmulateError> {
    static CODE: OnceLock<c_int> = OnceLock::new();
    let code = *CODE.get_or_init(|| {
        // SAFETY: finding initialises SQLite if need be, and the default VFS lives as long as the process.
        let base = unsafe { ffi::sqlite3_vfs_find(ptr::null()) };
        if base.is_null() {
            return ffi::SQLITE_NOTFOUND;
        }
        let vfs: &'static mut sqlite3_vfs = Box::leak(Box::new(description(base)));
        // SAFETY: `vfs` is complete, lives for ever and is not touched by us again.
        unsafe { ffi::sqlite3_vfs_register(vfs, 0) }
    });
    if code == ffi::SQLITE_OK { Ok(()) } else { Err(EmulateError::Register { code }) }
}

fn description(base: *mut sqlite3_vfs) -> sqlite3_vfs {
    sqlite3_vfs {
        iVersion: 2,
        szOsFile: size_of::<Slot>() as c_int,
        mxPathname: MAX_PATH,
        pNext: ptr::null_mut(),
        zName: VFS_NAME_C.as_ptr(),
        pAppData: base.cast(),
        xOpen: Some(open),
        xDelete: Some(delete),
        xAccess: Some(access),
        xFullPathname: Some(full_path_name),
        xDlOpen: Some(dl_open),
        xDlError: Some(dl_error),
        xDlSym: Some(dl_sym),
        xDlClose: Some(dl_close),
        xRandomness: Some(randomness),
        xSleep: Some(sleep),
        xCurrentTime: Some(current_time),
        xGetLastError: Some(last_error),
        xCurrentTimeInt64: Some(current_time_int64),
        xSetSystemCall: None,
        xGetSystemCall: None,
        xNextSystemCall: None,
    }
}

/// The path behind a C string.
///
/// # Safety
/// `name` is null or a C string that lives as long as `'a`.
unsafe fn path<'a>(name: *const c_char) -> Option<&'a Path> {
    // SAFETY: promised by the caller.
    (!name.is_null())
        .then(|| unsafe { CStr::from_ptr(name) })
        .map(|name| Path::new(OsStr::from_bytes(name.to_bytes())))
}

unsafe extern "C" fn open(
    _vfs: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    let slot: *mut Slot = file.cast();
    // SAFETY: SQLite gives `szOsFile` bytes for the file. Without methods it does not close a file that was
    // not opened.
    unsafe { (*slot).set(ptr::null(), None) };
    guarded(|| {
        // SAFETY: a null name or a C string that SQLite keeps until the file is closed.
        let opened = match unsafe { path(name) } {
            Some(path) => {
                let state = registry::find(path).ok_or(Failed(ffi::SQLITE_CANTOPEN))?;
                OpenFile::Mounted(Handle::open(&state, path, request(flags))?)
            }
            // A temporary file of SQLite: sorting, statement journals. No drive is charged for it.
            None => OpenFile::Scratch(Store::scratch().map_err(|_| Failed(ffi::SQLITE_CANTOPEN_NOTEMPDIR))?),
        };
        if !out_flags.is_null() {
            let read_only = matches!(&opened, OpenFile::Mounted(handle) if !handle.is_writable());
            let access = ffi::SQLITE_OPEN_READONLY | ffi::SQLITE_OPEN_READWRITE;
            let granted = if read_only { flags & !access | ffi::SQLITE_OPEN_READONLY } else { flags };
            // SAFETY: not null, so SQLite wants the flags there.
            unsafe { *out_flags = granted };
        }
        // SAFETY: as above.
        unsafe { (*slot).set(&raw const METHODS, Some(Box::new(opened))) };
        Ok(())
    })
}

fn request(flags: c_int) -> Request {
    let has = |flag| flags & flag != 0;
    Request {
        main_database: has(ffi::SQLITE_OPEN_MAIN_DB),
        create: has(ffi::SQLITE_OPEN_CREATE),
        exclusive: has(ffi::SQLITE_OPEN_EXCLUSIVE),
        delete_on_close: has(ffi::SQLITE_OPEN_DELETEONCLOSE),
    }
}

unsafe extern "C" fn delete(_vfs: *mut sqlite3_vfs, name: *const c_char, sync_dir: c_int) -> c_int {
    guarded(|| {
        // SAFETY: SQLite passes a C string.
        let path = unsafe { path(name) }.ok_or(Failed(ffi::SQLITE_IOERR_DELETE))?;
        let state = registry::find(path).ok_or(Failed(ffi::SQLITE_IOERR_DELETE))?;
        state.delete(path, sync_dir != 0)
    })
}

unsafe extern "C" fn access(
    _vfs: *mut sqlite3_vfs,
    name: *const c_char,
    flags: c_int,
    result: *mut c_int,
) -> c_int {
    guarded(|| {
        // SAFETY: SQLite passes a C string.
        let path = unsafe { path(name) }.ok_or(Failed(ffi::SQLITE_IOERR_ACCESS))?;
        let state = registry::find(path).ok_or(Failed(ffi::SQLITE_IOERR_ACCESS))?;
        let exists = if flags == ffi::SQLITE_ACCESS_EXISTS {
            state.exists(path)?
        } else {
            state.common.power.start()?;
            fs::OpenOptions::new().read(true).write(flags == ffi::SQLITE_ACCESS_READWRITE).open(path).is_ok()
        };
        // SAFETY: SQLite passes the place for the answer.
        unsafe { *result = c_int::from(exists) };
        Ok(())
    })
}

unsafe extern "C" fn full_path_name(
    _vfs: *mut sqlite3_vfs,
    name: *const c_char,
    out_size: c_int,
    out: *mut c_char,
) -> c_int {
    guarded(|| {
        // SAFETY: SQLite passes a C string.
        let path = unsafe { path(name) }.ok_or(Failed(ffi::SQLITE_CANTOPEN_FULLPATH))?;
        let full = resolved(path).ok_or(Failed(ffi::SQLITE_CANTOPEN_FULLPATH))?;
        let bytes = full.as_os_str().as_bytes();
        if bytes.len() >= out_size.max(0) as usize {
            return Err(Failed(ffi::SQLITE_CANTOPEN_FULLPATH));
        }
        // SAFETY: `out` has `out_size` bytes, more than the path and its terminating zero.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr().cast(), out, bytes.len());
            *out.add(bytes.len()) = 0;
        }
        Ok(())
    })
}

/// The one name of a file that may not exist yet, so that all its connections share it.
fn resolved(path: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(path).ok()?;
    if let Ok(real) = fs::canonicalize(&absolute) {
        return Some(real);
    }
    let parent = fs::canonicalize(absolute.parent()?).ok();
    Some(
        parent
            .map_or_else(|| absolute.clone(), |parent| parent.join(absolute.file_name().unwrap_or_default())),
    )
}

/// The default VFS, for all calls that have nothing to do with storage.
///
/// # Safety
/// `vfs` is the one made by [`description`].
unsafe fn base<'a>(vfs: *mut sqlite3_vfs) -> &'a mut sqlite3_vfs {
    // SAFETY: `pAppData` is the default VFS, which lives as long as the process; SQLite does not change it
    // while it is in use.
    unsafe { &mut *(*vfs).pAppData.cast() }
}

unsafe extern "C" fn dl_open(vfs: *mut sqlite3_vfs, name: *const c_char) -> *mut c_void {
    // SAFETY: SQLite passes our VFS; the arguments go on as they are.
    let base = unsafe { base(vfs) };
    // SAFETY: as above.
    base.xDlOpen.map_or(ptr::null_mut(), |call| unsafe { call(base, name) })
}

unsafe extern "C" fn dl_error(vfs: *mut sqlite3_vfs, size: c_int, message: *mut c_char) {
    // SAFETY: SQLite passes our VFS; the arguments go on as they are.
    let base = unsafe { base(vfs) };
    if let Some(call) = base.xDlError {
        // SAFETY: as above.
        unsafe { call(base, size, message) }
    }
}

type Symbol = unsafe extern "C" fn(*mut sqlite3_vfs, *mut c_void, *const c_char);

unsafe extern "C" fn dl_sym(
    vfs: *mut sqlite3_vfs,
    library: *mut c_void,
    name: *const c_char,
) -> Option<Symbol> {
    // SAFETY: SQLite passes our VFS; the arguments go on as they are.
    let base = unsafe { base(vfs) };
    // SAFETY: as above.
    base.xDlSym.and_then(|call| unsafe { call(base, library, name) })
}

unsafe extern "C" fn dl_close(vfs: *mut sqlite3_vfs, library: *mut c_void) {
    // SAFETY: SQLite passes our VFS; the arguments go on as they are.
    let base = unsafe { base(vfs) };
    if let Some(call) = base.xDlClose {
        // SAFETY: as above.
        unsafe { call(base, library) }
    }
}

unsafe extern "C" fn randomness(vfs: *mut sqlite3_vfs, size: c_int, out: *mut c_char) -> c_int {
    // SAFETY: SQLite passes our VFS; the arguments go on as they are.
    let base = unsafe { base(vfs) };
    // SAFETY: as above.
    base.xRandomness.map_or(0, |call| unsafe { call(base, size, out) })
}

unsafe extern "C" fn sleep(vfs: *mut sqlite3_vfs, microseconds: c_int) -> c_int {
    // SAFETY: SQLite passes our VFS; the arguments go on as they are.
    let base = unsafe { base(vfs) };
    // SAFETY: as above.
    base.xSleep.map_or(0, |call| unsafe { call(base, microseconds) })
}

unsafe extern "C" fn current_time(vfs: *mut sqlite3_vfs, out: *mut f64) -> c_int {
    // SAFETY: SQLite passes our VFS; the arguments go on as they are.
    let base = unsafe { base(vfs) };
    // SAFETY: as above.
    base.xCurrentTime.map_or(ffi::SQLITE_ERROR, |call| unsafe { call(base, out) })
}

unsafe extern "C" fn current_time_int64(vfs: *mut sqlite3_vfs, out: *mut i64) -> c_int {
    // SAFETY: SQLite passes our VFS; the arguments go on as they are.
    let base = unsafe { base(vfs) };
    // SAFETY: as above.
    base.xCurrentTimeInt64.map_or(ffi::SQLITE_ERROR, |call| unsafe { call(base, out) })
}

/// The error is in `Mount::first_error`; SQLite only logs this number.
unsafe extern "C" fn last_error(_vfs: *mut sqlite3_vfs, _size: c_int, _out: *mut c_char) -> c_int {
    0
}

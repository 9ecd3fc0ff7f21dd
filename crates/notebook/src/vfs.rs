//! SQLite's system calls for a notebook, each behind a point of failure: a layer over SQLite's own VFS.
//!
//! The kernel's refusals keep their meaning: what may be there is never taken for absent, and a disk that
//! cannot be read is not called a damaged notebook. A file without a notebook's mark is not opened at all:
//! SQLite would fold another program's write-ahead log into it. Everything else is SQLite's own VFS.
#![allow(unsafe_code)] // SQLite calls through raw pointers.

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;

use disk::Call;
use disk::fault::point;
use rusqlite::Connection;
use rusqlite::ffi::{self, sqlite3_file, sqlite3_io_methods, sqlite3_vfs};

use crate::schema::APPLICATION_ID;

/// Name under which SQLite knows the VFS.
pub(crate) const NAME: &CStr = c"drivetrain-notebook";

/// The answer for a database without a notebook's mark. SQLite hands extended codes on as they are.
pub(crate) const NO_MARK: c_int = ffi::SQLITE_NOTADB | (1 << 8);
/// The first bytes of a database, and the place of the mark in its header.
const MAGIC: &[u8] = b"SQLite format 3\0";
const MARK_AT: usize = 68;

/// SQLite's own VFS, below this one.
struct Base(*mut sqlite3_vfs);

// SAFETY: the default VFS is complete, lives as long as the process, and its methods may be called from any
// thread.
unsafe impl Send for Base {}
// SAFETY: as above.
unsafe impl Sync for Base {}

static BASE: OnceLock<Option<Base>> = OnceLock::new();

/// Registers the VFS, once per process; it is never the default one. Opening by its name fails where that was
/// not possible.
pub(crate) fn register() {
    BASE.get_or_init(|| {
        // SAFETY: finding initialises SQLite if need be.
        let base = unsafe { ffi::sqlite3_vfs_find(ptr::null()) };
        if base.is_null() {
            return None;
        }
        // SAFETY: the default VFS is complete. Its other methods are taken over as they are: they find what
        // they need in `pAppData`, which is taken over with them.
        let vfs = unsafe {
            Box::leak(Box::new(sqlite3_vfs {
                iVersion: (*base).iVersion.min(2),
                szOsFile: size_of::<File>() as c_int + (*base).szOsFile,
                pNext: ptr::null_mut(),
                zName: NAME.as_ptr(),
                xOpen: Some(open),
                xDelete: Some(delete),
                xAccess: Some(access),
                xFullPathname: Some(full_path_name),
                ..*base
            }))
        };
        // SAFETY: `vfs` is complete, lives for ever and is not touched by us again.
        let code = unsafe { ffi::sqlite3_vfs_register(vfs, 0) };
        (code == ffi::SQLITE_OK).then_some(Base(base))
    });
}

/// True if the path of an open notebook no longer leads to its file. If that cannot be told, it does.
pub(crate) fn has_moved(connection: &Connection) -> bool {
    control(connection, ffi::SQLITE_FCNTL_HAS_MOVED, 0) == Some(1)
}

/// True if the first bytes of an open notebook's file are not those of a database any more: somebody
/// truncated it or wrote over it. Reads past SQLite's cache and its log, through the open file: to open the
/// path again would give up SQLite's locks on it.
pub(crate) fn has_lost_its_header(connection: &Connection) -> bool {
    let mut file: *mut sqlite3_file = ptr::null_mut();
    let mut header = [0u8; MAGIC.len()];
    // SAFETY: the connection is open, this request gives one pointer, to the file of its database, and an
    // open file has methods. They read no more than the length that they are given.
    let code = unsafe {
        let argument = (&raw mut file).cast();
        ffi::sqlite3_file_control(
            connection.handle(),
            c"main".as_ptr(),
            ffi::SQLITE_FCNTL_FILE_POINTER,
            argument,
        );
        let methods = if file.is_null() { ptr::null() } else { (*file).pMethods };
        match methods.as_ref().and_then(|methods| methods.xRead) {
            Some(read) => read(file, header.as_mut_ptr().cast(), header.len() as c_int, 0),
            None => return false,
        }
    };
    // A file that cannot be read says nothing about its bytes.
    matches!(code, ffi::SQLITE_OK | ffi::SQLITE_IOERR_SHORT_READ) && header != MAGIC
}

/// Leaves the files beside a notebook in their places when it is closed. SQLite would remove those of their
/// names, whoever has made them.
pub(crate) fn keep_log(connection: &Connection) {
    control(connection, ffi::SQLITE_FCNTL_PERSIST_WAL, 1);
}

/// Makes a request of the notebook's file that takes and gives a number.
fn control(connection: &Connection, request: c_int, mut number: c_int) -> Option<c_int> {
    // SAFETY: the connection is open, and both requests that come here read and write one `int`.
    let code = unsafe {
        let argument = (&raw mut number).cast();
        ffi::sqlite3_file_control(connection.handle(), c"main".as_ptr(), request, argument)
    };
    (code == ffi::SQLITE_OK).then_some(number)
}

/// SQLite's own VFS; SQLite calls nothing here before [`register`] has found it.
fn base() -> *mut sqlite3_vfs {
    BASE.get().and_then(Option::as_ref).map_or(ptr::null_mut(), |base| base.0)
}

/// An open file: SQLite gives room for this and, right behind it, for the file of its own VFS.
#[repr(C)]
struct File {
    methods: *const sqlite3_io_methods,
    /// As SQLite keeps it until the file is closed; null for a temporary one.
    name: *const c_char,
}

/// The path behind a C string, or the name in a log of a file without a name.
///
/// # Safety
/// `name` is null or a C string that lives as long as `'a`.
unsafe fn path<'a>(name: *const c_char) -> &'a Path {
    if name.is_null() {
        return Path::new("(temporary)");
    }
    // SAFETY: promised by the caller.
    Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(name) }.to_bytes()))
}

/// Passes a point for `call` on the open file and gives `code` where a test wants it to fail, "full" where it
/// needs room that is not there.
///
/// # Safety
/// `file` was opened by [`open`] and not closed since.
unsafe fn pass(file: *mut sqlite3_file, call: Call, code: c_int) -> Result<(), c_int> {
    // SAFETY: promised by the caller.
    point(call, unsafe { path((*file.cast::<File>()).name) }).map_err(|error| told(&error, call, code))
}

/// As SQLite's own VFS tells of a full disk: by a code of its own only where bytes were to be written.
fn told(error: &io::Error, call: Call, code: c_int) -> c_int {
    if call == Call::Write && error.kind() == io::ErrorKind::StorageFull { ffi::SQLITE_FULL } else { code }
}

/// The file of SQLite's own VFS and its methods.
///
/// # Safety
/// As for [`pass`].
unsafe fn below(file: *mut sqlite3_file) -> (*mut sqlite3_file, &'static sqlite3_io_methods) {
    // SAFETY: its room lies right behind ours, and a file that is open has methods, which are static.
    unsafe {
        let below = file.cast::<File>().add(1).cast::<sqlite3_file>();
        (below, &*(*below).pMethods)
    }
}

unsafe extern "C" fn open(
    _vfs: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    let own: *mut File = file.cast();
    // SAFETY: SQLite gives `szOsFile` bytes for the file. Without methods it does not close a file that was
    // not opened.
    unsafe { *own = File { methods: ptr::null(), name } };
    let call = if flags & ffi::SQLITE_OPEN_CREATE == 0 { Call::Open } else { Call::Create };
    // SAFETY: null, or a C string that SQLite keeps until the file is closed.
    if point(call, unsafe { path(name) }).is_err() {
        return ffi::SQLITE_CANTOPEN;
    }
    let vfs = base();
    // SAFETY: `vfs` is complete; the space behind ours has the requested size.
    unsafe {
        let below = own.add(1).cast::<sqlite3_file>();
        (*below).pMethods = ptr::null();
        let Some(open) = (*vfs).xOpen else { return ffi::SQLITE_CANTOPEN };
        let code = open(vfs, name, below, flags, out_flags);
        if !(*below).pMethods.is_null() {
            (*own).methods = &raw const METHODS;
        }
        if code == ffi::SQLITE_OK && flags & ffi::SQLITE_OPEN_MAIN_DB != 0 {
            return require_mark(file);
        }
        code
    }
}

/// Refuses a database that is not a notebook; an empty file can become one.
///
/// # Safety
/// As for [`pass`].
unsafe fn require_mark(file: *mut sqlite3_file) -> c_int {
    let (mut size, mut header) = (0, [0; MARK_AT + 4]);
    // SAFETY: the caller's promise; both places are as large as is said.
    let code = unsafe {
        match file_size(file, &raw mut size) {
            // SQLite takes a file of one byte for an empty one.
            ffi::SQLITE_OK if size == 0 => {
                return match std::fs::metadata(path((*file.cast::<File>()).name)) {
                    Ok(facts) if facts.len() == 0 => ffi::SQLITE_OK,
                    Ok(_) => ffi::SQLITE_NOTADB,
                    Err(_) => ffi::SQLITE_IOERR_FSTAT,
                };
            }
            ffi::SQLITE_OK => read(file, header.as_mut_ptr().cast(), header.len() as c_int, 0),
            code => code,
        }
    };
    match code {
        ffi::SQLITE_OK if !header.starts_with(MAGIC) => ffi::SQLITE_NOTADB,
        ffi::SQLITE_OK if header[MARK_AT..] != APPLICATION_ID.to_be_bytes() => NO_MARK,
        ffi::SQLITE_IOERR_SHORT_READ => ffi::SQLITE_NOTADB,
        code => code,
    }
}

unsafe extern "C" fn delete(_vfs: *mut sqlite3_vfs, name: *const c_char, sync_dir: c_int) -> c_int {
    // SAFETY: SQLite passes a C string; `base` is complete.
    unsafe {
        if point(Call::Remove, path(name)).is_err() {
            return ffi::SQLITE_IOERR_DELETE;
        }
        (*base()).xDelete.map_or(ffi::SQLITE_IOERR_DELETE, |call| call(base(), name, sync_dir))
    }
}

/// SQLite's own VFS takes a journal that it cannot ask about for an absent one, and would read on without it.
unsafe extern "C" fn access(
    _vfs: *mut sqlite3_vfs,
    name: *const c_char,
    flags: c_int,
    result: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes a C string and the place for the answer; `base` is complete.
    unsafe {
        let path = path(name);
        if point(Call::Stat, path).is_err() {
            return ffi::SQLITE_IOERR_ACCESS;
        }
        let code =
            (*base()).xAccess.map_or(ffi::SQLITE_IOERR_ACCESS, |call| call(base(), name, flags, result));
        if code == ffi::SQLITE_OK && *result == 0 && flags == ffi::SQLITE_ACCESS_EXISTS {
            return match std::fs::metadata(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => ffi::SQLITE_IOERR_ACCESS,
                _ => code,
            };
        }
        code
    }
}

unsafe extern "C" fn full_path_name(
    _vfs: *mut sqlite3_vfs,
    name: *const c_char,
    out_size: c_int,
    out: *mut c_char,
) -> c_int {
    // SAFETY: SQLite passes a C string and room for the answer; `base` is complete.
    unsafe {
        if point(Call::Stat, path(name)).is_err() {
            return ffi::SQLITE_CANTOPEN;
        }
        (*base()).xFullPathname.map_or(ffi::SQLITE_CANTOPEN, |call| call(base(), name, out_size, out))
    }
}

/// Sends a request on to the file below; `$code` where SQLite's own VFS cannot do it.
macro_rules! forward {
    ($file:ident, $method:ident($($argument:expr),*), $code:expr) => {{
        let (below, methods) = below($file);
        methods.$method.map_or($code, |call| call(below $(, $argument)*))
    }};
}

/// A method that passes a point and sends the request on; `$code` is the failure.
macro_rules! passing {
    ($name:ident, $method:ident($($argument:ident: $kind:ty),*), $call:expr, $code:expr) => {
        unsafe extern "C" fn $name(file: *mut sqlite3_file $(, $argument: $kind)*) -> c_int {
            // SAFETY: SQLite calls with an open file and arguments of the contract between it and a VFS.
            unsafe {
                match pass(file, $call, $code) {
                    Ok(()) => forward!(file, $method($($argument),*), $code),
                    Err(code) => code,
                }
            }
        }
    };
}

/// A method that asks nothing of the kernel that could be refused.
macro_rules! plain {
    ($name:ident, $method:ident($($argument:ident: $kind:ty),*), $code:expr) => {
        unsafe extern "C" fn $name(file: *mut sqlite3_file $(, $argument: $kind)*) -> c_int {
            // SAFETY: SQLite calls with an open file and arguments of the contract between it and a VFS.
            unsafe { forward!(file, $method($($argument),*), $code) }
        }
    };
}

passing!(truncate, xTruncate(size: i64), Call::Truncate, ffi::SQLITE_IOERR_TRUNCATE);
passing!(sync, xSync(flags: c_int), Call::Sync, ffi::SQLITE_IOERR_FSYNC);
passing!(file_size, xFileSize(size: *mut i64), Call::Stat, ffi::SQLITE_IOERR_FSTAT);
passing!(lock, xLock(level: c_int), Call::Lock, ffi::SQLITE_IOERR_LOCK);
passing!(check_reserved_lock, xCheckReservedLock(out: *mut c_int), Call::Lock, ffi::SQLITE_IOERR_CHECKRESERVEDLOCK);
// A kernel gives up every lock that it is asked to, so that this cannot fail.
plain!(unlock, xUnlock(level: c_int), ffi::SQLITE_IOERR_UNLOCK);
plain!(close, xClose(), ffi::SQLITE_IOERR_CLOSE);
plain!(sector_size, xSectorSize(), 0);
plain!(device_characteristics, xDeviceCharacteristics(), 0);

unsafe extern "C" fn read(file: *mut sqlite3_file, out: *mut c_void, bytes: c_int, at: i64) -> c_int {
    // SAFETY: SQLite calls with an open file and room for the bytes.
    unsafe {
        let code = match pass(file, Call::Read, ffi::SQLITE_IOERR_READ) {
            Ok(()) => forward!(file, xRead(out, bytes, at), ffi::SQLITE_IOERR_READ),
            Err(code) => code,
        };
        // SQLite would call the notebook damaged where its disk could not be read.
        if code == ffi::SQLITE_IOERR_CORRUPTFS { ffi::SQLITE_IOERR_READ } else { code }
    }
}

/// A write that is made to fail leaves half of its bytes behind, as one does that a full disk or a kill cuts
/// off.
unsafe extern "C" fn write(file: *mut sqlite3_file, from: *const c_void, bytes: c_int, at: i64) -> c_int {
    // SAFETY: SQLite calls with an open file and that many bytes.
    unsafe {
        let path = path((*file.cast::<File>()).name);
        match point(Call::Write, path) {
            Ok(()) => forward!(file, xWrite(from, bytes, at), ffi::SQLITE_IOERR_WRITE),
            Err(error) => {
                if error.kind() != io::ErrorKind::Other {
                    let _ = forward!(file, xWrite(from, bytes / 2, at), ffi::SQLITE_IOERR_WRITE);
                }
                told(&error, Call::Write, ffi::SQLITE_IOERR_WRITE)
            }
        }
    }
}

unsafe extern "C" fn file_control(file: *mut sqlite3_file, what: c_int, with: *mut c_void) -> c_int {
    // SAFETY: SQLite calls with an open file and the arguments of the request.
    unsafe {
        if what == ffi::SQLITE_FCNTL_HAS_MOVED
            && let Err(code) = pass(file, Call::Stat, ffi::SQLITE_IOERR_FSTAT)
        {
            return code;
        }
        forward!(file, xFileControl(what, with), ffi::SQLITE_NOTFOUND)
    }
}

unsafe extern "C" fn shm_map(
    file: *mut sqlite3_file,
    region: c_int,
    bytes: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    let (call, code) = match (region, extend) {
        (_, 0) => (Call::Open, ffi::SQLITE_IOERR_SHMOPEN),
        // The first region makes the file.
        (0, _) => (Call::Create, ffi::SQLITE_IOERR_SHMOPEN),
        _ => (Call::Truncate, ffi::SQLITE_IOERR_SHMSIZE),
    };
    // SAFETY: SQLite calls with an open file and the place for the answer.
    unsafe {
        match pass(file, call, code) {
            Ok(()) => forward!(file, xShmMap(region, bytes, extend, out), code),
            Err(code) => code,
        }
    }
}

unsafe extern "C" fn shm_lock(file: *mut sqlite3_file, first: c_int, count: c_int, flags: c_int) -> c_int {
    // SAFETY: SQLite calls with an open file.
    unsafe {
        // As for files, giving up a lock cannot fail.
        if flags & ffi::SQLITE_SHM_LOCK != 0
            && let Err(code) = pass(file, Call::Lock, ffi::SQLITE_IOERR_SHMLOCK)
        {
            return code;
        }
        forward!(file, xShmLock(first, count, flags), ffi::SQLITE_IOERR_SHMLOCK)
    }
}

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    // SAFETY: SQLite calls with an open file.
    unsafe {
        let (below, methods) = below(file);
        if let Some(call) = methods.xShmBarrier {
            call(below);
        }
    }
}

unsafe extern "C" fn shm_unmap(file: *mut sqlite3_file, remove: c_int) -> c_int {
    // SAFETY: SQLite calls with an open file.
    unsafe {
        // A file that cannot be removed stays, without a message.
        let remove = c_int::from(remove != 0 && pass(file, Call::Remove, ffi::SQLITE_OK).is_ok());
        forward!(file, xShmUnmap(remove), ffi::SQLITE_OK)
    }
}

/// Version 2: nothing is read through a mapping, so that every read passes its point.
static METHODS: sqlite3_io_methods = sqlite3_io_methods {
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

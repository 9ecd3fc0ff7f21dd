//! The parser of requests: bytes of an entry in, a call with checked fields out.
//!
//! The kernel wrote them, which is trusted for their meaning; but nothing here reads outside of the bytes,
//! panics, or passes a name on that is none.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{FileHandle, INodeNo, TimeOrNow};
use rustix::io::Errno;

use super::abi::{ARGUMENT_AT, ARGUMENT_BYTES, Header, ONLY_DATA, PAYLOAD_BYTES_AT, change, opcode};
use crate::fuse::names::{Caller, Changes};

/// A request of the kernel.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) ino: INodeNo,
    pub(super) caller: Caller,
    /// The thread that asks; 0 for the kernel itself.
    pub(super) thread: u32,
    pub(super) call: Call<'a>,
}

/// The calls that are answered; the kernel does all others without us.
#[derive(Debug)]
pub(super) enum Call<'a> {
    LookUp(&'a OsStr),
    Attributes,
    Change(Changes),
    ReadLink,
    Symlink { name: &'a OsStr, target: &'a OsStr },
    MakeNode { name: &'a OsStr, mode: u32, device: u32 },
    MakeFolder { name: &'a OsStr, mode: u32 },
    Remove { name: &'a OsStr, is_folder: bool },
    Rename { name: &'a OsStr, new_parent: INodeNo, new_name: &'a OsStr, flags: u32 },
    Link { ino: INodeNo, name: &'a OsStr },
    Open { flags: i32 },
    Create { name: &'a OsStr, mode: u32, flags: i32 },
    Read { handle: FileHandle, offset: u64, size: u32 },
    Write { handle: FileHandle, offset: u64, bytes: &'a [u8], flags: i32 },
    Room,
    Release { handle: FileHandle },
    Sync { handle: FileHandle, only_data: bool },
    OpenFolder,
    ReadFolder { handle: FileHandle, offset: u64, size: u32 },
    CloseFolder { handle: FileHandle },
    SyncFolder,
    Allocate { handle: FileHandle, offset: u64, length: u64, mode: i32 },
}

/// Reads a request. The payload may be longer than what the header says of it.
///
/// # Errors
/// `ENOSYS`: a call that the kernel does without us once it is told so. `EINVAL`: no request of the protocol.
/// `ENAMETOOLONG`: a name that no file has.
pub(super) fn parse<'a>(header: &Header, payload: &'a [u8]) -> Result<Request<'a>, Errno> {
    let head = Fields(header);
    let len = head.u32(PAYLOAD_BYTES_AT) as usize;
    let mut rest = Rest(payload.get(..len).ok_or(Errno::INVAL)?);
    let first = Fields(&header[ARGUMENT_AT..ARGUMENT_AT + ARGUMENT_BYTES]);
    let call = match head.u32(4) {
        opcode::READ => {
            let (handle, offset, size) = ranged(&first)?;
            Call::Read { handle, offset, size }
        }
        opcode::WRITE => {
            let (handle, offset, size) = ranged(&first)?;
            let bytes = rest.0.get(..size as usize).ok_or(Errno::INVAL)?;
            Call::Write { handle, offset, bytes, flags: first.i32(32) }
        }
        opcode::FSYNC => {
            Call::Sync { handle: FileHandle(first.u64(0)), only_data: first.u32(8) & ONLY_DATA != 0 }
        }
        opcode::LOOKUP => Call::LookUp(rest.name()?),
        opcode::GETATTR => Call::Attributes,
        opcode::SETATTR => Call::Change(changes(&first)?),
        opcode::OPEN => Call::Open { flags: first.i32(0) },
        opcode::RELEASE => Call::Release { handle: FileHandle(first.u64(0)) },
        opcode::CREATE => Call::Create { flags: first.i32(0), mode: first.u32(4), name: rest.name()? },
        opcode::FALLOCATE => Call::Allocate {
            handle: FileHandle(first.u64(0)),
            offset: offset(first.u64(8))?,
            length: offset(first.u64(16))?,
            mode: first.i32(24),
        },
        opcode::STATFS => Call::Room,
        other => of_names(other, &first, &mut rest)?,
    };
    let caller = Caller { uid: head.u32(24), gid: head.u32(28) };
    Ok(Request { ino: INodeNo(head.u64(16)), caller, thread: head.u32(32), call })
}

/// Calls about names and folders.
fn of_names<'a>(opcode: u32, first: &Fields<'_>, rest: &mut Rest<'a>) -> Result<Call<'a>, Errno> {
    Ok(match opcode {
        opcode::READLINK => Call::ReadLink,
        opcode::SYMLINK => Call::Symlink { name: rest.name()?, target: rest.text()? },
        opcode::MKNOD => Call::MakeNode { mode: first.u32(0), device: first.u32(4), name: rest.name()? },
        opcode::MKDIR => Call::MakeFolder { mode: first.u32(0), name: rest.name()? },
        opcode::UNLINK => Call::Remove { name: rest.name()?, is_folder: false },
        opcode::RMDIR => Call::Remove { name: rest.name()?, is_folder: true },
        opcode::RENAME | opcode::RENAME2 => Call::Rename {
            new_parent: INodeNo(first.u64(0)),
            flags: if opcode == opcode::RENAME2 { first.u32(8) } else { 0 },
            name: rest.name()?,
            new_name: rest.name()?,
        },
        opcode::LINK => Call::Link { ino: INodeNo(first.u64(0)), name: rest.name()? },
        opcode::OPENDIR => Call::OpenFolder,
        opcode::READDIR => {
            // A position here is one of ours, not a number of bytes.
            Call::ReadFolder { handle: FileHandle(first.u64(0)), offset: first.u64(8), size: first.u32(16) }
        }
        opcode::RELEASEDIR => Call::CloseFolder { handle: FileHandle(first.u64(0)) },
        opcode::FSYNCDIR => Call::SyncFolder,
        _ => return Err(Errno::NOSYS),
    })
}

/// `fuse_read_in` and `fuse_write_in` begin alike: handle, offset, size.
fn ranged(first: &Fields<'_>) -> Result<(FileHandle, u64, u32), Errno> {
    Ok((FileHandle(first.u64(0)), offset(first.u64(8))?, first.u32(16)))
}

/// A place in a file, which the system counts with a sign.
fn offset(value: u64) -> Result<u64, Errno> {
    i64::try_from(value).map(|_| value).map_err(|_| Errno::INVAL)
}

/// `fuse_setattr_in`.
fn changes(first: &Fields<'_>) -> Result<Changes, Errno> {
    let valid = first.u32(0);
    let has = |bit: u32| valid & bit != 0;
    let moment = |bit: u32, now: u32, seconds_at: usize, nanoseconds_at: usize| match (has(bit), has(now)) {
        (false, _) => Ok(None),
        (true, true) => Ok(Some(TimeOrNow::Now)),
        (true, false) => time(first.u64(seconds_at).cast_signed(), first.u32(nanoseconds_at)).map(Some),
    };
    Ok(Changes {
        mode: has(change::MODE).then(|| first.u32(68)),
        uid: has(change::UID).then(|| first.u32(76)),
        gid: has(change::GID).then(|| first.u32(80)),
        size: has(change::SIZE).then(|| offset(first.u64(16))).transpose()?,
        atime: moment(change::ATIME, change::ATIME_NOW, 32, 56)?,
        mtime: moment(change::MTIME, change::MTIME_NOW, 40, 60)?,
        tells_ctime: has(change::CTIME),
        handle: has(change::HANDLE).then(|| FileHandle(first.u64(8))),
    })
}

fn time(seconds: i64, nanoseconds: u32) -> Result<TimeOrNow, Errno> {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let base: Option<SystemTime> =
        if seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
    let time = base.and_then(|base| base.checked_add(Duration::from_nanos(nanoseconds.into())));
    time.map(TimeOrNow::SpecificTime).ok_or(Errno::INVAL)
}

/// Numbers at fixed places, which all lie inside.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn u32(&self, at: usize) -> u32 {
        u32::from_ne_bytes(std::array::from_fn(|i| self.0[at + i]))
    }

    fn i32(&self, at: usize) -> i32 {
        self.u32(at).cast_signed()
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from_ne_bytes(std::array::from_fn(|i| self.0[at + i]))
    }
}

/// The rest of the arguments: texts, each ended by a zero.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn text(&mut self) -> Result<&'a OsStr, Errno> {
        let len = self.0.iter().position(|byte| *byte == 0).ok_or(Errno::INVAL)?;
        let (text, rest) = self.0.split_at(len);
        self.0 = &rest[1..];
        Ok(OsStr::from_bytes(text))
    }

    /// A name inside a folder: neither a path, nor the folder itself or the one above.
    fn name(&mut self) -> Result<&'a OsStr, Errno> {
        const LONGEST: usize = 255;
        let name = self.text()?;
        let bytes = name.as_bytes();
        if bytes.len() > LONGEST {
            return Err(Errno::NAMETOOLONG);
        }
        let is_name = !bytes.is_empty() && !bytes.contains(&b'/') && bytes != b"." && bytes != b"..";
        if is_name { Ok(name) } else { Err(Errno::INVAL) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::fuse::rings::abi::HEADER_BYTES;
    use proptest::prelude::*;

    /// The header of a call with these first arguments, and its payload.
    pub(in super::super) fn question(
        opcode: u32,
        first: &[(usize, u64, usize)],
        payload: &[u8],
    ) -> (Header, Vec<u8>) {
        let mut header = [0; HEADER_BYTES];
        let mut put = |at: usize, value: u64, len: usize| {
            header[at..at + len].copy_from_slice(&value.to_ne_bytes()[..len]);
        };
        put(4, opcode.into(), 4);
        put(8, 77, 8);
        put(16, 5, 8);
        put(24, 1000, 4);
        put(28, 100, 4);
        put(32, 4321, 4);
        put(PAYLOAD_BYTES_AT, payload.len() as u64, 4);
        first.iter().for_each(|(at, value, len)| put(ARGUMENT_AT + at, *value, *len));
        (header, payload.to_vec())
    }

    #[test]
    fn calls_are_read_as_the_protocol_has_them() {
        let (header, payload) =
            question(opcode::WRITE, &[(0, 9, 8), (8, 4096, 8), (16, 3, 4), (32, 2, 4)], b"abcd");
        let request = parse(&header, &payload).unwrap();
        assert_eq!((request.ino, request.caller), (INodeNo(5), Caller { uid: 1000, gid: 100 }));
        assert_eq!(request.thread, 4321);
        let Call::Write { handle, offset, bytes, flags } = request.call else { panic!("{request:?}") };
        assert_eq!((handle, offset, bytes, flags), (FileHandle(9), 4096, &b"abc"[..], 2));
        let (header, payload) = question(opcode::RENAME2, &[(0, 8, 8), (8, 1, 4)], b"old\0new\0");
        let Call::Rename { name, new_parent, new_name, flags } = parse(&header, &payload).unwrap().call
        else {
            panic!("no rename")
        };
        assert_eq!((name, new_parent, new_name, flags), ("old".as_ref(), INodeNo(8), "new".as_ref(), 1));
        let fields = [(0, u64::from(change::SIZE | change::MTIME), 4), (16, 12, 8), (40, 7, 8), (60, 5, 4)];
        let (header, payload) = question(opcode::SETATTR, &fields, b"");
        let Call::Change(changes) = parse(&header, &payload).unwrap().call else { panic!("no change") };
        let time = UNIX_EPOCH + Duration::new(7, 5);
        assert!(changes.size == Some(12) && changes.mode.is_none() && changes.atime.is_none());
        assert_eq!(changes.mtime, Some(TimeOrNow::SpecificTime(time)));
    }

    #[test]
    fn what_is_no_request_is_refused() {
        let error = |opcode: u32, first: &[(usize, u64, usize)], payload: &[u8]| {
            let (header, payload) = question(opcode, first, payload);
            parse(&header, &payload).map(drop).unwrap_err()
        };
        assert_eq!(error(opcode::WRITE, &[(16, 5, 4)], b"abcd"), Errno::INVAL, "shorter than it says");
        assert_eq!(error(opcode::READ, &[(8, u64::MAX, 8)], b""), Errno::INVAL, "before the file");
        for name in [&b"no end"[..], b"\0", b"a/b\0", b"..\0", b".\0"] {
            assert_eq!(error(opcode::LOOKUP, &[], name), Errno::INVAL, "{name:?}");
        }
        let long = [vec![b'x'; 256], vec![0]].concat();
        assert_eq!(error(opcode::LOOKUP, &[], &long), Errno::NAMETOOLONG);
        assert_eq!(error(opcode::RENAME2, &[], b"one\0"), Errno::INVAL, "the second name is missing");
        assert_eq!(error(4711, &[], b""), Errno::NOSYS);
        let (mut header, payload) = question(opcode::STATFS, &[], b"");
        header[PAYLOAD_BYTES_AT] = 1;
        assert_eq!(parse(&header, &payload).map(drop).unwrap_err(), Errno::INVAL);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_call_or_an_error(
            opcode in 0u32..60,
            first in proptest::collection::vec(any::<u8>(), ARGUMENT_BYTES),
            payload in proptest::collection::vec(any::<u8>(), 0..300),
        ) {
            let (mut header, payload) = question(opcode, &[], &payload);
            header[ARGUMENT_AT..ARGUMENT_AT + ARGUMENT_BYTES].copy_from_slice(&first);
            crate::fuse::rings::check::check_request(&[&header[..], &payload[..]].concat());
        }
    }
}

//! From a request to its answer: at once, after the drive's time, or after work that would block.

use std::os::fd::RawFd;
use std::sync::Arc;

use device::Op;
use fuser::{FileAttr, FileHandle, FopenFlags, INodeNo};
use rustix::fs::StatVfs;
use rustix::io::Errno;

use super::abi::Header;
use super::reply::Reply;
use super::request::{Call, Request, parse};
use crate::fuse::charge::{Requester, Started};
use crate::fuse::contents::{self, Files, read_op, write_op};
use crate::fuse::front::Front;
use crate::fuse::names::Entry;
use crate::fuse::node::is_witness;
use crate::fuse::volatile::Syncing;

/// The next step for a request.
pub(super) enum Step {
    /// Its answer: an error (0: none), and the length of the payload.
    Answer { error: i32, len: usize },
    /// The drive's time.
    Wait(Waiting),
    /// Work on a backing file that may block, and then the drive's time.
    Work(Work, Waiting),
}

/// Work for the kernel, done beside the ring's thread.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// Fills the payload.
    Read {
        file: RawFd,
        offset: u64,
        len: u32,
    },
    Sync {
        file: RawFd,
        only_data: bool,
    },
}

/// A request that waits for its drive.
pub(super) struct Waiting {
    pub(super) started: Started,
    then: Then,
}

/// The end of a request whose time has come.
enum Then {
    Answer {
        error: i32,
        len: usize,
    },
    /// A read whose bytes have not come yet.
    Read {
        is_short: bool,
    },
    /// A sync; `len`: of the answer in the payload.
    Sync {
        ino: INodeNo,
        syncing: Result<Option<Syncing>, Errno>,
        len: usize,
    },
    /// A write that is followed by a sync.
    WriteAndSync {
        requester: Requester,
        handle: FileHandle,
        len: usize,
    },
}

impl Waiting {
    /// When its time has come (`CLOCK_MONOTONIC`).
    pub(super) fn deadline_ns(&self) -> u64 {
        self.started.deadline_ns()
    }

    /// From when on it may be answered.
    pub(super) fn answerable_ns(&self) -> u64 {
        self.started.answerable_ns()
    }
}

fn failed(error: Errno) -> Step {
    Step::Answer { error: error.raw_os_error(), len: 0 }
}

/// Takes in the request of an entry that was received at this moment.
pub(super) fn take(front: &Front, header: &Header, payload: &mut [u8], received_ns: u64) -> Step {
    let Request { ino, caller, thread, call } = match parse(header, payload) {
        Ok(request) => request,
        Err(error) => return failed(error),
    };
    let (files, requester) = (&*front.files, Requester { ino, thread, continues: false });
    let given: Result<Given, Errno> = match call {
        Call::Read { handle, offset, size } => {
            return read(files, (requester, handle), offset, size, payload, received_ns);
        }
        Call::Write { handle, offset, bytes, flags } => {
            let started = files.charging.begin_at(requester, write_op(ino, offset, bytes.len()), received_ns);
            let len = bytes.len();
            let written = files.write_backing(ino, handle, offset, bytes).map(|()| len as u32);
            let syncs = front.syncs_writes(flags);
            return written_down((requester, handle), written, syncs, payload, started);
        }
        Call::Sync { handle, only_data } => {
            return sync(files, (requester, handle), only_data, 0, received_ns);
        }
        Call::SyncFolder => return sync_folder(files, requester, received_ns),
        Call::LookUp(name) => files.look_up(ino, name).map(Given::Entry),
        Call::Attributes => files.attributes(ino).map(Given::Attributes),
        Call::Change(changes) => files.change(ino, &changes).map(Given::Attributes),
        Call::ReadLink => files.read_link(ino).map(Given::Bytes),
        Call::Symlink { name, target } => {
            files.symlink(caller, (ino, name), target.as_ref()).map(Given::Entry)
        }
        Call::MakeNode { name, mode, device } => {
            files.make_node(caller, (ino, name), mode, device).map(Given::Entry)
        }
        Call::MakeFolder { name, mode } => files.make_folder(caller, (ino, name), mode).map(Given::Entry),
        Call::Remove { name, is_folder } => files.remove(ino, name, is_folder).map(|()| Given::Nothing),
        Call::Rename { name, new_parent, new_name, flags } => {
            files.rename((ino, name), (new_parent, new_name), flags).map(|()| Given::Nothing)
        }
        Call::Link { ino: of, name } => files.link(of, ino, name).map(Given::Entry),
        Call::Open { flags } => {
            files.open(ino, flags).map(|handle| Given::Opened(handle, front.open_flags(flags)))
        }
        Call::Create { name, mode, flags } => files
            .create(caller, (ino, name), mode, flags)
            .map(|(attr, handle)| Given::Created(attr, handle, front.open_flags(flags))),
        Call::Room => front.room().map(Given::Room),
        Call::Release { handle } => {
            contents::close(handle);
            Ok(Given::Nothing)
        }
        Call::OpenFolder => front.open_folder(ino).map(|handle| Given::Opened(handle, FopenFlags::empty())),
        Call::ReadFolder { handle, offset, size } => {
            front.entries(ino, handle, offset).map(|entries| Given::Entries(entries, offset, size))
        }
        Call::CloseFolder { handle } => {
            front.close_folder(handle);
            Ok(Given::Nothing)
        }
        Call::Allocate { handle, offset, length, mode } => {
            files.allocate(ino, handle, (offset, length), mode).map(|()| Given::Nothing)
        }
    };
    match given {
        Ok(given) => Step::Answer { error: 0, len: given.put(payload) },
        Err(error) => failed(error),
    }
}

/// The contents of an answer.
enum Given {
    Nothing,
    Entry(FileAttr),
    Attributes(FileAttr),
    Bytes(Vec<u8>),
    Opened(FileHandle, FopenFlags),
    Created(FileAttr, FileHandle, FopenFlags),
    Room(StatVfs),
    Entries(Arc<Vec<Entry>>, u64, u32),
}

impl Given {
    /// Writes it down, and gives its length.
    fn put(&self, payload: &mut [u8]) -> usize {
        let mut reply = Reply::to(payload);
        match self {
            Given::Nothing => &mut reply,
            Given::Entry(attr) => reply.entry(attr),
            Given::Attributes(attr) => reply.attributes(attr),
            Given::Bytes(bytes) => reply.bytes(bytes),
            Given::Opened(handle, flags) => reply.opened(*handle, *flags),
            Given::Created(attr, handle, flags) => reply.entry(attr).opened(*handle, *flags),
            Given::Room(room) => reply.room(room),
            Given::Entries(entries, from, size) => reply.entries(entries, *from, *size),
        }
        .len()
    }
}

fn read(
    files: &Files,
    (requester, handle): (Requester, FileHandle),
    offset: u64,
    size: u32,
    payload: &mut [u8],
    received_ns: u64,
) -> Step {
    let Some(buffer) = payload.get_mut(..size as usize) else { return failed(Errno::INVAL) };
    let ino = requester.ino;
    let started = files.charging.begin_at(requester, read_op(ino, offset, size), received_ns);
    let (power, is_short) = match files.begin_read(ino) {
        Ok(begun) => begun,
        Err(error) => return after(started, Err(error)),
    };
    let at_once = match Files::read_from_memory(handle, buffer, offset) {
        // A file system in memory does not tell, and keeps nobody waiting.
        Err(Errno::OPNOTSUPP) if files.is_in_memory || is_witness(ino) => {
            Files::read_all(handle, buffer, offset).map(Some)
        }
        other => other,
    };
    drop(power);
    match at_once {
        Ok(Some(len)) => after(started, Ok(if is_short { len / 2 } else { len })),
        // Data that are not in the machine's memory, and calls that the file system does not support, are
        // waited for beside this thread.
        Ok(None) | Err(Errno::OPNOTSUPP) => {
            let work = Work::Read { file: handle.0 as RawFd, offset, len: size };
            Step::Work(work, Waiting { started, then: Then::Read { is_short } })
        }
        Err(error) => after(started, Err(files.failed(error, "read"))),
    }
}

/// The answer that is given after the drive's time.
fn after(started: Started, done: Result<usize, Errno>) -> Step {
    let (error, len) = match done {
        Ok(len) => (0, len),
        Err(error) => (error.raw_os_error(), 0),
    };
    Step::Wait(Waiting { started, then: Then::Answer { error, len } })
}

/// The bytes of a write are in the backing file, or not.
fn written_down(
    (requester, handle): (Requester, FileHandle),
    written: Result<u32, Errno>,
    syncs: bool,
    payload: &mut [u8],
    started: Started,
) -> Step {
    let len = written.map(|count| Reply::to(payload).written(count).len());
    match len {
        Ok(len) if syncs => {
            Step::Wait(Waiting { started, then: Then::WriteAndSync { requester, handle, len } })
        }
        done => after(started, done),
    }
}

/// A sync of a file; `len`: of the answer that is in the payload already.
fn sync(
    files: &Files,
    (requester, handle): (Requester, FileHandle),
    only_data: bool,
    len: usize,
    received_ns: u64,
) -> Step {
    let ino = requester.ino;
    let started = files.charging.begin_at(requester, Op::Flush, received_ns);
    let syncing = files.begin_sync(ino, only_data);
    let goes_down = files.syncs_backing && syncing.is_ok();
    let waiting = Waiting { started, then: Then::Sync { ino, syncing, len } };
    if goes_down {
        Step::Work(Work::Sync { file: handle.0 as RawFd, only_data }, waiting)
    } else {
        Step::Wait(waiting)
    }
}

fn sync_folder(files: &Files, requester: Requester, received_ns: u64) -> Step {
    let ino = requester.ino;
    let started = files.charging.begin_at(requester, Op::Flush, received_ns);
    let mut syncing = files.begin_sync(ino, false);
    if files.syncs_backing && syncing.is_ok() {
        // Folders are synced rarely; the descriptor of one is not kept open for it.
        let synced = files.open_folder(ino).and_then(rustix::fs::fsync);
        syncing = synced.and(syncing);
    }
    Step::Wait(Waiting { started, then: Then::Sync { ino, syncing, len: 0 } })
}

/// Work beside the thread is done, with this result of the system.
pub(super) fn worked(front: &Front, mut waiting: Waiting, result: i32, now_ns: u64) -> Step {
    let files = &*front.files;
    let error = (result < 0).then(|| Errno::from_raw_os_error(-result));
    waiting.then = match (waiting.then, error) {
        (Then::Read { .. }, Some(error)) => {
            Then::Answer { error: files.failed(error, "read").raw_os_error(), len: 0 }
        }
        (Then::Read { is_short }, None) => {
            let len = result as usize;
            // The power may have been cut meanwhile.
            match files.hold() {
                Ok(_) => Then::Answer { error: 0, len: if is_short { len / 2 } else { len } },
                Err(error) => Then::Answer { error: error.raw_os_error(), len: 0 },
            }
        }
        (Then::Sync { ino, len, .. }, Some(error)) => Then::Sync { ino, syncing: Err(error), len },
        (then, _) => then,
    };
    waiting.started.worked(now_ns);
    Step::Wait(waiting)
}

/// The time of a request has come.
pub(super) fn due(front: &Front, waiting: Waiting, now_ns: u64) -> Step {
    let files = &*front.files;
    let Waiting { mut started, then } = waiting;
    if files.charging.stalls(&mut started, now_ns) {
        return Step::Wait(Waiting { started, then });
    }
    files.charging.count(started, now_ns);
    match then {
        Then::Answer { error, len } => Step::Answer { error, len },
        // Its bytes never came, which the work would have told.
        Then::Read { .. } => failed(Errno::IO),
        Then::Sync { ino, syncing, len } => match syncing.and_then(|syncing| files.end_sync(ino, syncing)) {
            Ok(()) => Step::Answer { error: 0, len },
            Err(error) => failed(files.failed(error, "sync")),
        },
        Then::WriteAndSync { requester, handle, len } => {
            let requester = Requester { continues: true, ..requester };
            sync(files, (requester, handle), true, len, now_ns)
        }
    }
}

//! Threads that sync backing files for the rings of a mount. The kernel's own helpers of a ring would do it as
//! well, but wait for a processor like any program; these come first, as the ring's thread does.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use fuser::FileHandle;
use parking_lot::Mutex;
use rustix::event::EventfdFlags;

use crate::fuse::front::Front;

/// Syncs of one mount at once: a server's log and its data files, several servers.
const THREADS: usize = 8;

/// One sync that a ring asks for.
pub(super) struct Task {
    pub(super) file: RawFd,
    pub(super) only_data: bool,
    /// The entry of the ring that waits for it.
    pub(super) index: usize,
    pub(super) inbox: Arc<Inbox>,
}

/// Results for one ring, and the descriptor by which it learns of them.
pub(super) struct Inbox {
    bell: OwnedFd,
    results: Mutex<Vec<(usize, i32)>>,
}

impl Inbox {
    pub(super) fn new() -> io::Result<Inbox> {
        let bell = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Inbox { bell, results: Mutex::default() })
    }

    /// Becomes readable when there are results.
    pub(super) fn bell(&self) -> RawFd {
        self.bell.as_raw_fd()
    }

    /// The results so far: entries, and what the system said.
    pub(super) fn take(&self) -> Vec<(usize, i32)> {
        let _ = rustix::io::read(&self.bell, &mut [0; 8]); // Silent already: the results are there all the same.
        std::mem::take(&mut *self.results.lock())
    }

    fn put(&self, index: usize, result: i32) {
        self.results.lock().push((index, result));
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes()); // It rings as long as nobody has read it.
    }
}

/// Starts the threads; they end when nobody has the sender any more.
///
/// # Errors
/// No thread can be started.
pub(super) fn start(front: &Arc<Front>) -> io::Result<Sender<Task>> {
    let (send, tasks) = channel();
    let tasks = Arc::new(Mutex::new(tasks));
    for number in 0..THREADS {
        let (front, tasks) = (front.clone(), tasks.clone());
        let name = format!("sync-{number}");
        std::thread::Builder::new().name(name).spawn(move || serve(&front, &tasks))?;
    }
    Ok(send)
}

fn serve(front: &Front, tasks: &Mutex<Receiver<Task>>) {
    front.files.charging.enlist();
    crate::drive::realtime::come_first();
    loop {
        let next = tasks.lock().recv();
        let Ok(Task { file, only_data, index, inbox }) = next else { return };
        let synced = front.files.sync_file(FileHandle(file as u64), only_data);
        inbox.put(index, synced.map_or_else(|error| -error.raw_os_error(), |()| 0));
    }
}

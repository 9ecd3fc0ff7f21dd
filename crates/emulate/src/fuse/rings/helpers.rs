//! Threads that sync backing files for the rings of a mount. The kernel's own helpers of a ring would do it
//! as well, but wait for a processor like any program; where the drive takes time these come first, as all
//! threads of its mounts do.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use fuser::FileHandle;
use parking_lot::{Condvar, Mutex};
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

    /// Tells who watches it of each result; it is never read.
    pub(super) fn bell(&self) -> RawFd {
        self.bell.as_raw_fd()
    }

    /// The results so far: entries, and what the system said.
    pub(super) fn take(&self) -> Vec<(usize, i32)> {
        std::mem::take(&mut *self.results.lock())
    }

    fn put(&self, index: usize, result: i32) {
        self.results.lock().push((index, result));
        // Its number is a sum, which has no end before 2^64 of them.
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }
}

/// The threads, which end when this is dropped.
pub(super) struct Helpers(Arc<Tasks>);

#[derive(Default)]
struct Tasks {
    /// `None`: no more will come.
    waiting: Mutex<Option<VecDeque<Task>>>,
    some: Condvar,
}

impl Helpers {
    /// Starts the threads.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn start(front: &Arc<Front>) -> io::Result<Helpers> {
        let helpers =
            Helpers(Arc::new(Tasks { waiting: Mutex::new(Some(VecDeque::new())), ..Tasks::default() }));
        for number in 0..THREADS {
            let (front, tasks) = (front.clone(), helpers.0.clone());
            let name = format!("sync-{number}");
            std::thread::Builder::new().name(name).spawn(move || serve(&front, &tasks))?;
        }
        Ok(helpers)
    }

    /// One thread takes it, and no other wakes for it.
    pub(super) fn give(&self, task: Task) {
        if let Some(waiting) = self.0.waiting.lock().as_mut() {
            waiting.push_back(task);
        }
        self.0.some.notify_one();
    }
}

impl Drop for Helpers {
    fn drop(&mut self) {
        *self.0.waiting.lock() = None;
        self.0.some.notify_all();
    }
}

impl Tasks {
    /// The next one; `None` once no more will come.
    fn next(&self) -> Option<Task> {
        let mut waiting = self.waiting.lock();
        loop {
            if let Some(task) = waiting.as_mut()?.pop_front() {
                return Some(task);
            }
            self.some.wait(&mut waiting);
        }
    }
}

fn serve(front: &Front, tasks: &Tasks) {
    front.files.charging.enlist();
    while let Some(Task { file, only_data, index, inbox }) = tasks.next() {
        let synced = front.files.sync_file(FileHandle(file as u64), only_data);
        inbox.put(index, synced.map_or_else(|error| -error.raw_os_error(), |()| 0));
    }
}

//! A table of open files apart from the rest of the process, for files that must be closed when the process
//! is killed, or when their user drops them.
//!
//! A process that uses its own mount must not keep that mount alive by dying. The kernel ends the connection
//! behind a mount, and fails what waits for it, when the last descriptor of `/dev/fuse` is closed. Threads
//! share one table of descriptors, which is closed when the last of them has ended; and a thread whose
//! request has been taken by a worker ends only when it is answered. Killed in such a moment, a process with
//! one table waits for itself for ever. So the workers, and all descriptors that they work with, have a table
//! of their own: they wait for nobody, so a kill ends them at once, their table is closed, the connection
//! ends, and everybody else can end as well. What they share with other threads, such as the drive, may be
//! dropped on either side, so it holds no descriptor but in a thread aside of its own.
//!
//! A handler of signals runs in any thread that lets it, and tells the others through a descriptor: in a
//! table of its own it would write to something else. So threads aside leave signals to the others.
//!
//! Invariant: what holds a descriptor of this table is made, used and dropped by threads of this table only.
//! [`Aside`] keeps it in its thread and lends it to the work that it is sent.
#![allow(unsafe_code)] // close_range(2) and unshare(2) have no safe form: they change what numbers of descriptors mean.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// The first descriptor that is not one of the standard three.
const FIRST: u32 = 3;

type Work<S> = Box<dyn FnOnce(&mut S) + Send>;

/// A thread with a table of open files of its own and a state that never leaves it. Threads that its work
/// starts share the table. It may be used and dropped by any thread.
pub(crate) struct Aside<S> {
    work: Option<Sender<Work<S>>>,
    thread: Option<JoinHandle<()>>,
}

impl<S: 'static> Aside<S> {
    /// Starts the thread, and makes its state there.
    ///
    /// # Errors
    /// No thread can be started, or `make` fails.
    pub(crate) fn start(make: impl FnOnce() -> io::Result<S> + Send + 'static) -> io::Result<Aside<S>> {
        let (work, queue) = channel::<Work<S>>();
        let (tell, told) = channel();
        let thread = std::thread::Builder::new().name("aside".to_owned()).spawn(move || {
            // Where the kernel refuses, all works the same, and only a kill may then need more than one.
            let _ = leave_signals().and_then(|()| leave_table());
            match catch_unwind(AssertUnwindSafe(make)) {
                // The starting thread waits for this message.
                Ok(Ok(state)) => {
                    let _ = tell.send(Ok(Ok(())));
                    serve(state, &queue);
                }
                Ok(Err(error)) => drop(tell.send(Ok(Err(error)))),
                Err(panic) => drop(tell.send(Err(panic))),
            }
        })?;
        let aside = Aside { work: Some(work), thread: Some(thread) };
        unwound(told.recv().map_err(|_| ended())?).map(|()| aside)
    }

    /// Lets the thread do some work, and waits for it.
    ///
    /// # Errors
    /// The thread has ended, which it does only when it is dropped.
    pub(crate) fn call<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut S) -> T + Send + 'static,
    ) -> io::Result<T> {
        let (tell, told) = channel();
        let work: Work<S> = Box::new(move |state| {
            let done = catch_unwind(AssertUnwindSafe(|| work(state)));
            let _ = tell.send(done); // Whoever sent the work waits for it.
        });
        self.work.as_ref().ok_or_else(ended)?.send(work).map_err(|_| ended())?;
        told.recv().map(unwound).map_err(|_| ended())
    }
}

impl<S> Drop for Aside<S> {
    fn drop(&mut self) {
        self.work = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // Panics of its work have reached whoever sent it.
        }
    }
}

fn serve<S>(mut state: S, queue: &Receiver<Work<S>>) {
    while let Ok(work) = queue.recv() {
        work(&mut state);
    }
}

/// A panic in the thread goes on where the work came from.
fn unwound<T>(done: Result<T, Box<dyn Any + Send>>) -> T {
    done.unwrap_or_else(|panic| resume_unwind(panic))
}

fn ended() -> io::Error {
    io::Error::other("the thread aside has ended")
}

/// Lets the calling thread, and those that it starts, receive no signal but those that it causes itself by a
/// fault.
fn leave_signals() -> io::Result<()> {
    const OWN: [libc::c_int; 7] =
        [libc::SIGABRT, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGSEGV, libc::SIGSYS, libc::SIGTRAP];
    // SAFETY: the set is initialized by sigfillset before its other uses, and only this thread's mask
    // changes.
    let code = unsafe {
        let mut signals = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigfillset(signals.as_mut_ptr());
        for signal in OWN {
            libc::sigdelset(signals.as_mut_ptr(), signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, signals.as_ptr(), std::ptr::null_mut())
    };
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

/// Gives the calling thread a table of open files of its own, with the standard three in it.
fn leave_table() -> io::Result<()> {
    match close_range(FIRST, u32::MAX, libc::CLOSE_RANGE_UNSHARE) {
        Ok(()) => Ok(()),
        // Before Linux 5.9, or in a sandbox that does not know it.
        Err(_) => leave_table_one_by_one(),
    }
}

fn leave_table_one_by_one() -> io::Result<()> {
    // SAFETY: only the meaning of this thread's descriptors changes: they become a copy of the table; nothing
    // is closed.
    if unsafe { libc::unshare(libc::CLONE_FILES) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let listed = std::fs::read_dir("/proc/thread-self/fd")?;
    let numbers: Vec<u32> =
        listed.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    for number in numbers.into_iter().filter(|number| *number >= FIRST) {
        // SAFETY: the table is this thread's own, and the thread has made nothing yet: each number is a copy
        // that nobody uses. The one of the listing is closed already.
        unsafe { libc::close(number as libc::c_int) };
    }
    Ok(())
}

fn close_range(first: u32, last: u32, flags: libc::c_uint) -> io::Result<()> {
    // SAFETY: with CLOSE_RANGE_UNSHARE the calling thread gets its own table first; the descriptors of all
    // others stay, and this thread has made none.
    let code = unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) };
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Read;
    use std::os::fd::AsRawFd;

    /// The path behind a number in the calling thread's table of descriptors.
    fn meaning(number: i32) -> Option<std::path::PathBuf> {
        std::fs::read_link(format!("/proc/thread-self/fd/{number}")).ok()
    }

    #[test]
    fn a_thread_aside_holds_nothing_of_the_others_and_they_nothing_of_it() {
        for leave in [leave_table, leave_table_one_by_one] {
            let mut ours = tempfile::tempfile().unwrap();
            let number = ours.as_raw_fd();
            let before = meaning(number).unwrap();
            std::thread::spawn(move || {
                leave().unwrap();
                assert_ne!(meaning(number), Some(before), "the inherited descriptor is closed there");
                assert!(meaning(0).is_some() && meaning(2).is_some(), "the standard ones stay");
                let theirs = File::open("/dev/null").unwrap();
                let sibling = theirs.as_raw_fd();
                let seen = std::thread::spawn(move || meaning(sibling)).join().unwrap();
                assert_eq!(
                    seen.as_deref(),
                    Some("/dev/null".as_ref()),
                    "threads that it starts share its table"
                );
            })
            .join()
            .unwrap();
            assert_eq!(ours.read(&mut [0]).unwrap(), 0, "ours is open still");
        }
    }

    #[test]
    fn signals_are_for_the_others() {
        /// The calling thread's mask, see proc_pid_status(5).
        fn blocked() -> u64 {
            let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
            let mask = status.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap();
            u64::from_str_radix(mask.trim(), 16).unwrap()
        }
        let bit = |signal: i32| 1_u64 << (signal - 1);
        let asked = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGCHLD, libc::SIGXCPU];
        let aside = Aside::start(|| Ok(())).unwrap();
        let seen = aside.call(|()| [blocked(), std::thread::spawn(blocked).join().unwrap()]).unwrap();
        for mask in seen {
            assert!(asked.iter().all(|&signal| mask & bit(signal) != 0), "{mask:x}");
            assert_eq!(mask & bit(libc::SIGSEGV), 0, "{mask:x}");
        }
        assert!(asked.iter().all(|&signal| blocked() & bit(signal) == 0), "ours are as they were");
    }

    #[test]
    fn the_state_is_made_used_and_dropped_there() {
        struct Homebody(std::thread::ThreadId);
        impl Drop for Homebody {
            fn drop(&mut self) {
                assert_eq!(self.0, std::thread::current().id());
            }
        }
        let aside = Aside::start(|| Ok((Homebody(std::thread::current().id()), 1))).unwrap();
        aside.call(|(_, count)| *count += 1).unwrap();
        let (count, thread) = aside.call(|(_, count)| (*count, std::thread::current().id())).unwrap();
        assert!(count == 2 && thread != std::thread::current().id());
        let panicked = catch_unwind(AssertUnwindSafe(|| aside.call(|_| panic!("its own words"))));
        assert_eq!(*panicked.unwrap_err().downcast::<&str>().unwrap(), "its own words");
        assert_eq!(aside.call(|(_, count)| *count).unwrap(), 2, "and it goes on");
        drop(aside);
        let refused = Aside::<u8>::start(|| Err(io::ErrorKind::AddrInUse.into())).map(drop).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AddrInUse);
    }
}

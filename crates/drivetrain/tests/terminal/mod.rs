//! A terminal of a test's own that can be closed, and whether a process minds a hang-up.

#![allow(dead_code)] // Each test file uses its part.
#![allow(unsafe_code)] // Terminals and the moment before a program begins have no safe wrapper.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Dropping it closes it, as a lost connection does.
pub(crate) struct Terminal {
    slave: OwnedFd,
    reader: Option<JoinHandle<()>>,
    closed: Arc<AtomicBool>,
}

impl Terminal {
    pub(crate) fn open() -> Self {
        Self::with_typed("")
    }

    /// Somebody has typed this on it already.
    pub(crate) fn with_typed(text: &str) -> Self {
        let (mut master, mut slave) = (-1, -1);
        let none = std::ptr::null_mut();
        // SAFETY: both descriptors are written by the call; the other arguments may be null.
        let opened =
            unsafe { libc::openpty(&raw mut master, &raw mut slave, none, none.cast(), none.cast()) };
        assert_eq!(opened, 0, "a terminal can be had");
        // SAFETY: two descriptors that nobody else has.
        let (master, slave) = unsafe { (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
        for fd in [&master, &slave] {
            // SAFETY: changes flags of a descriptor of ours: no child may keep the terminal open by chance.
            unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) };
        }
        let mut master = File::from(master);
        master.write_all(text.as_bytes()).expect("a terminal takes what is typed");
        let closed = Arc::new(AtomicBool::new(false));
        let reader = Some(read_until(closed.clone(), master));
        Self { slave, reader, closed }
    }

    /// Starts a command whose controlling terminal this is, as the leader of a session.
    pub(crate) fn start(&self, command: &mut Command) -> Child {
        let end = || self.slave.try_clone().expect("a descriptor can be had");
        command.stdin(end()).stdout(end()).stderr(end());
        // SAFETY: two system calls that allocate nothing.
        unsafe {
            command.pre_exec(|| {
                if libc::setsid() == -1 || libc::ioctl(0, libc::TIOCSCTTY, 0) == -1 {
                    return Err(std::io::Error::last_os_error());
                }
                Ok(())
            });
        }
        command.spawn().expect("the binary starts")
    }
}

/// Reads the output, so that nobody waits for a full terminal; closes the terminal in the end.
fn read_until(closed: Arc<AtomicBool>, mut master: File) -> JoinHandle<()> {
    // SAFETY: changes flags of a descriptor of ours.
    unsafe { libc::fcntl(master.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while !closed.load(Ordering::SeqCst) {
            if !master.read(&mut buffer).is_ok_and(|count| count > 0) {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    })
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::SeqCst);
        let _ = self.reader.take().map(JoinHandle::join);
    }
}

/// Makes the command mind or ignore SIGHUP, independently of the tests' own setting.
pub(crate) fn with_hangup(command: &mut Command, minds: bool) {
    let disposition = if minds { libc::SIG_DFL } else { libc::SIG_IGN };
    // SAFETY: one system call that allocates nothing.
    unsafe {
        command.pre_exec(move || {
            libc::signal(libc::SIGHUP, disposition);
            Ok(())
        });
    }
}

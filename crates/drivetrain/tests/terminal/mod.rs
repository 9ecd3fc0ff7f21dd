//! A terminal of a test's own: what is shown on it and typed at it, its width, its end; and whether a process
//! minds a hang-up.

#![allow(dead_code)] // Each test file uses its part.
#![allow(unsafe_code)] // Terminals and the moment before a program begins have no safe wrapper.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Dropping it closes it, as a lost connection does.
pub(crate) struct Terminal {
    slave: OwnedFd,
    keyboard: File,
    reader: Option<JoinHandle<()>>,
    closed: Arc<AtomicBool>,
    shown: Arc<Mutex<Vec<u8>>>,
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
        let keyboard = master.try_clone().expect("a descriptor can be had");
        let shown = Arc::default();
        let reader = Some(read_until(closed.clone(), master, Arc::clone(&shown)));
        Self { slave, keyboard, reader, closed, shown }
    }

    /// Makes it so many columns wide.
    pub(crate) fn set_columns(&self, columns: u16) {
        let size = libc::winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: the call reads one structure.
        let set = unsafe { libc::ioctl(self.slave.as_raw_fd(), libc::TIOCSWINSZ, &raw const size) };
        assert_eq!(set, 0, "a terminal takes a size");
    }

    /// Types at it.
    pub(crate) fn write(&mut self, keys: &[u8]) {
        self.keyboard.write_all(keys).expect("a terminal takes keys");
    }

    /// The output so far, with the control sequences for the terminal.
    pub(crate) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().expect("the reader did not panic")).into_owned()
    }

    /// Waits until a text was shown.
    pub(crate) fn wait_for(&self, text: &str) {
        let start = std::time::Instant::now();
        while !self.shown().contains(text) {
            assert!(start.elapsed() < Duration::from_secs(60), "no `{text}` in:\n{}", self.shown());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The lines that were shown, drawn anew or not, without the orders to the terminal.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut plain = String::new();
        let shown = self.shown();
        let mut rest = shown.chars();
        while let Some(c) = rest.next() {
            match c {
                // A sequence ends with a letter.
                '\u{1b}' => drop(rest.by_ref().find(char::is_ascii_alphabetic)),
                '\r' => plain.push('\n'),
                other => plain.push(other),
            }
        }
        plain.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(str::to_owned).collect()
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
fn read_until(closed: Arc<AtomicBool>, mut master: File, shown: Arc<Mutex<Vec<u8>>>) -> JoinHandle<()> {
    // SAFETY: changes flags of a descriptor of ours.
    unsafe { libc::fcntl(master.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while !closed.load(Ordering::SeqCst) {
            match master.read(&mut buffer) {
                Ok(count) if count > 0 => shown.lock().expect("nobody panics").extend(&buffer[..count]),
                _ => std::thread::sleep(Duration::from_millis(2)),
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

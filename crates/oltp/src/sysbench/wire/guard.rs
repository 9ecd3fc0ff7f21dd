//! Watches over sockets whose threads wait for them without a limit.
//!
//! A wait with a limit sets a timer each time, which costs a client alone on its thread a tenth of all its
//! processor time. Here one thread looks every now and then which sockets wait still, and closes those that
//! have waited too long, so that their threads come back.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use database::HangUp;
use parking_lot::Mutex;
use rustix::net::{Shutdown, shutdown};

/// Between two looks.
const LOOK: Duration = Duration::from_millis(500);

/// All sockets of a run that wait without a limit.
#[derive(Debug, Default)]
pub(crate) struct Guard(Mutex<Vec<Arc<Watched>>>);

/// One socket.
#[derive(Debug)]
pub(super) struct Watched {
    /// Another handle of the socket, so that its number cannot be somebody else's when it is closed.
    socket: OwnedFd,
    /// Odd while a thread waits; grows with each wait.
    waits: AtomicU64,
}

impl Guard {
    /// Watches over `socket` for as long as the returned value lives.
    pub(super) fn watch(&self, socket: &OwnedFd) -> std::io::Result<Arc<Watched>> {
        let watched = Arc::new(Watched { socket: socket.try_clone()?, waits: AtomicU64::new(0) });
        let mut all = self.0.lock();
        all.retain(|other| Arc::strong_count(other) > 1);
        all.push(Arc::clone(&watched));
        Ok(watched)
    }

    /// Closes every socket on which a thread waits at this moment, so that it comes back.
    pub(crate) fn end_waits(&self) {
        for watched in self.0.lock().iter() {
            if watched.waits.load(Ordering::Relaxed) % 2 == 1 {
                // It may have been closed by the server already.
                let _ = shutdown(&watched.socket, Shutdown::Both);
            }
        }
    }

    /// Looks after the sockets until the other end of `until` is dropped; none waits longer than about
    /// `limit`, and none once it is to hang up.
    pub(crate) fn keep(&self, until: &Receiver<()>, limit: Duration, hang_up: &HangUp) {
        self.keep_looking(until, (limit, hang_up), LOOK);
    }

    fn keep_looking(&self, until: &Receiver<()>, (limit, hang_up): (Duration, &HangUp), look: Duration) {
        let looks_max = limit.as_nanos() / look.as_nanos();
        // The observations of each, with their counts.
        let mut seen: Vec<(*const Watched, u64, u128)> = Vec::new();
        while until.recv_timeout(look) == Err(RecvTimeoutError::Timeout) {
            if hang_up.is_asked() {
                self.end_waits();
                continue;
            }
            let mut now = Vec::new();
            for watched in self.0.lock().iter() {
                let (place, waits) = (Arc::as_ptr(watched), watched.waits.load(Ordering::Relaxed));
                let before = seen.iter().find(|other| (other.0, other.1) == (place, waits));
                let looks = before.map_or(0, |(.., looks)| looks + 1);
                if waits % 2 == 1 && looks >= looks_max {
                    // It may have been closed by the server already.
                    let _ = shutdown(&watched.socket, Shutdown::Both);
                }
                now.push((place, waits, looks));
            }
            seen = now;
        }
    }
}

impl Watched {
    /// A wait begins or ends.
    pub(super) fn mark(&self) {
        // Only the socket's own thread writes.
        self.waits.store(self.waits.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc::channel;
    use std::thread;

    #[test]
    fn a_silent_socket_is_closed_and_a_quiet_one_is_not() {
        let guard = Guard::default();
        let (done, until) = channel();
        let (silent, _other) = UnixStream::pair().unwrap();
        let (quiet, mut far) = UnixStream::pair().unwrap();
        quiet.set_nonblocking(true).unwrap();
        thread::scope(|scope| {
            let (limit, look) = (Duration::from_millis(40), Duration::from_millis(5));
            let keeper = &guard;
            let looks = scope.spawn(move || keeper.keep_looking(&until, (limit, &HangUp::default()), look));
            let _idle = guard.watch(&OwnedFd::from(quiet.try_clone().unwrap())).unwrap();
            let watched = guard.watch(&OwnedFd::from(silent.try_clone().unwrap())).unwrap();
            watched.mark();
            let mut room = [0; 1];
            // Returns because the guard has closed it.
            assert_eq!((&silent).read(&mut room).unwrap(), 0);
            watched.mark();
            drop(done);
            looks.join().unwrap();
        });
        std::io::Write::write_all(&mut far, b"x").unwrap();
        assert_eq!((&quiet).read(&mut [0; 1]).unwrap(), 1, "one that does not wait is left alone");
    }

    #[test]
    fn a_socket_that_waits_is_closed_when_it_is_to_hang_up() {
        let (guard, flag) = (Guard::default(), Arc::new(AtomicBool::new(false)));
        let hang_up = HangUp::when(Arc::clone(&flag));
        let (done, until) = channel();
        let (silent, _other) = UnixStream::pair().unwrap();
        let watched = guard.watch(&OwnedFd::from(silent.try_clone().unwrap())).unwrap();
        watched.mark();
        thread::scope(|scope| {
            let (guard, hang_up) = (&guard, &hang_up);
            scope.spawn(move || guard.keep(&until, Duration::from_secs(3_600), hang_up));
            flag.store(true, Ordering::Release);
            assert_eq!((&silent).read(&mut [0; 1]).unwrap(), 0);
            drop(done);
        });
    }

    #[test]
    fn waits_end_at_once_when_nobody_wants_the_answer() {
        let guard = Guard::default();
        let (silent, _other) = UnixStream::pair().unwrap();
        let watched = guard.watch(&OwnedFd::from(silent.try_clone().unwrap())).unwrap();
        guard.end_waits();
        watched.mark();
        thread::scope(|scope| {
            scope.spawn(|| {
                // Left open as long as nobody waited; closed under the one who does.
                thread::sleep(Duration::from_millis(20));
                guard.end_waits();
            });
            assert_eq!((&silent).read(&mut [0; 1]).unwrap(), 0);
        });
    }
}

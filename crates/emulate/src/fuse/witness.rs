//! A caller of our own on the mount, for as long as it is there: what the way through the kernel really takes
//! while the load runs.
//!
//! The layer sees a request when it comes and when it is answered. It knows the time before and after, which
//! is taken off every modelled time, from a rehearsal only. So a few times a second, while programs use the
//! mount, the witness reads and writes 4 KiB of a file of its own, which no folder lists. Nothing is charged
//! for that; the answer comes after a known time less the foreseen way. The rest of the time that the witness
//! sees is the error of the way at this load. It is a mean of one more caller: on a busy machine it includes
//! that caller's wait for a processor.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use ground::Clock;

use super::charge::Charging;
use super::node::{WITNESS_BYTES, WITNESS_NAME};
use crate::floor;
use crate::recorder::IoKind;
use crate::vfs::pool::BLOCK;
use crate::vfs::store::with_aligned;

/// Time between two looks, each one read and one write: a prime number of milliseconds, so that it is no
/// multiple of anything that a load does.
const INTERVAL: Duration = Duration::from_millis(23);
/// Blocks of its file.
const BLOCKS: u64 = WITNESS_BYTES / BLOCK as u64;

/// The thread of the witness. It ends, and its file is closed, when this is dropped: before the mount is
/// taken down, which it would keep in use.
pub(super) struct Witness {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Witness {
    /// Begins to watch the mount at `dir`, where operations of the witness take these times: reads and
    /// writes, ns.
    ///
    /// # Errors
    /// No thread can be started.
    pub(super) fn start(dir: &Path, charging: &Arc<Charging>, asked_ns: [u64; 2]) -> io::Result<Witness> {
        charging.witness_asks(asked_ns);
        let (end, ended) = channel::<()>();
        let (path, charging) = (dir.join(WITNESS_NAME), charging.clone());
        let watch = move || {
            // Open only while the mount is used, so that nothing keeps an idle one from being unmounted.
            let mut file = None;
            let (mut seen, mut round) = (0, 0);
            while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let now = charging.recorder.operations();
                if std::mem::replace(&mut seen, now) == now {
                    file = None;
                    continue;
                }
                if file.is_none() {
                    file = open(&path).ok();
                }
                file.iter().for_each(|file| look(file, round, &charging, asked_ns));
                round += 1;
            }
        };
        let thread = std::thread::Builder::new().name("witness".to_owned()).spawn(watch)?;
        Ok(Witness { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // It has nothing to tell.
        }
    }
}

/// Past the page cache, as the load's own operations come.
fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).custom_flags(libc::O_DIRECT).open(path)
}

/// One read and one write. What fails tells nothing: the power is off, or the mount has ended.
fn look(file: &File, round: u64, charging: &Charging, asked_ns: [u64; 2]) {
    let at = round % BLOCKS * BLOCK as u64;
    with_aligned(0, BLOCK, |_, page| {
        let mut timed = |kind: IoKind, work: &mut dyn FnMut(&mut [u8]) -> io::Result<()>| {
            let late_ns = charging.late_of_witness_ns();
            let started_ns = Clock::Wall.now_ns();
            if work(page).is_ok() {
                let seen_ns = Clock::Wall.now_ns().saturating_sub(started_ns);
                // What the layer itself was late by is counted with the load's own operations.
                let late_ns = charging.late_of_witness_ns().saturating_sub(late_ns);
                let expected_ns = asked_ns[kind as usize].saturating_add(late_ns);
                charging.recorder.witness(kind, seen_ns.cast_signed() - expected_ns.cast_signed());
            }
        };
        timed(IoKind::Read, &mut |page| file.read_exact_at(page, at));
        timed(IoKind::Write, &mut |page| {
            page.fill(floor::FLOOR_BYTE);
            file.write_all_at(page, at)
        });
    });
}

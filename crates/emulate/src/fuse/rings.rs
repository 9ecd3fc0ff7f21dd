//! Requests over io_uring (Linux 6.14 and newer, where `enable_uring` of the module `fuse` is on): one ring
//! for each processor, whose thread takes requests of programs on that processor without reading or writing
//! `/dev/fuse`. An answer is committed with the call that waits for the next request.
//!
//! The kernel puts a request into the ring of the processor on which its program runs; all rings must be
//! there before it does. What has no answer (forgotten nodes, interrupts) still comes over `/dev/fuse`. See
//! `Documentation/filesystems/fuse-io-uring.rst`.
//!
//! Read in this order: the layout (`abi`), the parser (`request`), answers (`reply`), what is done
//! (`answer`), helpers that sync (`helpers`), the queues that are shared with the kernel (`queues`), the
//! ring, the processor of its thread (`seat`), the thread (`serve`).

mod abi;
mod answer;
#[cfg(any(test, fuzzing))]
mod check;
mod helpers;
mod queues;
mod reply;
mod request;
mod ring;
mod seat;
mod serve;

use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;

use super::front::Front;
use helpers::Helpers;
use ring::Ring;
use seat::Seat;
use serve::Service;

#[cfg(any(test, fuzzing))]
pub(super) use check::check_request;

/// Entries of all rings together: more than the deepest queue of any drive in use, at every processor of a
/// small machine.
const ENTRIES: usize = 512;
/// Entries of one ring, at least and at most.
const DEPTHS: (usize, usize) = (8, 64);

/// The threads of the rings of a mount.
pub(super) struct Rings {
    threads: Vec<JoinHandle<()>>,
    depth: usize,
}

impl Rings {
    /// Starts the rings of all processors on the open `/dev/fuse` of a mount that waits for them.
    ///
    /// # Errors
    /// A ring cannot be made, or the kernel does not take its entries. The mount is of no use then.
    pub(super) fn start(device: RawFd, front: &Arc<Front>) -> io::Result<Rings> {
        let processors = possible_processors();
        let depth = (ENTRIES / processors).clamp(DEPTHS.0, DEPTHS.1);
        let mut threads = Vec::with_capacity(processors);
        let helpers = front.files.syncs_backing.then(|| Helpers::start(front)).transpose()?.map(Arc::new);
        for queue in 0..processors {
            let (front, helpers) = (front.clone(), helpers.clone());
            let (tell, told) = channel();
            let serve = move || {
                let seat = Seat::of(queue, front.files.charging.takes_time());
                let ring = Ring::new(device, queue as u16, depth);
                match ring.and_then(|ring| Service::open(ring, front, helpers, seat, depth)) {
                    Ok(service) => {
                        let _ = tell.send(Ok(())); // The starting thread waits for it.
                        service.run();
                    }
                    Err(error) => drop(tell.send(Err(error))),
                }
            };
            threads.push(std::thread::Builder::new().name(format!("ring-{queue}")).spawn(serve)?);
            told.recv().map_err(|_| io::Error::other("the thread of a ring has ended"))??;
        }
        Ok(Rings { threads, depth })
    }

    /// Their number.
    pub(super) fn len(&self) -> usize {
        self.threads.len()
    }

    /// Requests that each takes at a time.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// True if all have ended, which they do with the mount.
    pub(super) fn are_finished(&self) -> bool {
        self.threads.iter().all(JoinHandle::is_finished)
    }
}

/// The number of processors that this machine can ever have, which is the number of the kernel's queues: from
/// a list such as `0-3` or `0`.
fn possible_processors() -> usize {
    let listed = std::fs::read_to_string("/sys/devices/system/cpu/possible").unwrap_or_default();
    let last = listed.trim().rsplit([',', '-']).next().and_then(|last| last.parse::<usize>().ok());
    let known = || std::thread::available_parallelism().map_or(1, usize::from);
    last.map_or_else(known, |last| last + 1)
}

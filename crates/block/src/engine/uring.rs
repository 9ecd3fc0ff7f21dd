//! io_uring: one ring per worker, registered file and buffers, one system call per batch of submissions and
//! completions.
#![allow(unsafe_code)] // The kernel reads and writes memory that it is only told the address of.

use std::io;
use std::os::fd::AsRawFd;

use ground::Clock;
use io_uring::types::{Fd, Fixed, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{CompletionQueue, IoUring, SubmissionQueue, Submitter, opcode, squeue};

use super::{Completion, Engine, Wait};
use crate::buffer::Buffers;
use crate::clock::{self, SLEEP_MAX_NS, SPIN_BELOW_NS};
use crate::error::BlockError;
use crate::generate::{Io, Op};
use crate::target::OpenTarget;

/// Marks the completion of the heartbeat.
const HEARTBEAT: u64 = u64::MAX;
/// enter(2) flag: run deferred completion work and flush completions (IORING_ENTER_GETEVENTS in
/// linux/io_uring.h).
const GETEVENTS: u32 = 1;

/// A batch is at most this part of the depth, and at most [`BATCH_MAX`] I/Os. Whole bursts would be cheapest,
/// but the last I/O of a burst waits for the submission of all others, which makes the median latency at
/// depth 32 a sixth longer than with single submissions; batches of this size leave it within a few per cent
/// and save nearly as much.
const BATCH_PART: usize = 8;
/// Beyond this size a batch saves nothing more.
const BATCH_MAX: usize = 8;

const ENGINE: &str = "io_uring";
const HELP: &str = "use engine psync, or a kernel of 5.11 or later that allows io_uring";

/// A mode of the ring and the flags that ask for it.
type Mode = (&'static str, fn(&mut io_uring::Builder));

/// Cheapest first. With a single issuer and deferred task work (Linux 6.1) completions interrupt nobody; they
/// are worked off in the system call that waits for them.
const MODES: [Mode; 4] = [
    ("single issuer, deferred task work, no SQ array", |builder| {
        builder.setup_single_issuer().setup_defer_taskrun().setup_no_sqarray();
    }),
    ("single issuer, deferred task work", |builder| {
        builder.setup_single_issuer().setup_defer_taskrun();
    }),
    ("cooperative task work", |builder| {
        builder.setup_coop_taskrun();
    }),
    ("plain ring", |_| {}),
];

/// Makes a ring for `depth` I/Os with the cheapest mode that this kernel has. It must be used by the calling
/// thread only.
pub(crate) fn open_ring(depth: u32) -> Result<(IoUring, &'static str), BlockError> {
    // One more than the depth: the heartbeat needs a place.
    let entries = (depth + 1).next_power_of_two();
    let mut last = io::Error::from_raw_os_error(libc::EINVAL);
    for (name, choose) in MODES {
        let mut builder = IoUring::builder();
        choose(&mut builder);
        builder.dontfork();
        match builder.build(entries) {
            Ok(ring) if ring.params().is_feature_ext_arg() => return Ok((ring, name)),
            Ok(_) => last = io::Error::from_raw_os_error(libc::ENOSYS),
            // EINVAL is a flag that this kernel does not know: try the next mode.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => last = error,
            Err(error) => return Err(failed("make a ring", error)),
        }
    }
    Err(failed("make a ring", last))
}

fn failed(action: &'static str, source: io::Error) -> BlockError {
    BlockError::Engine { engine: ENGINE, action, source, help: HELP }
}

/// The engine on a ring. Leaks its buffers when dropped with I/Os under way, because the kernel may still
/// write to them.
pub(crate) struct Uring<'ring> {
    submitter: Submitter<'ring>,
    submissions: SubmissionQueue<'ring>,
    completions: CompletionQueue<'ring>,
    buffers: Option<Buffers>,
    /// Addresses of the slots, so that queueing does not borrow them.
    addresses: Vec<*mut u8>,
    /// Of the job's targets, in their order.
    fds: Vec<i32>,
    fixed_files: bool,
    fixed_buffers: bool,
    /// The job's targets, for discards.
    targets: &'ring [OpenTarget],
    /// Discards that are done: like fio's, they are waited for as they are started.
    discarded: Vec<Completion>,
    in_flight: u32,
    batch_max: usize,
    heartbeat_armed: bool,
    heartbeat: Box<Timespec>,
    features: Vec<&'static str>,
}

impl<'ring> Uring<'ring> {
    /// Registers the targets' files and the buffers with the ring; falls back to unregistered ones where the
    /// kernel or the limit on locked memory refuses. The targets must stay open as long as the engine.
    pub(crate) fn new(
        ring: &'ring mut IoUring,
        mode: &'static str,
        targets: &'ring [OpenTarget],
        mut buffers: Buffers,
    ) -> Result<Uring<'ring>, BlockError> {
        let fds: Option<Vec<i32>> =
            targets.iter().map(|target| target.file.as_ref().map(AsRawFd::as_raw_fd)).collect();
        let fds = fds.ok_or_else(|| BlockError::job("engine io_uring without a file", "name one"))?;
        let addresses: Vec<*mut u8> =
            (0..buffers.slots()).map(|slot| buffers.slot(slot).as_mut_ptr()).collect();
        let (depth, lengths) = (buffers.slots(), buffers.stride());
        let vectors: Vec<libc::iovec> = addresses
            .iter()
            .map(|address| libc::iovec { iov_base: address.cast(), iov_len: lengths })
            .collect();
        let (mut submitter, submissions, completions) = ring.split();
        let fixed_files = submitter.register_files(&fds).is_ok();
        // SAFETY: the vectors describe slots of `buffers`, which live until the engine is dropped and are
        // leaked then if anything is under way; the ring is closed before the process reuses leaked memory,
        // which is never.
        let fixed_buffers = unsafe { submitter.register_buffers(&vectors) }.is_ok();
        let fixed_ring = submitter.register_ring_fd().is_ok();
        let mut features = vec![mode];
        for (used, name) in [
            (fixed_files, if fds.len() == 1 { "registered file" } else { "registered files" }),
            (fixed_buffers, "registered buffers"),
            (fixed_ring, "registered ring"),
        ] {
            if used {
                features.push(name);
            }
        }
        Ok(Uring {
            submitter,
            submissions,
            completions,
            buffers: Some(buffers),
            addresses,
            fds,
            fixed_files,
            fixed_buffers,
            targets,
            discarded: Vec::with_capacity(depth),
            in_flight: 0,
            batch_max: (depth / BATCH_PART).clamp(1, BATCH_MAX),
            heartbeat_armed: false,
            heartbeat: Box::new(Timespec::new().nsec(SLEEP_MAX_NS as u32)),
            features,
        })
    }

    fn entry(&self, slot: u32, io: &Io) -> squeue::Entry {
        let address = self.addresses[slot as usize];
        let (length, offset) = (io.length, io.offset);
        let index = slot as u16;
        let through = if io.op == Op::WriteThrough { libc::RWF_DSYNC } else { 0 };
        macro_rules! build {
            ($fd:expr) => {
                match (io.op, self.fixed_buffers) {
                    (Op::Read, true) => {
                        opcode::ReadFixed::new($fd, address, length, index).offset(offset).build()
                    }
                    (Op::Read, false) => opcode::Read::new($fd, address, length).offset(offset).build(),
                    (Op::Write | Op::WriteThrough, true) => {
                        opcode::WriteFixed::new($fd, address, length, index)
                            .offset(offset)
                            .rw_flags(through)
                            .build()
                    }
                    (Op::Write | Op::WriteThrough, false) => {
                        opcode::Write::new($fd, address, length).offset(offset).rw_flags(through).build()
                    }
                    (Op::Discard, _) => opcode::Nop::new().build(),
                    (Op::Fsync, _) => opcode::Fsync::new($fd).build(),
                    (Op::Fdatasync, _) => opcode::Fsync::new($fd).flags(FsyncFlags::DATASYNC).build(),
                }
            };
        }
        let target = usize::from(io.target);
        let entry =
            if self.fixed_files { build!(Fixed(u32::from(io.target))) } else { build!(Fd(self.fds[target])) };
        entry.user_data(u64::from(slot))
    }

    fn push(&mut self, entry: &squeue::Entry) {
        // SAFETY: the entry's memory is a slot that the worker keeps free of other use until its completion,
        // or the boxed heartbeat; both outlive the ring's use of them (see `drop`).
        let pushed = unsafe { self.submissions.push(entry) };
        debug_assert!(pushed.is_ok(), "the ring has a place for every slot and the heartbeat");
    }

    /// Keeps a timer in the ring while a worker waits without limit, so that it wakes every 100 ms. This
    /// costs nothing per I/O, where a limit on each wait would.
    fn arm_heartbeat(&mut self) {
        if !self.heartbeat_armed {
            let timespec: *const Timespec = &*self.heartbeat;
            self.push(&opcode::Timeout::new(timespec).build().user_data(HEARTBEAT));
            self.heartbeat_armed = true;
        }
    }

    fn enter(&mut self, clock: &Clock, wait: Wait) -> io::Result<()> {
        match wait {
            Wait::Completion => {
                self.arm_heartbeat();
                self.submissions.sync();
                self.submitter.submit_and_wait(1)?;
            }
            Wait::Until(deadline_ns) => {
                self.submissions.sync();
                let left_ns = deadline_ns.saturating_sub(clock.now_ns());
                if left_ns > SPIN_BELOW_NS {
                    let wait_ns = (left_ns - SPIN_BELOW_NS).min(SLEEP_MAX_NS);
                    let limit = Timespec::new().nsec(wait_ns as u32);
                    self.submitter.submit_with_args(1, &SubmitArgs::new().timespec(&limit))?;
                } else {
                    let queued = self.submissions.len() as u32;
                    // SAFETY: no argument is passed; the queued entries are covered by `push`.
                    unsafe { self.submitter.enter::<libc::sigset_t>(queued, 0, GETEVENTS, None)? };
                }
            }
        }
        Ok(())
    }
}

impl Engine for Uring<'_> {
    #[inline]
    fn queue(&mut self, slot: u32, io: &Io, _now_ns: u64) {
        if io.op == Op::Discard {
            let result = self.targets[usize::from(io.target)].discard(io.offset, io.length);
            self.discarded.push(Completion { slot, result });
            return;
        }
        let entry = self.entry(slot, io);
        self.push(&entry);
        self.in_flight += 1;
    }

    #[inline]
    fn reap(&mut self, clock: &Clock, wait: Wait, done: &mut Vec<Completion>) -> Result<(), BlockError> {
        let wait = if self.discarded.is_empty() { wait } else { Wait::Until(0) };
        done.append(&mut self.discarded);
        if let (0, Wait::Until(deadline_ns)) = (self.in_flight, wait) {
            clock::wait_until(clock, deadline_ns);
            return Ok(());
        }
        if let Err(error) = self.enter(clock, wait) {
            match error.raw_os_error() {
                // Interrupted, timed out, or short of kernel memory for a moment: queued I/Os stay queued.
                Some(libc::EINTR | libc::ETIME | libc::EAGAIN | libc::EBUSY) => {}
                _ => return Err(failed("submit I/Os", error)),
            }
        }
        // Learns which entries the kernel has taken, so that their places can be used again.
        self.submissions.sync();
        self.completions.sync();
        // A target that has answered everything at once, as the page cache does, makes nobody wait for a
        // larger batch.
        let ready = self.completions.len();
        let batch = if ready >= self.in_flight as usize { ready } else { self.batch_max };
        for entry in (&mut self.completions).take(batch) {
            match entry.user_data() {
                HEARTBEAT => self.heartbeat_armed = false,
                slot => {
                    self.in_flight -= 1;
                    done.push(Completion { slot: slot as u32, result: entry.result() });
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        match &mut self.buffers {
            Some(buffers) => buffers.slot(slot as usize),
            None => &mut [],
        }
    }

    fn features(&self) -> Vec<&'static str> {
        self.features.clone()
    }
}

impl Drop for Uring<'_> {
    fn drop(&mut self) {
        if self.in_flight > 0 {
            std::mem::forget(self.buffers.take());
        }
    }
}

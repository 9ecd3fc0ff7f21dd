//! The two queues of an io_uring in memory of our own, and the calls of the kernel.
//!
//! The usual way maps the queues from the ring's descriptor, and such a mapping holds the ring for as long as
//! any thread of the process lives. A killed process that waits for its own mount would then wait for ever:
//! the kernel ends a ring, the requests in it, and with them the mount, only when nothing holds the ring any
//! more (see [`aside`](crate::aside)). So the queues lie in memory that we hand in (`IORING_SETUP_NO_MMAP`,
//! Linux 6.5, io_uring_setup(2)), and the ring goes with the table of descriptors of its threads.
#![allow(unsafe_code)] // Calls and memory that are shared with the kernel have no safe form.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use io_uring::squeue;

/// Bytes of a submission (`IORING_SETUP_SQE128`) and of a completion.
const SUBMISSION_BYTES: usize = 128;
const COMPLETION_BYTES: usize = 16;
/// Room for the heads of the queues (`struct io_rings`), with much to spare.
const HEADS_BYTES: usize = 4096;
/// Completions for each place of a submission.
const COMPLETIONS_EACH: u32 = 4;

/// Flags of io_uring_setup(2), by `include/uapi/linux/io_uring.h`.
mod setup {
    pub(super) const CQSIZE: u32 = 1 << 3;
    pub(super) const TASKRUN_FLAG: u32 = 1 << 9;
    pub(super) const SQE128: u32 = 1 << 10;
    pub(super) const SINGLE_ISSUER: u32 = 1 << 12;
    pub(super) const DEFER_TASKRUN: u32 = 1 << 13;
    pub(super) const NO_MMAP: u32 = 1 << 14;
    pub(super) const NO_SQARRAY: u32 = 1 << 16;
}
/// Flag of io_uring_enter(2): run what was put off, and show its completions.
const GETEVENTS: u32 = 1;
/// Flags in memory: completions found no room, or the kernel has put something off.
const OVERFLOWN: u32 = 1 << 1;
const TASKRUN: u32 = 1 << 2;

/// `struct io_sqring_offsets` and `struct io_cqring_offsets`, which have one layout as far as they are used.
#[repr(C)]
#[derive(Default)]
struct Offsets {
    head: u32,
    tail: u32,
    ring_mask: u32,
    ring_entries: u32,
    /// Flags of the submissions; of the completions, how many were lost.
    flags: u32,
    /// Of the completions, the place of the first.
    dropped_or_cqes: u32,
    array_or_flags: u32,
    reserved: u32,
    user_addr: u64,
}

/// `struct io_uring_params`.
#[repr(C)]
#[derive(Default)]
struct Params {
    sq_entries: u32,
    cq_entries: u32,
    flags: u32,
    sq_thread_cpu: u32,
    sq_thread_idle: u32,
    features: u32,
    wq_fd: u32,
    reserved: [u32; 3],
    sq_off: Offsets,
    cq_off: Offsets,
}

/// A completion: the number of its submission, the result, and flags.
pub(super) struct Completion {
    pub(super) number: u64,
    pub(super) result: i32,
    pub(super) flags: u32,
}

/// The queues of the calling thread, which alone uses them.
pub(super) struct Queues {
    // Closed before the memory goes.
    ring: OwnedFd,
    rings: Pages,
    submissions: Pages,
    sq_mask: u32,
    cq_mask: u32,
    sq_off: Offsets,
    cq_off: Offsets,
    /// Our ends: the next place of a submission, and how many were handed in.
    tail: u32,
    handed_in: u32,
}

impl Queues {
    /// Queues with room for so many submissions, a power of two.
    ///
    /// # Errors
    /// The kernel has no such ring for us.
    pub(super) fn new(entries: u32) -> io::Result<Queues> {
        let completions = entries * COMPLETIONS_EACH;
        let rings = Pages::new(HEADS_BYTES + completions as usize * COMPLETION_BYTES)?;
        let submissions = Pages::new(entries as usize * SUBMISSION_BYTES)?;
        let mut params = Params { cq_entries: completions, ..Params::default() };
        params.flags = setup::CQSIZE | setup::SQE128 | setup::NO_MMAP | setup::NO_SQARRAY;
        // Completions interrupt nobody: they are shown when this thread asks for them, and a flag in memory
        // tells that there are some.
        params.flags |= setup::SINGLE_ISSUER | setup::DEFER_TASKRUN | setup::TASKRUN_FLAG;
        params.cq_off.user_addr = rings.start.as_ptr() as u64;
        params.sq_off.user_addr = submissions.start.as_ptr() as u64;
        // SAFETY: the kernel reads and writes `params` during the call, and from then on the two areas of
        // memory, which live longer than the ring.
        let ring = unsafe { libc::syscall(libc::SYS_io_uring_setup, entries, &raw mut params) };
        if ring < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new descriptor, which nobody else knows.
        let ring = unsafe { OwnedFd::from_raw_fd(ring as i32) };
        // The descriptor must not reach other programs.
        rustix::io::fcntl_setfd(&ring, rustix::io::FdFlags::CLOEXEC)?;
        let Params { sq_entries, cq_entries, sq_off, cq_off, .. } = params;
        let ends = cq_off.dropped_or_cqes as usize + cq_entries as usize * COMPLETION_BYTES;
        if ends > rings.len || sq_entries as usize * SUBMISSION_BYTES > submissions.len {
            return Err(io::Error::other("io_uring uses more memory than it was given"));
        }
        let (sq_mask, cq_mask) = (sq_entries - 1, cq_entries - 1);
        Ok(Queues { ring, rings, submissions, sq_mask, cq_mask, sq_off, cq_off, tail: 0, handed_in: 0 })
    }

    /// Puts a submission into the queue. False if it is full.
    ///
    /// # Safety
    /// The memory that the submission names must stay as it is until its completion has come.
    pub(super) unsafe fn push(&mut self, entry: &squeue::Entry128) -> bool {
        const { assert!(size_of::<squeue::Entry128>() == SUBMISSION_BYTES) };
        let head = self.shared(self.sq_off.head).load(Ordering::Acquire);
        if self.tail.wrapping_sub(head) > self.sq_mask {
            return false;
        }
        let place = (self.tail & self.sq_mask) as usize * SUBMISSION_BYTES;
        // SAFETY: the place lies inside the area (its size was checked) and is not in use by the kernel,
        // whose head has passed it; a submission is plain bytes (`repr(C)`).
        unsafe {
            let from = std::ptr::from_ref(entry).cast::<u8>();
            std::ptr::copy_nonoverlapping(from, self.submissions.start.as_ptr().add(place), SUBMISSION_BYTES);
        }
        self.tail = self.tail.wrapping_add(1);
        self.shared(self.sq_off.tail).store(self.tail, Ordering::Release);
        true
    }

    /// Hands in what is in the queue, and waits for a completion if `waits`.
    ///
    /// # Errors
    /// Those of io_uring_enter(2).
    pub(super) fn enter(&mut self, waits: bool) -> io::Result<()> {
        let count = self.tail.wrapping_sub(self.handed_in);
        let least = u32::from(waits && !self.has_completion());
        let nothing = std::ptr::null::<libc::c_void>();
        let ring = self.ring.as_raw_fd();
        // SAFETY: there is no argument beyond the numbers; submissions keep the promise of `push`.
        let done = unsafe {
            libc::syscall(libc::SYS_io_uring_enter, ring, count, least, GETEVENTS, nothing, 0_usize)
        };
        // The kernel's head tells the entries that were taken, also after an error.
        self.handed_in = self.shared(self.sq_off.head).load(Ordering::Acquire);
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// True if a call of [`Queues::enter`] would hand in or show something.
    pub(super) fn is_due(&self) -> bool {
        self.tail != self.handed_in || self.is_put_off()
    }

    /// True if there is a completion, shown or put off.
    pub(super) fn has_news(&self) -> bool {
        self.has_completion() || self.is_put_off()
    }

    fn is_put_off(&self) -> bool {
        self.shared(self.sq_off.flags).load(Ordering::Acquire) & (TASKRUN | OVERFLOWN) != 0
    }

    fn has_completion(&self) -> bool {
        let head = self.shared(self.cq_off.head).load(Ordering::Relaxed);
        head != self.shared(self.cq_off.tail).load(Ordering::Acquire)
    }

    /// The next completion that the kernel has shown.
    pub(super) fn completion(&mut self) -> Option<Completion> {
        if !self.has_completion() {
            return None;
        }
        let head = self.shared(self.cq_off.head).load(Ordering::Relaxed);
        let place = self.cq_off.dropped_or_cqes as usize + (head & self.cq_mask) as usize * COMPLETION_BYTES;
        // SAFETY: the place lies inside the area (its end was checked), and the kernel has filled it: its
        // tail, which was read with `Acquire`, is beyond. `struct io_uring_cqe` has these three fields.
        let completion = unsafe {
            let at = self.rings.start.as_ptr().add(place);
            let (result, flags) = (at.add(8).cast::<i32>().read(), at.add(12).cast::<u32>().read());
            Completion { number: at.cast::<u64>().read(), result, flags }
        };
        self.shared(self.cq_off.head).store(head.wrapping_add(1), Ordering::Release);
        Some(completion)
    }

    /// A number that is shared with the kernel.
    fn shared(&self, offset: u32) -> &AtomicU32 {
        assert!(offset as usize + 4 <= self.rings.len && offset.is_multiple_of(4));
        // SAFETY: the place lies inside the area and is aligned; the kernel accesses it atomically as well.
        unsafe { AtomicU32::from_ptr(self.rings.start.as_ptr().add(offset as usize).cast()) }
    }
}

/// Memory of whole pages, zero at first.
pub(super) struct Pages {
    pub(super) start: NonNull<u8>,
    pub(super) len: usize,
}

impl Pages {
    /// At least so many bytes. Pages take memory once they are used.
    ///
    /// # Errors
    /// There is no room for them.
    pub(super) fn new(bytes: usize) -> io::Result<Pages> {
        use rustix::mm::{MapFlags, ProtFlags};
        let len = bytes.next_multiple_of(4096);
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: new memory at an address of the kernel's choice.
        let start = unsafe { rustix::mm::mmap_anonymous(std::ptr::null_mut(), len, protection, flags)? };
        let start = NonNull::new(start.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        // A child of another thread's fork must not share what the kernel writes.
        // SAFETY: it concerns this mapping in children only.
        let _ = unsafe { rustix::mm::madvise(start.as_ptr().cast(), len, rustix::mm::Advice::LinuxDontFork) };
        Ok(Pages { start, len })
    }

    /// Leaves the memory to the kernel, which may still write there.
    pub(super) fn forget(&mut self) {
        self.len = 0;
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if self.len > 0 {
            // SAFETY: the mapping is ours, and nothing borrowed from it outlives this value.
            let _ = unsafe { rustix::mm::munmap(self.start.as_ptr().cast(), self.len) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use io_uring::opcode;
    use testkit::need;

    #[test]
    fn submissions_come_back_in_any_number_and_nothing_maps_the_ring() {
        let Some(mut queues) = need::given(Queues::new(8)) else { return };
        for round in 0..100_u64 {
            for number in 0..8 {
                let entry = opcode::Nop::new().build().user_data(round * 8 + number);
                // SAFETY: it names no memory.
                assert!(unsafe { queues.push(&entry.into()) });
            }
            let one_more = opcode::Nop::new().build();
            // SAFETY: as above.
            assert!(!unsafe { queues.push(&one_more.into()) }, "it is full");
            assert!(queues.is_due());
            queues.enter(true).unwrap();
            let numbers: Vec<u64> =
                std::iter::from_fn(|| queues.completion()).map(|completion| completion.number).collect();
            assert_eq!(numbers, (round * 8..round * 8 + 8).collect::<Vec<_>>());
        }
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        assert!(!maps.contains("io_uring"), "{maps}");
    }
}

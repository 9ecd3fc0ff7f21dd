//! One ring of one processor: its memory, and the commands by which requests come and answers go.
#![allow(unsafe_code)] // The kernel reads and writes memory that it is only told the address of.

use std::io;
use std::os::fd::RawFd;

use io_uring::types::{Fd, TimeoutFlags, Timespec};
use io_uring::{opcode, squeue};

use super::abi::{COMMIT_AND_FETCH, HEADER_BYTES, Header, REGISTER, command, commit_id};
use super::queues::{Completion, Pages, Queues};
use crate::fuse::front::REQUEST_MOST;

/// Bytes of a payload: the most that the kernel puts in or takes out (`max_pages`, `max_write`).
const PAYLOAD_BYTES: usize = REQUEST_MOST as usize;
/// Room for each header: whole cache lines.
const HEADER_ROOM: usize = 512;
/// The bit of a completion's number that tells work on a backing file from a request.
const OF_WORK: u64 = 1 << 32;
/// The number of alarms' completions.
const ALARM: u64 = 1 << 33;
/// The number of the completions of a watch.
const RUNG: u64 = 1 << 34;
/// Place of `len` in a submission (`struct io_uring_sqe`), which the library's command leaves out.
const SUBMISSION_LEN_AT: usize = 24;

/// An event that the kernel reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A request has come into this entry.
    Request(usize),
    /// The entry takes part no more: the connection has ended (`ENOTCONN`), or its command was refused.
    Gone(usize, i32),
    /// Work of this entry has ended with this result.
    Worked(usize, i32),
    /// An alarm has gone off, whichever.
    Alarm,
    /// The descriptor that is watched was written to. `goes_on`: it is watched further.
    Rung { goes_on: bool },
}

/// The ring of the calling thread, which alone uses it.
pub(super) struct Ring {
    queues: Queues,
    queue: u16,
    device: RawFd,
    memory: Memory,
    /// Work that the kernel does on payloads; while there is any, the memory must stay.
    working: usize,
    /// The moment of the next alarm, while it is handed in.
    alarm: Box<Timespec>,
}

impl Ring {
    /// A ring with `depth` entries for the processor `queue`, on the open `/dev/fuse` of a mount.
    ///
    /// # Errors
    /// The kernel has no ring or no memory for us.
    pub(super) fn new(device: RawFd, queue: u16, depth: usize) -> io::Result<Ring> {
        // Each entry has at most one command or one piece of work to hand in; there are an alarm and a watch.
        let entries = (depth as u32 + 2).next_power_of_two();
        let queues = Queues::new(entries)?;
        Ok(Ring { queues, queue, device, memory: Memory::new(depth)?, working: 0, alarm: Box::default() })
    }

    /// Header and payload of an entry that holds a request.
    pub(super) fn entry(&mut self, index: usize) -> (&mut Header, &mut [u8]) {
        self.memory.entry(index)
    }

    /// Offers an entry to the kernel for the first time.
    pub(super) fn register(&mut self, index: usize) -> io::Result<()> {
        let parts = self.memory.parts(index);
        let entry = opcode::UringCmd80::new(Fd(self.device), REGISTER)
            .cmd(command(0, self.queue))
            .addr(Some(std::ptr::from_ref(parts) as u64))
            .build()
            .user_data(index as u64);
        let entry = with_len(entry, parts.len() as u32);
        self.push(&entry)
    }

    /// Commits the answer in an entry, and offers it anew.
    pub(super) fn commit(&mut self, index: usize) -> io::Result<()> {
        let commit_id = commit_id(self.memory.entry(index).0);
        let entry = opcode::UringCmd80::new(Fd(self.device), COMMIT_AND_FETCH)
            .cmd(command(commit_id, self.queue))
            .build()
            .user_data(index as u64);
        self.push(&entry)
    }

    /// Lets the kernel fill the payload of an entry from a backing file.
    pub(super) fn read(&mut self, index: usize, file: RawFd, offset: u64, len: u32) -> io::Result<()> {
        let payload = &mut self.memory.entry(index).1[..len as usize];
        let read = opcode::Read::new(Fd(file), payload.as_mut_ptr(), len).offset(offset).build();
        self.push(&squeue::Entry128::from(read.user_data(OF_WORK | index as u64)))?;
        self.working += 1;
        Ok(())
    }

    /// Sets an alarm for this moment (`CLOCK_MONOTONIC`). Earlier ones stay. Setting a timer and its going
    /// off cost more than everything else here, on a virtual machine above all, so it outlasts the events
    /// before it.
    pub(super) fn set_alarm(&mut self, at_ns: u64) -> io::Result<()> {
        *self.alarm = Timespec::new().sec(at_ns / 1_000_000_000).nsec((at_ns % 1_000_000_000) as u32);
        let timeout = opcode::Timeout::new(&raw const *self.alarm).flags(TimeoutFlags::ABS).build();
        self.push(&squeue::Entry128::from(timeout.user_data(ALARM)))
    }

    /// Watches a descriptor: each write to it is an event.
    pub(super) fn watch(&mut self, descriptor: RawFd) -> io::Result<()> {
        let poll = opcode::PollAdd::new(Fd(descriptor), libc::POLLIN as u32).multi(true).build();
        self.push(&squeue::Entry128::from(poll.user_data(RUNG)))
    }

    fn push(&mut self, entry: &squeue::Entry128) -> io::Result<()> {
        loop {
            // SAFETY: the memory that the entry names lives as long as the ring: see `Drop`. Nobody else
            // touches it until the entry's completion has come.
            if unsafe { self.queues.push(entry) } {
                return Ok(());
            }
            self.turn(false)?;
        }
    }

    /// True if a look at the events is worth a call of the kernel: there is something to hand in, or the
    /// kernel has put something off.
    pub(super) fn is_due(&self) -> bool {
        self.queues.is_due()
    }

    /// True if there is an event, so that a wait would end at once.
    pub(super) fn has_news(&self) -> bool {
        self.queues.has_news()
    }

    /// Hands everything in, and waits for an event if `waits`.
    ///
    /// # Errors
    /// The ring cannot be used any more.
    pub(super) fn turn(&mut self, waits: bool) -> io::Result<()> {
        match self.queues.enter(waits).map_err(|error| (error.raw_os_error(), error)) {
            // Interrupted, or too many completions wait for us: they are taken first.
            Ok(()) | Err((Some(libc::EINTR | libc::EBUSY | libc::EAGAIN), _)) => Ok(()),
            Err((_, error)) => Err(error),
        }
    }

    /// The next event that the kernel has shown.
    pub(super) fn event(&mut self) -> Option<Event> {
        let Completion { number, result, flags } = self.queues.completion()?;
        let index = (number & (OF_WORK - 1)) as usize;
        Some(if number == ALARM {
            Event::Alarm
        } else if number == RUNG {
            Event::Rung { goes_on: io_uring::cqueue::more(flags) }
        } else if number & OF_WORK != 0 {
            self.working -= 1;
            Event::Worked(index, result)
        } else if result < 0 {
            Event::Gone(index, -result)
        } else {
            Event::Request(index)
        })
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        if self.working > 0 {
            // The kernel may still write into payloads: they are given to it.
            self.memory.pages.forget();
        }
    }
}

/// A submission with the length that the library's command leaves out.
fn with_len(mut entry: squeue::Entry128, len: u32) -> squeue::Entry128 {
    const { assert!(size_of::<squeue::Entry128>() == 128) };
    // SAFETY: `Entry128` has the layout of `struct io_uring_sqe` with 128 bytes (`repr(C)`), all of them
    // plain numbers, and is borrowed by nobody else.
    unsafe { std::ptr::from_mut(&mut entry).byte_add(SUBMISSION_LEN_AT).cast::<u32>().write_unaligned(len) };
    entry
}

/// Headers and payloads of the entries of a ring, one after the other: all headers, then all payloads. Pages
/// take memory once they are used.
struct Memory {
    pages: Pages,
    depth: usize,
    /// The buffers of each entry, for the kernel.
    parts: Vec<[libc::iovec; 2]>,
}

impl Memory {
    fn new(depth: usize) -> io::Result<Memory> {
        let headers = (depth * HEADER_ROOM).next_multiple_of(4096);
        let pages = Pages::new(headers + depth * PAYLOAD_BYTES)?;
        let mut memory = Memory { pages, depth, parts: Vec::with_capacity(depth) };
        for index in 0..depth {
            let (header, payload) = memory.entry(index);
            let header = libc::iovec { iov_base: header.as_mut_ptr().cast(), iov_len: header.len() };
            let payload = libc::iovec { iov_base: payload.as_mut_ptr().cast(), iov_len: payload.len() };
            memory.parts.push([header, payload]);
        }
        Ok(memory)
    }

    fn parts(&self, index: usize) -> &[libc::iovec; 2] {
        &self.parts[index]
    }

    fn entry(&mut self, index: usize) -> (&mut Header, &mut [u8]) {
        assert!(index < self.depth, "the kernel gives back the numbers that it was given");
        let headers = (self.depth * HEADER_ROOM).next_multiple_of(4096);
        const { assert!(HEADER_BYTES <= HEADER_ROOM) };
        // SAFETY: both ranges lie inside the mapping and apart from each other and from those of other
        // entries; all bytes are initialized, to zero at first. The borrow of `self` keeps others out.
        unsafe {
            let header = self.pages.start.add(index * HEADER_ROOM).cast::<Header>().as_mut();
            let payload = self.pages.start.add(headers + index * PAYLOAD_BYTES).as_ptr();
            (header, std::slice::from_raw_parts_mut(payload, PAYLOAD_BYTES))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_lie_apart_and_are_told_to_the_kernel_as_they_are() {
        let mut memory = Memory::new(3).unwrap();
        let mut ranges = Vec::new();
        for index in 0..3 {
            let parts = *memory.parts(index);
            let (header, payload) = memory.entry(index);
            assert!(header.iter().all(|byte| *byte == 0));
            header.fill(index as u8 + 1);
            payload[PAYLOAD_BYTES - 1] = index as u8 + 1;
            assert_eq!((parts[0].iov_base, parts[0].iov_len), (header.as_mut_ptr().cast(), HEADER_BYTES));
            assert_eq!((parts[1].iov_base, parts[1].iov_len), (payload.as_mut_ptr().cast(), PAYLOAD_BYTES));
            ranges.push((parts[0].iov_base as usize, HEADER_BYTES));
            ranges.push((parts[1].iov_base as usize, PAYLOAD_BYTES));
        }
        ranges.sort_unstable();
        assert!(ranges.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0));
        for index in 0..3 {
            let (header, payload) = memory.entry(index);
            assert!(header.iter().all(|byte| *byte == index as u8 + 1));
            assert_eq!(payload[PAYLOAD_BYTES - 1], index as u8 + 1);
        }
    }

    #[test]
    fn a_submission_gets_the_length_that_the_library_leaves_out() {
        let entry = opcode::UringCmd80::new(Fd(3), REGISTER).build();
        let text = format!("{:?}", with_len(entry, 2));
        assert!(!text.is_empty());
    }
}

//! pread and pwrite, one at a time: a thread per unit of depth.

use std::io::IoSlice;
use std::sync::Arc;

use ground::Clock;
use rustix::io::ReadWriteFlags;

use super::{Completion, Engine, Wait};
use crate::buffer::Buffers;
use crate::clock;
use crate::error::BlockError;
use crate::generate::{Io, Op};
use crate::target::OpenTarget;

#[derive(Debug)]
pub(crate) struct Psync {
    targets: Arc<[OpenTarget]>,
    buffer: Buffers,
    queued: Option<Io>,
}

impl Psync {
    /// An engine with a single slot.
    pub(crate) fn new(targets: Arc<[OpenTarget]>, buffer: Buffers) -> Psync {
        Psync { targets, buffer, queued: None }
    }

    fn carry_out(&mut self, io: &Io) -> i32 {
        let Some(file) = &self.targets[usize::from(io.target)].file else { return -libc::EBADF };
        let bytes = &mut self.buffer.slot(0)[..io.length as usize];
        loop {
            let moved = match io.op {
                Op::Read => rustix::io::pread(file, &mut *bytes, io.offset),
                Op::Write => rustix::io::pwrite(file, &*bytes, io.offset),
                Op::WriteThrough => {
                    let bytes = [IoSlice::new(bytes)];
                    rustix::io::pwritev2(file, &bytes, io.offset, ReadWriteFlags::DSYNC)
                }
                Op::Discard => return self.targets[usize::from(io.target)].discard(io.offset, io.length),
                Op::Fsync => rustix::fs::fsync(file).map(|()| 0),
                Op::Fdatasync => rustix::fs::fdatasync(file).map(|()| 0),
            };
            match moved {
                Ok(moved) => return moved as i32,
                Err(rustix::io::Errno::INTR) => {}
                Err(errno) => return -errno.raw_os_error(),
            }
        }
    }
}

impl Engine for Psync {
    fn queue(&mut self, _slot: u32, io: &Io, _now_ns: u64) {
        self.queued = Some(*io);
    }

    fn reap(&mut self, clock: &Clock, wait: Wait, done: &mut Vec<Completion>) -> Result<(), BlockError> {
        match (self.queued.take(), wait) {
            (Some(io), _) => {
                let result = self.carry_out(&io);
                done.push(Completion { slot: 0, result });
            }
            (None, Wait::Until(deadline_ns)) => clock::wait_until(clock, deadline_ns),
            (None, Wait::Completion) => {}
        }
        Ok(())
    }

    fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        self.buffer.slot(0)
    }
}

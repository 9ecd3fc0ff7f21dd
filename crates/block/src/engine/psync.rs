//! pread and pwrite, one at a time: a thread per unit of depth.

use std::sync::Arc;

use super::{Completion, Engine, Wait};
use crate::buffer::Buffers;
use crate::clock;
use crate::error::BlockError;
use crate::generate::Io;
use crate::target::OpenTarget;

#[derive(Debug)]
pub(crate) struct Psync {
    target: Arc<OpenTarget>,
    buffer: Buffers,
    queued: Option<Io>,
}

impl Psync {
    /// An engine with a single slot.
    pub(crate) fn new(target: Arc<OpenTarget>, buffer: Buffers) -> Psync {
        Psync { target, buffer, queued: None }
    }

    fn carry_out(&mut self, io: &Io) -> i32 {
        let Some(file) = &self.target.file else { return -libc::EBADF };
        let bytes = &mut self.buffer.slot(0)[..io.length as usize];
        loop {
            let moved = if io.write {
                rustix::io::pwrite(file, bytes, io.offset)
            } else {
                rustix::io::pread(file, &mut *bytes, io.offset)
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

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), BlockError> {
        match (self.queued.take(), wait) {
            (Some(io), _) => {
                let result = self.carry_out(&io);
                done.push(Completion { slot: 0, result });
            }
            (None, Wait::Until(deadline_ns)) => clock::wait_until(deadline_ns),
            (None, Wait::Completion) => {}
        }
        Ok(())
    }

    fn buffer(&mut self, _slot: u32) -> &mut [u8] {
        self.buffer.slot(0)
    }
}

//! Discards: telling a device or a file system that the data at a place is no longer needed.
#![allow(unsafe_code)] // Discarding on a device is an ioctl that no safe wrapper has.

use std::fs::File;
use std::os::fd::AsRawFd;

use rustix::fs::FallocateFlags;
use rustix::io::Errno;

/// BLKDISCARD of linux/fs.h: takes the first byte and the number of bytes.
const BLKDISCARD: libc::c_ulong = 0x1277;

/// Discards blocks of a device.
pub(crate) fn discard(device: &File, offset: u64, length: u64) -> Result<(), Errno> {
    let range = [offset, length];
    // SAFETY: the kernel reads two numbers from `range`, which lives until the call returns.
    let answer = unsafe { libc::ioctl(device.as_raw_fd(), BLKDISCARD as _, range.as_ptr()) };
    if answer == 0 {
        return Ok(());
    }
    Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO))
}

/// Gives blocks of a file back to its filesystem.
pub(crate) fn punch(file: &File, offset: u64, length: u64) -> Result<(), Errno> {
    rustix::fs::fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, offset, length)
}

//! A caller of our own on a mount: one operation, its time, and how long it waited for a processor meanwhile.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use ground::Clock;

use super::scheduled::Own;
use super::ways::SIZES;
use crate::floor;
use crate::recorder::IoKind;
use crate::vfs::store::with_aligned;

/// Bytes of the file that is read and written: two of the largest requests.
pub(super) const FILE_BYTES: u64 = 2 * SIZES[SIZES.len() - 1];

/// An open file on the mount, and the times of the thread that uses it.
pub(super) struct Probe {
    file: File,
    own: Own,
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Took {
    /// From the call to its return, ns.
    pub(super) seen_ns: u64,
    /// Of that, ready and without a processor, ns.
    pub(super) waited_ns: u64,
}

impl Probe {
    /// Opens the file past the page cache, as the load's own operations come.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(super) fn open(path: &Path) -> io::Result<Probe> {
        let mut how = File::options();
        how.read(true).write(true);
        // Where a file system refuses it, the page cache answers, and the way is shorter.
        let file = how.clone().custom_flags(libc::O_DIRECT).open(path).or_else(|_| how.open(path))?;
        Ok(Probe { file, own: Own::open()? })
    }

    /// One operation of this kind and size; reads and writes follow each other through the file.
    ///
    /// # Errors
    /// Those of the operation.
    pub(super) fn go(&self, kind: IoKind, size_bytes: u64, round: u64) -> io::Result<Took> {
        let at = round % (FILE_BYTES / size_bytes) * size_bytes;
        with_aligned(0, size_bytes as usize, |_, bytes| {
            if kind == IoKind::Write {
                bytes.fill(floor::FLOOR_BYTE);
            }
            let (before, started_ns) = (self.own.now(), Clock::Wall.now_ns());
            match kind {
                IoKind::Read => self.file.read_exact_at(bytes, at)?,
                IoKind::Write => self.file.write_all_at(bytes, at)?,
                IoKind::Sync => self.file.sync_data()?,
            }
            let seen_ns = Clock::Wall.now_ns().saturating_sub(started_ns);
            Ok(Took { seen_ns, waited_ns: self.own.now().since(before).waited_ns.min(seen_ns) })
        })
    }
}

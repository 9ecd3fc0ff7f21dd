//! Telling a drive that all its data is no longer needed, so that it behaves like a fresh one.

use rustix::io::Errno;

use crate::discard::{discard, punch};
use crate::error::BlockError;
use crate::permit::WritePermit;

/// The result of a purge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purge {
    /// All blocks of the device were discarded.
    Discarded,
    /// The blocks of the file were given back to its filesystem, which tells the drive where it is mounted to
    /// do so. The file holds nothing now: it must be written before it is read.
    GivenBack,
    /// The device or filesystem knows no such thing; nothing was changed.
    Unsupported,
}

impl WritePermit {
    /// Discards everything the file or device holds.
    ///
    /// # Errors
    /// [`BlockError::Refused`] when another file has taken its place, [`BlockError::Io`] when discarding
    /// fails halfway.
    pub fn purge(&self) -> Result<Purge, BlockError> {
        let file = self.open(true)?;
        let done = if self.is_device() {
            discard(&file, 0, self.size_bytes())
        } else {
            punch(&file, 0, self.size_bytes())
        };
        match done {
            Ok(()) if self.is_device() => Ok(Purge::Discarded),
            Ok(()) => Ok(Purge::GivenBack),
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL | Errno::NOTTY) => Ok(Purge::Unsupported),
            Err(error) => Err(BlockError::io(self.path(), "discard what it holds", error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_purged_file_keeps_its_size_and_holds_nothing() {
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let path = directory.path().join("file");
        let permit = WritePermit::create_file(&path, 1 << 20).unwrap();
        let before = std::fs::metadata(&path).unwrap();
        assert!(before.blocks() > 0);
        match permit.purge().unwrap() {
            Purge::GivenBack => {
                let after = std::fs::metadata(&path).unwrap();
                assert_eq!((after.len(), after.ino()), (1 << 20, before.ino()));
                assert!(after.blocks() < before.blocks());
            }
            other => assert_eq!(other, Purge::Unsupported),
        }
        permit.remove().unwrap();
    }
}

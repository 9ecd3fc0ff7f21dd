//! The places of a file's pieces on its drive, as the file system reports them (FIEMAP).
#![allow(unsafe_code)] // One ioctl that has no safe wrapper in our dependencies.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::Path;

/// `FS_IOC_FIEMAP` of linux/fs.h: _IOWR('f', 11, struct fiemap).
const FS_IOC_FIEMAP: libc::c_ulong = 0xC020_660B;
/// Syncs the file first, so that written data has its place.
const FIEMAP_FLAG_SYNC: u32 = 1;
/// Set on the last one.
const FIEMAP_EXTENT_LAST: u32 = 1;
/// Extents that are asked for at once.
const BATCH: usize = 512;

/// One piece of a file: `struct fiemap_extent` of linux/fiemap.h.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct RawExtent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

/// `struct fiemap` with room for a batch.
#[repr(C)]
struct Request {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
    extents: [RawExtent; BATCH],
}

/// A file's pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extents {
    /// Pieces that do not lie side by side on the drive: 1 for a file in one piece, 0 for an empty one.
    pub fragments: u64,
    /// Extents as the file system counts them; one that lies right behind the other counts too.
    pub extents: u64,
    /// Bytes that have a place.
    pub bytes: u64,
}

impl Extents {
    /// With another file's.
    #[must_use]
    pub fn and(self, other: Extents) -> Extents {
        Extents {
            fragments: self.fragments + other.fragments,
            extents: self.extents + other.extents,
            bytes: self.bytes + other.bytes,
        }
    }

    fn add(&mut self, extent: &RawExtent, last_end: &mut Option<u64>) {
        self.extents += 1;
        self.bytes += extent.length;
        if *last_end != Some(extent.physical) {
            self.fragments += 1;
        }
        *last_end = Some(extent.physical + extent.length);
    }
}

/// The pieces of the file at `path`. Written data without a place is synced first.
///
/// # Errors
/// When the file cannot be opened, or its file system does not tell (`EOPNOTSUPP`: tmpfs, overlays).
pub fn extents(path: &Path) -> io::Result<Extents> {
    let file = File::open(path)?;
    let mut found = Extents::default();
    let (mut start, mut last_end) = (0, None);
    loop {
        let mut request = Box::new(Request {
            start,
            length: u64::MAX - start,
            flags: FIEMAP_FLAG_SYNC,
            mapped_extents: 0,
            extent_count: BATCH as u32,
            reserved: 0,
            extents: [RawExtent::default(); BATCH],
        });
        // SAFETY: the kernel reads the head and writes it and at most `extent_count` extents, for which there
        // is room behind it.
        let result = unsafe { libc::ioctl(file.as_raw_fd(), FS_IOC_FIEMAP as _, &raw mut *request) };
        if result < 0 {
            return Err(io::Error::last_os_error());
        }
        let mapped = (request.mapped_extents as usize).min(BATCH);
        for extent in &request.extents[..mapped] {
            found.add(extent, &mut last_end);
        }
        match request.extents[..mapped].last() {
            Some(last) if last.flags & FIEMAP_EXTENT_LAST == 0 => start = last.logical + last.length.max(1),
            _ => return Ok(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_side_by_side_are_one_fragment() {
        let piece = |physical, length| RawExtent { physical, length, ..RawExtent::default() };
        let (mut found, mut end) = (Extents::default(), None);
        for extent in [piece(100, 10), piece(110, 10), piece(200, 5), piece(90, 10)] {
            found.add(&extent, &mut end);
        }
        assert_eq!(found, Extents { fragments: 3, extents: 4, bytes: 35 });
        assert_eq!(found.and(found).fragments, 6);
    }

    #[test]
    fn a_files_bytes_have_places() {
        let temp = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(temp.path(), vec![7; 1 << 20]).unwrap();
        match extents(temp.path()) {
            Ok(found) => assert!(found.fragments >= 1 && found.bytes >= 1 << 20, "{found:?}"),
            Err(error) => assert_eq!(error.raw_os_error(), Some(libc::EOPNOTSUPP), "{error}"),
        }
    }
}

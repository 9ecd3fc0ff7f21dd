//! Answers as bytes of the protocol, written where the kernel reads them: into the payload of an entry.

use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{FileAttr, FileHandle, FileType, FopenFlags};
use rustix::fs::StatVfs;

use crate::fuse::front::TRUST;
use crate::fuse::names::Entry;
use crate::fuse::node;

/// The writer of an answer: bytes beyond the payload are dropped, which no answer has.
pub(super) struct Reply<'a> {
    payload: &'a mut [u8],
    len: usize,
}

impl<'a> Reply<'a> {
    pub(super) fn to(payload: &'a mut [u8]) -> Reply<'a> {
        Reply { payload, len: 0 }
    }

    /// The number of bytes so far.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        if let Some(place) = self.payload.get_mut(self.len..self.len + bytes.len()) {
            place.copy_from_slice(bytes);
            self.len += bytes.len();
        }
        self
    }

    fn u32(&mut self, value: u32) -> &mut Self {
        self.bytes(&value.to_ne_bytes())
    }

    fn u64(&mut self, value: u64) -> &mut Self {
        self.bytes(&value.to_ne_bytes())
    }

    /// `fuse_entry_out`.
    pub(super) fn entry(&mut self, attr: &FileAttr) -> &mut Self {
        let trust = TRUST.as_secs();
        self.u64(attr.ino.0).u64(0).u64(trust).u64(trust).u32(0).u32(0).plain_attributes(attr)
    }

    /// `fuse_attr_out`.
    pub(super) fn attributes(&mut self, attr: &FileAttr) -> &mut Self {
        self.u64(TRUST.as_secs()).u32(0).u32(0).plain_attributes(attr)
    }

    /// `fuse_attr`.
    fn plain_attributes(&mut self, attr: &FileAttr) -> &mut Self {
        let times = [attr.atime, attr.mtime, attr.ctime].map(split);
        self.u64(attr.ino.0).u64(attr.size).u64(attr.blocks);
        times.iter().for_each(|(seconds, _)| {
            self.u64(seconds.cast_unsigned());
        });
        times.iter().for_each(|(_, nanoseconds)| {
            self.u32(*nanoseconds);
        });
        self.u32(mode(attr.kind) | u32::from(attr.perm)).u32(attr.nlink);
        self.u32(attr.uid).u32(attr.gid).u32(attr.rdev).u32(attr.blksize).u32(0)
    }

    /// `fuse_open_out`.
    pub(super) fn opened(&mut self, handle: FileHandle, flags: FopenFlags) -> &mut Self {
        self.u64(handle.0).u32(flags.bits()).u32(0)
    }

    /// `fuse_write_out`.
    pub(super) fn written(&mut self, len: u32) -> &mut Self {
        self.u32(len).u32(0)
    }

    /// `fuse_statfs_out`.
    pub(super) fn room(&mut self, of: &StatVfs) -> &mut Self {
        self.u64(of.f_blocks).u64(of.f_bfree).u64(of.f_bavail).u64(of.f_files).u64(of.f_ffree);
        self.u32(of.f_bsize as u32).u32(of.f_namemax as u32).u32(of.f_frsize as u32);
        self.bytes(&[0; 28])
    }

    /// `fuse_dirent` of the entries after the first `from`, as many as fit into `size` bytes.
    pub(super) fn entries(&mut self, entries: &[Entry], from: u64, size: u32) -> &mut Self {
        let most = (size as usize).min(self.payload.len());
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        for (position, entry) in entries.iter().enumerate().skip(from) {
            let name = entry.name.as_bytes();
            let padded = name.len().next_multiple_of(8);
            if self.len + 24 + padded > most {
                break;
            }
            self.u64(entry.number).u64(position as u64 + 1).u32(name.len() as u32);
            self.u32(mode(node::kind(entry.kind)) >> 12).bytes(name);
            self.bytes(&[0; 8][..padded - name.len()]);
        }
        self
    }
}

/// Whole seconds since 1970, rounded down, and the nanoseconds above them.
fn split(time: SystemTime) -> (i64, u32) {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => (since.as_secs() as i64, since.subsec_nanos()),
        Err(before) => {
            let before = before.duration();
            let whole = before.as_secs() as i64 + i64::from(before.subsec_nanos() > 0);
            let above = Duration::from_secs(whole.unsigned_abs()).saturating_sub(before);
            (-whole, above.subsec_nanos())
        }
    }
}

/// The kind of a file as bits of its mode.
fn mode(kind: FileType) -> u32 {
    match kind {
        FileType::NamedPipe => libc::S_IFIFO,
        FileType::CharDevice => libc::S_IFCHR,
        FileType::BlockDevice => libc::S_IFBLK,
        FileType::Directory => libc::S_IFDIR,
        FileType::RegularFile => libc::S_IFREG,
        FileType::Symlink => libc::S_IFLNK,
        FileType::Socket => libc::S_IFSOCK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fuser::INodeNo;
    use rustix::fs::FileType as Kind;

    fn attr() -> FileAttr {
        FileAttr {
            ino: INodeNo(42),
            size: 4097,
            blocks: 16,
            atime: UNIX_EPOCH + Duration::new(5, 6),
            mtime: UNIX_EPOCH - Duration::new(1, 250),
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind: FileType::RegularFile,
            perm: 0o640,
            nlink: 2,
            uid: 1,
            gid: 3,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }

    #[test]
    fn answers_have_the_lengths_and_places_of_the_protocol() {
        let mut bytes = [0xAA; 4096];
        assert_eq!(Reply::to(&mut bytes).entry(&attr()).len(), 128);
        let at = |bytes: &[u8], place: usize| u64::from_ne_bytes(bytes[place..place + 8].try_into().unwrap());
        assert_eq!((at(&bytes, 0), at(&bytes, 40), at(&bytes, 48)), (42, 42, 4097));
        assert_eq!(at(&bytes, 72).cast_signed(), -2, "rounded down");
        assert_eq!(u32::from_ne_bytes(bytes[92..96].try_into().unwrap()), 999_999_750);
        assert_eq!(u32::from_ne_bytes(bytes[100..104].try_into().unwrap()), libc::S_IFREG | 0o640);
        assert_eq!(Reply::to(&mut bytes).attributes(&attr()).len(), 104);
        assert_eq!(Reply::to(&mut bytes).opened(FileHandle(1), FopenFlags::empty()).len(), 16);
        assert_eq!(Reply::to(&mut bytes).written(9).len(), 8);
        let room = rustix::fs::statvfs("/").unwrap();
        assert_eq!(Reply::to(&mut bytes).room(&room).len(), 80);
    }

    #[test]
    fn a_folder_is_given_in_parts_that_fit() {
        let entry = |name: &str| Entry { number: 7, kind: Kind::RegularFile, name: name.into() };
        let entries = [entry("a"), entry("eightlet"), entry("nine-char")];
        let mut bytes = [0xAA; 4096];
        let len =
            |from: u64, size: u32, bytes: &mut [u8]| Reply::to(bytes).entries(&entries, from, size).len();
        assert_eq!(len(0, 4096, &mut bytes), 32 + 32 + 40);
        assert_eq!((len(0, 64, &mut bytes), len(2, 64, &mut bytes)), (64, 40));
        assert_eq!(
            (len(0, 31, &mut bytes), len(3, 4096, &mut bytes), len(u64::MAX, 99, &mut bytes)),
            (0, 0, 0)
        );
        assert_eq!(len(0, 4096, &mut [0; 33]), 32, "no more than the payload holds");
    }
}

//! Numbers and layouts of FUSE over io_uring: `include/uapi/linux/fuse.h` of Linux 6.14, protocol 7.42.
//!
//! Each entry of a ring has a header of fixed layout and a payload. The header begins with `fuse_in_header`,
//! in whose place the answer puts `fuse_out_header`; then comes the first argument of the call (`op_in`), and
//! at the end `fuse_uring_ent_in_out`. All other arguments and everything of the answer are in the payload.

/// The header of an entry: `struct fuse_uring_req_header`.
pub(super) const HEADER_BYTES: usize = 288;
/// The bytes of a header.
pub(super) type Header = [u8; HEADER_BYTES];
/// Place of the first argument of a call in the header, and the room for it.
pub(super) const ARGUMENT_AT: usize = 128;
pub(super) const ARGUMENT_BYTES: usize = 128;
/// Places of `commit_id` and `payload_sz` of `fuse_uring_ent_in_out` in the header.
pub(super) const COMMIT_ID_AT: usize = 264;
pub(super) const PAYLOAD_BYTES_AT: usize = 272;

/// The two commands of `enum fuse_uring_cmd`.
pub(super) const REGISTER: u32 = 1;
pub(super) const COMMIT_AND_FETCH: u32 = 2;

/// `struct fuse_uring_cmd_req` in the command area of a submission: flags, commit_id, qid.
pub(super) fn command(commit_id: u64, queue: u16) -> [u8; 80] {
    let mut bytes = [0; 80];
    bytes[8..16].copy_from_slice(&commit_id.to_ne_bytes());
    bytes[16..18].copy_from_slice(&queue.to_ne_bytes());
    bytes
}

/// `struct fuse_out_header`: length, error, and the number of the request, at the beginning of the header;
/// and the length of the payload. `error`: 0, or a number of the system's.
pub(super) fn put_answer(header: &mut Header, error: i32, len: usize) {
    let len = if error == 0 { len as u32 } else { 0 };
    // The number of the request is at the same place in question and answer: bytes 8 to 16.
    header[0..4].copy_from_slice(&(16 + len).to_ne_bytes());
    header[4..8].copy_from_slice(&(-error).to_ne_bytes());
    header[PAYLOAD_BYTES_AT..PAYLOAD_BYTES_AT + 4].copy_from_slice(&len.to_ne_bytes());
}

/// The number of the request by which its answer is committed.
pub(super) fn commit_id(header: &Header) -> u64 {
    u64::from_ne_bytes(std::array::from_fn(|i| header[COMMIT_ID_AT + i]))
}

/// `enum fuse_opcode`, as far as calls are answered.
pub(super) mod opcode {
    pub(in super::super) const LOOKUP: u32 = 1;
    pub(in super::super) const GETATTR: u32 = 3;
    pub(in super::super) const SETATTR: u32 = 4;
    pub(in super::super) const READLINK: u32 = 5;
    pub(in super::super) const SYMLINK: u32 = 6;
    pub(in super::super) const MKNOD: u32 = 8;
    pub(in super::super) const MKDIR: u32 = 9;
    pub(in super::super) const UNLINK: u32 = 10;
    pub(in super::super) const RMDIR: u32 = 11;
    pub(in super::super) const RENAME: u32 = 12;
    pub(in super::super) const LINK: u32 = 13;
    pub(in super::super) const OPEN: u32 = 14;
    pub(in super::super) const READ: u32 = 15;
    pub(in super::super) const WRITE: u32 = 16;
    pub(in super::super) const STATFS: u32 = 17;
    pub(in super::super) const RELEASE: u32 = 18;
    pub(in super::super) const FSYNC: u32 = 20;
    pub(in super::super) const OPENDIR: u32 = 27;
    pub(in super::super) const READDIR: u32 = 28;
    pub(in super::super) const RELEASEDIR: u32 = 29;
    pub(in super::super) const FSYNCDIR: u32 = 30;
    pub(in super::super) const CREATE: u32 = 35;
    pub(in super::super) const FALLOCATE: u32 = 43;
    pub(in super::super) const RENAME2: u32 = 45;
}

/// Bits of `fuse_setattr_in.valid`.
pub(super) mod change {
    pub(in super::super) const MODE: u32 = 1;
    pub(in super::super) const UID: u32 = 1 << 1;
    pub(in super::super) const GID: u32 = 1 << 2;
    pub(in super::super) const SIZE: u32 = 1 << 3;
    pub(in super::super) const ATIME: u32 = 1 << 4;
    pub(in super::super) const MTIME: u32 = 1 << 5;
    pub(in super::super) const HANDLE: u32 = 1 << 6;
    pub(in super::super) const ATIME_NOW: u32 = 1 << 7;
    pub(in super::super) const MTIME_NOW: u32 = 1 << 8;
    pub(in super::super) const CTIME: u32 = 1 << 10;
}

/// The bit of `fuse_fsync_in.fsync_flags` that leaves out attributes.
pub(super) const ONLY_DATA: u32 = 1;

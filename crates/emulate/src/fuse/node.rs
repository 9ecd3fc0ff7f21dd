//! Files and folders as the kernel knows them: by number. Each holds a descriptor of its backing file, so a
//! rename or removal never loses it.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{FileAttr, FileType, INodeNo};
use parking_lot::RwLock;
use rustix::fs::{AtFlags, MemfdFlags, Mode, OFlags, Stat};

/// Number of the mount's root, fixed by the protocol.
const ROOT: u64 = 1;

/// Number and name of the witness's file, which is no file of the backing directory, and is not listed: its
/// bytes lie in memory. File systems number their files from below.
pub(super) const WITNESS: u64 = 1 << 63;
pub(super) const WITNESS_NAME: &str = ".drivetrain-witness";
/// Its length.
pub(super) const WITNESS_BYTES: u64 = super::probe::FILE_BYTES;

/// True for the witness's file: its operations are not those of a program, and no charge, fault or power cut
/// is meant for them.
pub(super) fn is_witness(number: INodeNo) -> bool {
    number.0 == WITNESS
}

/// One backing file or folder.
#[derive(Debug)]
pub(super) struct Node {
    /// Opened with `O_PATH`: names the file and gives no access.
    pub(super) fd: OwnedFd,
    pub(super) number: u64,
    device: u64,
    lookups: AtomicU64,
}

impl Node {
    fn new(fd: OwnedFd, stat: &Stat, number: u64) -> Node {
        Node { fd, number, device: stat.st_dev, lookups: AtomicU64::new(0) }
    }

    /// A path that leads to this very file, whatever it is called now.
    pub(super) fn path(&self) -> PathBuf {
        // Of this thread: those that serve a mount have a table of open files of their own.
        PathBuf::from(format!("/proc/thread-self/fd/{}", self.fd.as_raw_fd()))
    }

    pub(super) fn stat(&self) -> rustix::io::Result<Stat> {
        rustix::fs::statat(&self.fd, "", AtFlags::EMPTY_PATH)
    }

    /// The file opened for use.
    pub(super) fn open(&self, flags: OFlags) -> rustix::io::Result<File> {
        rustix::fs::open(self.path(), flags | OFlags::CLOEXEC, Mode::empty()).map(File::from)
    }
}

/// The start of a file on its drive. Any fixed place serves; distinct files lie apart: the number spread over
/// 2^52 bytes, so that files do not continue each other.
pub(super) fn base_of(number: u64) -> u64 {
    (ground::spread(number) >> 24) << 12
}

/// All nodes that the kernel holds.
#[derive(Debug)]
pub(super) struct Nodes {
    root: Arc<Node>,
    witness: Arc<Node>,
    known: RwLock<HashMap<u64, Arc<Node>>>,
}

impl Nodes {
    /// The nodes of the directory behind `root`.
    pub(super) fn new(root: OwnedFd) -> io::Result<Nodes> {
        let stat = rustix::fs::statat(&root, "", AtFlags::EMPTY_PATH)?;
        let memory = rustix::fs::memfd_create("drivetrain-witness", MemfdFlags::CLOEXEC)?;
        rustix::fs::ftruncate(&memory, WITNESS_BYTES)?;
        rustix::fs::fchmod(&memory, Mode::RUSR | Mode::WUSR)?;
        let of_memory = rustix::fs::statat(&memory, "", AtFlags::EMPTY_PATH)?;
        Ok(Nodes {
            root: Arc::new(Node::new(root, &stat, ROOT)),
            witness: Arc::new(Node::new(memory, &of_memory, WITNESS)),
            known: RwLock::default(),
        })
    }

    /// The witness's file, which is there as long as the mount.
    pub(super) fn witness(&self) -> &Arc<Node> {
        &self.witness
    }

    pub(super) fn root(&self) -> &Arc<Node> {
        &self.root
    }

    pub(super) fn get(&self, number: INodeNo) -> rustix::io::Result<Arc<Node>> {
        if number.0 == ROOT {
            return Ok(self.root.clone());
        }
        if is_witness(number) {
            return Ok(self.witness.clone());
        }
        self.known.read().get(&number.0).cloned().ok_or(rustix::io::Errno::STALE)
    }

    /// Looks a name up, counts the kernel's new hold on it, and gives the node with its attributes.
    pub(super) fn look_up(&self, parent: &Node, name: &OsStr) -> rustix::io::Result<(Arc<Node>, Stat)> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(parent.fd.as_fd(), name, flags, Mode::empty())?;
        let stat = rustix::fs::statat(&fd, "", AtFlags::EMPTY_PATH)?;
        if stat.st_dev != self.root.device || stat.st_ino == ROOT || stat.st_ino == WITNESS {
            // Numbers are those of one backing file system, without those that are taken.
            return Err(rustix::io::Errno::XDEV);
        }
        let mut known = self.known.write();
        let node =
            known.entry(stat.st_ino).or_insert_with(|| Arc::new(Node::new(fd, &stat, stat.st_ino))).clone();
        node.lookups.fetch_add(1, Ordering::Relaxed);
        Ok((node, stat))
    }

    /// The kernel gives back some of its holds.
    pub(super) fn forget(&self, number: u64, count: u64) {
        let mut known = self.known.write();
        let Some(node) = known.get(&number) else { return };
        if node.lookups.fetch_sub(count, Ordering::Relaxed) <= count {
            known.remove(&number);
        }
    }

    /// A new kernel session knows nothing yet.
    pub(super) fn clear(&self) {
        self.known.write().clear();
    }
}

/// A backing file's attributes as the kernel asks for them.
pub(super) fn attributes(stat: &Stat, number: u64) -> FileAttr {
    FileAttr {
        ino: INodeNo(number),
        size: stat.st_size as u64,
        blocks: stat.st_blocks as u64,
        atime: time(stat.st_atime, stat.st_atime_nsec),
        mtime: time(stat.st_mtime, stat.st_mtime_nsec),
        ctime: time(stat.st_ctime, stat.st_ctime_nsec),
        crtime: UNIX_EPOCH,
        kind: kind(rustix::fs::FileType::from_raw_mode(stat.st_mode)),
        perm: (stat.st_mode & 0o7777) as u16,
        nlink: stat.st_nlink as u32,
        uid: stat.st_uid,
        gid: stat.st_gid,
        rdev: stat.st_rdev as u32,
        blksize: stat.st_blksize as u32,
        flags: 0,
    }
}

pub(super) fn kind(of: rustix::fs::FileType) -> FileType {
    use rustix::fs::FileType as Type;
    match of {
        Type::Directory => FileType::Directory,
        Type::Symlink => FileType::Symlink,
        Type::Fifo => FileType::NamedPipe,
        Type::Socket => FileType::Socket,
        Type::CharacterDevice => FileType::CharDevice,
        Type::BlockDevice => FileType::BlockDevice,
        _ => FileType::RegularFile,
    }
}

fn time(seconds: i64, nanoseconds: u64) -> SystemTime {
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let base = if seconds >= 0 { UNIX_EPOCH + whole } else { UNIX_EPOCH - whole };
    base + Duration::from_nanos(nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_lives_as_long_as_the_kernel_holds_it() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a"), "x").unwrap();
        std::fs::hard_link(dir.path().join("a"), dir.path().join("b")).unwrap();
        let root = rustix::fs::open(dir.path(), OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap();
        let nodes = Nodes::new(root).unwrap();
        let (first, stat) = nodes.look_up(nodes.root(), OsStr::new("a")).unwrap();
        let (second, _) = nodes.look_up(nodes.root(), OsStr::new("b")).unwrap();
        assert!(Arc::ptr_eq(&first, &second), "two names of one file are one node");
        assert_eq!((stat.st_size, attributes(&stat, first.number).nlink), (1, 2));
        nodes.forget(first.number, 1);
        assert!(nodes.get(INodeNo(first.number)).is_ok());
        nodes.forget(first.number, 1);
        assert!(nodes.get(INodeNo(first.number)).is_err());
        assert!(nodes.look_up(nodes.root(), OsStr::new("none")).is_err());
    }

    #[test]
    fn files_lie_apart_on_their_drive() {
        let bases: std::collections::BTreeSet<u64> = (1..10_000).map(base_of).collect();
        assert_eq!(bases.len(), 9_999);
        assert!(bases.iter().all(|base| base % 4096 == 0 && *base < 1 << 52));
    }
}

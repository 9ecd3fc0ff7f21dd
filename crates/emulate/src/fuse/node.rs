//! Files and folders as the kernel knows them: by number. Each holds a descriptor of its backing file, so a
//! rename or removal never loses it.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{FileAttr, FileType, INodeNo};
use parking_lot::{Mutex, RwLock};
use rustix::fs::{AtFlags, MemfdFlags, Mode, OFlags, Stat, StatxFlags, Timespec, Timestamps};

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
    /// A time of modification that the backing file does not have yet: see [`Node::settle`].
    mtime: Mutex<Option<Timespec>>,
    /// A program opened it to write, so that the kernel may hold data that the backing file does not have.
    opened_to_write: AtomicBool,
}

impl Node {
    fn new(fd: OwnedFd, stat: &Stat, number: u64) -> Node {
        Node {
            fd,
            number,
            device: stat.st_dev,
            lookups: AtomicU64::new(0),
            mtime: Mutex::default(),
            opened_to_write: AtomicBool::new(false),
        }
    }

    /// A path that leads to this very file, whatever it is called now.
    pub(super) fn path(&self) -> PathBuf {
        // Of this thread: those that serve a mount have a table of open files of their own.
        PathBuf::from(format!("/proc/thread-self/fd/{}", self.fd.as_raw_fd()))
    }

    /// A program opens it with these flags of open(2).
    pub(super) fn opened(&self, flags: i32) {
        if flags & libc::O_ACCMODE != libc::O_RDONLY {
            self.opened_to_write.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn stat(&self) -> rustix::io::Result<Stat> {
        let mut stat = rustix::fs::statat(&self.fd, "", AtFlags::EMPTY_PATH)?;
        self.show_put_off(&mut stat);
        Ok(stat)
    }

    fn show_put_off(&self, stat: &mut Stat) {
        if let Some(mtime) = *self.mtime.lock() {
            (stat.st_mtime, stat.st_mtime_nsec) = (mtime.tv_sec, mtime.tv_nsec.cast_unsigned());
        }
    }

    /// Keeps a time of modification in memory, as file systems with the option `lazytime` do (mount(8)), and
    /// gives the attributes, which the kernel completes by its own time of change.
    ///
    /// With a page cache the kernel tells the time of the last write each few milliseconds. A backing file
    /// that got it at once, or whose time of change were only looked at (Linux 6.13, multigrain timestamps),
    /// would have to write its inode with the next sync of its data.
    ///
    /// # Errors
    /// Those of statx(2).
    pub(super) fn put_off(&self, mtime: SystemTime) -> rustix::io::Result<FileAttr> {
        *self.mtime.lock() = Some(moment(mtime));
        let wanted = StatxFlags::BASIC_STATS - StatxFlags::MTIME - StatxFlags::CTIME;
        let stat = rustix::fs::statx(&self.fd, "", AtFlags::EMPTY_PATH, wanted)?;
        Ok(FileAttr {
            ino: INodeNo(self.number),
            size: stat.stx_size,
            blocks: stat.stx_blocks,
            atime: time(stat.stx_atime.tv_sec, stat.stx_atime.tv_nsec.into()),
            mtime,
            ctime: mtime,
            crtime: UNIX_EPOCH,
            kind: kind(rustix::fs::FileType::from_raw_mode(stat.stx_mode.into())),
            perm: stat.stx_mode & 0o7777,
            nlink: stat.stx_nlink,
            uid: stat.stx_uid,
            gid: stat.stx_gid,
            rdev: rustix::fs::makedev(stat.stx_rdev_major, stat.stx_rdev_minor) as u32,
            blksize: stat.stx_blksize,
            flags: 0,
        })
    }

    /// Gives the backing file the time that was put off: with a sync of all, with any other change of
    /// attributes, and when the kernel forgets the file or the mount ends.
    ///
    /// # Errors
    /// Those of utimensat(2); the time is lost then.
    pub(super) fn settle(&self) -> rustix::io::Result<()> {
        let Some(last_modification) = self.mtime.lock().take() else { return Ok(()) };
        let last_access = Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT };
        let times = Timestamps { last_access, last_modification };
        rustix::fs::utimensat(rustix::fs::CWD, self.path(), &times, AtFlags::empty())
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
        let mut stat = rustix::fs::statat(&fd, "", AtFlags::EMPTY_PATH)?;
        if stat.st_dev != self.root.device || stat.st_ino == ROOT || stat.st_ino == WITNESS {
            // Numbers are those of one backing file system, without those that are taken.
            return Err(rustix::io::Errno::XDEV);
        }
        let mut known = self.known.write();
        let node =
            known.entry(stat.st_ino).or_insert_with(|| Arc::new(Node::new(fd, &stat, stat.st_ino))).clone();
        node.lookups.fetch_add(1, Ordering::Relaxed);
        drop(known);
        node.show_put_off(&mut stat);
        Ok((node, stat))
    }

    /// The kernel gives back some of its holds.
    pub(super) fn forget(&self, number: u64, count: u64) {
        let mut known = self.known.write();
        let Some(node) = known.get(&number) else { return };
        if node.lookups.fetch_sub(count, Ordering::Relaxed) <= count {
            let _ = node.settle(); // Nobody is left to be told of a lost time.
            known.remove(&number);
        }
    }

    /// The paths of the backing files that programs have opened to write, and that the kernel still knows.
    pub(super) fn opened_to_write(&self) -> Vec<PathBuf> {
        let known = self.known.read();
        let opened = known.values().filter(|node| node.opened_to_write.load(Ordering::Relaxed));
        opened.filter_map(|node| std::fs::read_link(node.path()).ok()).collect()
    }

    /// All backing files get the times that were put off.
    pub(super) fn settle(&self) {
        let known = self.known.read();
        known.values().for_each(|node| node.settle().unwrap_or_default()); // As in `forget`.
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

/// A time as the system takes it.
pub(super) fn moment(time: SystemTime) -> Timespec {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => Timespec { tv_sec: since.as_secs() as i64, tv_nsec: since.subsec_nanos().into() },
        Err(before) => {
            let before = before.duration();
            let whole = before.as_secs() as i64 + i64::from(before.subsec_nanos() > 0);
            let nanoseconds = (1_000_000_000 - before.subsec_nanos()) % 1_000_000_000;
            Timespec { tv_sec: -whole, tv_nsec: nanoseconds.into() }
        }
    }
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

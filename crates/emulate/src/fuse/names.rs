//! Names, folders and attributes.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use fuser::{FileAttr, FileHandle, INodeNo, TimeOrNow};
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, RenameFlags, Timespec, Timestamps, Uid};
use rustix::io::Errno;

use super::contents::{Files, handle_of, of_handle};
use super::node::{Node, WITNESS_NAME, attributes, moment};
use super::volatile::KEPT;

/// The changes that a call requests to a file's attributes.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) mode: Option<u32>,
    pub(super) uid: Option<u32>,
    pub(super) gid: Option<u32>,
    pub(super) size: Option<u64>,
    pub(super) atime: Option<TimeOrNow>,
    pub(super) mtime: Option<TimeOrNow>,
    /// The kernel has the time of change itself.
    pub(super) tells_ctime: bool,
    pub(super) handle: Option<FileHandle>,
}

impl Changes {
    /// The time of modification of a file whose pages the kernel writes back, if nothing else changes: the
    /// kernel has such a file's times itself, and tells them.
    fn written_back(&self) -> Option<SystemTime> {
        match self {
            Changes {
                mode: None,
                uid: None,
                gid: None,
                size: None,
                atime: None,
                mtime: Some(TimeOrNow::SpecificTime(mtime)),
                tells_ctime: true,
                handle: _,
            } => Some(*mtime),
            _ => None,
        }
    }
}

/// The user and group of a program that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Caller {
    pub(super) uid: u32,
    pub(super) gid: u32,
}

/// One entry of a folder.
pub(super) struct Entry {
    pub(super) number: u64,
    pub(super) kind: FileType,
    pub(super) name: OsString,
}

impl Files {
    pub(super) fn look_up(&self, parent: INodeNo, name: &OsStr) -> Result<FileAttr, Errno> {
        let _power = self.hold()?;
        let parent = self.node(parent)?;
        if self.is_hidden(&parent, name) {
            return Err(Errno::NOENT);
        }
        if name == WITNESS_NAME && parent.number == self.nodes.root().number {
            let node = self.nodes.witness();
            return Ok(attributes(&node.stat()?, node.number));
        }
        let (node, stat) = self.nodes.look_up(&parent, name)?;
        Ok(attributes(&stat, node.number))
    }

    /// The directory with the data for a power cut is not part of the mount.
    fn is_hidden(&self, parent: &Node, name: &OsStr) -> bool {
        name == KEPT && parent.number == self.nodes.root().number
    }

    pub(super) fn attributes(&self, ino: INodeNo) -> Result<FileAttr, Errno> {
        let _power = self.hold()?;
        let node = self.node(ino)?;
        Ok(attributes(&node.stat()?, node.number))
    }

    pub(super) fn change(&self, ino: INodeNo, changes: &Changes) -> Result<FileAttr, Errno> {
        let _power = self.hold()?;
        let node = self.node(ino)?;
        if let Some(mtime) = changes.written_back() {
            return node.put_off(mtime);
        }
        node.settle()?;
        if let Some(mode) = changes.mode {
            rustix::fs::chmod(node.path(), Mode::from_raw_mode(mode & 0o7777))?;
        }
        if changes.uid.is_some() || changes.gid.is_some() {
            let (uid, gid) = (changes.uid.map(Uid::from_raw), changes.gid.map(Gid::from_raw));
            rustix::fs::chownat(&node.fd, "", uid, gid, AtFlags::EMPTY_PATH)?;
        }
        if let Some(size) = changes.size {
            self.truncate(ino, changes.handle, size)?;
        }
        if changes.atime.is_some() || changes.mtime.is_some() {
            let times =
                Timestamps { last_access: asked(changes.atime), last_modification: asked(changes.mtime) };
            match changes.handle {
                Some(handle) => rustix::fs::futimens(&*of_handle(handle), &times)?,
                None => rustix::fs::utimensat(rustix::fs::CWD, node.path(), &times, AtFlags::empty())?,
            }
        }
        Ok(attributes(&node.stat()?, node.number))
    }

    /// Creates and opens a file. The kernel has applied the caller's umask; ours must not matter.
    pub(super) fn create(
        &self,
        caller: Caller,
        (parent, name): (INodeNo, &OsStr),
        mode: u32,
        flags: i32,
    ) -> Result<(FileAttr, FileHandle), Errno> {
        let _power = self.hold()?;
        self.may_write("create")?;
        let parent = self.node(parent)?;
        let open =
            self.backing_flags(flags) | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&parent.fd, name, open, Mode::from_raw_mode(mode & 0o7777))?;
        let attributes = self.new_name(caller, &parent, name, Some(mode))?;
        self.node(attributes.ino)?.opened(flags);
        Ok((attributes, handle_of(file)))
    }

    /// The attributes of a name that was just made; the kernel's hold on it begins.
    fn new_name(
        &self,
        caller: Caller,
        parent: &Arc<Node>,
        name: &OsStr,
        mode: Option<u32>,
    ) -> Result<FileAttr, Errno> {
        if let Some(volatile) = &self.volatile {
            volatile.made(parent, name);
        }
        let of_parent = parent.stat()?;
        let inherits = of_parent.st_mode & Mode::SGID.as_raw_mode() != 0;
        let gid = if inherits { of_parent.st_gid } else { caller.gid };
        let (uid, gid) = (Some(Uid::from_raw(caller.uid)), Some(Gid::from_raw(gid)));
        match rustix::fs::chownat(&parent.fd, name, uid, gid, AtFlags::SYMLINK_NOFOLLOW) {
            // Without the rights of root everything belongs to us, who alone may use the mount.
            Ok(()) | Err(Errno::PERM) => {}
            Err(error) => return Err(error),
        }
        let (node, stat) = self.nodes.look_up(parent, name)?;
        if let Some(mode) = mode {
            let folder = FileType::from_raw_mode(stat.st_mode).is_dir() && inherits;
            let inherited = if folder { Mode::SGID.as_raw_mode() } else { 0 };
            rustix::fs::chmod(node.path(), Mode::from_raw_mode(mode & 0o7777 | inherited))?;
        }
        Ok(attributes(&node.stat()?, node.number))
    }

    pub(super) fn make_node(
        &self,
        caller: Caller,
        (parent, name): (INodeNo, &OsStr),
        mode: u32,
        device: u32,
    ) -> Result<FileAttr, Errno> {
        let _power = self.hold()?;
        self.may_write("create")?;
        let parent = self.node(parent)?;
        let kind = FileType::from_raw_mode(mode);
        rustix::fs::mknodat(&parent.fd, name, kind, Mode::from_raw_mode(mode & 0o7777), device.into())?;
        self.new_name(caller, &parent, name, Some(mode))
    }

    pub(super) fn make_folder(
        &self,
        caller: Caller,
        (parent, name): (INodeNo, &OsStr),
        mode: u32,
    ) -> Result<FileAttr, Errno> {
        let _power = self.hold()?;
        self.may_write("mkdir")?;
        let parent = self.node(parent)?;
        rustix::fs::mkdirat(&parent.fd, name, Mode::from_raw_mode(mode & 0o7777))?;
        self.new_name(caller, &parent, name, Some(mode))
    }

    pub(super) fn symlink(
        &self,
        caller: Caller,
        (parent, name): (INodeNo, &OsStr),
        target: &Path,
    ) -> Result<FileAttr, Errno> {
        let _power = self.hold()?;
        self.may_write("symlink")?;
        let parent = self.node(parent)?;
        rustix::fs::symlinkat(target, &parent.fd, name)?;
        self.new_name(caller, &parent, name, None)
    }

    pub(super) fn link(&self, ino: INodeNo, parent: INodeNo, name: &OsStr) -> Result<FileAttr, Errno> {
        let _power = self.hold()?;
        self.may_write("link")?;
        let (node, parent) = (self.node(ino)?, self.node(parent)?);
        rustix::fs::linkat(rustix::fs::CWD, node.path(), &parent.fd, name, AtFlags::SYMLINK_FOLLOW)?;
        if let Some(volatile) = &self.volatile {
            volatile.made(&parent, name);
        }
        let (node, stat) = self.nodes.look_up(&parent, name)?;
        Ok(attributes(&stat, node.number))
    }

    pub(super) fn read_link(&self, ino: INodeNo) -> Result<Vec<u8>, Errno> {
        let _power = self.hold()?;
        Ok(rustix::fs::readlinkat(&self.node(ino)?.fd, "", Vec::new())?.into_bytes())
    }

    pub(super) fn remove(&self, parent: INodeNo, name: &OsStr, is_folder: bool) -> Result<(), Errno> {
        let _power = self.hold()?;
        let parent = self.node(parent)?;
        if self.is_hidden(&parent, name) {
            return Err(Errno::NOENT);
        }
        match &self.volatile {
            Some(volatile) => volatile.remove(&parent, name, is_folder),
            None => {
                let flags = if is_folder { AtFlags::REMOVEDIR } else { AtFlags::empty() };
                rustix::fs::unlinkat(&parent.fd, name, flags)
            }
        }
    }

    pub(super) fn rename(
        &self,
        (parent, name): (INodeNo, &OsStr),
        (new_parent, new_name): (INodeNo, &OsStr),
        flags: u32,
    ) -> Result<(), Errno> {
        let _power = self.hold()?;
        let flags = RenameFlags::from_bits(flags).ok_or(Errno::INVAL)?;
        let (from, to) = (self.node(parent)?, self.node(new_parent)?);
        match &self.volatile {
            Some(volatile) => volatile.rename((&from, name), (&to, new_name), flags),
            None => rustix::fs::renameat_with(&from.fd, name, &to.fd, new_name, flags),
        }
    }

    /// Everything in a folder, `.` and `..` included.
    pub(super) fn entries(&self, ino: INodeNo) -> Result<Vec<Entry>, Errno> {
        let _power = self.hold()?;
        let node = self.node(ino)?;
        let mut entries = Vec::new();
        for entry in rustix::fs::Dir::read_from(self.open_folder(ino)?)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if !self.is_hidden(&node, name) {
                entries.push(Entry { number: entry.ino(), kind: entry.file_type(), name: name.to_owned() });
            }
        }
        Ok(entries)
    }
}

/// A time as the kernel asks to set it.
fn asked(time: Option<TimeOrNow>) -> Timespec {
    match time {
        None => Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT },
        Some(TimeOrNow::Now) => Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_NOW },
        Some(TimeOrNow::SpecificTime(time)) => moment(time),
    }
}

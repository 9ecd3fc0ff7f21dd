//! The state that a power cut takes back: unsynced contents, sector by sector, and unsynced changes of names,
//! the newest first.
//!
//! Contents follow the rules of [`crate::undo`]. Names follow those of a journalling file system (ext4, xfs):
//! changes become durable in their order, and every `fsync` makes all earlier ones durable. A cut keeps a
//! beginning of the others of random length. Files that are removed or replaced wait in a hidden folder until
//! their removal is durable.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ground::Random;
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::node::Node;
use crate::undo::{MOST_BYTES, SECTOR, Settled, Undo};

/// The hidden folder in the backing directory.
pub(super) const KEPT: &str = ".drivetrain-unsynced";

/// The volatile state of one mount.
pub(super) struct Volatile {
    /// Held shared by every change, exclusively by the cut.
    change: RwLock<()>,
    off: AtomicBool,
    lies: AtomicBool,
    files: Mutex<HashMap<u64, Arc<Contents>>>,
    names: Mutex<Names>,
}

/// The unsynced contents of one file.
struct Contents {
    node: Arc<Node>,
    undo: Mutex<Undo>,
}

struct Names {
    folder: OwnedFd,
    next: u64,
    /// Changes so far that are durable: the number of the first in `steps`.
    durable: u64,
    steps: Vec<Step>,
}

/// One change of names that a cut may take back.
enum Step {
    Made { parent: Arc<Node>, name: OsString },
    Removed { parent: Arc<Node>, name: OsString, kept: OsString, number: u64 },
    Renamed { from: (Arc<Node>, OsString), to: (Arc<Node>, OsString), replaced: Option<(OsString, u64)> },
    Exchanged { one: (Arc<Node>, OsString), other: (Arc<Node>, OsString) },
}

/// A sync under way.
pub(super) struct Syncing {
    contents: Option<(Arc<Contents>, crate::undo::Sync)>,
    names: u64,
}

impl Volatile {
    /// For the backing directory behind `root`. Files of an earlier process in the hidden folder were removed
    /// by its programs for good.
    pub(super) fn new(root: &OwnedFd) -> io::Result<Volatile> {
        match rustix::fs::mkdirat(root, KEPT, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(root, KEPT, flags, Mode::empty())?;
        let names = Names { folder, next: 0, durable: 0, steps: Vec::new() };
        names.empty_folder()?;
        Ok(Volatile {
            change: RwLock::new(()),
            off: AtomicBool::new(false),
            lies: AtomicBool::new(false),
            files: Mutex::default(),
            names: Mutex::new(names),
        })
    }

    /// The right to read or change, which no power cut comes between.
    pub(super) fn hold(&self) -> Result<RwLockReadGuard<'_, ()>, Errno> {
        let guard = self.change.read();
        if self.off.load(Ordering::Acquire) { Err(Errno::IO) } else { Ok(guard) }
    }

    pub(super) fn set_lies(&self, lies: bool) {
        self.lies.store(lies, Ordering::Relaxed);
    }

    /// Does `work`, which changes `len` bytes from `offset`, after their old contents have been kept.
    pub(super) fn change<T>(
        &self,
        node: &Arc<Node>,
        file: &File,
        (offset, len): (u64, u64),
        work: impl FnOnce() -> rustix::io::Result<T>,
    ) -> rustix::io::Result<T> {
        let size = rustix::fs::fstat(file)?.st_size as u64;
        let contents = self.contents(node, size);
        let mut undo = contents.undo.lock();
        let end = offset.saturating_add(len);
        let is_too_much = end.min(size).saturating_sub(offset) > MOST_BYTES as u64;
        if !is_too_much {
            let mut sector_bytes = [0; SECTOR as usize];
            // New sectors matter where they get contents; a long range beyond the end only makes room.
            let last = if len <= MOST_BYTES as u64 { end } else { end.min(size) };
            for sector in offset / SECTOR..last.div_ceil(SECTOR) {
                if undo.wants(sector) {
                    let inside = size.saturating_sub(sector * SECTOR).min(SECTOR) as usize;
                    file.read_exact_at(&mut sector_bytes[..inside], sector * SECTOR)
                        .map_err(|_| Errno::IO)?;
                    undo.save(sector, &sector_bytes[..inside]);
                }
            }
        }
        let done = work()?;
        let size = rustix::fs::fstat(file)?.st_size as u64;
        if is_too_much {
            // More than a drive's cache holds: durable at once.
            let sync = undo.begin_sync(size);
            undo.end_sync(sync);
        }
        undo.bound(size);
        Ok(done)
    }

    fn contents(&self, node: &Arc<Node>, size: u64) -> Arc<Contents> {
        let mut files = self.files.lock();
        let new = || Arc::new(Contents { node: node.clone(), undo: Mutex::new(Undo::new(size, false)) });
        files.entry(node.number).or_insert_with(new).clone()
    }

    /// A sync of a file, or of a folder, begins.
    pub(super) fn begin_sync(&self, node: &Node) -> Syncing {
        let names = self.names.lock();
        let names = names.durable + names.steps.len() as u64;
        let contents = self.files.lock().get(&node.number).cloned().and_then(|contents| {
            let mut undo = contents.undo.lock();
            let size = contents.node.stat().ok()?.st_size as u64;
            let sync = undo.begin_sync(size);
            drop(undo);
            Some((contents, sync))
        });
        Syncing { contents, names }
    }

    /// The sync is complete; a drive that lies has kept nothing.
    pub(super) fn end_sync(&self, syncing: Syncing) {
        if self.lies.load(Ordering::Relaxed) {
            return;
        }
        if let Some((contents, sync)) = syncing.contents {
            contents.undo.lock().end_sync(sync);
        }
        let mut names = self.names.lock();
        let count = syncing.names.saturating_sub(names.durable) as usize;
        for number in names.commit(count) {
            self.files.lock().remove(&number);
        }
    }

    pub(super) fn made(&self, parent: &Arc<Node>, name: &OsStr) {
        let step = Step::Made { parent: parent.clone(), name: name.to_owned() };
        self.names.lock().steps.push(step);
    }

    /// Removes a name; its file waits in the hidden folder.
    pub(super) fn remove(&self, parent: &Arc<Node>, name: &OsStr, is_folder: bool) -> rustix::io::Result<()> {
        let mut names = self.names.lock();
        let stat = rustix::fs::statat(&parent.fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if is_folder {
            must_be_empty(parent, name)?;
        }
        let kept = names.fresh_name();
        rustix::fs::renameat(&parent.fd, name, &names.folder, &kept)?;
        let parent = parent.clone();
        names.steps.push(Step::Removed { parent, name: name.to_owned(), kept, number: stat.st_ino });
        Ok(())
    }

    /// Renames; a replaced file waits in the hidden folder.
    pub(super) fn rename(
        &self,
        from: (&Arc<Node>, &OsStr),
        to: (&Arc<Node>, &OsStr),
        flags: RenameFlags,
    ) -> rustix::io::Result<()> {
        let mut names = self.names.lock();
        let owned = |(parent, name): (&Arc<Node>, &OsStr)| (parent.clone(), name.to_owned());
        if flags.contains(RenameFlags::EXCHANGE) {
            rustix::fs::renameat_with(&from.0.fd, from.1, &to.0.fd, to.1, flags)?;
            names.steps.push(Step::Exchanged { one: owned(from), other: owned(to) });
            return Ok(());
        }
        let target = rustix::fs::statat(&to.0.fd, to.1, AtFlags::SYMLINK_NOFOLLOW);
        let replaced = match target {
            Ok(stat) if !flags.contains(RenameFlags::NOREPLACE) => {
                let kept = names.fresh_name();
                if rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir() {
                    must_be_empty(to.0, to.1)?;
                    rustix::fs::renameat(&to.0.fd, to.1, &names.folder, &kept)?;
                } else {
                    rustix::fs::linkat(&to.0.fd, to.1, &names.folder, &kept, AtFlags::empty())?;
                }
                Some((kept, stat.st_ino))
            }
            _ => None,
        };
        rustix::fs::renameat_with(&from.0.fd, from.1, &to.0.fd, to.1, flags)?;
        names.steps.push(Step::Renamed { from: owned(from), to: owned(to), replaced });
        Ok(())
    }

    /// Cuts the power: every call fails from now on, and unsynced data is lost or kept at random by `seed`.
    pub(super) fn cut(&self, seed: u64) -> io::Result<()> {
        let _nobody_changes = self.change.write();
        if self.off.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let mut generator = Random::new(seed);
        let mut random = move || generator.next_u64();
        let mut names = self.names.lock();
        let kept = (random() % (names.steps.len() as u64 + 1)) as usize;
        names.take_back(kept)?;
        names.commit(kept);
        names.empty_folder()?;
        let mut files: Vec<Arc<Contents>> = self.files.lock().drain().map(|(_, contents)| contents).collect();
        // A hash map's order is not a result: the tosses follow the numbers.
        files.sort_by_key(|contents| contents.node.number);
        files.iter().try_for_each(|contents| settle(contents, &mut random))
    }

    pub(super) fn restore(&self) {
        self.off.store(false, Ordering::Release);
    }

    /// Makes everything durable, as an orderly shutdown does: no later cut takes it back.
    pub(super) fn keep_all(&self) {
        let mut names = self.names.lock();
        let all = names.steps.len();
        names.commit(all);
        self.files.lock().clear();
    }

    /// Makes everything durable and removes the hidden folder.
    pub(super) fn finish(&self, root: &OwnedFd) {
        self.keep_all();
        // Nothing is lost if it stays: the next mount empties it.
        let _ = rustix::fs::unlinkat(root, KEPT, AtFlags::REMOVEDIR);
    }

    /// Memory for the data that unsynced writes replaced, bytes.
    pub(super) fn undo_bytes(&self) -> u64 {
        let files: Vec<Arc<Contents>> = self.files.lock().values().cloned().collect();
        files.iter().map(|contents| contents.undo.lock().bytes()).sum()
    }
}

fn settle(contents: &Contents, random: &mut impl FnMut() -> u64) -> io::Result<()> {
    let stat = contents.node.stat()?;
    if stat.st_nlink == 0 {
        return Ok(()); // Its making was taken back.
    }
    let settled = contents.undo.lock().settle(stat.st_size as u64, random);
    let Settled::File { size, sectors } = settled else { return Ok(()) };
    let file = contents.node.open(OFlags::RDWR)?;
    file.set_len(size)?;
    for (sector, mut bytes) in sectors {
        let at = sector * SECTOR;
        bytes.resize(SECTOR as usize, 0);
        file.write_all_at(&bytes[..(size - at).min(SECTOR) as usize], at)?;
    }
    Ok(())
}

impl Names {
    fn fresh_name(&mut self) -> OsString {
        self.next += 1;
        OsString::from(self.next.to_string())
    }

    /// The first `count` changes are durable: removed files go for good. Gives the numbers of files that may
    /// be gone.
    fn commit(&mut self, count: usize) -> Vec<u64> {
        let mut gone = Vec::new();
        for step in self.steps.drain(..count.min(self.steps.len())) {
            let (Step::Removed { kept, number, .. } | Step::Renamed { replaced: Some((kept, number)), .. }) =
                step
            else {
                continue;
            };
            let stat = rustix::fs::statat(&self.folder, &kept, AtFlags::SYMLINK_NOFOLLOW);
            gone.extend(stat.is_ok_and(|stat| stat.st_nlink == 1).then_some(number));
            if rustix::fs::unlinkat(&self.folder, &kept, AtFlags::empty()).is_err() {
                let _ = rustix::fs::unlinkat(&self.folder, &kept, AtFlags::REMOVEDIR);
            }
        }
        self.durable += count as u64;
        gone
    }

    /// Takes back every change after the first `kept`, the newest first.
    fn take_back(&mut self, kept: usize) -> io::Result<()> {
        for step in self.steps.drain(kept..).rev() {
            match step {
                Step::Made { parent, name } => {
                    rustix::fs::unlinkat(&parent.fd, &name, AtFlags::empty())
                        .or_else(|_| rustix::fs::unlinkat(&parent.fd, &name, AtFlags::REMOVEDIR))?;
                }
                Step::Removed { parent, name, kept, .. } => {
                    rustix::fs::renameat(&self.folder, &kept, &parent.fd, &name)?;
                }
                Step::Renamed { from, to, replaced } => {
                    rustix::fs::renameat(&to.0.fd, &to.1, &from.0.fd, &from.1)?;
                    if let Some((kept, _)) = replaced {
                        rustix::fs::renameat(&self.folder, &kept, &to.0.fd, &to.1)?;
                    }
                }
                Step::Exchanged { one, other } => {
                    rustix::fs::renameat_with(
                        &one.0.fd,
                        &one.1,
                        &other.0.fd,
                        &other.1,
                        RenameFlags::EXCHANGE,
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Removes the contents of the hidden folder.
    fn empty_folder(&self) -> io::Result<()> {
        for entry in rustix::fs::Dir::read_from(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            rustix::fs::unlinkat(&self.folder, name, AtFlags::empty())
                .or_else(|_| rustix::fs::unlinkat(&self.folder, name, AtFlags::REMOVEDIR))?;
        }
        Ok(())
    }
}

fn must_be_empty(parent: &Node, name: &OsStr) -> rustix::io::Result<()> {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(&parent.fd, name, flags, Mode::empty())?;
    for entry in rustix::fs::Dir::read_from(folder)? {
        let entry = entry?;
        if entry.file_name() != c"." && entry.file_name() != c".." {
            return Err(Errno::NOTEMPTY);
        }
    }
    Ok(())
}

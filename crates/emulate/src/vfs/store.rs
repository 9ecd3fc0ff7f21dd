//! Bytes in ordinary files of the host, through its page cache or past it.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::OFlags;

use super::pool::BLOCK;

/// The options for opening a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OpenAs {
    pub(crate) write: bool,
    pub(crate) create: bool,
    /// It must not exist yet.
    pub(crate) exclusive: bool,
    /// Past the page cache where the file system can.
    pub(crate) direct: bool,
}

/// An open file of the host.
#[derive(Debug)]
pub(crate) struct Store {
    file: File,
    direct: bool,
    writable: bool,
}

/// The identity of a file and of its state: it shows that somebody replaced a file while it was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl Store {
    pub(crate) fn open(path: &Path, how: OpenAs) -> io::Result<Store> {
        let file = OpenOptions::new()
            .read(true)
            .write(how.write)
            .create(how.create && !how.exclusive)
            .create_new(how.create && how.exclusive)
            .open(path)?;
        let direct = how.direct && past_page_cache(&file);
        Ok(Store { file, direct, writable: how.write })
    }

    /// A file without a name, gone when it is closed.
    pub(crate) fn scratch() -> io::Result<Store> {
        let directory = std::env::temp_dir();
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        let file = match rustix::fs::open(&directory, flags, mode) {
            Ok(descriptor) => File::from(descriptor),
            // Not every file system has nameless files.
            Err(_) => named_and_removed(&directory)?,
        };
        Ok(Store { file, direct: false, writable: true })
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// True if reads and writes bypass the page cache, and so must be of whole blocks.
    pub(crate) fn is_direct(&self) -> bool {
        self.direct
    }

    pub(crate) fn is_writable(&self) -> bool {
        self.writable
    }

    pub(crate) fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    pub(crate) fn identity(&self) -> io::Result<Identity> {
        Identity::of(&self.file.metadata()?)
    }

    /// Fills `out` as far as the file goes and says how far that is.
    pub(crate) fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        if self.direct && !(is_aligned(offset, out.len()) && out.as_ptr().align_offset(BLOCK) == 0) {
            return with_aligned(offset, out.len(), |first, buffer| {
                let skip = (offset - first) as usize;
                let got = read_fully(&self.file, buffer, first)?.saturating_sub(skip).min(out.len());
                out[..got].copy_from_slice(&buffer[skip..skip + got]);
                Ok(got)
            });
        }
        read_fully(&self.file, out, offset)
    }

    /// Writes all of `bytes`. Past the page cache, the rest of partly written blocks is read first, and the
    /// file grows to whole blocks: its owner keeps the true size.
    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        if !self.direct {
            return self.file.write_all_at(bytes, offset);
        }
        with_aligned(offset, bytes.len(), |first, buffer| {
            let skip = (offset - first) as usize;
            let end = skip + bytes.len();
            let last = buffer.len() - BLOCK;
            if skip > 0 {
                let got = read_fully(&self.file, &mut buffer[..BLOCK], first)?;
                buffer[got..BLOCK].fill(0);
            }
            if end < buffer.len() && (last > 0 || skip == 0) {
                let got = read_fully(&self.file, &mut buffer[last..], first + last as u64)?;
                buffer[last + got..].fill(0);
            }
            buffer[skip..end].copy_from_slice(bytes);
            self.file.write_all_at(buffer, first)
        })
    }

    pub(crate) fn set_size(&self, size: u64) -> io::Result<()> {
        self.file.set_len(size)
    }

    /// Everything written so far is on the medium when this returns.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

impl Identity {
    fn of(metadata: &std::fs::Metadata) -> io::Result<Identity> {
        Ok(Identity {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    pub(crate) fn of_path(path: &Path) -> io::Result<Identity> {
        Identity::of(&std::fs::metadata(path)?)
    }
}

fn named_and_removed(directory: &Path) -> io::Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = format!(".drivetrain-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let path = directory.join(name);
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

fn past_page_cache(file: &File) -> bool {
    let flags = rustix::fs::fcntl_getfl(file);
    flags.and_then(|flags| rustix::fs::fcntl_setfl(file, flags | OFlags::DIRECT)).is_ok()
}

fn is_aligned(offset: u64, len: usize) -> bool {
    offset.is_multiple_of(BLOCK as u64) && len.is_multiple_of(BLOCK)
}

fn read_fully(file: &File, out: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut got = 0;
    while got < out.len() {
        match file.read_at(&mut out[got..], offset + got as u64) {
            Ok(0) => break,
            // Past the page cache a read that ends inside a block is the end of the file; going on would be
            // refused.
            Ok(n) if !n.is_multiple_of(512) => return Ok(got + n),
            Ok(n) => got += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

/// Lends an aligned buffer for the whole blocks that cover a range, and the offset of the first.
pub(crate) fn with_aligned<T>(offset: u64, len: usize, work: impl FnOnce(u64, &mut [u8]) -> T) -> T {
    thread_local!(static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
    let first = offset - offset % BLOCK as u64;
    let length = ((offset - first) as usize + len).next_multiple_of(BLOCK).max(BLOCK);
    // Taken out while in use, so that a nested call gets a buffer of its own instead of a panic.
    let mut buffer = BUFFER.take();
    if buffer.len() < length + BLOCK {
        buffer.resize(length + BLOCK, 0);
    }
    let start = buffer.as_ptr().align_offset(BLOCK);
    let result = work(first, &mut buffer[start..start + length]);
    BUFFER.replace(buffer);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(len: usize, seed: usize) -> Vec<u8> {
        (0..len).map(|i| ((i + seed) * 31 % 251) as u8).collect()
    }

    #[test]
    fn direct_and_buffered_files_hold_the_same_bytes() {
        // Beside the sources: temporary directories are often in memory, where nothing is direct.
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let open = |name: &str, direct| {
            let how = OpenAs { write: true, create: true, direct, ..OpenAs::default() };
            Store::open(&dir.path().join(name), how).unwrap()
        };
        let (direct, buffered) = (open("direct", true), open("buffered", false));
        for (offset, len) in [(0, 4096), (8192, 8192), (100, 24), (4000, 200), (20_000, 5000), (12_288, 1)] {
            for store in [&direct, &buffered] {
                store.write_at(&filled(len, offset), offset as u64).unwrap();
            }
            let (mut a, mut b) = (vec![0; 30_000], vec![0; 30_000]);
            let size = buffered.read_at(&mut b, 0).unwrap();
            assert!(direct.read_at(&mut a, 0).unwrap() >= size);
            assert!(a[..size] == b[..size], "after {len} bytes at {offset}");
        }
        let mut middle = [0; 333];
        assert_eq!(direct.read_at(&mut middle, 4011).unwrap(), 333);
        direct.set_size(4100).unwrap();
        assert_eq!(direct.read_at(&mut middle, 4011).unwrap(), 89);
        assert_eq!(direct.read_at(&mut middle, 9000).unwrap(), 0);
    }

    #[test]
    fn nested_buffers_do_not_clash() {
        let sum = with_aligned(5000, 10, |first, outer| {
            outer.fill(1);
            with_aligned(0, 8192, |_, inner| inner.fill(2));
            assert!(outer.iter().all(|&byte| byte == 1));
            first as usize + outer.len()
        });
        assert_eq!(sum, 4096 + 4096);
    }

    #[test]
    fn scratch_files_have_no_name_and_hold_bytes() {
        let store = Store::scratch().unwrap();
        store.write_at(&filled(5000, 3), 100).unwrap();
        let mut out = vec![9; 6000];
        assert_eq!(store.read_at(&mut out, 0).unwrap(), 5100);
        assert_eq!(out[100..5100], filled(5000, 3));
        let dir = tempfile::tempdir().unwrap();
        let mut file = named_and_removed(dir.path()).unwrap();
        io::Write::write_all(&mut file, b"x").unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

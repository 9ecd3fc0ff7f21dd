//! Filling a new target file with incompressible data, past the page cache where the filesystem allows it.

use std::fs::File;
use std::io;
use std::path::Path;

use disk::Call;
use disk::fault::point;
use ground::Random;
use rustix::fs::FallocateFlags;

use crate::buffer::Buffers;
use crate::error::BlockError;
use crate::mark;

const CHUNK_BYTES: u64 = 4 << 20;
/// The stream of the file's key from which its content comes.
const STREAM: u64 = 1;

/// Told the bytes filled so far, a few times per second; answers whether to go on.
pub type FillProgress<'a> = dyn FnMut(u64) -> bool + 'a;

/// Writes the whole file with marks of this key and makes it durable. `file` is the freshly made, empty file,
/// `direct` the same past the page cache. No other file has its content, since none has its key: a storage
/// that removes duplicates must store all of it.
pub(crate) fn fill(
    path: &Path,
    size_bytes: u64,
    key: u64,
    (file, direct): (&File, Option<&File>),
    progress: &mut FillProgress<'_>,
) -> Result<(), BlockError> {
    let failed = |error: io::Error| match error.raw_os_error() {
        Some(libc::ENOSPC) => no_space(path, size_bytes),
        _ => BlockError::io(path, "fill it", error),
    };
    point(Call::Truncate, path).and_then(|()| reserve(file, size_bytes)).map_err(failed)?;
    let out = direct.unwrap_or(file);
    let mut buffer = Buffers::new(1, CHUNK_BYTES as usize);
    let mut random = Random::stream(key, STREAM);
    let mut filled = 0;
    while filled < size_bytes {
        let length = CHUNK_BYTES.min(size_bytes - filled) as usize;
        let chunk = &mut buffer.slot(0)[..length];
        random.fill(chunk);
        mark::lay_in_place(key, chunk, filled);
        point(Call::Write, path).and_then(|()| write_all(out, chunk, filled)).map_err(failed)?;
        filled += length as u64;
        if !progress(filled) {
            return Err(BlockError::Stopped { path: path.to_owned() });
        }
    }
    point(Call::Sync, path).and_then(|()| file.sync_all()).map_err(failed)
}

/// Claims the space first, so that a full disk is known before gigabytes are written.
fn reserve(file: &File, size_bytes: u64) -> io::Result<()> {
    match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, size_bytes) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => file.set_len(size_bytes),
        Err(error) => Err(error.into()),
    }
}

fn write_all(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::pwrite(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = &bytes[written..];
                offset += written as u64;
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn no_space(path: &Path, needed_bytes: u64) -> BlockError {
    let available = rustix::fs::statvfs(disk::parent(path)).map(|space| space.f_bavail * space.f_frsize);
    BlockError::NoSpace { path: path.to_owned(), needed_bytes, available_bytes: available.unwrap_or(0) }
}

//! Files behind a modelled drive belong in the host's memory: the model says how long a read takes, and the
//! host's own drive must not.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use rustix::fs::Advice;

use crate::machine::room;

/// Read at a time, bytes.
const PIECE_BYTES: usize = 1 << 20;

/// Reads the files below `dir` into the host's page cache, up to half of the available memory. Unreadable
/// files are skipped; their reader will report them.
pub(super) fn fill_host_cache(dir: &Path) {
    let mut left_bytes = room::available_memory_bytes().map_or(u64::MAX, |bytes| bytes / 2);
    let mut piece = vec![0; PIECE_BYTES];
    read_below(dir, &mut piece, &mut left_bytes);
}

fn read_below(dir: &Path, piece: &mut [u8], left_bytes: &mut u64) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => read_below(&entry.path(), piece, left_bytes),
            Ok(kind) if kind.is_file() => read_file(&entry.path(), piece, left_bytes),
            _ => {}
        }
    }
}

fn read_file(path: &Path, piece: &mut [u8], left_bytes: &mut u64) {
    let Ok(mut file) = File::open(path) else { return };
    // Page by page: reading ahead, the kernel would keep them in blocks of up to 2 MiB, and ext4 goes through
    // a whole block at each write of a page of it, which takes longer than a fast drive.
    let _ = rustix::fs::fadvise(&file, 0, None, Advice::Random);
    while *left_bytes > 0 {
        match file.read(piece) {
            Ok(0) | Err(_) => return,
            Ok(len) => *left_bytes = left_bytes.saturating_sub(len as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_folders_are_read_until_the_room_is_used() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("deep")).unwrap();
        for name in ["a", "deep/b"] {
            fs::write(dir.path().join(name), vec![7; 3000]).unwrap();
        }
        std::os::unix::fs::symlink("a", dir.path().join("link")).unwrap();
        for (room_bytes, left) in [(10_000, 4000), (4000, 0), (0, 0)] {
            let mut left_bytes = room_bytes;
            read_below(dir.path(), &mut [0; 1000], &mut left_bytes);
            assert_eq!(left_bytes, left);
        }
        fill_host_cache(&dir.path().join("absent"));
    }
}

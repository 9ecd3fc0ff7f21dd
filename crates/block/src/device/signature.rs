//! What a device bears: partition tables, filesystems, swap, members of volumes and arrays. Told by the magic numbers that their formats
//! have at fixed places (as libblkid lists them).

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Where a magic number stands: bytes from the start, or from the end when negative.
type Magic = (&'static str, i64, &'static [u8]);

const MAGICS: [Magic; 34] = [
    ("gpt", 512, b"EFI PART"),
    ("gpt", 4096, b"EFI PART"),
    ("gpt", -512, b"EFI PART"),
    ("ext4", 0x438, b"\x53\xef"),
    ("xfs", 0, b"XFSB"),
    ("btrfs", 0x1_0040, b"_BHRfS_M"),
    ("swap", 4086, b"SWAPSPACE2"),
    ("swap", 4086, b"SWAP-SPACE"),
    ("swap", 0xfff6, b"SWAPSPACE2"),
    ("lvm", 0x218, b"LVM2 001"),
    ("lvm", 0x18, b"LVM2 001"),
    ("luks", 0, b"LUKS\xba\xbe"),
    ("md", 4096, b"\xfc\x4e\x2b\xa9"),
    ("md", 0, b"\xfc\x4e\x2b\xa9"),
    ("md", -65536, b"\xfc\x4e\x2b\xa9"),
    ("md", -8192, b"\xfc\x4e\x2b\xa9"),
    ("ntfs", 3, b"NTFS    "),
    ("exfat", 3, b"EXFAT   "),
    ("fat", 0x36, b"FAT1"),
    ("fat", 0x52, b"FAT32"),
    ("f2fs", 0x400, b"\x10\x20\xf5\xf2"),
    ("iso9660", 0x8001, b"CD001"),
    ("squashfs", 0, b"hsqs"),
    ("erofs", 0x400, b"\xe2\xe1\xf5\xe0"),
    ("bcache", 0x1018, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"),
    ("bcachefs", 0x1018, b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"),
    ("bluestore", 0, b"bluestore block device"),
    ("jfs", 0x8000, b"JFS1"),
    ("reiserfs", 0x1_0034, b"ReIsEr"),
    ("zfs", 0x2_0000, b"\x0c\xb1\xba\x00\x00\x00\x00\x00"),
    ("zfs", 0x2_0000, b"\x00\x00\x00\x00\x00\xba\xb1\x0c"),
    ("vmfs", 0x10_0000, b"\x0d\xd0\x01\xc0"),
    ("gfs2", 0x1_0000, b"\x01\x16\x19\x70"),
    ("ocfs2", 0x2000, b"OCFSV2"),
];

/// The signatures within a part of a device, each once.
pub(super) fn of(file: &File, part: &Range<u64>) -> io::Result<Vec<&'static str>> {
    let holds = |at: Option<u64>, magic: &[u8]| {
        let at = at.filter(|at| at.saturating_add(magic.len() as u64) <= part.end - part.start);
        holds(file, at.map(|at| part.start + at), magic)
    };
    let mut found: Vec<&'static str> = Vec::new();
    for (name, at, magic) in MAGICS {
        let from_end = (part.end - part.start).checked_sub(at.unsigned_abs());
        let offset = if at < 0 { from_end } else { Some(at.unsigned_abs()) };
        if holds(offset, magic)? && !found.contains(&name) {
            found.push(name);
        }
    }
    // The boot sector's mark alone may be a filesystem's: a partition table has an entry that is not empty.
    if !found.iter().any(|name| matches!(*name, "gpt" | "ntfs" | "exfat" | "fat"))
        && holds(Some(510), b"\x55\xaa")?
        && (0..4).any(|entry| matches!(holds(Some(446 + 16 * entry + 4), b"\0"), Ok(false)))
    {
        found.push("dos");
    }
    Ok(found)
}

/// The partitions of the table on a device, for kernels that read none: numbers from 1 with their bytes.
pub(super) fn partitions(file: &File, size_bytes: u64) -> io::Result<Vec<(usize, Range<u64>)>> {
    let mut parts = Vec::new();
    let mut add = |number: usize, start: u64, end: u64| {
        let part = start.saturating_mul(512)..end.saturating_mul(512).min(size_bytes);
        if part.start > 0 && part.start < part.end {
            parts.push((number, part));
        }
    };
    if holds(file, Some(512), b"EFI PART")? {
        // UEFI 2.10, 5.3.2: where the entries stand, and how large they are.
        let (at, entry_bytes) = (word(file, 512 + 72, 8)?, word(file, 512 + 84, 4)?.clamp(128, 4096));
        for index in 0..word(file, 512 + 80, 4)?.min(128) {
            let entry = at.saturating_mul(512).saturating_add(index * entry_bytes);
            add(index as usize + 1, word(file, entry + 32, 8)?, word(file, entry + 40, 8)?.saturating_add(1));
        }
    } else if holds(file, Some(510), b"\x55\xaa")? {
        for index in 0..4 {
            let entry = 446 + 16 * index;
            let (start, count) = (word(file, entry + 8, 4)?, word(file, entry + 12, 4)?);
            add(index as usize + 1, start, start + count);
        }
    }
    Ok(parts)
}

/// A little-endian number; 0 beyond the end.
fn word(file: &File, offset: u64, length: usize) -> io::Result<u64> {
    let mut bytes = [0; 8];
    match file.read_exact_at(&mut bytes[..length], offset) {
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error),
        _ => Ok(u64::from_le_bytes(bytes)),
    }
}

fn holds(file: &File, offset: Option<u64>, magic: &[u8]) -> io::Result<bool> {
    let Some(offset) = offset else { return Ok(false) };
    let mut bytes = [0; 32];
    let bytes = &mut bytes[..magic.len()];
    match file.read_exact_at(bytes, offset) {
        Ok(()) => Ok(bytes == magic),
        // A device that ends before has no such signature.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &tempfile::NamedTempFile) -> Vec<&'static str> {
        let size_bytes = file.as_file().metadata().unwrap().len();
        of(file.as_file(), &(0..size_bytes)).unwrap()
    }

    #[test]
    fn every_magic_is_found_where_it_stands_and_nothing_in_noise() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for (name, at, magic) in MAGICS {
            file.as_file().set_len(0).unwrap();
            file.as_file().set_len(4 << 20).unwrap();
            let offset = if at < 0 { (4 << 20) - at.unsigned_abs() } else { at.unsigned_abs() };
            assert_eq!(found(&file), Vec::<&str>::new());
            file.as_file().write_all_at(magic, offset).unwrap();
            assert_eq!(found(&file), [name]);
        }
    }

    #[test]
    fn a_boot_sector_is_a_table_only_with_a_partition() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 20).unwrap();
        file.as_file().write_all_at(b"\x55\xaa", 510).unwrap();
        assert_eq!(found(&file), Vec::<&str>::new());
        file.as_file().write_all_at(b"\x83", 446 + 4).unwrap();
        assert_eq!(found(&file), ["dos"]);
        file.as_file().set_len(100).unwrap();
        assert_eq!(found(&file), Vec::<&str>::new());
    }
}

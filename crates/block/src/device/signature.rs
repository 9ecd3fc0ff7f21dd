//! The signatures on a device: partition tables, file systems, swap, members of volumes and arrays, and
//! unknown bytes.
//!
//! Two lists answer: the one of this tool ([`table`]), which is always there, and libblkid's through its
//! programs ([`programs`]) where they are installed. Where neither finds anything, but bytes that are not
//! zero and not of an earlier load of this tool, the answer is "unknown" ([`unknown`]): a format that nobody
//! here has heard of is data, too.

mod partitions;
mod programs;
mod table;
mod unknown;

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

pub(super) use partitions::partitions;

/// The name of data that bears no signature.
pub(super) const UNKNOWN: &str = "unknown";

/// A part of a device, or all of it.
pub(super) struct Part<'a> {
    pub(super) file: &'a File,
    /// The device's name for the programs of libblkid; `None` leaves them out.
    pub(super) path: Option<&'a Path>,
    /// Its bytes of the device.
    pub(super) range: Range<u64>,
    /// True if it is all of the device.
    pub(super) is_whole: bool,
}

impl Part<'_> {
    fn size_bytes(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// True if these bytes are at that place. A part that ends before has no such bytes.
    fn holds(&self, at: u64, magic: &[u8]) -> io::Result<bool> {
        let mut bytes = [0; 32];
        let bytes = &mut bytes[..magic.len()];
        Ok(self.read(at, bytes)? && bytes == magic)
    }

    /// Reads bytes of the part; `false` when it ends before.
    fn read(&self, at: u64, bytes: &mut [u8]) -> io::Result<bool> {
        if at.checked_add(bytes.len() as u64).is_none_or(|end| end > self.size_bytes()) {
            return Ok(false);
        }
        match self.file.read_exact_at(bytes, self.range.start + at) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// A little-endian number; 0 beyond the end.
    fn number(&self, at: u64, length: usize) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.read(at, &mut bytes[..length])?;
        Ok(u64::from_le_bytes(bytes))
    }
}

/// The signatures of a part of a device, each once; [`UNKNOWN`] alone for data that bears none.
pub(super) fn of(part: &Part<'_>) -> io::Result<Vec<String>> {
    let mut found: Vec<String> = table::found(part)?.into_iter().map(str::to_owned).collect();
    for other in programs::found(part) {
        if !found.contains(&other) {
            found.push(other);
        }
    }
    if found.is_empty() && unknown::holds_any(part)? {
        found.push(UNKNOWN.to_owned());
    }
    Ok(found)
}

/// The one name of a signature, whether the user, libblkid or this tool writes it: "LVM2_member" is "lvm",
/// "ext3" is "ext4".
pub(super) fn plain(name: &str) -> String {
    let lower = name.trim().to_lowercase();
    let stem = ["_raid_member", "_volume_member", "_member"].iter().find_map(|end| lower.strip_suffix(end));
    let stem = stem.unwrap_or(&lower);
    let same = [
        ("md", &["linux"][..]),
        ("lvm", &["lvm1", "lvm2"]),
        ("luks", &["crypto_luks"]),
        ("fat", &["vfat", "fat12", "fat16", "fat32", "msdos"]),
        ("ext4", &["ext2", "ext3", "ext4dev", "jbd"]),
        ("hfs", &["hfsplus"]),
        ("gpt", &["pmbr"]),
        ("bluestore", &["ceph_bluestore"]),
        ("swap", &["swapspace2"]),
        ("hpt", &["hpt37x", "hpt45x"]),
        ("gfs2", &["gfs"]),
        ("mac", &["apm"]),
        ("stratis", &["stratis_pool"]),
        ("sysv", &["xenix"]),
        ("ubi", &["ubifs"]),
        ("squashfs", &["squashfs3"]),
        ("netware", &["nss"]),
    ];
    same.iter().find(|(_, others)| others.contains(&stem)).map_or(stem, |(name, _)| name).to_owned()
}

#[cfg(test)]
mod tests;

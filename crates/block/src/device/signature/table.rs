//! Magic numbers and the places that their formats have for them, as libblkid lists them.

use std::io;

use super::Part;

/// The place of a magic number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MagicPlace {
    /// So many bytes from the start.
    Start(u64),
    /// So many bytes before the end.
    End(u64),
    /// In the block at this distance from the end, where the end is rounded down to a multiple: multiple,
    /// bytes before, bytes within.
    EndOf(u64, u64, u64),
}

use MagicPlace::{End, EndOf, Start};

impl MagicPlace {
    /// The place in a part of this size; `None` when the part is smaller.
    pub(super) fn offset(self, size_bytes: u64) -> Option<u64> {
        match self {
            Start(at) => Some(at),
            End(back) => size_bytes.checked_sub(back),
            EndOf(multiple, back, within) => {
                (size_bytes - size_bytes % multiple).checked_sub(back).map(|at| at + within)
            }
        }
    }
}

/// A format's name, the place of its magic number, and the number.
pub(super) type Magic = (&'static str, MagicPlace, &'static [u8]);

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Numbers that are long enough to be no accident.
pub(super) const MAGICS: &[Magic] = &[
    // Partition tables.
    ("gpt", Start(512), b"EFI PART"),
    ("gpt", Start(4096), b"EFI PART"),
    ("gpt", End(512), b"EFI PART"),
    ("gpt", End(4096), b"EFI PART"),
    ("mac", Start(512), b"PM\0\0"),
    ("sgi", Start(0), b"\x0b\xe5\xa9\x41"),
    ("bsd", Start(512), b"\x57\x45\x56\x82"),
    ("bsd", Start(512), b"\x82\x56\x45\x57"),
    ("bsd", Start(0x40), b"\x57\x45\x56\x82"),
    ("solaris", Start(512 + 12), b"\xee\xde\x0d\x60"),
    ("unixware", Start(29 * 512 + 4), b"\x0d\x60\x5e\xca"),
    ("ultrix", Start(16384 - 72), b"\x57\x29\x03\x00"),
    ("aix", Start(0), b"\xc9\xc2\xd4\xc1"),
    // Linux file systems.
    ("ext4", Start(0x438), b"\x53\xef"),
    ("xfs", Start(0), b"XFSB"),
    ("xfs", Start(0), b"EXFS"),
    ("btrfs", Start(0x1_0040), b"_BHRfS_M"),
    ("btrfs", Start(64 * MIB + 0x40), b"_BHRfS_M"),
    ("btrfs", Start(256 * KIB * MIB + 0x40), b"_BHRfS_M"),
    ("f2fs", Start(0x400), b"\x10\x20\xf5\xf2"),
    ("f2fs", Start(0x1400), b"\x10\x20\xf5\xf2"),
    ("jfs", Start(0x8000), b"JFS1"),
    ("reiserfs", Start(0x2034), b"ReIsEr"),
    ("reiserfs", Start(0x2014), b"ReIsEr"),
    ("reiserfs", Start(0x1_0034), b"ReIsEr"),
    ("reiser4", Start(0x1_0000), b"ReIsEr4"),
    ("gfs2", Start(0x1_0000), b"\x01\x16\x19\x70"),
    ("ocfs2", Start(0x400), b"OCFSV2"),
    ("ocfs2", Start(0x800), b"OCFSV2"),
    ("ocfs2", Start(0x1000), b"OCFSV2"),
    ("ocfs2", Start(0x2000), b"OCFSV2"),
    ("ocfs", Start(8), b"OracleCFS"),
    ("squashfs", Start(0), b"hsqs"),
    ("squashfs", Start(0), b"sqsh"),
    ("erofs", Start(0x400), b"\xe2\xe1\xf5\xe0"),
    ("cramfs", Start(0), b"\x45\x3d\xcd\x28"),
    ("cramfs", Start(0), b"\x28\xcd\x3d\x45"),
    ("cramfs", Start(512), b"\x45\x3d\xcd\x28"),
    ("cramfs", Start(512), b"\x28\xcd\x3d\x45"),
    ("romfs", Start(0), b"-rom1fs-"),
    ("zonefs", Start(0), b"SFOZ"),
    ("bcachefs", Start(0x1018), b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"),
    ("nilfs2", Start(0x400), b"\x02\0\0\0\0\0\x34\x34"),
    ("nilfs2", EndOf(4096, 4096, 0), b"\x02\0\0\0\0\0\x34\x34"),
    ("ubi", Start(0), b"UBI#"),
    ("ubi", Start(0), b"\x31\x18\x10\x06"),
    // Other systems' file systems.
    ("ntfs", Start(3), b"NTFS    "),
    ("refs", Start(0), b"\0\0\0ReFS\0"),
    ("bitlocker", Start(3), b"-FVE-FS-"),
    ("exfat", Start(3), b"EXFAT   "),
    ("fat", Start(0x36), b"FAT1"),
    ("fat", Start(0x36), b"FAT     "),
    ("fat", Start(0x36), b"MSDOS"),
    ("fat", Start(0x52), b"FAT32"),
    ("fat", Start(0x52), b"MSWIN"),
    ("hpfs", Start(0x2000), b"\x49\xe8\x95\xf9"),
    ("apfs", Start(32), b"NXSB"),
    ("befs", Start(32), b"1SFB"),
    ("befs", Start(32), b"BFS1"),
    ("befs", Start(512 + 32), b"1SFB"),
    ("befs", Start(512 + 32), b"BFS1"),
    ("bfs", Start(0), b"\xce\xfa\xad\x1b"),
    ("vxfs", Start(0x400), b"\xf5\xfc\x01\xa5"),
    ("vxfs", Start(0x2000), b"\xa5\x01\xfc\xf5"),
    ("vxfs", Start(0x400), b"\xa5\x01\xfc\xf5"),
    ("sysv", Start(0x3f8), b"\x20\x7e\x18\xfd"),
    ("sysv", Start(0x3f8), b"\xfd\x18\x7e\x20"),
    ("sysv", Start(9 * KIB + 0x3f8), b"\x20\x7e\x18\xfd"),
    ("sysv", Start(9 * KIB + 0x3f8), b"\xfd\x18\x7e\x20"),
    ("sysv", Start(15 * KIB + 0x3f8), b"\x20\x7e\x18\xfd"),
    ("sysv", Start(18 * KIB + 0x3f8), b"\x20\x7e\x18\xfd"),
    ("sysv", Start(0x7f8), b"\x44\x55\x2b\x00"),
    ("sysv", Start(0x7f8), b"\x00\x2b\x55\x44"),
    ("netware", Start(0x1000), b"SPB5"),
    ("vmfs", Start(MIB), b"\x0d\xd0\x01\xc0"),
    ("vmfs", Start(2 * MIB), b"\x5e\xf1\xab\x2f"),
    ("vmfs", Start(2 * MIB), b"\x0d\xd0\x01\xc0"),
    ("iso9660", Start(0x8001), b"CD001"),
    ("iso9660", Start(0x8009), b"CDROM"),
    ("udf", Start(0x8001), b"BEA01"),
    ("udf", Start(0x8001), b"NSR02"),
    ("udf", Start(0x8001), b"NSR03"),
    ("udf", Start(0x8801), b"NSR02"),
    ("udf", Start(0x8801), b"NSR03"),
    // Swap space, and the image of a hibernating machine in it.
    ("swap", Start(0xff6), b"SWAPSPACE2"),
    ("swap", Start(0xff6), b"SWAP-SPACE"),
    ("swap", Start(0x1ff6), b"SWAPSPACE2"),
    ("swap", Start(0x1ff6), b"SWAP-SPACE"),
    ("swap", Start(0x3ff6), b"SWAPSPACE2"),
    ("swap", Start(0x3ff6), b"SWAP-SPACE"),
    ("swap", Start(0x7ff6), b"SWAPSPACE2"),
    ("swap", Start(0x7ff6), b"SWAP-SPACE"),
    ("swap", Start(0xfff6), b"SWAPSPACE2"),
    ("swap", Start(0xfff6), b"SWAP-SPACE"),
    ("swsuspend", Start(0xff6), b"S1SUSPEND"),
    ("swsuspend", Start(0xff6), b"S2SUSPEND"),
    ("swsuspend", Start(0xff6), b"ULSUSPEND"),
    ("swsuspend", Start(0xff6), b"LINHIB0001"),
    ("swsuspend", Start(0xff6), b"\xed\xc3\x02\xe9\x98\x56\xe5\x0c"),
    ("swsuspend", Start(0), b"\xed\xc3\x02\xe9\x98\x56\xe5\x0c"),
    ("swsuspend", Start(0x1ff6), b"S1SUSPEND"),
    ("swsuspend", Start(0x1ff6), b"S2SUSPEND"),
    ("swsuspend", Start(0x1ff6), b"ULSUSPEND"),
    ("swsuspend", Start(0x3ff6), b"S1SUSPEND"),
    ("swsuspend", Start(0x3ff6), b"S2SUSPEND"),
    ("swsuspend", Start(0x3ff6), b"ULSUSPEND"),
    ("swsuspend", Start(0x7ff6), b"S1SUSPEND"),
    ("swsuspend", Start(0x7ff6), b"S2SUSPEND"),
    ("swsuspend", Start(0x7ff6), b"ULSUSPEND"),
    ("swsuspend", Start(0xfff6), b"S1SUSPEND"),
    ("swsuspend", Start(0xfff6), b"S2SUSPEND"),
    ("swsuspend", Start(0xfff6), b"ULSUSPEND"),
    // Volumes, mappings and the contents of other storage layers.
    ("lvm", Start(0x218), b"LVM2 001"),
    ("lvm", Start(0x18), b"LVM2 001"),
    ("lvm", Start(0), b"LABELONE"),
    ("lvm", Start(0x200), b"LABELONE"),
    ("lvm", Start(0x400), b"LABELONE"),
    ("lvm", Start(0x600), b"LABELONE"),
    ("luks", Start(0), b"LUKS\xba\xbe"),
    ("luks", Start(16 * KIB), b"SKUL\xba\xbe"),
    ("luks", Start(32 * KIB), b"SKUL\xba\xbe"),
    ("luks", Start(64 * KIB), b"SKUL\xba\xbe"),
    ("luks", Start(128 * KIB), b"SKUL\xba\xbe"),
    ("luks", Start(256 * KIB), b"SKUL\xba\xbe"),
    ("luks", Start(512 * KIB), b"SKUL\xba\xbe"),
    ("luks", Start(MIB), b"SKUL\xba\xbe"),
    ("luks", Start(2 * MIB), b"SKUL\xba\xbe"),
    ("luks", Start(4 * MIB), b"SKUL\xba\xbe"),
    ("dm_integrity", Start(0), b"integrt\0"),
    ("dm_verity_hash", Start(0), b"verity\0\0"),
    ("dm_snapshot_cow", Start(0), b"SnAp"),
    ("bcache", Start(0x1018), b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"),
    ("bluestore", Start(0), b"bluestore block device"),
    ("oracleasm", Start(32), b"ORCLDISK"),
    ("vdo", Start(0), b"dmvdo001"),
    ("stratis", Start(0x204), b"!Stra0tis\x86\xff\x02^\x41rh"),
    ("stratis", Start(0x1204), b"!Stra0tis\x86\xff\x02^\x41rh"),
    ("mpool", Start(0), b"mpoolDev"),
    ("drbd", EndOf(4096, 4096, 60), b"\x83\x74\x02\x6b"),
    ("drbd", EndOf(4096, 4096, 60), b"\x83\x74\x02\x6c"),
    ("drbd", EndOf(4096, 4096, 60), b"\x83\x74\x02\x6d"),
    ("drbdmanage_control_volume", Start(0x1000), b"$DRBDMGR=q"),
    ("drbdproxy_datalog", Start(16), b"DRBDdlh*"),
    // Members of arrays.
    ("md", Start(4096), b"\xfc\x4e\x2b\xa9"),
    ("md", Start(0), b"\xfc\x4e\x2b\xa9"),
    ("md", EndOf(65536, 65536, 0), b"\xfc\x4e\x2b\xa9"),
    ("md", EndOf(65536, 65536, 0), b"\xa9\x2b\x4e\xfc"),
    ("md", EndOf(4096, 8192, 0), b"\xfc\x4e\x2b\xa9"),
    ("isw", End(1024), b"Intel Raid ISM Cfg Sig. "),
    ("ddf", End(512), b"\xde\x11\xde\x11"),
    ("ddf", End(257 * 512), b"\xde\x11\xde\x11"),
    ("ddf", End(512), b"\x11\xde\x11\xde"),
    ("lsi_mega", End(512), b"$XIDE$"),
    ("nvidia", End(1024), b"NVIDIA"),
    ("adaptec", End(512), b"\x37\xfc\x4d\x1e"),
    ("silicon_medley", End(512 - 0x60), b"\x00\x00\x00\x2f"),
    ("hpt", Start(0x1220), b"\xf0\x16\x78\x5a"),
    ("hpt", Start(0x1220), b"\xfd\x16\x78\x5a"),
    ("hpt", End(11 * 512), b"\xf3\x16\x78\x5a"),
    ("hpt", End(11 * 512), b"\xfd\x16\x78\x5a"),
];

/// Numbers of two bytes: they count where nothing else is found, for among other formats' bytes they come by
/// chance.
pub(super) const SHORT: &[Magic] = &[
    ("minix", Start(0x410), b"\x7f\x13"),
    ("minix", Start(0x410), b"\x8f\x13"),
    ("minix", Start(0x410), b"\x68\x24"),
    ("minix", Start(0x410), b"\x78\x24"),
    ("minix", Start(0x410), b"\x13\x7f"),
    ("minix", Start(0x410), b"\x13\x8f"),
    ("minix", Start(0x410), b"\x24\x68"),
    ("minix", Start(0x410), b"\x24\x78"),
    ("minix", Start(0x418), b"\x5a\x4d"),
    ("minix", Start(0x418), b"\x4d\x5a"),
    ("hfs", Start(0x400), b"BD"),
    ("hfs", Start(0x400), b"H+"),
    ("hfs", Start(0x400), b"HX"),
    ("nilfs2", Start(0x406), b"\x34\x34"),
    ("nilfs2", EndOf(4096, 4096, 6), b"\x34\x34"),
    ("lvm", Start(0), b"HM\x01\0"),
    ("lvm", Start(0), b"HM\x02\0"),
    ("cs_fvault2", Start(88), b"CS"),
    ("jmicron", End(512), b"JM"),
    ("via", End(512), b"\x55\xaa"),
    ("sun", Start(508), b"\xda\xbe"),
    ("mac", Start(0), b"ER"),
];

/// Sectors before the end in which Promise's controllers leave their mark.
const PROMISE_SECTORS: [u64; 13] = [63, 255, 256, 16, 399, 591, 675, 735, 911, 974, 991, 951, 3087];
pub(super) const PROMISE: &[u8] = b"Promise Technology, Inc.";

/// Numbers of UFS and its relatives, in both orders of bytes.
pub(super) const UFS: [u32; 6] =
    [0x0001_1954, 0x1954_0119, 0x0009_5014, 0x0019_5612, 0x0061_2195, 0x0523_1994];
/// The starts of UFS's superblocks, and the place of the number in one.
pub(super) const UFS_AT: [u64; 4] = [0, 8 * KIB, 64 * KIB, 256 * KIB];
pub(super) const UFS_MAGIC_AT: u64 = 0x55c;

const ZFS: u64 = 0x00ba_b10c;
/// A label of ZFS ends in a ring of uberblocks; there are two labels at either end.
const ZFS_LABEL_BYTES: u64 = 256 * KIB;
const ZFS_RING_BYTES: usize = 128 << 10;
const ZFS_SLOT_BYTES: usize = 1 << 10;

const XFS_LOG: &[u8] = b"\xfe\xed\xba\xbe";
const XFS_LOG_SEARCHED_BYTES: usize = 256 << 10;

/// The signatures of a part, each once.
pub(super) fn found(part: &Part<'_>) -> io::Result<Vec<&'static str>> {
    let mut found = Vec::new();
    add(part, MAGICS, &mut found)?;
    for (name, is_there) in [
        ("zfs", zfs(part)?),
        ("ufs", ufs(part)?),
        ("xfs_external_log", sectors(part, XFS_LOG_SEARCHED_BYTES, XFS_LOG)?),
        ("promise_fasttrack", promise(part)?),
    ] {
        if is_there {
            found.push(name);
        }
    }
    // The boot sector's mark alone may be a file system's: a partition table has an entry that is not empty.
    let has_other =
        found.iter().any(|name| matches!(*name, "gpt" | "ntfs" | "exfat" | "fat" | "bitlocker" | "refs"));
    if !has_other && part.holds(510, b"\x55\xaa")? && super::partitions::has_entry(part)? {
        found.push("dos");
    }
    if found.is_empty() {
        add(part, SHORT, &mut found)?;
    }
    Ok(found)
}

fn add(part: &Part<'_>, magics: &[Magic], found: &mut Vec<&'static str>) -> io::Result<()> {
    for (name, place, magic) in magics {
        let Some(offset) = place.offset(part.size_bytes()) else { continue };
        if !found.contains(name) && part.holds(offset, magic)? {
            found.push(name);
        }
    }
    Ok(())
}

/// An uberblock in any slot of any label.
fn zfs(part: &Part<'_>) -> io::Result<bool> {
    let end = part.size_bytes() - part.size_bytes() % ZFS_LABEL_BYTES;
    let at_end = [2, 1].map(|labels| end.checked_sub(labels * ZFS_LABEL_BYTES));
    let mut ring = vec![0; ZFS_RING_BYTES];
    for label in [Some(0), Some(ZFS_LABEL_BYTES)].into_iter().chain(at_end).flatten() {
        if !part.read(label + ZFS_LABEL_BYTES - ZFS_RING_BYTES as u64, &mut ring)? {
            continue;
        }
        let is_uberblock = |slot: &[u8]| slot[..8] == ZFS.to_le_bytes() || slot[..8] == ZFS.to_be_bytes();
        if ring.chunks(ZFS_SLOT_BYTES).any(is_uberblock) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn ufs(part: &Part<'_>) -> io::Result<bool> {
    for at in UFS_AT {
        for number in UFS {
            let at = at + UFS_MAGIC_AT;
            if part.holds(at, &number.to_le_bytes())? || part.holds(at, &number.to_be_bytes())? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn promise(part: &Part<'_>) -> io::Result<bool> {
    for sectors in PROMISE_SECTORS {
        if let Some(at) = part.size_bytes().checked_sub(sectors * 512)
            && part.holds(at, PROMISE)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True if any of the first sectors begins with the number.
fn sectors(part: &Part<'_>, searched_bytes: usize, magic: &[u8]) -> io::Result<bool> {
    let mut bytes = vec![0; searched_bytes.min(usize::try_from(part.size_bytes()).unwrap_or(usize::MAX))];
    Ok(part.read(0, &mut bytes)? && bytes.chunks(512).any(|sector| sector.starts_with(magic)))
}

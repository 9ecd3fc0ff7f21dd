use super::*;
use table::{MAGICS, MagicPlace, PROMISE, SHORT, UFS, UFS_AT, UFS_MAGIC_AT};

const SIZE_BYTES: u64 = 80 << 20;

/// A device of zeros, sparse.
struct Disk(tempfile::NamedTempFile);

impl Disk {
    fn new() -> Disk {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(SIZE_BYTES).unwrap();
        Disk(file)
    }

    fn with(at: u64, bytes: &[u8]) -> Disk {
        let disk = Disk::new();
        disk.put(at, bytes);
        disk
    }

    fn put(&self, at: u64, bytes: &[u8]) {
        self.0.as_file().write_all_at(bytes, at).unwrap();
    }

    fn part(&self, range: Range<u64>) -> Part<'_> {
        Part { file: self.0.as_file(), path: None, is_whole: false, range }
    }

    /// The findings of the table, and those on the whole.
    fn found(&self) -> (Vec<&'static str>, Vec<String>) {
        let part = self.part(0..SIZE_BYTES);
        (table::found(&part).unwrap(), of(&part).unwrap())
    }

    /// The findings of libblkid's programs.
    fn by_programs(&self) -> Vec<String> {
        programs::found(&Part { path: Some(self.0.path()), is_whole: true, ..self.part(0..SIZE_BYTES) })
    }
}

#[test]
fn every_magic_is_found_where_it_stands_and_nothing_on_a_blank_device() {
    assert_eq!(Disk::new().found(), (Vec::new(), Vec::new()));
    for (name, place, magic) in MAGICS.iter().chain(SHORT) {
        // Places beyond this device are those of the same format further on.
        let Some(at) = place
            .offset(SIZE_BYTES)
            .filter(|at| at + 64 < SIZE_BYTES || !matches!(place, MagicPlace::Start(_)))
        else {
            continue;
        };
        let disk = Disk::with(at, magic);
        assert_eq!(disk.found(), (vec![*name], vec![(*name).to_owned()]), "{name} at {at}");
        assert_eq!(plain(name), *name, "names of the table are plain");
    }
}

#[test]
fn formats_with_many_places_are_found_in_each() {
    for label in [0, 256 << 10, SIZE_BYTES - (512 << 10), SIZE_BYTES - (256 << 10)] {
        for slot in [0, 1, 4, 127] {
            for magic in [0x00ba_b10c_u64.to_le_bytes(), 0x00ba_b10c_u64.to_be_bytes()] {
                let disk = Disk::with(label + (128 << 10) + slot * 1024, &magic);
                assert_eq!(disk.found().0, ["zfs"], "label {label}, slot {slot}");
            }
        }
    }
    for at in UFS_AT {
        for number in UFS {
            for magic in [number.to_le_bytes(), number.to_be_bytes()] {
                assert_eq!(Disk::with(at + UFS_MAGIC_AT, &magic).found().0, ["ufs"], "{number:x} at {at}");
            }
        }
    }
    for sectors in [16, 63, 255, 3087] {
        assert_eq!(Disk::with(SIZE_BYTES - sectors * 512, PROMISE).found().0, ["promise_fasttrack"]);
    }
    assert_eq!(Disk::with(7 * 512, b"\xfe\xed\xba\xbe").found().0, ["xfs_external_log"]);
}

#[test]
fn a_boot_sector_is_a_table_only_with_a_partition() {
    let disk = Disk::with(510, b"\x55\xaa");
    assert_eq!(disk.found(), (Vec::new(), vec![UNKNOWN.to_owned()]));
    disk.put(446 + 4, b"\x83");
    assert_eq!(disk.found().0, ["dos"]);
    assert_eq!(table::found(&disk.part(0..100)).unwrap(), Vec::<&str>::new());
}

#[test]
fn data_without_a_signature_is_unknown_wherever_the_rule_reads() {
    for at in [0, 4096, 5 << 20, (16 << 20) - 1, SIZE_BYTES - 1, SIZE_BYTES - (16 << 20), 40 << 20] {
        // Between the ends a device of this size is read whole.
        assert_eq!(Disk::with(at, b"x").found(), (Vec::new(), vec![UNKNOWN.to_owned()]), "at {at}");
    }
}

#[test]
fn what_a_load_of_this_tool_left_is_not_unknown() {
    let disk = Disk::new();
    let mut bytes = vec![0; 1 << 20];
    ground::Random::stream(1, 0).fill(&mut bytes);
    crate::mark::lay(0, &mut bytes);
    disk.put(0, &bytes);
    disk.put(30 << 20, &bytes);
    let mut sector = [0; 512];
    crate::stamp::Stamper::new(77).write(&mut sector, 20 << 20, 1);
    disk.put(20 << 20, &sector);
    assert_eq!(disk.found(), (Vec::new(), Vec::new()));
    // A file of ours that was copied here has another key.
    crate::mark::lay(78, &mut bytes);
    disk.put(0, &bytes);
    assert_eq!(disk.found().1, [UNKNOWN]);
}

#[test]
fn a_part_is_looked_at_for_itself() {
    let disk = Disk::with((8 << 20) + 0x438, b"\x53\xef");
    assert_eq!(of(&disk.part(8 << 20..16 << 20)).unwrap(), ["ext4"]);
    assert_eq!(of(&disk.part(16 << 20..32 << 20)).unwrap(), Vec::<String>::new());
    assert_eq!(of(&disk.part(0..8 << 20)).unwrap(), Vec::<String>::new());
}

#[test]
fn partitions_are_told_from_each_kind_of_table() {
    let told = |disk: &Disk| partitions(&disk.part(0..SIZE_BYTES)).unwrap();
    let entry = |kind: u8, start: u32, count: u32| {
        let mut entry = [0; 16];
        entry[4] = kind;
        entry[8..12].copy_from_slice(&start.to_le_bytes());
        entry[12..].copy_from_slice(&count.to_le_bytes());
        entry
    };
    let disk = Disk::with(510, b"\x55\xaa");
    disk.put(446, &entry(0x83, 2048, 2048));
    disk.put(462, &entry(0x05, 8192, 16384));
    for (at, next) in [(8192, 4096), (8192 + 4096, 0)] {
        disk.put(at * 512 + 510, b"\x55\xaa");
        disk.put(at * 512 + 446, &entry(0x83, 64, 1024));
        disk.put(at * 512 + 462, &entry(if next > 0 { 0x05 } else { 0 }, next, 4096));
    }
    let logical = |at: u64| (at + 64) * 512..(at + 64 + 1024) * 512;
    assert_eq!(told(&disk), [(1, 1 << 20..2 << 20), (5, logical(8192)), (6, logical(12288))]);
    for (header, sector) in [(512, 512_u64), (4096, 4096), (SIZE_BYTES - 512, 512)] {
        let disk = Disk::with(header, b"EFI PART");
        disk.put(header + 72, &16_u64.to_le_bytes());
        disk.put(header + 80, &[4, 0, 0, 0, 128, 0, 0, 0]);
        disk.put(16 * sector + 128 + 32, &100_u64.to_le_bytes());
        disk.put(16 * sector + 128 + 40, &199_u64.to_le_bytes());
        assert_eq!(told(&disk), [(2, 100 * sector..200 * sector)], "header at {header}");
    }
    assert_eq!(told(&Disk::new()), []);
}

#[test]
fn names_of_libblkid_and_of_users_come_to_one() {
    for (written, name) in [
        ("LVM2_member", "lvm"),
        ("linux_raid_member", "md"),
        ("crypto_LUKS", "luks"),
        ("vfat", "fat"),
        ("ext3", "ext4"),
        ("isw_raid_member", "isw"),
        ("VMFS_volume_member", "vmfs"),
        ("zfs_member", "zfs"),
        ("BitLocker", "bitlocker"),
        ("PMBR", "gpt"),
        (" Unknown ", "unknown"),
        ("something-new", "something-new"),
    ] {
        assert_eq!(plain(written), name);
    }
}

/// libblkid's names for formats that the magic number alone identifies, compared with our own list where its
/// programs are installed. Other formats need more than a number.
#[test]
fn the_programs_agree_where_they_go_by_the_number_alone() {
    let alone = [
        "btrfs",
        "luks",
        "squashfs",
        "romfs",
        "refs",
        "bitlocker",
        "apfs",
        "oracleasm",
        "vdo",
        "jfs",
        "f2fs",
        "swsuspend",
        "sgi",
    ];
    let mut agreed = 0;
    for (name, place, magic) in MAGICS.iter().filter(|(name, ..)| alone.contains(name)) {
        let Some(at) = place.offset(SIZE_BYTES).filter(|at| at + 64 < SIZE_BYTES) else { continue };
        let by_programs = Disk::with(at, magic).by_programs();
        assert!(by_programs.iter().all(|found| found == name), "{name} at {at}: {by_programs:?}");
        agreed += by_programs.len();
    }
    let installed = ["/usr/sbin/wipefs", "/sbin/wipefs"].iter().any(|path| Path::new(path).is_file());
    assert!(!installed || agreed >= 8, "only {agreed} were found by wipefs");
}

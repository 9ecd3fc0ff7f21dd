//! The guard of raw devices as one table: every refusal with its reason, and the cases that are allowed.
//! Needs root and loop devices.

#![allow(clippy::print_stdout)] // The table is there to be read: `-- --nocapture`.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use block::{
    BlockError, Control, DestroyOrder, EngineKind, Job, Pattern, Shape, SizeMix, Stream, Target, Verify,
    WritePermit,
};
use testkit::need;

const SIZE_BYTES: u64 = 128 << 20;

/// A loop device over a file, with a name below /dev/disk/by-id; both go away with it.
struct Loop {
    device: PathBuf,
    by_id: PathBuf,
    file: PathBuf,
    _directory: tempfile::TempDir,
}

impl Loop {
    fn new(name: &str) -> Loop {
        Loop::prepared(name, &[], |_| {})
    }

    /// A loop device over a file that `prepare` has seen.
    fn prepared(name: &str, flags: &[&str], prepare: impl FnOnce(&Path)) -> Loop {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("disk");
        File::create(&file).unwrap().set_len(SIZE_BYTES).unwrap();
        prepare(&file);
        let device = run("losetup", &[&["-f", "--show"], flags, &[file.to_str().unwrap()]].concat()).unwrap();
        fs::create_dir_all("/dev/disk/by-id").unwrap();
        let by_id = PathBuf::from(format!("/dev/disk/by-id/drivetrain-test-{}-{name}", std::process::id()));
        let _ = fs::remove_file(&by_id);
        std::os::unix::fs::symlink(device.trim(), &by_id).unwrap();
        Loop { device: device.trim().into(), by_id, file, _directory: directory }
    }

    fn order(&self, signatures: &[&str]) -> DestroyOrder {
        let serial = self.file.to_str().unwrap().to_owned();
        DestroyOrder {
            path: self.by_id.clone(),
            serial,
            signatures: signatures.iter().map(|s| (*s).to_owned()).collect(),
        }
    }

    fn path(&self) -> &str {
        self.device.to_str().unwrap()
    }

    /// The file of the first partition, made where no service of the system does; `None` when the kernel
    /// reads no partitions.
    fn partition(&self) -> Option<Undo<String>> {
        let node = format!("{}p1", self.path());
        let number = fs::read_to_string(format!("/sys/class/block/{}/dev", node.rsplit('/').next()?)).ok()?;
        let (major, minor) = number.trim().split_once(':')?;
        let _ = run("mknod", &[&node, "b", major, minor]);
        Some(Undo(node, |node| drop(fs::remove_file(node))))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.by_id);
        let _ = run("losetup", &["-d", self.device.to_str().unwrap_or_default()]);
    }
}

fn run(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// An MBR with one partition from 1 MiB to the end.
fn partition_table(file: &Path) {
    use std::os::unix::fs::FileExt;
    let sectors = (SIZE_BYTES / 512 - 2048) as u32;
    let mut entry = [0_u8; 16];
    entry[4] = 0x83;
    entry[8..12].copy_from_slice(&2048_u32.to_le_bytes());
    entry[12..].copy_from_slice(&sectors.to_le_bytes());
    let file = OpenOptions::new().write(true).open(file).unwrap();
    file.write_all_at(&entry, 446).unwrap();
    file.write_all_at(b"\x55\xaa", 510).unwrap();
}

/// Something that is undone at the end whatever happens.
struct Undo<T>(T, fn(&T));

impl<T> Drop for Undo<T> {
    fn drop(&mut self) {
        (self.1)(&self.0);
    }
}

/// Root with loop devices: the guard itself needs neither, its tests do.
#[track_caller]
fn devices() -> Option<()> {
    need::root()?;
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(1 << 20).unwrap();
    let device = need::given(run("losetup", &["-f", "--show", file.path().to_str().unwrap()]))?;
    run("losetup", &["-d", device.trim()]).unwrap();
    need::program("mkfs.ext4").and(need::program("mkfs.btrfs")).map(drop)
}

fn why(order: &DestroyOrder) -> String {
    match WritePermit::claim_device(order) {
        Ok(_) => "allowed".to_owned(),
        Err(BlockError::Refused { why, .. }) => why,
        Err(other) => other.to_string(),
    }
}

#[test]
fn the_guard_matrix() {
    let Some(()) = devices() else { return };
    let mut table: Vec<(&str, String, &str)> = Vec::new();
    names_and_serials(&mut table);
    signatures(&mut table);
    uses(&mut table);
    for (case, found, expected) in &table {
        println!("{case:45} {found}");
        assert!(found.contains(expected), "{case}: {found}");
    }
    assert!(table.len() >= 18);
}

fn names_and_serials(table: &mut Vec<(&str, String, &str)>) {
    let disk = Loop::new("names");
    table.push(("a blank device, named and known", why(&disk.order(&[])), "allowed"));
    let by_order = DestroyOrder { path: disk.device.clone(), ..disk.order(&[]) };
    table.push(("named by its order of discovery", why(&by_order), "not named by its identity"));
    let missing = DestroyOrder { path: "/dev/disk/by-id/drivetrain-no-such".into(), ..disk.order(&[]) };
    table.push(("a name that leads nowhere", why(&missing), "no such file"));
    let stranger = DestroyOrder { serial: "S3RIAL".to_owned(), ..disk.order(&[]) };
    table.push(("the serial of another drive", why(&stranger), "its serial is not"));
    let plain = PathBuf::from(format!("/dev/disk/by-id/drivetrain-test-{}-file", std::process::id()));
    fs::write(&plain, "text").unwrap();
    let file = DestroyOrder { path: plain.clone(), ..disk.order(&[]) };
    table.push(("a file of that name", why(&file), "no block device"));
    fs::remove_file(plain).unwrap();
    let node = disk.device.file_name().unwrap().to_str().unwrap();
    for spelled in [format!("/dev/disk/by-id/../../{node}"), format!("/dev/disk/by-id/../by-id/../../{node}")]
    {
        let order = DestroyOrder { path: spelled.into(), ..disk.order(&[]) };
        table.push(("spelled by way of by-id", why(&order), "not named by its identity"));
    }
    let name = disk.by_id.file_name().unwrap().to_str().unwrap();
    for spelled in [format!("/dev/disk/by-id/./{name}"), format!("/dev/disk/../disk/by-id//{name}")] {
        let order = DestroyOrder { path: spelled.into(), ..disk.order(&[]) };
        table.push(("its identity in other words", why(&order), "allowed"));
    }
    let elsewhere = disk.file.with_file_name("link");
    std::os::unix::fs::symlink(&disk.by_id, &elsewhere).unwrap();
    let order = DestroyOrder { path: elsewhere, ..disk.order(&[]) };
    table.push(("a link of one's own to its identity", why(&order), "not named by its identity"));
    let below = PathBuf::from(format!("/dev/disk/by-id/drivetrain-test-{}-below", std::process::id()));
    fs::create_dir(&below).unwrap();
    std::os::unix::fs::symlink(&disk.device, below.join("disk")).unwrap();
    let order = DestroyOrder { path: below.join("disk"), ..disk.order(&[]) };
    table.push(("a link in a directory below", why(&order), "not named by its identity"));
    fs::remove_dir_all(below).unwrap();
    let number = fs::read_to_string(format!("/sys/class/block/{node}/dev")).unwrap();
    let (major, minor) = number.trim().split_once(':').unwrap();
    let made = PathBuf::from(format!("/dev/disk/by-id/drivetrain-test-{}-node", std::process::id()));
    run("mknod", &[made.to_str().unwrap(), "b", major, minor]).unwrap();
    let order = DestroyOrder { path: made.clone(), ..disk.order(&[]) };
    table.push(("a node made in by-id", why(&order), "is no link"));
    fs::remove_file(made).unwrap();
    let read_only = Loop::prepared("read-only", &["-r"], |_| {});
    table.push(("a read-only device", why(&read_only.order(&[])), "read-only"));
}

fn signatures(table: &mut Vec<(&str, String, &str)>) {
    let disk = Loop::new("ext4");
    run("mkfs.ext4", &["-q", disk.path()]).unwrap();
    table.push(("ext4, not named", why(&disk.order(&[])), "a signature of ext4"));
    table.push(("ext4, another one named", why(&disk.order(&["xfs"])), "a signature of ext4"));
    table.push(("ext4, named", why(&disk.order(&["ext4"])), "allowed"));
    let disk = Loop::new("btrfs");
    run("mkfs.btrfs", &["-q", disk.path()]).unwrap();
    table.push(("a btrfs member, not named", why(&disk.order(&[])), "a signature of btrfs"));
    let disk = Loop::new("swap");
    run("mkswap", &[disk.path()]).unwrap();
    table.push(("swap space, not named", why(&disk.order(&[])), "a signature of swap"));
    for (what, at, magic, name) in [
        ("zfs, its first uberblock not used", (128 << 10) + 4 * 1024, &b"\x0c\xb1\xba\0\0\0\0\0"[..], "zfs"),
        ("Intel's array", SIZE_BYTES - 1024, b"Intel Raid ISM Cfg Sig. ", "isw"),
        ("an array of the common format", SIZE_BYTES - 512, b"\xde\x11\xde\x11", "ddf"),
        ("BitLocker", 3, b"-FVE-FS-", "bitlocker"),
        ("ReFS", 0, b"\0\0\0ReFS\0", "refs"),
        ("APFS", 32, b"NXSB", "apfs"),
        ("HFS+", 1024, b"H+\0\x04", "hfs"),
        ("NILFS2", 1030, b"\x34\x34", "nilfs2"),
        ("Oracle's storage manager", 32, b"ORCLDISK", "oracleasm"),
        ("VDO", 0, b"dmvdo001", "vdo"),
        ("Stratis", 0x204, b"!Stra0tis\x86\xff\x02^\x41rh", "stratis"),
        ("Minix", 0x410, b"\x8f\x13", "minix"),
        ("UFS2", 65536 + 0x55c, b"\x19\x01\x54\x19", "ufs"),
        ("a sleeping machine", 4086, b"S1SUSPEND", "swsuspend"),
        ("VMFS", 2 << 20, b"\x5e\xf1\xab\x2f", "vmfs"),
        ("a format of tomorrow", 70 << 20, b"new", "unknown"),
        ("a format of tomorrow, at its end", SIZE_BYTES - 3, b"new", "unknown"),
    ] {
        use std::os::unix::fs::FileExt;
        let disk = Loop::prepared("magic", &[], |file| {
            OpenOptions::new().write(true).open(file).unwrap().write_all_at(magic, at).unwrap();
        });
        let expected = if name == "unknown" { "nobody here knows" } else { name };
        table.push((what, why(&disk.order(&["gpt", "ext4", "lvm"])), expected));
        assert_eq!(why(&disk.order(&[name])), "allowed", "{what}");
        assert_eq!(why(&disk.order(&[&name.to_uppercase()])), "allowed", "{what}");
    }
    let disk = Loop::prepared("table", &["-P"], partition_table);
    table.push(("a partition table, not named", why(&disk.order(&[])), "a signature of dos"));
    table.push(("an empty partition, table named", why(&disk.order(&["dos"])), "allowed"));
    // The result must not depend on the kernel's reading of the table.
    let blocks = format!("{}k", SIZE_BYTES / 1024 - 2048);
    run("mkfs.ext4", &["-q", "-F", "-E", "offset=1048576", disk.path(), &blocks]).unwrap();
    table.push((
        "a filesystem in a partition, not named",
        why(&disk.order(&["dos"])),
        "bears a signature of ext4",
    ));
    table.push(("a filesystem in a partition, named", why(&disk.order(&["dos", "ext4"])), "allowed"));
}

fn uses(table: &mut Vec<(&str, String, &str)>) {
    let at = tempfile::tempdir().unwrap();
    let point = at.path().to_str().unwrap().to_owned();
    let unmount = || Undo(point.clone(), |point| drop(run("umount", &[point])));
    {
        let disk = Loop::new("mounted");
        run("mkfs.ext4", &["-q", disk.path()]).unwrap();
        run("mount", &[disk.path(), &point]).unwrap();
        let _undo = unmount();
        table.push(("mounted", why(&disk.order(&["ext4"])), "is mounted at"));
    }
    {
        let disk = Loop::prepared("partition-mounted", &["-P"], partition_table);
        let unread = "the kernel reads no partitions of a loop device";
        if let Some(partition) = disk.partition().or_else(|| need::skipped(unread)) {
            run("mkfs.ext4", &["-q", &partition.0]).unwrap();
            run("mount", &[&partition.0, &point]).unwrap();
            let _undo = unmount();
            table.push((
                "a partition of it is mounted",
                why(&disk.order(&["dos", "ext4"])),
                "p1 is mounted at",
            ));
        }
    }
    {
        let (first, second) = (Loop::new("btrfs-1"), Loop::new("btrfs-2"));
        run("mkfs.btrfs", &["-q", first.path(), second.path()]).unwrap();
        let _ = run("btrfs", &["device", "scan"]);
        run("mount", &[first.path(), &point]).unwrap();
        let _undo = unmount();
        table.push((
            "second member of a mounted btrfs",
            why(&second.order(&["btrfs"])),
            "is mounted at a btrfs",
        ));
    }
    {
        let disk = Loop::prepared("over", &[], partition_table);
        let blocks = format!("{}k", SIZE_BYTES / 1024 - 2048);
        run("mkfs.ext4", &["-q", "-F", "-E", "offset=1048576", disk.path(), &blocks]).unwrap();
        run("mount", &["-o", "loop,offset=1048576", disk.path(), &point]).unwrap();
        let _undo = unmount();
        table.push(("what is built on it is mounted", why(&disk.order(&["dos", "ext4"])), "is mounted at"));
    }
    {
        let disk = Loop::new("under");
        let above = run("losetup", &["-f", "--show", disk.path()]).unwrap().trim().to_owned();
        let _undo = Undo(above, |above| drop(run("losetup", &["-d", above])));
        table.push(("something is built on it", why(&disk.order(&[])), "is built on it"));
    }
    in_swap_or_held(table);
    let disk = Loop::new("exclusive");
    let _other = OpenOptions::new().read(true).custom_flags(libc::O_EXCL).open(&disk.device).unwrap();
    table.push(("claimed by another program", why(&disk.order(&[])), "the kernel holds it"));
}

fn in_swap_or_held(table: &mut Vec<(&str, String, &str)>) {
    let disk = Loop::new("swapping");
    run("mkswap", &[disk.path()]).unwrap();
    if need::given(run("swapon", &[disk.path()])).is_some() {
        let path = disk.path().to_owned();
        let _undo = Undo(path, |path| drop(run("swapoff", &[path])));
        table.push(("in use as swap", why(&disk.order(&["swap"])), "in use as swap"));
    }
    let disk = Loop::new("held");
    let name = format!("drivetrain-test-{}", std::process::id());
    let mapping = format!("0 {} linear {} 0", SIZE_BYTES / 512, disk.path());
    if need::given(run("dmsetup", &["create", &name, "--table", &mapping])).is_some() {
        let _undo = Undo(name, |name| drop(run("dmsetup", &["remove", name])));
        table.push(("a volume is built on it", why(&disk.order(&[])), "is built on it"));
    }
    let untold = "the root filesystem's device tells no serial";
    if let Some((path, serial)) = root_device().or_else(|| need::skipped(untold)) {
        let order = DestroyOrder { path: path.clone(), serial, signatures: Vec::new() };
        table.push(("the root filesystem's device", why(&order), "root filesystem"));
        let _ = fs::remove_file(path);
    }
}

/// A name by identity for the device of the root filesystem, if it has one and tells a serial.
fn root_device() -> Option<(PathBuf, String)> {
    use std::os::unix::fs::MetadataExt;
    let device = fs::metadata("/").ok()?.dev();
    let number = format!("{}:{}", libc::major(device), libc::minor(device));
    let own = fs::canonicalize(format!("/sys/dev/block/{number}")).ok()?;
    let whole = if own.join("partition").exists() { own.parent()?.to_path_buf() } else { own };
    let serial = fs::read_to_string(whole.join("serial")).ok()?.trim().to_owned();
    let path = PathBuf::from(format!("/dev/disk/by-id/drivetrain-test-{}-root", std::process::id()));
    std::os::unix::fs::symlink(Path::new("/dev").join(whole.file_name()?), &path).ok()?;
    Some((path, serial)).filter(|(_, serial)| !serial.is_empty())
}

#[test]
fn an_allowed_device_is_written_verified_and_let_go() {
    let Some(()) = devices() else { return };
    let disk = Loop::new("allowed");
    let permit = Arc::new(WritePermit::claim_device(&disk.order(&[])).unwrap());
    assert_eq!(permit.size_bytes(), SIZE_BYTES);
    assert!(why(&disk.order(&[])).contains("the kernel holds it"), "the permit keeps it to itself");
    let stream = Stream::new("s", Pattern::Uniform, 0.0, SizeMix::fixed(4096));
    let target = Target::Permitted(Arc::clone(&permit));
    let job = Job {
        measure: Duration::from_millis(200),
        verify: Verify::Write,
        ..Job::new(stream, Shape::ClosedLoop { depth: 4 }, EngineKind::Psync, target)
    };
    let outcome = block::run(&job, &Control::new()).unwrap();
    assert!(outcome.ios() > 0 && outcome.verify.as_ref().is_some_and(|v| v.faulty_blocks == 0 && v.complete));
    drop(job);
    Arc::into_inner(permit).unwrap().remove().unwrap();
    assert_eq!(why(&disk.order(&[])), "allowed", "it is let go");
    assert!(disk.device.exists());
}

#[test]
fn what_a_load_leaves_of_a_named_signature_does_not_stop_the_next_load() {
    let Some(()) = devices() else { return };
    let disk = Loop::new("leftover");
    run("mkfs.ext4", &["-q", disk.path()]).unwrap();
    assert_eq!(why(&disk.order(&["ext4"])), "allowed");
    // The load has written over the superblock, and not over the tables behind it.
    let zeros = vec![0; 4096];
    std::os::unix::fs::FileExt::write_all_at(
        &OpenOptions::new().write(true).open(&disk.device).unwrap(),
        &zeros,
        0,
    )
    .unwrap();
    assert_eq!(why(&disk.order(&["ext4"])), "allowed");
}

#[test]
fn orders_are_read_from_text() {
    let order = DestroyOrder::parse("/dev/disk/by-id/a=b=S1", &["gpt".to_owned()]).unwrap();
    assert_eq!((order.path.to_str(), order.serial.as_str()), (Some("/dev/disk/by-id/a=b"), "S1"));
    for wrong in ["", "/dev/sda", "=S", "/dev/disk/by-id/a="] {
        assert!(DestroyOrder::parse(wrong, &[]).is_err(), "{wrong}");
    }
}

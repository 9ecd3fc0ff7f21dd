//! Real mounts. Where this machine lets nobody mount, each test states the error that says so.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use device::{DriveSpec, ReadLatency};
use proptest::prelude::*;
use rustix::fs::FallocateFlags;
use testkit::need;

use super::*;
use crate::{EmulateError, EmulatedDrive, Fault};

fn free() -> Arc<EmulatedDrive> {
    EmulatedDrive::new("free", &DriveSpec::free(), 1)
}

thread_local!(static OVER_RINGS: Cell<bool> = const { Cell::new(false) });

/// Runs a test over `/dev/fuse`, and over io_uring where this machine has that; where it has not, the test
/// says so.
#[track_caller]
fn over_each_transport(body: impl Fn()) {
    OVER_RINGS.set(false);
    body();
    let switch = RingSwitch::turn_on();
    if check().is_ok() && (switch.is_ok() || rings_are_on() == Some(true)) {
        OVER_RINGS.set(true);
        body();
    } else {
        need::skip("mounts over io_uring: root on Linux 6.14 or newer switches them on");
    }
}

/// A scratch directory mounted over itself; `None` where this machine cannot, after stating that it says so.
#[track_caller]
fn mounted(change: impl FnOnce(&mut FuseOptions)) -> Option<(tempfile::TempDir, FuseMount)> {
    let dir = tempfile::tempdir().unwrap();
    let mut options = FuseOptions::new(dir.path(), dir.path(), free());
    options.may_have_rings = OVER_RINGS.get();
    change(&mut options);
    match (check(), FuseMount::attach(options)) {
        (Ok(()), mount) => {
            let mount = mount.unwrap();
            let is_over_rings = matches!(mount.transport(), Some(Transport::Rings { .. }));
            assert_eq!(is_over_rings, OVER_RINGS.get());
            Some((dir, mount))
        }
        (Err(why), mount) => {
            let EmulateError::NoFuse { .. } = mount.unwrap_err() else { panic!("not the error of {why}") };
            assert!(why.to_string().contains("use real storage"), "{why}");
            need::skipped(&why.to_string())
        }
    }
}

fn bytes(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| ((i + seed) * 31 % 251) as u8).collect()
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Times of modification that the kernel tells wait in memory: programs see them at once, and the backing
/// file has them after a sync of all, another change of attributes, and the end of the mount.
#[test]
fn times_of_modification_are_put_off_and_never_lost() {
    let time = |seconds| std::time::UNIX_EPOCH + Duration::from_secs(seconds);
    let set = |file: &File, seconds| file.set_modified(time(seconds)).unwrap();
    let seen = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
    over_each_transport(|| {
        let (backing, point) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let to_point = |options: &mut FuseOptions| {
            (options.backing, options.mountpoint) = (backing.path().to_owned(), point.path().to_owned());
        };
        let Some((_unused, mount)) = mounted(to_point) else { return };
        let pair = |name: &str| (point.path().join(name), backing.path().join(name));
        let (synced, changed, kept) = (pair("synced"), pair("changed"), pair("kept"));
        let files = [&synced, &changed, &kept].map(|(path, _)| {
            fs::write(path, "bytes").unwrap();
            File::options().write(true).open(path).unwrap()
        });
        files.iter().for_each(|file| set(file, 1_000_000));
        for (path, below) in [&synced, &changed, &kept] {
            assert_eq!(seen(path), time(1_000_000));
            assert_ne!(seen(below), time(1_000_000), "it is put off");
        }
        files[0].sync_data().unwrap();
        assert_ne!(seen(&synced.1), time(1_000_000), "a sync of data leaves it out");
        files[0].sync_all().unwrap();
        fs::set_permissions(&changed.0, fs::Permissions::from_mode(0o600)).unwrap();
        for (path, below) in [&synced, &changed] {
            assert_eq!((seen(path), seen(below)), (time(1_000_000), time(1_000_000)));
        }
        set(&files[1], 2_000_000);
        fs::rename(&changed.0, point.path().join("renamed")).unwrap();
        drop(files);
        drop(mount);
        assert_eq!(seen(&kept.1), time(1_000_000));
        assert_eq!(seen(&backing.path().join("renamed")), time(2_000_000));
    });
}

#[test]
fn files_behave_as_files_and_stay_when_the_mount_ends() {
    over_each_transport(|| {
        for page_cache in [true, false] {
            let Some((dir, mount)) = mounted(|options| options.page_cache = page_cache) else { return };
            let path = |name: &str| dir.path().join(name);
            fs::create_dir(path("folder")).unwrap();
            fs::write(path("folder/a"), bytes(200_000, 1)).unwrap();
            fs::rename(path("folder/a"), path("b")).unwrap();
            fs::hard_link(path("b"), path("c")).unwrap();
            std::os::unix::fs::symlink("b", path("link")).unwrap();
            assert_eq!(fs::metadata(path("c")).unwrap().nlink(), 2);
            assert_eq!(fs::read_link(path("link")).unwrap(), PathBuf::from("b"));
            let mut file = OpenOptions::new().read(true).write(true).open(path("link")).unwrap();
            file.seek(SeekFrom::Start(100_000)).unwrap();
            file.write_all(b"hello").unwrap();
            file.set_len(150_000).unwrap();
            rustix::fs::fallocate(&file, FallocateFlags::empty(), 150_000, 50_000).unwrap();
            file.sync_all().unwrap();
            let mut appended = OpenOptions::new().append(true).open(path("b")).unwrap();
            appended.write_all(b"end").unwrap();
            let mut expected = bytes(200_000, 1);
            expected[100_000..100_005].copy_from_slice(b"hello");
            expected[150_000..].fill(0);
            expected.extend(b"end");
            assert!(fs::read(path("c")).unwrap() == expected, "page cache {page_cache}");
            fs::set_permissions(path("b"), fs::Permissions::from_mode(0o640)).unwrap();
            assert_eq!(fs::metadata(path("c")).unwrap().mode() & 0o7777, 0o640);
            assert_eq!(names(dir.path()), ["b", "c", "folder", "link"]);
            fs::remove_file(path("c")).unwrap();
            assert_eq!(fs::remove_dir(path("none")).unwrap_err().kind(), ErrorKind::NotFound);
            // An open file outlives its name.
            fs::remove_file(path("b")).unwrap();
            assert_eq!(file.metadata().unwrap().len(), 200_003);
            drop((file, appended));
            fs::write(path("folder/kept"), "kept").unwrap();
            assert!(names(dir.path()).len() == 2);
            drop(mount);
            assert_eq!(fs::read(path("folder/kept")).unwrap(), b"kept");
            assert_eq!(names(dir.path()), ["folder", "link"]);
        }
    });
}

#[test]
fn locks_and_mapped_files_work() {
    over_each_transport(|| {
        let Some((dir, _mount)) = mounted(|_| {}) else { return };
        let path = dir.path().join("a");
        fs::write(&path, bytes(8192, 2)).unwrap();
        let (one, other) = (File::open(&path).unwrap(), File::open(&path).unwrap());
        one.lock().unwrap();
        assert!(other.try_lock().is_err(), "the other one holds it");
        one.unlock().unwrap();
        other.try_lock().unwrap();
        let file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        change_through_a_map(&file);
        file.sync_all().unwrap();
        assert_eq!(fs::read(&path).unwrap()[4096], 0xEE);
    });
}

#[allow(unsafe_code)] // Mapping a file has no safe form.
fn change_through_a_map(file: &File) {
    use rustix::mm::{MapFlags, ProtFlags};
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: the mapping is of 8192 bytes of a file of that size, and nobody else uses the address.
    unsafe {
        let map =
            rustix::mm::mmap(std::ptr::null_mut(), 8192, protection, MapFlags::SHARED, file, 0).unwrap();
        map.cast::<u8>().add(4096).write(0xEE);
        rustix::mm::msync(map, 8192, rustix::mm::MsyncFlags::SYNC).unwrap();
        rustix::mm::munmap(map, 8192).unwrap();
    }
}

#[test]
fn the_drive_is_charged_for_what_passes_the_page_cache() {
    over_each_transport(|| {
        let spec = DriveSpec {
            read_latency: vec![ReadLatency { size_bytes: 4096, latency_ns: 3_000_000 }],
            write_ack_ns: 2_000_000,
            write_buffer_bytes: 1 << 20,
            flush_ns: 4_000_000,
            ..DriveSpec::free()
        };
        let drive = EmulatedDrive::new("slow", &spec, 1);
        let Some((dir, mount)) = mounted(|options| options.drive = drive) else { return };
        let path = dir.path().join("a");
        let mut file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
        file.write_all(&bytes(4096, 3)).unwrap();
        assert_eq!(mount.counts().data.writes, 0, "the kernel holds it");
        let synced = Instant::now();
        file.sync_all().unwrap();
        assert!(synced.elapsed() >= Duration::from_millis(5), "a write and a flush");
        let counts = mount.counts().data;
        assert_eq!((counts.writes, counts.write_bytes, counts.syncs), (1, 4096, 1));
        let direct = OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(&path).unwrap();
        let read = Instant::now();
        crate::vfs::store::with_aligned(0, 4096, |_, page| direct.read_exact_at(page, 0).unwrap());
        assert!(read.elapsed() >= Duration::from_micros(2_900));
        let counters = mount.counters();
        assert_eq!((counters.data.reads, counters.data.read_bytes), (1, 4096));
        assert!(counters.data.model_read.quantile_ns(0.5) >= 2_900_000);
        let floor = mount.floor();
        assert!(floor.read.p50_ns > 0 && floor.write.p50_ns > 0 && floor.sync.p50_ns > 0);
        let beyond = floor.beyond(&DriveSpec { write_ack_ns: 1, ..spec });
        assert!(beyond.iter().any(|beyond| beyond.operation == words::Operation::Write), "{beyond:?}");
    });
}

#[test]
fn faults_come_on_order_and_go() {
    over_each_transport(|| {
        let Some((dir, mount)) = mounted(|options| options.page_cache = false) else { return };
        let path = dir.path().join("a");
        let mut file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
        file.write_all(&bytes(4096, 4)).unwrap();
        mount.inject(Fault::WriteError { after: 0 });
        assert_eq!(file.write(b"x").unwrap_err().raw_os_error(), Some(libc::EIO));
        mount.clear_faults();
        mount.inject(Fault::NoSpace);
        assert_eq!(file.write(b"x").unwrap_err().kind(), ErrorKind::StorageFull);
        assert_eq!(File::create(dir.path().join("new")).unwrap_err().kind(), ErrorKind::StorageFull);
        mount.inject(Fault::ReadError { after: 0 });
        assert_eq!(file.read_exact_at(&mut [0], 0).unwrap_err().raw_os_error(), Some(libc::EIO));
        mount.inject(Fault::SyncError);
        assert_eq!(file.sync_all().unwrap_err().raw_os_error(), Some(libc::EIO));
        assert!(mount.counters().errors >= 4 && mount.first_error().is_some());
        mount.clear_faults();
        file.write_all(b"x").unwrap();
        let mut byte = [0];
        file.seek(SeekFrom::Start(0)).unwrap();
        file.read_exact(&mut byte).unwrap();
        assert_eq!(byte[0], bytes(1, 4)[0]);
    });
}

#[test]
fn a_power_cut_leaves_what_was_synced_and_fails_everything_until_power_is_back() {
    over_each_transport(|| {
        let Some((dir, mut mount)) = mounted(|options| options.power_cuts = true) else { return };
        let path = |name: &str| dir.path().join(name);
        fs::write(path("kept"), bytes(20_000, 5)).unwrap();
        let file = OpenOptions::new().read(true).write(true).open(path("kept")).unwrap();
        (0..200).for_each(|_| file.sync_all().unwrap());
        fs::write(path("renamed.new"), "new").unwrap();
        File::open(path("renamed.new")).unwrap().sync_all().unwrap();
        fs::rename(path("renamed.new"), path("renamed")).unwrap();
        File::open(dir.path()).unwrap().sync_all().unwrap();
        // None of this is synced.
        file.write_all_at(&[9; 4096], 4096).unwrap();
        fs::remove_file(path("renamed")).unwrap();
        fs::write(path("unsynced"), "x").unwrap();
        assert_eq!(names(dir.path()), ["kept", "unsynced"], "what waits for the sync is not seen");
        mount.cut_power(7).unwrap();
        assert_eq!(fs::read_dir(dir.path()).map(drop).unwrap_err().raw_os_error(), Some(libc::EIO));
        assert!(file.read_exact_at(&mut [0; 10], 0).is_err() || file.sync_all().is_err());
        drop(file);
        mount.power_on().unwrap();
        assert!(mount.counters().cpu_ns > 100_000, "the time of threads that have ended counts");
        let kept = fs::read(path("kept")).unwrap();
        let old = bytes(20_000, 5);
        assert!(kept.len() == 20_000 && kept[..4096] == old[..4096] && kept[8192..] == old[8192..]);
        assert!(kept[4096..8192] == old[4096..8192] || kept[4096..8192] == [9; 4096]);
        let renamed = fs::read(path("renamed")).ok();
        assert!(renamed.is_none_or(|text| text == b"new"), "wholly there or wholly gone");
        drop(mount);
        assert!(!path(".drivetrain-unsynced").exists());
    });
}

#[test]
fn a_flush_that_lies_loses_what_it_promised() {
    over_each_transport(|| {
        let Some((dir, mut mount)) = mounted(|options| options.power_cuts = true) else { return };
        let path = dir.path().join("a");
        fs::write(&path, bytes(1 << 20, 6)).unwrap();
        File::open(&path).unwrap().sync_all().unwrap();
        mount.set_lying_flush(true);
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all_at(&vec![7; 1 << 20], 0).unwrap();
        file.sync_all().unwrap();
        drop(file);
        mount.cut_power(1).unwrap();
        mount.power_on().unwrap();
        let left = fs::read(&path).unwrap();
        let lost =
            left.chunks(4096).zip(bytes(1 << 20, 6).chunks(4096)).filter(|(now, old)| now == old).count();
        assert!((1..256).contains(&lost), "{lost} of 256 sectors lost");
    });
}

#[test]
fn a_cut_does_not_bring_back_what_the_mount_measured_itself_with() {
    over_each_transport(|| {
        for seed in 0..8 {
            let Some((dir, mut mount)) = mounted(|options| options.power_cuts = true) else { return };
            mount.set_lying_flush(true);
            mount.cut_power(seed).unwrap();
            mount.power_on().unwrap();
            assert_eq!(names(dir.path()), [""; 0], "seed {seed}");
        }
    });
}

#[test]
fn what_was_mounted_there_before_stays() {
    // Only root mounts something else there.
    let (Some(()), Some(())) = (need::root(), need::given(check())) else { return };
    let (backing, point) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let is_there = || {
        let table = fs::read_to_string("/proc/self/mountinfo").unwrap();
        table.lines().filter(|line| line.contains(point.path().to_str().unwrap())).count()
    };
    let flags = rustix::mount::MountFlags::empty();
    rustix::mount::mount("tmpfs", point.path(), "tmpfs", flags, None).unwrap();
    let mount = FuseMount::attach(FuseOptions::new(backing.path(), point.path(), free()));
    let over = is_there();
    drop(mount.unwrap());
    let after = is_there();
    let _ = rustix::mount::unmount(point.path(), rustix::mount::UnmountFlags::empty());
    assert_eq!((over, after), (2, 1));
}

#[test]
fn what_is_mounted_over_it_stays() {
    over_each_transport(|| {
        let Some(()) = need::root() else { return }; // Nobody else mounts something over it.
        let Some((dir, mount)) = mounted(|_| {}) else { return };
        fs::write(dir.path().join("a"), "kept").unwrap();
        let flags = rustix::mount::MountFlags::empty();
        rustix::mount::mount("tmpfs", dir.path(), "tmpfs", flags, None).unwrap();
        drop(mount);
        assert!(names(dir.path()).is_empty(), "the other file system is there still");
        rustix::mount::unmount(dir.path(), rustix::mount::UnmountFlags::empty()).unwrap();
        // Nobody is left to take ours down but us.
        rustix::mount::unmount(dir.path(), rustix::mount::UnmountFlags::DETACH).unwrap();
        assert_eq!(fs::read(dir.path().join("a")).unwrap(), b"kept");
    });
}

#[test]
fn mounts_that_cannot_be_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let attach = |backing: &Path, point: &Path| {
        FuseMount::attach(FuseOptions::new(backing, point, free())).unwrap_err()
    };
    let inside = dir.path().join("inside");
    fs::create_dir(&inside).unwrap();
    let refused =
        [attach(dir.path(), &inside), attach(&dir.path().join("none"), dir.path())].map(|e| e.to_string());
    if let Err(why) = check() {
        return assert!(refused.iter().all(|text| *text == why.to_string()), "{refused:?}");
    }
    assert!(refused[0].contains("inside the backing directory"), "{refused:?}");
    assert!(refused[1].contains("create the directory first"), "{refused:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    /// The most that databases ask of a file system: write a new file, sync it, rename it over the old one,
    /// sync the folder. At every moment the power may go, and either the old or the new contents must be
    /// there, whole.
    #[test]
    fn a_synced_replacement_is_whole_after_a_cut(seed in any::<u64>(), stop in 0..5_usize, lengths in (1..9000_usize, 1..9000_usize)) {
        over_each_transport(|| replaced_and_cut(seed, stop, lengths));
    }
}

fn replaced_and_cut(seed: u64, stop: usize, lengths: (usize, usize)) {
    let Some((dir, mut mount)) = mounted(|options| options.power_cuts = true) else { return };
    let (old, new) = (bytes(lengths.0, 1), bytes(lengths.1, 2));
    let (path, fresh) = (dir.path().join("file"), dir.path().join("file.new"));
    fs::write(&path, &old).unwrap();
    File::open(&path).unwrap().sync_all().unwrap();
    if stop > 0 {
        fs::write(&fresh, &new).unwrap();
    }
    if stop > 1 {
        File::open(&fresh).unwrap().sync_all().unwrap();
    }
    if stop > 2 {
        fs::rename(&fresh, &path).unwrap();
    }
    if stop > 3 {
        File::open(dir.path()).unwrap().sync_all().unwrap();
    }
    mount.cut_power(seed).unwrap();
    mount.power_on().unwrap();
    let left = fs::read(&path).unwrap();
    assert!(left == old && stop < 4 || left == new && stop > 2, "{} bytes after step {stop}", left.len());
}

/// Deep queues, large requests, data beyond the memory of the kernel's rings, and many callers at once: all
/// bytes come back.
#[test]
fn many_callers_and_large_requests_get_their_own_bytes() {
    over_each_transport(|| {
        let Some((dir, mount)) = mounted(|options| options.page_cache = false) else { return };
        const CALLERS: usize = 24;
        const PART: usize = 3 << 20;
        let path = dir.path().join("a");
        File::create(&path).unwrap().set_len((CALLERS * PART) as u64).unwrap();
        std::thread::scope(|scope| {
            for caller in 0..CALLERS {
                let path = &path;
                scope.spawn(move || {
                    let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
                    let (own, at) = (bytes(PART, caller), (caller * PART) as u64);
                    file.write_all_at(&own, at).unwrap();
                    let mut back = vec![0; PART];
                    file.read_exact_at(&mut back, at).unwrap();
                    assert!(back == own, "caller {caller}");
                    let mut few = [0; 700];
                    file.read_exact_at(&mut few, at + 12_345).unwrap();
                    assert!(few[..] == own[12_345..13_045], "caller {caller}");
                });
            }
        });
        let counters = mount.counters();
        assert_eq!(counters.data.write_bytes, (CALLERS * PART) as u64);
        assert!(counters.data.writes as usize <= CALLERS * 4, "requests of 1 MiB: {}", counters.data.writes);
        assert!(counters.cpu_ns > 0);
    });
}

/// Bytes that this machine's memory does not have are read beside the ring's thread.
#[test]
fn a_cold_backing_file_is_read_whole() {
    over_each_transport(|| {
        let Some((dir, mount)) = mounted(|options| options.page_cache = false) else { return };
        let path = dir.path().join("a");
        let own = bytes(5_000_000, 8);
        fs::write(&path, &own).unwrap();
        drop(mount);
        let backing = File::open(&path).unwrap();
        backing.sync_all().unwrap();
        rustix::fs::fadvise(&backing, 0, None, rustix::fs::Advice::DontNeed).unwrap();
        let mut options = FuseOptions::new(dir.path(), dir.path(), free());
        (options.may_have_rings, options.page_cache) = (OVER_RINGS.get(), false);
        let _mount = FuseMount::attach(options).unwrap();
        assert!(fs::read(&path).unwrap() == own);
    });
}

/// A backing directory in memory (tmpfs): its reads end on the ring's thread, and short where the file does.
#[test]
fn a_backing_directory_in_memory_gives_its_bytes() {
    over_each_transport(|| {
        let Ok(memory) = tempfile::tempdir_in("/dev/shm") else { return need::skip("a tmpfs at /dev/shm") };
        let Some((dir, mount)) = mounted(|options| {
            memory.path().clone_into(&mut options.backing);
            options.page_cache = false;
        }) else {
            return;
        };
        let (path, own) = (dir.path().join("a"), bytes(1_300_001, 3));
        fs::write(&path, &own).unwrap();
        assert!(fs::read(&path).unwrap() == own);
        let file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        file.set_len(2_000_000).unwrap();
        let mut rest = vec![1; 1 << 20];
        let count = file.read_at(&mut rest, 1_000_000).unwrap();
        assert_eq!(count, 1_000_000, "up to the end of the file");
        assert!(rest[..300_001] == own[1_000_000..] && rest[300_001..count].iter().all(|byte| *byte == 0));
        assert_eq!(file.read_at(&mut rest, 2_000_000).unwrap(), 0);
        assert!(fs::read(memory.path().join("a")).unwrap()[..1_300_001] == own);
        assert_eq!(mount.counters().errors, 0);
    });
}

/// A sync of the backing file, and writes that end with one.
#[test]
fn syncs_of_the_backing_file_and_writes_with_a_sync_are_charged_and_done() {
    over_each_transport(|| {
        let spec = DriveSpec { write_ack_ns: 1_000_000, flush_ns: 2_000_000, ..DriveSpec::free() };
        let drive = EmulatedDrive::new("slow", &spec, 1);
        let Some((dir, mount)) = mounted(|options| {
            (options.drive, options.sync_backing, options.page_cache) = (drive, true, false);
        }) else {
            return;
        };
        let path = dir.path().join("a");
        let how = OpenOptions::new().write(true).create_new(true).custom_flags(libc::O_DSYNC).open(&path);
        let file = how.unwrap();
        let since = Instant::now();
        file.write_all_at(&bytes(4096, 1), 0).unwrap();
        assert!(since.elapsed() >= Duration::from_millis(2), "a write and a flush");
        file.sync_all().unwrap();
        File::open(dir.path()).unwrap().sync_all().unwrap();
        let counts = mount.counts().data;
        assert_eq!((counts.writes, counts.syncs), (1, 3));
        mount.inject(Fault::SyncError);
        assert!(file.write_all_at(&bytes(4096, 2), 0).is_err() && file.sync_all().is_err());
    });
}

/// The witness of a mount looks while programs use it, is no load, and lies in no folder.
#[test]
fn the_way_is_measured_while_programs_use_the_mount() {
    over_each_transport(|| {
        let spec = DriveSpec {
            read_latency: vec![ReadLatency { size_bytes: 4096, latency_ns: 150_000 }],
            ..DriveSpec::free()
        };
        let drive = EmulatedDrive::new("reads", &spec, 1);
        let Some((dir, mut mount)) = mounted(|options| {
            (options.drive, options.power_cuts, options.page_cache) = (drive, true, false);
        }) else {
            return;
        };
        let path = dir.path().join("a");
        fs::write(&path, bytes(4096, 9)).unwrap();
        let use_it = |mount: &FuseMount| {
            let (file, since) = (File::open(&path).unwrap(), Instant::now());
            let (before, mut count) = (mount.counters(), 0);
            let looked = |now: &crate::Counters| now.ways[0].probes.len() >= 4 && now.callers.alone > 0;
            while count < 40 || !looked(&mount.counters().since(&before)) {
                assert!(since.elapsed() < Duration::from_secs(30), "nobody looks");
                file.read_exact_at(&mut [0; 4096], 0).unwrap();
                count += 1;
            }
            let counted = mount.counters().since(&before);
            assert_eq!(counted.data.reads, count, "the witness is no load");
            assert_eq!((counted.ways[0].operations, counted.callers.queued), (count, 0));
        };
        use_it(&mount);
        let seen = mount.counters().judged().kinds[0].unwrap();
        assert!(seen.model_ns >= 149_000.0 && seen.seen_ns > 0.0, "{seen:?}");
        let rehearsal = mount.rehearsal().unwrap();
        assert!(rehearsal.table().any(|(kind, _, callers, ns)| kind == "read" && callers == 16 && ns > 0));
        assert_eq!(names(dir.path()), ["a"]);
        mount.inject(Fault::ReadError { after: 0 });
        assert!(File::open(&path).unwrap().read(&mut [0]).is_err(), "faults are for programs");
        mount.clear_faults();
        File::open(&path).unwrap().sync_all().unwrap();
        File::open(dir.path()).unwrap().sync_all().unwrap();
        mount.cut_power(3).unwrap();
        mount.power_on().unwrap();
        use_it(&mount);
        mount.detach().unwrap();
        assert_eq!(names(dir.path()), ["a"]);
    });
}

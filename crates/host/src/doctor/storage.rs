//! The storage under one target: can it be used, and does the measurement reach a drive?

use std::path::Path;

use rustix::fs::{Access, Mode, OFlags};
use rustix::io::Errno;

use words::Reading;

use super::check::{Check, Rule, from};
use crate::drive::BlockDrive;
use crate::fingerprint::existing;
use crate::mount::{self, Mount, parse_mountinfo};
use crate::text::{bytes, chosen};
use crate::tree::Tree;

/// The smallest named experiment with its copies of databases.
const NEEDED_BYTES: u64 = 256 << 20;
const COMFORTABLE_BYTES: u64 = 4 << 30;
/// Fuller than this, flash drives slow down for want of free blocks and file systems for want of free
/// extents.
const FULLEST_SHARE: f64 = 0.90;
/// A queue shorter than this holds deep load back in the kernel.
const SHORTEST_QUEUE: u64 = 32;

const TARGET: Rule = Rule {
    id: "storage.target",
    fix: "create the directory (or mount the drive that belongs there) and give this user the right to write to it",
};
const FREE_SPACE: Rule = Rule { id: "storage.free_space", fix: "free some space or name another directory" };
const FILE_SYSTEM: Rule =
    Rule { id: "storage.filesystem", fix: "use a directory on ext4 or xfs on the drive in question" };
const OPTIONS: Rule = Rule {
    id: "storage.mount_options",
    fix: "remount it without the option, such as mount -o remount,nodiscard POINT; trim with fstrim between runs",
};
const SCHEDULER: Rule = Rule { id: "storage.scheduler", fix: "echo none > /sys/block/DRIVE/queue/scheduler" };
const ROTATIONAL: Rule = Rule {
    id: "storage.rotational",
    fix: "check which drive is under it; echo 0 > /sys/block/DRIVE/queue/rotational if it is flash",
};
const WRITE_CACHE: Rule = Rule {
    id: "storage.write_cache",
    fix: "look up power-loss protection in the drive's data sheet; without it: echo 'write back' > /sys/block/DRIVE/queue/write_cache",
};
const QUEUE: Rule = Rule {
    id: "storage.queue",
    fix: "echo 128 > nr_requests; echo 0 > nomerges; echo 1 > iostats (in /sys/block/DRIVE/queue)",
};
const LAYERS: Rule = Rule {
    id: "storage.layers",
    fix: "use a file system directly on the drive; otherwise keep the layer in all beds",
};
const LINK: Rule = Rule {
    id: "storage.link",
    fix: "use a slot with the drive's generation and lanes; check risers and BIOS settings",
};
const DIRECT: Rule = Rule { id: "storage.o_direct", fix: "use a directory on ext4 or xfs" };

pub(super) fn examine(tree: &Tree, target: &Path) -> Vec<Check> {
    let mut checks = vec![usable(target)];
    let Some(real) = existing(target) else { return checks };
    checks.extend([free_space(&real), direct(&real)]);
    let mounts = parse_mountinfo(&tree.read("/proc/self/mountinfo").unwrap_or_default());
    let Some(mount) = mount::of_path(&mounts, &real) else {
        checks.push(FILE_SYSTEM.unknown("/proc/self/mountinfo"));
        return checks;
    };
    checks.extend([file_system(mount), options(mount)]);
    match BlockDrive::under(tree, mount) {
        Some(drive) => checks.extend(of_drive(tree, &drive)),
        None => checks.push(ROTATIONAL.ok(format!(
            "no block device under {} ({})",
            mount.point.display(),
            mount.kind
        ))),
    }
    checks
}

fn of_drive(tree: &Tree, drive: &BlockDrive) -> Vec<Check> {
    vec![
        scheduler(tree, drive),
        rotational(tree, drive),
        write_cache(tree, drive),
        queue(tree, drive),
        layers(tree, drive),
        link(tree, drive),
    ]
}

fn usable(target: &Path) -> Check {
    let path = || target.display().to_string();
    let Ok(kind) = std::fs::metadata(target) else {
        return TARGET.block(Reading::TargetMissing { path: path() });
    };
    let wanted = if kind.is_dir() { Access::WRITE_OK | Access::EXEC_OK } else { Access::WRITE_OK };
    match rustix::fs::access(target, wanted) {
        Ok(()) => TARGET.ok(format!("{} can be written (access)", path())),
        Err(error) => TARGET.block(Reading::TargetReadOnly { path: path(), error: error.to_string() }),
    }
}

fn free_space(target: &Path) -> Check {
    let Ok(space) = rustix::fs::statvfs(target) else { return FREE_SPACE.unknown("statvfs") };
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    let total = space.f_blocks.saturating_mul(space.f_frsize);
    space_check(free, total, &target.display().to_string())
}

fn space_check(free: u64, total: u64, named: &str) -> Check {
    let read = Reading::SpaceFree { free: bytes(free), total: bytes(total), path: named.to_owned() };
    if free < NEEDED_BYTES {
        return FREE_SPACE.block(read);
    }
    let full = 1.0 - free as f64 / total.max(1) as f64;
    FREE_SPACE.warn_if(free < COMFORTABLE_BYTES || full > FULLEST_SHARE, read)
}

/// Asked with a file that has no name and goes away at once, or with the target file opened for reading.
fn direct(target: &Path) -> Check {
    let flags = if target.is_dir() { OFlags::TMPFILE | OFlags::RDWR } else { OFlags::RDONLY };
    match rustix::fs::open(target, flags | OFlags::DIRECT | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR) {
        Ok(_) => DIRECT.ok(format!("files at {} can be opened with it", target.display())),
        Err(Errno::INVAL) => DIRECT.warn(Reading::DirectRefused { path: target.display().to_string() }),
        Err(error) => {
            DIRECT.unknown(&format!("it: no file could be opened at {} ({error})", target.display()))
        }
    }
}

fn file_system(mount: &Mount) -> Check {
    let (kind, path) = (mount.kind.clone(), mount.point.display().to_string());
    let read = Reading::FileSystemAt { kind, path };
    // Here root passes for one who may write, and then no file can be made.
    if ["proc", "sysfs", "cgroup", "cgroup2", "devpts", "debugfs", "tracefs"].contains(&mount.kind.as_str()) {
        return FILE_SYSTEM.block(read);
    }
    FILE_SYSTEM.warn_if(!["ext4", "ext3", "ext2", "xfs", "f2fs"].contains(&mount.kind.as_str()), read)
}

fn options(mount: &Mount) -> Check {
    let harmful = [
        "nobarrier",
        "barrier=0",
        "sync",
        "dirsync",
        "discard",
        "strictatime",
        "compress",
        "compress-force",
        "data=journal",
        "data=writeback",
        "ro",
    ];
    let found: Vec<&str> = harmful
        .iter()
        .filter_map(|name| match name.contains('=') {
            true => mount.options.iter().map(String::as_str).find(|option| option == name),
            false => mount.option(name),
        })
        .collect();
    let is_sound = found.is_empty();
    let options = if is_sound { mount.options.join(",") } else { found.join(",") };
    let path = mount.point.display().to_string();
    let mut check = OPTIONS.warn_if(!is_sound, Reading::OptionsAt { options, path: path.clone() });
    check.fix = check.fix.replace("POINT", &path);
    check
}

/// The place of a drive's queue setting.
fn source(drive: &BlockDrive, setting: &str) -> String {
    format!("/sys/block/{}/queue/{setting}", drive.name)
}

/// The fixes name the drive in question.
fn for_drive(mut check: Check, drive: &BlockDrive) -> Check {
    check.fix = check.fix.replace("DRIVE", &drive.name);
    check
}

fn scheduler(tree: &Tree, drive: &BlockDrive) -> Check {
    let Some(text) = drive.queue(tree, "scheduler") else {
        return SCHEDULER.unknown(&source(drive, "scheduler"));
    };
    let current = chosen(&text);
    let rotates = drive.queue(tree, "rotational").as_deref() == Some("1");
    // One queue and few commands (SATA) gain a little from mq-deadline and lose little; NVMe only loses.
    let fits =
        current == "none" || (current == "mq-deadline" && (rotates || !drive.name.starts_with("nvme")));
    for_drive(SCHEDULER.warn_if(!fits, from(current, source(drive, "scheduler"))), drive)
}

fn rotational(tree: &Tree, drive: &BlockDrive) -> Check {
    match drive.queue(tree, "rotational") {
        Some(text) => {
            let read = from(text.clone(), source(drive, "rotational"));
            for_drive(ROTATIONAL.warn_if(text == "1", read), drive)
        }
        None => ROTATIONAL.unknown(&source(drive, "rotational")),
    }
}

fn write_cache(tree: &Tree, drive: &BlockDrive) -> Check {
    match drive.queue(tree, "write_cache") {
        Some(text) => {
            let read = from(text.clone(), source(drive, "write_cache"));
            for_drive(WRITE_CACHE.warn_if(text == "write through", read), drive)
        }
        None => WRITE_CACHE.unknown(&source(drive, "write_cache")),
    }
}

fn queue(tree: &Tree, drive: &BlockDrive) -> Check {
    let number = |setting: &str| drive.queue(tree, setting).and_then(|text| text.parse::<u64>().ok());
    let (requests, nomerges, iostats) = (number("nr_requests"), number("nomerges"), number("iostats"));
    if requests.is_none() && nomerges.is_none() && iostats.is_none() {
        return QUEUE.unknown(&source(drive, "nr_requests"));
    }
    let settings = [("nr_requests", requests), ("nomerges", nomerges), ("iostats", iostats)];
    let known = settings.iter().filter_map(|(name, value)| Some(format!("{name} {}", (*value)?)));
    let read = from(known.collect::<Vec<_>>().join(", "), format!("/sys/block/{}/queue", drive.name));
    let short = requests.is_some_and(|requests| requests < SHORTEST_QUEUE);
    let bad = short || nomerges.is_some_and(|off| off != 0) || iostats == Some(0);
    for_drive(QUEUE.warn_if(bad, read), drive)
}

fn layers(tree: &Tree, drive: &BlockDrive) -> Check {
    let below = drive.slaves(tree);
    match drive.layer(tree) {
        Some(layer) => {
            let (layer, drive, below) = (layer.to_string(), drive.name.clone(), below.join(", "));
            LAYERS.warn(Reading::Layer { layer, drive, below })
        }
        None => LAYERS.ok(format!("none: {} (/sys/block)", drive.name)),
    }
}

fn link(tree: &Tree, drive: &BlockDrive) -> Check {
    match drive.link(tree) {
        Some(link) => {
            let (speed, drive) = (link.to_string(), drive.name.clone());
            LINK.warn_if(link.is_reduced(), Reading::Link { speed, drive })
        }
        None => LINK.ok(format!("{} is not on a PCIe link of its own, as far as is told", drive.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;
    use crate::tree::fixture;

    fn mounted(line: &str) -> Mount {
        parse_mountinfo(line).remove(0)
    }

    fn drive_with(name: &str, settings: &[(&str, &str)]) -> (tempfile::TempDir, Tree, BlockDrive) {
        let directory = format!("/sys/devices/{name}");
        let files: Vec<(String, &str)> =
            settings.iter().map(|(setting, value)| (format!("{directory}/{setting}"), *value)).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        let (dir, tree) = fixture(&files);
        (dir, tree, BlockDrive { name: name.to_owned(), directory })
    }

    #[test]
    fn targets_must_exist_and_take_files() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(usable(dir.path()).level, Level::Ok);
        assert_eq!(usable(&dir.path().join("missing")).level, Level::Block);
    }

    #[test]
    fn space() {
        const GIB: u64 = 1 << 30;
        assert_eq!(space_check(100 << 20, 100 * GIB, "x").level, Level::Block);
        assert_eq!(space_check(2 * GIB, 4 * GIB, "x").level, Level::Warn);
        assert_eq!(space_check(50 * GIB, 1000 * GIB, "x").level, Level::Warn, "nearly full");
        assert_eq!(space_check(500 * GIB, 1000 * GIB, "x").level, Level::Ok);
        assert_eq!(space_check(GIB * 9, 0, "x").level, Level::Ok, "file systems that tell no size");
    }

    #[test]
    fn file_systems_and_options() {
        let plain = mounted("27 1 8:1 / /mnt rw,noatime - xfs /dev/sda1 rw,attr2");
        assert_eq!((file_system(&plain).level, options(&plain).level), (Level::Ok, Level::Ok));
        let memory = mounted("27 1 0:5 / /tmp rw - tmpfs tmpfs rw");
        assert_eq!(file_system(&memory).level, Level::Warn);
        assert_eq!(file_system(&mounted("27 1 0:5 / /proc rw - proc proc rw")).level, Level::Block);
        let risky = mounted("27 1 8:1 / /mnt rw,discard - ext4 /dev/sda1 rw,barrier=0,data=ordered");
        assert!(
            options(&risky).read.to_string().starts_with("barrier=0,discard at /mnt"),
            "{}",
            options(&risky).read
        );
        assert!(options(&risky).fix.contains("remount,nodiscard /mnt;"), "{}", options(&risky).fix);
        let packed = mounted("27 1 8:1 / /mnt rw - btrfs /dev/sda1 rw,compress=zstd:3");
        assert!(
            options(&packed).read.to_string().starts_with("compress=zstd:3"),
            "{}",
            options(&packed).read
        );
        let ordinary = mounted("27 1 8:1 / /mnt rw - ext4 /dev/sda1 rw,data=ordered,barrier=1");
        assert_eq!(options(&ordinary).level, Level::Ok);
    }

    #[test]
    fn an_nvme_drive_with_everything_wrong() {
        let (_dir, tree, drive) = drive_with(
            "nvme0n1",
            &[
                ("queue/scheduler", "none [mq-deadline] kyber"),
                ("queue/rotational", "1"),
                ("queue/write_cache", "write through"),
                ("queue/nr_requests", "4"),
                ("queue/iostats", "0"),
                ("loop/none", ""),
                ("md/level", "raid0"),
                ("device/current_link_speed", "2.5 GT/s PCIe"),
                ("device/max_link_speed", "8.0 GT/s PCIe"),
                ("device/current_link_width", "1"),
                ("device/max_link_width", "4"),
            ],
        );
        let checks = of_drive(&tree, &drive);
        let well: Vec<&str> =
            checks.iter().filter(|check| check.level == Level::Ok).map(|check| check.id).collect();
        assert_eq!(well, ["storage.scheduler"], "a disk with heads may have a scheduler: {checks:#?}");
        assert!(checks[1].fix.contains("/sys/block/nvme0n1/queue/rotational"), "{}", checks[1].fix);
    }

    #[test]
    fn schedulers_are_judged_by_the_drive() {
        let level = |name: &str, current: &str, rotational: &str| {
            let (_dir, tree, drive) =
                drive_with(name, &[("queue/scheduler", current), ("queue/rotational", rotational)]);
            scheduler(&tree, &drive).level
        };
        assert_eq!(level("nvme0n1", "[none] mq-deadline", "0"), Level::Ok);
        assert_eq!(level("nvme0n1", "none [mq-deadline]", "0"), Level::Warn);
        assert_eq!(level("sda", "none [mq-deadline]", "0"), Level::Ok);
        assert_eq!(level("sda", "none [bfq]", "0"), Level::Warn);
    }

    #[test]
    fn a_well_kept_drive() {
        let (_dir, tree, drive) = drive_with(
            "nvme0n1",
            &[
                ("queue/scheduler", "[none] mq-deadline"),
                ("queue/rotational", "0"),
                ("queue/write_cache", "write back"),
                ("queue/nr_requests", "1023"),
                ("queue/nomerges", "0"),
                ("queue/iostats", "1"),
            ],
        );
        let checks = of_drive(&tree, &drive);
        assert!(checks.iter().all(|check| check.level == Level::Ok), "{checks:#?}");
        let (_dir, tree, drive) = drive_with("sda", &[]);
        assert!(
            of_drive(&tree, &drive).iter().all(|check| check.level < Level::Warn),
            "unknown is not held against it"
        );
    }

    #[test]
    fn asking_for_direct_io_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        assert!(direct(dir.path()).level < Level::Block);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

//! The kernel's pages in front of a mount: as many of them, and as far ahead, as in front of the drive that
//! has the backing directory. For FUSE the kernel has limits of its own, which would make a modelled drive
//! slower than a real one. Needs the rights of root; without them the limits stay.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{Dev, major, minor};

/// The kernel's files about devices.
const SYS: &str = "/sys";

/// Settles the pages of the mount of this number (`0:52`), whose backing directory is on `device`.
pub(super) fn settle(mount: &str, device: Dev) {
    let folder = Path::new(SYS).join("class/bdi").join(mount);
    // Unwritten pages: for FUSE the kernel keeps to 1 % of memory otherwise, and writers wait.
    let _ = fs::write(folder.join("strict_limit"), "0");
    let _ = fs::write(folder.join("max_ratio"), "100");
    // Reading ahead decides how soon a server finds its pages in memory.
    if let Some(kib) = read_ahead_kib(Path::new(SYS), device) {
        let _ = fs::write(folder.join("read_ahead_kb"), kib.to_string());
    }
}

/// The kernel's reading ahead on a drive, KiB; `None` for a file system without a drive of its own, such as
/// one in memory.
fn read_ahead_kib(sys: &Path, device: Dev) -> Option<u32> {
    let folder = sys.join(format!("dev/block/{}:{}", major(device), minor(device)));
    // A partition has that of its drive, which is the folder above.
    let places: [PathBuf; 2] = ["bdi", "../bdi"].map(|place| folder.join(place).join("read_ahead_kb"));
    places.iter().find_map(|place| fs::read_to_string(place).ok()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EmulatedDrive;
    use crate::fuse::{FuseMount, FuseOptions, check};
    use device::DriveSpec;
    use rustix::fs::makedev;
    use std::os::unix::fs::{MetadataExt, symlink};
    use testkit::need;

    #[test]
    fn a_partition_is_read_ahead_as_its_drive() {
        let temp = tempfile::tempdir().unwrap();
        let sys = temp.path();
        let drive = sys.join("devices/vda");
        fs::create_dir_all(drive.join("bdi")).unwrap();
        fs::create_dir_all(drive.join("vda1")).unwrap();
        fs::create_dir_all(sys.join("dev/block")).unwrap();
        fs::write(drive.join("bdi/read_ahead_kb"), "8192\n").unwrap();
        symlink(&drive, sys.join("dev/block/254:0")).unwrap();
        symlink(drive.join("vda1"), sys.join("dev/block/254:1")).unwrap();
        for number in [0, 1] {
            assert_eq!(read_ahead_kib(sys, makedev(254, number)), Some(8192), "{number}");
        }
        assert_eq!(read_ahead_kib(sys, makedev(0, 34)), None, "a file system in memory");
    }

    #[test]
    fn a_mount_is_read_ahead_as_the_drive_below() {
        if check().is_err() || !rustix::process::geteuid().is_root() {
            return need::skip("only root may set how far the kernel reads ahead on a mount");
        }
        let dir = tempfile::tempdir().unwrap();
        let device = || fs::metadata(dir.path()).unwrap().dev();
        let below = device();
        let free = EmulatedDrive::new("free", &DriveSpec::free(), 1);
        let _mount = FuseMount::attach(FuseOptions::new(dir.path(), dir.path(), free)).unwrap();
        let place = format!("class/bdi/{}:{}/read_ahead_kb", major(device()), minor(device()));
        let place = Path::new(SYS).join(place);
        if fs::File::options().write(true).open(&place).is_err() {
            return need::skip("the kernel's files about devices cannot be written here");
        }
        let kib = fs::read_to_string(place).unwrap();
        let default_kib = 128;
        let below_kib = read_ahead_kib(Path::new(SYS), below).unwrap_or(default_kib);
        assert_eq!(kib.trim().parse(), Ok(below_kib));
    }
}

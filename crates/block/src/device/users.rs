//! The users of a device, of its partitions, and of anything built on it: mounts, swap, the root file system,
//! volumes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use super::family::{Family, Kin, Member, parse_number};

/// A use that forbids writing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum User {
    Root { name: String },
    Mounted { name: String, at: String },
    Swap { name: String },
    Held { by: String },
}

impl User {
    pub(super) fn why(&self) -> String {
        match self {
            User::Root { name } => format!("{name} bears the root filesystem"),
            User::Mounted { name, at } => format!("{name} is mounted at {at}"),
            User::Swap { name } => format!("{name} is in use as swap"),
            User::Held { by } => format!("{by} is built on it"),
        }
    }

    pub(super) fn help(&self) -> &'static str {
        match self {
            User::Root { .. } => "name another device: this one runs the system",
            User::Mounted { .. } => "unmount it first, if nothing on it is needed any more",
            User::Swap { .. } => "end its use with swapoff first",
            User::Held { .. } => "take the volume, array or mapping apart first",
        }
    }
}

/// The first use that is found, the gravest first.
pub(super) fn of(family: &Family) -> Option<User> {
    let mounts = mounts(&fs::read_to_string("/proc/self/mountinfo").unwrap_or_default());
    let btrfs = btrfs_members();
    let mounted = |member: &Member| {
        let at = mounts.get(&member.device)?;
        Some((member.name.clone(), at.clone()))
    };
    let all: Vec<(String, String)> = family.members.iter().filter_map(mounted).collect();
    if let Some((name, _)) = all.iter().find(|(_, at)| at == "/") {
        return Some(User::Root { name: name.clone() });
    }
    if let Some((name, at)) = all.into_iter().next() {
        return Some(User::Mounted { name, at });
    }
    // Of a btrfs over several devices the list of mounts names one.
    if let Some(member) = family.members.iter().find(|member| btrfs.contains(&member.name)) {
        return Some(User::Mounted {
            name: member.name.clone(),
            at: "a btrfs of several devices".to_owned(),
        });
    }
    let swaps = swaps(&fs::read_to_string("/proc/swaps").unwrap_or_default());
    if let Some(member) = family.members.iter().find(|member| swaps.contains(&member.device)) {
        return Some(User::Swap { name: member.name.clone() });
    }
    let above = family.members.iter().find(|member| member.kin == Kin::Above)?;
    Some(User::Held { by: above.name.clone() })
}

/// Mount points by device number. The kernel writes blanks in names as \040.
fn mounts(text: &str) -> BTreeMap<u64, String> {
    let mut mounts: BTreeMap<u64, String> = BTreeMap::new();
    for line in text.lines() {
        let mut fields = line.split(' ');
        let (Some(number), Some(at)) = (fields.nth(2), fields.nth(1)) else { continue };
        let source = line.split(" - ").nth(1).and_then(|rest| rest.split(' ').nth(1)).unwrap_or_default();
        // btrfs and some other file systems have their own device numbers: the source names the device below.
        let devices = [parse_number(number), device_of(Path::new(source))];
        for device in devices.into_iter().flatten() {
            let known = mounts.entry(device).or_insert_with(|| at.replace("\\040", " "));
            if at == "/" {
                at.clone_into(known);
            }
        }
    }
    mounts
}

fn device_of(path: &Path) -> Option<u64> {
    let found = fs::metadata(path).ok().filter(|_| path.is_absolute())?;
    found.file_type().is_block_device().then(|| found.rdev())
}

/// Names of all devices of all btrfs filesystems that are mounted.
fn btrfs_members() -> Vec<String> {
    let filesystems = fs::read_dir("/sys/fs/btrfs").into_iter().flatten().flatten();
    let devices = filesystems.filter_map(|entry| fs::read_dir(entry.path().join("devices")).ok());
    devices.flatten().flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Numbers of the devices that are swapped to.
fn swaps(text: &str) -> Vec<u64> {
    let paths = text.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    paths.filter_map(|path| device_of(Path::new(&path.replace("\\040", " ")))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_read_with_blanks_and_the_root() {
        let text = "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n22 21 8:2 / /mnt/my\\040disk rw shared:1 - xfs /dev/sdb rw\n23 21 8:1 /x /mnt/x rw - ext4 /dev/sda1 rw\nnonsense\n";
        let mounts = mounts(text);
        assert_eq!(mounts.get(&rustix::fs::makedev(8, 1)).map(String::as_str), Some("/"));
        assert_eq!(mounts.get(&rustix::fs::makedev(8, 2)).map(String::as_str), Some("/mnt/my disk"));
    }
}

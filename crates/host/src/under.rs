//! The device below a path: enough data to tell later whether a path lies on the same drive.

use std::collections::BTreeMap;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use crate::drive::BlockDrive;
use crate::fingerprint::existing;
use crate::mount::{self, Mount, parse_mountinfo};
use crate::tree::Tree;

/// Facts of a drive that stay when its firmware, its queue and its name change.
const LASTING: [&str; 4] = ["model", "serial", "size_bytes", "layer"];

/// Mount, source and file system of `path`, or of its nearest existing parent, and the kernel's facts about
/// the drive below: `device`, `model`, `serial`, `size_bytes`, and as `layer` its driver. For a block device
/// its own facts. Empty if nothing is known.
pub fn under(path: &Path) -> BTreeMap<String, String> {
    under_in(&Tree::machine(), path).unwrap_or_default()
}

fn under_in(tree: &Tree, path: &Path) -> Option<BTreeMap<String, String>> {
    let real = existing(path)?;
    let mounts = parse_mountinfo(&tree.read("/proc/self/mountinfo").unwrap_or_default());
    let mount = node(&real).or_else(|| mount::of_path(&mounts, &real).cloned())?;
    let mut facts = BTreeMap::from([
        ("mount".to_owned(), mount.point.display().to_string()),
        ("source".to_owned(), mount.source.clone()),
        ("fs".to_owned(), mount.kind.clone()),
    ]);
    if let Some(drive) = BlockDrive::under(tree, &mount) {
        let lasting = drive.facts(tree).into_iter().filter(|(key, _)| LASTING.contains(&key.as_str()));
        facts.extend(lasting);
        facts.insert("device".to_owned(), drive.name);
    }
    Some(facts)
}

/// A block device as if it were mounted on itself.
fn node(path: &Path) -> Option<Mount> {
    let metadata = std::fs::metadata(path).ok().filter(|metadata| metadata.file_type().is_block_device())?;
    let number = metadata.rdev();
    Some(Mount {
        point: path.to_owned(),
        device: format!("{}:{}", rustix::fs::major(number), rustix::fs::minor(number)),
        kind: "device".to_owned(),
        source: path.display().to_string(),
        options: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::fixture;

    #[test]
    fn a_path_is_known_by_the_drive_below_its_mount() {
        let device = "sys/devices/pci/block/sda";
        let (_dir, tree) = fixture(&[
            ("proc/self/mountinfo", "27 1 8:1 / / rw - ext4 /dev/sda1 rw\n"),
            (&format!("{device}/queue/scheduler"), "none"),
            (&format!("{device}/size"), "2048"),
            (&format!("{device}/device/model"), "MODEL\n"),
            (&format!("{device}/device/serial"), "S1\n"),
            (&format!("{device}/device/rev"), "F2\n"),
            ("sys/dev/block/8:1", "-> ../../devices/pci/block/sda"),
        ]);
        let facts = under_in(&tree, Path::new("/no/such/path")).unwrap();
        let of = |key: &str| facts.get(key).map(String::as_str);
        assert_eq!((of("mount"), of("source"), of("fs")), (Some("/"), Some("/dev/sda1"), Some("ext4")));
        assert_eq!((of("device"), of("model"), of("serial")), (Some("sda"), Some("MODEL"), Some("S1")));
        assert_eq!(of("size_bytes"), Some("1048576"));
        assert_eq!(of("rev"), None, "firmware may change");
    }

    #[test]
    fn this_folder_lies_on_something() {
        let facts = under(Path::new("."));
        assert!(facts.contains_key("mount") && facts.contains_key("source"), "{facts:?}");
        assert_eq!(facts, under(Path::new("./not/there")));
    }
}

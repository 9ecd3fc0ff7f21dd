//! The block device under a mount, after /sys/dev/block and its queue.

use std::collections::BTreeMap;

use crate::mount::Mount;
use crate::tree::Tree;

/// Queue settings that change results (Documentation/ABI/stable/sysfs-block).
const QUEUE_SETTINGS: [&str; 13] = [
    "scheduler",
    "nr_requests",
    "rq_affinity",
    "nomerges",
    "io_poll",
    "wbt_lat_usec",
    "write_cache",
    "fua",
    "rotational",
    "max_sectors_kb",
    "read_ahead_kb",
    "logical_block_size",
    "physical_block_size",
];

/// Facts of the device itself, below `device/` or the device's own directory.
const DEVICE_FACTS: [&str; 8] = [
    "device/model",
    "device/vendor",
    "device/firmware_rev",
    "device/rev",
    "device/serial",
    "device/queue_depth",
    "device/transport",
    "dm/name",
];

/// A whole drive (or a device made of drives) as the kernel shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlockDrive {
    /// Kernel name: `vda`, `nvme0n1`, `dm-0`.
    pub(crate) name: String,
    /// Its directory below /sys, with links resolved.
    pub(crate) directory: String,
}

impl BlockDrive {
    /// The drive under a mount; a partition represents its whole drive. File systems with their own device
    /// numbers (btrfs, overlay) are looked up by the name of their source.
    pub(crate) fn under(tree: &Tree, mount: &Mount) -> Option<BlockDrive> {
        let directory = tree.resolve(&format!("/sys/dev/block/{}", mount.device)).or_else(|| {
            let name = mount.source.strip_prefix("/dev/")?;
            tree.resolve(&format!("/sys/class/block/{}", name.replace('/', "!")))
        })?;
        let whole = if tree.exists(&format!("{directory}/partition")) {
            directory.rsplit_once('/')?.0.to_owned()
        } else {
            directory
        };
        let name = whole.rsplit_once('/')?.1.replace('!', "/");
        Some(BlockDrive { name, directory: whole })
    }

    /// One queue setting, as written (`[none] mq-deadline`).
    pub(crate) fn queue(&self, tree: &Tree, setting: &str) -> Option<String> {
        tree.read(&format!("{}/queue/{setting}", self.directory))
    }

    /// Size of the device in bytes (/sys counts it in 512-byte sectors).
    pub(crate) fn size_bytes(&self, tree: &Tree) -> Option<u64> {
        tree.number(&format!("{}/size", self.directory))?.checked_mul(512)
    }

    /// The devices this one is made of (LVM, LUKS, MD), by kernel name.
    pub(crate) fn slaves(&self, tree: &Tree) -> Vec<String> {
        tree.list(&format!("{}/slaves", self.directory))
    }

    /// The driver below the device: `LVM`, `CRYPT` and so on for the device mapper, `loop`, `md`.
    pub(crate) fn layer(&self, tree: &Tree) -> Option<String> {
        if let Some(uuid) = tree.read(&format!("{}/dm/uuid", self.directory)) {
            let kind = uuid.split('-').next().unwrap_or("unknown").to_owned();
            return Some(format!("device mapper ({kind})"));
        }
        if let Some(level) = tree.read(&format!("{}/md/level", self.directory)) {
            return Some(format!("md {level}"));
        }
        self.name.starts_with("loop").then(|| {
            let file = tree.read(&format!("{}/loop/backing_file", self.directory));
            format!("loop device on {}", file.unwrap_or_else(|| "an unknown file".to_owned()))
        })
    }

    /// Speed and width of the PCIe link, now and at most, where the drive is on one.
    pub(crate) fn link(&self, tree: &Tree) -> Option<Link> {
        // An NVMe namespace hangs below its controller, whose `device` is the PCI function.
        ["device/device", "device"].iter().find_map(|above| {
            let read = |name: &str| tree.read(&format!("{}/{above}/{name}", self.directory));
            Some(Link {
                speed: read("current_link_speed")?,
                speed_max: read("max_link_speed")?,
                width: read("current_link_width")?,
                width_max: read("max_link_width")?,
            })
        })
    }

    /// Every fact, by key.
    pub(crate) fn facts(&self, tree: &Tree) -> BTreeMap<String, String> {
        let mut facts = BTreeMap::new();
        let mut add = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                facts.insert(key.to_owned(), value);
            }
        };
        for setting in QUEUE_SETTINGS {
            add(setting, self.queue(tree, setting));
        }
        for fact in DEVICE_FACTS {
            add(
                &fact.replace("device/", "").replace('/', "_"),
                tree.read(&format!("{}/{fact}", self.directory)),
            );
        }
        add("driver", tree.link_name(&format!("{}/device/driver", self.directory)));
        add("size_bytes", self.size_bytes(tree).map(|size| size.to_string()));
        add("discard", self.queue(tree, "discard_max_bytes").map(|most| (most != "0").to_string()));
        add("layer", self.layer(tree));
        let slaves = self.slaves(tree);
        add("made_of", (!slaves.is_empty()).then(|| slaves.join(",")));
        if let Some(link) = self.link(tree) {
            add("link", Some(link.to_string()));
        }
        facts
    }
}

/// A PCIe link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) speed: String,
    pub(crate) speed_max: String,
    pub(crate) width: String,
    pub(crate) width_max: String,
}

impl Link {
    /// True if the link is slower than the drive allows.
    pub(crate) fn is_reduced(&self) -> bool {
        self.speed != self.speed_max || self.width != self.width_max
    }
}

impl std::fmt::Display for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} x{} of {} x{}", self.speed, self.width, self.speed_max, self.width_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mount::parse_mountinfo;
    use crate::tree::fixture;

    fn mount(line: &str) -> Mount {
        parse_mountinfo(line).remove(0)
    }

    #[test]
    fn a_partition_stands_for_its_drive() {
        let nvme = "sys/devices/pci0/nvme/nvme0/nvme0n1";
        let (_dir, tree) = fixture(&[
            (&format!("{nvme}/queue/scheduler"), "[none] mq-deadline\n"),
            (&format!("{nvme}/queue/rotational"), "0"),
            (&format!("{nvme}/queue/discard_max_bytes"), "2147450880"),
            (&format!("{nvme}/size"), "1875385008"),
            (&format!("{nvme}/device"), "-> ../../nvme0"),
            (&format!("{nvme}/nvme0n1p1/partition"), "1"),
            ("sys/devices/pci0/nvme/nvme0/model", "KINGSTON SEDC1500M960G   \n"),
            ("sys/devices/pci0/nvme/nvme0/device", "-> ../.."),
            ("sys/devices/pci0/current_link_speed", "8.0 GT/s PCIe"),
            ("sys/devices/pci0/max_link_speed", "16.0 GT/s PCIe"),
            ("sys/devices/pci0/current_link_width", "4"),
            ("sys/devices/pci0/max_link_width", "4"),
            ("sys/dev/block/259:1", "-> ../../devices/pci0/nvme/nvme0/nvme0n1/nvme0n1p1"),
        ]);
        let mount = mount("40 27 259:1 / /mnt rw - xfs /dev/nvme0n1p1 rw");
        let drive = BlockDrive::under(&tree, &mount).unwrap();
        assert_eq!(drive.name, "nvme0n1");
        let facts = drive.facts(&tree);
        assert_eq!(facts["model"], "KINGSTON SEDC1500M960G");
        assert_eq!(facts["size_bytes"], "960197124096");
        assert_eq!(facts["discard"], "true");
        assert_eq!(facts["link"], "8.0 GT/s PCIe x4 of 16.0 GT/s PCIe x4");
        assert!(drive.link(&tree).unwrap().is_reduced());
        assert_eq!(drive.layer(&tree), None);
    }

    #[test]
    fn btrfs_is_found_by_its_source_and_layers_are_named() {
        let (_dir, tree) = fixture(&[
            ("sys/devices/virtual/block/dm-0/dm/uuid", "CRYPT-LUKS2-abc"),
            ("sys/devices/virtual/block/dm-0/slaves/sda2/size", "1"),
            ("sys/class/block/dm-0", "-> ../../devices/virtual/block/dm-0"),
        ]);
        let drive = BlockDrive::under(&tree, &mount("40 27 0:31 / / rw - btrfs /dev/dm-0 rw")).unwrap();
        assert_eq!(drive.layer(&tree).as_deref(), Some("device mapper (CRYPT)"));
        assert_eq!(drive.slaves(&tree), ["sda2"]);
    }

    #[test]
    fn no_device_is_unknown() {
        let (_dir, tree) = fixture(&[]);
        assert_eq!(BlockDrive::under(&tree, &mount("40 27 0:31 / / rw - tmpfs tmpfs rw")), None);
        assert_eq!(BlockDrive::under(&tree, &mount("40 27 8:1 / / rw - ext4 /dev/sda1 rw")), None);
    }
}

//! A block device with its partitions and with everything that is built on any of them, as /sys tells it.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

const BY_NUMBER: &str = "/sys/dev/block";
const BY_NAME: &str = "/sys/class/block";
/// Deeper stacks than this go round in circles.
const LEVELS_MAX: usize = 16;

/// The relation of a member to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kin {
    Itself,
    Partition,
    /// Built on it or on a partition of it: a volume, an array, an encrypted device.
    Above,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) kin: Kin,
    pub(super) device: u64,
}

#[derive(Debug)]
pub(super) struct Family {
    pub(super) members: Vec<Member>,
    /// Directory of the device in /sys; of the whole disk when it is a partition.
    whole: PathBuf,
    own: PathBuf,
    number: String,
}

impl Family {
    /// The family of the device with this number.
    pub(super) fn of(device: u64) -> io::Result<Family> {
        let number = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
        let own = fs::canonicalize(Path::new(BY_NUMBER).join(&number))?;
        let is_partition = own.join("partition").exists();
        let whole = if is_partition { own.parent().unwrap_or(&own).to_path_buf() } else { own.clone() };
        let mut family = Family { members: Vec::new(), whole, own: own.clone(), number };
        family.add(&own, Kin::Itself)?;
        if is_partition {
            // Anything built on the whole disk lies over this partition, too.
            let whole = family.whole.clone();
            family.add_holders(&whole, 0)?;
        }
        for entry in fs::read_dir(&own)? {
            let path = entry?.path();
            if path.join("partition").exists() {
                family.add(&path, Kin::Partition)?;
            }
        }
        Ok(family)
    }

    fn add(&mut self, directory: &Path, kin: Kin) -> io::Result<()> {
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if self.members.iter().any(|member| member.name == name) {
            return Ok(());
        }
        self.members.push(Member { name, kin, device: number_in(&directory.join("dev"))? });
        self.add_holders(directory, 0)
    }

    fn add_holders(&mut self, directory: &Path, level: usize) -> io::Result<()> {
        let holders = fs::read_dir(directory.join("holders")).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            holders.map(|holder| holder.file_name().to_string_lossy().into_owned()).collect();
        names.extend(loops_over(number_in(&directory.join("dev"))?));
        for name in names {
            if level >= LEVELS_MAX || self.members.iter().any(|member| member.name == name) {
                continue;
            }
            let above = Path::new(BY_NAME).join(&name);
            self.members.push(Member { name, kin: Kin::Above, device: number_in(&above.join("dev"))? });
            self.add_holders(&above, level + 1)?;
        }
        Ok(())
    }

    /// The reason why the device takes no writes, if it does not.
    pub(super) fn why_not_writable(&self) -> Option<String> {
        (text(&self.own.join("ro")).as_deref() == Some("1")).then(|| "it is read-only".to_owned())
    }

    /// Everything that the device tells as its serial number; a partition has that of its disk.
    pub(super) fn serials(&self) -> Vec<String> {
        // A loop device is its file.
        let files =
            ["serial", "device/serial", "wwid", "device/wwid", "dm/uuid", "md/uuid", "loop/backing_file"];
        let mut serials: Vec<String> = files.iter().filter_map(|file| text(&self.whole.join(file))).collect();
        if let Ok(page) = fs::read(self.whole.join("device/vpd_pg80")) {
            // SCSI's page of the unit serial number: four bytes of header, then text (SPC-4, 7.8.15).
            serials.extend(page.get(4..).map(|serial| String::from_utf8_lossy(serial).trim().to_owned()));
        }
        let database = fs::read_to_string(format!("/run/udev/data/b{}", self.number)).unwrap_or_default();
        let said = |line: &str| {
            let value =
                line.strip_prefix("E:ID_SERIAL_SHORT=").or_else(|| line.strip_prefix("E:ID_SERIAL="))?;
            Some(value.to_owned())
        };
        serials.extend(database.lines().filter_map(said));
        serials.retain(|serial| !serial.trim_matches(['\0', ' ']).is_empty());
        serials
    }

    /// The device and its partitions by name, with the bytes of the device that each is.
    pub(super) fn extents(&self, size_bytes: u64) -> Vec<(String, std::ops::Range<u64>)> {
        let mut extents = Vec::new();
        for member in &self.members {
            // /sys counts in units of 512 bytes whatever the logical block is.
            let bytes = |file: &str| {
                let sectors: u64 = text(&self.own.join(&member.name).join(file))?.parse().ok()?;
                Some(sectors.saturating_mul(512))
            };
            match member.kin {
                Kin::Itself => extents.push((member.name.clone(), 0..size_bytes)),
                Kin::Partition => {
                    let start = bytes("start").unwrap_or(0);
                    let end = start.saturating_add(bytes("size").unwrap_or(size_bytes)).min(size_bytes);
                    extents.push((member.name.clone(), start..end));
                }
                Kin::Above => {}
            }
        }
        extents
    }
}

/// Loop devices over a device: /sys does not count them among its holders.
fn loops_over(device: u64) -> Vec<String> {
    let all = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let over = all.filter(|entry| {
        let backing = text(&entry.path().join("loop/backing_file"));
        let found = backing.and_then(|path| fs::metadata(path).ok());
        found.is_some_and(|found| found.file_type().is_block_device() && found.rdev() == device)
    });
    over.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn text(path: &Path) -> Option<String> {
    let text = fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&text).trim().to_owned()).filter(|text| !text.is_empty())
}

/// The device number in a file of /sys: "8:1".
fn number_in(path: &Path) -> io::Result<u64> {
    let text = fs::read_to_string(path)?;
    parse_number(text.trim()).ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidData, format!("{}: no device number", path.display()))
    })
}

/// A device number from "8:1".
pub(super) fn parse_number(text: &str) -> Option<u64> {
    let (major, minor) = text.split_once(':')?;
    Some(rustix::fs::makedev(major.parse().ok()?, minor.parse().ok()?))
}

//! Raw devices: the conditions for overwriting one.
//!
//! A device is overwritten only when the user named it by its link in `/dev/disk/by-id` together with its
//! serial, and named every signature on it (or "unknown" for data that bears none), and when neither it nor a
//! partition of it nor anything on top of it is mounted, held, swap or root. A name is an identity by where
//! it lies once it is resolved, not by how it is spelled. The kernel's exclusive open has the last word, and
//! stays open as long as the permit: nothing can be mounted meanwhile. Reading never comes here; it opens
//! O_RDONLY.

mod family;
mod signature;
mod users;

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::ops::Range;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::SeekFrom;

use crate::error::BlockError;
use family::Family;
use signature::Part;

/// The directory that names devices by their identity, not by the order of their detection.
const BY_ID: &str = "/dev/disk/by-id";

/// A device by its number and serial.
type Claim = (u64, String);

/// Devices on which the user has named the signatures to overwrite, and which this process has claimed since:
/// none of those signatures is left.
static CLAIMED: Mutex<BTreeSet<Claim>> = Mutex::new(BTreeSet::new());

/// A device that the user allows to overwrite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DestroyOrder {
    /// Its name below `/dev/disk/by-id/`.
    pub path: PathBuf,
    /// Its serial number, as the device tells it.
    pub serial: String,
    /// Signatures on it that may go: "gpt", "ext4", ...
    pub signatures: Vec<String>,
}

/// A device that may be written to, held exclusively.
#[derive(Debug)]
pub(crate) struct ClaimedDevice {
    pub(crate) device: u64,
    pub(crate) size_bytes: u64,
    /// Keeps everybody else from mounting or claiming it.
    pub(crate) exclusive: File,
}

impl DestroyOrder {
    /// Reads `PATH=SERIAL`.
    ///
    /// # Errors
    /// The missing part, in words.
    pub fn parse(text: &str, signatures: &[String]) -> Result<DestroyOrder, String> {
        match text.rsplit_once('=') {
            Some((path, serial)) if !path.is_empty() && !serial.trim().is_empty() => Ok(DestroyOrder {
                path: path.into(),
                serial: serial.trim().to_owned(),
                signatures: signatures.to_vec(),
            }),
            _ => Err(format!("`{text}` names no device with its serial: write /dev/disk/by-id/NAME=SERIAL")),
        }
    }

    /// True if a path leads to the device of this order, under any name.
    pub fn is_for(&self, path: &Path) -> bool {
        let device =
            |path: &Path| fs::metadata(path).ok().map(|found| found.rdev()).filter(|rdev| *rdev != 0);
        path == self.path || (device(path).is_some() && device(path) == device(&self.path))
    }

    /// Checks everything that can be known, then claims the device. Nothing is written.
    pub(crate) fn claim(&self) -> Result<ClaimedDevice, BlockError> {
        let refuse = |why: String, help: &str| Err(BlockError::refused(&self.path, why, help));
        if !is_in_by_id(&self.path) {
            let help =
                "name it by /dev/disk/by-id/...: names such as /dev/sda change from one start to the next";
            return refuse("it is not named by its identity".to_owned(), help);
        }
        let found = fs::metadata(&self.path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => BlockError::Missing { path: self.path.clone() },
            _ => BlockError::io(&self.path, "look at it", error),
        })?;
        if !found.file_type().is_block_device() {
            return refuse("it is no block device".to_owned(), "name a block device below /dev/disk/by-id/");
        }
        if !fs::symlink_metadata(&self.path).is_ok_and(|found| found.is_symlink()) {
            let help = "name the link that the system has made there: a node of that name is no identity";
            return refuse("its name in /dev/disk/by-id is no link".to_owned(), help);
        }
        let family =
            Family::of(found.rdev()).map_err(|error| BlockError::io(&self.path, "find it in /sys", error))?;
        self.check_serial(&family)?;
        if let Some(why) = family.why_not_writable() {
            return refuse(why, "make it writable, or name another device");
        }
        if let Some(user) = users::of(&family) {
            return refuse(user.why(), user.help());
        }
        self.check_signatures(&family, found.rdev())?;
        self.open_exclusively(found.rdev())
    }

    fn check_serial(&self, family: &Family) -> Result<(), BlockError> {
        let serials = family.serials();
        if serials.contains(&self.serial) {
            return Ok(());
        }
        let (why, help) = match serials.first() {
            Some(_) => (
                format!("its serial is not `{}`", self.serial),
                "look at the label of the drive you mean, and at `lsblk -o NAME,SERIAL`",
            ),
            None => ("it tells no serial".to_owned(), "use a device that can be told from others"),
        };
        Err(BlockError::refused(&self.path, why, help))
    }

    fn check_signatures(&self, family: &Family, rdev: u64) -> Result<(), BlockError> {
        let failed = |error: std::io::Error| BlockError::io(&self.path, "read its signatures", error);
        let file = File::open(&self.path).map_err(failed)?;
        let size_bytes = rustix::fs::seek(&file, SeekFrom::End(0)).map_err(|error| failed(error.into()))?;
        let part = |range: Range<u64>| Part {
            is_whole: range == (0..size_bytes),
            path: Some(&self.path),
            file: &file,
            range,
        };
        let mut extents = family.extents(size_bytes);
        if let [(name, _)] = extents.as_slice() {
            let name = name.clone();
            let told = signature::partitions(&part(0..size_bytes)).map_err(failed)?;
            extents.extend(
                told.into_iter().map(|(number, range)| (format!("partition {number} of {name}"), range)),
            );
        }
        let mut named: Vec<String> = self.signatures.iter().map(|name| signature::plain(name)).collect();
        // An earlier load of this process has written over a signature that was named, and not over all that
        // belonged to it.
        let claim = (rdev, self.serial.clone());
        named.extend(is_claimed(&claim).then(|| signature::UNKNOWN.to_owned()));
        let mut any = false;
        for (name, range) in extents {
            let found = signature::of(&part(range)).map_err(failed)?;
            if let Some(foreign) = found.iter().find(|signature| !named.contains(signature)) {
                return Err(BlockError::refused(&self.path, why_not(&name, foreign), help_for(foreign)));
            }
            any |= !found.is_empty();
        }
        if any {
            CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).insert(claim);
        }
        // Later reads must not be answered from the page cache.
        let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed);
        Ok(())
    }

    /// The kernel refuses a device that it uses itself, in other mount namespaces, too.
    fn open_exclusively(&self, device: u64) -> Result<ClaimedDevice, BlockError> {
        let opened = OpenOptions::new().read(true).write(true).custom_flags(libc::O_EXCL).open(&self.path);
        let exclusive = opened.map_err(|error| match error.raw_os_error() {
            Some(libc::EBUSY) => BlockError::refused(
                &self.path,
                "the kernel holds it for something else (a mount in another container, a volume, another program)",
                "find out with `lsblk` and `fuser -v`, and end that first",
            ),
            _ => BlockError::io(&self.path, "open it exclusively", error),
        })?;
        let found = exclusive.metadata().map_err(|error| BlockError::io(&self.path, "look at it", error))?;
        if found.rdev() != device {
            return Err(BlockError::refused(
                &self.path,
                "another device has taken its name just now",
                "look again",
            ));
        }
        let size_bytes = rustix::fs::seek(&exclusive, SeekFrom::End(0))
            .map_err(|error| BlockError::io(&self.path, "find its size", error))?;
        Ok(ClaimedDevice { device, size_bytes, exclusive })
    }
}

fn is_claimed(claim: &Claim) -> bool {
    CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).contains(claim)
}

/// True if the path is itself an entry of `/dev/disk/by-id`, in any spelling.
fn is_in_by_id(path: &Path) -> bool {
    let (Some(above), Some(_)) = (path.parent(), path.file_name()) else { return false };
    match (fs::canonicalize(above), fs::canonicalize(BY_ID)) {
        (Ok(above), Ok(by_id)) => above == by_id,
        // Without the directory nothing is in it; that the device is missing is the better answer to a name
        // that looks right.
        (_, Err(_)) => above == Path::new(BY_ID),
        (Err(_), Ok(_)) => false,
    }
}

fn why_not(name: &str, signature: &str) -> String {
    if signature == signature::UNKNOWN {
        format!("{name} holds data of a format that nobody here knows")
    } else {
        format!("{name} bears a signature of {signature} that was not named")
    }
}

fn help_for(signature: &str) -> String {
    format!("if that may be destroyed, say so with --overwrite {signature}")
}

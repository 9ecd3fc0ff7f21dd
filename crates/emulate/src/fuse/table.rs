//! The kernel's table of mounts. Reading it asks no file system anything, so it never hangs.

use std::fs;
use std::path::PathBuf;

/// The beginning of the source of our mounts; the drive's name follows.
pub(super) const SOURCE: &str = "drivetrain:";

/// One line of the table of mounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mounted {
    /// Number of the mount, and of the one that it is mounted on.
    pub(super) id: u64,
    pub(super) parent: u64,
    /// Device of the file system, `MAJOR:MINOR`.
    pub(super) device: String,
    /// The directory of the file system that is mounted: `/` for the whole.
    pub(super) root: PathBuf,
    /// Minor device number, which also names the connection.
    pub(super) minor: String,
    pub(super) point: PathBuf,
    /// The mount point as the table spells it.
    pub(super) spelled: String,
    /// Kind of file system and its source, for messages.
    pub(super) system: String,
    /// True if a modelled drive is behind it.
    pub(super) is_ours: bool,
}

/// All mounts that this process sees, the lower ones first.
pub(super) fn mounts() -> Vec<Mounted> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    table.lines().filter_map(parse).collect()
}

/// See proc_pid_mountinfo(5): `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`.
pub(super) fn parse(line: &str) -> Option<Mounted> {
    let (before, after) = line.split_once(" - ")?;
    let mut fields = before.split(' ');
    let (id, parent) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let device = fields.next()?;
    let (root, spelled) = (PathBuf::from(unescape(fields.next()?)), fields.next()?);
    let (_, minor) = device.split_once(':')?;
    let mut of_system = after.split(' ');
    let (kind, source) = (of_system.next()?, of_system.next().unwrap_or_default());
    let is_ours = kind.starts_with("fuse") && source.starts_with(SOURCE);
    let point = PathBuf::from(unescape(spelled));
    let system = format!("{kind}, {}", unescape(source).to_string_lossy());
    let (device, minor, spelled) = (device.to_owned(), minor.to_owned(), spelled.to_owned());
    Some(Mounted { id, parent, device, root, minor, point, spelled, system, is_ours })
}

/// The mount that hides `mount`: another one at its point, or over a directory above it, that was mounted
/// later. The uppermost, if there are several.
pub(super) fn cover_of<'t>(mount: &Mounted, table: &'t [Mounted]) -> Option<&'t Mounted> {
    // The mount below another does not hide it.
    let mut below = vec![mount.id];
    let mut parent = mount.parent;
    while let Some(lower) = table.iter().find(|lower| lower.id == parent && !below.contains(&lower.id)) {
        below.push(lower.id);
        parent = lower.parent;
    }
    table.iter().rev().find(|other| mount.point.starts_with(&other.point) && !below.contains(&other.id))
}

/// Blanks and the like are written as three octal digits.
fn unescape(text: &str) -> std::ffi::OsString {
    use std::os::unix::ffi::OsStringExt;
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let digits =
            tail.get(..3).filter(|digits| first == b'\\' && digits.iter().all(|d| (b'0'..=b'7').contains(d)));
        match digits {
            Some(digits) => {
                bytes.push(
                    digits.iter().fold(0_u8, |value, digit| value.wrapping_mul(8).wrapping_add(digit - b'0')),
                );
                rest = &tail[3..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    std::ffi::OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn lines_of_the_table_are_read() {
        let line = r"412 28 0:57 / /mnt/a\040b rw,nosuid - fuse drivetrain:dc1500m rw,user_id=0,allow_other";
        let spelled = r"/mnt/a\040b".to_owned();
        let (minor, system) = ("57".to_owned(), "fuse, drivetrain:dc1500m".to_owned());
        let (device, root, point) = ("0:57".to_owned(), "/".into(), "/mnt/a b".into());
        let mounted =
            Mounted { id: 412, parent: 28, device, root, minor, point, spelled, system, is_ours: true };
        assert_eq!(parse(line), Some(mounted));
        let other =
            parse("36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue").unwrap();
        assert!(!other.is_ours && other.point == Path::new("/mnt2") && other.root == Path::new("/mnt1"));
        assert_eq!(other.system, "ext3, /dev/root");
        for broken in ["", "-", "a - b", "1 2 3 4 - fuse.drivetrain", r"1 2 0:3 / /x\9 - x"] {
            let _ = parse(broken);
        }
    }

    #[test]
    fn what_was_mounted_later_over_a_point_or_above_it_hides_it() {
        let table = [
            "20 1 8:1 / / rw - ext4 /dev/sda rw",
            "30 20 0:40 / /mnt rw - tmpfs none rw",
            "31 30 0:50 / /mnt/a rw - fuse drivetrain:x rw",
            "32 31 0:51 / /mnt/a rw - fuse drivetrain:y rw",
            "33 32 0:52 / /mnt/a rw - tmpfs over rw",
            "34 20 0:53 / /mntx rw - tmpfs beside rw",
            "35 30 0:54 / /mnt/b rw - fuse drivetrain:z rw",
            "36 30 0:55 / /mnt rw - tmpfs above rw",
        ]
        .map(|line| parse(line).unwrap());
        let cover = |number: usize, table: &[Mounted]| cover_of(&table[number], table).map(|cover| cover.id);
        assert_eq!([0, 1].map(|number| cover(number, &table)), [None, Some(36)]);
        let without = &table[..7];
        assert_eq!(
            [1, 2, 3, 4, 5, 6].map(|n| cover(n, without)),
            [None, Some(33), Some(33), None, None, None]
        );
        assert_eq!([2, 6].map(|number| cover(number, &table)), [Some(36), Some(36)]);
    }
}

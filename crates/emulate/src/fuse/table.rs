//! The kernel's table of mounts. Reading it asks no file system anything, so it never hangs.

use std::fs;
use std::path::PathBuf;

/// What the source of mounts of ours begins with; the drive's name follows.
pub(super) const SOURCE: &str = "drivetrain:";

/// One line of the table of mounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mounted {
    /// Minor device number, which also names the connection.
    pub(super) minor: String,
    pub(super) point: PathBuf,
    /// The mount point as the table spells it.
    pub(super) spelled: String,
    /// Whether a modelled drive stands behind it.
    pub(super) is_ours: bool,
}

/// All mounts that this process sees, the lower ones first.
pub(super) fn mounts() -> Vec<Mounted> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    table.lines().filter_map(parse).collect()
}

/// See proc_pid_mountinfo(5): `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`.
fn parse(line: &str) -> Option<Mounted> {
    let (before, after) = line.split_once(" - ")?;
    let mut fields = before.split(' ');
    let device = fields.nth(2)?;
    let spelled = fields.nth(1)?;
    let (_, minor) = device.split_once(':')?;
    let mut of_system = after.split(' ');
    let is_fuse = of_system.next()?.starts_with("fuse");
    let is_ours = is_fuse && of_system.next()?.starts_with(SOURCE);
    let point = PathBuf::from(unescape(spelled));
    Some(Mounted { minor: minor.to_owned(), point, spelled: spelled.to_owned(), is_ours })
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
        let mounted = Mounted { minor: "57".to_owned(), point: "/mnt/a b".into(), spelled, is_ours: true };
        assert_eq!(parse(line), Some(mounted));
        let other =
            parse("36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue").unwrap();
        assert!(!other.is_ours && other.point == Path::new("/mnt2"));
        for broken in ["", "-", "a - b", "1 2 3 4 - fuse.drivetrain", r"1 2 0:3 / /x\9 - x"] {
            let _ = parse(broken);
        }
    }
}

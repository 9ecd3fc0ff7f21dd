//! The mount of a path, from /proc/self/mountinfo.

use std::path::{Path, PathBuf};

/// One mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mount {
    /// Its mount point.
    pub(crate) point: PathBuf,
    /// `major:minor` of its device, as in /sys/dev/block; `0:n` for file systems without one.
    pub(crate) device: String,
    /// Type: `ext4`, `xfs`, `tmpfs`.
    pub(crate) kind: String,
    /// The mounted device: `/dev/vda`, `server:/export`, `tmpfs`.
    pub(crate) source: String,
    /// Options of the mount and of the file system, without repetition.
    pub(crate) options: Vec<String>,
}

impl Mount {
    /// The mount option with this name (`noatime`) or this beginning (`data=`).
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().map(String::as_str).find(|option| {
            option.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })
    }
}

/// The type of the file system of `path`: `ext4`, `xfs`, `btrfs`. `None` if it is not known.
pub fn filesystem(path: &Path) -> Option<String> {
    let path = std::fs::canonicalize(path).ok()?;
    let mounts = parse_mountinfo(&std::fs::read_to_string("/proc/self/mountinfo").ok()?);
    of_path(&mounts, &path).map(|mount| mount.kind.clone())
}

/// Reads mountinfo, in its order; lines in another form are left out (proc_pid_mountinfo(5)).
pub(crate) fn parse_mountinfo(text: &str) -> Vec<Mount> {
    text.lines().filter_map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<Mount> {
    // A variable number of optional fields ends with a lone hyphen.
    let (mount, file_system) = line.split_once(" - ")?;
    let mount: Vec<&str> = mount.split(' ').collect();
    let file_system: Vec<&str> = file_system.split(' ').collect();
    let mut options: Vec<String> = Vec::new();
    for option in mount.get(5)?.split(',').chain(file_system.get(2).unwrap_or(&"").split(',')) {
        if !option.is_empty() && !options.iter().any(|known| known == option) {
            options.push(option.to_owned());
        }
    }
    Some(Mount {
        device: (*mount.get(2)?).to_owned(),
        point: PathBuf::from(unescape(mount.get(4)?)),
        kind: (*file_system.first()?).to_owned(),
        source: unescape(file_system.get(1)?),
        options,
    })
}

/// The mount a real (canonical) path lies on: the longest mount point above it, the latest of those.
pub(crate) fn of_path<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.point))
        // Of several equal ones `max_by_key` takes the last: it was mounted over the others.
        .max_by_key(|mount| mount.point.components().count())
}

/// White space and backslashes in paths are written as `\040` and the like.
fn unescape(field: &str) -> String {
    let bytes = field.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match octal(bytes.get(at..at + 4)) {
            Some(byte) => {
                plain.push(byte);
                at += 4;
            }
            None => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

fn octal(escape: Option<&[u8]>) -> Option<u8> {
    let [b'\\', digits @ ..] = escape? else { return None };
    digits.iter().try_fold(0_u8, |value, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 8)?;
        value.checked_mul(8)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MOUNTINFO: &str = "\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard,resv_strict
22 27 0:21 / /proc rw,relatime - proc proc rw
40 27 8:17 /sub /mnt/my\\040disk rw,noatime shared:7 master:1 - xfs /dev/sdb1 rw,attr2,noquota
41 40 0:44 / /mnt/my\\040disk/fast rw - tmpfs tmpfs rw,size=4k
42 27 8:33 / /mnt/over rw - ext4 /dev/sdc1 rw
43 42 8:49 / /mnt/over rw - btrfs /dev/sdd1 rw,compress=zstd:3
nonsense
";

    #[test]
    fn the_longest_and_latest_mount_wins() {
        let mounts = parse_mountinfo(MOUNTINFO);
        assert_eq!(mounts.len(), 6);
        let on = |path: &str| of_path(&mounts, Path::new(path)).unwrap();
        assert_eq!(on("/home/x").device, "254:0");
        assert_eq!(on("/mnt/my disk/data").kind, "xfs");
        assert_eq!(on("/mnt/my disk/fast/x").kind, "tmpfs");
        assert_eq!(on("/mnt/my diskette").kind, "ext4", "names, not letters, are compared");
        assert_eq!(on("/mnt/over").kind, "btrfs", "the later one lies over the earlier");
    }

    #[test]
    fn options_of_mount_and_file_system_are_joined() {
        let mounts = parse_mountinfo(MOUNTINFO);
        assert_eq!(mounts[0].options, ["rw", "relatime", "discard", "resv_strict"]);
        assert_eq!(mounts[5].option("compress"), Some("compress=zstd:3"));
        assert_eq!(mounts[0].option("disc"), None);
        assert_eq!(mounts[0].option("discard"), Some("discard"));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_without_panic(text in "[ \\\\0-9a-z/:,\n-]{0,300}", path in "/[a-z/]{0,20}") {
            let mounts = parse_mountinfo(&text);
            let _ = of_path(&mounts, Path::new(&path));
        }
    }
}

//! How mounts end, whatever happens to the process: in order, by a watcher after a kill, and what a dead process left behind.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::mount::UnmountFlags;

use super::helper;
use super::support::{self, Way};

/// What the source of mounts of ours begins with in the table of mounts; the drive's name follows.
pub(super) const SOURCE: &str = "drivetrain:";
/// How long programs under the mount may take to leave it.
const PATIENCE: Duration = Duration::from_secs(2);
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
/// Waits for a word or for our end, whichever comes first; after our end it takes the mount down, unless a living one has its place already.
const WATCH: &str = r#"read -r word && exit 0; stat -f -- "$1" || umount -l -- "$1" || "$2" -u -z -- "$1""#;

/// A small process that takes the mount down when this one is killed. Ends with this value.
#[derive(Debug)]
pub(super) struct Watcher {
    child: Child,
}

impl Watcher {
    pub(super) fn start(mountpoint: &Path, way: &Way) -> io::Result<Watcher> {
        let helper = match way {
            Way::Helper(program) => program.as_path(),
            Way::Itself => Path::new("fusermount3"),
        };
        let child = Command::new("sh")
            .args(["-c", WATCH, "drivetrain-mount-watcher"])
            .args([mountpoint, helper])
            .current_dir("/")
            // Ctrl-C at the terminal is for us, not for the watcher.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Watcher { child })
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.child.stdin.take() {
            let _ = pipe.write_all(b"done\n");
        }
        let _ = self.child.wait();
    }
}

/// Unmounts. Programs that still use the mount get a moment; then it goes from under them, and their calls fail instead of hanging.
pub(super) fn unmount(mountpoint: &Path, way: &Way) -> io::Result<()> {
    let connection = connection_of(mountpoint);
    let started = Instant::now();
    loop {
        match unmount_once(mountpoint, way) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::ResourceBusy && started.elapsed() < PATIENCE => {
                std::thread::sleep(LOOK_INTERVAL);
            }
            Err(_) => break,
        }
    }
    // What is still open cannot be served any more. The kernel says that a mount that is in use stays, and ends its connection all the same.
    let _ = rustix::mount::unmount(mountpoint, UnmountFlags::FORCE | UnmountFlags::NOFOLLOW);
    detach(mountpoint, way)?;
    if let Some(connection) = connection {
        let _ = fs::write(connection.join("abort"), "1");
    }
    Ok(())
}

fn unmount_once(mountpoint: &Path, way: &Way) -> io::Result<()> {
    match (rustix::mount::unmount(mountpoint, UnmountFlags::NOFOLLOW), way) {
        (Ok(()) | Err(Errno::INVAL), _) => Ok(()),
        (Err(Errno::PERM), Way::Helper(helper)) => by_helper(helper, mountpoint, false),
        (Err(error), _) => Err(error.into()),
    }
}

fn detach(mountpoint: &Path, way: &Way) -> io::Result<()> {
    match (rustix::mount::unmount(mountpoint, UnmountFlags::DETACH | UnmountFlags::NOFOLLOW), way) {
        (Ok(()) | Err(Errno::INVAL), _) => Ok(()),
        (Err(Errno::PERM), Way::Helper(helper)) => by_helper(helper, mountpoint, true),
        (Err(error), _) => Err(error.into()),
    }
}

/// As an ordinary user, through the helper of the FUSE package. What is mounted no more is as good as unmounted.
fn by_helper(helper: &Path, mountpoint: &Path, lazily: bool) -> io::Result<()> {
    helper::unmount(helper, mountpoint, lazily)
        .or_else(|error| if is_mounted(mountpoint) { Err(error) } else { Ok(()) })
}

/// Whether a mount of ours is there.
pub(super) fn is_mounted(mountpoint: &Path) -> bool {
    mounts().iter().any(|mount| mount.is_ours && mount.point == mountpoint)
}

/// The kernel's folder of the connection behind a mount, to end it with.
fn connection_of(mountpoint: &Path) -> Option<PathBuf> {
    let mount = mounts().into_iter().rev().find(|mount| mount.point == mountpoint)?;
    Some(Path::new("/sys/fs/fuse/connections").join(mount.minor))
}

/// Lets the kernel hold as many unwritten pages of this mount as of a drive's; for FUSE it keeps to 1 % otherwise, and writers wait.
pub(super) fn allow_dirty_pages(mountpoint: &Path) {
    let Some(mount) = mounts().into_iter().rev().find(|mount| mount.point == mountpoint) else { return };
    let folder = PathBuf::from(format!("/sys/class/bdi/0:{}", mount.minor));
    // Without the rights of root it stays as it is.
    let _ = fs::write(folder.join("strict_limit"), "0");
    let _ = fs::write(folder.join("max_ratio"), "100");
}

/// Takes down mounts of ours at `path` or below whose process is dead, and says which they were. Living mounts stay.
///
/// # Errors
/// When a dead mount cannot be taken down.
pub fn repair_stale(path: &Path) -> io::Result<Vec<PathBuf>> {
    // The path itself may be dead, and cannot be resolved then.
    let path = fs::canonicalize(path).or_else(|_| std::path::absolute(path))?;
    take_down_dead(|point| point.starts_with(&path))
}

/// Takes down a mount of ours at `path` alone, which is spelled as the table of mounts has it, when its process is dead. Whether there was one.
///
/// # Errors
/// When it cannot be taken down.
pub fn repair_exactly(path: &Path) -> io::Result<bool> {
    take_down_dead(|point| point == path).map(|repaired| !repaired.is_empty())
}

/// Whether a mount of ours whose process is dead is there.
pub fn is_stale(path: &Path) -> bool {
    mounts().iter().any(|mount| mount.point == path && mount.is_dead())
}

fn take_down_dead(is_meant: impl Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut repaired = Vec::new();
    for mount in mounts().into_iter().rev() {
        if is_meant(&mount.point) && mount.is_dead() {
            // Where nobody may mount any more, the kernel says so itself.
            detach(&mount.point, &support::way().unwrap_or(Way::Itself))?;
            repaired.push(mount.point);
        }
    }
    Ok(repaired)
}

/// One line of the table of mounts.
#[derive(Debug, PartialEq, Eq)]
struct Mounted {
    /// Minor device number, which also names the connection.
    minor: String,
    point: PathBuf,
    is_ours: bool,
}

impl Mounted {
    /// Whether it is ours, and nobody serves it any more.
    fn is_dead(&self) -> bool {
        self.is_ours && matches!(rustix::fs::statfs(&self.point), Err(Errno::NOTCONN))
    }
}

fn mounts() -> Vec<Mounted> {
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    table.lines().filter_map(parse).collect()
}

/// See proc_pid_mountinfo(5): `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`.
fn parse(line: &str) -> Option<Mounted> {
    let (before, after) = line.split_once(" - ")?;
    let mut fields = before.split(' ');
    let device = fields.nth(2)?;
    let point = unescape(fields.nth(1)?);
    let (_, minor) = device.split_once(':')?;
    let mut of_system = after.split(' ');
    let is_fuse = of_system.next()?.starts_with("fuse");
    let is_ours = is_fuse && of_system.next()?.starts_with(SOURCE);
    Some(Mounted { minor: minor.to_owned(), point: PathBuf::from(point), is_ours })
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

    #[test]
    fn lines_of_the_table_are_read() {
        let line = r"412 28 0:57 / /mnt/a\040b rw,nosuid - fuse drivetrain:dc1500m rw,user_id=0,allow_other";
        let mounted = Mounted { minor: "57".to_owned(), point: "/mnt/a b".into(), is_ours: true };
        assert_eq!(parse(line), Some(mounted));
        let other =
            parse("36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue").unwrap();
        assert!(!other.is_ours && other.point == Path::new("/mnt2"));
        for broken in ["", "-", "a - b", "1 2 3 4 - fuse.drivetrain", r"1 2 0:3 / /x\9 - x"] {
            let _ = parse(broken);
        }
    }

    #[test]
    fn nothing_is_repaired_where_nothing_is_dead() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(repair_stale(dir.path()).unwrap(), Vec::<PathBuf>::new());
    }
}

//! The end of mounts, whatever happens to the process: in order, by a watcher after a kill, and the removal
//! of a dead process's mounts.
//!
//! A mount is known by its point and the number of its connection, as the kernel's table has them, from the
//! moment it was made: foreign mounts in its place or over it are not touched.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::UnmountFlags;

use ground::Clock;

use super::answering::{Answer, Silent, ask, resolve_outside};
use super::helper;
use super::support::{self, Way};
use super::table::{Mounted, cover_of, mounts};

/// The time in which programs under the mount may leave it.
const PATIENCE: Duration = Duration::from_secs(2);
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
/// The time in which the kernel writes back what programs in a mount in use have written. A drive that stalls
/// must not keep this process for ever.
const WRITE_BACK_LIMIT: Duration = Duration::from_secs(60);
/// The kernel's directory in which root and the mounting user can end connections, if that file system is
/// mounted.
const CONNECTIONS: &str = "/sys/fs/fuse/connections";
/// Waits for a word or for our end, whichever comes first. After our end it takes the mount down, unless a
/// living one has its place already. One that gives no answer at all has lost us and not its connection,
/// which is ended first. Arguments: mount point, helper, device number, mount point as the table spells it,
/// the file that ends the connection.
const WATCH: &str = r#"
read -r word && exit 0
is_on_top() {
    top=
    while read -r id parent device root point rest; do
        if [ "$point" = "$4" ]; then top=$device; fi
    done < /proc/self/mountinfo
    [ "$top" = "$3" ]
}
end_connection() { is_on_top "$@" && { echo 1 > "$5" || umount -f -- "$1"; }; }
is_on_top "$@" || exit 0
{ sleep 5; end_connection "$@"; } & late=$!
if stat -f -- "$1"; then kill "$late"; exit 0; fi
kill "$late"
is_on_top "$@" || exit 0
umount -l -- "$1" || "$2" -u -z -- "$1"
"#;

/// One mount of this process, told from all others.
#[derive(Clone, Debug)]
pub(super) struct Own {
    mounted: Mounted,
}

/// The way in which a mount went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Departure {
    /// Nobody used it any more.
    Unused,
    /// Programs still used it: their calls fail from now on. The data that they had written were written back
    /// before.
    InUse,
    /// Programs still used it, and data that they had written are lost, for this reason.
    Lost(String),
}

/// The state of a mount of ours in the table of mounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Gone,
    /// Somebody has mounted something else over it.
    Covered,
    OnTop,
}

impl Own {
    /// The mount that has just been made at `point`.
    ///
    /// # Errors
    /// It is not in the table of mounts.
    pub(super) fn at(point: &Path) -> io::Result<Own> {
        let found = mounts().into_iter().rev().find(|mount| mount.is_ours && mount.point == point);
        let missing = || io::Error::other("/proc/self/mountinfo does not show what was mounted");
        found.map(|mounted| Own { mounted }).ok_or_else(missing)
    }

    /// True while it is mounted.
    pub(super) fn is_there(&self) -> bool {
        self.standing(&mounts()) != Standing::Gone
    }

    fn standing(&self, table: &[Mounted]) -> Standing {
        let mut here = table.iter().rev().filter(|mount| mount.point == self.mounted.point);
        match here.next() {
            Some(top) if *top == self.mounted => Standing::OnTop,
            Some(_) if here.any(|mount| *mount == self.mounted) => Standing::Covered,
            _ => Standing::Gone,
        }
    }

    /// The file that ends its connection.
    fn abort(&self) -> PathBuf {
        Path::new(CONNECTIONS).join(&self.mounted.minor).join("abort")
    }

    /// Its number as a device, such as `0:52`, by which the kernel's files name it.
    pub(super) fn device(&self) -> &str {
        &self.mounted.device
    }

    /// Unmounts. Programs that still use the mount get a moment; then the data that they wrote are written
    /// back, the mount goes from under them, and their calls fail instead of hanging. `written` gives the
    /// places in it of the files that may have such data.
    ///
    /// # Errors
    /// Something else is mounted over it, or the system's words.
    pub(super) fn unmount(&self, way: &Way, written: impl FnOnce() -> Vec<PathBuf>) -> io::Result<Departure> {
        let point = &self.mounted.point;
        let started = Clock::Wall.stopwatch();
        loop {
            match self.unmount_once(way) {
                Ok(()) => return Ok(Departure::Unused),
                Err(error) if error.kind() == ErrorKind::ResourceBusy && started.elapsed() < PATIENCE => {
                    Clock::Wall.sleep(LOOK_INTERVAL);
                }
                Err(_) => break,
            }
        }
        match self.standing(&mounts()) {
            Standing::Gone => return Ok(Departure::Unused),
            Standing::Covered => return Err(covered()),
            Standing::OnTop => {}
        }
        let departure = match write_back(point, written()) {
            Ok(()) => Departure::InUse,
            Err(error) => Departure::Lost(error.to_string()),
        };
        // Open files cannot be served any more. The kernel says that a mount in use stays, and ends its
        // connection all the same.
        let _ = rustix::mount::unmount(point, UnmountFlags::FORCE | UnmountFlags::NOFOLLOW);
        if self.is_there() {
            let _ = fs::write(self.abort(), "1"); // Without that file system programs that hold files wait for our end.
            detach(point, way)?;
        }
        Ok(departure)
    }

    fn unmount_once(&self, way: &Way) -> io::Result<()> {
        let point = &self.mounted.point;
        match self.standing(&mounts()) {
            Standing::Gone => return Ok(()),
            Standing::Covered => return Err(covered()),
            Standing::OnTop => {}
        }
        match (rustix::mount::unmount(point, UnmountFlags::NOFOLLOW), way) {
            (Ok(()) | Err(Errno::INVAL), _) => Ok(()),
            (Err(Errno::PERM), Way::Helper(helper)) => by_helper(helper, point, false),
            (Err(error), _) => Err(error.into()),
        }
    }
}

/// Lets the kernel write back what programs have written to these files below `point`, which lies in its
/// memory alone. One by one, as syncfs(2) does not wait for a file system that a program serves.
fn write_back(point: &Path, files: Vec<PathBuf>) -> io::Result<()> {
    let files: Vec<PathBuf> = files.iter().map(|file| point.join(file)).collect();
    let (tell, told) = channel();
    // The end of the connection ends this thread as well.
    std::thread::spawn(move || {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let written = files.into_iter().try_for_each(|file| {
            match rustix::fs::open(&file, flags, Mode::empty()).and_then(rustix::fs::fdatasync) {
                // One that has no name any more keeps no data.
                Ok(()) | Err(Errno::NOENT) => Ok(()),
                Err(error) => Err(io::Error::new(error.kind(), format!("{}: {error}", file.display()))),
            }
        });
        let _ = tell.send(written); // Nobody waits any more where that took too long.
    });
    let late = |_| Err(io::Error::new(ErrorKind::TimedOut, "the drive did not take it in time"));
    told.recv_timeout(WRITE_BACK_LIMIT).unwrap_or_else(late)
}

fn covered() -> io::Error {
    io::Error::new(ErrorKind::ResourceBusy, "another file system is mounted over it")
}

/// A small process that takes the mount down when this one is killed. Ends with this value.
#[derive(Debug)]
pub(super) struct Watcher {
    child: Child,
}

impl Watcher {
    pub(super) fn start(own: &Own, way: &Way) -> io::Result<Watcher> {
        let helper = match way {
            Way::Helper(program) => program.as_path(),
            Way::Itself => Path::new("fusermount3"),
        };
        let device = format!("0:{}", own.mounted.minor);
        let child = Command::new("sh")
            .args(["-c", WATCH, "drivetrain-mount-watcher"])
            .args([&own.mounted.point, helper])
            .args([device.as_str(), &own.mounted.spelled])
            .arg(own.abort())
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

fn detach(mountpoint: &Path, way: &Way) -> io::Result<()> {
    match (rustix::mount::unmount(mountpoint, UnmountFlags::DETACH | UnmountFlags::NOFOLLOW), way) {
        (Ok(()) | Err(Errno::INVAL), _) => Ok(()),
        (Err(Errno::PERM), Way::Helper(helper)) => by_helper(helper, mountpoint, true),
        (Err(error), _) => Err(error.into()),
    }
}

/// As an ordinary user, through the helper of the FUSE package. A path that is no longer mounted counts as
/// unmounted.
fn by_helper(helper: &Path, mountpoint: &Path, lazily: bool) -> io::Result<()> {
    let is_mounted = || mounts().iter().any(|mount| mount.is_ours && mount.point == mountpoint);
    helper::unmount(helper, mountpoint, lazily)
        .or_else(|error| if is_mounted() { Err(error) } else { Ok(()) })
}

/// A mount of ours that cannot be asked whether it is dead, because another one hides it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Its place.
    pub point: PathBuf,
    /// The place of the mount that hides it.
    pub by: PathBuf,
    /// Kind and source of that mount.
    pub system: String,
}

/// The result of a repair of dead mounts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repaired {
    /// The unmounted points; a point with several mounts is listed several times.
    pub unmounted: Vec<PathBuf>,
    /// Left alone.
    pub hidden: Vec<Hidden>,
    /// Left alone, because they say neither that they live nor that they are dead.
    pub silent: Vec<Silent>,
}

/// Takes down mounts of ours at `path` or below whose process is dead, the upper ones first, and says which
/// they were and which could not be looked at. Living mounts stay.
///
/// # Errors
/// When a dead mount cannot be taken down.
pub fn repair_stale(path: &Path) -> io::Result<Repaired> {
    // The path itself may be dead or silent, and cannot be resolved then.
    let path = resolve_outside(path);
    take_down_dead(|point| point.starts_with(&path))
}

/// Takes down a mount of ours at `path` alone, which is spelled as the table of mounts has it, when its
/// process is dead. Whether there was one.
///
/// # Errors
/// When it cannot be taken down.
pub fn repair_exactly(path: &Path) -> io::Result<bool> {
    take_down_dead(|point| point == path).map(|repaired| !repaired.unmounted.is_empty())
}

/// True if there is a mount of ours whose process is dead.
pub fn is_stale(path: &Path) -> bool {
    let table = mounts();
    let mut ours = table.iter().filter(|mount| mount.is_ours && mount.point == path);
    ours.any(|mount| cover_of(mount, &table).is_none() && ask(&mount.point) == Answer::Dead)
}

fn take_down_dead(is_meant: impl Fn(&Path) -> bool) -> io::Result<Repaired> {
    let mut repaired = Repaired::default();
    let mut seen = Vec::new();
    // Each mount that goes may bring another one to light.
    loop {
        let table = mounts();
        let ours = table.iter().rev().filter(|mount| mount.is_ours && is_meant(&mount.point));
        let mut in_sight =
            ours.filter(|mount| cover_of(mount, &table).is_none() && !seen.contains(&mount.id));
        let Some(mount) = in_sight.next() else {
            repaired.hidden = hidden(&table, is_meant);
            return Ok(repaired);
        };
        let answer = ask(&mount.point);
        if answer != Answer::Dead {
            seen.push(mount.id);
            repaired.silent.extend((answer == Answer::None).then(|| Silent::at(&mount.point)));
            continue;
        }
        // Where nobody may mount any more, the kernel says so itself.
        detach(&mount.point, &support::way().unwrap_or(Way::Itself))?;
        seen.push(mount.id);
        repaired.unmounted.push(mount.point.clone());
    }
}

/// Mounts of ours that others hide.
fn hidden(table: &[Mounted], is_meant: impl Fn(&Path) -> bool) -> Vec<Hidden> {
    let ours = table.iter().filter(|mount| mount.is_ours && is_meant(&mount.point));
    let covered = ours.filter_map(|mount| {
        let cover = cover_of(mount, table)?;
        let (point, by, system) = (mount.point.clone(), cover.point.clone(), cover.system.clone());
        Some(Hidden { point, by, system })
    });
    covered.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_repaired_where_nothing_is_dead() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(repair_stale(dir.path()).unwrap(), Repaired::default());
    }

    #[test]
    fn a_mount_is_told_from_another_in_its_place() {
        let mounted = |minor: &str, point: &str, is_ours| Mounted {
            id: 1,
            parent: 0,
            system: String::new(),
            device: format!("0:{minor}"),
            root: "/".into(),
            minor: minor.into(),
            point: point.into(),
            spelled: point.into(),
            is_ours,
        };
        let own = Own { mounted: mounted("57", "/mnt/a", true) };
        let (ours, below, above) =
            (own.mounted.clone(), mounted("3", "/mnt/a", false), mounted("58", "/mnt/a", true));
        let standing =
            |table: &[&Mounted]| own.standing(&table.iter().map(|&m| m.clone()).collect::<Vec<_>>());
        assert_eq!(standing(&[&below, &ours]), Standing::OnTop);
        assert_eq!(standing(&[&ours, &above]), Standing::Covered);
        assert_eq!(standing(&[&below, &above]), Standing::Gone);
        assert_eq!(standing(&[&mounted("57", "/mnt/b", true)]), Standing::Gone);
        assert_eq!(
            standing(&[&mounted("57", "/mnt/a", false)]),
            Standing::Gone,
            "the number is somebody else's now"
        );
        assert_eq!(own.abort(), Path::new("/sys/fs/fuse/connections/57/abort"));
    }
}

//! The place of the tests' files: a file system of their own, where root may make one.
//!
//! Tests of servers make and remove tens of thousands of files. An ext4 without a journal steps over each
//! inode that was freed within the last five minutes when it makes a file (`recently_deleted` in
//! fs/ext4/ialloc.c of Linux), so that the tests slow each other down. A fresh XFS has no such rule, and
//! clones the data sets of beds instead of copying them.
//!
//! Invariant: the mount lives in a mount namespace of this call and of what it starts. It ends with them, and
//! nobody else sees it.

use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus};

use anyhow::Context;
use testkit::need;

/// Set for the call that has the file system.
const INSIDE: &str = "DRIVETRAIN_TESTS_INSIDE";
/// Mounts the image `$1` at `$2` and becomes the rest of its arguments. The image has no name from then on,
/// so it goes with the mount. The mount lets servers of other users in.
const MOUNT: &str = "mount -o loop,noatime,discard \"$1\" \"$2\" && rm \"$1\" && chmod 1777 \"$2\" || exit 125; \
                     export TMPDIR=\"$2\"; shift 2; exec \"$@\"";
/// The status of the shell when it could not mount.
const NOT_MOUNTED: i32 = 125;
/// The size of the file system. The image is sparse: it takes the room of the files that are there.
const SIZE: &str = "12G";

/// Runs this call again on a file system of its own, and gives its end; `None` when it goes on as it is: it
/// has the file system already, or this user or this machine cannot mount one.
///
/// # Errors
/// When the call cannot be started again.
pub(super) fn again() -> anyhow::Result<Option<ExitStatus>> {
    if std::env::var_os(INSIDE).is_some() || !need::is_root() {
        return Ok(None);
    }
    // A short name: the paths of servers' sockets have a limit.
    let home = tempfile::Builder::new().prefix("dt-").tempdir().context("making a temporary directory")?;
    std::fs::set_permissions(home.path(), Permissions::from_mode(0o755)).context("opening it to servers")?;
    let (image, folder) = (home.path().join("image"), home.path().join("m"));
    std::fs::create_dir(&folder).with_context(|| format!("making {}", folder.display()))?;
    if !made(&image) {
        return Ok(None);
    }
    let program = std::env::current_exe().context("finding this program")?;
    let mut command = vec![program.into_os_string()];
    command.extend(std::env::args_os().skip(1));
    on(&image, &folder, &command)
}

/// True when the image holds a file system.
fn made(image: &Path) -> bool {
    let ran = |program: &str, arguments: &[&str]| {
        let status = Command::new(program).args(arguments).arg(image).status();
        status.is_ok_and(|status| status.success())
    };
    ran("truncate", &["--size", SIZE]) && ran("mkfs.xfs", &["-q", "-f"])
}

/// The end of a command that runs on the mounted image; `None` when it cannot be mounted.
fn on(image: &Path, folder: &Path, command: &[OsString]) -> anyhow::Result<Option<ExitStatus>> {
    let status = Command::new("unshare")
        .args(["--mount", "sh", "-c", MOUNT, "sh"])
        .args([image, folder])
        .args(command)
        .env(INSIDE, folder)
        .status()
        .context("starting unshare")?;
    Ok((status.code() != Some(NOT_MOUNTED)).then_some(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_the_file_system_and_nobody_else_sees_it() {
        let temporary = tempfile::tempdir().unwrap();
        let (image, folder) = (temporary.path().join("image"), temporary.path().join("mount"));
        std::fs::create_dir(&folder).unwrap();
        assert!(!made(Path::new("/proc/none")));
        let can_mount = need::root().and_then(|()| need::program("mkfs.xfs"));
        if can_mount.is_none() {
            return;
        }
        assert!(made(&image));
        let look = "test \"$(stat -f -c %T \"$TMPDIR\")\" = xfs && touch \"$TMPDIR/file\" && exit 7";
        let command = ["sh", "-c", look].map(OsString::from);
        let Some(ended) = on(&image, &folder, &command).unwrap() else {
            return need::skip("this machine mounts no image of a file system");
        };
        assert_eq!(ended.code(), Some(7));
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        assert!(!image.exists());
        assert!(on(&image, &folder, &command).unwrap().is_none(), "no image, no mount");
    }
}

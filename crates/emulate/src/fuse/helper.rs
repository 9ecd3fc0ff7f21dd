//! The helper of the FUSE package, which mounts and unmounts for ordinary users.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Unmounts. `lazily`: also while it is in use.
///
/// # Errors
/// The helper's own words.
pub(super) fn unmount(helper: &Path, mountpoint: &Path, lazily: bool) -> io::Result<()> {
    let mut command = Command::new(helper);
    command.arg("-u");
    if lazily {
        command.arg("-z");
    }
    let output = command.arg("--").arg(mountpoint).env("LC_ALL", "C").stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let kind = if words.contains("busy") { io::ErrorKind::ResourceBusy } else { io::ErrorKind::Other };
    Err(io::Error::new(kind, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn script(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("helper");
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        (dir, path)
    }

    #[test]
    fn what_is_in_use_is_told_from_other_refusals() {
        let (_dir, helper) =
            script("echo 'fusermount3: failed to unmount /mnt: Device or resource busy' >&2; exit 1");
        let error = unmount(&helper, Path::new("/mnt"), false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy, "{error}");
        let (_dir, helper) = script("echo \"$*\" >&2; exit 1");
        assert_eq!(unmount(&helper, Path::new("/mnt"), true).unwrap_err().to_string(), "-u -z -- /mnt");
        let (_dir, helper) = script("exit 0");
        unmount(&helper, Path::new("/mnt"), false).unwrap();
    }
}

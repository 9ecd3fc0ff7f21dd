//! The check that this machine lets us mount our own file system, and the remedy if it does not.

use std::borrow::Cow;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::EmulateError;

/// The device through which the kernel asks.
const DEVICE: &str = "/dev/fuse";
/// The program of the package fuse3 that mounts for ordinary users.
const HELPER: &str = "fusermount3";
/// Its directories, besides the search path.
const HELPER_FOLDERS: [&str; 5] = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/run/wrappers/bin"];
/// The mode bit of a program that mounts for others: it makes the program run as its owner, root.
const SET_USER_ID: u32 = 0o4000;

/// The way in which this process mounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By itself, as root; others may be let in.
    Itself,
    /// Through the helper at this path, for its own user alone.
    Helper(PathBuf),
}

/// Success if modelled drives can be mounted here; called before anything is touched.
///
/// # Errors
/// [`EmulateError::NoFuse`] with the reason and what to do.
pub fn check() -> Result<(), EmulateError> {
    way().map(drop)
}

/// The way in which modelled drives are mounted here.
///
/// # Errors
/// As [`check`].
pub(super) fn way() -> Result<Way, EmulateError> {
    let is_root = rustix::process::geteuid().is_root();
    judge(Path::new(DEVICE), is_root, may_gain_rights(), find_helper().as_deref())
}

fn judge(
    device: &Path,
    is_root: bool,
    may_gain_rights: bool,
    helper: Option<&Path>,
) -> Result<Way, EmulateError> {
    let no = |why: String, fix: Cow<'static, str>| Err(EmulateError::NoFuse { why, fix });
    if let Err(error) = fs::File::options().read(true).write(true).open(device) {
        let why = format!("{}: {error}", device.display());
        if error.kind() == ErrorKind::PermissionDenied && !is_root {
            // The helper opens it with the rights of its caller.
            let fix = format!(
                "let an administrator open it to users, as distributions do (chmod 666 {})",
                device.display()
            );
            return no(why, fix.into());
        }
        let fix =
            "load the module (modprobe fuse); in a container pass --device /dev/fuse --cap-add SYS_ADMIN";
        return no(why, fix.into());
    }
    if is_root {
        return Ok(Way::Itself);
    }
    let Some(helper) = helper else {
        let why = format!("an ordinary user mounts through {HELPER}, which is not installed");
        return no(why, "install the package fuse3, or run as root".into());
    };
    if !may_gain_rights {
        let why = format!("this process may not gain rights (no_new_privs), so {HELPER} cannot mount for it");
        return no(why, "start drivetrain outside of that sandbox, or run as root".into());
    }
    if !is_set_user_id(helper) {
        let why = format!("{} may not mount for ordinary users: it does not run as root", helper.display());
        let fix = format!("let an administrator run `chmod u+s {}`, or run as root", helper.display());
        return no(why, fix.into());
    }
    Ok(Way::Helper(helper.to_owned()))
}

fn is_set_user_id(helper: &Path) -> bool {
    // A helper that cannot be looked at speaks for itself when it is called.
    fs::metadata(helper).map_or(true, |metadata| metadata.permissions().mode() & SET_USER_ID != 0)
}

/// The helper, beside nothing else than programs: the search path first.
fn find_helper() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let searched = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    let folders = searched.chain(HELPER_FOLDERS.map(PathBuf::from));
    folders.map(|folder| folder.join(HELPER)).find(|helper| helper.is_file())
}

/// True if a program that this process starts may have more rights than itself.
fn may_gain_rights() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    !status.lines().any(|line| line.strip_prefix("NoNewPrivs:").is_some_and(|value| value.trim() == "1"))
}

/// The lines that the helper has printed, without what ends them.
pub(super) fn in_one_line(words: &str) -> String {
    let lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}

/// The remedy for a refused mount, from the words of the kernel or of the helper.
pub(super) fn advice(words: &str) -> &'static str {
    let about = |text: &str| words.contains(text);
    if about("mount_max") {
        "unmount some (`drivetrain clean` takes down what dead ones left), or let an administrator raise `mount_max` in /etc/fuse.conf"
    } else if about("no write access") || about("not owned by") {
        "name a directory of your own"
    } else if about("mounting over filesystem") {
        "name a directory on an ordinary file system"
    } else if about("device not found") || about("modprobe") {
        "load the module (modprobe fuse); in a container pass --device /dev/fuse"
    } else if about("No such file") {
        "see that fusermount3 of the package fuse3 is on the search path (PATH), and that the directory is there"
    } else if about("not permitted") || about("ermission denied") {
        "mounting is not allowed in this container or sandbox: pass --device /dev/fuse --cap-add SYS_ADMIN, or use real storage \
         (`--storage BED=PATH`)"
    } else {
        "name an empty directory outside the backing one, or the backing one itself"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn helper(mode: u32) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn what_is_missing_is_named_with_what_to_do() {
        let device = tempfile::NamedTempFile::new().unwrap();
        let (able, unable) = (helper(0o4755), helper(0o755));
        let words = |device: &Path, is_root, may_gain, helper| {
            judge(device, is_root, may_gain, helper).unwrap_err().to_string()
        };
        let text = words(Path::new("/no/fuse"), true, true, None);
        assert!(text.contains("/no/fuse") && text.contains("modprobe fuse"), "{text}");
        let text = words(device.path(), false, true, None);
        assert!(text.contains("fusermount3") && text.contains("install the package fuse3"), "{text}");
        let text = words(device.path(), false, true, Some(unable.path()));
        assert!(text.contains("chmod u+s"), "{text}");
        let text = words(device.path(), false, false, Some(able.path()));
        assert!(text.contains("no_new_privs"), "{text}");
        assert_eq!(judge(device.path(), true, false, None).unwrap(), Way::Itself);
        let helper = Way::Helper(able.path().to_owned());
        assert_eq!(judge(device.path(), false, true, Some(able.path())).unwrap(), helper);
    }

    #[test]
    fn the_words_of_the_helper_are_one_line() {
        let words = "fusermount3: user has no write access to mountpoint /srv/s\n";
        assert_eq!(in_one_line(words), words.trim_end());
        assert_eq!(in_one_line("one\r\n\n two\n"), "one; two");
    }

    #[test]
    fn a_refusal_is_answered_by_what_it_is_about() {
        let access = "fusermount3: user has no write access to mountpoint /mnt";
        for (words, about) in [
            (access, "of your own"),
            ("fusermount3: too many FUSE filesystems mounted; mount_max=1 can be set in x", "mount_max"),
            ("fusermount3: mount failed: Operation not permitted", "container"),
            ("Device or resource busy", "empty directory"),
        ] {
            assert!(advice(words).contains(about), "{words}: {}", advice(words));
        }
    }
}

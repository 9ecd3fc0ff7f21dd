//! Whether this machine lets us mount a file system of our own, and what to do where it does not.

use std::path::{Path, PathBuf};

use crate::EmulateError;

/// The device through which the kernel asks.
const DEVICE: &str = "/dev/fuse";
/// Where the helper of the FUSE package that mounts for ordinary users lies.
const HELPERS: [&str; 3] = ["/usr/bin/fusermount3", "/bin/fusermount3", "/usr/sbin/fusermount3"];

/// Whether modelled drives can be mounted here; asked before anything is touched.
///
/// # Errors
/// [`EmulateError::NoFuse`] with the reason and what to do.
pub fn check() -> Result<(), EmulateError> {
    judge(Path::new(DEVICE), rustix::process::geteuid().is_root(), &HELPERS.map(PathBuf::from))
}

fn judge(device: &Path, is_root: bool, helpers: &[PathBuf]) -> Result<(), EmulateError> {
    let no = |why: String, fix: &'static str| Err(EmulateError::NoFuse { why, fix });
    if let Err(error) = std::fs::File::options().read(true).write(true).open(device) {
        let why = format!("{}: {error}", device.display());
        return match error.kind() {
            std::io::ErrorKind::PermissionDenied => no(why, "run as root, or let your user open the device"),
            _ => no(
                why,
                "load the module (modprobe fuse); in a container pass --device /dev/fuse --cap-add SYS_ADMIN",
            ),
        };
    }
    if !is_root && !helpers.iter().any(|helper| helper.exists()) {
        let why = "an ordinary user mounts through fusermount3, which is not installed".to_owned();
        return no(why, "run as root, or install the package fuse3");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_what_to_do() {
        let text = judge(Path::new("/no/fuse"), true, &[]).unwrap_err().to_string();
        assert!(text.contains("/no/fuse") && text.contains("modprobe fuse"), "{text}");
        let device = tempfile::NamedTempFile::new().unwrap();
        let text = judge(device.path(), false, &["/no/helper".into()]).unwrap_err().to_string();
        assert!(text.contains("fusermount3") && text.contains("run as root"), "{text}");
        assert!(judge(device.path(), true, &[]).is_ok());
        assert!(judge(device.path(), false, &[device.path().to_owned()]).is_ok());
    }
}

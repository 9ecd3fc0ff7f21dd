//! What the tests need from the distribution, and how it gets there.
//!
//! Database servers are wanted for their programs alone: the system's own services are neither started nor
//! touched.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

/// Programs that tests and benches run, where they lie besides `PATH` (a `*` stands for any directory), and
/// the Debian package of each.
const NEEDED: &[(&str, &[&str], &str)] = &[
    ("chromium", &[], "chromium"),
    ("sysbench", &[], "sysbench"),
    ("fio", &[], "fio"),
    ("initdb", &["/usr/lib/postgresql/*/bin"], "postgresql"),
    ("mariadbd", &["/usr/sbin"], "mariadb-server"),
    ("mariadb-backup", &[], "mariadb-backup"),
    // Loop images for fragments and for the guard of raw devices.
    ("mkfs.ext4", &["/usr/sbin"], "e2fsprogs"),
    ("mkfs.xfs", &["/usr/sbin"], "xfsprogs"),
    ("mkfs.btrfs", &["/usr/sbin"], "btrfs-progs"),
    // Ordinary users mount through it.
    ("fusermount3", &[], "fuse3"),
    // fio_jsonplus_clat2csv of the package fio imports it and does not depend on it.
    ("six.py", &["/usr/lib/python3/dist-packages"], "python3-six"),
];

/// Debian asks this program before a package starts a service.
const POLICY: &str = "/usr/sbin/policy-rc.d";
/// Its answer: no service may be started.
const NO_SERVICES: &str =
    "#!/bin/sh\n# Laid here by `cargo xtask test` while it installs packages; it may be removed.\nexit 101\n";

/// Installs what is missing when root; otherwise says how.
///
/// # Errors
/// When something is missing and cannot be installed.
pub fn install_missing() -> anyhow::Result<()> {
    let missing: Vec<&str> = NEEDED
        .iter()
        .filter(|(program, folders, _)| !is_there(program, folders))
        .map(|&(_, _, package)| package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    if !is_root() {
        bail!("the tests need the Debian packages {list}; install them with: sudo apt-get install {list}");
    }
    let _services = NoServices::begin(Path::new(POLICY))?;
    apt(&["update", "-qq"])?;
    apt(&[&["install", "-y", "-qq", "--no-install-recommends"], missing.as_slice()].concat())
}

/// While this lives no package starts a service; afterwards the system's own rule is back.
#[derive(Debug)]
struct NoServices {
    policy: PathBuf,
    /// Where the system's own rule waits, if it has one.
    aside: Option<PathBuf>,
}

impl NoServices {
    fn begin(policy: &Path) -> anyhow::Result<Self> {
        let aside = policy.with_extension("d.put-aside");
        let had_one = match fs::read_to_string(policy) {
            // Ours, from a run that was killed: the rule that it put aside, if any, still waits.
            Ok(text) if text == NO_SERVICES => aside.exists(),
            Ok(_) => {
                fs::rename(policy, &aside).with_context(|| format!("putting {} aside", policy.display()))?;
                true
            }
            Err(_) => false,
        };
        let guard = Self { policy: policy.to_path_buf(), aside: had_one.then_some(aside) };
        fs::write(policy, NO_SERVICES).with_context(|| format!("writing {}", policy.display()))?;
        fs::set_permissions(policy, fs::Permissions::from_mode(0o755))
            .with_context(|| format!("opening {}", policy.display()))?;
        Ok(guard)
    }
}

impl Drop for NoServices {
    fn drop(&mut self) {
        // Nothing can be done about a failure here, and the file says what it is.
        let _ = match &self.aside {
            Some(aside) => fs::rename(aside, &self.policy),
            None => fs::remove_file(&self.policy),
        };
    }
}

fn apt(arguments: &[&str]) -> anyhow::Result<()> {
    // RUNLEVEL: services that ask for the system's state take it to be in maintenance.
    let status = Command::new("apt-get")
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .env("RUNLEVEL", "1")
        .status()
        .context("running apt-get")?;
    if !status.success() {
        bail!("apt-get {} failed with {status}", arguments.join(" "));
    }
    Ok(())
}

fn is_there(program: &str, folders: &[&str]) -> bool {
    let on_path = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()));
    on_path || folders.iter().any(|folder| is_in(program, folder))
}

fn is_in(program: &str, folder: &str) -> bool {
    let Some((before, after)) = folder.split_once("/*/") else {
        return Path::new(folder).join(program).is_file();
    };
    let versions = fs::read_dir(before).into_iter().flatten().flatten();
    versions.into_iter().any(|version| version.path().join(after).join(program).is_file())
}

fn is_root() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| {
        status.lines().any(|line| line.starts_with("Uid:") && line.split_whitespace().nth(2) == Some("0"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_rule_is_put_back() {
        let folder = std::env::temp_dir().join(format!("drivetrain-xtask-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("the temporary folder is ours");
        let policy = folder.join("policy-rc.d");
        let read = || fs::read_to_string(&policy).ok();
        drop(NoServices::begin(&policy).expect("no rule"));
        assert_eq!(read(), None);
        fs::write(&policy, "theirs").expect("a rule");
        let guard = NoServices::begin(&policy).expect("their rule");
        assert_eq!(read().as_deref(), Some(NO_SERVICES));
        std::mem::forget(guard); // As when it is killed.
        drop(NoServices::begin(&policy).expect("our own rule, left behind"));
        assert_eq!(read().as_deref(), Some("theirs"));
        fs::remove_dir_all(&folder).expect("the temporary folder is ours");
    }

    #[test]
    fn looks_beside_the_path_too() {
        assert!(is_there("sh", &[]));
        assert!(is_there("hostname", &["/no/*/folder", "/etc"]));
        assert!(!is_there("no-such-program", &["/usr/lib/*/bin"]));
    }
}

//! The tests' needs from the distribution, and their installation.
//!
//! Database servers are wanted for their programs alone: the system's own services are neither started nor
//! touched.

#![allow(clippy::print_stdout)] // A part of a command line program: its answer goes to stdout.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use testkit::{need, programs};

/// Debian asks this program before a package starts a service.
const POLICY: &str = "/usr/sbin/policy-rc.d";
/// Its answer: no service may be started.
const NO_SERVICES: &str =
    "#!/bin/sh\n# Laid here by `cargo xtask test` while it installs packages; it may be removed.\nexit 101\n";

/// Installs what is missing when root; otherwise says how, and the tests skip what needs it.
///
/// # Errors
/// When something is missing and cannot be installed.
pub(crate) fn install_missing() -> anyhow::Result<()> {
    let missing: Vec<&str> = programs::NEEDED
        .iter()
        .filter(|needed| needed.find().is_none())
        .map(|needed| needed.package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !need::is_root() {
        let list = missing.join(" ");
        println!("tests that need {list} are skipped; install them with: sudo apt-get install {list}");
        return Ok(());
    }
    let _services = NoServices::begin(Path::new(POLICY))?;
    apt(&["update", "-qq"])?;
    apt(&[&["install", "-y", "-qq", "--no-install-recommends"], missing.as_slice()].concat())
}

/// While this lives no package starts a service; afterwards the system's own rule is back.
#[derive(Debug)]
struct NoServices {
    policy: PathBuf,
    /// The place of the system's own rule meanwhile, if it has one.
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
}

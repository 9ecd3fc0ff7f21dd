//! The package in a clean root: a Debian system that has nothing but its base.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};
use testkit::need;

use super::done;

/// The release of Debian that a program without shared libraries must run on.
const RELEASE: &str = "bookworm";

/// Installs the package into a new root and runs a short demo there: a static program into a root of Debian's
/// [`RELEASE`], another one into a root of the release that it was linked on. Needs root and a mirror; where
/// one of them is missing, it is skipped.
///
/// # Errors
/// When the package does not install or run.
pub(super) fn check(package: &Path, is_static: bool) -> anyhow::Result<()> {
    let Some(()) = need::root() else { return Ok(()) };
    let temp = tempfile::Builder::new().prefix("drivetrain-root-").tempdir()?;
    let root = temp.path().join("root");
    let release = if is_static { RELEASE.to_owned() } else { own_release()? };
    if let Err(why) = make(&root, &release) {
        need::skip(&format!("no clean root to try the package in: {why:#}"));
        return Ok(());
    }
    std::fs::copy(package, root.join("drivetrain.deb"))?;
    let inside = |script: &str| {
        let mut chroot = Command::new("chroot");
        chroot.arg(&root).args(["/bin/sh", "-ec", script]);
        done(&mut chroot, script)
    };
    inside("dpkg --install drivetrain.deb >/dev/null")?;
    inside("drivetrain --version")?;
    inside(
        "ls /usr/share/man/man1/drivetrain-run.1.gz /usr/share/doc/drivetrain/NOTICE /usr/share/doc/drivetrain/guide/servers.md >/dev/null",
    )?;
    inside(
        "mkdir /work && cd /work && drivetrain demo --quiet --json --set design.repeats=2 --set workload.measure=2s >demo.json",
    )?;
    let demo = std::fs::read_to_string(root.join("work/demo.json"))?;
    let document: serde_json::Value = serde_json::from_str(&demo)?;
    let report = document["report"].as_str().and_then(|path| Path::new(path).file_name());
    if document["state"] != "finished" || !report.is_some_and(|name| root.join("work").join(name).exists()) {
        bail!("the demo in the clean root did not finish: {}", document["state"]);
    }
    println!("the package installs into a clean {release} root and runs the demo there");
    Ok(())
}

/// The name of this machine's release, as debootstrap takes it.
fn own_release() -> anyhow::Result<String> {
    let text = std::fs::read_to_string("/etc/os-release").context("reading /etc/os-release")?;
    let name = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    Ok(name.context("/etc/os-release names no release")?.trim_matches('"').to_owned())
}

/// Makes the root, and installs the program for that where it is missing.
fn make(root: &Path, release: &str) -> anyhow::Result<()> {
    if Command::new("debootstrap").arg("--version").output().is_err() {
        done(Command::new("apt-get").args(["update", "-qq"]), "asking for packages")?;
        done(
            Command::new("apt-get").args(["install", "-y", "-qq", "debootstrap"]),
            "installing debootstrap",
        )?;
    }
    let mut debootstrap = Command::new("debootstrap");
    debootstrap.args(["--variant=minbase", release]).arg(root).stdout(std::io::stderr());
    done(&mut debootstrap, "making a clean root")
}

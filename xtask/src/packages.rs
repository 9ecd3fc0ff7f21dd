//! What the tests need from the distribution, and how it gets there.

use std::process::Command;

use anyhow::{Context, bail};

/// Programs that tests and benches run, and the Debian package of each.
const NEEDED: &[(&str, &str)] = &[("chromium", "chromium"), ("fio", "fio")];

/// Installs what is missing when root; otherwise says how.
///
/// # Errors
/// When something is missing and cannot be installed.
pub fn install_missing() -> anyhow::Result<()> {
    let missing: Vec<&str> =
        NEEDED.iter().filter(|(program, _)| !on_path(program)).map(|&(_, package)| package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    if !is_root() {
        bail!("the tests need the Debian packages {list}; install them with: sudo apt-get install {list}");
    }
    apt(&["update", "-qq"])?;
    apt(&[&["install", "-y", "-qq", "--no-install-recommends"], missing.as_slice()].concat())
}

fn apt(arguments: &[&str]) -> anyhow::Result<()> {
    let status = Command::new("apt-get")
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .status()
        .context("running apt-get")?;
    if !status.success() {
        bail!("apt-get {} failed with {status}", arguments.join(" "));
    }
    Ok(())
}

fn on_path(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

fn is_root() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| {
        status.lines().any(|line| line.starts_with("Uid:") && line.split_whitespace().nth(2) == Some("0"))
    })
}

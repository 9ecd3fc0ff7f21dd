//! The notice of a distribution: the packages inside of the program, and the text of each licence.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};

use crate::licences::{Package, packages};

const HEAD: &str = "drivetrain is licensed under MIT or Apache-2.0, at your choice. The program contains SQLite, which is in the \
public domain, and the packages below.\n";

/// The notice of the program that the lock file describes.
///
/// # Errors
/// When cargo does not answer.
pub(super) fn text(root: &Path) -> anyhow::Result<String> {
    let inside = inside(root)?;
    let mut notice = HEAD.to_owned();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages(root)? {
        let name = format!("{} {}", package.name, package.version);
        if !inside.contains(&name) || package.folder.starts_with(root) {
            continue;
        }
        write!(notice, "\n{name}: {}", package.licence)?;
        for text in licence_texts(&package)? {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    for (text, names) in texts {
        write!(notice, "\n\n{}\n{}:\n\n{text}", "-".repeat(80), names.join(", "))?;
    }
    notice.push('\n');
    Ok(notice)
}

/// Names and versions of the packages that are linked into the program.
fn inside(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut tree = super::cargo(root);
    tree.args(["tree", "--locked", "--package", "drivetrain", "--edges", "normal", "--prefix", "none"]);
    let answer = output(tree.args(["--format", "{p}"]))?;
    let name = |line: &str| {
        let (name, rest) = line.split_once(" v")?;
        Some(format!("{name} {}", rest.split(' ').next()?))
    };
    Ok(answer.lines().filter_map(name).collect())
}

fn output(command: &mut Command) -> anyhow::Result<String> {
    let answer = command.output().with_context(|| format!("{command:?}"))?;
    if !answer.status.success() {
        bail!("{command:?} failed: {}", String::from_utf8_lossy(&answer.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&answer.stdout).into_owned())
}

/// The licences and notices in a package's folder.
fn licence_texts(package: &Package) -> anyhow::Result<Vec<String>> {
    let mut files: Vec<_> = fs::read_dir(&package.folder)
        .with_context(|| format!("reading {}", package.folder.display()))?
        .collect::<Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::file_name);
    let is_licence = |file: &fs::DirEntry| {
        let name = file.file_name().to_string_lossy().to_uppercase();
        let begins = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];
        begins.iter().any(|begin| name.starts_with(begin)) && file.path().is_file()
    };
    let texts = files.iter().filter(|file| is_licence(file)).map(|file| fs::read_to_string(file.path()));
    let texts = texts.collect::<Result<Vec<_>, _>>()?;
    Ok(texts.into_iter().map(|text| text.trim().to_owned()).collect())
}

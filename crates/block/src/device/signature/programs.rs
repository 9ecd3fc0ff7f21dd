//! libblkid's own list, through `wipefs` and `blkid` of util-linux: it knows formats of years to come. They
//! only read.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Part, plain};

/// The system's directories for them: the search ignores PATH.
const FOLDERS: [&str; 4] = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];
/// `blkid` found more than one and does not say which.
const AMBIVALENT: i32 = 8;

/// Plain names of the programs' findings; nothing where they are not installed.
pub(super) fn found(part: &Part<'_>) -> Vec<String> {
    let Some(path) = part.path else { return Vec::new() };
    let names = if part.is_whole { all_of(path) } else { one_of(path, part) };
    let mut found: Vec<String> = names.iter().map(|name| plain(name)).collect();
    // A protective entry beside a GPT, and the old table that hybrids have, are part of it.
    if found.iter().any(|name| name == "gpt") {
        found.retain(|name| name != "dos");
    }
    found.sort();
    found.dedup();
    found
}

fn all_of(path: &Path) -> Vec<String> {
    let Some(mut wipefs) = program("wipefs") else { return Vec::new() };
    wipefs.args(["--no-act", "--noheadings", "--output", "TYPE", "--"]).arg(path);
    lines(wipefs).map_or_else(Vec::new, |(lines, _)| lines)
}

fn one_of(path: &Path, part: &Part<'_>) -> Vec<String> {
    let Some(mut blkid) = program("blkid") else { return Vec::new() };
    let (offset, size) = (part.range.start.to_string(), part.size_bytes().to_string());
    blkid.args(["-p", "-o", "value", "-s", "TYPE", "-s", "PTTYPE", "-O", &offset, "-S", &size]).arg(path);
    match lines(blkid) {
        Some((_, Some(AMBIVALENT))) => vec!["ambivalent".to_owned()],
        Some((lines, _)) => lines,
        None => Vec::new(),
    }
}

fn program(name: &str) -> Option<Command> {
    let found: PathBuf =
        FOLDERS.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.is_file())?;
    let mut command = Command::new(found);
    command.env("LC_ALL", "C").stdin(Stdio::null()).stderr(Stdio::null());
    Some(command)
}

/// The output, line by line, and the exit code.
fn lines(mut command: Command) -> Option<(Vec<String>, Option<i32>)> {
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
    Some((lines, output.status.code()))
}

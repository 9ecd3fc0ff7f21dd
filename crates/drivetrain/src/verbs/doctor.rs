//! `drivetrain doctor`: the conditions on this machine that would spoil a measurement, with readings, reasons
//! and remedies.

use std::path::{Path, PathBuf};

use clap::Args;
use host::doctor::{Check, Level};

use crate::console::Console;
use crate::exit::Exit;

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Directories or devices of the planned measurement (default: the current directory)
    targets: Vec<PathBuf>,

    /// Also show the checks without a finding
    #[arg(long)]
    all: bool,
}

/// Examines and prints; exit code 5 when a check blocks.
pub(crate) fn doctor(args: &DoctorArgs, console: &Console) -> anyhow::Result<Exit> {
    let here = [PathBuf::from(".")];
    let targets = if args.targets.is_empty() { &here[..] } else { &args.targets[..] };
    targets.iter().try_for_each(|target| emulate::fuse::check_answers(target))?;
    let checks = host::doctor::examine(&targets.iter().map(PathBuf::as_path).collect::<Vec<&Path>>());
    let blocked = checks.iter().any(|c| matches!(c.level, Level::Block));
    if console.json() {
        console.document(&checks.iter().map(document).collect::<Vec<_>>().into());
    } else {
        console.answer(&text(&checks, args.all));
    }
    Ok(if blocked { Exit::Blocked } else { Exit::Done })
}

fn word(level: &Level) -> &'static str {
    match level {
        Level::Ok => "ok",
        Level::Unknown => "unknown",
        Level::Warn => "warn",
        Level::Block => "BLOCK",
    }
}

fn document(check: &Check) -> serde_json::Value {
    let level = word(&check.level).to_lowercase();
    serde_json::json!({ "id": check.id, "level": level, "read": check.read.to_string(), "why": check.why, "fix": check.fix })
}

fn text(checks: &[Check], all: bool) -> String {
    let count = |wanted: &str| checks.iter().filter(|c| word(&c.level) == wanted).count();
    let mut text = format!("{} ok, {} warn, {} block", count("ok"), count("warn"), count("BLOCK"));
    text.push_str(&match count("unknown") {
        0 => "\n".to_owned(),
        unknown if all => format!(", {unknown} unknown\n"),
        unknown => format!(", {unknown} unknown (`drivetrain doctor --all` shows them)\n"),
    });
    for check in checks.iter().filter(|c| all || c.level >= Level::Warn) {
        // As the reasons and remedies are.
        let read = words::english(|| check.read.to_string());
        text.push_str(&format!("\n{:7}  {}: {read}\n", word(&check.level), check.id));
        if check.level >= Level::Warn {
            text.push_str(&format!("         why: {}\n         do:  {}\n", check.why, check.fix));
        }
    }
    text
}

//! `drivetrain verify`: holds a target to the journal of what it had made durable, after a crash.

use std::path::PathBuf;

use block::{BlockError, Control, FaultKind, VerifyReport};
use clap::Args;

use crate::console::Console;
use crate::exit::{Coded, Exit};

/// Faults that are shown one by one; all are counted.
const SHOWN_MAX: usize = 10;

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  drivetrain block --rw randwrite --verify --fsync 32 --journal /other/device/run.journal --keep --size 1GiB FILE
  ... cut the power, kill the virtual machine ...
  drivetrain verify FILE --journal /other/device/run.journal

A block must hold the write that was last made durable, or a newer one. What it holds instead is called lost (an older write), stale (data from
before the run), flipped, torn, misplaced or unreadable. The target is opened read-only. Exit code 7 when anything is wrong.")]
pub(crate) struct VerifyArgs {
    /// File or device that a run with --verify and --journal wrote to
    target: PathBuf,

    /// The journal of that run
    #[arg(long, value_name = "FILE")]
    journal: PathBuf,
}

/// Verifies and prints what it found.
pub(crate) fn verify(args: &VerifyArgs, console: &Console) -> anyhow::Result<Exit> {
    let interrupt = crate::signals::listen(*console)?;
    let control = Control::with_stop(interrupt.flag());
    let report =
        block::verify_after_crash(&args.target, &args.journal, &control).map_err(|error| match error {
            BlockError::BadJob { .. } => Coded::usage(error.to_string()),
            other => other.into(),
        })?;
    if console.json() {
        console.document(&document(&report));
    } else {
        console.answer(&text(&report));
    }
    Ok(match report.faulty_blocks {
        _ if !report.complete => Exit::Interrupted,
        0 => Exit::Done,
        _ => Exit::InvalidCells,
    })
}

fn text(report: &VerifyReport) -> String {
    let mut text = format!(
        "{} durable blocks of {} bytes were read: {}\n",
        report.checked_blocks,
        report.block_bytes,
        report.summary()
    );
    for fault in report.faults.iter().take(SHOWN_MAX) {
        text.push_str(&format!("  {} at byte {}: {}\n", name(fault.kind), fault.offset_bytes, fault.detail));
    }
    let hidden = report.faulty_blocks.saturating_sub(SHOWN_MAX as u64);
    if hidden > 0 {
        text.push_str(&format!("  and {hidden} more\n"));
    }
    text
}

fn name(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Flipped => "flipped",
        FaultKind::Torn => "torn",
        FaultKind::Lost => "lost",
        FaultKind::Stale => "stale",
        FaultKind::Misplaced => "misplaced",
        FaultKind::Unreadable => "unreadable",
    }
}

fn document(report: &VerifyReport) -> serde_json::Value {
    let fault = |fault: &block::BlockFault| {
        serde_json::json!({
            "offset_bytes": fault.offset_bytes, "kind": name(fault.kind), "detail": fault.detail,
        })
    };
    serde_json::json!({
        "block_bytes": report.block_bytes,
        "checked_blocks": report.checked_blocks,
        "faulty_blocks": report.faulty_blocks,
        "flipped": report.flipped, "torn": report.torn, "lost": report.lost, "stale": report.stale,
        "misplaced": report.misplaced, "unreadable": report.unreadable,
        "faults": report.faults.iter().map(fault).collect::<Vec<_>>(),
        "complete": report.complete,
    })
}

//! `drivetrain verify`: compares a target with the journal of its durable writes, after a crash.

use std::path::PathBuf;

use block::{Control, CrashReport, FaultKind, JournalEnd};
use clap::Args;

use crate::console::Console;
use crate::exit::{Coded, Exit};

/// Faults that are shown one by one; all are counted.
const SHOWN_MAX: usize = 10;

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
A block must hold the write that was last made durable, or a newer one. What it holds instead is called lost (an older write), stale (data from \
before the run), flipped, torn, misplaced or unreadable. The target is opened read-only.

Exit code 0 only when everything that the journal ever held was checked and is right; 7 when a block is wrong, when a part of the journal is \
damaged, gone or was never written, and when there was nothing to check. A run that was cut short leaves a journal without a closing record: \
that is said, and is no fault.")]
pub(crate) struct VerifyArgs {
    /// File or device that a run with --verify and --journal wrote
    target: PathBuf,

    /// The journal of that run
    #[arg(long, value_name = "FILE")]
    journal: PathBuf,
}

/// Verifies and prints the results.
pub(crate) fn verify(args: &VerifyArgs, console: &Console) -> anyhow::Result<Exit> {
    let interrupt = crate::signals::listen(*console, crate::signals::OF_OTHERS)?;
    let control = Control::with_stop(interrupt.flag());
    let report = block::verify_after_crash(&args.target, &args.journal, &control).map_err(Coded::block)?;
    if console.json() {
        console.document(&document(&report));
    } else {
        console.answer(&text(&report));
    }
    Ok(match report.target.faulty_blocks {
        _ if !report.target.complete => Exit::Interrupted,
        0 if report.is_thorough() => Exit::Done,
        _ => Exit::InvalidCells,
    })
}

fn text(report: &CrashReport) -> String {
    let target = &report.target;
    let found = match target.checked_blocks {
        0 => "nothing was checked".to_owned(),
        _ if report.is_thorough() => target.kinds().to_string(),
        _ => format!("{} in what could be checked", target.kinds()),
    };
    let mut text = format!(
        "{} durable blocks of {} bytes were read: {found}\n",
        target.checked_blocks, target.block_bytes
    );
    for fault in target.faults.iter().take(SHOWN_MAX) {
        text.push_str(&format!("  {} at byte {}: {}\n", name(fault.kind), fault.offset_bytes, fault.detail));
    }
    let hidden = target.faulty_blocks.saturating_sub(SHOWN_MAX as u64);
    if hidden > 0 {
        text.push_str(&format!("  and {hidden} more\n"));
    }
    for remark in report.journal.remarks() {
        text.push_str(&format!("journal: {remark}\n"));
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

fn end_name(end: JournalEnd) -> &'static str {
    match end {
        JournalEnd::Closed => "closed",
        JournalEnd::CutShort => "cut short",
        JournalEnd::GivenUp => "given up",
        JournalEnd::Unknown => "unknown",
    }
}

fn document(report: &CrashReport) -> serde_json::Value {
    let CrashReport { target, journal } = report;
    let fault = |fault: &block::BlockFault| {
        serde_json::json!({
            "offset_bytes": fault.offset_bytes, "kind": name(fault.kind), "detail": fault.detail,
        })
    };
    serde_json::json!({
        "everything_checked": report.is_thorough(),
        "block_bytes": target.block_bytes,
        "checked_blocks": target.checked_blocks,
        "faulty_blocks": target.faulty_blocks,
        "flipped": target.flipped, "torn": target.torn, "lost": target.lost, "stale": target.stale,
        "misplaced": target.misplaced, "unreadable": target.unreadable,
        "faults": target.faults.iter().map(fault).collect::<Vec<_>>(),
        "complete": target.complete,
        "journal": {
            "format": journal.format,
            "end": end_name(journal.end),
            "whole": journal.is_whole(),
            "records": journal.records,
            "unreadable_records": journal.unreadable,
            "repeated_records": journal.repeated,
            "records_out_of_place": journal.out_of_place,
            "foreign_bytes": journal.foreign_bytes,
            "damaged_heads": journal.damaged_heads,
            "altered": journal.altered,
            "left_out": journal.left_out,
            "failed_writes_left_out": journal.failed_left_out,
            "blocks_taken_back": journal.taken_back,
            "remarks": journal.remarks(),
        },
    })
}

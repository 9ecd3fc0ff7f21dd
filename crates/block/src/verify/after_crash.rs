//! Verification after a crash: the target's contents against the journal of its durable writes.

use std::fs::File;
use std::io::Seek as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::{Checked, VerifyReport, check_run, readable_run};
use crate::buffer::Buffers;
use crate::control::{Control, LivePhase};
use crate::error::BlockError;
use crate::fault::{BlockFault, FaultKind};
use crate::journal::{Journal, JournalReport, NOTHING};
use crate::ledger::Expected;
use crate::stamp::Stamper;
use crate::target::open_for_reading;

/// Writes beyond the durable one that a damaged block is compared with: no journal says how far the load had
/// come.
const NEWER_MAX: u64 = 16;

/// The result of checking the target against the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrashReport {
    /// The judgement of every block that the journal claims something of.
    pub target: VerifyReport,
    /// The readable part of the journal.
    pub journal: JournalReport,
}

impl CrashReport {
    /// True if all writes that the run is known to have made durable were checked, and there were some.
    pub fn is_thorough(&self) -> bool {
        self.target.complete && self.target.checked_blocks > 0 && self.journal.is_whole()
    }
}

impl Checked for Journal {
    fn blocks(&self) -> usize {
        self.claims.end()
    }

    fn block_bytes(&self) -> u64 {
        self.block_bytes
    }

    /// The durable write or a newer one: a write in flight at the crash may have arrived or not.
    fn expected(&self, block: usize) -> Expected {
        match self.claims.of(block) {
            NOTHING => Expected::Untouched,
            write => {
                let first = u64::from(write);
                Expected::Generations { first, last: first + NEWER_MAX }
            }
        }
    }

    fn older(&self) -> FaultKind {
        FaultKind::Lost
    }
}

/// Reads every block that the journal speaks of and judges it: the target must hold the durable write or a
/// newer one.
///
/// # Errors
/// When the journal cannot be read, is none or is the target itself, and when the target cannot be opened;
/// blocks that cannot be read are faults, and damage of the journal is part of the report.
pub fn verify_after_crash(
    target: &Path,
    journal: &Path,
    control: &Control,
) -> Result<CrashReport, BlockError> {
    control.enter(LivePhase::Verify);
    let (file, mut kept) = (open(target)?, open(journal)?);
    if is_same(&file, &kept) {
        let what = format!("{} and {} are one file", target.display(), journal.display());
        return Err(BlockError::job(
            what,
            "name the target first, and the journal of its run with --journal",
        ));
    }
    // Its size was found by going to its end.
    let read = kept.rewind().and_then(|()| Journal::read(&kept));
    let read = read.map_err(|error| BlockError::io(journal, "read the journal", error))?;
    let Some(journal) = read else {
        let what = format!("{} is not a journal of a verified run", journal.display());
        return Err(BlockError::job(what, "name the file that --journal wrote"));
    };
    // The page cache may differ from the device; the kernel may decline this request to drop it.
    let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed);
    let target = judge_all(&file, &journal, control);
    control.advance(LivePhase::Done);
    Ok(CrashReport { target, journal: journal.report })
}

/// Opens a regular file or a block device to read it.
fn open(path: &Path) -> Result<File, BlockError> {
    let opened = open_for_reading(path, false)?;
    opened.file.ok_or_else(|| BlockError::Missing { path: path.to_owned() })
}

fn is_same(one: &File, other: &File) -> bool {
    match (one.metadata(), other.metadata()) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

fn judge_all(file: &File, journal: &Journal, control: &Control) -> VerifyReport {
    let stamper = Stamper::new(journal.run);
    let mut report =
        VerifyReport { block_bytes: journal.block_bytes, complete: true, ..VerifyReport::default() };
    let mut buffer = Buffers::new(1, super::buffer_bytes(journal.block_bytes));
    let mut block = journal.claims.from(0);
    while block < journal.blocks() {
        let run = readable_run(journal, block);
        if run == 0 {
            block = journal.claims.from(block + 1);
            continue;
        }
        if control.is_stopped() {
            report.complete = false;
            break;
        }
        check_run(file, journal, &stamper, block..block + run, buffer.slot(0), &mut report);
        block += run;
    }
    report
}

impl VerifyReport {
    /// The faults of one kind.
    pub fn of_kind(&self, kind: FaultKind) -> impl Iterator<Item = &BlockFault> {
        self.faults.iter().filter(move |fault| fault.kind == kind)
    }
}
